# SPDX-License-Identifier: GPL-3.0-or-later
# "start" of an objective in a plan: the first trials of its runs, computed or measured.
plan() { echo "{\"study\": 1, \"objectives\": [$1], \"tuners\": [\"opevo\", \"tpe\"], \"seeds\": 2, \"budget\": {\"trials\": $2}}" >"$3"; }
origins() { opevo runs "$1" --trials --json | tr , '\n' | sed -n 's/.*"origin": *"\([a-z]*\)".*/\1/p' | tr '\n' ' '; echo; }
plan '{"on": "sim:gtx1080ti", "what": "mm1", "start": "K=64,4,4 X=8,1,16,4 Y=16,1,16,4"}, {"on": "sim:gtx1080ti", "what": "mm1"}' 4 plan.json
opevo study plan.json --store s.db --quiet >printed || cat printed
for run in 1 2 3 4; do origins s.db:$run; done
opevo runs s.db --json | tr , '\n' | grep -c 'start='
plan '{"on": "cpu", "what": "matmul(16,16,16)", "precision": 50, "start": "none"}' 2 none.json
plan '{"on": "cpu", "what": "matmul(16,16,16)", "precision": 50}' 2 live.json
opevo study none.json --store l.db --quiet >printed || cat printed
opevo study live.json --store l.db --quiet >printed || cat printed
for run in 1 5; do origins l.db:$run; done
plan '{"on": "sim:gtx1080ti", "what": "mm1", "start": ["none", "K=64"]}' 4 wrong.json
opevo study wrong.json --store w.db; echo "status $?"
[ -e w.db ] || echo "nothing written"
