# SPDX-License-Identifier: GPL-3.0-or-later
# On a narrow terminal sentences are broken at blanks, and tables keep their rows as long as a column has room. The
# words stay the same, and a width given by COLUMNS makes no terminal of standard error.
for q in 0.1 0.5 0.9; do
    for what in 'matmul(8,8,8)' 'matmul(16,8,8)'; do
        opevo tune "$what" --on sim:gtx1080ti --set q=$q --trials 40 --runs 6 --store runs.db --quiet >/dev/null
    done
done
words() { tr -s ' \n' '\n\n' <"$1" | sort; }
COLUMNS=400 opevo analyze runs.db --all --at 10,40 >wide
(unset COLUMNS && opevo analyze runs.db --all --at 10,40) | cmp - wide && echo "whole without a terminal"
for width in 80 60 40 24; do
    COLUMNS=$width opevo analyze runs.db --all --at 10,40 >narrow
    awk -v w=$width 'length > w { long++ } END { print w " columns: " long + 0 " lines too long" }' narrow
    [ $width != 60 ] || cp narrow sixty
done
sed -n '/^best.*by number of trials/,/^$/p' sixty | head -n 12
sed -n '/^verdicts/,/^$/p' wide >prose
opevo analyze runs.db --all --at 10,40 | sed -n '/^verdicts/,/^$/p' | cmp - prose
sed -n '/^verdicts/,/^$/p' sixty >broken
words prose >one && words broken | cmp - one && echo "the same words"
grep -c '^  ' broken | awk '{ print ($1 >= 12 ? "indented" : "not indented: " $1) }'
grep -o "Friedman's.*" wide | sed 's/[0-9][0-9.]*/N/g'
grep '^critical' wide | sed 's/: [0-9.]*$/: N/'
opevo analyze runs.db --csv | grep '^,,' | sed 's/,[0-9][0-9.]*/,N/g'
cat >plan.json <<'S'
{"study": 1, "objectives": [{"on": "sim:mi50", "what": "mm1"}], "tuners": [{"tuner": "opevo", "settings":
 {"lambda": [2, 4]}}], "budget": {"trials": 5, "seconds": 1000, "target": "99%"}, "seeds": 2}
S
COLUMNS=50 opevo study plan.json --dry-run | head -n 3
COLUMNS=50 opevo study --size 0.6 | awk 'length > 50'
COLUMNS=none opevo study --size 0.6 | tail -n 3
