# SPDX-License-Identifier: GPL-3.0-or-later
# A run that gave up has ended, and a landscape on which nothing succeeded has no best.
printf '{"X": {"_type": "discrete", "_value": [%s]}}' "$(seq -s, 30)" >space.json
cat >plan.json <<'S'
{"study": 1, "objectives": [{"on": ["cmd:false {X}", "cmd:echo {X}"], "space": "space.json", "result": "ms:/[0-9]+/"}],
 "tuners": ["grid", "random"], "seeds": 2, "budget": {"trials": 22}}
S
opevo study plan.json --store runs.db --quiet >printed 2>&1
tail -1 printed
opevo analyze runs.db --all >analysis
grep '^== ' analysis
grep '^- cmd' analysis | sed 's/ has .*/ .../'
grep "unfinished\|nan" analysis || echo "all have ended"
