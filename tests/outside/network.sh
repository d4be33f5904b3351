#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network.sh OPEVO PAGE CC CMAKE GENERATOR: the way of docs/how-to/network-library.md (PAGE) from a model to a program that is
# linked to its library, with the commands and the programs of that page as they stand, but with fewer trials; then with
# CMake, two libraries in one program. Programs of the page that tune use what is installed beside OPEVO.
set -eu
opevo=$(realpath "$(command -v "$1")")
page=$(realpath "$2")
cc=$(command -v "$3")
cmake=$4 generator=$5
command -v make >/dev/null || {
    echo "skipped: make is not installed"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

echo 'int main(void) { return 0; }' | "$cc" -fopenmp -x c - -o probe 2>/dev/null || {
    echo "skipped: $cc has no OpenMP, with which the page links"
    exit 77
}

fail() {
    echo "network.sh: $*" >&2
    exit 1
}

# The page says opevo and cc.
mkdir bin
ln -s "$opevo" bin/opevo
printf '#!/bin/sh\nexec "%s" "$@"\n' "$cc" >bin/cc
chmod +x bin/cc
PATH=$scratch/bin:$PATH

# block SECTION START: what is in the first block of a section of the page that begins with the line START.
block() {
    awk -v section="$1" -v start="$2" '
        on { if ($0 == "```") on = 0; else if (on == 1) print; next }
        /^##/ { inside = $0 == section }
        /^```/ { on = inside && $0 == start && !found++ ? 1 : 2 }' "$page" >block
    [ -s block ] || fail "the section $1 of the page has no block $2"
    cat block
}

# What torch.onnx.export writes for a network with the shapes of the page: the mean of each plane of an image, then a Gemm
# whose 1000 rows of weights, each 0.5, -1, 2, are in a file of its own.
printf '\010\007\072\342\001\012\035\012\005image\022\001p\042\021GlobalAveragePool\012\017\012\001p\022\001q\042\007Flatten\012\043\012\001q\012\001w\022\006scores\042\004Gemm\052\015\012\006transB\030\001\240\001\002\022\001g\052J\010\350\007\010\003\020\001B\001wj\036\012\010location\022\022resnet18.onnx.dataj\013\012\006offset\022\0010j\017\012\006length\022\00512000p\001Z\041\012\005image\022\030\012\026\010\001\022\022\012\002\010\001\012\002\010\003\012\003\010\340\001\012\003\010\340\001b\031\012\006scores\022\017\012\015\010\001\022\011\012\002\010\001\012\003\010\350\007B\004\012\000\020\015' >resnet18.onnx
row=0
while [ "$row" -lt 1000 ]; do
    printf '\000\000\000\077\000\000\200\277\000\000\000\100'
    row=$((row + 1))
done >resnet18.onnx.data
# Another network, of which the page has two in one program.
cp resnet18.onnx squeezenet.onnx

block '## Make the library' '```' >make_it.sh
block '## Call it' '```c' >program.c
block '## Call it' '```' >link_it.sh
sh -eu make_it.sh >said 2>&1 || fail "the library: $(cat said)"
grep -q '^scores: .* 0 of 1000 beyond' said || fail "make check says: $(cat said)"
sh -eu link_it.sh || fail "the program of the page cannot be linked"
./program || fail "the program of the page fails"

# Programs that compare: the scores of an image whose planes are 2, 3 and 4 everywhere are 2/2 - 3 + 2*4 = 6.
cat >scores.h <<'EOT'
#define SCORES(PREFIX, FUNCTION, INPUTS, OUTPUTS)                                                  \
    static int FUNCTION(const float *image)                                                        \
    {                                                                                              \
        static float scores[1000];                                                                 \
        const float *inputs[INPUTS] = {image};                                                     \
        float *outputs[OUTPUTS] = {scores};                                                        \
        PREFIX *self = PREFIX##_create(1);                                                         \
                                                                                                   \
        if (!self)                                                                                 \
            return 0;                                                                              \
        PREFIX##_run(self, inputs, outputs);                                                       \
        PREFIX##_destroy(self);                                                                    \
        for (int i = 0; i < 1000; i++) {                                                           \
            if (!(scores[i] > 5.999F && scores[i] < 6.001F))                                       \
                return 0;                                                                          \
        }                                                                                          \
        return 1;                                                                                  \
    }
#define MAIN(CONDITION)                                                                            \
    int main(void)                                                                                 \
    {                                                                                              \
        static float image[3 * 224 * 224];                                                         \
                                                                                                   \
        for (int i = 0; i < 3 * 224 * 224; i++)                                                    \
            image[i] = (float)(2 + i / (224 * 224));                                               \
        return CONDITION ? 0 : 1;                                                                  \
    }
EOT
cat >scores.c <<'EOT'
#include "net.h"
#include "scores.h"
SCORES(net, are_right, NET_INPUTS, NET_OUTPUTS)
MAIN(are_right(image))
EOT
sed 's/program/scores/g' link_it.sh >link_scores.sh
sh -eu link_scores.sh && ./scores || fail "the scores are wrong"

# The page's programs that tune: the verb and Python take the trials of that in C from the store, and all write the same.
few() {
    sed 's/\.trials = 4000/.trials = 6, .no_finals = true/; s/trials=4000/trials=6, finals=0/'
}
prefix=$(dirname "$(dirname "$opevo")")
libraries=$(dirname "$(find "$prefix" -name libopevo.so)")
block '## From a program' '```c' | few >build_network.c
block '## From a program' '```' >build_it.sh
PKG_CONFIG_PATH=$libraries/pkgconfig sh -eu build_it.sh || fail "the program that tunes cannot be linked"
rm -rf resnet18 # what opevo wrote there, and what make did
LD_LIBRARY_PATH=$libraries OPEVO_WORKER=$prefix/bin/opevo-worker ./build_network >said || fail "the program that tunes fails"
grep -c '^[1-6] trials, .* of [12] of 2 kernels$' said | grep -q '^6$' || fail "the program that tunes says: $(cat said)"
tail -n 1 said | grep -q '^2 kernels, 6 trials, predicted latency [0-9.]* ms$' || fail "it ends with: $(cat said)"
mv resnet18 by_c
opevo network resnet18.onnx --on cpu --threads 1 --trials 6 --finals 0 --store runs.db -o by_verb --json --quiet >said
grep -q '"trials": 6, "resumed": 6,' said || fail "the verb measures what the program has: $(cat said)"
diff -r by_c by_verb || fail "the program and the verb write different libraries"
python=$(find "$prefix" -path '*/opevo/_network.py')
if [ -x /usr/bin/python3 ] && [ -n "$python" ]; then
    block '## From a program' '```python' | few >build_network.py
    PYTHONPATH=${python%/opevo/*} OPEVO=$opevo /usr/bin/python3 build_network.py >said || fail "the program in Python fails"
    grep -q 'trials=6, resumed=6,' said || fail "Python measures what the program has: $(cat said)"
    diff -r by_c resnet18 || fail "the program in Python writes another library"
fi

# Two libraries with names of their own.
block '### Several networks in one program' '```' >several.sh
cat >program.c <<'EOT'
#include "resnet18.h"
#include "squeezenet.h"
#include "scores.h"
SCORES(resnet18, are_right, RESNET18_INPUTS, RESNET18_OUTPUTS)
SCORES(squeezenet, are_right_too, SQUEEZENET_INPUTS, SQUEEZENET_OUTPUTS)
MAIN(are_right(image) && are_right_too(image))
EOT
sh -eu several.sh >said 2>&1 || fail "two libraries: $(cat said)"
./program || fail "the scores of two libraries are wrong"
cat >CMakeLists.txt <<'EOT'
cmake_minimum_required(VERSION 3.13)
project(scores C)
enable_testing()
add_subdirectory(resnet18)
add_subdirectory(squeezenet)
add_executable(several program.c)
target_link_libraries(several PRIVATE resnet18 squeezenet)
EOT
"$cmake" -G "$generator" -S . -B build -DCMAKE_C_COMPILER="$cc" >log 2>&1 && "$cmake" --build build >>log 2>&1 ||
    fail "with CMake: $(cat log)"
build/several || fail "the scores are wrong with CMake"
(cd build && ctest) >log 2>&1 && grep -q '100% tests passed.* out of 2' log || fail "ctest: $(cat log)"
