#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_cases.sh OPEVO FOLDER: the single-operator cases of ONNX's backend tests (FOLDER/node) give what is
# expected, before and after the passes; the networks of FOLDER/light are read, and those that take less than five
# seconds of one core, outside the long run two of them, give what is expected.
set -eu
opevo=$1
folder=$2
[ -d "$folder/node" ] || {
    echo "skipped: no ONNX cases in $folder"
    exit 77
}
failed=0
count=0
for case in "$folder"/node/*/; do
    inputs=$(find "$case" -name 'input_*.pb' | sort -V | paste -sd,)
    outputs=$(find "$case" -name 'output_*.pb' | sort -V | paste -sd,)
    count=$((count + 1))
    for passes in '' --passes; do
        "$opevo" network "$case/model.onnx" --run "$inputs" --expect "$outputs" $passes >output 2>&1 || {
            echo "$case $passes: $(cat output)"
            failed=$((failed + 1))
        }
    done
done
echo "$count cases, $failed failed"

# light MODEL [--passes]: element i of the input, of 3 x 224 x 224 = n elements, is i/n.
light() {
    "$opevo" network "$folder/light/light_$1.onnx" --run input.pb --expect "$folder/light/light_$1_output_0.pb" \
        ${2:+"$2"} >output 2>&1 || {
        echo "light_$1 $2: $(cat output)"
        failed=$((failed + 1))
    }
}
for model in "$folder"/light/*.onnx; do
    "$opevo" network "$model" >output || {
        echo "$model was refused"
        failed=$((failed + 1))
    }
done
# The four dimensions, float32, and raw data of 4 n bytes, as the fields of a TensorProto.
perl -e '$n = 3 * 224 * 224;
    print pack("C*", 8, 1, 8, 3, 8, 224, 1, 8, 224, 1, 16, 1, 74, 128, 224, 36), pack("f<*", map { $_ / $n } 0 .. $n - 1)' \
    >input.pb
before="shufflenet squeezenet"
passed=squeezenet
if [ -n "${OPEVO_TEST_LONG:-}" ]; then
    before="bvlc_alexnet densenet121 inception_v1 inception_v2 shufflenet squeezenet zfnet512"
    passed="bvlc_alexnet shufflenet squeezenet"
fi
for model in $before; do
    light "$model" ''
done
for model in $passed; do
    light "$model" --passes
done
[ "$failed" = 0 ]
