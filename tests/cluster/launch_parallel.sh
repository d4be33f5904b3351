#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch_parallel.sh OPEVO WORKER: workers that GNU parallel starts, on this host and through an ssh server of this test on
# the loopback address; and workers that are reached by ssh, of which one is killed, and one refuses its key. Needs a C
# compiler and Python 3; exit status 77 where they are not.
worker=$(realpath "$2")
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/launched.sh"
need python3 cc parallel sshd ssh-keygen
server=
trap 'end_engines; [ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
alone
rm -f started

tune here.db --workers-from "4*parallel -j4 $worker ::: cpu cpu cpu cpu" --json >here.out 2>&1 || fail "parallel: $(cat here.out)"
same_trials here.db "$(cat here.out)"
counts 4 here.out || fail "the number of workers: $(cat here.out)"

ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f other && cp key.pub authorized
for port in $(seq 22022 22032); do
    cat >sshd.conf <<S
Port $port
ListenAddress 127.0.0.1
HostKey $folder/key
AuthorizedKeysFile $folder/authorized
StrictModes no
UsePAM no
PidFile none
SetEnv XDG_CACHE_HOME=$XDG_CACHE_HOME
S
    [ -d /run/sshd ] || mkdir -p /run/sshd 2>/dev/null
    "$(command -v sshd)" -D -f sshd.conf -E sshd.log &
    server=$!
    reach="ssh -p $port -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=$folder/known -o LogLevel=ERROR"
    reached() { $reach -i "$folder/key" 127.0.0.1 true 2>/dev/null || ! kill -0 $server 2>/dev/null; }
    await reached
    $reach -i "$folder/key" 127.0.0.1 true 2>/dev/null && break
    kill $server 2>/dev/null
    server=
done
[ -n "$server" ] || { echo "skipped: no ssh server can be started: $(cat sshd.log)"; exit 77; }

tune there.db --workers-from "parallel --ssh '$reach -i $folder/key' -S 2/127.0.0.1 -j2 $worker --connect {file} ::: cpu cpu" \
    --workers-address 127.0.0.1 >there.out 2>&1 || fail "parallel by ssh: $(cat there.out)"
same_trials there.db "$(cat there.out)"

wanted=100000
tune ssh.db --workers "2*$reach -i $folder/key 127.0.0.1 $worker cpu" \
    --workers "$reach -i $folder/other 127.0.0.1 $worker cpu" >ssh.out 2>&1 &
run=$!
await_trials ssh.db 10 || fail "not ten trials: $(cat ssh.out)"
kill -9 "$(pgrep -P "$(engine_of ssh.db)" -f "$folder/key" | head -1)"
seen=$(trials ssh.db number | wc -l)
await_trials ssh.db "$(on_from "$seen")" || fail "it does not go on: $(cat ssh.out)"
kill -INT "$(engine_of ssh.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt: $(cat ssh.out)"
same_trials ssh.db "$(cat ssh.out)"
grep -q 'Permission denied' ssh.out || fail "nothing is said of a key that is refused: $(cat ssh.out)"
left() { ! pgrep -f "^$worker " >/dev/null; }
await left || fail "workers are left: $(pgrep -af "^$worker ")"
echo "$length trials by workers of parallel and of ssh, the same as alone"
