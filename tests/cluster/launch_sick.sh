#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch_sick.sh OPEVO WORKER: of two hosts whose workers connect, one is in trouble: it is left alone after five times,
# while the other measures; alone it is not held. Needs Python 3; exit status 77 without it.
worker=$(realpath "$2")
relay=$(realpath "$(dirname "$0")/relay.py")
. "$(dirname "$0")/study_cluster.sh"
need python3
trap 'rm -rf "$folder"' EXIT
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]}}' >space.json
# The first trial ends when the sick host has been tried.
cat >bench.sh <<'S'
touch measures
until [ "$(cat tried | wc -l)" -ge 5 ]; do sleep 0.05; done
sleep 0.1
echo "$1"
S
cat >both.sh <<S
python3 $relay sound a - $worker cmd &
until [ -e measures ]; do sleep 0.05; done
python3 $relay sick b tried $worker cmd &
wait
S
: >tried
timeout 300 "$opevo" tune --on 'cmd:sh bench.sh {X}' --space space.json --result 'score:/([0-9.]+)/' --tuner random --trials 20 \
    --workers-from '2*sh both.sh' --quiet --json --store runs.db >out 2>err || fail "the run: $(cat err)"
[ "$(wc -l <tried)" = 5 ] || fail "the sick host was set up $(wc -l <tried) times"
grep -q '"host": "b".*"state": "suspended", "measured": 0, "faults": 5, "words": "[^"]*the disk of this host is full' out ||
    fail "what is said of it: $(cat out)"
"$opevo" runs runs.db:1 | grep -q '^20 trials by the worker .* (a: ' || fail "who measured: $("$opevo" runs runs.db:1)"
: >tried
timeout 300 "$opevo" tune --on 'cmd:echo {X}' --space space.json --trials 2 --workers-from "python3 $relay sick b tried $worker cmd" \
    --worker-timeout 5 --quiet >out 2>err &
run=$!
more() { [ "$(wc -l <tried)" -gt 6 ] || ! kill -0 $run 2>/dev/null; }
await more
[ "$(wc -l <tried)" -gt 6 ] || fail "alone it was set up $(wc -l <tried) times: $(cat err)"
kill $run
wait $run
echo "a host in trouble is held after five times while another measures"
