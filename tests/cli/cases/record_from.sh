# SPDX-License-Identifier: GPL-3.0-or-later
# The trials of a run are a recording of what the store says, whatever else is named.
printf '{"X": {"_type": "factor", "_value": [64, 3]}, "V": {"_type": "choice", "_value": [1, "1", "a"]}}' >space.json
refused() { "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
on='cmd:echo {X}1'
tune() { opevo tune --on 'cmd:sh -c "echo {X} {V} | cksum"' --space space.json --store runs.db --trials 30 "$@" >out || cat out; }
tune --result 'ms:/^([0-9]+) /' --flop 12345
opevo tune mm1 --on sim:gtx1080ti --trials 40 --store runs.db | tail -1 >best
refused opevo record --from runs.db:1 --on 'cmd:sh -c "echo {X} {V} | cksum"' --space space.json --out x
refused opevo record --from runs.db:1 --on 'cmd:echo {X} {V}' --space space.json --out x
refused opevo record mm1 --from runs.db:2 --on sim:mi50 --out x
refused opevo record mm1 --from runs.db:2 --out x
refused opevo record --from runs.db:2 --space space.json --out x
refused opevo record --from runs.db:3 --out x
refused opevo record --from runs.db --out x
ls x.* 2>&1 | grep -c 'No such'
opevo record --from runs.db:1 --out program | sed 's/^best .*/best .../'
opevo record --from runs.db:2 --out model | sed 's/^best .*/best .../'
# Once more: the points are there, and nothing differs.
opevo record mm1 --from runs.db:2 --on sim:gtx1080ti --out model | head -1
grep -o '"objective": "[^"]*", "unit": "[^"]*"' model.json
grep -o '"flop_per_run": [0-9.e+]*' program.json model.json
# What it says is what the run saw.
opevo tune --on recorded:model --trials 40 | tail -1 | cmp best - && echo 'the same best'
# Values without a time.
opevo tune --on 'cmd:echo {X}{V}' --space space.json --store runs.db --result 'score:/^([0-9])/' --trials 9 >out
refused opevo record --from runs.db:3 --out x
