#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is measured on a GPU, the most valuable first: session.sh FOLDER SECONDS ENGINES
# FOLDER/programs has opevo, opevo-worker, opevo-evolver where it is built, and test_device_gpu, FOLDER/programs/lib what
# they need beyond the machine's own libraries, FOLDER/programs/network perhaps the library of a network. A job that is
# done has left FOLDER/done/NAME; one that was cut goes on from the store or the recording the next time. Engines share
# the device: they build side by side and measure in turn.
set -u

# Of one trial: such limits are part of what a run is, so they are the same for all of them.
limits="--build-timeout 10 --timeout 2"

matmuls="mm1 mm2 mm3 bmm1 bmm2 bmm3"
operators="$matmuls c1 c2"
kernels="planted nw lud hotspot"
records=2000
records_more=6000 # about half of the paper's points are rejected before they are built

# One job a line: what, operator, template, and trials and seed, or points.
jobs() {
    for kernel in $kernels; do
        echo "edits $kernel simt"
    done
    for op in $operators; do
        echo "tune $op tiled 64 1"
        echo "tune $op paper 64 1"
    done
    for op in $matmuls; do
        echo "tune $op tiled 500 1"
        echo "tune $op paper 500 1"
    done
    for op in $operators; do
        echo "record $op paper $records"
    done
    for op in c1 c2; do
        echo "tune $op tiled 500 1"
        echo "tune $op paper 500 1"
    done
    for seed in 2 3 4 5; do
        for op in $operators; do
            echo "tune $op paper 500 $seed"
            echo "tune $op tiled 500 $seed"
        done
    done
    for op in $operators; do
        echo "record $op paper $records_more"
    done
}

# Only the programs see these libraries: tools of another distribution may not agree with them.
program() {
    name=$1
    shift
    env LD_LIBRARY_PATH="$LIBRARIES" "$PROGRAMS/$name" "$@"
}

# attempt NAME COMMAND...: unless it is done, until the time is over; a command ends within seconds of an interrupt.
attempt() {
    name=$1
    shift
    left=$((DEADLINE - $(date +%s)))
    if [ -e "$FOLDER/done/$name" ] || [ "$left" -lt 10 ]; then
        return 0
    fi
    if timeout -s INT -k 15 "$left" "$@" >"$FOLDER/logs/$name" 2>"$FOLDER/logs/$name.err"; then
        [ -s "$FOLDER/logs/$name.err" ] || rm "$FOLDER/logs/$name.err"
        mv "$FOLDER/logs/$name" "$FOLDER/done/$name"
        echo "$name: done"
    else
        echo "$name: $(tail -n 1 "$FOLDER/logs/$name.err")"
    fi
}

# edits KERNEL MACHINE [TRIALS]: a known variant, or a search.
edits() {
    name=$(echo "edits $*" | tr ' :' '--')
    [ ! -e "$PROGRAMS/opevo-evolver" ] ||
        attempt "$name" "$(dirname "$0")/edits.sh" "$@" ${3:+"$FOLDER/evolve.db"}
}

# job WHAT OPERATOR TEMPLATE [AMOUNT [SEED]]: one line of the above.
job() {
    name=$(echo "$*" | tr ' ' '-')
    what=$1 operator=$2 template=$3 amount=${4-} seed=${5-}
    if [ "$what" = edits ]; then
        edits "$operator" "$template"
        return 0
    fi
    if [ "$what" = tune ]; then
        set -- --trials "$amount" --seed "$seed" --library --finals 3 --rounds 10 \
            --store "$FOLDER/runs.db"
    else
        set -- --sample "$amount" --out "$FOLDER/$operator-$template"
    fi
    # shellcheck disable=SC2086  # a list of words
    attempt "$name" env LD_LIBRARY_PATH="$LIBRARIES" "$PROGRAMS/opevo" "$what" "$operator" --on "$DEVICE" \
        --template "$template" --quiet $limits "$@"
}

# Variants of kernels, by processes that do not wait for their turn on the device: so before all others. Code for AMD is
# linked by LLVM's linker, which is not taken along.
edits_on_device() {
    case $DEVICE in
    cuda:*)
        for kernel in $kernels; do edits "$kernel" "$DEVICE"; done
        edits planted "$DEVICE" 200
        ;;
    esac
}

# The folders in which machines have the vendors' libraries, separated by colons.
vendor_folders() {
    python3 -c 'import nvidia; print(*nvidia.__path__, sep="\n")' 2>/dev/null |
        while read -r packages; do
            for folder in "$packages"/*/lib; do echo "$folder"; done
        done
    for folder in /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/nvidia/lib64 /opt/rocm/lib; do
        [ ! -d "$folder" ] || echo "$folder"
    done
}

session() {
    mkdir -p "$FOLDER/done" "$FOLDER/logs" "$FOLDER/cache"
    PROGRAMS=$FOLDER/programs
    LIBRARIES=$({ echo "$PROGRAMS/lib" && vendor_folders && echo "${LD_LIBRARY_PATH-}"; } |
        grep . | paste -s -d :)
    # Engines heed the end between two batches of trials.
    DEADLINE=$(($(date +%s) + $1 - 30))
    XDG_CACHE_HOME=$FOLDER/cache
    OPEVO_WORKER=$PROGRAMS/opevo-worker
    PROGRAM="env LD_LIBRARY_PATH=$LIBRARIES $PROGRAMS/opevo"
    OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS-4}
    export FOLDER PROGRAMS LIBRARIES DEADLINE XDG_CACHE_HOME OPEVO_WORKER PROGRAM OPENBLAS_NUM_THREADS
    program opevo devices | tee "$FOLDER/devices"
    DEVICE=$(awk '/^(cuda|hip):[0-9]/ { print $1; exit }' "$FOLDER/devices")
    export DEVICE
    if [ -z "$DEVICE" ]; then
        echo "There is no GPU that kernels can be measured on; the lines above say what is missing." >&2
        return 2
    fi
    title=$(grep "^$DEVICE " "$FOLDER/devices")
    if [ -e "$FOLDER/device" ] && [ "$(cat "$FOLDER/device")" != "$title" ]; then
        echo "$FOLDER was measured on $(cat "$FOLDER/device"), and this is $title: move it away." >&2
        return 2
    fi
    echo "$title" >"$FOLDER/device"
    if [ ! -e "$FOLDER/done/tests" ]; then
        if (cd "$FOLDER" && timeout -k 5 "$1" env LD_LIBRARY_PATH="$LIBRARIES" \
            "$PROGRAMS/test_device_gpu") \
            >"$FOLDER/logs/tests" 2>&1; then
            mv "$FOLDER/logs/tests" "$FOLDER/done/tests"
            echo "tests: passed"
        else
            echo "tests: FAILED, see $FOLDER/logs/tests:"
            tail -n 40 "$FOLDER/logs/tests"
        fi
    fi
    attempt network "$(dirname "$0")/network.sh" run "$FOLDER/programs/network" "$DEVICE"
    edits_on_device
    jobs | xargs -P "$2" -L 1 sh "$0" job
}

if [ "$1" = job ]; then
    shift
    job "$@"
else
    FOLDER=$1
    session "$2" "$3"
fi
