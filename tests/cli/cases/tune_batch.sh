# SPDX-License-Identifier: GPL-3.0-or-later
# Where workers are given, a tuner that can propose a batch of their number does: that is a setting of the run, which
# the store keeps, so that another number of workers is never another search in silence.
cat >space.json <<'EOS'
{"X": {"_type": "factor", "_value": [64, 3]}, "u": {"_type": "choice", "_value": [0, 1, 2, 3]}}
EOS
tune() { # tune WORKERS TRIALS OPTION...
    workers=$1 trials=$2
    shift 2
    [ "$workers" -ge 3 ] && set -- "$@" --workers 'opevo-worker cmd'
    [ "$workers" -ge 2 ] && set -- "$@" --workers 'opevo-worker cmd' --workers 'opevo-worker cmd'
    opevo tune --on 'cmd:/bin/echo {u}.5 {X}' --space space.json --result 'score:/([0-9.]+)/' --trials "$trials" "$@" 2>&1 |
        grep "tuner\|opevo"
}
list() { # list STORE: runs, trials, settings
    opevo runs "$1" --json | grep -o '"run": [0-9]*\|"trials": [0-9]*\|"settings": "[^"]*"' | paste -sd '  \n' -
}
echo "== the default of one, two and three workers; what is set stays"
tune 1 12 --tuner qgp --dry-run
tune 2 12 --tuner qgp --dry-run
tune 3 12 --tuner tpe --dry-run
tune 3 12 --tuner climb --dry-run
tune 3 12 --tuner opevo --dry-run
tune 3 12 --tuner qgp --set batch=2
tune 3 12 --tuner qgp --set batch=1 --set samples=1 --quiet
echo "== tuners that leave workers idle say so"
tune 2 12 --tuner kt-annealing
tune 2 12 --tuner gbfs
tune 2 12 --tuner random
tune 1 12 --tuner kt-annealing
echo "== the same search on other workers"
tune 3 12 --tuner tpe --store runs.db
tune 3 14 --tuner tpe --store runs.db
tune 2 14 --tuner tpe --store runs.db
tune 2 16 --tuner tpe --store runs.db --set batch=3
tune 1 12 --tuner tpe --store runs.db
list runs.db
echo "== a stored run keeps its batch"
opevo resume runs.db:1 --print | grep -o '"set": .*'
opevo resume runs.db:1 --trials 18 --quiet | grep -o '^18 trials, .* 16 taken'
list runs.db
echo "== trials do not depend on who measures"
opevo runs runs.db:1 --trials --csv | cut -d, -f 1-4 >three
tune 1 18 --tuner tpe --set batch=3 --store one.db --quiet
opevo runs one.db:1 --trials --csv | cut -d, -f 1-4 | cmp - three && echo "the same trials"
echo "== a study has the settings of its plan"
cat >plan.json <<'EOS'
{"study": 1, "tuners": ["qgp", "random"], "seeds": 2, "budget": {"trials": 6},
 "objectives": [{"on": "cmd:/bin/echo {u}.5 {X}", "space": "space.json", "result": "score:/([0-9.]+)/",
                 "workers": ["opevo-worker cmd", "opevo-worker cmd"]}]}
EOS
opevo study plan.json --store study.db 2>&1 | sed '/ s on /d'
list study.db
echo "== the server"
{
    for workers in 1 4; do
        echo '{"op": "create", "tuner": "qgp", "workers": '$workers', "space": "space.json"}'
    done
    echo '{"op": "create", "tuner": "qgp", "workers": 4, "settings": {"batch": 2}, "space": "space.json"}'
    echo '{"op": "create", "tuner": "random", "workers": 4, "space": "space.json"}'
    echo '{"op": "create", "tuner": "random", "workers": 0, "space": "space.json"}'
} | opevo serve
echo "== the list of tuners"
for tuner in qgp gbfs random climb kt-annealing; do
    opevo tuners $tuner | grep worker
done
