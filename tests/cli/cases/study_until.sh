# SPDX-License-Identifier: GPL-3.0-or-later
# Seeds are added until the tuners are told apart; a second call has nothing to do; analyze keeps to what holds at any time.
plan() {
    echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": "mm1"}],
 "tuners": ["random", "gbfs"], "budget": '"$1"', "seeds": 4}' >plan.json
}
plan '{"trials": 100}'
opevo study plan.json --store study.db --until resolved --quiet | grep -v ' s on '
opevo study plan.json --store study.db --until resolved --quiet --json | sed 's/"threads".*"until"/"until"/'
opevo analyze study.db --no-landscapes --all | grep -e resolved -e 'at any time'
opevo analyze study.db --no-landscapes --csv | grep -c bounded
opevo analyze study.db --no-landscapes --json >analysis.json
opevo reproduce analysis.json | tail -1 | sed 's/[0-9]* values as stated/values as stated/'
opevo study plan.json --store fixed.db --quiet | grep -v ' s on '
opevo analyze fixed.db --no-landscapes --all --anytime | grep -e 'any choice' -e 'at any time'
plan '{"seconds": 1}'
opevo study plan.json --store no.db --until resolved
opevo study plan.json --store no.db --until later
opevo study plan.json --store no.db --until resolved --shard 1/2
opevo study plan.json --store no.db --seeds-max 20
# One combination has nothing to be compared with.
echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["mm1", "c1"]}], "tuners": ["random"],
 "budget": {"trials": 10}, "seeds": 4, "null": true}' >one.json
opevo study one.json --store no.db --until resolved
# The plan's own alpha counts, unless another is given; it is a probability.
analysis() {
    echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": "mm1"}], "tuners": ["random", "grid"],
 "budget": {"trials": 10}, "seeds": 2, "analysis": {"alpha": "'"$1"'"}}' >alpha.json
}
analysis 0.25
opevo study alpha.json --store a.db --until resolved --seeds-max 2 --json | grep -o '"alpha": [0-9.]*'
opevo study alpha.json --store b.db --until resolved --seeds-max 2 --alpha 0.125 --json | grep -o '"alpha": [0-9.]*'
analysis 1.5
opevo study alpha.json --store no.db
test ! -e no.db
