# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries with kernels for several targets: a convolution of 1 x 1 with weights, and a Relu.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
emit() { opevo network model.onnx --threads 1 --finals 0 --quiet "$@"; }
try() { opevo network model.onnx "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
check() { make -s -C "$1" CFLAGS='-O2 -fno-math-errno -Wall -Wextra -Werror' check | sed 's/largest error.*element/e/; s/kernels for .*/kernels for one/'; }
# Of the same name everywhere, in the order in which they are tried.
opevo network model.onnx --threads 1 --target aarch64,v2,v4,v3 -o all | sed 's/: [0-9.]* MB/: N MB/g'
case $(uname -m) in
x86_64 | aarch64) check all ;;
*) cat <<'T'
kernels for one
y: e, 0 of 144 beyond 1e-3 |e| + 1e-5 max |e|
T
    ;;
esac
ls all | grep -v '[.]o$' | tr '\n' ' '
echo
opevo network model.onnx --threads 1 --target v3,v2 --name two -o two --json | grep -c '"target": "v[23]", '
ls two | grep '^two' | tr '\n' ' '
echo
# Another library takes the place of all of its files, and the reverse.
opevo network model.onnx --threads 1 -o all >/dev/null
ls all | grep -v '[.]o$' | tr '\n' ' '
echo
opevo network model.onnx --threads 1 --target v2 -o all >/dev/null
ls all | grep 'kernel\|for' | grep -v '[.]o$' | tr '\n' ' '
echo
# Files of others stay.
mkdir mine && echo mine >mine/kernel_v2_000.c
try --target v2,v3 -o mine
cat mine/kernel_v2_000.c
# One library for sizes and targets.
printf '\010\007\022\005opevo\072\113\012\014\012\001x\022\001y\042\004Relu\022\001gZ\033\012\001x\022\026\012\024\010\001\022\020\012\005\022\003any\012\002\010\002\012\003\010\200\001b\033\012\001y\022\026\012\024\010\001\022\020\012\005\022\003any\012\002\010\002\012\003\010\200\001B\002\020\015' >sized.onnx
opevo network sized.onnx --threads 1 --dynamic any=1..5 --target v2,v3,v4,aarch64 -o sized >/dev/null
check sized 2>/dev/null | grep -c '0 of'
# Kernels are tuned for what the machine is, and the others are those of the analysis.
emit --target v2,v3,v4,aarch64 --on cpu --trials 4 -o tuned | grep -c 'not tuned on this machine'
check tuned
tuned/net --data tuned --profile --target v2 | awk 'NR > 2 { print $3 }' | sort -u
tuned/net --data tuned --profile | awk 'NR == 3 { print ($3 > 0) }'
# What does not go together, and what no target is.
try --target v3
try --target v3 -o new --freestanding
try --target v3 -o new --on cuda:0
try --target x86 -o new
try --target v3,v3 -o new
case $(uname -m) in
x86_64) try --target aarch64 --on cpu -o new 2>&1 | sed 's/is v[0-9]/is one/; s/add v[0-9]/add one/' ;;
*) echo "opevo network: --target: this machine is one, and kernels are tuned for what they run on: add one to the targets, or leave tuning out." ;;
esac
try --name net_for_v3 -o new
[ ! -e new ] || echo "a folder was made"
