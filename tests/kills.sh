#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kills.sh OPEVO [KILLS [SEED]]: at random moments SIGKILL to tune, study, record, study --merge, serve or evolve, to all of its
# processes, or to one of its workers; then the same command again, until it ends. A trial that could be read after a kill
# must stay as it is; in the end trials and files must be those of a reference run, which is never killed; no process may be
# left. The exit status is 1 if anything failed, and what failed is kept.
set -u
. "${0%/*}/await.sh"
opevo=$(realpath "${1:-}" 2>/dev/null)
kills=${2:-500}
seed=${3:-1}
case $kills$seed in *[!0-9]*) opevo= ;; esac
if [ ! -x "$opevo" ] || [ "$kills" -eq 0 ]; then
    echo "usage: kills.sh OPEVO [KILLS [SEED]]: a program, and numbers" >&2
    exit 2
fi
all=$(mktemp -d)
export PATH="${opevo%/*}:$PATH" LC_ALL=C OPENBLAS_NUM_THREADS=1

# ---- Processes ----

# ours: the processes of the command and whatever they started, which inherit a variable.
ours() { grep -lsF "OPEVO_KILLS=$folder" /proc/[0-9]*/environ | cut -d / -f 3; }
gone() { [ -z "$(ours)" ]; }
children() { grep -ls "^PPid:.$1\$" /proc/[0-9]*/status | cut -d / -f 3; }

# ---- What is killed: for each its files, and its command behind a prefix ----

program() {
    cat >bench.sh <<'S'
sleep 0.02
[ $(($1 % 8)) != 0 ] || { echo "no multiples of 8" >&2; exit 3; }
echo "took $(($1 * 37 % 101 + ${2:-0})) ms"
S
    echo "{\"X\": {\"_type\": \"discrete\", \"_value\": [$(seq -s , "$1")]}}" >space.json
}
measured() {
    words=$1
    shift
    # shellcheck disable=SC2086  # a list of words
    "$@" opevo $words --on 'cmd:sh bench.sh {X}' --space space.json --result 'ms:/took ([0-9]+) ms/' --seed 5 --quiet \
        --workers 'opevo-worker cmd' --workers 'opevo-worker cmd'
}

files_tune() { program 60; }
run_tune() { measured 'tune --trials 30 --store runs.db' "$@"; }

# Three programs share the trials; which of them gets the next is decided by their outcomes, ties by the seed.
files_tasks() { program 60; }
run_tasks() {
    "$@" opevo tune --on 'cmd:sh bench.sh {X}' --on 'cmd:sh bench.sh {X} 20' --on 'cmd:sh bench.sh {X} 90' \
        --space space.json --result 'ms:/took ([0-9]+) ms/' --weights 1,4,2 --allocate gradient,round=4,epsilon=0.2 \
        --trials 45 --seed 5 --store runs.db --quiet --workers 'opevo-worker cmd' --workers 'opevo-worker cmd'
}

files_cpu() { :; }
run_cpu() { "$@" opevo tune 'matmul(16,16,16)' --on cpu --tuner random --trials 6 --store runs.db --quiet; }

plan() { # OBJECTIVE TUNERS SEEDS TRIALS
    echo "{\"study\": 1, \"objectives\": [{$1}], \"tuners\": [$2], \"seeds\": $3, \"budget\": {\"trials\": $4}}" >plan.json
}

files_computed() { plan '"on": "sim:mi50", "what": "mm1"' '"opevo", "qgp"' 4 60; }
run_computed() { "$@" opevo study plan.json --store runs.db --threads 2 --quiet; }

files_measured() {
    program 20
    plan '"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "ms:/took ([0-9]+) ms/",
        "workers": ["opevo-worker cmd", "opevo-worker cmd"]' '"opevo", "grid"' 1 15
}
run_measured() { run_computed "$@"; }

files_record() { program 30; }
run_record() { measured 'record --all --out table' "$@"; }

