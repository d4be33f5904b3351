# SPDX-License-Identifier: GPL-3.0-or-later
# A fault of the host does not become a trial: the run ends with what to do, all before it is stored, and it goes on from there.
cat >bench.sh <<'S'
[ "$1" != 5 ] || [ -e mended ] || { kill -9 $PPID; sleep 9; }
echo "took 1$1 ms"
S
printf '{"X": {"_type": "discrete", "_value": [%s]}}' "$(seq -s , 8)" >space.json
echo "{\"study\": 1, \"objectives\": [{\"on\": \"cmd:sh $PWD/bench.sh {X}\", \"space\": \"space.json\",
 \"result\": \"ms:/took ([0-9]+)/\"}],
 \"tuners\": [\"grid\"], \"seeds\": 1, \"budget\": {\"trials\": 8}}" >plan.json
tune() { opevo tune --on "cmd:sh $PWD/bench.sh {X}" --space space.json --tuner grid --trials 8 --store runs.db --quiet; }
study() { opevo study plan.json --store runs.db --quiet; }
record() { opevo record --on "cmd:sh $PWD/bench.sh {X}" --space space.json --all --out table --quiet; }
for how in tune study; do
    rm -rf mended runs.db*
    $how >said 2>&1
    echo "exit status $?"
    sed "s/the worker [^ ]*opevo-worker/the worker/; s/^  [0-9]* measurements*:.*); 4 faults/  N measurements: 4 faults/" said
    opevo runs runs.db --json | grep -o '"trials": [0-9]*, "failed": [0-9]*'
    : >mended
    $how >/dev/null
    echo "exit status $?"
    opevo runs runs.db --json | grep -o '"trials": [0-9]*, "failed": [0-9]*'
done
rm mended
record >/dev/null 2>&1
echo "exit status $?"
[ "$(wc -l <table.csv)" -lt 9 ] && : >mended
record | grep -o '8 of 8 points recorded\|0 failed'
# A compiler that the system kills, whatever the kernel.
cat >compiler <<'S'
#!/bin/sh
case "$*" in *-dM*) ;; *) [ ! -e broken ] || kill -9 $$ ;; esac
exec cc "$@"
S
chmod +x compiler
export OPEVO_CC="$PWD/compiler"
: >broken
opevo tune 'matmul(16,16,16)' --on cpu --trials 2 --store cpu.db --quiet >killed 2>&1
echo "exit status $?"
grep -o 'was killed by signal 9 (Killed)' killed
rm broken
opevo tune 'matmul(16,16,16)' --on cpu --trials 2 --finals 0 --store cpu.db --quiet | grep -o '2 trials, 0 failed'
# A program that a batch system ends is run again; one that ends itself so is a failure.
cat >ended.sh <<'S'
[ "$1" != 3 ] || kill -TERM $$
[ "$1" != 5 ] || [ -e ended ] || { : >ended; kill -TERM $$; }
echo "took 1$1 ms"
S
opevo tune --on "cmd:sh $PWD/ended.sh {X}" --space space.json --result 'ms:/took ([0-9]+)/' --tuner grid --trials 8 \
    --finals 0 --quiet 2>/dev/null | grep 'failed\|crashed,' | sed 's/ cost [^;]*;//'
