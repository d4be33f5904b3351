# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of evolve can be listed, analysed and reported, with the edits that a variant has; files that explain none are refused.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
for seed in 1 2; do opevo evolve planted --trials 60 --seed "$seed" --store runs.db --quiet >/dev/null; done
opevo runs runs.db --json | grep -c '"trials": 60'
opevo runs runs.db:1 --trials --csv | wc -l
opevo analyze runs.db --json | grep -o '"runs": 2' | head -n 1
opevo edits explain planted 'delete U66; delete U47' --json >explained.json
opevo report runs.db --edits explained.json -o page.html --quiet >/dev/null; echo "status $?"
grep -o '"file": *"explained.json"' page.html
grep -o '"subset_gains":\[0[^]]*\]' page.html | tr ',' '\n' | wc -l
echo '{"list": [], "pairs": [{}]}' >other.json
opevo report runs.db --edits other.json -o other.html --quiet; echo "status $?"
opevo report runs.db --edits absent.json -o other.html --quiet; echo "status $?"
ls
