# SPDX-License-Identifier: GPL-3.0-or-later
# Several operators, named or weighed wrongly; nothing is written.
try() { opevo tune "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try mm1 bmm1
try mm1 bmm9 --on sim:mi50
try mm1 bmm1 --on sim:mi50 --weights 1
try mm1 bmm1 --on sim:mi50 --weights 1,2,3
try mm1 bmm1 --on sim:mi50 --weights 1,
try mm1 bmm1 --on sim:mi50 --weights ''
try mm1 bmm1 --on sim:mi50 --weights 1,-1
try mm1 bmm1 --on sim:mi50 --weights nan,1
try mm1 bmm1 --on sim:mi50 --weights 1,inf
try mm1 bmm1 --on sim:mi50 --weights 1,2x
try mm1 bmm1 --on sim:mi50 --weights 0,0
try mm1 bmm1 --on sim:mi50 --weights 1e308,1e308
try mm1 'matmul(512,1024,1024)' --on sim:mi50
try mm1 bmm1 mm1 --on sim:mi50
try mm1 bmm1 c1 --on sim:mi50 --on sim:v100
try mm1 bmm1 c1 --on cpu --space a --space b
try mm1 bmm1 --on recorded:
try mm1 bmm1 --on sim:mi50 --runs 3
try mm1 bmm1 --on sim:mi50 --curve
try mm1 bmm1 --on sim:mi50 --learn runs.db:1
try mm1 bmm1 --on sim:mi50 --criteria time
try mm1 bmm1 --on sim:mi50 --trials 1
try mm1 bmm1 --on sim:mi50 --aim median
try mm1 bmm1 --on sim:mi50 --allocate fair
try mm1 bmm1 --on sim:mi50 --allocate gradient,gamma=1
try mm1 bmm1 --on sim:mi50 --allocate gradient,alpha=1.5
try mm1 bmm1 --on sim:mi50 --allocate gradient,window=2.5
try mm1 bmm1 --on sim:mi50 --allocate gradient,epsilon
try mm1 bmm1 --on sim:mi50 --allocate round-robin,alpha=0.5
try mm1 bmm1 --on sim:mi50 --target -1
try mm1 bmm1 --on sim:mi50 --target 200%
try mm1 bmm1 --on sim:mi50 --emit kernels
try mm1 --on sim:mi50 --weights 1
try mm1 --on cpu --space a.json --space b.json
try mm1 --on sim:mi50 --allocate round-robin
printf '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
try --on 'cmd:echo {X}' --on 'cmd:echo 1 {X}' --space space.json --result 'score:/(.*)/' --store runs.db
ls
