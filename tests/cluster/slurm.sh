#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm.sh OPEVO: a study as a job array of a real Slurm on this machine, one task killed and requeued. Needs root and
# Debian's slurm-wlm and munge; exit status 77 where they are not.
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/start_slurm.sh"
need sbatch scontrol squeue python3
start_slurm "OverSubscribe=FORCE:4"

make_plan 900
cat >job.sh <<EOF
#!/bin/sh
echo "\${SLURM_RESTART_COUNT:-0}" >>"$folder/started.\$SLURM_ARRAY_TASK_ID"
echo \$\$ >"$folder/pid.\$SLURM_ARRAY_TASK_ID"
export XDG_CACHE_HOME="$folder/cache"
cd "$folder" && exec "$opevo" study plan.json --store study.db --threads 1 --quiet
EOF
job=$(sbatch --parsable --requeue --ntasks=2 --array=1-4 --output="$folder/out.%a" job.sh) || fail "sbatch failed"

# Kill task 2, the second share, once it has committed something and not all.
has_committed() { [ -s study.2-of-4.db ] && "$opevo" runs study.2-of-4.db --json 2>/dev/null | grep -q '"run"'; }
await has_committed && kill -9 "$(cat pid.2)" || fail "task 2 never came to a first commit: $(cat out.2 2>/dev/null)"
has_ended() { scontrol show job "${job}_2" | grep -q 'JobState=\(FAILED\|NODE_FAIL\|COMPLETED\)'; }
await has_ended || fail "task 2 does not end"
"$opevo" study plan.json --store early.db --merge study.*-of-4.db >early.out && fail "nothing was missing after the kill"
grep -q 'missing; the first is number' early.out || fail "what is missing is not said: $(cat early.out)"
scontrol requeue "${job}_2" || fail "task 2 cannot be requeued"

is_empty() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
await is_empty || fail "the queue does not empty: $(squeue)"
for task in 1 2 3 4; do
    grep -q "Slurm array task" "out.$task" || fail "task $task: $(cat "out.$task")"
    grep -q "Slurm step" "out.$task" && fail "the batch script took itself for a rank: $(cat "out.$task")"
done
tail -n 1 started.2 | grep -qx 1 || fail "task 2 was not started again: $(cat started.2)"
grep -q ' 0 stored before' out.2 && fail "task 2 began from nothing: $(cat out.2)"

# Ranks of one step share the work as well.
srun --ntasks=2 --overcommit "$opevo" study plan.json --store step.db --threads 1 --quiet >step.out 2>&1 ||
    fail "srun: $(cat step.out)"
grep -q 'Slurm step rank 1 of 2' step.out || fail "srun: $(cat step.out)"
"$opevo" study plan.json --store step.db --merge >/dev/null || fail "the ranks of srun left runs out"
dump step.db >step.sql

check_merged
cmp alone.sql step.sql || fail "what srun made differs from what one process made"
cat out.2
