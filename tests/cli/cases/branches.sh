# SPDX-License-Identifier: GPL-3.0-or-later
# A space with branches through the verbs: its tree, runs, a recording and back, and what is refused.
cat >space.json <<'S'
{"n": {"_type": "discrete", "_value": [1, 2, 4]},
 "op": {"_type": "choice", "_value": [
   {"_name": "conv", "kernel": {"_type": "discrete", "_value": [1, 3]},
    "algo": {"_type": "choice", "_value": [
      "direct", {"_name": "gemm", "tile": {"_type": "factor", "_value": [4, 2]}}]}},
   {"_name": "pool", "kernel": {"_type": "discrete", "_value": [2, 3]}},
   "skip"]},
 "_constraints": ["active(tile) ? n > 1 : op.conv.kernel <= n"]}
S
cat >bench.sh <<'S'
echo "$2 $3$4 $5" >>log
echo "took $(($1 * (${3:-5} + ${4:-0}))) ms"
S
on='cmd:sh bench.sh {n} {op} {op.conv.kernel} {op.pool.kernel} {algo}{tile[0]}'
opevo space space.json
opevo space space.json --json | grep -o '"active": .*}}'
opevo record --on "$on" --space space.json --result 'ms:/took ([0-9]+)/' --all --out table --quiet >/dev/null
sort -u log | head -4
cut -d, -f1-7 table.csv | sort | head -5
for tuner in opevo random grid tpe gbfs na2c kt-pso nsga2 qgp; do
    opevo tune --on recorded:table.csv --tuner $tuner --trials 500 --quiet --json | grep -o '"configuration": {[^}]*}'
done
opevo landscape --on recorded:table.csv | head -1
# Refused.
try() { "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try opevo tune --on recorded:table.csv --tuner droplet --store runs.db
try opevo landscape --on recorded:table.csv --topologies current
try opevo landscape --on recorded:table.csv --population 10
plan() {
    echo '{"study": 1, "objectives": [{"on": "recorded:table.csv"}], "tuners": ["tpe", '"$1"'],
 "topologies": {"tile": ["complete"], "*discrete": ["path", "cycle"]}, "budget": {"trials": 4}, "seeds": 1}' >plan.json
}
plan '"droplet"'
try opevo study plan.json --store runs.db
plan '"opevo"'
opevo study plan.json --store study.db --json | grep -o '"ran": [0-9]*'
sed '2s/,,/,1,/' table.csv >wrong.csv
sed 's/"table"/"wrong"/' table.json >wrong.json
try opevo landscape --on recorded:wrong.csv
try opevo law space.json
ls
