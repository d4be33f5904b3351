# SPDX-License-Identifier: GPL-3.0-or-later
# The finals in a store: a run alone is shown with the table that tune printed, and as JSON all have theirs.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}, "V": {"_type": "choice", "_value": ["a b"]}}' >space.json
tune() {
    opevo tune --on 'cmd:echo took {X} ms {V}' --space space.json --tuner grid --result 'ms:/took ([0-9]+) ms/' "$@"
}
tune --trials 3 --finals 3 --rounds 8 --store runs.db >tuned
tune --trials 3 --finals 3 --rounds 8 --store runs.db --json >tuned.json
tune --trials 2 --seed 2 --store runs.db >/dev/null
hide() { sed 's/cost [0-9.]* s/cost/; s/started [^;]*Z; opevo .*/started/'; }
opevo runs runs.db:1 | hide
opevo runs runs.db:2 | hide
sed -n '/^re-evaluation/,$p' tuned >table
opevo runs runs.db:1 | sed -n '/^re-evaluation/,$p' | cmp - table
finals() { grep -o '"finals": .*}\]}'; }
[ "$(opevo runs runs.db --json | finals)" = "$(finals <tuned.json)" ] && echo the same as JSON
opevo runs runs.db:1 --json | grep -c '"run": 1, .*"finals": {"verdict": "faster", .*"winner": 0, "next": 1, '
opevo runs runs.db:2 --json | grep -c '"run": 2, .*"version": "[^"]*"}$'
# A number after a colon may be the name of a file, too.
cp runs.db runs.db:1
opevo runs runs.db:1 --json | grep -c '"run"'
rm runs.db:1
# Other finals are measured, and replace the old ones.
tune --trials 3 --finals 2 --rounds 7 --store runs.db >/dev/null
opevo runs runs.db:1 | sed -n '/^re-evaluation/,$p'
# A graph is in the store, whatever becomes of its file.
printf '{"X": {"_type": "graph", "_value": "g.edges"}}' >space.json
printf '1 2\n2 3\n' >g.edges
opevo tune --on 'cmd:echo took {X} ms' --space space.json --tuner grid --result 'ms:/took ([0-9]+) ms/' --finals 2 \
    --rounds 2 --store graph.db >/dev/null
rm g.edges
opevo runs graph.db:1 | sed -n '/^re-evaluation/,$p'
opevo runs graph.db:1 --json | grep -o '"configuration": [^,]*'
try() { opevo "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try runs runs.db:3
try runs runs.db:x
