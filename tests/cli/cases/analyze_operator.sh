# SPDX-License-Identifier: GPL-3.0-or-later
# A simulated landscape needs no --objective: its name says it all. A run that goes on counts as far as it goes.
try() { opevo analyze "$@" | grep -v '^$'; }
for q in 0.25 0.5; do
    opevo tune 'matmul(8,8,8)' --on sim:gtx1080ti --set q=$q --trials 40 --runs 6 --store runs.db --quiet >/dev/null
done
opevo tune 'matmul(8,8,8)' --on sim:gtx1080ti --trials 15 --seed 7 --store runs.db --quiet >/dev/null
try runs.db --at 10,40 --targets .5,1 | head -n 9
opevo analyze runs.db --seed 1 --json >first
opevo analyze runs.db --seed 1 --json | cmp - first && echo same seed, same numbers
opevo analyze runs.db --seed 2 --json | cmp -s - first || echo another seed, other intervals
