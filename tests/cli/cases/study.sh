# SPDX-License-Identifier: GPL-3.0-or-later
# One process, three shares joined, a plan that grows, and what is printed on the way.
plan() {
    echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["mm1", "c1"]}],
 "tuners": ["random", {"tuner": "opevo", "settings": {"q": {"from": 0.2, "to": 0.8, "step": 0.3}}}],
 "topologies": {"*factor": ["prime-move", "any-divisor"]},
 "budget": {"trials": 30}, "seeds": '"$1"'}' >plans/plan.json
}
mkdir plans
plan 3
opevo study plans/plan.json --dry-run | sed 's/^about .* (estimated from .*/about so long/'
opevo study plans/plan.json --store alone.db | sed 's/^[0-9.]* s on .*/so long/'
for i in 1 2 3; do
    opevo study plans/plan.json --store study.db --shard $i/3 --threads 1 | sed 's/^[0-9.]* s on .*/so long/'
    opevo study plans/plan.json --store study.db --merge
done
ls
for store in alone study; do opevo runs $store.db --json >$store.json; done
cmp alone.json study.json
plan '[1, 2, 3, 8]'
opevo study plans/plan.json --store study.db --json --dry-run | grep -o '"present": [0-9]*'
opevo study plans/plan.json --store study.db --json | grep -o '"ran": [0-9]*'
opevo study plans/plan.json --store study.db --json | grep -o '"ran": [0-9]*'
opevo tune c1 --on sim:mi50 --store study.db --trials 20 --seed 1 --json | grep -o '"resumed": [0-9]*'
opevo runs study.db --json | grep -c '"run"'
