# SPDX-License-Identifier: GPL-3.0-or-later
# The limit relative to the best: of kernels and of searches, and what it cut is in the store like all else.
refused() { "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
printf '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
refused opevo tune 'matmul(64,64,64)' --on cpu --slower 0.5
refused opevo tune 'matmul(64,64,64)' --on cpu --slower fast
refused opevo tune --on 'cmd:echo {X}' --space space.json --slower 3
refused opevo record 'matmul(64,64,64)' --on cpu --slower 3 --all --out x 2>record
grep -c slower record
tune() { opevo tune 'matmul(64,64,64)' --on cpu --tuner random --trials 12 --finals 0 --store "$@" >out 2>&1 || cat out; }
once() { opevo runs "$1:1" --trials --json | grep -q 'sampled once, as it is slower than 1 times the best so far' && echo "$1: once"; }
tune runs.db --slower 1
once runs.db
tune never.db --slower 0
once never.db
# The same seed gives the same trials, also when the run is replayed from its store, with whatever limit.
points() { opevo runs "$1:1" --trials --csv | sed 1d | sed 's/.*"{/{/; s/}.*/}/'; }
points runs.db >points
points never.db | cmp - points
opevo runs runs.db:1 --trials --csv >before
tune runs.db --slower 0
opevo runs runs.db:1 --trials --csv | cmp - before
opevo record --from runs.db:1 --out cut | grep -c '12 of 12'
ls
