# SPDX-License-Identifier: GPL-3.0-or-later
# workers.sh OPEVO WORKER: a live run whose workers are on two hosts, one of them started by mpirun, and one that dies. Needs
# root, iproute2, Debian's openmpi-bin and a C compiler; exit status 77 where they are not.
worker=$(realpath "$2")
. "$(dirname "$0")/two_hosts.sh"
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/launched.sh"
need mpirun python3 cc
make_hosts

# Each worker leaves its host and its process behind.
cat >worker.sh <<EOF
#!/bin/sh
echo \$$ >>"$folder/started.\$(hostname)"
export XDG_CACHE_HOME=$XDG_CACHE_HOME
exec "$worker" cpu
EOF
chmod 755 worker.sh
# tune STORE OPTIONS...: a run from host-a
tune() {
    store=$1
    shift
    on_host_a timeout 1000 "$opevo" tune 'matmul(12,8,16)' --on cpu --tuner random --trials ${wanted-$length} --seed 4 \
        --precision 20 --finals 0 --store "$folder/$store" --quiet "$@"
}
alone
wanted=100000
tune two.db --workers "$folder/worker.sh" --workers "$mpirun --host 10.77.0.2 -np 1 $folder/worker.sh" \
    --workers "$folder/agent 10.77.0.2 $folder/worker.sh" >two.out 2>&1 &
run=$!
have_started() { [ -s started.host-a ] && [ -s started.host-b ] && [ "$(wc -l <started.host-b)" -ge "$1" ]; }
await have_started 2 || fail "no two workers on host-b: $(cat two.out)"
await_trials two.db 10 || fail "not ten trials: $(cat two.out)"
kill -0 $run 2>/dev/null || fail "it ended too early: $(cat two.out)"
for process in $(cat started.host-b); do
    kill -9 "$process"
done
await have_started 3 || fail "no worker was started again on host-b: $(cat two.out)"
seen=$(trials two.db number | wc -l)
await_trials two.db "$(on_from "$seen")" || fail "it does not go on: $(cat two.out)"
kill -INT "$(engine_of two.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt: $(cat two.out)"

# Whoever measured them, the trials are those of a run on one host, and none was lost.
same_trials two.db "$(cat two.out)"
[ "$(wc -l <alone.trials)" = $length ] || fail "only $(wc -l <alone.trials) trials"
echo "$length trials by $(cat started.host-* | wc -l) workers on two hosts, of which two were killed"
