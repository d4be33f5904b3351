# SPDX-License-Identifier: GPL-3.0-or-later
# Results in the user's unit, wherever they are read: of a time the smaller is better, and a target is a time.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8]}}' >space.json
echo 'echo took 0.270$((9 - $1)) ms' >bench.sh
on='cmd:sh bench.sh {X}'
tune() { opevo tune --on "$on" --space space.json --tuner grid "$@" | sed 's/cost [0-9.]* s/cost/'; }
ms() { tune --result 'ms:/took ([0-9.]+) ms/' "$@"; }
ms --store runs.db
ms --target 0.2704 --seed 2 --store runs.db
ms --runs 2 --trials 5 --finals 2 --rounds 6 | tail -3
ms --trials 5 --finals 2 --rounds 6 | tail -5
ms --trials 5 --json | grep -o '"best": {[^}]*}[^}]*}\|"unit": "[^"]*", "better": "[^"]*"'
opevo runs runs.db | sed 's/[0-9.]* s  cmd/S s  cmd/; s/20[0-9TZ:-]*$/started/'
opevo runs runs.db:1 | sed 's/; started.*//; s/cost [0-9.]* s/cost/'
opevo runs runs.db --json | grep -o '"best": .*"best_trial": [0-9]*'
opevo analyze runs.db --quiet | grep '^=='
opevo analyze runs.db --quiet --json | grep -o '"unit": .*"fractions_of": [0-9.]*' | sed 's/"on".*"optimum/"optimum/'
# A recording keeps the unit.
opevo record --on "$on" --space space.json --result 'us:/took ([0-9.]+) ms/' --all --out table
opevo tune --on recorded:table --tuner grid --target 0.2702 | tail -2
opevo landscape --on recorded:table | grep optimum
opevo landscape --on recorded:table --topologies current --target 0.2703 | grep targets
opevo landscape --on recorded:table --topologies current --target 0.2700
# Other units.
tune --result 'tflops:/took ([0-9.]+) ms/' | tail -2
tune --result 'score:/took ([0-9.]+) ms/' | tail -2
tune --trials 2 | grep -o '; results in .*\|^best .* s,' | sed 's/[0-9.]\+/T/'
# The target of a plan is a time, too.
cat >plan.json <<'EOS'
{"study": 1, "objectives": ["recorded:table"], "tuners": ["grid"], "seeds": 1,
 "budget": [{"trials": 8, "target": 0.2706}, {"trials": 3, "target": "100%"}]}
EOS
opevo study plan.json --store study.db --quiet | sed -n 1p
opevo runs study.db --json | grep -o '"trials": [0-9]*\|"best": [^,]*\|"budget": "[^"]*", "stop": "[^"]*"'
