# SPDX-License-Identifier: GPL-3.0-or-later
# Several operators that end with a few configurations for all of them: searches, trials on each other's operators, the
# certificate, which the store gives again; a run that is killed while it measures goes on as if it had not been.
tune() { opevo tune mm1 mm2 mm3 --on sim:mi50 --trials 300 --quiet "$@"; }
tune --portfolio 1 --store runs.db | sed -n '/^portfolio/p; /^the best/p; /^whatever/p'
opevo runs runs.db --json | grep -o '"tuner": "listed"\|"stop": "[a-z-]*"' | sort | uniq -c | sed 's/^ *//'
opevo portfolio runs.db --configurations 1 | sed -n '/^the best/p; /^whatever/p'
echo "-- again, and without a store, and by another aim on the same store"
tune --portfolio 1 --store runs.db | sed -n '/^portfolio:/s/; cost.*//p; /^the best/p'
tune --portfolio 1 --json | grep -o '"crossed": {"trials": [0-9]*, "resumed": 0\|"value": [0-9.e-]*, "bound": [0-9.e-]*\|"floor": [0-9.]*'
tune --portfolio 2,by=mean,share=0.3 --weights 3,1,1 --store runs.db | sed -n '/^portfolio/s/; cost.*//p; /^the best/p'
tune --portfolio 2,by=mean,share=0.3 --dry-run --json | grep -o '"portfolio": {[^}]*}'
echo "-- killed"
cat >bench.sh <<'EOF'
sleep 0.01
awk -v x=$1 -v y=$2 -v n=$3 'BEGIN { d = x - n / 32; print "took", 1 + d * d + (y - n / 64) ^ 2 / 4, "ms" }'
EOF
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6]}, "Y": {"_type": "discrete", "_value": [0, 1, 2, 3, 4, 5, 6, 7]}}' >space.json
programs() { # in a subshell of its own, as killing it has to kill the program
    exec opevo tune --on 'cmd:sh bench.sh {X} {Y} 32' --on 'cmd:sh bench.sh {X} {Y} 96' --on 'cmd:sh bench.sh {X} {Y} 160' \
        --space space.json --result 'ms:/took ([0-9.]+) ms/' --tuner random --trials 60 --portfolio 2 --finals 0 --quiet "$@"
}
results() { grep '^portfolio:\|^the best\|^whatever\|^cmd:.*  0\.\|^[01]  X' "$1" | sed 's/, [0-9]* from the store//; s/; cost [^;]*;/;/'; }
(programs --store whole.db) >whole
results whole
programs --store parts.db >part 2>&1 &
program=$!
for i in $(seq 600); do
    opevo runs parts.db --json 2>/dev/null | tr -d '\n ' | grep -q '"tuner":"listed","settings":"","seed":1,"trials":[1-9]' && break
    sleep 0.02
done
kill -9 $program
wait $program 2>/dev/null
(programs --store parts.db) >parts
results parts >of_parts
results whole | cmp - of_parts && echo "as if it had not been killed"
for run in 1 2 3 4 5 6; do
    for store in whole parts; do
        opevo runs $store.db:$run --trials --csv | cut -d, -f1-3 >$store-$run
    done
    cmp whole-$run parts-$run
done
echo "-- refused"
tune --portfolio 0
tune --portfolio 2.5
tune --portfolio 2,by=best
tune --portfolio 2,share=1
opevo tune mm1 --on sim:mi50 --portfolio 2
