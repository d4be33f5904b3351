#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A small network as a library for a GPU: network.sh make|run FOLDER DEVICE
#
# make writes a model and its library for DEVICE ("cuda:0"), and builds it where there are Python and the vendor's
# compiler; run checks it, times it and prints the time of each step. PROGRAM names opevo (a list of words).
set -eu
what=$1 folder=$2 device=$3
cd "$(dirname "$0")/../.."

# Settings of make for the compiler of the device; nothing where there is none.
compiler() {
    case $device in
    cuda:*)
        for root in /usr/local/cuda "$(dirname "$(dirname "$(command -v nvcc || echo ./none/none)")")"; do
            [ -x "$root/bin/nvcc" ] || continue
            # Code for one kind of GPU; drivers of newer ones translate what is beside it.
            echo "CUDA=$root NVCCFLAGS='-O2 -arch=sm_80'"
            return 0
        done
        ;;
    hip:*) [ ! -x /opt/rocm/bin/hipcc ] || echo "ROCM=/opt/rocm" ;;
    esac
}

make_library() {
    settings=$(compiler)
    if [ -z "$settings" ] || ! command -v make >/dev/null || ! command -v python3 >/dev/null; then
        echo "network.sh: no network without make, Python and the compiler for $device." >&2
        return 1
    fi
    mkdir -p "$folder"
    python3 tests/gpu/make_network.py "$folder/model.onnx"
    $PROGRAM network "$folder/model.onnx" --on "$device" -o "$folder/library"
    eval "make -s -j4 -C '$folder/library' $settings net"
    rm -f "$folder"/library/*.o "$folder"/library/*.a
}

run_library() {
    case $device in
    cuda:*) ending=cu ;;
    *) ending=hip ;;
    esac
    if [ ! -x "$folder/library/net" ] || [ ! -e "$folder/library/move.$ending" ]; then
        make_library
    fi
    for option in "" "--time 3" "--profile"; do
        # shellcheck disable=SC2086  # words
        "$folder/library/net" --data "$folder/library" $option
    done
}

case $what in
make) make_library ;;
run) run_library ;;
esac
