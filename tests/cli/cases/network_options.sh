# SPDX-License-Identifier: GPL-3.0-or-later
# Options that would do nothing, and empty parts of lists, are refused.
try() { opevo network model.onnx "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
# A convolution of 1 x 1 with weights, and a Relu.
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
try --threads abc
try --seed xyz
try --threads 3
try --passes --seed 9
try --run x.pb --seed 9
try --quiet
try --shape x=1,,6,6
try --only fold,,drop,
try --only ''
try --without fold,
try --run ,x.pb
ls
# The command that is printed is one for a shell.
for folder in 'sp ace' "it's"; do
    opevo network model.onnx --threads 1 --quiet -o "$folder" | sed -n 's/^build and check it: //p'
done
# Weights that were cut are found by make, by the assembler, and by CMake.
truncate -s -4 'sp ace/weights.bin'
make -C 'sp ace' weights.o 2>&1 | grep damaged | grep -v echo
(cd 'sp ace' && cc -c weights.S -o weights.o 2>/dev/null) || echo refused
cmake -S 'sp ace' -B "$PWD/sp ace/built" 2>&1 | grep -o 'weights.bin is damaged.*'
# All is checked before the model is read, here one that is not there, and a folder is not left behind.
mkdir taken && echo all: >taken/Makefile
early() { opevo network none.onnx "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
early -o taken
early -o nowhere/library
early -o library --on cpu:1
early -o library --on cpu --tuner opeva
early -o library --on cpu --set p=1
early -o library --on cpu --trials 0
early -o library --on cpu --finals many
early -o library --on cpu --worker-timeout 0
early -o library --mixed-devices
early -o library
ls
# A worker that does not greet in time is refused.
opevo network model.onnx --on cpu --threads 1 --trials 1 -o late --workers 'sleep 75' --worker-timeout 0.2 --quiet
echo "status $?"
ls
# On a terminal what takes its time is said.
command -v script >/dev/null || { echo "skipped: script(1) is not installed" >&2; exit 77; }
TERM=xterm script -qec "opevo network model.onnx --threads 1 -o said" /dev/null </dev/null | tr '\r\033' '\n\n' |
    sed -n 's/^\[K\(..*\)/\1/p'
