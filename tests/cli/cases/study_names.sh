# SPDX-License-Identifier: GPL-3.0-or-later
# Two results of one program are two objectives, where each has a name.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
printf 'echo took $1 ms error 0.$1\n' >bench.sh
plan() {
    cat >plan.json <<S
{"study": 1, "tuners": ["grid"], "seeds": 1, "budget": {"trials": 3}, "objectives": [
 {"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "ms:/took ([0-9]+)/"$1},
 {"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "score:/error ([0-9.]+)/"$2}]}
S
    opevo study plan.json --store runs.db --quiet >printed 2>err
    echo "exit status $?"
    cat err
}
plan '' ''
plan ', "name": "time"' ', "name": "time"'
plan ', "name": "time"' ', "name": ""'
plan '' ', "name": "error"'
opevo runs runs.db --json | grep -o '"objective": "[^"]*"\|"best": [0-9.]*, "unit": "[a-z]*"\|"on": "[^"]*"'
opevo analyze runs.db --landscape error --quiet | grep '^=='
# One store of tune may hold them as well.
tune() { opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --tuner grid --store tune.db "$@" >printed; echo "exit status $?"; }
tune --result 'ms:/took ([0-9]+)/'
tune --result 'score:/error ([0-9.]+)/'
tune --result 'score:/error ([0-9.]+)/' --name error
opevo tune 'matmul(8,8,8)' --on sim:mi50 --name fast
