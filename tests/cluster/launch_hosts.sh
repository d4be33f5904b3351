#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch_hosts.sh OPEVO WORKER: a live run whose workers mpirun starts on two hosts, and another whose launcher reaches the
# other host without the environment. Needs root, iproute2, Debian's openmpi-bin, a C compiler and Python 3; exit status 77
# where they are not.
worker=$(realpath "$2")
. "$(dirname "$0")/two_hosts.sh"
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/launched.sh"
need mpirun python3 cc
make_hosts
alone
cat >worker.sh <<EOF
#!/bin/sh
hostname >>"$folder/hosts"
export XDG_CACHE_HOME=$XDG_CACHE_HOME
exec "$worker" "\$@" cpu
EOF
chmod 755 worker.sh
tune_on_a() {
    store=$1
    shift
    on_host_a timeout 1000 "$opevo" tune 'matmul(12,8,16)' --on cpu --tuner random --trials $length --seed 4 --precision 20 \
        --finals 0 --store "$store" --quiet "$@"
}
# The engine listens at this host's own address, and Open MPI hands on what the workers must know.
tune_on_a mpi.db --json --workers-from "$mpirun --host 10.77.0.1:2,10.77.0.2:2 -np 4 $folder/worker.sh" >mpi.out 2>&1 ||
    fail "mpirun: $(cat mpi.out)"
same_trials mpi.db "$(cat mpi.out)"
[ "$(sort hosts | uniq -c | tr -s ' ' | tr '\n' ';')" = " 2 host-a; 2 host-b;" ] || fail "the workers ran on: $(cat hosts)"
counts 4 mpi.out || fail "not four workers: $(cat mpi.out)"

# As ssh does: nothing of the environment arrives, but both hosts have the folder of the file.
rm hosts
cat >remote.sh <<EOF
#!/bin/sh
exec env -i PATH="$PATH" "$folder/agent" 10.77.0.2 "\$@"
EOF
chmod 755 remote.sh
tune_on_a remote.db --workers-address 10.77.0.1 --workers-from "$folder/remote.sh '$folder/worker.sh --connect {file}'" >remote.out 2>&1 ||
    fail "without the environment: $(cat remote.out)"
same_trials remote.db "$(cat remote.out)"
[ "$(cat hosts)" = host-b ] || fail "the worker ran on: $(cat hosts)"
# At loopback nobody else can be reached; the worker says so, and what it says is shown.
tune_on_a loopback.db --workers-address 127.0.0.1 --workers-from "$folder/remote.sh '$folder/worker.sh --connect {file}'" >loopback.out 2>&1
[ $? = 2 ] && grep -q '127.0.0.1:[0-9]*: cannot connect: Connection refused' loopback.out || fail "at loopback: $(cat loopback.out)"
echo "$length trials by workers on two hosts, the same as alone"
