# SPDX-License-Identifier: GPL-3.0-or-later
opevo tune c1 --on sim:mi50 --trials 100 --seed 3 --json >whole
opevo tune c1 --on sim:mi50 --trials 40 --seed 3 --json --store runs.db >part
opevo tune c1 --on sim:mi50 --trials 100 --seed 3 --json --store runs.db >rest
opevo tune c1 --on sim:mi50 --trials 100 --seed 3 --json --store runs.db >again
grep -o '"resumed": [0-9]*' part rest again
for file in rest again; do sed 's/"resumed": [0-9]*/"resumed": 0/' $file | cmp - whole; done
opevo runs runs.db --json | grep -o '"trials": [0-9]*'
