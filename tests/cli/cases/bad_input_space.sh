# SPDX-License-Identifier: GPL-3.0-or-later
try() { printf '%s\n' "$1" >space.json; opevo space space.json; [ $? = 2 ] || echo "exit status is not 2"; }
try '{"K": {"_type": "cube", "_value": [1]}}'
try '{"K": {"_type": "factor", "_value": [0, 3]}}'
try '{"K": {"_type": "discrete", "_value": []}}'
try '{"K": {"_type": "discrete", "_value": [1, 1]}}'
try '{"K": {"_type": "factor", "_value": [8, 3], "_topologi": "complete"}}'
try '{"K": {"_type": "factor", "_value": [8, 3]}, "_constraints": ["J[0] < 2"]}'
try '{"K": {"_type": "discrete", "_value": [0, 1]}, "_constraints": ["4 / K == 2"]}'
try '{"K": {"_type": "discrete", "_value": [0, 1]}, "_constraints": ["K > 7"]}'
try '{"K": {"_type": "discrete", "_value": [0, 1]'
opevo space absent.json
