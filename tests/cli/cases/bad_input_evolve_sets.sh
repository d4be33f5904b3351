# SPDX-License-Identifier: GPL-3.0-or-later
# A kernel that fails on cases held out is refused before the search, and nothing is stored; so is an evaluation without time.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
kernels=$(dirname "$(command -v opevo)")/kernels
sed "s|planted-none.ll|$kernels/planted-none.ll|; s|\"search\": .*|\"search\": [{\"sizes\": [{\"n\": 8, \"passes\": 1}], \"seeds\": [1]}],|" \
    "$kernels/planted.json" >k.json
opevo edits emit planted 'operand U49.0 A4' --out k.ll # only the first tile
opevo evolve k.ll --trials 100000 --store runs.db --quiet; echo "status $?"
# Reading the edits or the first launch comes to the limit, as the machine has it.
opevo evolve planted --timeout 1e-9 --quiet 2>limit; echo "status $?"
sed 's/: .*the limit of time\.\{0,1\}$/: ... the limit of time/' limit
rm limit
ls
