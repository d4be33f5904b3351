# SPDX-License-Identifier: GPL-3.0-or-later
# The lists of what there is grow; they are left out.
try() {
    opevo study "$@" 2>err
    [ $? = 2 ] || echo "exit status is not 2: $*"
    sed 's/\(there are\|use one of\)[: ].*/\1 .../' err >&2
    rm err
}
# with OBJECTIVES TUNERS BUDGET SEEDS
with() {
    echo '{"study": 1, "objectives": ['"$1"'], "tuners": ['"$2"'], "budget": '"$3"', "seeds": '"$4"'}' >p.json
    try p.json --store s.db
}
c1='{"on": "sim:mi50", "what": "c1"}'
limit='{"trials": 5}'
try
try p.json
try p.json --store s.db
try p.json more.db --store s.db
try p.json --merge
try p.json --merge --store s.db --shard 1/2
with "$c1" '"random"' "$limit" 2,
with "$c1" '"random"' "$limit" 0
with "$c1" '"random"' '{}' 1
with "$c1" '"rundom"' "$limit" 1
with "$c1" '' "$limit" 1
with "$c1" '{"tuner": "opevo", "settings": {"q": [0.5, 1]}}' "$limit" 1
with "$c1" '{"tuner": "opevo", "settings": {"p": 1}}' "$limit" 1
with "$c1" '{"tuner": "opevo", "setting": {}}' "$limit" 1
with '' '"random"' "$limit" 1
with '"sim:mi50"' '"random"' "$limit" 1
with '"mi50"' '"random"' "$limit" 1
with '"recorded:absent.csv"' '"random"' "$limit" 1
with '{"on": "sim:mi51", "what": "c1"}' '"random"' "$limit" 1
with '{"on": "sim:mi50", "what": "c9"}' '"random"' "$limit" 1
with "$c1, $c1" '"random"' "$limit" 1
with '{"on": "sim:mi50", "what": "c1", "topologies": {"*permutation": "insertion"}}' '"random"' "$limit" 1
with '{"on": "sim:mi50", "what": "c1", "topologies": {"*factor": "path"}}' '"random"' "$limit" 1
with "$c1" '"random"' "$limit" 1 2>/dev/null >out && ls && rm s.db
for share in 0/2 3/2 2 1/0 x/2 1/2x; do try p.json --store s.db --shard $share; done
try p.json --store s.db --threads many
try p.json --store no/such/folder.db
printf 'not a store' >plain.db
try p.json --store plain.db
cat plain.db
echo
try p.json --merge --store s.db
try p.json absent.db --merge --store s.db
printf 'SQLite format 3\0' >is.db
try is.db p.json --merge --store new.db
try is.db --store new.db
rm is.db
for size in 0.5 1 0 x; do try --size $size; done
try p.json --size 0.6
ls
