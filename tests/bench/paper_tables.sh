#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables 1 to 3 of the OpEvo paper on the simulated devices, beside the paper's own numbers, as Markdown.
#
#   tests/bench/paper_tables.sh [TUNER...]      default: gbfs na2c autotvm opevo
#
# Best TFLOP/s after TRIALS (500) trials, mean ± sample standard deviation over RUNS (20) runs from the
# seed SEED (1) on, on THREADS (1) threads. OPEVO names the program, build/opevo if unset. Needs jq.
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
trials=${TRIALS:-500}
runs=${RUNS:-20}
seed=${SEED:-1}
threads=${THREADS:-1}
[ $# -gt 0 ] || set -- gbfs na2c autotvm opevo
command -v jq >/dev/null || {
    echo "paper_tables.sh: install jq" >&2
    exit 2
}

# Device, operator, tuner, mean and deviation of five runs: Gao et al., AAAI 2021, appendix C. The
# header of the third table says "var" where those of the others say "std".
paper="gtx1080ti mm1 gbfs 7.22 0.04
gtx1080ti mm1 na2c 6.39 0.61
gtx1080ti mm1 autotvm 4.86 0.18
gtx1080ti mm1 opevo 6.89 0.58
gtx1080ti mm2 gbfs 7.80 0.57
gtx1080ti mm2 na2c 7.00 0.90
gtx1080ti mm2 autotvm 7.39 0.20
gtx1080ti mm2 opevo 7.90 0.84
gtx1080ti mm3 gbfs 6.98 0.24
gtx1080ti mm3 na2c 6.77 0.25
gtx1080ti mm3 autotvm 6.91 0.21
gtx1080ti mm3 opevo 6.89 0.18
gtx1080ti bmm1 autotvm 4.30 0.47
gtx1080ti bmm1 opevo 5.46 0.02
gtx1080ti bmm2 autotvm 5.11 0.37
gtx1080ti bmm2 opevo 5.65 0.03
gtx1080ti bmm3 autotvm 4.34 0.75
gtx1080ti bmm3 opevo 4.82 0.06
gtx1080ti c1 autotvm 3.36 0.73
gtx1080ti c1 opevo 3.62 0.46
gtx1080ti c2 autotvm 6.33 0.45
gtx1080ti c2 opevo 8.00 0.39
mi50 mm1 gbfs 4.30 0.07
mi50 mm1 na2c 3.94 0.54
mi50 mm1 autotvm 3.44 0.43
mi50 mm1 opevo 4.33 0.16
mi50 mm2 gbfs 6.34 1.10
mi50 mm2 na2c 6.32 0.74
mi50 mm2 autotvm 6.18 0.60
mi50 mm2 opevo 6.90 0.48
mi50 mm3 gbfs 4.82 0.35
mi50 mm3 na2c 4.68 0.34
mi50 mm3 autotvm 4.61 0.19
mi50 mm3 opevo 5.18 0.18
mi50 bmm1 autotvm 6.92 0.62
mi50 bmm1 opevo 7.69 0.43
mi50 bmm2 autotvm 7.15 0.47
mi50 bmm2 opevo 8.03 0.06
mi50 bmm3 autotvm 4.69 0.77
mi50 bmm3 opevo 5.23 0.28
mi50 c1 autotvm 5.60 0.87
mi50 c1 opevo 6.13 0.58
mi50 c2 autotvm 7.97 0.56
mi50 c2 opevo 8.46 0.65"

# quote DEVICE OPERATOR TUNER: the paper's entry.
quote() {
    printf '%s\n' "$paper" | awk -v device="$1" -v operator="$2" -v tuner="$3" '
        $1 == device && $2 == operator && $3 == tuner { entry = $4 " ± " $5 }
        END { print entry ? entry : "-" }'
}

# compared TUNER: whether the paper has entries for it.
compared() {
    printf '%s\n' "$paper" | awk -v tuner="$1" '$3 == tuner { found = 1 } END { exit !found }'
}

# measure DEVICE OPERATOR TUNER: ours, with the optimum of the model first, as "OPTIMUM ENTRY".
measure() {
    "$opevo" tune "$2" --on "sim:$1" --tuner "$3" --trials "$trials" --runs "$runs" \
        --seed "$seed" --threads "$threads" --quiet --json |
        jq -r 'def text: . * 100 | round | "\(. / 100 | floor).\(. % 100 + 100 | tostring[1:])";
            (.optimum / 1000 | text) as $optimum
            | [(.runs // [.])[] | (.best.gflops // 0) / 1000]
            | (add / length) as $mean
            | (map((. - $mean) * (. - $mean)) | add / ([length - 1, 1] | max) | sqrt) as $deviation
            | "\($optimum) \($mean | text) ± \($deviation | text)"'
}

# table TITLE OPERATORS TUNER...
table() {
    title=$1 operators=$2
    shift 2
    rule="|---|---|---|"
    printf '\n**%s**\n\n| device | operator |' "$title"
    for tuner; do
        printf ' `%s` |' "$tuner"
        compared "$tuner" && printf ' paper |' && rule="$rule---|"
        rule="$rule---|"
    done
    printf ' optimum of the model |\n%s\n' "$rule"
    for device in gtx1080ti mi50; do
        for operator in $operators; do
            printf '| %s | %s |' "$device" "$operator"
            for tuner; do
                result=$(measure "$device" "$operator" "$tuner")
                printf ' %s |' "${result#* }"
                compared "$tuner" && printf ' %s |' "$(quote "$device" "$operator" "$tuner")"
            done
            printf ' %s |\n' "${result%% *}"
        done
    done
}

table "Table 1: matrix products" "mm1 mm2 mm3" "$@"
table "Table 2: batches of matrix products" "bmm1 bmm2 bmm3" "$@"
table "Table 3: convolutions" "c1 c2" "$@"
