# SPDX-License-Identifier: GPL-3.0-or-later
cat >tiny.csv <<'S'
u,time_ms,status
1,2,ok
2,1,ok
3,,runtime_error
S
cat >tiny.json <<'S'
{"format": "tuning-landscape 1", "name": "tiny", "flop_per_run": 1e6, "rows": 3,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "time_ms", "status"]}
S
opevo tune --on recorded:tiny --trials 50
opevo tune --on recorded:tiny --tuner random --trials 50 --json
opevo landscape --on recorded:tiny
