#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mpirun.sh OPEVO: a study by mpirun on two hosts. Needs root, iproute2 and Debian's openmpi-bin; exit status 77 where
# they are not.
. "$(dirname "$0")/two_hosts.sh"
. "$(dirname "$0")/study_cluster.sh"
need mpirun python3
make_hosts
make_plan $(most 100)
cat >rank.sh <<EOF
#!/bin/sh
hostname >"$folder/host.\$OMPI_COMM_WORLD_RANK"
cd "$folder" && exec "$opevo" study plan.json --store study.db --threads 1 --quiet
EOF
chmod 755 rank.sh
on_host_a timeout 1000 $mpirun --host 10.77.0.1:2,10.77.0.2:2 -np 4 -x XDG_CACHE_HOME=$XDG_CACHE_HOME $folder/rank.sh \
    >mpirun.out 2>&1 || fail "mpirun: $(cat mpirun.out)"
[ "$(sort -u host.* | tr '\n' ' ')" = "host-a host-b " ] || fail "the ranks ran on: $(cat host.*)"
[ "$(grep -c 'Open MPI rank [0-3] of 4' mpirun.out)" = 4 ] || fail "$(cat mpirun.out)"
check_merged
grep 'Open MPI' mpirun.out
