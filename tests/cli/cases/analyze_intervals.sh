# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals of means: runs that are all the same leave a width, and the exact ones are at least as wide.
cat >toy.csv <<'S'
u,time_ms,status
1,1,ok
2,2,ok
3,4,ok
S
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 3,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "time_ms", "status"]}
S
for tuner in grid random; do
    opevo tune --on recorded:toy --tuner $tuner --runs 20 --trials 1 --store runs.db >/dev/null
done
means() { opevo analyze runs.db --csv --at 1 "$@" | grep ',mean,1,' | cut -d, -f 2,7-9 | sort; }
means | cut -d, -f 1-2
means >approximate
means --intervals exact >exact
paste -d, approximate exact | awk -F, '{ print $1, ($4 > $3), ($8 - $7 >= $4 - $3) }'
opevo analyze runs.db --intervals exact | head -n 1 | grep -o 'with exact 95 % intervals'
opevo analyze runs.db --intervals wide
