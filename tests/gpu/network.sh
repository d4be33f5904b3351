#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A small network as a library for a GPU: network.sh make|run FOLDER DEVICE
#
# make writes a model and its library for DEVICE ("cuda:0"), and builds it where there are Python and the vendor's
# compiler; run checks it, times it and prints the time of each step. PROGRAM names opevo (a list of words). CUDA_HOME
# and ROCM_PATH name folders of compilers that are tried first.
set -eu
what=$1 folder=$2 device=$3
cd "$(dirname "$0")/../.."

# Settings of make for the compiler of the device; nothing where there is none.
compiler() {
    case $device in
    cuda:*)
        for root in "${CUDA_HOME-}" /usr/local/cuda \
            "$(dirname "$(dirname "$(command -v nvcc || echo ./none/none)")")"; do
            [ -x "$root/bin/nvcc" ] || continue
            echo "CUDA=$root NVCCFLAGS='-O2 -arch=$architecture'"
            return 0
        done
        ;;
    hip:*)
        for root in "${ROCM_PATH-}" /opt/rocm; do
            [ -x "$root/bin/hipcc" ] || continue
            echo "ROCM=$root"
            return 0
        done
        ;;
    esac
}

make_library() {
    settings=$(compiler)
    if [ -z "$settings" ] || ! command -v make >/dev/null || ! command -v python3 >/dev/null; then
        echo "network.sh: no network without make, Python and the compiler for $device." >&2
        return 1
    fi
    mkdir -p "$folder"
    python3 tests/gpu/make_network.py "$folder/model.onnx" ${OPEVO_GPU_REHEARSAL:+16}
    $PROGRAM network "$folder/model.onnx" --on "$device" -o "$folder/library"
    eval "make -s -j$(nproc) -C '$folder/library' $settings net"
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
make)
    # Code for one kind of GPU; drivers of newer ones translate what is beside it.
    architecture=sm_80
    make_library
    ;;
run)
    architecture=native
    run_library
    ;;
esac
