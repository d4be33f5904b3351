# SPDX-License-Identifier: GPL-3.0-or-later
# A convolution of 1 x 1 with weights, and a Relu.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
emit() { opevo network model.onnx --threads 1 --finals 0 --quiet "$@"; }
try() { opevo network model.onnx "$@"; [ $? = 2 ] || echo "exit status is not 2"; }
check() { make -s -C "$1" CFLAGS='-O2 -Wall -Wextra -Werror' check | sed 's/largest error.*element/e/'; }
opevo network model.onnx --threads 1 -o untuned | sed 's/; weights in.*//; /layouts of kernels/d'
check untuned
untuned/net --data untuned --profile | awk '{ print NF }' | sort -u
untuned/net --data untuned --profile --time 0.01 | grep -Ec 'tuned ms  step|median of'
# Values that are not numbers, too many or too few are refused.
refused() { untuned/net --data untuned "$@"; [ $? = 2 ] || echo "net: exit status is not 2: $*"; }
for value in x -3 2x '' 1025 99999999999999999999; do refused --threads "$value"; done
for value in abc -1 0 nan inf 1s ''; do refused --time "$value"; done
refused --threads
refused --fast
untuned/net --help | head -1
ls untuned | grep -v '[.]o$' | tr '\n' ' '
echo
# Tuned; then the same from the store, into the same folder.
emit --on cpu --trials 4 --store runs.db -o tuned | grep -c 'kernel'
emit --on cpu --trials 4 --store runs.db -o tuned | sed -n 's/; predicted.*//; 1p'
check tuned
# No trial succeeds: the kernel of the start is taken.
cat >failing-cc <<'S'
#!/bin/sh
for last; do :; done
case "$*" in *-dM*) exec cc "$@" ;; esac
grep -q opevo_probe "$last" && exec cc "$@"
exit 1
S
chmod +x failing-cc
OPEVO_CC="$PWD/failing-cc" emit --on cpu --trials 2 -o failing 2>/dev/null | grep -o '.*succeeded; it has'
check failing
mkdir other
echo mine >other/Makefile
try -o other
cat other/Makefile
mkdir kernels
echo mine >kernels/kernel_000.c
echo mine >kernels/kernel_001.c
try -o kernels
cat kernels/*
# What a library for a CPU does not have stays in its folder, where one for a GPU would replace it.
echo mine >untuned/plan.h
opevo network model.onnx --threads 1 -o untuned >/dev/null
try --on cuda:0 -o untuned
cat untuned/plan.h
check untuned
try -o absent/folder
try -o new --on gpu
try --on cpu
try -o new --trials 5
[ ! -e new ] || echo "a folder was made"
# Another name, in the files and what is built of them; what cannot be one is refused.
opevo network model.onnx --threads 1 --name my_net -o named >/dev/null
check named
ls named | grep my_net | tr '\n' ' '
named/my_net --help | head -1
for name in '' 3d int class time sinf main a-b a2345678901234567890123456; do try --name "$name" -o new; done
try --name my_net
[ ! -e new ] || echo "a folder was made"
# For programs: what is in the folder, and what came of tuning. Kernels are those of this CPU, and times those of today.
plain() { sed 's/_s": [0-9][0-9.e-]*/_s": T/g; s/\(packed\|scratch\)_bytes": [0-9]*/\1_bytes": N/g'; }
opevo network model.onnx --threads 1 -o json --json | plain
emit --on cpu --trials 4 --store runs.db -o json --json | plain
