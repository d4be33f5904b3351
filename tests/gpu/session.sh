#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is measured on a GPU, the most valuable first: session.sh FOLDER SECONDS ENGINES
# FOLDER/programs has opevo, opevo-worker, opevo-evolver where it is built, and test_device_gpu, FOLDER/programs/lib what
# they need beyond the machine's own libraries, FOLDER/programs/network perhaps the library of a network. A job that is
# done has left FOLDER/done/NAME; one that was cut goes on from the store or the recording the next time. Engines share
# the device: they build side by side and measure in turn. With OPEVO_GPU_REHEARSAL it does little of everything.
# session.sh jobs prints the jobs.
#
# Exported variables that are ours are lower case: nvcc reads LIBRARIES and others as its own.
set -u

# Of one trial: such limits are part of what a run is, so they are the same for all of them.
limits="--build-timeout 10 --timeout 2"

matmuls="mm1 mm2 mm3 bmm1 bmm2 bmm3"
convolutions="c1 c2"
kernels="planted nw lud hotspot"
edit_trials=200
few=64
few_convolutions=16 # whose results of 100 million elements are compared with the reference in each trial
many=500
seeds="2 3 4 5"
records=1500
records_more=6000 # about half of the paper's points are rejected before they are built
if [ -n "${OPEVO_GPU_REHEARSAL-}" ]; then
    matmuls="matmul(8,8,8)"
    convolutions=
    kernels=lud
    edit_trials=2
    few=2
    many=4
    seeds=2
    records=3
    records_more=5
fi
operators="$matmuls $convolutions"

# searches OPERATORS TRIALS SEED: one for each way to make kernels.
searches() {
    for op in $1; do
        for template in sketch tiled paper; do
            echo "tune $op $template $2 $3 opevo"
        done
    done
}

# recordings OPERATORS POINTS
recordings() {
    for op in $1; do
        echo "record $op paper $2"
    done
}

# One job a line: what, operator, template, and trials, seed and tuner, or points.
jobs() {
    echo tests
    for kernel in $kernels; do
        echo "edits $kernel simt"
    done
    searches "$matmuls" "$few" 1
    searches "$convolutions" "$few_convolutions" 1
    recordings "$matmuls" "$records"
    searches "$matmuls" "$many" 1
    for op in $operators; do
        echo "tune $op sketch $many 1 ansor"
    done
    searches "$convolutions" "$many" 1
    for seed in $seeds; do
        searches "$operators" "$many" "$seed"
    done
    recordings "$operators" "$records_more"
}

# Only the programs see these libraries: tools of another distribution may not agree with them.
program() {
    name=$1
    shift
    env LD_LIBRARY_PATH="$libraries" "$programs/$name" "$@"
}

# attempt NAME COMMAND...: unless it is done, until the time is over; a command ends within seconds of an interrupt.
attempt() {
    name=$1
    shift
    left=$((end - $(date +%s)))
    if [ -e "$folder/done/$name" ] || [ "$left" -lt 10 ]; then
        return 0
    fi
    begin=$(date +%s)
    if timeout -s INT -k 15 "$left" "$@" >"$folder/logs/$name" 2>"$folder/logs/$name.err"; then
        [ -s "$folder/logs/$name.err" ] || rm "$folder/logs/$name.err"
        mv "$folder/logs/$name" "$folder/done/$name"
        echo "$name: done in $(($(date +%s) - begin)) s"
    else
        echo "$name: $(tail -n 1 "$folder/logs/$name.err")"
    fi
}

# edits KERNEL MACHINE [TRIALS]: a known variant, or a search.
edits() {
    [ ! -e "$programs/opevo-evolver" ] ||
        attempt "$(echo "edits $*" | tr ' :' '--')" "$(dirname "$0")/edits.sh" "$@" ${3:+"$folder/evolve.db"}
}

# job WHAT [OPERATOR TEMPLATE [AMOUNT [SEED TUNER]]]: one line of the above.
job() {
    name=$(echo "$*" | tr ' ' '-')
    what=$1 operator=${2-} template=${3-} amount=${4-} seed=${5-} tuner=${6-}
    case $what in
    tests)
        (cd "$folder" && attempt tests env LD_LIBRARY_PATH="$libraries" "$programs/test_device_gpu")
        return 0
        ;;
    edits)
        edits "$operator" "$template"
        return 0
        ;;
    tune)
        set -- --trials "$amount" --seed "$seed" --tuner "$tuner" --store "$folder/runs.db" \
            --library --finals 3 --rounds 10
        ;;
    record) set -- --sample "$amount" --out "$folder/$operator-$template" ;;
    esac
    # shellcheck disable=SC2086  # a list of words
    attempt "$name" env LD_LIBRARY_PATH="$libraries" "$programs/opevo" "$what" "$operator" --on "$device" \
        --template "$template" --quiet $limits "$@"
}

# Variants of kernels, by processes that do not wait for their turn on the device: so before all others. Code for AMD is
# linked by LLVM's linker, which is not taken along.
edits_on_device() {
    case $device in
    cuda:*)
        for kernel in $kernels; do edits "$kernel" "$device"; done
        edits "${kernels%% *}" "$device" "$edit_trials"
        ;;
    esac
}

# The folders in which machines have the vendors' libraries, separated by colons.
vendor_folders() {
    python3 -c 'import nvidia; print(*nvidia.__path__, sep="\n")' 2>/dev/null |
        while read -r packages; do
            for inside in "$packages"/*/lib; do echo "$inside"; done
        done
    for inside in /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/nvidia/lib64 /opt/rocm/lib; do
        [ ! -d "$inside" ] || echo "$inside"
    done
}

# choose_device: the first GPU, which must be the one that the folder is about.
choose_device() {
    program opevo devices | tee "$folder/devices"
    device=$(awk '/^(cuda|hip):[0-9]/ { print $1; exit }' "$folder/devices")
    if [ -z "$device" ]; then
        echo "Kernels can be measured on no GPU here; the lines above say what is missing." >&2
        return 2
    fi
    title=$(grep "^$device " "$folder/devices")
    if [ -e "$folder/device" ] && [ "$(cat "$folder/device")" != "$title" ]; then
        echo "$folder was measured on $(cat "$folder/device"), and this is $title: move it away." >&2
        return 2
    fi
    echo "$title" >"$folder/device"
}

# session SECONDS ENGINES
session() {
    # Engines heed the end between two batches of trials.
    end=$(($(date +%s) + $1 - 30))
    programs=$folder/programs
    libraries=$({ echo "$programs/lib" && echo "${LD_LIBRARY_PATH-}" && vendor_folders; } | grep . | paste -s -d :)
    export folder end programs libraries device
    export PROGRAM="env LD_LIBRARY_PATH=$libraries $programs/opevo"
    export OPEVO_WORKER="$programs/opevo-worker" XDG_CACHE_HOME="$folder/cache"
    export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS-4}"
    mkdir -p "$folder/done" "$folder/logs" "$folder/cache"
    choose_device || return
    attempt network "$(dirname "$0")/network.sh" run "$programs/network" "$device"
    edits_on_device
    jobs | xargs -P "$2" -L 1 sh "$0" job
}

case $1 in
jobs) jobs ;;
job)
    shift
    job "$@"
    ;;
*)
    folder=$1
    session "$2" "$3"
    ;;
esac
