# SPDX-License-Identifier: GPL-3.0-or-later
# A study with "null": each tuner once more on other seeds, which only the A/A line counts.
plan() {
    echo '{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["mm1", "c1"]}],
 "tuners": ["random", {"tuner": "opevo", "settings": {"lambda": 4}}],
 "budget": {"trials": 20}, "seeds": 8'"$1"'}' >plan.json
}
plan ''
opevo study plan.json --store plain.db --quiet >/dev/null
plan ', "null": true'
opevo study plan.json --store null.db --quiet | grep -v ' s on '
opevo runs null.db --json | grep -c null=1
opevo analyze null.db --no-landscapes | grep A/A
opevo analyze null.db --no-landscapes --json | grep -o '"null": {.*"biased": [a-z]*'
opevo analyze null.db --no-landscapes --csv | grep false_verdict_rate
# The twins change no other number.
for store in plain null; do
    opevo analyze $store.db --no-landscapes --csv | grep -v false_verdict_rate >$store.csv
done
cmp plain.csv null.csv && echo same
opevo report null.db --no-landscapes -o page.html --quiet >/dev/null
grep -o '"null": {"pairs": [0-9]*' page.html
plan ', "null": 1'
opevo study plan.json --store other.db
