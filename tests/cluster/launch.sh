#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch.sh OPEVO WORKER: live runs whose workers one command starts, here by loops of a shell: who is killed, who lies,
# and what is left behind. Needs a C compiler and Python 3; exit status 77 where they are not.
worker=$(realpath "$2")
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/launched.sh"
need python3 cc
trap 'end_engines; rm -rf "$folder"' EXIT
alone

# A loop, whose workers find their engine by their environment; its token is in no command line. It goes on until it is
# interrupted.
wanted=100000
tune loop.db --workers-from "$folder/loop.sh 3" >loop.out 2>&1 &
run=$!
await_trials loop.db 10 || fail "not ten trials: $(cat loop.out)"
engine=$(environment_of OPEVO_CONNECT) token=$(environment_of OPEVO_TOKEN)
[ "${#token}" = 32 ] || fail "no token in the environment of a worker"
[ "${engine%:*}" = 127.0.0.1 ] || fail "the engine listens at $engine"
token=$token python3 - <<'EOF' || fail "the token is in a command line"
import glob, os
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        line = open(path, "rb").read()
    except OSError:
        continue
    assert os.environ["token"].encode() not in line, line
EOF
for process in $(pgrep -P "$(head -1 started)" -f opevo-worker); do
    tr '\0' '\n' <"/proc/$process/environ" | grep -q '^OPEVO_TOKEN' && fail "what measures knows the token"
done
# Strangers: a wrong token, garbage, silence, the right token and then garbage.
python3 - "$engine" "$token" <<'EOF' || fail "strangers were let in"
import os, socket, sys
host, port = sys.argv[1].rsplit(":", 1)
def connect():
    it = socket.create_connection((host, int(port)))
    it.settimeout(20)
    return it
def ended(it):
    try:
        return it.recv(100) == b""
    except ConnectionError:
        return True
for words in (b"0" * 32 + b"\n", b"GET / HTTP/1.1\r\n\r\n", os.urandom(3000) + b"\n", b"\n", sys.argv[2].encode() + b" \n"):
    it = connect()
    try:
        it.sendall(words)
    except ConnectionError:
        pass
    assert ended(it), words
silent = [connect() for i in range(50)]
for words in (b"garbage\n" * 10, b"[1]\n{}\n", b'{"type": "hello"}\n', b'{"type": "result", "job": 1}\n', b"\xff\xfe\x00\n"):
    it = connect()
    it.sendall(sys.argv[2].encode() + b"\n" + words)
    it.close()
EOF
# A worker that dies connects again, without its launcher; one that is gone with its launcher's child is not missed.
kill -9 $(pgrep -P "$(head -1 started)" -f opevo-worker) || fail "no process measures"
kill -9 "$(tail -1 started)"
seen=$(trials loop.db number | wc -l)
await_trials loop.db "$(on_from "$seen")" || fail "it does not go on: $(cat loop.out)"
kill -INT "$(engine_of loop.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt: $(cat loop.out)"
same_trials loop.db "$(cat loop.out)"
wanted=$length
[ "$(wc -l <started)" = 3 ] || fail "the launcher was started again: $(cat started)"
nothing_left

# N* says how many there are, so that batches are of their number; a file where there is no environment; a Unix socket.
tune file.db --workers-from "2*env -i PATH=$PATH XDG_CACHE_HOME=$XDG_CACHE_HOME $folder/loop.sh 2 --connect {file}" --json >file.out 2>&1 ||
    fail "with a file: $(cat file.out)"
same_trials file.db "$(cat file.out)"
counts 2 file.out || fail "the number of workers: $(cat file.out)"
ls "$XDG_CACHE_HOME"/opevo/connect-* 2>/dev/null && fail "a file with a token is left"
tune socket.db --workers-from "$folder/loop.sh 2" --workers-address "$folder/socket" >socket.out 2>&1 || fail "by a socket: $(cat socket.out)"
same_trials socket.db "$(cat socket.out)"
[ -e "$folder/socket" ] && fail "the socket is left"
nothing_left

# Two tasks share the launcher, of which a cluster may have room for one; so do finals and a study.
rm -f started
"$opevo" tune 'matmul(12,8,16)' 'matmul(16,8,8)' --on cpu --tuner random --trials 40 --precision 20 --finals 2 --rounds 3 --quiet \
    --workers-from "$folder/loop.sh 2" >tasks.out 2>&1 || fail "two tasks: $(cat tasks.out)"
[ "$(wc -l <started)" = 2 ] || fail "the launcher was started more than once: $(cat started)"
nothing_left

# The engine is killed: everything ends by itself.
wanted=100000
tune killed.db --workers-from "$folder/loop.sh 2" >killed.out 2>&1 &
run=$!
await_trials killed.db 5 || fail "not five trials: $(cat killed.out)"
kill -9 "$(engine_of killed.db)" || fail "no engine"
wait $run
nothing_left
wanted=$length
# A launcher that waits in a queue, and withdraws when it is told to; what it said is printed.
cat >queue.sh <<'EOF'
#!/bin/sh
trap 'touch withdrawn; exit 1' TERM
echo "$0: job 5 queued and waiting" >&2
touch queued
while :; do sleep 0.05; done
EOF
chmod 755 queue.sh
tune queue.db --workers-from "$folder/queue.sh" >queue.out 2>&1 &
run=$!
await test -e queued || fail "the launcher was not started"
sleep 1
kill -INT "$(engine_of queue.db)"
wait $run
[ $? = 130 ] || fail "the exit status after an interrupt in a queue: $(cat queue.out)"
[ -e withdrawn ] || fail "the job stays in the queue"
grep -q 'job 5 queued and waiting' queue.out || fail "what the launcher said is not printed: $(cat queue.out)"

# A launcher that fails is started three times; one that starts nothing is given up; both say what is wrong.
printf '#!/bin/sh\necho try >>tries\necho partition closed >&2\nexit 7\n' >broken.sh
chmod 755 broken.sh
tune broken.db --workers-from "$folder/broken.sh" >broken.out 2>&1
[ $? = 2 ] && grep -q 'broken.sh ended with exit status 7: partition closed\.' broken.out || fail "a launcher that fails: $(cat broken.out)"
[ "$(wc -l <tries)" = 3 ] || fail "$(wc -l <tries) starts"
tune empty.db --workers-from true >empty.out 2>&1
[ $? = 2 ] && grep -q 'the launcher true ended with exit status 0' empty.out || fail "a launcher of nothing: $(cat empty.out)"
tune kind.db --workers-from "$worker cmd" >kind.out 2>&1
[ $? = 2 ] && grep -q 'measures on cmd, not on cpu' kind.out || fail "workers of another kind: $(cat kind.out)"
nothing_left
echo "$length trials by workers of loops, the same as alone"
