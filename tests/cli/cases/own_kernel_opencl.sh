# SPDX-License-Identifier: GPL-3.0-or-later
# A kernel of the user in OpenCL C, on the first device: killed in the midst of a kernel that hangs and continued from
# its store, recorded, in a study, from a problem of Kernel Tuner, as files that build, and what is refused.
. "${0%/*}/../left.sh"
opevo devices 2>/dev/null | grep -q opencl:0 || { echo "skipped: no OpenCL device: install pocl-opencl-icd" >&2; exit 77; }
cat >add.cl <<'EOT'
__kernel void add(__global const float *a, __global float *c, int n)
{
    int i = get_global_id(0) * items;

    while (items == 4 && i == 0 && *(volatile __global const float *)a >= 0)
        ;
    for (int k = 0; k < items; k++)
        if (i + k < n - (items == 8))
            c[i + k] = 2 * a[i + k];
}
EOT
cat >add.json <<'EOT'
{"tune": {"sizes": {"n": 1000}},
 "buffers": {"a": {"type": "f32", "count": "n", "fill": {"uniform": [0, 1]}}, "c": {"type": "f32", "count": "n"}},
 "steps": [{"launch": "add", "grid": "ceil(n, 16 * items)", "block": 16, "arguments": ["a", "c", {"i32": "n"}]}],
 "outputs": {"c": "exact"}, "bytes": "8 * n"}
EOT
echo '{"items": {"_type": "discrete", "_value": [1, 2, 4, 8]}}' >space.json
tune() { opevo tune "$@" --space space.json --on opencl:0 --tuner grid --finals 0 --quiet; }
hangs() {
    exec opevo tune add.cl --space space.json --on opencl:0 --tuner grid --finals 0 --quiet --trials 4 --timeout 3 \
        --store runs.db "$@"
}
trials() { opevo runs runs.db --json 2>/dev/null | grep -o '"trials": [0-9]*' | grep -o '[0-9]*$'; }
two() { [ "$(trials)" = 2 ]; }
(hangs >/dev/null 2>&1) &
await two || echo "$(trials) trials, not 2"
kill -9 $!
wait $! 2>/dev/null
opevo runs runs.db:1 --trials --csv | cut -d, -f1-2 | sed 1d
(hangs --emit best 2>said) | sed -n '/^results/p; /^4 trials/s/ = .*//p'
cut -c1-80 said
opevo runs runs.db:1 --trials --csv | cut -d, -f1-2 | sed 1d
opevo record add.cl --space space.json --on opencl:0 --all --timeout 1 --out table --quiet >/dev/null 2>&1
sed 1d table.csv | wc -l
echo '{"study": 1, "objectives": [{"on": "opencl:0", "what": "add.cl", "harness": "add.json", "space": "space.json"}], "tuners": ["grid"], "seeds": 1, "budget": {"trials": 2}}' >plan.json
opevo study plan.json --store study.db --quiet >/dev/null && opevo runs study.db --json | grep -c '"objective": "opencl:0:add.cl"'
ls best
(cd best && { command -v make >/dev/null && make -s kernel || cc -std=gnu11 -w -o kernel main.c -l:libOpenCL.so.1 -lm; } && ./kernel | sed "s/[0-9.e+-]* ms/T ms/")
tune add.cl --trials 1 --library
opevo tune add.cl --on cuda:0 --space space.json --trials 1
opevo tune add.cl --on simt --space space.json --trials 1
