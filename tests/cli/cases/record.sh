# SPDX-License-Identifier: GPL-3.0-or-later
# A recorded program: in two parts, with a line that was cut, and the same trials when it is replayed.
cat >space.json <<'EOF'
{"X": {"_type": "factor", "_value": [16, 3]},
 "P": {"_type": "permutation", "_value": [3], "_topology": "adjacent-swap"},
 "V": {"_type": "choice", "_value": ["plain", "two, \"words\""]}}
EOF
cat >bench.sh <<'EOF'
#!/bin/sh
echo "$1,$2" | { IFS=, read -r a b c p q r; [ "$c" = 16 ] && exit 9; [ "$b $p$q $3" = "16 01 plain" ] && sleep 9
    [ "$3" = plain ] && echo "$((1000 + a * 37 + b * 11 + p * 5 + q * r)).25 $((a * 3 + 1))"; }
exit 0
EOF
chmod +x bench.sh
on="cmd:./bench.sh {X} {P} {V}"
record() { opevo record --on "$on" --space space.json --result 'us:/([0-9]+[.][0-9]+)/' --timeout 1 --out bench "$@"; }
record --sample 50
head -1 bench.csv
printf '8,1,2,0,1' >>bench.csv
record --all
# With nothing left to measure it still says what measured.
record --all | grep -o ' 0 of them now'
grep -c '"device": "[^"]' bench.json
opevo tune --on "$on" --space space.json --result 'us:/([0-9]+[.][0-9]+)/' --timeout 1 --trials 60 --seed 2 --store live.db >/dev/null
opevo tune --on recorded:bench --trials 60 --seed 2 --store replay.db >/dev/null
for store in live replay; do
    opevo runs $store.db --json | sed 's/"on": .*//; s/"objective": "[^"]*", //; s/"cost_s": [0-9.e-]*//'
done | sort -u | grep -c '"run": 1'
opevo landscape --on recorded:bench | head -1
# A run in a store is a recording, too.
opevo record --from live.db:1 --out run | sed 's/^cmd.*: //'
opevo tune --on recorded:run --trials 60 --seed 2 | grep -c '^60 trials'
# A simulated one, with its exact times.
opevo record c2 --on sim:gtx1080ti --sample 3000 --out sim | tail -1
