# Several criteria: from a cache, from a program and from a table; requirements, fronts, hypervolume.
cat >cache.json <<'J'
{"tune_params_keys": ["bx"], "tune_params": {"bx": [1, 2, 3, 4, 5, 6]}, "cache": {
"1": {"bx": 1, "time": 6.0, "nvml_energy": 1.0},
"2": {"bx": 2, "time": 5.0, "nvml_energy": 3.0},
"3": {"bx": 3, "time": 4.0, "nvml_energy": 2.0},
"4": {"bx": 4, "time": 3.0, "nvml_energy": 5.0},
"5": {"bx": 5, "time": 2.0, "nvml_energy": 4.0},
"6": {"bx": 6, "time": 1.0, "nvml_energy": 9.0}}}
J
opevo tune --on recorded:cache.json --tuner grid --criteria time,energy --store runs.db
opevo tune --on recorded:cache.json --tuner grid --require 'energy<=4' --require 'time<0.0055' --store runs.db
opevo tune --on recorded:cache.json --tuner random --trials 3 --seed 2 --criteria time,energy --store runs.db --json
# Of several runs, alone and in a store: the front of all, and volumes that are those of analyze.
several() {
    opevo tune --on recorded:cache.json --tuner random --trials 3 --runs 3 --seed 2 --criteria time,energy "$@"
}
several --threads 3
several --store several.db --json >several.json
several --threads 1 --json | cmp - several.json
grep -o '"hypervolume": [0-9.]*' several.json
opevo analyze several.db --criteria time,energy --json >analysis.json
grep -o '"best": 0[0-9.]*' analysis.json
grep -o '"trials": 3, "checkpoint": true, "runs": 3, "mean": [0-9.]*' analysis.json
front() { grep -o '"trial": [0-9]*, "criteria": .*"bx": [0-9]}' "$1"; }
front analysis.json >analyzed
front several.json | cmp - analyzed
# What the user calls time, a store calls the fitness: one run, whichever word is given.
both() { opevo tune --on recorded:cache.json --tuner nsga2 --set population=4 --trials 6 --store words.db "$@"; }
both --criteria time,energy | head -n 2
both --criteria fitness,energy | sed -n '1,2p; /^front/p'
both --criteria energy >/dev/null
opevo runs words.db | grep -o 'criteria=[a-z,]*'
opevo runs words.db:1 | head -n 1 | grep -o 'tuner .*seed 1'
opevo runs words.db --json | grep -o '"settings": "[^"]*"'
opevo analyze words.db --criteria time,energy | grep -o '^nsga2 criteria=[a-z,]*\|^front of.*'
printf 'X,time_ms,status,energy\n1,5,ok,2\n2,4,ok,3\n3,6,ok,1\n' >flops.csv
echo '{"format": "tuning-landscape 1", "name": "flops", "flop_per_run": 1e6, "parameters": [{"name": "X", "type": "int",
 "values": [1, 2, 3]}], "criteria": [{"name": "energy", "unit": "J", "better": "smaller"}]}' >flops.json
opevo tune --on recorded:flops.csv --tuner nsga2 --set population=2 --criteria time,energy --store flops.db | tail -n 5
opevo runs flops.db | grep -o 'criteria=[a-z,]*'
opevo report words.db --criteria time,energy -o words.html >/dev/null
grep -o '"settings": "[^"]*"' words.html
opevo runs runs.db:2 --trials --csv
opevo analyze runs.db --criteria time,energy --tuner grid --budget '' 2>&1 | tail -n 9
printf 'echo "ms 1$1"; echo "{\\"err\\": 0.$1}"\n' >bench.sh
printf '{"X": {"_type": "choice", "_value": [1, 2, 3]}}' >space.json
measure() { opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --result 'ms:/ms ([0-9]+)/' --tuner grid "$@"; }
measure --criterion error:json:err --criterion 'watt,W,larger:/W ([0-9]+)/' --criteria error,time,watt --store p.db | tail -n 4
opevo runs p.db:1 --trials --csv | sed 's/,host,device$//; s/,[^,]*,"[^"]*"$//' | cut -d, -f 1-3,13-
opevo record --from p.db:1 --out table >/dev/null 2>&1
opevo tune --on recorded:table.csv --tuner grid --criteria error,time | tail -n 2
measure --criterion time:json:err --criteria time,fitness --json | sed -n 2p
opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --result 'ms:/ms ([0-9]+)/' --criterion time:json:err \
    --tuner nsga2 --criteria time,fitness --store two.db >/dev/null
opevo runs two.db | grep -o 'criteria=[a-z,]*'
printf 'echo "ms 1$1"; echo "{\\"err\\": [0.$1, null]}"\n' >list.sh
opevo tune --on 'cmd:sh list.sh {X}' --space space.json --result 'ms:/ms ([0-9]+)/' --trials 1 --tuner grid --criterion error:json:err --criteria error,time | tail -n 1
echo
measure --criteria error
measure --criterion fitness:json:err
measure --criterion error:json:a --criterion error:json:b
measure --criterion a:wall --criterion b:wall --criterion c:wall --criterion d:wall
measure --require 'error<1'
measure --criterion error:json:err --require 'error=1'
measure --criterion error:json:err --criteria error,error
opevo tune --on recorded:cache.json --criterion error:json:err
opevo analyze runs.db --criteria time,power
