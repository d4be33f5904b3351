# SPDX-License-Identifier: GPL-3.0-or-later
cat >toy.csv <<'S'
u,v,time_ms,status
1,1,8,ok
1,2,4,ok
1,3,5,ok
2,1,3,ok
2,2,2,ok
2,3,,runtime_error
3,1,2.5,ok
3,2,1,ok
3,3,6,ok
4,1,7,ok
4,2,9,ok
4,3,,runtime_error
S
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 12,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3, 4]},
  {"name": "v", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "v", "time_ms", "status"]}
S
for tuner in random grid; do
    opevo tune --on recorded:toy --tuner $tuner --trials 6 --runs 8 --store runs.db --quiet >/dev/null
done
opevo analyze runs.db --objective toy=recorded:toy --at 2,4 >short
opevo analyze runs.db --objective toy=recorded:toy --at 2,4 --all | tee all
echo
head -n -2 short >begin
head -n "$(wc -l <begin)" all | cmp - begin && tail -n 1 short
opevo analyze runs.db --objective toy=recorded:toy --threads 1 --json >one
opevo analyze runs.db --objective toy=recorded:toy --threads 3 --json >three
cmp one three && echo same on any number of threads
opevo analyze runs.db --objective toy=recorded:toy --csv | grep 'random search,,\(mean\|within\|ert\|ecdf_area\)' | head -n 12
opevo analyze runs.db --objective toy=recorded:toy --latex
