# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels of two threads: another objective than those of one, in the command line, stores, plans, recordings and
# exported kernels.
[ "$(nproc)" -gt 1 ] || { echo 'skipped: this machine has one processor' >&2; exit 77; }
op='matmul(256,64,256)'
tune() { opevo tune "$op" --on cpu --tuner random --trials 6 --finals 0 --precision 50 --slower 0 --quiet --store runs.db "$@" | sed -n '/^cpu/p; s/, .*cost.*//p'; }
tune --threads 2
tune --threads 2
tune
tune --threads 1
opevo runs runs.db | grep -o 'cpu:cpu.*)[a-z=0-9 ]*  random'
opevo runs runs.db:1 --trials --csv | grep -c '""parallel"": [0-4]'
opevo runs runs.db:2 --trials --csv | grep -c '""parallel""'
cat >plan.json <<'EOS'
{"study": 1, "tuners": ["random"], "seeds": 1, "budget": {"trials": 3},
 "objectives": [{"on": "cpu", "what": "matmul(256,64,256)", "threads": 2},
                {"on": "cpu", "what": "matmul(256,64,256)"}]}
EOS
opevo study plan.json --store study.db --quiet >/dev/null 2>&1
opevo runs study.db | grep -o 'cpu:cpu.*)[a-z=0-9 ]*  random'
opevo record "$op" --on cpu --threads 2 --sample 3 --out mm --quiet >/dev/null
grep -o '"objective": "[^"]*"' mm.json
# An exported kernel runs on as many threads, whatever the environment says. Without packing each has the same scratch.
cat >space.json <<'EOS'
{"K": {"_type": "factor", "_value": [64, 3]}, "X": {"_type": "factor", "_value": [256, 4]},
 "Y": {"_type": "factor", "_value": [256, 4]}, "order": {"_type": "permutation", "_value": 3},
 "inner": {"_type": "permutation", "_value": 4}, "pack_a": {"_type": "choice", "_value": [0]},
 "pack_b": {"_type": "choice", "_value": [0]}, "vector": {"_type": "discrete", "_value": [8, 16]},
 "unroll": {"_type": "discrete", "_value": [16, 64]}, "stream": {"_type": "choice", "_value": [0, 1]},
 "parallel": {"_type": "choice", "_value": [1, 2]}, "_constraints": ["X[0] > 1 && Y[0] > 1"]}
EOS
opevo tune "$op" --on cpu --threads 2 --space space.json --trials 2 --finals 0 --precision 50 --slower 0 --quiet --emit kernel >/dev/null
grep -h '^CFLAGS\|THREADS\|^# threads' kernel/* | sed 's/ -mprefer-vector-width=512//'
(cd kernel && cc $(sed -n 's/^CFLAGS = //p' Makefile) -o kernel main.c kernel.c -lm && OMP_NUM_THREADS=1 ./kernel | tail -1)
# What does not go together is refused.
try() { opevo "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try tune "$op" --on cpu --threads 1000 2>&1 | sed 's/use [0-9]*\.$/use so many./' >&2
try tune "$op" --on cpu --threads two
try tune "$op" --on cuda:0 --threads 2
try tune "$op" --on cpu --threads 0 --workers 'opevo-worker cpu'
try record mm1 --on sim:mi50 --threads 2 --sample 3 --out none
sed -i 's/"cpu", "what": "[^"]*"}/"sim:mi50", "what": "mm1", "threads": 2}/' plan.json
try study plan.json --store none.db
ls
