#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mpirun.sh OPEVO: a study by mpirun on two hosts, which are two network namespaces of this machine. Needs root,
# iproute2 and Debian's openmpi-bin; exit status 77 where they are not.
. "$(dirname "$0")/study_cluster.sh"
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
PATH=$PATH:/usr/sbin:/sbin
need ip mpirun unshare python3

a=opevo-a-$$
b=opevo-b-$$
stop() {
    ip netns del "$a" 2>/dev/null
    ip netns del "$b" 2>/dev/null
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

ip netns add "$a" 2>ip.err && ip netns add "$b" 2>>ip.err || skip "no network namespaces here: $(cat ip.err)"
ip link add opa$$ netns "$a" type veth peer name opb$$ netns "$b" 2>ip.err || skip "no veth here: $(cat ip.err)"
ip -n "$a" addr add 10.77.0.1/24 dev opa$$ && ip -n "$b" addr add 10.77.0.2/24 dev opb$$ &&
    ip -n "$a" link set opa$$ up && ip -n "$b" link set opb$$ up &&
    ip -n "$a" link set lo up && ip -n "$b" link set lo up || skip "the namespaces cannot be joined"

# What stands for ssh: HOST COMMAND...
cat >agent <<EOF
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
case \$1 in 10.77.0.1) space=$a name=host-a ;; *) space=$b name=host-b ;; esac
shift
exec ip netns exec \$space unshare --uts sh -c "hostname \$name; \$*"
EOF
chmod 755 agent
make_plan 300
cat >rank.sh <<EOF
#!/bin/sh
hostname >"$folder/host.\$OMPI_COMM_WORLD_RANK"
cd "$folder" && exec "$opevo" study plan.json --store study.db --threads 1 --quiet
EOF
chmod 755 rank.sh
ip netns exec "$a" unshare --uts sh -c "hostname host-a; exec timeout 100 mpirun --allow-run-as-root --oversubscribe \
    --host 10.77.0.1:2,10.77.0.2:2 -np 4 --mca plm_rsh_agent $folder/agent --mca btl tcp,self \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
    -x XDG_CACHE_HOME=$XDG_CACHE_HOME $folder/rank.sh" >mpirun.out 2>&1 || fail "mpirun: $(cat mpirun.out)"
[ "$(sort -u host.* | tr '\n' ' ')" = "host-a host-b " ] || fail "the ranks ran on: $(cat host.*)"
[ "$(grep -c 'Open MPI rank [0-3] of 4' mpirun.out)" = 4 ] || fail "$(cat mpirun.out)"
check_merged
grep 'Open MPI' mpirun.out
