# SPDX-License-Identifier: GPL-3.0-or-later
# Two hosts for the tests of this folder, which are two network namespaces of this machine with a wire between them;
# sourced before study_cluster.sh. Needs root and iproute2.
PATH=$PATH:/usr/sbin:/sbin

a=opevo-a-$$
b=opevo-b-$$
stop() {
    ip netns del "$a" 2>/dev/null
    ip netns del "$b" 2>/dev/null
    rm -rf "$folder"
}

# make_hosts: host-a, 10.77.0.1, and host-b, 10.77.0.2; and `agent HOST COMMAND...`, which stands for ssh
make_hosts() {
    [ "$(id -u)" = 0 ] || skip "network namespaces need root"
    need ip unshare
    trap stop EXIT
    trap 'exit 1' INT TERM
    ip netns add "$a" 2>ip.err && ip netns add "$b" 2>>ip.err || skip "no network namespaces here: $(cat ip.err)"
    ip link add opa$$ netns "$a" type veth peer name opb$$ netns "$b" 2>ip.err || skip "no veth here: $(cat ip.err)"
    ip -n "$a" addr add 10.77.0.1/24 dev opa$$ && ip -n "$b" addr add 10.77.0.2/24 dev opb$$ &&
        ip -n "$a" link set opa$$ up && ip -n "$b" link set opb$$ up &&
        ip -n "$a" link set lo up && ip -n "$b" link set lo up || skip "the namespaces cannot be joined"
    cat >agent <<EOF
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
case \$1 in 10.77.0.1) space=$a name=host-a ;; *) space=$b name=host-b ;; esac
shift
exec ip netns exec \$space unshare --uts sh -c "hostname \$name; \$*"
EOF
    chmod 755 agent
    mpirun="mpirun --allow-run-as-root --oversubscribe --mca plm_rsh_agent $folder/agent --mca btl tcp,self \
        --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24"
}

# on_host_a COMMAND...
on_host_a() {
    ip netns exec "$a" unshare --uts sh -c 'hostname host-a; exec "$@"' sh "$@"
}
