# SPDX-License-Identifier: GPL-3.0-or-later
# Stored cost models: learned from runs and from recordings, which know the programs that they recorded; the same call
# writes the same bytes; runs start from them, also when they are killed and go on; what is not one is refused.
try() { "$@" >none; [ $? = 2 ] || echo "exit status is not 2: $*"; }
tune() { opevo tune mm2 --on sim:mi50 --tuner autotvm --set model=treegru-context --set updates=2 --set chains=16 \
    --quiet --json "$@"; }
opevo tune mm1 --on sim:gtx1080ti --tuner random --trials 60 --store runs.db --quiet >none
opevo tune bmm1 --on sim:mi50 --tuner random --trials 40 --store runs.db --quiet >none
opevo learn runs.db:1 runs.db:2 --hidden 16 --passes 3 --out a.model
opevo learn runs.db:1 runs.db:2 --hidden 16 --passes 3 --out b.model --json
cmp a.model b.model
head -n 1 a.model
echo "-- a run from it, whole and in parts"
tune --learn a.model --trials 70 >whole
grep -o '"learned": "[a-z-]*"' whole
tune --learn a.model --trials 30 --store more.db >part
tune --learn a.model --trials 70 --store more.db >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
tune --trials 70 >plain
tune --learn none --trials 70 | cmp - plain
cmp -s plain whole || echo "others without"
opevo tune mm2 --on sim:mi50 --tuner autotvm --set model=treegru-context --learn a.model --dry-run | grep -o 'a model learned.*trees'
echo "-- refused, and nothing written"
head -c 3000 a.model >cut.model
LC_ALL=C sed 's/^opevo cost model 1/opevo cost model 7/' a.model >new.model
opevo learn runs.db:1 --model treegru --loss reg --hidden 16 --passes 1 --out names.model >none
try tune --learn cut.model --store no.db
try tune --learn new.model --store no.db
try tune --learn names.model --store no.db
try tune --learn a.model --learn b.model --store no.db
try tune --learn a.model --learn none --store no.db
try tune --learn a.model --learn runs.db:1 --store no.db
try tune --learn runs.db --store no.db
try opevo tune mm1 --on sim:mi50 --tuner qgp --learn a.model --store no.db
try opevo tune mm1 --on sim:mi50 --tuner random --learn a.model --store no.db
try opevo learn runs.db:1 runs.db:1 --out no.db
try opevo learn runs.db:9 --out no.db
try opevo learn runs.db --out no.db
try opevo learn recorded: --out no.db
try opevo learn runs.db:1
try opevo learn runs.db:1 --model trees --out no.db
test ! -e no.db && echo none
echo "-- a recording of live kernels knows their programs: the same trees as those of the run"
opevo tune 'matmul(32,32,32)' --on cpu --template sketch --tuner random --trials 5 --finals 0 --store live.db --quiet >none
opevo record --from live.db:1 --out again --quiet >none
for of in live.db:1 recorded:again.json; do opevo learn $of --hidden 8 --passes 1 --out of-${of%%:*}.model | cut -d';' -f1; done
cmp of-live.db.model of-recorded.model
opevo tune --on only-recorded:again.json --tuner autotvm --set model=treegru --trials 5 --quiet | grep -c ' 0 failed'
echo "-- ansor begins with the model of opevo on sketches for a CPU without a start, unless something else is said"
for tuner in 'ansor --start none' 'ansor --start none --learn none' 'ansor --start none --learn of-recorded.model' \
    'ansor --start none --set model=treegru' 'ansor --start none --set search=random' 'autotvm --start none' ansor \
    'ansor --start default'; do
    opevo tune 'matmul(32,32,32)' --on cpu --template sketch --tuner $tuner --dry-run 2>&1 |
        grep -o 'a model learned from [0-9]*\|opevo tune: .*\| seed [0-9]*' | tr '\n' ';'
    echo
done
opevo tune mm1 --on sim:mi50 --tuner ansor --dry-run 2>none | grep 'a model learned' || echo "not on a simulated GPU"
