# SPDX-License-Identifier: GPL-3.0-or-later
# A recording of a run has the samples and messages of one that was measured as such.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
cat >bench.sh <<'J'
[ "$1" = 3 ] && { echo 'too large, "really"' >&2; exit 9; }
printf '%s.5 ms\n%s.25 ms\n%s.75 ms\n' "$1" "$1" "$1"
J
on() { verb=$1; shift; opevo "$verb" --on 'cmd:sh bench.sh {X}' --space space.json --result 'ms:/([0-9.]+) ms/' "$@"; }
on record --all --out measured | grep points
on tune --tuner grid --store runs.db >out
opevo record --from runs.db:1 --out copied | grep points
columns() { sed 1d "$1" | sed 's/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,[^,]*,/\1 /' | sort; }
columns copied.csv
columns measured.csv >measured
columns copied.csv | cmp - measured
opevo tune --on recorded:copied --tuner grid --store replay.db >out
for store in runs replay; do opevo runs $store.db --json | grep -o '"failed": .*"best_trial": [0-9]*'; done | sort -u
