#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch_slurm.sh OPEVO WORKER: live runs whose workers srun starts, on a real Slurm: at once, after a wait in its queue,
# interrupted there, and cancelled while they measure. Needs root and Debian's slurm-wlm and munge, a C compiler and
# Python 3; exit status 77 where they are not.
worker=$(realpath "$2")
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/start_slurm.sh"
. "$(dirname "$0")/launched.sh"
need srun sbatch scancel squeue python3 cc
start_slurm ""
alone

tune srun.db --workers-from "srun -n3 $worker cpu" --json >srun.out 2>&1 || fail "srun: $(cat srun.out)"
same_trials srun.db "$(cat srun.out)"
counts 3 srun.out || fail "not three workers: $(cat srun.out)"
# By what srun says of their number, a batch is of it.
"$opevo" tune 'matmul(12,8,16)' --on cpu --tuner qgp --trials 4 --precision 20 --finals 0 --quiet --json \
    --workers-from "srun -n3 $worker cpu" >batch.out 2>&1 || fail "srun: $(cat batch.out)"
grep -q '"batch": 3' batch.out || fail "another batch: $(cat batch.out)"

# All processors are taken: the run waits, without a limit, and withdraws its job when it is interrupted.
blocker=$(sbatch --parsable -n4 --output=/dev/null --wrap 'sleep 600') || fail "sbatch failed"
is_blocked() { squeue -h -j "$blocker" -o %T | grep -qx RUNNING; }
await is_blocked || fail "the blocking job does not run"
waits() { squeue -h -t PENDING -o %i | grep -q .; }
is_empty() { [ "$(squeue -h -o %i)" = "$1" ]; }
tune queue.db --workers-from "srun -n2 $worker cpu" >queue.out 2>&1 &
run=$!
await waits || fail "no job waits: $(cat queue.out)"
kill -INT "$(engine_of queue.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt: $(cat queue.out)"
await is_empty "$blocker" || fail "the job is still there: $(squeue)"
grep -q 'queued and waiting' queue.out || fail "what srun said is not printed: $(cat queue.out)"
# So does one whose workers have a command each.
tune queue.db --workers "2*srun -n1 $worker cpu" >queue.out 2>&1 &
run=$!
await waits || fail "no job waits: $(cat queue.out)"
kill -INT "$(engine_of queue.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt: $(cat queue.out)"
await is_empty "$blocker" || fail "a job of a worker is still there: $(squeue)"
tune queue.db --workers-from "srun -n2 $worker cpu" >queue.out 2>&1 &
run=$!
await waits || fail "no job waits: $(cat queue.out)"
scancel "$blocker"
wait $run || fail "after the queue: $(cat queue.out)"
same_trials queue.db "$(cat queue.out)"

# The job is cancelled while it measures: another one is started.
wanted=$((length + 40))
tune cancel.db --workers-from "srun -n2 $worker cpu" >cancel.out 2>&1 &
run=$!
await_trials cancel.db 10 || fail "not ten trials: $(cat cancel.out)"
scancel "$(squeue -h -o %i)"
wait $run || fail "after scancel: $(cat cancel.out)"
same_trials cancel.db "$(cat cancel.out)"
wanted=$length
await is_empty "" || fail "jobs are left: $(squeue)"

# What Slurm refuses is quoted.
tune refused.db --workers-from "srun -p nowhere -n2 $worker cpu" >refused.out 2>&1
[ $? = 2 ] && grep -q 'invalid partition' refused.out || fail "a partition that is not there: $(cat refused.out)"
echo "$length trials by workers of srun, the same as alone"
