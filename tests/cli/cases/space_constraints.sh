# SPDX-License-Identifier: GPL-3.0-or-later
cat >space.json <<'S'
{"K": {"_type": "factor", "_value": [8, 3]}, "u": {"_type": "choice", "_value": [0, 1]},
 "_constraints": ["K[0] * u < 8"]}
S
opevo space space.json
opevo space space.json --json
