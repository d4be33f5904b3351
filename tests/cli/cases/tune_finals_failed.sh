# SPDX-License-Identifier: GPL-3.0-or-later
# What a search found is printed even if its finals cannot be had: without a worker, and where each finalist fails. The
# store has the faults of workers in finals.
cat >space.json <<'EOF'
{"X": {"_type": "choice", "_value": [1, 2, 3, 4]}}
EOF
cat >worker.sh <<'EOF'
#!/bin/sh
[ ! -e dead ] || exit 1
exec opevo-worker cmd
EOF
cat >bench.sh <<'EOF'
#!/bin/sh
echo >>runs
[ "$(wc -l <runs)" -gt 4 ] || { echo "took $1 ms"; exit 0; }
[ "$END" = fail ] && exit 1
touch dead
kill -9 "$(cut -d ' ' -f 4 /proc/$PPID/stat)"
sleep 5
EOF
chmod 755 worker.sh bench.sh
for END in die fail; do
    export END
    rm -f runs dead run.db
    opevo tune --on 'cmd:./bench.sh {X}' --space space.json --result 'ms:/took ([0-9.]+)/' --tuner grid --trials 4 \
        --finals 2 --rounds 3 --workers ./worker.sh --store run.db --quiet
    echo "status $?"
    opevo runs run.db:1 | grep 'by the worker' | sed 's/ (.*); \([0-9]\)/; \1/; s/[0-9]* faults\{0,1\} of/N faults of/'
    opevo runs run.db:1 --json | grep -c '"measured": 4, "faults": [1-9]' || :
done