files_merge() {
    plan '"on": "sim:mi50", "what": ["mm1", "c1"]' '"random", "opevo"' 3 1000
    if [ -d "$folder/shares" ]; then
        cp "$folder"/shares/* .
        return
    fi
    for third in 1 2 3; do opevo study plan.json --store runs.db --shard $third/3 --quiet >/dev/null; done
    mkdir "$folder/shares"
    cp runs.*.db "$folder/shares"
}
run_merge() { "$@" opevo study plan.json --store runs.db --merge; }

# Two of its outcomes at a time are told in the wrong order; what a server before was told is refused.
files_serve() {
    awk 'BEGIN {
        print "{\"op\":\"create\",\"tuner\":\"random\",\"store\":\"runs.db\",\"space\":" \
            "{\"X\":{\"_type\":\"factor\",\"_value\":[1048576,5]}}}"
        for (i = 1; i <= 1000; i++) {
            number = i % 2 ? i + 1 : i - 1
            print "{\"op\":\"ask\",\"session\":1,\"count\":" (i == 1 ? 2 : 1) "}"
            print "{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":" number ",\"score\":" number * 37 % 101 "}]}"
        }
    }' >requests
}
run_serve() { "$@" opevo serve <requests; }

files_evolve() { :; }
run_evolve() { "$@" opevo evolve planted --trials 300 --seed 5 --jobs 2 --store runs.db --quiet; }

# ---- What can be read of it ----

# listed STORE: its runs, as JSON; nothing where it has no tables yet.
listed() {
    [ ! -e "$1" ] || opevo runs "$1" --json 2>"$folder/said" || grep -q 'it is empty' "$folder/said"
}

# seen FOLDER: the trials there, one a line, which begins with the numbers of run and trial; and finals.
seen() {
    if [ "$verb" = record ]; then
        [ ! -e "$1/table.csv" ] || head -n "$(wc -l <"$1/table.csv")" "$1/table.csv" | awk 'NR > 1 { print "1," NR - 1 "," $0 }'
        return
    fi
    listed "$1/runs.db" >"$folder/listed" || return 1
    sed -n 's/^ *{"run": \([0-9]*\),.*"finals": {/\1,finals,/p' "$folder/listed"
    for run in $(sed -n 's/^ *{"run": \([0-9]*\),.*/\1/p' "$folder/listed"); do
        opevo runs "$1/runs.db:$run" --trials --csv >"$folder/trials" 2>"$folder/said" || return 1
        sed "1d; s/^/$run,/" "$folder/trials"
    done
}

# left_behind: the trials in what a killed command left, read from a copy, so that the next command finds the log as it is.
left_behind() {
    rm -rf "$folder/copy"
    mkdir "$folder/copy"
    for file in runs.db runs.db-wal runs.db-journal table.csv; do
        [ ! -e $file ] || cp $file "$folder/copy"
    done
    seen "$folder/copy"
}

# fixed: those parts of the lines of seen that do not depend on time
fixed() {
    case $verb in
    tune | tasks | measured | evolve) cut -d , -f 1-8,13- ;;
    record) cut -d , -f 3-7,9- | sort ;; # rows stand in the order in which they were measured
    cpu) sed -n 's/^\([0-9]*,[0-9]*,[^,]*\),.*\("{"".*}"\).*$/\1,\2/p' ;;
    *) cat ;;
    esac
}

# summary: what else is the same in the end each time
summary() {
    case $verb in
    record) # rows stand in another order, and the manifest names the folder
        sed "s/$(sha256sum <table.csv | cut -d ' ' -f 1)/that of the table/; /\"manifest\"/d" table.json
        ;;
    cpu) listed runs.db | sed 's/"best.*"budget"/"budget"/; s/"started".*"version"/"version"/; s/"finals": {.*/finals/; s/"workers": \[[^]]*\], //' ;;
    tune | tasks | measured | serve | evolve) listed runs.db | sed 's/"cost_s": [^,]*, //; s/"started": "[^"]*", //; s/"workers": \[[^]]*\], //' ;;
    computed) listed runs.db ;;
    merge) listed runs.db && cksum runs.*-of-3.db ;;
    esac
}

