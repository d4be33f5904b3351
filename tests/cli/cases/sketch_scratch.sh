# SPDX-License-Identifier: GPL-3.0-or-later
# A limit of the memory beside the operands: sketches that no point of can keep are named at the start, and excluded by
# the constraint that is offered; 0 is a limit, too.
W='A[n:1, 8, 6, 6]; W[o:8, c:8, r:3, s:3]; P[n, k:8, h:8, w:8] = select(1 <= h < 7 and 1 <= w < 7, A[n, k, h - 1, w - 1], 0)
C[n, o, y:6, x:6] = sum(c, r, s) P[n, c, y + r, x + s]*W[o, c, r, s]; R[n, o, y, x] = max(C[n, o, y, x], 0)'
tune() { opevo tune "$W" --on cpu --tuner random --start none --finals 0 --quiet --precision 50 "$@"; }
count() { opevo runs runs.db:1 --trials --csv | grep -c "$1"; }
tune --trials 20 --scratch 0 --store runs.db >printed
echo "rejected: $(count rejected) of $(grep -o '^[0-9]* trials' printed)" | sed 's/ [1-9][0-9]* of 20/ some of 20/'
opevo sketch "$W" --space >space.json
python3 - <<'S'
import json
space = json.load(open("space.json"))
space.setdefault("_constraints", []).append("sketch != 's4'")
json.dump(space, open("part.json", "w"))
S
rm runs.db
tune --trials 20 --scratch 0 --space part.json --store runs.db >printed
opevo runs runs.db:1 --trials --csv | grep -c 'sketch=s4'
echo "without a limit"
tune --trials 3 >printed
