# SPDX-License-Identifier: GPL-3.0-or-later
# Parameters of a source, and the best of a stored run: one of a template, and one of the user's source.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
# Which point is the best depends on the machine, and so does what it counts.
prove() {
    opevo prove "$@" >said
    code=$?
    sed 's/[,.].*//' said | tail -1
    echo "exit status $code"
}
cat >mm.c <<'END'
void mm(const float *A, const float *B, float *C, long n)
{
    for (long i = 0; i < n * n; i++)
        C[i] = 0;
    for (long kk = 0; kk < n; kk += TILE)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                for (long k = kk; k < kk + TILE; k++)
                    C[i * n + j] += A[i * n + k] * B[k * n + j];
}
END
cat >mm.json <<'END'
{"buffers": {"A": {"type": "f32", "count": "n*n", "fill": {"uniform": [-1, 1]}},
             "B": {"type": "f32", "count": "n*n", "fill": {"uniform": [-1, 1]}},
             "C": {"type": "f32", "count": "n*n + 0*TILE"}},
 "steps": [{"call": "mm", "arguments": ["A", "B", "C", {"i64": "n"}]}], "default": {"TILE": 2},
 "outputs": {"C": {"relative": 1e-4, "floor": 1}}, "flop": "2*n*n*n", "compiler": ["-O1"],
 "reference": {"computation": "A[i:12, k:12]; B[k, j:12]; C[i, j] = sum(k) A[i, k]*B[k, j]"},
 "tune": {"sizes": {"n": 12}}}
END
echo '{"TILE": {"_type": "discrete", "_value": [2, 4]}}' >space.json
opevo prove mm.c --harness mm.json --set TILE=4 2>&1 | grep -q 'proofs need clang' &&
    { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
prove mm.c --harness mm.json --set TILE=4
# 5 does not divide 12: the kernel reads past the end.
prove mm.c --harness mm.json --set TILE=5
prove mm.c --harness mm.json --set TILE
sed 's/-O1/-ffast-math/' mm.json >fast.json
prove mm.c --harness fast.json --set TILE=4
# Words that begin as some do that only choose how fast it is.
for word in -Ofast -m32 -Wp,-DTILE=5; do
    sed "s/-O1/$word/" mm.json >word.json
    prove mm.c --harness word.json --set TILE=4
done
tune() { opevo tune "$@" --on cpu --finals 0 --precision 50 --timeout 60 --slower 0 --store runs.db --quiet >printed || cat printed; }
tune mm.c --space space.json --trials 2
prove runs.db:1
tune 'conv2d(1,3,5,5,8,3,3,1,1)' --template weights --threads 2 --trials 2
prove runs.db:2
prove runs.db:2 --json | sed 's/,.*/}/'
prove runs.db:3
prove runs.db:1 --set TILE=4
prove absent.db:1
# What a store says is refuted is passed over, and named: the faster of the two, and both.
query() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()' "$@"; }
passed() { opevo prove runs.db:1 "$@" | grep 'passed' | sed 's/[0-9][0-9]*/N/'; }
refuted="SELECT run, point, 'refuted', '{}' FROM trials WHERE run = 1 ORDER BY fitness DESC"
query runs.db "INSERT INTO proofs (run, point, verdict, certificate) $refuted LIMIT 1"
prove runs.db:1
passed
passed --json
query runs.db "INSERT OR REPLACE INTO proofs (run, point, verdict, certificate) $refuted"
prove runs.db:1
