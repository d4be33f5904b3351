#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# End-to-end time of AlexNet on simulated devices against trials, by tuner, as Markdown.
#
#   tests/bench/alexnet.sh [TUNER]...      default: opevo autotvm qgp random
#
# The tasks are the convolutions and matrix products of ONNX's light_bvlc_alexnet, batch 1; a convolution of two groups
# is two of half the channels. Pooling, normalisation and activations are not simulated. All tasks of a run share its
# trials by the task scheduler. DEVICES ("gtx1080ti mi50"), TRIALS ("512 1024 2048 4096"), SEEDS (20) and the folder of
# the runs, STORES (build/alexnet), may be set; the same command goes on from there.
set -eu
cd "$(dirname "$0")/../.."
opevo=${OPEVO:-build/opevo}
stores=${STORES:-build/alexnet}
mkdir -p "$stores"
[ $# -gt 0 ] || set -- opevo autotvm qgp random

# run_seeds DEVICE TUNER TRIALS: end-to-end time in ms for each seed, and that of the optimum.
run_seeds() {
    for seed in $(seq "${SEEDS:-20}"); do
        "$opevo" tune 'conv2d(1,3,224,224,96,11,11,4,0)' 'conv2d(1,48,26,26,128,5,5,1,2)' \
            'conv2d(1,256,12,12,384,3,3,1,1)' 'conv2d(1,192,12,12,192,3,3,1,1)' 'conv2d(1,192,12,12,128,3,3,1,1)' \
            'matmul(1,9216,4096)' 'matmul(1,4096,4096)' 'matmul(1,4096,1000)' --weights 1,2,1,2,2,1,1,1 \
            --on "sim:$1" --tuner "$2" --trials "$3" --seed "$seed" --store "$stores/$1-$2-$seed.db" --json --quiet |
            jq -r '[.aim_s * 1e3, .optimum_s * 1e3] | @tsv'
    done
}

for device in ${DEVICES:-gtx1080ti mi50}; do
    printf '\n`sim:%s`, ms: median of %s seeds (quartiles)\n\n| tuner |' "$device" "${SEEDS:-20}"
    for trials in ${TRIALS:-512 1024 2048 4096}; do printf ' %s trials |' "$trials"; done
    printf ' optimum |\n|---|'
    for trials in ${TRIALS:-512 1024 2048 4096} optimum; do printf '%s' '---|'; done
    printf '\n'
    for tuner; do
        printf '| `%s` |' "$tuner"
        for trials in ${TRIALS:-512 1024 2048 4096}; do
            run_seeds "$device" "$tuner" "$trials" | sort -g | awk '
                { time[NR] = $1; optimum = $2 }
                function quantile(p,  x, k) { x = 1 + (NR - 1) * p; k = int(x); return time[k] + (x - k) * (time[k + (k < NR)] - time[k]) }
                END { printf " %.3f (%.3f, %.3f) |", quantile(.5), quantile(.25), quantile(.75); print optimum > "/dev/stderr" }' 2>"$stores/optimum"
        done
        printf ' %.3f |\n' "$(cat "$stores/optimum")"
    done
done
