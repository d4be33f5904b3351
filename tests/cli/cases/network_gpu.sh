# SPDX-License-Identifier: GPL-3.0-or-later
# A convolution of 1 x 1 with weights, and a Relu, as a library for a GPU; no device is needed.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
try() { opevo network model.onnx "$@"; [ $? = 2 ] || echo "exit status is not 2"; }
emulate() { make -s -C "$1" CFLAGS='-O2 -Wall -Wextra -Werror' emulate | sed 's/largest error.*element/e/'; }
for device in cuda:0 hip:0; do
    opevo network model.onnx --on $device -o here | sed 's/; weights in.*//; /layouts of kernels/d'
    emulate here
    ls here | grep -v -e emulated -e '[.]o$' | tr '\n' ' '
    echo
done
here/net_emulated --data here --profile | awk '{ print NF }' | sort -u
refused() { here/net_emulated --data here "$@"; [ $? = 2 ] || echo "net: exit status is not 2: $*"; }
refused --threads x
refused --time -1
here/net_emulated --help | head -1
# What is spoilt is found: other results, or another plan than the kernels are made for.
spoilt() {
    rm -rf spoilt
    cp -r here spoilt
    sed -i "$1" spoilt/net.c
    make -s -C spoilt net_emulated
    spoilt/net_emulated --data spoilt 2>&1 | sed 's/largest error.*element/e/; s/, [1-9][0-9]* of/, N of/'
}
spoilt 's/{NET_WEIGHTS, 0, 0}/{NET_WEIGHTS, 1, 0}/'
spoilt 's/{NET_INPUT, 0, 0}/{NET_ARENA, 64, 0}/'
spoilt 's/{144, 1, 1}/{72, 1, 1}/'
spoilt 's/{1, 1, 1}/{2, 1, 1}/'
# A library for a CPU takes the place of that for a GPU.
opevo network model.onnx --threads 1 -o here >/dev/null
ls here | grep -v -e emulated -e '[.]o$' | tr '\n' ' '
echo
try --on cuda:x -o new
try --on cuda -o new
try --on cuda:0 -o new --store runs.db
try --on hip:0 -o new --threads 2
try --on cuda:0 -o new --error 1e-3
[ ! -e new ] || echo "a folder was made"
