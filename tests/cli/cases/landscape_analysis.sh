# SPDX-License-Identifier: GPL-3.0-or-later
# Six points that can be checked by hand: on the path the searches from 1, 2, 3 and half of those from 4, which failed,
# end at 1, after 1, 2.5, 4 and 3.75 looks, that from 5 reaches 6 after 1.5; so (1 + 12.75 / 6) / (2.5 / 6) = 7.5 trials.
cat >six.csv <<'S'
u,time_ms,status
1,2,ok
2,4,ok
3,8,ok
4,,runtime_error
5,2.5,ok
6,1,ok
S
cat >six.json <<'S'
{"format": "tuning-landscape 1", "name": "six", "flop_per_run": 1e6, "rows": 6,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3, 4, 5, 6]}],
 "columns": ["u", "time_ms", "status"]}
S
opevo landscape --on recorded:six --topologies current
opevo landscape --on recorded:six --topologies all
opevo landscape --on recorded:six --topologies current --nodes ok | sed -n '/^topology/,/^first/p'
printf 'u=1\nu=3 \n# a comment\n\nu=5\n' >seen
opevo landscape --on recorded:six --population seen --q 0,0.5 --lambda 2 --rho 2 | sed -n '/^one generation/,$p'
opevo landscape --on recorded:six --population 2 --seed 3 --q 0.5 --json | tr "," "\n" | grep -c "\"sure\""
