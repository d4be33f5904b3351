# SPDX-License-Identifier: GPL-3.0-or-later
# Several programs that share one budget, killed in the midst of a round of the second: the same command goes on with the
# trials of a run that was never killed, and measures again only what the kill interrupted.
. "${0%/*}/../left.sh"
export nap=$((3000000 + $$)) # a time of its own, to find the process by
cat >bench.sh <<'S'
echo "$1 $2" >>begun
[ -e free ] || [ "$1" != second ] || [ "$(grep -c second begun)" -lt 12 ] || exec sleep "$nap"
[ $(($2 % 7)) != 0 ] || exit 3
echo "took $(($2 * 37 % 101 + 5)) ms"
S
printf '{"X": {"_type": "discrete", "_value": [%s]}}' "$(seq -s , 60)" >space.json
tune() {
    exec opevo tune --on "cmd:sh $PWD/bench.sh first {X}" --on "cmd:sh $PWD/bench.sh second {X}" \
        --on "cmd:sh $PWD/bench.sh third {X}" --space space.json --result 'ms:/took ([0-9]+)/' --weights 1,4,2 \
        --allocate gradient,round=5,epsilon=0.2 --seed 5 --trials 90 --store "$1" --json --quiet 2>/dev/null
}
trials() { for run in 1 2 3; do opevo runs "$1:$run" --trials --csv | cut -d , -f 1-8; done; }
decisions() { sed 's/"cost_s": [^,]*, //; s/"resumed": [0-9]*, //; s/"failures": .*"stop"/"stop"/; s/, "workers": \[[^]]*\]//g' "$1"; }
second() { [ "$(grep -c second begun 2>/dev/null)" = 12 ]; }
: >free
(tune whole.db) >whole
rm free begun
(tune runs.db) >killed &
await second || echo "the second was not measured"
kill -9 $!
wait $! 2>/dev/null
left "$nap"
wc -c <killed
opevo runs runs.db --json | grep -o '"trials": [0-9]*, ' | paste -sd ' '
: >free
(tune runs.db) >resumed
trials whole.db >whole.trials
trials runs.db | cmp - whole.trials
decisions whole >a
decisions resumed | cmp - a
grep -o '"resumed": [0-9]*' resumed | head -n 1
sort begun | uniq -c | awk '$1 > 1 { n++ } END { print n + 0, "measured twice" }'
grep -o '"rounds": [0-9]*' resumed
