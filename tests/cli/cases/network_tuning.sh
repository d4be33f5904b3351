# SPDX-License-Identifier: GPL-3.0-or-later
# A convolution of 1 x 1 with weights, a Relu and a Softmax: what is said when kernels fail, and what is left behind.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
printf '\010\007\072\244\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\012\017\012\001y\022\001z\042\007Softmax\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001z\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
emit() { opevo network model.onnx --on cpu --threads 1 --finals 0 --quiet "$@"; }
# Nothing is left of a call that is refused.
for wrong in '--trials 1' '--tuner opevoo' '--store absent/runs.db' '--set unknown=1' '--rounds 0'; do
    emit -o new $wrong
    [ $? = 2 ] || echo "$wrong: exit status is not 2"
    [ ! -e new ] || echo "$wrong: a folder was made"
done
mkdir kept
emit -o kept --trials 1
[ -d kept ] || echo "a folder of the user was removed"
# The Softmax fails everywhere: its kernel is that of the start, and the latency is that of the other task.
cat >compiler <<'S'
#!/bin/sh
for word; do
    case $word in *.c) ! grep -q 'exp' "$word" || exit 1 ;; esac
done
exec cc "$@"
S
chmod +x compiler
OPEVO_CC=$PWD/compiler emit --trials 4 --store runs.db -o library 2>words | sed 's/latency of 1 of 2 tasks: [0-9.]* [mun]*s/latency of 1 of 2 tasks: T/; /^library/,$d'
sed 's/ of the compiler.*//' words
make -s -C library CFLAGS='-O2 -Wall -Wextra -Werror' check | sed 's/largest error.*element [^,]*/e/'
opevo report runs.db -o report.html >/dev/null
opevo analyze runs.db >analysis && opevo runs runs.db >runs && grep -c cpu:sketch runs
