# SPDX-License-Identifier: GPL-3.0-or-later
# What a study leaves is analysed: topologies, a space file and budgets beside each other, a study that is not
# finished, a recording that changed meanwhile; and a run of a study is learnt from.
. "${0%/*}/../../await.sh"
cat >toy.csv <<'S'
u,v,time_ms,status
1,1,8,ok
1,2,4,ok
1,3,5,ok
2,1,3,ok
2,2,2,ok
2,3,,runtime_error
4,1,2.5,ok
4,2,1,ok
4,3,6,ok
8,1,7,ok
8,2,9,ok
8,3,,runtime_error
S
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 12,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 4, 8]},
  {"name": "v", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "v", "time_ms", "status"]}
S
cat >cycle.json <<'S'
{"u": {"_type": "discrete", "_value": [1, 2, 4, 8], "_topology": "cycle"},
 "v": {"_type": "discrete", "_value": [1, 2, 3]}}
S
cat >less.json <<'S'
{"u": {"_type": "discrete", "_value": [1, 2]}, "v": {"_type": "discrete", "_value": [1, 2, 3]}}
S
plan() { # TOPOLOGIES BUDGETS
    echo '{"study": 1, "objectives": ["recorded:toy.csv", {"on": "recorded:toy.csv", "space": "cycle.json"}],
 "tuners": [{"tuner": "opevo", "settings": {"lambda": 2, "rho": 2}}], "topologies": '"$1"',
 "seeds": 6, "budget": '"$2"'}' >plan.json
}
names() { sed -n '/^==/p; /^best fraction.*by number of trials/,/^$/p' | grep -v '^best\|^contender\|^$' | sed 's/  .*//' | uniq; }

echo "-- topologies of a plan, and those of a space file"
plan '{"*discrete": ["path", "complete"]}' '{"trials": 6}'
opevo study plan.json --store runs.db --quiet | head -n 1
opevo analyze runs.db --all --at 6 | names
echo "-- a space file with fewer points is another landscape"
sed 's/"cycle.json"/"less.json"/' plan.json >less-plan.json
opevo study less-plan.json --store less.db --quiet | head -n 1
opevo analyze less.db --all --at 4 | names
echo "-- budgets are never pooled"
plan '{}' '[{"trials": 4}, {"trials": 8}]'
opevo study plan.json --store budgets.db --quiet | head -n 1
opevo analyze budgets.db | sed -n '/several/p'
opevo analyze budgets.db --all | names
opevo analyze budgets.db --all --budget trials=8 | names
echo "-- learnt from"
opevo tune --on recorded:toy.csv --tuner autotvm --learn budgets.db:2 --trials 3 --store learnt.db --quiet >/dev/null
opevo runs learnt.db --json | grep -o 'earlier=[0-9]*'
echo "-- not finished"
cat >long.json <<S
{"study": 1, "objectives": [{"on": "sim:mi50", "what": "mm1"}], "tuners": ["opevo"], "seeds": 40000${OPEVO_TEST_LONG:+0},
 "budget": {"trials": 500}}
S
opevo study long.json --store part.db --threads 1 --quiet >part.out &
begun() { opevo runs part.db --json 2>/dev/null | grep -q '"run"'; }
await begun || echo "no run is stored"
kill -INT $!
wait $!
echo "exit status $?"
tail -n 1 part.out
opevo runs part.db | tail -n 1 | sed 's/[0-9]* planned/N planned/'
opevo analyze part.db --no-landscapes --resamples 100 | sed -n '2s/[0-9]* planned/N planned/p'
echo "-- another recording under the name"
sed -i 's/^4,2,1,ok/4,2,1.5,ok/' toy.csv
opevo analyze budgets.db --budget trials=8 --at 8 | sed -n '2,3s/[0-9a-f]\{16\}/SIGNATURE/gp'
opevo analyze less.db --landscape toy --objective toy=recorded:toy.csv | sed -n '2s/[0-9a-f]\{16\}/SIGNATURE/gp'
plan '{}' '{"trials": 8}'
opevo study plan.json --store budgets.db --quiet
echo "exit status $?"
