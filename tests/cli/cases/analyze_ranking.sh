# SPDX-License-Identifier: GPL-3.0-or-later
# What analyze says first: the ranking is by the mean, 20 contenders of it without --all; the sentences name its first.
cat >plan.json <<'S'
{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["matmul(8,8,8)", "matmul(16,8,8)"]}], "tuners": [{"tuner":
 "opevo", "settings": {"q": {"from": 0.02, "to": 0.5, "step": 0.02}}}], "seeds": 3, "budget": {"trials": 20}}
S
opevo study plan.json --store runs.db --quiet >/dev/null
opevo analyze runs.db >short
opevo analyze runs.db --all >all
for file in short all; do
    awk '/^best fraction of the optimum after 20 trials/ { rows = 0; last = 2; ranking = 1; next }
        ranking && (/^and/ || /^$/) { print rows " contenders " (fell ? "out of order" : "in order") ". " $0; ranking = 0 }
        ranking && $1 == "opevo" { rows++; if ($3 > last) fell = 1; last = $3; if (rows == 1) first[++n] = $1 " " $2 }
        /^- sim/ { match($0, /opevo q=[0-9.]*/); said[++k] = substr($0, RSTART, RLENGTH) }
        END { for (i = 1; i <= k; i++) print (said[i] == first[i] ? "the first is named" : said[i] " for " first[i]) }' $file
done
# Over both landscapes it is one who has the best of the mean ranks.
named=$(sed -n 's/^- over 2 landscapes: opevo \(q=[0-9.]*\) has the best mean rank.*/\1/p' short)
sed -n '/^over the 2/,/^Friedman/p' all | grep '^opevo' | awk '{ print $NF, $2 }' | sort -n |
    awk -v named="$named" 'NR == 1 { best = $1 } $1 == best && $2 == named { print "the best rank is named" }'
grep '^verdicts\|^area\|^expected' short || echo 'the rest is left to --all'
