# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of launchers share; sourced after study_cluster.sh with the worker's program in $worker.

# The trials of a run, 200 of them in ./dev test --long
length=60
[ -z "${OPEVO_TEST_LONG:-}" ] || length=200

# loop.sh N [OPTIONS]: N workers, each of which leaves its process behind
cat >loop.sh <<EOF
#!/bin/sh
count=\$1
shift
while [ "\$count" -gt 0 ]; do
    sh -c 'echo \$\$ >>"$folder/started"; exec "\$@"' sh "$worker" "\$@" cpu &
    count=\$((count - 1))
done
wait
EOF
chmod 755 loop.sh
# tune STORE OPTIONS...
tune() {
    store=$1
    shift
    timeout 1000 "$opevo" tune 'matmul(12,8,16)' --on cpu --tuner random --trials ${wanted-$length} --seed 4 --precision 20 --finals 0 \
        --store "$folder/$store" --quiet "$@"
}
trials() {
    python3 - "$1" "$2" <<'EOF'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1], timeout=60).execute(f"SELECT {sys.argv[2]} FROM trials ORDER BY number"):
    print(*row)
EOF
}
# on_from SEEN: trials of a run that goes on after so many, and of which the first are compared.
on_from() { echo $(($1 + 10 > length ? $1 + 10 : length)); }
# await_trials STORE N: until it has so many. False after ten minutes. One process looks again and again: a start of Python
# takes longer than a look.
await_trials() {
    python3 - "$@" <<'EOF'
import sqlite3, sys, time
end = time.monotonic() + 600
while time.monotonic() < end:
    try:
        with sqlite3.connect(f"file:{sys.argv[1]}?mode=rw", uri=True, timeout=60) as store:
            if store.execute("SELECT count(*) FROM trials").fetchone()[0] >= int(sys.argv[2]):
                sys.exit(0)
    except sqlite3.OperationalError: # not there yet
        pass
    time.sleep(0.05)
sys.exit(1)
EOF
}
alone() {
    OPEVO_WORKER=$worker tune alone.db >alone.out 2>&1 || fail "the run alone failed: $(cat alone.out)"
    trials alone.db "hex(point), outcome" >alone.trials
}
# same_trials STORE WORDS: the first of it are those of the run alone, whoever measured them
same_trials() {
    trials "$1" "hex(point), outcome" >seen.trials
    head -n $length seen.trials | cmp alone.trials - || fail "other trials: $2"
}
engine_of() { pgrep -f "^$opevo tune .*--store $folder/$1"; }
# What a test leaves that failed; sourced scripts end with it.
end_engines() {
    for process in $(engine_of ""); do
        kill "$process"
    done
}
environment_of() { tr '\0' '\n' <"/proc/$(head -1 started)/environ" | sed -n "s/^$1=//p"; }
# counts N FILE: a result in JSON has so many workers
counts() { python3 -c 'import json, sys; assert len(json.load(open(sys.argv[2]))["workers"]) == int(sys.argv[1])' "$@"; }
# nothing_left: no worker is left that this test started
nothing_left() {
    have_ended() { for process in $(cat started 2>/dev/null); do kill -0 "$process" 2>/dev/null && return 1; done; return 0; }
    await have_ended || fail "workers are left: $(ps -o pid,args -p "$(paste -sd, started)")"
    rm -f started
}
