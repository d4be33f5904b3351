# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of this folder share; sourced by them with the program in $1. A study that takes some seconds, as one
# process would do it, and the comparison with what a cluster made of it.
set -u
. "$(dirname "$0")/../await.sh"
opevo=$(realpath "$1")
folder=$(mktemp -d)
export XDG_CACHE_HOME="$folder/cache" LC_ALL=C OPENBLAS_NUM_THREADS=1
cd "$folder" || exit 1
# What kernels.sh has built. The cache takes only files that nobody else may write to.
if [ -d "${OPEVO_TEST_KERNELS-}/kernels" ]; then
    mkdir -m 700 cache cache/opevo && cp -R -p "$OPEVO_TEST_KERNELS/kernels" cache/opevo
fi

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*"; exit 1; }
need() {
    for program; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}

# most N: so many seeds of a large study, in ./dev test --long three times as many.
most() { [ -z "${OPEVO_TEST_LONG:-}" ] && echo "$1" || echo $(($1 * 3)); }

# make_plan SEEDS: the plan, and alone.db as one process writes it
make_plan() {
    cat >plan.json <<EOF
{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["mm1", "c1"]}],
 "tuners": ["random", {"tuner": "opevo", "settings": {"q": [0.3, 0.6]}}],
 "seeds": $1, "budget": {"trials": 300}}
EOF
    "$opevo" study plan.json --store alone.db --quiet >/dev/null || fail "the study alone failed"
}

# Everything in a store but when its plan was registered and where its file lay, in the order of keys.
dump() {
    python3 - "$1" <<'EOF'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE registrations SET written = '', plan = ''") # without a commit
for line in db.iterdump():
    print(line)
EOF
}

# check_merged: join the shares into study.db, twice, and compare
check_merged() {
    "$opevo" study plan.json --store study.db --merge || fail "the shares cannot be joined, or are not all there"
    dump study.db >study.sql
    dump alone.db >alone.sql
    [ -s alone.sql ] || fail "alone.db cannot be dumped"
    cmp alone.sql study.sql || fail "the joined store differs from that of one process"
    "$opevo" study plan.json --store study.db --merge >/dev/null || fail "joining again failed"
    dump study.db | cmp alone.sql - || fail "joining again changed the store"
}
