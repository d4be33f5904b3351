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
test ! -e no.db
