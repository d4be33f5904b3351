# SPDX-License-Identifier: GPL-3.0-or-later
# A portfolio of recordings and of a store: the choice, its proof, the tree, and the C that dispatches.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}, "Y": {"_type": "discrete", "_value": [0, 1]}}' >space.json
sed 's/, 4\]/]/' space.json >space64.json # X=4 is not measured there
cat >bench.sh <<'EOF'
[ $1$2 = 11 ] && exit 3
awk -v x=$1 -v y=$2 -v n=$3 'BEGIN { d = x - n / 32; print "took", 1 + d * d + y / 4, "ms" }'
EOF
for n in 32 64 96 128; do
    space=space.json
    [ $n = 64 ] && space=space64.json
    opevo record --on "cmd:sh bench.sh {X} {Y} $n" --space $space --result 'ms:/took ([0-9.]+) ms/' \
        --exit 3=rejected --all --out t$n --quiet >/dev/null 2>&1
done
numbers="--numbers t32=32 --numbers t64=64 --numbers t96=96 --numbers t128=128"
opevo portfolio t32.csv t64.csv t96.csv t128.csv --configurations 2 $numbers --depth 1 --emit out
opevo portfolio t32.csv t64.csv t96.csv t128.csv --configurations 2 --by mean --weight t32=5 | head -6
cat out/portfolio.h
ls out
cat >main.c <<'EOF'
#include "out/portfolio.h"
#include <stdio.h>
int main(void)
{
    for (long n = 0; n < 200; n += 16)
        printf("%d", portfolio_choose(&n));
    for (int w = -1; w <= PORTFOLIO_WORKLOADS; w++)
        printf(" %d", portfolio_of_workload(w));
    puts(portfolio_configuration[0]);
    return 0;
}
EOF
{
    cc -std=c99 -Wall -Wextra -Werror main.c -o main && ./main
    ! command -v c++ >/dev/null || { c++ -x c++ -Wall -Wextra -Werror main.c -o main && ./main; }
} | uniq
# A store: workloads are its objectives, and numbers those of the operators.
for op in 'matmul(64,64,64)' 'matmul(128,64,64)'; do
    opevo tune "$op" --on sim:mi50 --tuner random --trials 30 --store runs.db --quiet >/dev/null
done
opevo portfolio runs.db --configurations 1 --json | grep -o '"numbers": \[[^]]*\]\|"floor": [0-9.]*'
for op in 'c2d(1,8,8,8,8,3,1,1)' 'c2d(1,6,6,8,8,3,1,1)'; do # a digit in a name is not a number
    opevo tune "$op" --on cpu --tuner random --trials 1 --finals 0 --store convolutions.db --quiet >/dev/null
done
opevo portfolio convolutions.db --json | grep -o '"numbers": \[[^]]*\]'
opevo portfolio t32.csv --configurations 2 --emit out
opevo portfolio t32.csv --by best
opevo portfolio t32.csv --weight t32=1
opevo portfolio t32.csv --by mean --weight t33=1
opevo portfolio none.csv
# What would say something false: two recordings of one name, results in two units, malformed numbers, and a
# workload of which nothing succeeded, whose failures must not be chosen.
mkdir other && cp t32.csv t32.json other/
opevo portfolio t32.csv other/t32.csv
opevo portfolio t32.csv --numbers t32=1e2,x
opevo portfolio t32.csv --by mean --weight t32=0
seed=0
for unit in ms score; do
    seed=$((seed + 1))
    opevo tune --on "cmd:sh bench.sh {X} {Y} 32" --space space.json --result "$unit:/took ([0-9.]+) ms/" \
        --exit 3=rejected --tuner random --trials 4 --seed $seed --store units.db --quiet >/dev/null 2>&1
done
opevo portfolio units.db --configurations 2 --json | grep -o '"name": "[^"]*"'
printf 'X,Y,time_ms,status\n4,1,,runtime_error\n' >bad.csv
echo '{"format": "tuning-landscape 1", "parameters": [{"name": "X", "type": "int", "values": [4]},
 {"name": "Y", "type": "int", "values": [1]}]}' >bad.json
opevo portfolio t32.csv bad.csv --configurations 1 | head -3
opevo portfolio t32.csv bad.csv --json | grep -o '"without_success": [^]]*]'
opevo portfolio bad.csv
printf 'X,Y,time_ms,status\n4,1,2,ok\n' >bad.csv # none of t64's
opevo portfolio t64.csv bad.csv --configurations 1 --emit out2 | sed -n 2,3p
grep case out2/portfolio.h
