# SPDX-License-Identifier: GPL-3.0-or-later
# Several stores are analysed as one that was merged from them; what is in two of them counts once, what contradicts
# itself is refused, and no store changes.
cat >toy.csv <<'S'
u,v,time_ms,status,energy
1,1,8,ok,1
1,2,4,ok,4
1,3,5,ok,9
2,1,3,ok,2
2,2,2,ok,8
2,3,,runtime_error,18
4,1,2.5,ok,4
4,2,1,ok,16
4,3,6,ok,36
S
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 9,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 4]},
  {"name": "v", "type": "int", "values": [1, 2, 3]}],
 "columns": ["u", "v", "time_ms", "status", "energy"],
 "criteria": [{"name": "energy", "unit": "J", "better": "smaller"}]}
S
echo '{"u": {"_type": "discrete", "_value": [1, 2]}, "v": {"_type": "discrete", "_value": [1, 2, 3]}}' >less.json
plan() { # FILE OBJECTIVES TUNERS SEEDS
    echo '{"study": 1, "objectives": ['"$2"'], "tuners": ['"$3"'], "seeds": '"$4"', "budget": {"trials": 6}}' >"$1"
}
shard() { # PLAN PART STORE
    opevo study "$1" --shard "$2" --store "$3" --quiet >/dev/null
}
without_manifest() { sed '/^ "manifest"/,$d'; }
# The numbers of a report; runs of failures have the numbers of their store, and its name.
numbers() {
    opevo report "$@" -o page.html --resamples 200 --quiet >/dev/null
    sed -n '/id="data"/,/<\/script>/p' page.html | without_manifest |
        sed 's/"title": "[^"]*"//; s/"command": "[^"]*"//; s/"run": [0-9]*, \("store": "[^"]*", \)*//g'
}
same() { # MERGED STORE...
    merged=$1
    shift
    for form in --all --csv --json --latex; do
        opevo analyze "$merged" $form --resamples 200 | without_manifest >one
        opevo analyze "$@" $form --resamples 200 | without_manifest >several
        sed -i "1s/^[^:]*: \([0-9]* runs\)/STORES: \1/" one several
        cmp one several && echo "$form: $(grep -c . one) lines"
    done
    numbers "$merged" >one
    numbers "$@" >several
    cmp one several && echo "page: $(wc -c <one) bytes" | sed 's/ [0-9]\{4,\}/ many/'
}
sums() { sha256sum ./*.db; }

echo "-- shards"
plan plan.json '"recorded:toy.csv", {"on": "recorded:toy.csv", "space": "less.json"}' '"random", "opevo", "gbfs"' 7
for i in 1 2 3; do shard plan.json $i/3 shard.db; done
opevo study plan.json --merge shard.1-of-3.db shard.2-of-3.db shard.3-of-3.db --store merged.db >/dev/null
sums >before
same merged.db shard.1-of-3.db shard.2-of-3.db shard.3-of-3.db
for form in --all --json; do
    opevo analyze merged.db $form --criteria time,energy --resamples 200 | without_manifest >one
    opevo analyze shard.?-of-3.db $form --criteria time,energy --resamples 200 | without_manifest >several
    sed -i "1s/^[^:]*: \([0-9]* runs\)/STORES: \1/" one several
    cmp one several && echo "fronts, $form: $(grep -c . one) lines"
done
echo "-- one line and more shares than lines"
plan line.json '"recorded:toy.csv"' '"random"' 9
for i in 1 2; do shard line.json $i/2 line.db; done
opevo study line.json --merge line.1-of-2.db line.2-of-2.db --store whole.db >/dev/null
same whole.db line.1-of-2.db line.2-of-2.db
echo "-- different plans"
opevo analyze shard.1-of-3.db line.1-of-2.db --no-landscapes --resamples 100 | sed -n 1p
echo "-- the same runs again"
opevo analyze shard.1-of-3.db shard.1-of-3.db merged.db --no-landscapes --resamples 100 | sed -n 1,2p
opevo analyze merged.db --csv --resamples 100 >one
opevo analyze shard.1-of-3.db merged.db shard.2-of-3.db --csv --resamples 100 2>notes >several
sort one >one.sorted && sort several | cmp - one.sorted && cat notes
echo "-- a longer run takes the place of its beginning"
tune() { opevo tune --on recorded:toy.csv --tuner random --runs 2 --quiet "$@" >/dev/null; }
tune --trials 4 --store short.db
tune --trials 6 --store long.db
opevo analyze long.db --csv >one
opevo analyze short.db long.db --csv | cmp - one
opevo analyze long.db short.db --csv 2>/dev/null | cmp - one
echo "-- contradictions"
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
for i in 1 2; do
    echo $i >added
    opevo tune --on 'cmd:sh -c "echo $(({X} + $(cat added)))"' --name toy --space space.json --result \
        'score:/[0-9]+/' --tuner grid --trials 3 --store differs-$i.db --quiet >/dev/null
done
opevo analyze differs-1.db differs-2.db
echo "exit status $?"
opevo report differs-1.db differs-2.db
echo "exit status $?"
echo "-- planned and begun elsewhere"
cp shard.1-of-3.db again.db
sqlite() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()' "$@"; }
sqlite again.db "UPDATE runs SET stop = 'planned'"
sqlite again.db "DELETE FROM packed"
opevo analyze again.db
opevo analyze again.db shard.2-of-3.db --no-landscapes --resamples 100 | sed -n 2p
opevo analyze again.db shard.1-of-3.db --no-landscapes --resamples 100 | grep -c planned
echo "-- what cannot be several"
for what in "shard.1-of-3.db:1 shard.2-of-3.db" "recorded:toy.csv shard.1-of-3.db" "shard.1-of-3.db recorded:toy.csv" "shard.1-of-3.db absent.db"; do
    opevo report $what
    echo "exit status $?"
done
opevo analyze shard.1-of-3.db absent.db
echo "exit status $?"
echo "-- nothing has changed"
sha256sum --quiet -c before
ls | grep -c -- "-wal\|-shm\|-journal\|report" || :
