# SPDX-License-Identifier: GPL-3.0-or-later
# Every trial of a run as a table, as CSV and as JSON; tables in a pipe keep to COLUMNS.
export COLUMNS=80
printf '{"X": {"_type": "factor", "_value": [8, 2]}, "V": {"_type": "choice", "_value": ["a \\"b\\"", "c"]}}' >space.json
cat >bench.sh <<'EOS'
[ "$1" = 1,8 ] && { echo 'no, "this" is not it,
and it takes more words to say so than any terminal has columns: there is no way around' >&2; exit 4; }
[ "$1" = 2,4 ] && { printf 'x%.0s' $(seq 200) >&2; exit 5; }
echo "$1 0.25" | tr , .
EOS
opevo tune --on 'cmd:sh bench.sh {X} {V}' --space space.json --result 'ms:/[0-9.]+/' --tuner grid --store runs.db \
    >/dev/null 2>&1
opevo tune mm1 --on sim:gtx1080ti --trials 30 --seed 3 --store runs.db >/dev/null
opevo runs runs.db:1 --trials
here() { sed '/^[0-9]/s/,[^,"]*,"\{0,1\}[^"]*"\{0,1\}$/,HOST,DEVICE/; s/"workers": \[[^]]*\]/"workers": []/; s/"host": "[^"]*", "device": "[^"]*"/"host": "", "device": ""/'; }
opevo runs runs.db:1 --trials --csv | sed 's/,0,[0-9.e-]*,0,0,/,cost,/' | here
opevo runs runs.db:1 --trials --json | sed 's/"run_s": [0-9.e-]*/"run_s": T/' | here
# A simulated run, and one of a study, which is packed: nothing is left out.
opevo runs runs.db:2 --trials --csv | wc -l
cat >plan.json <<'EOS'
{"study": 1, "objectives": [{"on": "sim:gtx1080ti", "what": "mm1"}], "tuners": ["opevo"], "seeds": [3],
 "budget": {"trials": 30}}
EOS
opevo study plan.json --store study.db --quiet >/dev/null
opevo runs runs.db:2 --trials --csv >alone
opevo runs study.db:1 --trials --csv | cmp - alone && echo "the same trials"
# What is wider than the terminal stands below, or is broken; no line is longer, and nothing is lost.
bare() { tr -d ' \n' <"$1"; }
COLUMNS=4000 opevo runs runs.db:1 --trials >wide
opevo runs runs.db:1 --trials >narrow
for word in 'no way around' 'a \\"b\\"'; do
    [ "$(grep -c "$word" narrow)" = "$(grep -c "$word" wide)" ] || echo "lost: $word"
done
[ "$(bare narrow | tr -cd x | wc -c)" = "$(bare wide | tr -cd x | wc -c)" ] || echo "lost: x"
for width in 0 100 80 60 40; do
    for what in runs.db:1 'runs.db:1 --trials' runs.db 'runs.db:2 --trials'; do
        [ $width = 0 ] || export COLUMNS=$width
        opevo runs $what >printed
        awk -v w=$width 'length > (w ? w : 80) { long++ } END { if (long) print w ": " long " lines too long" }' printed
        export COLUMNS=80
    done
done
opevo runs runs.db | sed 's/20[0-9TZ:-]*$/started/; s/ *[0-9.]* s$/ S s/'
opevo analyze runs.db --quiet | awk 'length > 80'
opevo space mm1 | awk 'length > 80'
try() { opevo runs "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try runs.db --trials
try runs.db:1 --csv
try runs.db:1 --trials --csv --json
try runs.db:9 --trials
