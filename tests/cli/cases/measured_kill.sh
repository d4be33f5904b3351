# SPDX-License-Identifier: GPL-3.0-or-later
# What is measured is in the store at once, a trial as soon as all before it are too: killed in the midst of a
# measurement that does not end, a run loses that and nothing else; interrupted, it ends at once.
. "${0%/*}/../left.sh"
export nap=$((1000000 + $$)) # a time of its own, to find the process by
cat >bench.sh <<'S'
echo "$1" >>begun
[ "$1" != 8 ] || [ -e free ] || exec sleep "$nap"
echo "$1" >>ended
echo "took 1$1 ms"
S
printf '{"X": {"_type": "discrete", "_value": [%s]}}' "$(seq -s , 12)" >space.json
echo "{\"study\": 1, \"objectives\": [{\"on\": \"cmd:sh $PWD/bench.sh {X}\", \"space\": \"space.json\",
 \"result\": \"ms:/took ([0-9]+)/\"}],
 \"tuners\": [\"grid\"], \"seeds\": 1, \"budget\": {\"trials\": 12}}" >plan.json
worker="$(dirname "$(command -v opevo)")/opevo-worker cmd"
tune() {
    exec opevo tune --on "cmd:sh $PWD/bench.sh {X}" --space space.json --tuner grid --trials 12 --store runs.db \
        --workers "$worker" --workers "$worker" --workers "$worker" --quiet
}
study() { exec opevo study plan.json --store runs.db --quiet; }
record() {
    exec opevo record --on "cmd:sh $PWD/bench.sh {X}" --space space.json --all --seed 5 --out table \
        --workers "$worker" --workers "$worker" --workers "$worker" --quiet
}
trials() { opevo runs runs.db --json 2>/dev/null | grep -o '"trials": [0-9]*' | grep -o '[0-9]*$'; }
says() { [ "$("$@" 2>/dev/null)" = "$text" ]; }
reaches() { # TEXT COMMAND...
    text=$1
    shift
    await says "$@" || echo "$*: $("$@"), not $text"
}
# again: how many of those that had ended before the kill were begun after it
again() { tail -n "+$((lines + 1))" begun | sort -u | comm -12 - known | awk 'END { print NR, "measured twice" }'; }

count() { grep -c '^8$' begun; }
is_begun() { [ "$(count)" -gt "$before" ]; } # once more than before

# killed: the last command in the background, in the midst of its measurement.
killed() {
    sleep 1 # what has ended is stored
    kill -9 $!
    wait $! 2>/dev/null
    left "$nap"
    before=$(count) lines=$(wc -l <begun)
    sort -u ended >known
}
interrupted() {
    await is_begun || echo "8 was not begun again"
    start=$(date +%s)
    kill -INT $!
    wait $!
    echo "exit status $?"
    [ $(($(date +%s) - start)) -lt 30 ] && echo "at once"
    left "$nap"
}

for how in tune study; do
    echo "-- $how"
    rm -f runs.db* begun ended free
    ($how >/dev/null) &
    reaches 7 trials
    [ $how = study ] || reaches 1 grep -c '^12$' ended # measured, and behind one that is not
    killed
    echo "$(trials) trials after a kill"
    ($how >/dev/null) &
    interrupted
    echo "$(trials) trials after an interrupt"
    : >free
    ($how >/dev/null)
    echo "$(trials) trials in all"
    again
done

echo "-- record"
rm -f begun ended free
(record >/dev/null) &
reaches 12 awk 'END { print NR }' table.csv # the head, and all but the one that does not end
killed
grep -o '"device": "[^"]' table.json | cut -d : -f 1 # what measured the rows that are there
(record >/dev/null) &
interrupted
: >free
(record) | head -n 1 | sed 's/.*: //'
again
