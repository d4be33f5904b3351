# SPDX-License-Identifier: GPL-3.0-or-later
# A space with a nested choice from its file to an analysis of runs: its tree, the laws of its parameters, the test of the
# child step, runs on a program and on a recording, what a store says of them, and contenders against each other.
cat >space.json <<'S'
{"n": {"_type": "discrete", "_value": [1, 2, 4]},
 "op": {"_type": "choice", "_value": [
   {"_name": "conv", "kernel": {"_type": "discrete", "_value": [1, 3, 5]},
    "algo": {"_type": "choice", "_value": [
      "direct", {"_name": "gemm", "tile": {"_type": "factor", "_value": [8, 2]}}]}},
   {"_name": "pool", "size": {"_type": "discrete", "_value": [2, 3]}},
   "skip"]},
 "_constraints": ["!active(size) || size <= n + 1"]}
S
# {n} {op} {kernel} {size} {algo} {tile[0]}: what is not active is empty.
cat >bench.sh <<'S'
n=$1 op=$2; shift 2
case $op in
conv) [ "$2" = gemm ] && { echo "took $((20 - n + $1 + ($3 - 4) * ($3 - 4))) ms"; exit; }; echo "took $((30 - n + $1)) ms" ;;
pool) [ "$n" = 4 ] && exit 3; echo "took $((18 + $1)) ms" ;;
skip) echo "took 40 ms" ;;
esac
S
opevo space space.json | sed -n '/^branches/,$p'
opevo law 'categorical(conv,pool,skip)' --q 0.5
opevo verify space.json --draws 100000 --seed 1 |
    grep -o '^[a-z]*: [a-z]*([^)]*)\|^child step, duplicates: [a-z]*\|^[0-9]* of .*'
on='cmd:sh bench.sh {n} {op} {kernel}{size} {algo} {tile[0]}'
tune() {
    opevo tune --on "$on" --space space.json --result 'ms:/took ([0-9]+)/' --exit 3=rejected "$@" --quiet |
        sed 's/cost [0-9.]* s/cost/'
}
tune --trials 20 --seed 2 --store programs.db
tune --trials 30 --seed 2 --store programs.db | sed -n 2p
opevo runs programs.db:1 --trials --csv | sed 's/,host,device$//; s/,[^,]*,"[^"]*"$//' | cut -d, -f 1-3,14- | head -n 8
opevo record --on "$on" --space space.json --result 'ms:/took ([0-9]+)/' --exit 3=rejected --all --out table --quiet >/dev/null
opevo tune --on recorded:table.csv --trials 20 --seed 2 --store runs.db --quiet | sed 's/cost [0-9.]* s/cost/'
for tuner in opevo random nsga2; do
    opevo tune --on recorded:table.csv --tuner $tuner --trials 20 --seed 2 --runs 6 --store runs.db --quiet >/dev/null
done
opevo analyze runs.db
opevo analyze runs.db --json | grep -o '"optimum": [0-9.]*'
