# SPDX-License-Identifier: GPL-3.0-or-later
# Shares of a recording, joined, are what one process records, byte for byte: computed, and measured with its samples,
# messages, failures and cut-off words.
without_manifest() { sed '/^ "manifest"/,$d' "$@"; }
same() {
    without_manifest whole.json >whole.described
    cmp whole.csv joined.csv && without_manifest joined.json | sed 's/"name": "joined"/"name": "whole"/' |
        cmp - whole.described && echo the same
}
seed=18446744073709551615
sim() { opevo record c2 --on sim:gtx1080ti --sample 1000 --seed $seed --quiet "$@"; }
sim --out whole >/dev/null
for share in 1 2 3; do
    sim --out joined --shard $share/3 | head -1
done
opevo record --merge --out joined
same
# Joining again changes nothing; shares that are gone are in what was joined.
rm joined.1-of-3.*
opevo record --merge --out joined | head -1
same
# Without one, the whole lacks a third, which the command without shares records.
rm joined.csv joined.json
opevo record --merge --out joined
echo "exit $?"
sim --out joined | head -1
sort whole.csv >whole.sorted
sort joined.csv | cmp - whole.sorted && echo the same rows
opevo record --merge --out joined.csv
rm joined.* whole.*

cat >space.json <<'EOF'
{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}, "W": {"_type": "choice", "_value": ["a", "b, \"c\""]}}
EOF
cat >bench.sh <<'EOF'
#!/bin/sh
[ "$1" = 7 ] && { printf 'out of "luck",\nreally\n' >&2; exit 3; }
echo "took $1.25 us"
EOF
chmod +x bench.sh
run() { opevo record --on 'cmd:./bench.sh {X} {W}' --space space.json --result 'us:/took ([0-9.]+)/' --repeats 3 --all --quiet "$@"; }
run --out whole >/dev/null 2>&1
for share in 1 2 3 4 5; do
    run --out joined --shard $share/5 >/dev/null 2>&1
done
opevo record --merge --out joined joined.*-of-5.csv | head -1
# What a process takes is another time in each: without these two columns.
without_costs() { python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print({k: v for k, v in row.items() if k not in ("compile_ms", "cost_ms")})' "$1"; }
without_costs whole.csv >whole.rows
without_costs joined.csv | cmp - whole.rows && wc -l <whole.rows
# A task of a job array or a rank is a share by itself.
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=5 SLURM_ARRAY_TASK_COUNT=5 run --out joined | head -1
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 run --out joined

# What is not of one recording is not joined, and leaves what is there.
before=$(cksum joined.*)
run --out joined --shard 1/5 --seed 2
run --out joined.1-of-5
run --out other --shard 1/5 --exit 9=rejected >/dev/null 2>&1
opevo record --merge --out joined joined.1-of-5.csv other.1-of-5.csv
run --out second --shard 1/4 >/dev/null 2>&1
opevo record --merge --out joined joined.1-of-5.csv second.1-of-4.csv
opevo record --merge --out joined joined.1-of-5.csv whole.csv
opevo record --merge --out whole.new whole.csv
cp joined.1-of-5.json cut.json
printf '8,1' | cat joined.1-of-5.csv - >cut.csv
opevo record --merge --out new cut.csv
opevo record --merge --out joined --sample 5
opevo record --merge --out nothing
opevo record --merge
opevo record a b --on sim:mi50 --all --out x
run --out joined --shard 0/5
[ "$(cksum joined.*)" = "$before" ] && { ls new.csv nothing.csv x.csv whole.new.csv 2>/dev/null || echo nothing was written; }
