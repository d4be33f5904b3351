# SPDX-License-Identifier: GPL-3.0-or-later
# A space file of each landscape's own does not name contenders; two files on one landscape do.
for n in 8 16; do
    printf '{"u": {"_type": "choice", "_value": [1, 2, 3]}, "v": {"_type": "choice", "_value": [1, %s]}}' $n >s$n.json
    printf '{"u": {"_type": "discrete", "_value": [1, 2, 3]}, "v": {"_type": "choice", "_value": [1, %s]}}' $n >p$n.json
    printf 'u,v,time_ms,status\n1,1,3,ok\n2,1,2,ok\n3,1,5,ok\n1,%s,4,ok\n2,%s,1,ok\n3,%s,6,ok\n' $n $n $n >t$n.csv
    printf '{"format": "tuning-landscape 1", "name": "t%s", "flop_per_run": 1e6, "rows": 6, "parameters": [
 {"name": "u", "type": "int", "values": [1, 2, 3]}, {"name": "v", "type": "int", "values": [1, %s]}],
 "columns": ["u", "v", "time_ms", "status"]}' $n $n >t$n.json
done
plan() { printf '{"study": 1, "objectives": [%s], "tuners": ["random", "grid"], "seeds": 3, "budget": {"trials": 3}}' "$1"; }
plan '{"on": "recorded:t8", "space": "s8.json"}, {"on": "recorded:t16", "space": "s16.json"}' >own.json
plan '{"on": "recorded:t8", "space": "s8.json"}, {"on": "recorded:t8", "space": "p8.json"}' >two.json
for name in own two; do
    opevo study $name.json --store $name.db --quiet >/dev/null
    echo "-- $name"
    opevo analyze $name.db --csv | cut -d, -f 2 | grep -v 'tuner\|search' | sort -u
done
opevo analyze own.db --csv 2>&1 >/dev/null | grep -c community || true
