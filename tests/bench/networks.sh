#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Networks as libraries of opevo beside ONNX Runtime, as Markdown (tests/bench/bench_network.c).
#
#   tests/bench/networks.sh [MODEL.onnx | NAME | GROUP]...      default: light
#
# GROUP is light (the light models of ../shared/onnx, and resnet18), mobile, transformers, recurrent or int8; NAME is a
# model with random weights: resnet18 (tests/bench/network_resnet18.c), KIND of tests/bench/network_mobile.c, or KIND.ROWS
# of tests/bench/network_transformer.c and network_cells.c, as minilm.128 and lstm.64. TRIALS (0: untuned) is the
# number of trials for each task of a network; TUNER (opevo) searches, and the runs are in STORE (build/networks.db), from
# where the same command goes on. ERROR, if set, is that of --error. THREADS ("1 2") are the numbers of threads. Both run
# in ROUNDS (5) alternating processes of SECONDS_EACH (2) on the same cores, the last ones. Of each process the least time
# counts, as others may use the cores too, which NICE ("nice -n -12", say) keeps away: times are the least of all rounds,
# and the ratio is that of each round, its median. Memory, in MB, is what is resident at the end, of ONNX Runtime without
# the model's file. Libraries are built in FOLDER (build/networks). OPEVO names the program, build/opevo if unset;
# build/tests/bench_network and those that make models are beside it. ONNX Runtime takes part where OPEVO_ONNXRUNTIME
# names its library, or after
#   npm install --prefix build/onnxruntime --ignore-scripts onnxruntime-node@1.30.0
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
programs=$(dirname "$opevo")/tests
trials=${TRIALS:-0}
tuner=${TUNER:-opevo}
store=${STORE:-build/networks.db}
threads=${THREADS:-1 2}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-2}
error=${ERROR:-}
nice=${NICE:-}
folder=${FOLDER:-build/networks}
installed=build/onnxruntime/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
[ -n "${OPEVO_ONNXRUNTIME:-}" ] || [ ! -f "$installed" ] || OPEVO_ONNXRUNTIME=$PWD/$installed
export OPEVO_ONNXRUNTIME="${OPEVO_ONNXRUNTIME:-}"
[ -n "$OPEVO_ONNXRUNTIME" ] || echo "networks.sh: ONNX Runtime is skipped; see the head of this file." >&2

# The models of a group, or what is given.
names() {
    case $1 in
    light) echo ../shared/onnx/light/*.onnx resnet18 ;;
    mobile)
        echo mobilenet1 mobilenet2 mobilenet3 efficientnet shufflenet2 detector recogniser face unet keyword
        ;;
    transformers)
        echo minilm.1 minilm.16 minilm.128 minilm.512 bert.1 bert.16 bert.128 bert.512 vit.196
        echo decoder.1 decoder.16 decoder.128 decoder.512
        ;;
    recurrent) echo lstm.64 gru.64 bilstm.64 ;;
    int8)
        for form in qdq qlinear; do
            echo resnet18-$form mobilenet1-$form mobilenet2-$form efficientnet-$form keyword-$form
        done
        ;;
    *) echo "$1" ;;
    esac
}

# file NAME: of a model, which is made if it is not one.
file() {
    made=$folder/$1.onnx
    case $1 in
    *.onnx)
        echo "$1"
        return
        ;;
    resnet18) "$programs/network_resnet18" 1 "$made" ;;
    lstm.* | gru.* | bilstm.*) "$programs/network_cells" "${1%.*}" "${1#*.}" 1 "$made" ;;
    *.*) "$programs/network_transformer" "${1%.*}" "${1#*.}" 1 "$made" ;;
    *) "$programs/network_mobile" "$1" 1 "$made" ;;
    esac
    echo "$made"
}

# cores N: the last N processors that this process may use.
cores() {
    taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
        awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }' | tail -n "$1" | paste -sd,
}

# library MODEL THREADS DIR: made, built and checked. A wrong result is said, and timed all the same.
library() {
    if [ "$trials" -gt 0 ]; then
        tasks=$("$opevo" network "$1" ${error:+--error "$error"} --json | jq '.tasks | length')
        "$opevo" network "$1" ${error:+--error "$error"} --on cpu --tuner "$tuner" --trials $((trials * tasks)) --threads "$2" --store "$store" \
            --quiet -o "$3" >&2
    else
        "$opevo" network "$1" ${error:+--error "$error"} --threads "$2" -o "$3" >&2
    fi
    make -s -j2 -C "$3" net >&2
    "$3/net" --data "$3" >&2 || echo "networks.sh: $1: The library's check fails." >&2
}

# least: the least time of a line of either program, and the memory behind it.
least() { sed -n 's/.*least \([^ ]*\) ms,* *\([0-9.]*\).*/\1 \2/p'; }

# median: of numbers on standard input.
median() { sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

# smallest FIELD FILE
smallest() { cut -d' ' -f"$1" "$2" | sort -g | head -1; }

# round MODEL DIR THREADS: the least times of both, and their memory: "ours theirs ours theirs".
round() {
    on=$(cores "$3")
    ours=$($nice taskset -c "$on" /usr/bin/time -f 'least 0 ms %M' -o "$2/memory" \
        "$2/net" --data "$2" --threads "$3" --time "$seconds" | tail -n 1 | least)
    memory=$(tail -n 1 "$2/memory" | least)
    theirs='- -'
    [ -z "$OPEVO_ONNXRUNTIME" ] ||
        theirs=$($nice taskset -c "$on" "$programs/bench_network" "$1" "$2" "$3" "$seconds" | least)
    echo "${ours% *} ${theirs% *} $(echo "${memory#* }" | awk '{ print $1 * 1.024e-3 }') ${theirs#* }"
}

# row NAME MODEL DIR THREADS
row() {
    : >"$3/times"
    for number in $(seq "$rounds"); do
        round "$2" "$3" "$4" >>"$3/times"
    done
    ours=$(smallest 1 "$3/times")
    if [ -z "$OPEVO_ONNXRUNTIME" ]; then
        printf '| %s | %s | %.4g | | | | |\n' "$1" "$4" "$ours"
        return
    fi
    ratio=$(awk '{ print $2 / $1 }' "$3/times" | median)
    echo "$4 $ratio" >>"$rows"
    printf '| %s | %s | %.4g | %.4g | %.2f | %.3g | %.3g |\n' "$1" "$4" "$ours" "$(smallest 2 "$3/times")" "$ratio" \
        "$(smallest 3 "$3/times")" "$(smallest 4 "$3/times")"
}

mkdir -p "$folder"
rows=$folder/rows
: >"$rows"
models=
[ $# -gt 0 ] || set -- light
for given; do
    models="$models $(names "$given")"
done
printf '| network | threads | opevo, ms | ONNX Runtime, ms | ratio | opevo, MB | ONNX Runtime, MB |\n'
printf '|---|---|---|---|---|---|---|\n'
for n in $threads; do
    for name in $models; do
        model=$(file "$name")
        name=$(basename "$name" .onnx)
        library "$model" "$n" "$folder/$name-$n"
        row "$name" "$model" "$folder/$name-$n" "$n"
    done
done
awk '{ sum[$1] += log($2); count[$1]++; if (!least[$1] || $2 < least[$1]) least[$1] = $2 }
    END { for (n in sum) printf "\nthreads %s: geometric mean of the ratios %.2f, least %.2f\n", n,
        exp(sum[n] / count[n]), least[n] }' "$rows"
