# SPDX-License-Identifier: GPL-3.0-or-later
# A store that does not fit says what differs: the program, the unit, another option of the objective, the space.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
printf 'echo "$1"\n' >bench.sh
tune() {
    opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --tuner grid --trials 3 --store runs.db "$@" >printed
    echo "exit status $?"
}
tune --result 'score:/[0-9]+/'
tune --result 'score:/[0-9]+/'
cp bench.sh kept.sh
printf 'echo "$1" # faster\n' >bench.sh
tune --result 'score:/[0-9]+/'
tune --result 'score:/[0-9]+/' --seed 2
cp kept.sh bench.sh
tune --result 'score:/[0-9]+/'
tune --result 'ms:/[0-9]+/'
tune --result 'score:/[0-9]+/' --timeout 7
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
tune --result 'score:/[0-9]+/'
# A study and its merge say the same.
cat >plan.json <<'END'
{"study": 1, "objectives": [{"on": "cmd:./run {X}", "space": "space.json", "result": "s:wall"}], "tuners": ["grid"],
 "budget": {"trials": 2}, "seeds": 1}
END
printf '#!/bin/sh\n:\n' >run
chmod +x run
opevo study plan.json --store study.db --shard 1/2 >printed
echo '# changed' >>run
opevo study plan.json --store study.db --shard 1/2
opevo study plan.json --store study.db --merge
# Where the program is gone what is stored is told all the same.
rm run
opevo study plan.json --store study.db --shard 1/2 >printed
