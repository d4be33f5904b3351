# SPDX-License-Identifier: GPL-3.0-or-later
# A plan whose objective is measured by workers: its runs start where those on this device do, not for a device of which
# nothing is known; showing, merging and sharing the plan start no worker that is not needed.
command -v cc >/dev/null || { echo "skipped: no C compiler is installed" >&2; exit 77; }
cat >worker.sh <<'EOF'
#!/bin/sh
echo >>started
exec opevo-worker cpu
EOF
chmod +x worker.sh
plan() {
    cat <<EOF
{"study": 1, "tuners": ["random"], "seeds": 2, "budget": {"trials": 2},
 "objectives": [{"on": "cpu", "what": "matmul(128,96,160)", "template": "sketch", "precision": 20$1}]}
EOF
}
plan '' >here.json
plan ', "workers": ["./worker.sh", "./worker.sh"]' >there.json
plan ", \"workers-from\": \"2*sh -c './worker.sh & ./worker.sh'\"" >launched.json
opevo study there.json --dry-run | grep -c 'would execute: .*worker.sh'
opevo study launched.json --dry-run | grep -c 'would execute: .*worker.sh'
opevo study launched.json --dry-run --json | grep -c '"executes": \["2[*]sh -c '
ls started 2>/dev/null
for plan in here there launched; do
    opevo study $plan.json --store $plan.db --quiet >said || cat said
    opevo runs $plan.db:1 --trials --csv | head -2 | tail -1 | grep -o '"{.*}"' >$plan.start
done
cmp here.start there.start && cmp here.start launched.start && echo the same start
[ -s here.start ] && test -s started && rm started
for share in 1 2; do
    opevo study there.json --store shared.db --shard $share/2 --quiet >said || cat said
done
rm started
opevo study there.json --store shared.db --merge
opevo study there.json --store shared.db --dry-run | tail -1
ls started 2>/dev/null
echo no worker was started for that
