# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels that others wrote: proved, tested or refused, and what only a proof finds: a lost term and halves within the
# tolerance, another shape, two faces. Times are left out.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >task.json <<'EOT'
{"buffers": {"A": {"type": "f32", "count": "n * n", "fill": {"uniform": [-1, 1]}},
             "B": {"type": "f32", "count": "n * n", "fill": {"uniform": [-1, 1]}}, "C": {"type": "f32", "count": "n * n"}},
 "steps": [{"call": "mm", "arguments": ["A", "B", "C", {"i32": "n"}]}],
 "outputs": {"C": {"absolute": 2}}, "flop": "2 * n * n * n",
 "reference": {"computation": "A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]"},
 "sets": {"search": [{"sizes": [{"n": 16}], "seeds": [1]}], "selection": [{"sizes": [{"n": 20}], "seeds": [1]}],
          "final": [{"sizes": [{"n": 17}], "seeds": [1]}]},
 "tune": {"sizes": {"n": 32}}, "judge": {"baselines": ["plain.c"], "rounds": 2, "calls": 1}}
EOT
kernel() {
    {
        echo "$2"
        echo 'void mm(const float *A, const float *B, float *C, int n)'
        echo '{'
        echo '    for (int i = 0; i < n; i++)'
        echo '        for (int j = 0; j < n; j++) {'
        echo '            float s = 0;'
        echo '            int end = n;'
        echo "            $3"
        echo '            for (int k = 0; k < end; k++)'
        echo '                s += A[i * n + k] * B[k * n + j];'
        echo "            $4"
        echo '            C[i * n + j] = s;'
        echo '        }'
        echo '}'
    } >"$1"
}
kernel plain.c
opevo prove plain.c --harness task.json 2>&1 | grep -q 'proofs need clang' && { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
kernel term.c '' 'end = n - 1;'
kernel halves.c '#include <string.h>' '' 'unsigned u; memcpy(&u, &s, 4); u &= 0xffff0000u; memcpy(&s, &u, 4);'
kernel shape.c '' 'if (n != 32) end = n - 1;'
kernel faces.c '#ifdef __OPTIMIZE__' '' '' && sed -i '1a\
#define LAST (n - 1)\
#else\
#define LAST n\
#endif' faces.c && sed -i 's/int end = n;/int end = LAST;/' faces.c
kernel known.c '' 'if (__builtin_constant_p(n)) end = n - 1;'
kernel data.c '' 'if (A[0] > 2) end = 0;'
kernel broken.c 'int;;; x'
kernel replay.c 'static int calls;' 'if (i + j == 0) calls++; if (calls > 1) end = 0;'
opevo judge task.json plain.c term.c halves.c shape.c faces.c known.c data.c broken.c replay.c >said
echo "exit status $?"
short() { sed 's/^{"\(kernel\|task\)": "\([^"]*\)".*"verdict": "\([a-z]*\)", "class": "\([a-z-]*\)", "why".*/\2 \3 \4/; s/^{"kernel": "\([^"]*\)", "baseline": \([a-z]*\), "verdict": "\([a-z]*\)".*/\1 \3/'; }
sed '/^{"kernel"/s/, "proof": .*//; /^{"task"/d' said | short
grep -o '"baseline": true, "verdict": "[a-z]*"' said
grep -o '"n=[0-9]* seed=1", "verdict": "[a-z]*"' said | sort | uniq -c | sed 's/^ *//'
tail -1 said | sed 's/"device": "[^"]*", //; s/"peak": [^,]*, //; s/"fastest": "[^"]*", //; s/"ratio.*"sound"/"sound"/; s/: [a-z]*}, "not/: S}, "not/'
# The same as an operation of the server.
printf '%s\n' '{"op": "judge", "task": "task.json", "kernels": ["plain.c", "term.c"], "rounds": 2, "seed": 0}' '{"op": "judge", "task": "task.json"}' '{"op": "judge", "task": "none.json", "kernels": "plain.c"}' |
    opevo serve >said
grep -o '"ok": [a-z]*, "status": 1' said
grep -o '"kernel": "[a-z.]*", "baseline": [a-z]*, "verdict": "[a-z]*"' said
grep -o '"judgement": {"task": "task.json"' said
tail -2 said
# All that are proved; one that is tested; what is not a task; a device without kernels.
opevo judge task.json plain.c >/dev/null
echo "exit status $?"
opevo judge task.json data.c >/dev/null
echo "exit status $?"
sed 's/"reference": {.*/"tune": {"sizes": {"n": 32}}}/' task.json | sed '/"sets"/,$d' >other.json
opevo judge other.json plain.c
opevo judge task.json plain.c --on simt
opevo judge task.json plain.cl
opevo judge task.json
sed 's/"rounds": 2/"rounds": 0/' task.json >rounds.json
opevo judge rounds.json plain.c
