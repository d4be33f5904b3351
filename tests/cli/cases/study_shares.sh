# SPDX-License-Identifier: GPL-3.0-or-later
# Shares: their number is stated where an array does not say it, a share that did its work ends with 0 and the merge
# judges the whole, and a damaged store is named.
echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["mm1", "c1"]}], "tuners": ["random", "opevo"],
 "budget": {"trials": 60}, "seeds": 40}' >plan.json
array() { # array TASK MIN MAX COUNT OPTION...
    task=$1 min=$2 max=$3 count=$4
    shift 4
    env SLURM_ARRAY_TASK_ID="$task" SLURM_ARRAY_TASK_MIN="$min" SLURM_ARRAY_TASK_MAX="$max" \
        SLURM_ARRAY_TASK_COUNT="$count" "$@"
}
shares() { opevo study plan.json --store s.db --dry-run --quiet --shards "$@" 2>&1 | head -n 1; }
echo "== some tasks of 8 again"
for task in 3 4; do array $task 3 4 2 opevo study plan.json --store s.db --quiet --shards 8 | head -n 2; done
array 1 1 2 2 opevo study plan.json --store s.db --quiet --shards 8 | head -n 2
ls s.*
echo "== arrays of ranks"
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1
array 3 3 3 1 opevo study plan.json --store t.db --dry-run --quiet --shards 8 | head -n 1
shares 2
shares 4
array 3 3 3 1 opevo study plan.json --store t.db --dry-run --shards 7
array 5 5 5 1 opevo study plan.json --store t.db --dry-run --shards 8
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
echo "== numbers that do not fit"
shares 8
array 9 9 9 1 opevo study plan.json --store s.db --dry-run --shards 8
array 0 0 3 4 opevo study plan.json --store s.db --dry-run --shards 8
array 3 3 4 2 opevo study plan.json --store s.db --dry-run --shards 4
array 3 3 4 2 opevo study plan.json --store t.db --dry-run
opevo study plan.json --store s.db --dry-run --shards 8 --shard 1/8
opevo study plan.json --store s.db --merge --shards 8
echo "== a share without a success, alone and among others"
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
cat >fail.json <<'EOS'
{"study": 1, "tuners": ["grid"], "seeds": 1, "budget": {"trials": 4},
 "objectives": [{"on": ["cmd:false {X}", "cmd:true {X}"], "space": "space.json", "result": "s:wall"}]}
EOS
for share in 1 2; do
    opevo study fail.json --store f.db --shard $share/2 --quiet 2>/dev/null | sed -n '2,3p'
    opevo study fail.json --store f.db --shard $share/2 --quiet >/dev/null 2>&1
    echo "status $?"
done
opevo study fail.json --store f.db --merge
echo "status $?"
opevo study fail.json --store f.db --merge --json | grep -o '"fruitless": 1'
opevo study fail.json --store whole.db --quiet >/dev/null 2>&1
echo "status of the whole: $?"
tune() { # tune STATUS OPTION...
    wanted=$1
    shift
    "$@" opevo tune --on 'cmd:false {X}' --space space.json --result s:wall --trials 3 --quiet $store >/dev/null 2>&1
    [ $? = "$wanted" ] || echo "status is not $wanted: $store"
}
store=
tune 1 env A=1
tune 1 env OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0
store='--store tune.db'
tune 1 env A=1
tune 0 env OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0
tune 1 env OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0
tune 0 env SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4
echo "== a damaged store"
mkdir merge
for share in 1 2; do opevo study plan.json --store merge/m.db --shard $share/2 --quiet >/dev/null; done
size=$(wc -c <merge/m.2-of-2.db)
dd if=/dev/urandom of=merge/m.2-of-2.db bs=4096 seek=$((size / 8192)) count=12 conv=notrunc 2>/dev/null
opevo study plan.json --store merge/m.db --merge
echo "status $?"
rm merge/m.2-of-2.db
opevo study plan.json --store merge/m.db --merge 2>&1 | head -n 1
