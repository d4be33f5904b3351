# SPDX-License-Identifier: GPL-3.0-or-later
# A convolution of 1 x 1 with weights, a Relu and a Softmax, tuned for GPUs whose driver and compiler run kernels on the
# processor, where time is counted and the same on every machine.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
folder=$(dirname "$(command -v opevo)")/tests/hw/fake_gpu
[ -d "$folder" ] || { echo "skipped: the stand-in for a GPU is not built" >&2; exit 77; }
printf '\010\007\072\244\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\012\017\012\001y\022\001z\042\007Softmax\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001z\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
tune() { LD_LIBRARY_PATH=$folder opevo network model.onnx --quiet "$@" | sed -n 's/latency\(.*\): .*/latency\1: T/; /trials/p'; }
optimise=-O1
[ -z "${OPEVO_TEST_LONG:-}" ] || optimise=-O2
emulate() { make -s -C "$1" CFLAGS="$optimise -Wall -Wextra -Werror" emulate | sed 's/largest error.*element [^,]*/e/'; }
kernels() { cat "$1"/kernel_*.[ch]* | grep -o 'opevo_computation_[0-9a-f]*(' | sort -u; }
for device in cuda:0 hip:0; do
    echo "$device"
    tune --on $device --trials 8 --store runs.db -o tuned
    tune --on $device --trials 8 --store runs.db -o again
    diff -r tuned again
    emulate tuned
    opevo network model.onnx --on $device -o untuned >/dev/null
    kernels untuned >start
    kernels tuned | grep -v -F -f start >>chosen
    rm -r tuned again untuned
done
[ -s chosen ] || echo "all kernels are those of the start"
opevo runs runs.db | grep -c -e cuda:0:sketch -e hip:0:sketch
# Kernels that are wrong are not taken.
FAKE_GPU_EDIT='expf(|sqrtf(' XDG_CACHE_HOME=$PWD/cache tune --on cuda:0 --trials 8 --store wrong.db -o lib 2>words
sed 's/; the first is .*//' words
emulate lib
