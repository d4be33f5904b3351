# SPDX-License-Identifier: GPL-3.0-or-later
# The tuning of a network, killed while trials are measured and interrupted in the next run: every trial that the store
# had stays as it was and counts, and the interrupted run writes a library that is right.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
. "${0%/*}/../../await.sh"
# A convolution of 1 x 1 with weights, a Relu and a Softmax.
printf '\010\007\072\244\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\012\017\012\001y\022\001z\042\007Softmax\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001z\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
# More trials than are made before the signal.
tune() {
    exec opevo network model.onnx --on cpu --threads 1 --finals 0 --trials 100000 --store runs.db -o library --quiet
}
count() { opevo runs runs.db --json 2>/dev/null | grep -o '"trials": [0-9]*' | awk '{ n += $2 } END { print n + 0 }'; }
reached() { [ "$(count)" -ge "$1" ]; }
# Without the names of columns: a run that nobody has measured yet has none for hosts and devices.
trials() { opevo runs "runs.db:$1" --trials --csv | tail -n +2; }
keep() { for run in 1 2; do trials $run >"kept.$run"; done; }
check_kept() { # what was there is what the store begins with
    for run in 1 2; do
        trials $run | head -n "$(awk 'END { print NR }' kept.$run)" | cmp - kept.$run
    done
}

(tune >words 2>&1) &
await reached 6 || echo "no trials are stored: $(cat words)"
kill -9 $!
wait $! 2>/dev/null
[ ! -e library/net.c ] || echo "a library was written before the kill"
keep
killed=$(count)

(tune >words 2>&1) &
await reached $((killed + 4)) || echo "the run does not go on: $(cat words)"
check_kept
keep
kill -INT $!
wait $!
echo "exit status $?"
check_kept
# Those that were measured out of turn are trials by now.
from_store=$(sed -n 's/.* \([0-9]*\) of them from the store.*/\1/p' words)
[ "${from_store:-0}" -ge "$killed" ] && [ "$from_store" -le $((killed + 32)) ] && echo "all of them from the store"
[ "$(grep -o '[0-9]* trials' words)" = "$(count) trials" ] || echo "the store has $(count) trials: $(cat words)"
make -s -C library check | sed 's/largest error.*element [^,]*/e/'
