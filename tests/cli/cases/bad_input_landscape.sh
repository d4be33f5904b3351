# SPDX-License-Identifier: GPL-3.0-or-later
cat >two.csv <<'S'
u,time_ms,status
1,2,ok
2,1,ok
3,,runtime_error
S
cat >two.json <<'S'
{"format": "tuning-landscape 1", "name": "two", "flop_per_run": 1e6, "rows": 3,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "time_ms", "status"]}
S
try() {
    opevo landscape --on recorded:two "$@"
    echo "exit status $?"
}
printf 'u=1\nu=9\n' >outside
printf 'u=1\nu=1\n' >twice
printf '# nothing\n' >empty
try --topologies insertion
try --topologies ''
try --nodes some
try --target 101%
try --target 0
try --q 0.5
try --population 4
try --population 0
try --population nowhere
try --population outside
try --population twice
try --population empty
try --population 1 --seed 1 --q 0.5,1
try --population 1 --duplicates again
try --population 1 --lambda 0
printf 'u=3\n' >failed
try --population failed
opevo landscape 'matmul(2,2,2)' --on cpu
echo "exit status $?"
