#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# rehearsal.sh PROGRAMS STAND_IN: a small GPU session with the programs of a build folder, on the devices of STAND_IN,
# which is a folder of libraries that stand for the vendors'. Killed in the middle and continued, it does each job once;
# the network's library is built by a stand-in of nvcc, and without one the rest is done all the same.
set -eu
build=$1
stand_in=$2
. "$(dirname "$0")/../await.sh"
cd "$(dirname "$0")/../.."
if ! command -v make >/dev/null || ! command -v python3 >/dev/null; then
    echo "skipped: make or python3 is missing"
    exit 77
fi
work=$(mktemp -d)
session=
# Everything that a session has started, whatever its process groups.
end_session() {
    [ -z "$session" ] ||
        awk -v session="$session" '{ sub(/.*[)] /, ""); if ($4 == session) print FILENAME }' /proc/[0-9]*/stat 2>/dev/null |
        tr -dc '0-9\n' | xargs -r kill -9 2>/dev/null || true
    session=
}
trap 'end_session; rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}

# The compiler: kernels and main program become those of the emulation. Like nvcc it takes LIBRARIES for its own.
mkdir -p "$work/cuda/bin"
cat >"$work/cuda/bin/nvcc" <<'EOT'
#!/bin/sh
[ -z "${LIBRARIES-}" ] || {
    echo "nvlink fatal   : Could not open input file '$LIBRARIES'" >&2
    exit 1
}
for word; do
    case $word in
    *.cu) source=$word ;;
    *.o | net) out=${out-$word} ;;
    esac
done
if [ -n "${source-}" ]; then
    exec cc -O1 -DNET_EMULATE -x c -c -o "$out" "$source"
fi
exec cc -O1 -DNET_EMULATE -o "$out" main.o emulate.c libnet.a -lm
EOT
chmod +x "$work/cuda/bin/nvcc"

# One that fails.
mkdir -p "$work/broken/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/broken/bin/nvcc"
chmod +x "$work/broken/bin/nvcc"

# What needs a real device is not rehearsed.
folder=$work/session
mkdir -p "$folder/programs"
ln -s "$build/opevo" "$build/opevo-worker" "$folder/programs"
[ ! -x "$build/opevo-evolver" ] || ln -s "$build/opevo-evolver" "$folder/programs"
printf '#!/bin/sh\necho passed\n' >"$folder/programs/test_device_gpu"
chmod +x "$folder/programs/test_device_gpu"
export OPEVO_GPU_REHEARSAL=1 LD_LIBRARY_PATH="$stand_in" MAKEFLAGS='CFLAGS=-O1\ -DNET_EMULATE'

# rehearse COMPILER: a session in the background
rehearse() {
    CUDA_HOME=$work/$1 setsid tests/gpu/session.sh "$folder" 3000 2 >>"$folder/output" 2>&1 &
    session=$!
}

# number_of SQL
number_of() {
    python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())' \
        "$folder/runs.db" "$1"
}

searched() {
    [ "$(ls "$folder/done" 2>/dev/null | grep -c tune)" -ge 2 ]
}

# A compiler that fails costs the network, and nothing else.
rehearse broken
await searched || fail "no search has ended: $(cat "$folder/output")"
end_session
wait || true
[ ! -e "$folder/done/network" ] || fail "a network without a compiler"

rehearse cuda
wait "$session" || fail "the session failed: $(cat "$folder/output")"
jobs=$(tests/gpu/session.sh jobs)
for job in network $(echo "$jobs" | grep -v '^edits' | tr ' ' '-'); do
    [ -e "$folder/done/$job" ] || fail "$job is not done: $(cat "$folder/logs/$job"* "$folder/output")"
done
repeated=$(sed 's/ in [0-9]* s$//' "$folder/output" | grep ': done$' | sort | uniq -d)
[ -z "$repeated" ] || fail "done twice: $repeated"
grep -q ' 0 of 100 beyond' "$folder/done/network" || fail "the network: $(cat "$folder/done/network")"
runs=$(echo "$jobs" | grep -c '^tune.* 4 ')
[ "$(number_of 'SELECT count(*) FROM runs')" = "$runs" ] || fail "not $runs searches"
[ "$(number_of 'SELECT min(n), max(n) FROM (SELECT count(*) n FROM trials GROUP BY run)')" = "4 4" ] ||
    fail "not four trials each"
[ "$(number_of 'SELECT count(DISTINCT run) FROM finals')" = "$runs" ] || fail "searches without finals"
python3 tests/gpu/summary.py "$folder" >"$work/summary" || fail "no summary"
for template in sketch tiled paper; do
    grep -q "| $template | opevo | 4 | 2 |" "$work/summary" || fail "the summary lacks $template: $(cat "$work/summary")"
done

# Another device under the same name: nothing is mixed.
echo "another GPU" >"$folder/device"
rehearse cuda
! wait "$session" || fail "two devices in one folder"
grep -q 'was measured on another GPU' "$folder/output" || fail "no word of the other device"
