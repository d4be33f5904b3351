# SPDX-License-Identifier: GPL-3.0-or-later
# Several operators share one budget.
tasks() { opevo tune mm1 bmm1 c1 --on sim:gtx1080ti --weights 3,1,1 "$@"; }
number() { grep -o "\"$1\": [^,}]*" "$2" | head -n 1 | sed 's/.*: //'; }
tasks --trials 600 --store runs.db
echo "-- dry run"
tasks --allocate gradient,alpha=0,round=16,patience=99 --aim geometric-mean --target 90% --dry-run
# Each task is a run: what it has in the store is what it has alone.
echo "-- one of them"
opevo tune mm1 --on sim:gtx1080ti --trials 80 --json --store runs.db >one
opevo tune mm1 --on sim:gtx1080ti --trials 80 --json | sed 's/"resumed": 0/"resumed": 64/' | cmp - one
opevo runs runs.db --json | grep -o '"stop": "[^"]*"'
echo "-- allocations"
for how in gradient round-robin; do tasks --trials 600 --allocate $how --json >$how; done
awk -v a="$(number aim_s gradient)" -v b="$(number aim_s round-robin)" 'BEGIN { print a < b ? "less" : "more" }'
grep -o '"rounds": [0-9]*' round-robin
for threads in 1 2; do tasks --trials 600 --threads $threads --json | cmp - gradient; done
echo "-- target"
tasks --trials 5000 --target 85% --json >target
number stop target
echo "-- one operator on two devices"
opevo tune mm1 --on sim:mi50 --on sim:v100 --trials 40 --json | grep -o '"task": "[^"]*"'
echo "-- programs"
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
opevo tune --on 'cmd:echo 1{X}' --on 'cmd:echo 2{X}' --space space.json --result 'ms:/([0-9]+)/' --tuner grid | tail -n 5 | sed 's/cost [0-9.]* s/cost/'
opevo tune --on 'cmd:echo 1{X}' --on 'cmd:sh -c "exit 3" {X}' --space space.json --result 'ms:/([0-9]+)/' --tuner grid \
    --quiet >failed
echo "exit status $?"
tail -n 5 failed | sed 's/cost [0-9.]* s/cost/'
