# SPDX-License-Identifier: GPL-3.0-or-later
# Search cases of one tile accept variants without the loop over tiles. Those are counted, and none of them is the best.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
kernels=$(dirname "$(command -v opevo)")/kernels
sed "s|planted-none.ll|$kernels/planted-none.ll|; s|\"search\": .*|\"search\": [{\"sizes\": [{\"n\": 8, \"passes\": 1}], \"seeds\": [1]}],|" \
    "$kernels/planted.json" >k.json
cp "$kernels/planted.ll" .
opevo evolve planted.ll --harness k.json --trials 1500 --seed 1 --json --quiet >found.json
grep -o '"overfitted": [0-9]*' found.json | awk '{ print ($2 > 0) ? "overfitted" : $2 }'
grep -o '"best": {"trial.*' found.json | grep -o '"status": "[^"]*"'
tail -n 1 found.json | grep -o '"edits": "[^"]*"' | tail -n 1 | cut -d '"' -f 4 >best.edits
opevo edits apply planted.ll @best.edits --harness k.json >applied; echo "status $?"
grep -c 'of the base; error 0$' applied
# Lists that give a module that is known are not run again; each edit of a list is told apart, also one without effect.
opevo evolve planted --trials 400 --seed 1 --quiet --jobs 1 | grep -c ' of 400 results were known: [1-9][0-9]* by the module, 0 by its machine code$'
opevo edits apply planted 'delete U66; delete U66' --json | grep -o '"edit": "[^"]*"'
# An edit that only a final case needs stays; the list without it is cheaper.
opevo edits minimise hotspot 'delete U67 with=U17; operand U7.1 U3; replace U7 U11 fix0=U6' | tail -n 1
opevo edits apply hotspot 'operand U7.1 U3' | grep -o '^final: [a-z]*'
# What is right on all cases of one size is refuted by the sizes of others, before a test is made of them; the best is proved.
grep -o '"refuted": [0-9]*' found.json | awk '{ print ($2 > 0) ? "refuted" : $2 }'
grep -o '"best": {"trial.*' found.json | grep -o '"proof": {"verdict": "[a-z]*"'
# Races that a search is allowed are refuted all the same.
opevo evolve nw --with races=off --tuner climb --trials 60 --seed 1 --quiet --store races.db >races
grep -o '^trial [0-9]* is [a-z]*: .*of another thread wrote' races | sed 's/trial [0-9]*/trial N/; s/:.*another/: another/' | sort -u
opevo runs races.db:1 | sed -n 's/ (proof not checked).*/, not checked/p' | sed 's/  *//' | sort -u
