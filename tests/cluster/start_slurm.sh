# SPDX-License-Identifier: GPL-3.0-or-later
# A real Slurm on this machine for the tests of this folder, with one node of four processors; sourced after
# study_cluster.sh. Needs root and Debian's slurm-wlm and munge.
[ "$(id -u)" = 0 ] || skip "Slurm's own processes need root"
PATH=$PATH:/usr/sbin:/sbin
need munged slurmctld slurmd sinfo

started=
stop() {
    [ -n "$started" ] && kill $started 2>/dev/null && wait $started
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

# start_slurm OPTIONS: with these options of the partition
start_slurm() {
    host=$(hostname -s)
    base=$((20000 + $$ % 20000))
    chmod 755 "$folder"
    mkdir state spool
    head -c 1024 /dev/urandom >munge.key
    chmod 400 munge.key
    cat >slurm.conf <<EOF
ClusterName=opevo
SlurmctldHost=$host
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser=root
SlurmctldPort=$base
SlurmdPort=$((base + 1))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP $1
EOF
    export SLURM_CONF="$folder/slurm.conf"

    munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" \
        >munged.out 2>&1 &
    started="$!"
    slurmctld -D >slurmctld.out 2>&1 &
    started="$started $!"
    slurmd -D >slurmd.out 2>&1 &
    started="$started $!"

    is_up() { sinfo -h -o %T 2>/dev/null | grep -qx idle; }
    end=$(($(date +%s) + 120)) # where Slurm cannot run it never comes up
    until is_up || [ "$(date +%s)" -ge $end ]; do
        sleep 0.2
    done
    is_up || skip "Slurm does not come up here: $(tail -n 3 munged.out slurmctld.log slurmd.log 2>/dev/null)"
}
