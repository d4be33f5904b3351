# SPDX-License-Identifier: GPL-3.0-or-later
# Interrupted or killed, a run leaves no process and no file behind, and goes on as if nothing had been.
. "${0%/*}/../left.sh"
cat >space.json <<'EOF'
{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}
EOF
tune() {
    opevo tune --on "cmd:sh -c 'sleep 0.2; echo 1\$0; sleep 97 &' {X}" --space space.json \
        --result 'ms:/[0-9]+/' --seed 5 --trials 12 "$@"
}
# In the background, as a process of its own.
start() {
    exec opevo tune --on "cmd:sh -c 'sleep 0.2; echo 1\$0; sleep 97 &' {X}" --space space.json \
        --result 'ms:/[0-9]+/' --seed 5 --trials 12 --store runs.db "$@"
}
trials() { opevo runs runs.db --json 2>/dev/null | grep -o '"trials": [0-9]*' | grep -o '[0-9]*$'; }
stored() { [ "$(trials || echo 0)" -ge "$1" ] 2>/dev/null; }
(start >first) &
await stored 2
kill -INT $!
wait $!
echo "exit status $?"
tail -1 first
done=$(trials)
(start >/dev/null) &
await stored $((done + 2))
kill -9 $!
wait $! 2>/dev/null
left 97
tune --store runs.db >resumed
tune >whole
[ "$(tail -2 resumed)" = "$(tail -2 whole)" ] && echo same best
grep -c 'taken from runs.db' resumed
left 97
ls
