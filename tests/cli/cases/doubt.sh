# SPDX-License-Identifier: GPL-3.0-or-later
# Results that no machine has are taken, but not in silence: at once, at the end, and with the trial in the store.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
tune() {
    opevo tune --space space.json --tuner grid --quiet "$@" | sed 's/cost [0-9.]* s/cost/'
}
# One wrong by a unit, one right and one wrong.
tune --on 'cmd:echo {X}e-12' --result 's:/.+/' --flop 500 --store runs.db
opevo runs runs.db:1 --trials --csv | cut -d , -f 2 | head -2
opevo runs runs.db:1 --trials --csv | grep -c 'beyond any machine'
tune --on 'cmd:echo {X}e6' --result 'gflops:/.+/'
tune --on 'cmd:echo {X}' --result 'tflops:/.+/'
tune --on 'cmd:echo {X}e-9' --result 's:/.+/'
tune --on 'cmd:echo {X}e9' --result 'score:/.+/'
opevo record --on 'cmd:echo {X}e-11' --result 's:/.+/' --space space.json --all --quiet --out table
