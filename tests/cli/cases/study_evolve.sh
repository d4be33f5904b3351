# SPDX-License-Identifier: GPL-3.0-or-later
# Searches for edits of kernels in a plan: they are the runs of opevo evolve, resumed, shared out and judged.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
kernels=$(dirname "$(command -v opevo)")/kernels
mkdir plan
cp "$kernels/nw.ll" plan/own.ll
cp "$kernels/nw.json" plan/other.json
cat >plan/plan.json <<'EOT'
{"study": 1,
 "objectives": [{"on": "evolve", "what": "planted"},
                {"on": "evolve:simt", "what": "own.ll", "harness": "other.json", "with": ["races=off", "initial=2"], "jobs": 1},
                {"on": "sim:mi50", "what": "mm1"}],
 "tuners": ["random", {"tuner": "nsga2", "settings": {"population": 16}}],
 "seeds": 2, "budget": {"trials": 60}}
EOT
opevo study plan/plan.json --store s.db --quiet | sed '/ s on /d'
opevo study plan/plan.json --store s.db --quiet
opevo evolve planted --tuner nsga2 --set population=16 --trials 60 --seed 2 --store s.db --quiet | grep -o '60 taken from s.db'
opevo evolve plan/own.ll --harness plan/other.json --tuner random --with races=off --with initial=2 --trials 60 --seed 1 --store s.db --quiet |
    grep -o '60 taken from s.db'
for share in 1/2 2/2; do opevo study plan/plan.json --store t.db --shard $share --quiet >/dev/null; done
opevo study plan/plan.json --store t.db --merge
for store in s t; do
    for run in 1 2 3 4; do opevo runs $store.db:$run --trials --csv; done >$store.csv
done
cmp s.csv t.csv && wc -l <s.csv
opevo analyze s.db --json | grep -o '"name": "evolve[^"]*"' | sort -u
opevo study plan/plan.json --dry-run --store s.db | tail -n 1
# with OBJECTIVE [TUNER]
with() {
    echo '{"study": 1, "objectives": ['"$1"'], "tuners": ["'"${2:-random}"'"], "budget": {"trials": 5}, "seeds": 1}' >p.json
    opevo study p.json --store bad.db
    [ $? = 2 ] || echo "exit status is not 2: $1"
}
with '"evolve"'
with '{"on": "evolve", "what": "absent"}'
with '{"on": "evolve:mars", "what": "planted"}'
with '{"on": "evolve", "what": "planted", "harness": "absent.json"}'
with '{"on": "evolve", "what": "planted", "with": "absent=1"}'
with '{"on": "evolve", "what": "planted", "with": "costs=absent.json"}'
with '{"on": "evolve", "what": "planted", "jobs": "many"}'
with '{"on": "evolve", "what": "planted", "precision": 1}'
with '{"on": "evolve", "what": "planted", "criteria": "energy"}'
with '{"on": "evolve", "what": "planted", "only-recorded": true}'
with '{"on": "evolve", "what": "planted", "start": "delete U27"}'
with '{"on": "evolve", "what": "planted"}' opevo
with '{"on": "evolve", "what": ["planted", "planted"]}'
with '{"on": "sim:mi50", "what": "mm1", "harness": "planted.json"}'
ls
