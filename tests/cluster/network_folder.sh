#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_folder.sh OPEVO WORKER SHARED_FOLDER: stores in a folder as a network gives it to two hosts, which shared_folder.c
# is. Needs root or fusermount3, and /dev/fuse; exit status 77 where they are not.
shared_folder=${3-}
. "$(dirname "$0")/study_cluster.sh"
need python3 fusermount3
[ -n "$shared_folder" ] || skip "built without libfuse3-dev"
[ -w /dev/fuse ] || skip "/dev/fuse may not be used"

stop() {
    for mount in a b; do
        fusermount3 -u -z "$folder/$mount" 2>/dev/null
    done
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM
mkdir disk a b
# mount_both [LOCKS [OPTION...]]: the folder of the disk, as host a and as host b have it
mount_both() {
    locks=${1-}
    [ $# = 0 ] || shift
    for mount in a b; do
        fusermount3 -u "$folder/$mount" 2>/dev/null
        SHARED_FOLDER_LOCKS=$locks "$shared_folder" "$folder/disk" "$folder/$mount" "$@" 2>mount.err ||
            skip "nothing can be mounted here: $(cat mount.err)"
    done
}
# tune STORE SEED [OPTIONS]
tune() {
    store=$1 seed=$2
    shift 2
    "$opevo" tune mm1 --on sim:mi50 --tuner random --trials 200 --seed "$seed" --store "$store" --quiet "$@"
}
# check_whole STORE RUNS: by SQLite's own check, and a complete run for each seed
check_whole() {
    python3 - "$1" "$2" <<'EOF' || fail "$1 is not whole"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
check = db.execute("PRAGMA integrity_check").fetchall()
runs = db.execute("SELECT count(*) FROM (SELECT run FROM trials GROUP BY run HAVING count(*) = 200)").fetchone()[0]
assert check == [("ok",)], check
assert runs == int(sys.argv[2]), runs
EOF
}
journal_of() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA journal_mode").fetchone()[0])' "$1"; }
export SHARED_FOLDER_OPENS="$folder/opens"
mount_both

# Sixteen runs at once from both hosts, and one of the server itself, into one store.
for seed in $(seq 16); do
    [ $((seed % 2)) = 0 ] && host=a || host=b
    { tune $host/runs.db "$seed" >out."$seed" 2>err."$seed"; echo $? >status."$seed"; } &
done
{ tune disk/runs.db 17 >out.17 2>err.17; echo $? >status.17; } &
wait
[ "$(cat status.* | sort -u)" = 0 ] || fail "a run failed: $(cat err.*)"
[ "$(grep -c 'runs.db is in a folder of a network (FUSE)' err.2)" = 1 ] || fail "not said once: $(cat err.2)"
check_whole disk/runs.db 17

# A store with a write-ahead log, as it comes from a disk, goes over to a journal, once nobody has it open.
tune disk/local.db 1 2>err || fail "$(cat err)"
[ -s err ] && fail "a word on a local folder: $(cat err)"
[ "$(journal_of disk/local.db)" = wal ] || fail "no log on a local disk"
"$opevo" runs a/local.db >/dev/null 2>err || fail "a store with a log cannot be read: $(cat err)"
tune b/local.db 2 2>err || fail "$(cat err)"
[ "$(journal_of disk/local.db)" = delete ] || fail "a log in a folder of a network"
check_whole disk/local.db 2

# Merging while shares run on the other host: nothing is lost, and in the end all is there.
make_plan $(most 70)
cp plan.json disk
for share in 1 2 3; do
    "$opevo" study a/plan.json --store a/study.db --shard $share/3 --threads 1 --quiet >share.$share 2>&1 &
    shares="${shares-} $!"
done
while kill -0 $shares 2>/dev/null; do
    ls disk/study.*-of-3.db >/dev/null 2>&1 || continue
    "$opevo" study b/plan.json --store b/study.db --merge >merge.out 2>&1
    [ $? -le 1 ] || fail "merging: $(cat merge.out)"
done
wait
for share in 1 2 3; do
    grep -q "shard $share/3" share.$share || fail "share $share: $(cat share.$share)"
done
# Merging looks at each of 420 or more runs without opening its journal for each.
: >opens
"$opevo" study b/plan.json --store b/study.db --merge >merge.out 2>&1 || fail "merging: $(cat merge.out)"
[ "$(wc -c <opens)" -lt 300 ] || fail "files were opened $(wc -c <opens) times"
dump alone.db >alone.sql
dump disk/study.db | cmp alone.sql - || fail "the joined store differs from that of one process"

# Shares in a folder that may only be read are joined as they are, but not without what a killed program left.
mkdir disk/apart
mv disk/study.*-of-3.db disk/apart
mv disk/apart/study.3-of-3.db disk/apart/old.db
python3 -c 'import sqlite3; sqlite3.connect("disk/apart/old.db").execute("PRAGMA journal_mode = WAL")'
mount_both "" -o ro
"$opevo" study plan.json --store joined.db --merge a/apart/*.db >merge.out 2>&1 || fail "merging: $(cat merge.out)"
dump joined.db | cmp alone.sql - || fail "the store joined from read-only shares differs"
head -c 4096 /dev/urandom >disk/apart/old.db-wal
"$opevo" study plan.json --store joined.db --merge b/apart/*.db >merge.out 2>&1 && fail "a log left aside: $(cat merge.out)"
grep -q 'b/apart/old.db: a program that was killed left a journal' merge.out || fail "the message: $(cat merge.out)"

# Where locks are not there, or given to everybody, nothing is written.
for locks in none free; do
    mount_both $locks
    tune a/new.db 1 2>err
    [ $? = 2 ] || fail "a store without locks: $(cat err)"
    grep -q "locks do not work\|the same file lock" err || fail "the message: $(cat err)"
    [ -s disk/new.db ] && fail "a store without locks was written"
    "$opevo" study a/plan.json --store a/new.db --quiet >err 2>&1
    [ $? = 2 ] || fail "a study without locks: $(cat err)"
    grep -q "locks do not work\|the same file lock" err || fail "the message: $(cat err)"
done
ls disk | grep -q -- -lock && fail "left behind: $(ls disk)"
check_whole disk/runs.db 17
