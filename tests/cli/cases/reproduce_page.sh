# SPDX-License-Identifier: GPL-3.0-or-later
# A page of Markdown whose tables are computed by commands and a plan: each number follows, and each altered one is found.
# The numbers of the page are taken from other output of the program than the JSON by which they are checked.
echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": "matmul(8,8,8)"}], "tuners": ["random", "opevo"], "seeds": 5,
 "budget": {"trials": 12}}' >plan.json
opevo study plan.json --store runs.db --quiet >/dev/null
csv() { opevo analyze runs.db --csv --resamples 100 | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["tuner"] == sys.argv[1] and row["statistic"] == "mean" and row["at"] == "12":
        print("%.3f" % float(row["value"]))' "$1" | sed 's/^0//' | head -n 1; }
ok=$(opevo landscape 'matmul(8,8,8)' --on sim:mi50 | sed -n 's/^ *ok *\([0-9,]*\).*/\1/p' | head -n 1)
cat >page.md <<S
# Page

## Sizes

| device | ok |
|---|---|
| mi50 | $ok points |

## Tuners

| tuner | other | 12 trials |
|---|---|---|
| \`random\` | 1 | $(csv random) |
| \`opevo\` | 2 | $(csv opevo) |

## Measured

| a | b |
|---|---|
| 1 | 2 |

## Forgotten

| a |
|---|
| 3 |
S
cat >page.json <<'S'
{"format": "opevo page 1", "sections": [
 {"heading": "Sizes", "checks": [{"command": ["landscape", "matmul(8,8,8)", "--on", "sim:mi50", "--json"],
   "value": "outcomes/ok", "row": ["mi50"], "column": "ok"}]},
 {"heading": "Tuners", "plan": "plan.json", "checks": [{"command": ["analyze", "{store}", "--json", "--resamples", "100"],
   "value": "landscapes/0/tuners/name={0}/points/trials=12/mean", "row": ["`{0}`"], "column": "12 trials",
   "each": [["random"], ["opevo"]]}]},
 {"heading": "Measured", "not_repeated": "it was measured"}]}
S
opevo reproduce page.md
echo "exit status $?"
echo "-- altered"
for line in $(grep -n 'mi50 \|`random`\|`opevo`' page.md | cut -d : -f 1); do
    awk -v n=$line 'NR == n { match($0, /[0-9] *(points)? \|$/); d = substr($0, RSTART, 1)
        $0 = substr($0, 1, RSTART - 1) (d + 1) % 10 substr($0, RSTART + 1) } { print }' page.md >spoilt.md
    cmp -s page.md spoilt.md && echo unchanged
    cp page.json spoilt.json
    opevo reproduce spoilt.md --quiet | grep -c 'does not follow'
done
for minus in - −; do
    sed "/^| .random/s/\\([0-9.]*\\) |\$/$minus\\1 |/" page.md >spoilt.md
    cmp -s page.md spoilt.md && echo unchanged
    opevo reproduce spoilt.md --quiet | grep -c 'does not follow.*"-'
done
sed -i 's/## Sizes/## Size/' page.md
opevo reproduce page.md --quiet
echo "exit status $?"
echo "-- without data, and without a description"
sed -i 's/"on": "sim:mi50", "what": "matmul(8,8,8)"/"on": "recorded:absent.csv"/' plan.json
opevo reproduce page.md | grep 'Tuners' | sed "s|$PWD|FOLDER|g"
rm page.json
opevo reproduce page.md | sed "s|$PWD|FOLDER|"
echo "-- data beside the project, counts beyond 64 bits, and portfolios"
# Two workloads of three configurations: the best one is a quarter slower on each, two lose nothing.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
echo 'shift $1; echo took $1 ms' >bench.sh
record() { opevo record --on "cmd:sh bench.sh {X} $2" --space space.json --result 'ms:/took ([0-9.]+) ms/' --all --out "$1" \
    --quiet >/dev/null 2>&1; }
record a '3 4 6'
record b '12 4 3'
python3 - <<'S'
import json
size, values = 40, [1, 2, 3, 4, 5, 6, 7, 8]
json.dump({f"p{i}": {"_type": "discrete", "_value": values} for i in range(size)}, open("free.json", "w"))
points = f"{len(values) ** size:,}"
with open("page.md", "w") as file:
    file.write(f"# Page\n\n## Free\n\n| space | points | short |\n|---|---|---|\n| free | {points} | {len(values) ** size:.1e} |\n"
               "\n## Portfolio\n\n| K | regret |\n|---|---|\n| 1 | .250 |\n| 2 | .000 |\n\n## Absent\n\n| K |\n|---|\n| 1 |\n")
space = {"command": ["space", "free.json", "--json"], "value": "allowed/points", "row": ["free"]}
best = {"command": ["portfolio", "a.csv", "b.csv", "--configurations", "{0}", "--json"], "value": "value", "row": ["{0}"],
        "column": "regret", "each": [["1"], ["2"]]}
json.dump({"format": "opevo page 1", "sections": [
    {"heading": "Free", "checks": [space | {"column": "points"}, space | {"column": "short", "scale": 1e-36}]},
    {"heading": "Portfolio", "needs": ["a.csv", "b.csv"], "checks": [best]},
    {"heading": "Absent", "needs": ["a.csv", "absent/c.csv"], "checks": [best]}]}, open("page.json", "w"))
S
opevo reproduce page.md
echo "exit status $?"
sed 's/\.250/.251/; s/1,329,/1,328,/' page.md >spoilt.md
cp page.json spoilt.json
opevo reproduce spoilt.md --quiet
sed 's/"{0}", "--json"/"{0}", "--emit", "written", "--json"/' page.json >spoilt.json
opevo reproduce spoilt.md | grep -o 'would write.*' | sort -u
[ ! -e written ] || echo "written exists"
