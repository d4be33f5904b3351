# SPDX-License-Identifier: GPL-3.0-or-later
# Two versions of a program are two landscapes, told apart by its hash; the mean ranks leave out where nothing succeeded.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
printf 'echo "$1"\n' >bench.sh
tune() { opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --result 'score:/[0-9]+/' --trials 3 --store runs.db "$@" >printed; }
mask() { sed 's/program=[0-9a-f]\{16\}/program=HASH/g'; }
tune --tuner grid
tune --tuner random
printf 'echo "$1"0\n' >bench.sh
tune --tuner grid --seed 2
tune --tuner random --seed 2
printf 'exit 1\n' >bench.sh
tune --tuner grid --seed 3 2>err
tune --tuner random --seed 3 2>err
opevo analyze runs.db --all --quiet >text
grep '^== \|^over \|^- over ' text | mask
opevo analyze runs.db --quiet --json >json
grep -o '"program": "[0-9a-f]\{16\}"' json | sort -u | wc -l
grep -o '"landscapes_all_failed": [0-9]*' json
opevo report runs.db -o page.html --quiet >printed
grep -o 'program=[0-9a-f]*' page.html | sort -u | wc -l
