# SPDX-License-Identifier: GPL-3.0-or-later
# A space of 8^100 points: its exact size, a table of some of its points, and searches that are resumed.
awk 'BEGIN {
    printf "{"
    for (i = 0; i < 100; i++)
        printf "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16, 32, 64, 128]}", i ? ", " : "", i
    printf "}"
}' >space.json
opevo space space.json | tail -1
opevo space space.json --json | grep -o '"points": [0-9]*'
cat >bench.sh <<'S'
#!/bin/sh
echo "$*" | awk '{ gsub(/[^0-9]+/, " "); n = split($0, a, " "); for (i = 2; i <= n; i += 2) s += a[i]; print s }'
S
chmod +x bench.sh
opevo record --on 'cmd:./bench.sh {}' --result 'ms:/([0-9.]+)/' --space space.json --sample 30 --out table >record.txt
head -1 record.txt
opevo landscape --on recorded:table.json 2>err || tail -1 err
opevo landscape --on recorded:table.json --only-recorded | sed 's/ p0=.*//' | head -2
opevo tune --on recorded:table.json --only-recorded --tuner opevo --trials 10 --store runs.db | sed -n 2p | cut -d' ' -f1-6
opevo tune --on recorded:table.json --only-recorded --tuner opevo --trials 20 --store runs.db | sed -n 2p | cut -d' ' -f1-6
opevo runs runs.db:1 --trials | awk '$2 == "ok" { print $0 ~ / p0=/ }' | sort | uniq -c | sed 's/^ *//'
