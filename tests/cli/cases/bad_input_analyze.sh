# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo analyze "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
opevo tune mm1 --on sim:gtx1080ti --trials 5 --store runs.db --quiet >/dev/null
printf 'u,time_ms,status\n1,2,ok\n2,1,ok\n' >toy.csv
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 2,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2]}], "columns": ["u", "time_ms", "status"]}
S
try
try absent.db
try toy.csv
: >empty.db
try empty.db
try runs.db more
try runs.db --at 5,3
try runs.db --at 5,
try runs.db --at 0
try runs.db --at many
try runs.db --targets 1.1
try runs.db --targets ''
try runs.db --confidence 1
try runs.db --alpha 0
try runs.db --resamples 5
try runs.db --csv --json
try runs.db --all --json
try runs.db --tuner grid
try runs.db --landscape mm2
try runs.db --objective mm1
try runs.db --objective mm2=sim:gtx1080ti
try runs.db --objective 'sim:gtx1080ti mm1=recorded:absent.csv'
try runs.db --objective 'sim:gtx1080ti mm1=recorded:toy.csv'
try runs.db --objective 'sim:gtx1080ti mm1=sim:gtx1080ti mm2'
try runs.db --quick
ls
