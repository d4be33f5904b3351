# SPDX-License-Identifier: GPL-3.0-or-later
# Where the community's baseline is not that of random search, scores against it are left out, with the reason, in every
# form; on a landscape beside it they stay.
opevo tune c1 --on sim:mi50 --tuner random --runs 8 --trials 60 --store runs.db >out || cat out
opevo tune --on recorded: --tuner random --runs 8 --trials 60 --store runs.db >out || cat out
why='against the community.s baseline, which is not random search here: that scores -[0-9.]* against it, not 0'
opevo analyze runs.db --all >text
grep -o "^sim:mi50 c1: no scores over trials $why" text | sed 's/-[0-9.]\+/-X/'
grep -c "no scores over" text
# The two columns of the community, of the first landscape and of the other.
grep -A2 '^contender  *over trials' text | grep '^random' | awk '{ print $5, $NF }' | sed 's/-\?[0-9.]\+/N/g'
opevo analyze runs.db --json >json
grep -o '"notes": "[^"]*"' json | grep -c "sim:mi50 c1: no scores over seconds $why"
grep -c '"community_score_of_random_over_trials": -[0-9][0-9]' json
grep -o '"community_baseline": [a-z0-9-]' json | sed 's/[0-9-]$/N/' | sort | uniq -c
opevo analyze runs.db --csv >csv
grep 'score_over_.*_community' csv | cut -d, -f1,2,4 | sort
opevo analyze runs.db --latex >latex
opevo report runs.db -o page.html --quiet >out 2>&1 || grep -q 'without its charts\|no charts' out || cat out
[ ! -s page.html ] || grep -q "sim:mi50 c1: no scores over trials" page.html || echo 'no note in the page'
