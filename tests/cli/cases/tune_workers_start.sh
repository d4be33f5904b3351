# SPDX-License-Identifier: GPL-3.0-or-later
# Workers that are given say what their device is: a run with them begins at the start point of a run without, and one
# goes on with what the other began.
command -v "${OPEVO_CC:-cc}" >/dev/null || { echo "skipped: no C compiler is installed" >&2; exit 77; }
tune() {
    opevo tune 'matmul(128,96,160)' --on cpu --tuner random --precision 0.5 --finals 0 --quiet "$@" >out 2>&1 || cat out
}
tune --trials 2 --store workers.db --workers 'opevo-worker cpu' --workers 'opevo-worker cpu'
tune --trials 4 --store workers.db
tune --trials 4 --store alone.db
opevo runs workers.db:1 --trials --json >workers.json
opevo runs alone.db:1 --trials --json >alone.json
for store in workers alone; do
    grep -o '"origin": "[a-z]*"\|"configuration": {[^}]*}' $store.json >$store.txt
done
cmp workers.txt alone.txt
grep -c configuration alone.txt
grep -m 1 origin alone.txt
# A dry run starts none.
tune --trials 1 --dry-run --workers 'touch started'
ls started 2>/dev/null
tune --trials 1 --threads 1024 --workers 'opevo-worker cpu' | sed 's/[0-9]*\.$/N./'
# One that does not greet in time is refused.
echo '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
opevo tune --on 'cmd:true {X}' --space space.json --trials 1 --workers 'sleep 75' --worker-timeout 0.2 2>&1
echo "status $?"
