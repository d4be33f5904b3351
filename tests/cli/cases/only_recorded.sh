# SPDX-License-Identifier: GPL-3.0-or-later
# A Kernel Tuner cache of which half has no row: it is said wherever it is opened, and --only-recorded leaves
# the other half out, in stores and studies, too.
awk 'BEGIN {
    printf "{\"tune_params_keys\": [\"x\", \"y\"],\n\"tune_params\": {\"x\": [1, 2, 3, 4, 5, 6], \"y\": [1, 2, 3, 4]},\n\"cache\": {"
    for (x = 1; x <= 6; x++) for (y = 1; y <= 4; y++) if ((x + y) % 2)
        printf "%s\n\"%d,%d\": {\"x\": %d, \"y\": %d, \"time\": %d}", n++ ? "," : "", x, y, x, y, 5 + x * y
    print "}}" }' >half.json
opevo tune --on recorded:half --trials 24 --tuner grid | grep trials,
opevo tune --on recorded:half --only-recorded --trials 24 --tuner grid --store s.db | grep trials,
opevo tune --on recorded:half --trials 9 --tuner grid --store s.db | grep trials,
opevo space recorded:half | tail -1
opevo space recorded:half --only-recorded | grep allowed:
opevo landscape --on recorded:half | head -1
opevo landscape --on only-recorded:half | head -1
opevo report recorded:half -o page.html --population 12 --quiet >out || cat out
opevo report recorded:half --only-recorded -o page.html --quiet >out || cat out
cat >plan.json <<'EOT'
{"study": 1, "objectives": ["recorded:half", {"on": "recorded:half", "only-recorded": true}],
 "tuners": ["random"], "seeds": 2, "budget": {"trials": 5}}
EOT
opevo study plan.json --store study.db --quiet | head -1
opevo runs study.db --json | grep -o '"objective": "[^"]*".*"on": "[^"]*"' | sed 's/"tuner.*"failed": [0-9]*/.../; s/"best.*"on": "/... /; s|/.*/||'
opevo runs study.db --json | grep -o '"signature": "[^"]*"' | sort -u | wc -l
opevo analyze study.db | grep ==
# Only points with a row are proposed: none fails.
opevo runs study.db --json | grep only-recorded | grep -c '"failed": 0'
# The same command goes on, and a run that was made without it is another.
opevo tune --on recorded:half --only-recorded --trials 24 --tuner grid --store s.db | grep -c 'taken from s.db'
# Nothing but points without a row.
printf '{"x": {"_type": "discrete", "_value": [1, 2, 3]}, "y": {"_type": "discrete", "_value": [1, 2, 3]}, "_constraints": ["x <= y"]}' >part.json
opevo tune --on recorded:half --space part.json --tuner grid --trials 1 >out
echo "exit status $?"
sed -i 's/{"on".*true}/{"on": "recorded:half", "space": "part.json"}/; s/"recorded:half", //; s/"random"/"grid"/; s/5}/1}/' plan.json
opevo study plan.json --store part.db --quiet >out
echo "exit status $?"
opevo tune mm1 --on sim:mi50 --only-recorded
echo "exit status $?"
sed -i 's/"space": "part.json"/"only-recorded": 1/' plan.json
opevo study plan.json --store part.db
echo "exit status $?"
