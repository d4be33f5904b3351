# SPDX-License-Identifier: GPL-3.0-or-later
# What the tolerance of a harness lets through is refuted, and the next trial is the best; the folder has a certificate.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >twice.c <<'END'
void twice(const float *A, float *C, long n)
{
    for (long i = 0; i < n; i++)
        C[i] = 2 * A[i] + (SLOW ? 0 : 1e-6f);
#if SLOW
    for (volatile long k = 0; k < 300000; k++)
        ;
#endif
}
END
cat >twice.json <<'END'
{"buffers": {"A": {"type": "f32", "count": "n", "fill": {"uniform": [-1, 1]}}, "C": {"type": "f32", "count": "n"}},
 "steps": [{"call": "twice", "arguments": ["A", "C", {"i64": "n"}]}], "default": {"SLOW": 1}, "flop": "2*n",
 "outputs": {"C": {"relative": 1e-2, "floor": 1}}, "reference": {"computation": "A[i:64]; C[i] = 2*A[i]"},
 "tune": {"sizes": {"n": 64}}}
END
echo '{"SLOW": {"_type": "discrete", "_value": [0, 1]}}' >space.json
opevo prove twice.c --harness twice.json --set SLOW=1 2>&1 | grep -q 'proofs need clang' &&
    { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
tune() { opevo tune "$@" --on cpu --precision 50 --timeout 60 --slower 0 --quiet --prove; }
tune twice.c --space space.json --trials 2 --finals 2 --rounds 6 --store runs.db >printed
echo "exit status $?"
sed -n 's/^best.* at/best at/p; /^SLOW/p; /^refuted/p; /^proved/p' printed
# The store has it, and says so; the same proof again compares with it.
opevo runs runs.db | grep -c ', refuted '
opevo runs runs.db:1 | grep '^proved\|^refuted'
opevo runs runs.db:1 | sed -n 's/^best.* at/best at/p'
opevo runs runs.db:1 --json | grep -o '"best_trial": [0-9]*, "kernel": "[a-z]*"'
opevo runs runs.db:1 --json | grep -o '"verdict": "[a-z]*", "kernel": "[a-z]*", "configuration": {[^}]*}'
opevo report runs.db:1 -o page.html >said && grep -c '"kernel": "proved"' page.html
opevo prove runs.db:1 --rounding | sed -n 's/^  roundings: .*/bounded/p; /^the certificate/p'
opevo prove runs.db:1 --json | grep -o '"certificate": {[^}]*}'
# A verdict is passed on only for the kernel that was proved: the source is another one, it is gone, and it is as it
# was; then a row says otherwise than its certificate, and has the certificate of another kernel.
verdicts() {
    opevo runs runs.db | grep -o ', \(proved\|refuted\|tested\|proof [a-z ]*[a-z]\) '
    opevo runs runs.db:1 | grep '^proved\|^refuted' | cut -d: -f1
    opevo runs runs.db:1 --json | grep -o '"verdict": "[a-z]*", "kernel": "[a-z ]*"'
    opevo report runs.db:1 -o page.html >said && grep -o '"kernel": "[a-z ]*"' page.html | sort | uniq -c | sed 's/^ *//'
}
query() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()' "$@"; }
cp twice.c kept.c
cp runs.db kept.db
echo "-- another source"
sed -i 's/2 \* A/2.0f * A/' twice.c
verdicts
echo "-- none"
rm twice.c
verdicts
echo "-- as it was, seen from another folder"
mv kept.c twice.c
(cd / && opevo runs "$OLDPWD/runs.db" | grep -o ', refuted ')
echo "-- a row that says otherwise, and one with the certificate of the other"
query runs.db "UPDATE proofs SET verdict = 'proved'"
verdicts
cp kept.db runs.db
query runs.db "UPDATE proofs SET (verdict, certificate) = (SELECT verdict, certificate FROM proofs other WHERE other.point != proofs.point)"
verdicts
cp kept.db runs.db
# Without a proof it is tested.
opevo tune twice.c --space space.json --on cpu --precision 50 --timeout 60 --slower 0 --quiet --seed 2 --trials 1 \
    --store runs.db | sed -n 's/^best.* at/best at/p'
opevo runs runs.db | grep -c ', tested '
tune 'matmul(8,8,8)' --trials 1 --finals 1 --emit folder >printed
echo "exit status $?"
grep '^proved' printed
sed 's/, "elements".*}/}/; s/, "source".*}/}/' folder/kernel.proof
opevo prove folder | sed '/^ /d; s/,.*//; s/  .*//'
# Another kernel under the same certificate.
echo >>folder/kernel.c
opevo prove folder | sed '/^ /d; s/,.*//; s/  .*//'
# Not without finals of kernels.
tune twice.c --space space.json --finals 0
tune twice.c --space space.json --runs 2
opevo tune --on recorded: --prove
