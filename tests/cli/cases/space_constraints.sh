# SPDX-License-Identifier: GPL-3.0-or-later
cat >space.json <<'S'
{"K": {"_type": "factor", "_value": [8, 3]}, "u": {"_type": "choice", "_value": [0, 1]},
 "_constraints": ["K[0] * u < 8"]}
S
opevo space space.json
opevo space space.json --json
# A value that no point has, a constraint that excludes nothing, and the shares of values and of pairs.
cat >space.json <<'S'
{"a": {"_type": "discrete", "_value": [1, 2, 3, 4]}, "b": {"_type": "discrete", "_value": [1, 2, 3, 4]},
 "_constraints": ["a < b", "a + b < 9", "a * b % 2 == 0"]}
S
opevo space space.json | tail -6
opevo space space.json --json | grep -o '"diagram".*'
opevo space space.json --shares a
opevo space space.json --shares b,a
opevo space space.json --shares c
opevo space space.json --shares a,a || echo "exit status $?"
