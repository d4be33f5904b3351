# SPDX-License-Identifier: GPL-3.0-or-later
# A search for a share of the optimum ends at it, whatever the rounding: at 100 %, and at 80 % with
# the first trial, which is exactly that share in decimals.
cat >table.json <<'S'
{"format": "tuning-landscape 1", "name": "table", "flop_per_run": 1e6, "rows": 2,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2]}],
 "columns": ["u", "time_ms", "status"]}
S
for k in $(seq 1 80); do
    awk -v k="$k" 'BEGIN { printf "u,time_ms,status\n1,%.2f,ok\n2,%.2f,ok\n", 0.04 * k, 0.05 * k }' >table.csv
    opevo tune --on recorded:table --tuner random --target 100% --json | grep -o '"stop": "[^"]*"'
    opevo tune --on recorded:table --tuner random --seed 3 --target 80% --json | grep -o '"trials": [0-9]*' | head -1
done | sort | uniq -c | sed 's/^ *//'
# Counts are also given as 1e6, and the course of two trials is drawn.
opevo tune --on recorded:table --tuner grid --trials 1e6 --curve | grep -c 'at most 1000000 trials\|best so far'