# ---- One command, and its kill ----

# begin: a folder with the files that the command needs, and nothing else
begin() {
    cd "$folder" || exit 1
    rm -rf "$life"
    mkdir -p "$life/cache" "$life/tmp"
    cd "$life" || exit 1
    "files_$verb"
}
launch() {
    "run_$verb" exec env "OPEVO_KILLS=$folder" "XDG_CACHE_HOME=$life/cache" "TMPDIR=$life/tmp" </dev/null >"$folder/out" \
        2>"$folder/err"
}

# strike PID HOW DRAW: kill opevo, a worker, or all, as HOW says; without a worker opevo. False where opevo has ended.
# shellcheck disable=SC2046,SC2086  # lists of numbers
strike() {
    ours | grep -qx "$1" || return 1
    workers=$(children "$1")
    [ -n "$workers" ] || [ "$2" != worker ] || set -- "$1" opevo "$3"
    struck=$2
    case $2 in
    opevo) kill -9 "$1" ;;
    all) kill -9 $(ours) || true ;; # some may have ended meanwhile
    worker)
        which=$(($3 % $(echo "$workers" | wc -l) + 1))
        kill -9 "$(echo "$workers" | sed -n "${which}p")"
        ;;
    esac 2>/dev/null
}

# attempt: the command, with a kill while any is wanted. Sets `result` to ended, killed, or the status that it failed with. What
# could be read right after a worker was killed is in the file `during`.
attempt() {
    : >"$folder/during"
    struck=
    (launch) &
    pid=$!
    if [ "$done" -lt "$wanted" ]; then
        read -r part how draw <&3 || { exec 3<"$folder/moments" && read -r part how draw <&3; }
        at=$((whole_ms * part / 1000 + 1))
        sleep "$((at / 1000)).$(printf '%03d' $((at % 1000)))"
        strike "$pid" "$how" "$draw" || struck=
        [ "$struck" != worker ] || seen "$life" >"$folder/during" || fail "cannot be read while at work: $(cat "$folder/said")"
    fi
    wait "$pid" 2>/dev/null
    result=$?
    case $result,$struck in
    137,opevo | 137,all | 0,worker)
        done=$((done + 1))
        echo "$struck" >>"$folder/struck"
        ;;
    esac
    case $result,$struck in
    137,opevo | 137,all) result=killed ;;
    0,*) result=ended ;;
    esac
    await gone || fail "processes are left: $(ours | tr '\n' ' ')"
}

# ---- What must hold ----

fail() {
    failures=$((failures + 1))
    failed=1
    echo "$verb, after kill $done: $1" >&2
}

# keeps FILE: what could be read before is there still, unchanged, and no number is missing or doubled.
keeps() {
    sort "$1" >"$folder/now"
    checked=$((checked + $(wc -l <"$folder/before")))
    comm -23 "$folder/before" "$folder/now" >"$folder/lost"
    [ ! -s "$folder/lost" ] || fail "$(wc -l <"$folder/lost") trials are lost or changed, such as $(head -n 1 "$folder/lost")"
    odd=$(awk -F , '$2 != "finals" && $2 != ++last[$1] { print "run " $1 " has " $2 " in place of " last[$1]; exit }' "$1")
    [ -z "$odd" ] || fail "$odd"
    mv "$folder/now" "$folder/before"
}

# end INTO: what is there once the command has ended: trials, summary, and the names of all files, after another worker has
# removed what a killed one left in the cache.
end() {
    mkdir -p "$1"
    seen "$life" >"$1/seen" || fail "cannot be read in the end: $(cat "$folder/said")"
    fixed <"$1/seen" >"$1/trials"
    summary >"$1/summary"
    [ "$verb" != cpu ] || XDG_CACHE_HOME=$life/cache opevo tune 'matmul(16,16,16)' --on cpu --tuner random --trials 1 \
        --finals 0 --quiet >/dev/null || fail "another worker fails"
    find . | sort >"$1/files"
}

