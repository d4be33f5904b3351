# SPDX-License-Identifier: GPL-3.0-or-later
# nsga2 by two criteria and a requirement, end to end: on a recording, and on a program.
awk 'BEGIN {
    print "{\"tune_params_keys\": [\"bx\", \"by\"], \"tune_params\": {\"bx\": [1, 2, 4, 8, 16, 32], \"by\": [1, 2, 4, 8, 16, 32]},"
    print "\"cache\": {"
    for (i = 0; i < 6; i++) for (j = 0; j < 6; j++)
        printf "\"%d,%d\": {\"bx\": %d, \"by\": %d, \"time\": %g, \"nvml_energy\": %g}%s\n", 2 ^ i, 2 ^ j, 2 ^ i, 2 ^ j,
            10 + (i - 4) ^ 2 + (j - 3) ^ 2 + i * j / 8, 20 + 6 * i + (j - 1) ^ 2, i * j == 25 ? "}}" : ","
}' >cache.json
front() { sed -n '/^front/,$p'; }
recorded() {
    opevo tune --on recorded:cache.json --criteria time,energy --require 'energy<=45' --seed 3 "$@"
}
recorded --tuner nsga2 --set population=8 --trials 24 --store runs.db
# The run goes on where it ended, and its whole space has the front of grid; no trial of it breaks the requirement.
recorded --tuner nsga2 --set population=8 --trials 36 --store runs.db | sed -n '2p'
recorded --tuner nsga2 --set population=8 --trials 36 --threads 2 | front | sed 's/^trial/     /; s/^ *[0-9]* //' >searched
recorded --tuner grid --trials 36 | front | sed 's/^trial/     /; s/^ *[0-9]* //' | cmp - searched
opevo runs runs.db:1 --trials --csv | awk -F, '$2 == "infeasible" && $NF <= 45 || $2 == "ok" && $NF > 45'
opevo runs runs.db:1 --trials --csv | grep -c '^[0-9]*,infeasible,.*,energy<=45 does not hold,'
opevo analyze runs.db --criteria time,energy | sed -n '/^front/,/^$/p'

# A program: the more often it repeats, the longer it takes, and the smaller its error.
cat >bench.sh <<'S'
echo "took $((10 + $1 * $2)) ms"
echo "{\"err\": $(awk "BEGIN { print 1 / ($1 + $2 / 2) }")}"
S
echo '{"n": {"_type": "discrete", "_value": [1, 2, 3, 4, 5]}, "m": {"_type": "discrete", "_value": [1, 2, 4]}}' >space.json
program() {
    opevo tune --on 'cmd:sh bench.sh {n} {m}' --space space.json --result 'ms:/took ([0-9]+)/' --criterion error:json:err \
        --tuner nsga2 --set population=4 --criteria time,error --require 'error<=0.5' --require 'time<22' "$@"
}
program --trials 15 --store programs.db | sed 's/cost [0-9.]* s/cost/'
program --trials 15 --workers 'opevo-worker cmd' --workers 'opevo-worker cmd' 2>/dev/null | front >parallel
program --trials 15 --store programs.db | front | cmp - parallel
program --require 'error<=0.05' --trials 6 --json >failed
echo "exit status $?"
grep -o '"failed": [0-9]*' failed
grep -o '"front": .*' failed
opevo runs programs.db:1 | head -n 1 | grep -o 'criteria=.*; seed 1'
