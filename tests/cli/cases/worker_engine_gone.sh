# SPDX-License-Identifier: GPL-3.0-or-later
# A worker that computes reference results for hours ends when its engine is killed.
command -v "${OPEVO_CC:-cc}" >/dev/null || { echo "skipped: no C compiler is installed" >&2; exit 77; }
. "${0%/*}/../../await.sh"
(exec opevo tune 'C[i:64, j:64] = sum(k:64, l:4096, m:4096) A[i,k]*B[j,l]*D[m]' --on cpu --trials 1 --quiet >out 2>&1) &
engine=$!
# computes: its worker has taken .2 s of processor time, which setting up alone does not.
computes() {
    for id in $(grep -ls "^PPid:.$engine\$" /proc/[0-9]*/status | cut -d / -f 3); do
        awk -v least=$(($(getconf CLK_TCK) / 5)) '$2 == "(opevo-worker)" && $14 >= least { found = 1 }
            END { exit !found }' "/proc/$id/stat" 2>/dev/null && return
    done
    return 1
}
gone() { [ ! -e "/proc/$id" ]; }
await computes || cat out
kill -9 $engine
wait $engine 2>/dev/null
await gone && echo "the worker is gone"
