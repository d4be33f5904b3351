# SPDX-License-Identifier: GPL-3.0-or-later
# A kernel of the user: stored and continued, recorded, in a study, as files that build, and what is refused.
cat >add.c <<'EOT'
#include "part.h"
void add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i + block <= n; i += block)
        for (int k = 0; k < block; k++)
            c[i + k] = a[i + k] + b[i + k];
    for (int i = n / block * block; i < n - SHORT; i++)
        c[i] = a[i] + b[i];
}
EOT
echo '#define SHORT (block == 7)' >part.h
cat >add.json <<'EOT'
{"tune": {"sizes": {"n": 1000}},
 "buffers": {"a": {"type": "f32", "count": "n", "fill": {"uniform": [-1, 1]}},
             "b": {"type": "f32", "count": "n", "fill": {"uniform": [-1, 1]}}, "c": {"type": "f32", "count": "n"}},
 "steps": [{"call": "add", "arguments": ["a", "b", "c", {"i32": "n"}]}],
 "outputs": {"c": "exact"}, "flop": "n"}
EOT
echo '{"block": {"_type": "discrete", "_value": [1, 2, 4, 7]}}' >space.json
tune() { opevo tune "$@" --space space.json --on cpu --tuner grid --finals 0 --precision 50 --quiet; }
tune add.c --trials 2 --store runs.db | sed -n '/^results/p; /^2 trials/s/ = .*//p'
tune add.c --trials 4 --store runs.db --emit best 2>said | sed -n '/^4 trials/s/ = .*//p'; cut -c1-90 said
opevo runs runs.db:1 --trials --csv | cut -d, -f1-2 | sed 1d
opevo record add.c --space space.json --on cpu --all --out table --precision 50 --quiet 2>/dev/null >said
sed 1d table.csv | wc -l
echo '{"study": 1, "objectives": [{"on": "cpu", "what": "add.c", "harness": "add.json", "space": "space.json", "precision": 50}], "tuners": ["random"], "seeds": 2, "budget": {"trials": 2}}' >plan.json
opevo study plan.json --store study.db --quiet >/dev/null && opevo runs study.db --json | grep -c '"objective": "cpu:add.c"'
# The roof of the device: measured once, and known to those that read the store.
share() { sed -n 's/^[0-9.]* % of the [0-9.e+]* GFLOP/S of R GFLOP/p'; }
tune add.c --trials 1 --store roof.db | share
opevo runs roof.db:1 | share
opevo runs roof.db:1 --json | grep -c '"share_of_roof": [0-9]'
opevo report roof.db:1 -o page.html >/dev/null && grep -c '"share_of_roof": [0-9]' page.html
ls "$XDG_CACHE_HOME/opevo" | sed -n 's/^roof-.*/kept/p'
ls best
build() {
    command -v make >/dev/null && make -s kernel && return
    for each in kernel reference; do
        cc -O2 -w -c $each.c && objcopy --keep-global-symbol=opevo_$(echo $each | sed s/kernel/run/) $each.o
    done
    cc -o kernel main.c kernel.o reference.o -lm
}
(cd best && build && ./kernel | sed 's/[0-9.e+-]* ms/T ms/')
# Words for the compiler are those of the configuration, and of the default one for what is right, for both objects and
# the program; OpenMP too.
cat >more.c <<'EOT'
#include <omp.h>
void more(const double *a, _Float16 *c, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        c[i] = (_Float16)(a[i] + DELTA + PART * 0 + omp_in_parallel() - sizeof(TYPE));
}
EOT
cat >more.json <<'EOT'
{"tune": {"sizes": {"n": 100}},
 "buffers": {"a": {"type": "f64", "count": "n", "fill": {"uniform": [-1, 1]}}, "c": {"type": "f16", "count": "n"}},
 "steps": [{"call": "more", "arguments": ["a", "c", {"i32": "n"}]}], "outputs": {"c": {"absolute": 1e-3}},
 "compiler": ["-fopenmp", "-DDELTA={block * 0 + 1}", "-DPART={block}", "-DTYPE=unsigned char"]}
EOT
tune more.c --trials 2 --emit more >/dev/null
sed -n 's/PART=[12]/PART=P/; /^OPTIONS/p' more/Makefile; sed -n '/^REF.*OPTIONS/p' more/Makefile
[ -z "$(command -v make)" ] || (cd more && make -s kernel && ./kernel) | sed 's/[0-9.e+-]* ms/T ms/'
# A change of what is included is another kernel.
echo '#define SHORT 0' >part.h
tune add.c --trials 4 | sed -n '/^4 trials/s/ = .*//p'
tune add.c --trials 1 --emit best
tune add.c --trials 1 --template sketch
tune add.c --trials 1 --harness none.json
opevo tune add.c --on cpu --trials 1
opevo tune add.c --on cuda:0 --space space.json --trials 1
opevo tune mm1 --on simt --template matmul-cpu --trials 1
echo "status $?"
