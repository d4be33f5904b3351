# SPDX-License-Identifier: GPL-3.0-or-later
# Interrupted in its finals, a run ends at once, keeps its trials and has no finals; the same command measures them.
. "${0%/*}/../left.sh"
printf '{"X": {"_type": "discrete", "_value": [1, 2]}}' >space.json
# The third execution, the first of the finals, takes its time.
cat >bench.sh <<'EOF'
echo "$1" >>executed
[ "$(wc -l <executed)" -gt 2 ] && : >>begun && [ -f slow ] && sleep 96
echo "took $1 ms"
EOF
start() {
    exec opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --tuner grid --trials 2 --finals 2 --rounds 6 \
        --result 'ms:/took ([0-9]+) ms/' --timeout 100 "$@"
}
interrupted() {
    rm -f executed begun
    (start "$@" >printed) &
    await test -f begun || echo "no begun"
    kill -INT $!
    wait $!
    echo "exit status $?"
    left 96
}
: >slow
interrupted --store runs.db
grep -c '^best' printed
tail -1 printed
opevo runs runs.db --json | grep -o '"trials": [0-9]*\|finals'
interrupted --json
grep -o '"stop": "trials"\|"finals": null' printed
interrupted
tail -1 printed
rm slow executed
(start --store runs.db) | sed 's/cost [0-9.]* s/cost/' | tail -n +2
sort executed | uniq -c
