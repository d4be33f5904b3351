# SPDX-License-Identifier: GPL-3.0-or-later
# Who measured what: the worker of each trial, workers that did less than was asked of them, other workers than before,
# and several devices in one run, which are refused unless permitted. Hosts and devices are what workers say.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}' >space.json
fake() { # fake HOST DEVICE: a worker elsewhere
    cat >"$1" <<EOS
#!/bin/sh
: >up.$1
exec opevo-worker cmd | sed -u 's/"host":"[^"]*"/"host":"$1"/; s/"device":"[^"]*"/"device":"$2"/'
EOS
    chmod +x "$1"
}
fake node1 'CPU A'
fake node2 'CPU A'
fake node3 'CPU B'
# With $TOGETHER workers, no trial ends before all have started, and then each takes a while.
cat >bench.sh <<'EOS'
while [ "$(ls up.* | wc -l)" -lt "${TOGETHER:-0}" ]; do sleep 0.1; done
[ "${TOGETHER:-0}" = 0 ] || sleep 0.3
echo "$1"
EOS
dead="sh -c 'echo no such host >&2; exit 1'"
tune() {
    opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --result 'score:/([0-9.]+)/' --tuner random --quiet "$@" \
        2>&1 >out
    status=$?
    [ $status = 0 ] || echo "status $status"
}
workers() { opevo runs "$1" | sed -n 's/^[0-9]* trials* by/N trials by/p' | sort; }
echo "== each trial has its host and device"
export TOGETHER=2
tune --trials 8 --store a.db --workers ./node1 --workers ./node2
unset TOGETHER
workers a.db:1
opevo runs a.db:1 --trials --csv | cut -d, -f 1,15- | sed 's/node[12]/node/' | head -n 3
opevo runs a.db:1 --trials --json | grep -c '"trial": .*"host": "node[12]", "device": "CPU A"'
opevo runs a.db:1 --json | grep -c '"state": "ready", "measured": [0-9]*, "faults": 0, "words": ""'
echo "== one of two dead"
tune --trials 4 --store b.db --workers ./node1 --workers "$dead" | sed 's/[0-9]* faults\{0,1\} of/N faults of/'
workers b.db:1 | sed 's/[0-9]* faults\{0,1\} of/N faults of/'
tune --trials 4 --json --workers ./node1 --workers "$dead" >told
grep -o '"words": "the worker sh ended: no such host"' out
echo "== other workers go on"
tune --trials 10 --store b.db --workers ./node2
tune --trials 10 --store b.db --workers ./node2
echo "== two devices"
rm up.*
export TOGETHER=2
tune --trials 12 --store c.db --workers ./node1 --workers ./node3 | sed 's/node[13]/node/g; s/CPU [AB]/CPU/g'
tune --trials 12 --store c.db --workers ./node1 --workers ./node3 --mixed-devices
unset TOGETHER
tune --trials 2 --store d.db --workers ./node1
tune --trials 4 --store d.db --workers ./node3
tune --trials 6 --store d.db --workers ./node3 --mixed-devices
opevo runs d.db:1 | grep 'succeeded on'
echo "== shares of a study keep it"
cat >plan.json <<'EOS'
{"study": 1, "tuners": ["random"], "seeds": 4, "budget": {"trials": 3},
 "objectives": [{"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "score:/([0-9.]+)/",
                 "workers": ["./node1", "./node3"], "mixed-devices": true}]}
EOS
for share in 1 2; do
    rm up.*
    TOGETHER=2 opevo study plan.json --store s.db --shard $share/2 --quiet >/dev/null
done
opevo study plan.json --store s.db --merge --quiet 2>&1 >/dev/null | grep -c 'several devices'
opevo runs s.db | grep 'several devices' | sed 's/([1-4] runs\{0,1\})/(N runs)/g; s/CPU [AB]/CPU/g'
for run in 1 2 3 4; do opevo runs s.db:$run --trials --json | grep -c '"trial": .*"host": "node[13]", "device": "CPU [AB]"'; done
echo "== workers of a study that fail"
cat >plan.json <<EOS
{"study": 1, "tuners": ["random"], "seeds": 2, "budget": {"trials": 3},
 "objectives": [{"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "score:/([0-9.]+)/",
                 "workers": ["./node1", "$dead"]}]}
EOS
count_faults() { sed 's/[0-9]* faults\{0,1\} of/N faults of/'; }
opevo study plan.json --store f.db --quiet --json 2>&1 >out | count_faults
grep -o '"state": "[a-z]*", "measured": [0-9]*, "faults": [0-9]*, "words": "[^"]*"' out | sed 's/"faults": [1-9][0-9]*/"faults": N/'
workers f.db:1 | count_faults
opevo runs f.db:1 --json | grep -c '"state": "suspended", "measured": 0, "faults": [1-9][0-9]*, "words": "the worker sh ended: no such host"'
echo "== all workers lost, and in the store who they were"
opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --trials 4 --store l.db --workers "$dead" --quiet 2>&1 >out
echo "status $?"
workers l.db:1 | count_faults
echo "== a run of another device says of which it is"
command -v "${OPEVO_CC:-cc}" >/dev/null || { echo "measured on DEVICE (HOST): use another store."; exit 0; }
for cold in '' --cold; do
    opevo tune 'matmul(32,32,32)' --on cpu --tuner random --trials 1 --finals 0 --quiet --store k.db $cold 2>&1 >/dev/null |
        sed 's/.*, measured on .* ([^()]*): use/measured on DEVICE (HOST): use/'
done
