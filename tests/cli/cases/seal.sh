# SPDX-License-Identifier: GPL-3.0-or-later
# A sealed landscape opens for evaluation only; every opening is in its log, and a changed log is found.
. "${0%/*}/../toy_landscape.sh"
opevo seal toy.csv --out toy.sealed
opevo seal toy.csv --out toy.sealed
echo "exit status $?"
python3 -c 'import lzma; lzma.open("toy.csv.xz", "w").write(open("toy.csv", "rb").read())'
opevo seal toy.csv.xz --out other.sealed
looks() { opevo seal "$@" | head -n 1; }
looks toy.sealed
cp toy.csv .csv
cp toy.json .json
opevo seal ./.csv --out nameless.sealed
grep -c '2.5\|runtime_error' toy.sealed
echo "-- the same outcomes as the recording"
tune() { opevo tune --tuner grid --trials 9 --json --quiet "$@" | python3 -c 'import json, sys
t = json.load(sys.stdin); print(t["best"]["fitness"] if "fitness" in t["best"] else t["best"])'; }
opevo tune --on recorded:toy.csv --tuner grid --trials 9 --store plain.db --quiet >/dev/null
opevo tune --on sealed:toy.sealed --tuner grid --trials 9 --store sealed.db --quiet >/dev/null
for store in plain.db sealed.db; do opevo runs $store:1 --trials --csv >$store.csv; done
cmp plain.db.csv sealed.db.csv && echo same trials
looks toy.sealed
echo "-- a study, and once more"
echo '{"study": 1, "objectives": ["sealed:toy.sealed"], "tuners": ["random", "grid"], "seeds": 4, "budget": {"trials": 5}}' >plan.json
opevo study plan.json --store study.db --quiet >/dev/null
opevo study plan.json --store study.db --quiet >/dev/null
opevo study plan.json --dry-run >/dev/null
opevo analyze study.db --resamples 100 | sed -n 2,4p
opevo analyze study.db --resamples 100 --json | grep -o '"looks": [0-9]*, "looks_after_copies": [0-9]*'
opevo seal toy.sealed --log | sed 's/, "host".*//; s/"time": "[^"]*"/TIME/'
echo "-- every verb that reads landscapes"
before=$(sha256sum <toy.sealed)
try() { opevo "$@" </dev/null >out 2>err; echo "$1: exit status $? $(head -n 1 err)"; }
try landscape --on sealed:toy.sealed
try landscape --on recorded:toy.sealed
try landscape toy.sealed
try report --on sealed:toy.sealed -o r.html
try report recorded:toy.sealed -o r.html
try record --on sealed:toy.sealed --all --out copy
try record --on recorded:toy.sealed --all --out copy
try analyze plain.db --objective toy=sealed:toy.sealed
try analyze plain.db --objective toy=recorded:toy.sealed
try tune --on recorded:toy.sealed --trials 3
try tune --on only-recorded:toy.sealed --trials 3
try space toy.sealed
try seal toy.csv
[ "$before" = "$(sha256sum <toy.sealed)" ] && echo "nothing was opened"
echo "-- not without a trace"
cp toy.sealed locked.sealed
chmod a-w locked.sealed
if [ "$(id -u)" = 0 ]; then echo "Permission denied"; else opevo tune --on sealed:locked.sealed --trials 2 2>&1 | grep -o 'Permission denied'; fi
cp toy.sealed copied.sealed
opevo tune --on sealed:copied.sealed --tuner random --trials 2 --quiet >/dev/null
looks copied.sealed
altered() { looks altered.sealed; opevo tune --on sealed:altered.sealed --trials 2 --quiet; echo "exit status $?"; }
sed 's/"entry": 2/"entry": 3/' toy.sealed >altered.sealed
altered
sed '/"entry": 2/d' toy.sealed >altered.sealed
altered
sed '$s/study/tuned/' toy.sealed >altered.sealed
altered
sed 's/"table_bytes": 1/"table_bytes": 2/' toy.sealed >altered.sealed
altered
sed 's/^\({"name": "toy", "time": "\)2/\11/' toy.sealed >altered.sealed
altered
sed 's/^{"name": "toy"/{"name": ""/' toy.sealed >altered.sealed
altered
python3 - <<'P'
data = bytearray(open("toy.sealed", "rb").read())
data[data.index(b"}\n") + 40] ^= 1
open("altered.sealed", "wb").write(data)
P
altered
echo "-- a log that cannot be written whole stays what it was"
opevo seal toy.csv --out full.sealed >/dev/null
for turn in 1 2 3 4 5 6; do
    (trap '' XFSZ; ulimit -f 2; opevo tune --on sealed:full.sealed --trials 2 --quiet >/dev/null 2>err) || break
done
echo "$(grep -o 'it opens only where its log can be written' err)"
[ "$(opevo seal full.sealed --log | wc -l)" = $((turn - 1)) ] && looks full.sealed | grep -c altered
echo "-- a pipe is refused, not waited for"
mkfifo pipe
for on in recorded:pipe sealed:pipe; do
    timeout 60 opevo tune --on $on --trials 2 2>&1 | sed 's/;.*//'
done
