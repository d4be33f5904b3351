# SPDX-License-Identifier: GPL-3.0-or-later
printf '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
try() { opevo "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try tune --on 'cmd:echo {X}'
try tune mm1 --on 'cmd:echo {X}' --space space.json
try tune --on 'cmd:echo {Y}' --space space.json
try tune --on 'cmd:echo' --space space.json
try tune --on 'cmd:echo {X' --space space.json
try tune --on "cmd:echo '{X}" --space space.json
try tune --on 'cmd:echo {X}' --space absent.json
try tune --on 'cmd:echo {X}' --space space.json --result 'ms:took'
try tune --on 'cmd:echo {X}' --space space.json --result 'ms:/(/'
try tune --on 'cmd:echo {X}' --space space.json --exit 3
try tune --on 'cmd:echo {X}' --space space.json --timeout 0
try tune --on 'cmd:echo {X}' --space space.json --repeats 0
try tune --on 'cmd:echo {X}' --space space.json --workers 'nothing-of-this-name'
try tune --on cpu
try tune mm1 --on cpu --space space.json
try tune mm1 --on sim:gtx1080ti --finals 3
try tune mm1 --on sim:gtx1080ti --library
try tune mm1 --on cpu --library --finals 0 --rounds 3
try tune 'C[i:64] = log(A[i] - 2)' --on cpu --quiet
try record --on 'cmd:echo {X}' --space space.json --out x
try record --on 'cmd:echo {X}' --space space.json --all
try record --on 'cmd:echo {X}' --space space.json --all --out x.csv
try record --on 'cmd:echo {X}' --space space.json --all --out x --result 'score:/1/'
try record --on recorded:x --all --out y
try record mm1 --on recorded: --all --out y
try record mm1 --on sim:gtx1080ti --all --out x --seed -1
try record c2 --on sim:gtx1080ti --from absent.db:1 --out x
ls
