# SPDX-License-Identifier: GPL-3.0-or-later
# A recorded landscape of nine points, one of which failed: toy.csv and toy.json. Sourced by cases.
cat >toy.csv <<'S'
u,v,time_ms,status
1,1,8,ok
1,2,4,ok
1,3,5,ok
2,1,3,ok
2,2,2,ok
2,3,,runtime_error
4,1,2.5,ok
4,2,1,ok
4,3,6,ok
S
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 9,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 4]},
  {"name": "v", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "v", "time_ms", "status"]}
S
