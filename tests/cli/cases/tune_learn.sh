# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo tune "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
opevo tune mm1 --on sim:gtx1080ti --tuner random --trials 600 --store runs.db >first
opevo tune mm1 --on sim:gtx1080ti --tuner autotvm --set trees=30 --trials 70 --learn runs.db:1 --json >whole
grep -o '"earlier_trials": [0-9]*' whole
opevo tune mm1 --on sim:gtx1080ti --tuner autotvm --set trees=30 --trials 30 --learn runs.db:1 --store runs.db --json >part
opevo tune mm1 --on sim:gtx1080ti --tuner autotvm --set trees=30 --trials 70 --learn runs.db:1 --store runs.db --json >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
opevo tune mm1 --on sim:gtx1080ti --tuner autotvm --learn runs.db:1 --learn runs.db:2 --dry-run | grep -o '[0-9]* earlier trials'
opevo tuners | awk '/^[a-z]/ { name = $1 } /learns from earlier runs/ { print name }'
echo "-- from another device, resumed"
opevo tune mm1 --on sim:mi50 --tuner qgp --trials 12 --learn runs.db:1 --json >whole
grep -o '"earlier_trials": [0-9]*' whole
opevo tune mm1 --on sim:mi50 --tuner qgp --trials 7 --learn runs.db:1 --store runs.db --json >part
opevo tune mm1 --on sim:mi50 --tuner qgp --trials 12 --learn runs.db:1 --store runs.db --json >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
try mm1 --on sim:gtx1080ti --learn runs.db:1
try mm1 --on sim:gtx1080ti --tuner autotvm --learn runs.db
try mm1 --on sim:gtx1080ti --tuner autotvm --learn runs.db:x
try mm1 --on sim:gtx1080ti --tuner autotvm --learn runs.db:9
try mm1 --on sim:gtx1080ti --tuner autotvm --learn absent.db:1
try mm2 --on sim:gtx1080ti --tuner autotvm --learn runs.db:1
echo "-- from another space, resumed"
learn="--on sim:mi50 --tuner autotvm --set model=treegru-context --set updates=2 --learn runs.db:1"
opevo tune mm2 $learn --dry-run | grep -o '[0-9]* earlier loop trees'
opevo tune mm2 $learn --trials 70 --json >whole
opevo tune mm2 $learn --trials 30 --store runs.db --json >part
opevo tune mm2 $learn --trials 70 --store runs.db --json >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
try mm2 $learn --learn runs.db:4
echo "-- a network needs no library of trees, and has no views"
for model in trees treegru treegru-context; do
    opevo tune mm1 --on sim:mi50 --tuner autotvm --set model=$model --trials 1 --json | grep -c '"library"'
done
opevo tune mm1 --on sim:mi50 --tuner autotvm --set model=treegru --trials 1 | grep -c XGBoost
try mm1 --on sim:mi50 --tuner autotvm --set model=treegru --set features=loops
echo "-- what a tuner refuses leaves no store"
echo '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
program() { try --on 'cmd:echo {X} ms' --space space.json --result 'ms:/(.*) ms/' --store no.db --tuner autotvm "$@"; }
program --set model=treegru
program --set features=relation
try mm1 --on sim:mi50 --tuner autotvm --set model=treegru --set features=loops --store no.db
try mm2 --on sim:mi50 --tuner autotvm --learn runs.db:1 --store no.db
try mm2 $learn --learn runs.db:4 --store no.db
try mm2 $learn --learn runs.db:1 --store no.db
test ! -e no.db && echo none