# one_life: the command, killed and started again until it ends, beside the reference run
one_life() {
    begin
    : >"$folder/before"
    attempt
    while [ "$result" = killed ] && [ "$failed" = 0 ]; do
        left_behind >"$folder/seen" || fail "cannot be read after a kill: $(cat "$folder/said")"
        keeps "$folder/seen"
        attempt
    done
    [ "$failed" = 0 ] && [ "$result" != ended ] && fail "status $result: $(tail -n 1 "$folder/err")"
    [ "$failed" = 0 ] || return
    [ ! -s "$folder/during" ] || keeps "$folder/during"
    end "$folder/end"
    keeps "$folder/end/seen"
    for what in trials summary files; do
        diff "$folder/reference/$what" "$folder/end/$what" >"$folder/lost" ||
            fail "$what differ from those of the reference run: $(grep '^[<>]' "$folder/lost" | head -n 2)"
    done
}

# check_verb VERB KILLS: in a folder of its own; false when anything failed
check_verb() {
    verb=$1 wanted=$2 done=$2 lives=0 checked=0 failed=0 failures=0
    folder=$all/$verb
    life=$folder/life # always the same: stores say where they were made
    mkdir "$folder"
    : >"$folder/struck"
    begin
    start=$(date +%s%N)
    attempt
    whole_ms=$((($(date +%s%N) - start) / 1000000))
    [ "$result" = ended ] || fail "status $result without a kill: $(tail -n 1 "$folder/err")"
    end "$folder/reference"
    done=0
    # When, in thousandths of the time of the reference run; whom; and which of the workers.
    awk -v seed=$((7 * seed + place)) -v n=$((4 * wanted)) 'BEGIN {
        srand(seed)
        split("opevo opevo worker all", how, " ")
        while (n--)
            print int(1100 * rand()), how[int(4 * rand()) + 1], int(1000 * rand()) }' >"$folder/moments"
    exec 3<"$folder/moments"
    while [ "$done" -lt "$wanted" ] && [ "$failures" -lt 20 ]; do
        failed=0
        one_life
        lives=$((lives + 1))
        [ "$failed" = 0 ] ||
            cp -r "$life" "$folder/before" "$folder/during" "$folder/out" "$folder/err" "$(mktemp -d "$folder/failed.XXXX")"
    done
    printf '%-9s %4d kills (%d opevo, %d worker, %d all) in %d runs of %d.%03d s, %d trials checked, %d failures\n' \
        "$verb" "$done" "$(grep -c opevo "$folder/struck")" "$(grep -c worker "$folder/struck")" \
        "$(grep -c all "$folder/struck")" "$lives" $((whole_ms / 1000)) $((whole_ms % 1000)) "$checked" "$failures"
    [ "$failures" = 0 ]
}

verbs="tune cpu computed measured record merge serve tasks"
[ ! -x "${opevo%/*}/opevo-evolver" ] || verbs="$verbs evolve"
count=$(echo "$verbs" | wc -w)

# lane NUMBER: every second verb with its share of the kills
lane() {
    status=0
    place=0
    for each in $verbs; do
        share=$(((kills + count - 1 - place) / count))
        [ $((place % 2)) != "$1" ] || [ "$share" = 0 ] || check_verb "$each" "$share" || status=1
        place=$((place + 1))
    done
    return $status
}

status=130
# shellcheck disable=SC2046,SC2086  # lists of numbers
cleanup() {
    [ $status != 130 ] || kill $lanes 2>/dev/null
    folder=$all/
    gone || kill -9 $(ours) 2>/dev/null
    [ $status = 0 ] && rm -rf "$all"
    [ $status != 1 ] || echo "What failed is in $all." >&2
    exit $status
}
trap cleanup EXIT
trap exit INT TERM
lane 0 &
lanes=$!
lane 1 &
lanes="$lanes $!"
failed=0
for lane in $lanes; do wait "$lane" || failed=1; done
status=$failed
