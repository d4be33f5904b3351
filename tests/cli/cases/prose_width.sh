# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that is printed for a person keeps to the width, in a pipe to COLUMNS, and no line ends in blanks. What a
# program reads is left as it is.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}, "Y": {"_type": "factor", "_value": [64, 3]}}' >space.json
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >one.json
cat >plan.json <<'S'
{"study": 1, "objectives": [{"on": "sim:mi50", "what": ["matmul(8,8,8)", "matmul(16,8,8)"]}], "tuners": ["grid", "random"],
 "budget": {"trials": 20}, "seeds": 4}
S
opevo study plan.json --store study.db --quiet >printed
try() {
    for width in 40 24; do
        COLUMNS=$width "$@" >printed 2>err </dev/null
        awk -v w=$width -v what="$*" 'length > w { long++ } / $/ { blank++ }
            END { if (long + blank || !NR) print w " columns: " what ": " NR " lines, " long + 0 " too long, " blank + 0 " end in blanks" }' \
            printed
    done
}
on='matmul(64,64,64)'
try opevo tune "$on" --on sim:gtx1080ti --trials 30 --store runs.db
try opevo tune "$on" --on sim:gtx1080ti --trials 30 --runs 3 --target 90%
try opevo tune "$on" --on sim:gtx1080ti --trials 30 --dry-run
try opevo tune --on 'cmd:sh -c false --with --many --arguments {X}' --space one.json --tuner grid --trials 3
try opevo runs runs.db
try opevo runs runs.db:1
try opevo runs runs.db:1 --trials
try opevo runs study.db
try opevo analyze study.db
try opevo analyze study.db --all
try opevo study plan.json --dry-run
try opevo study plan.json --store study.db
try opevo space space.json
try opevo law 'factor(16,3)' --start 1,1,16 --q 0.5
try opevo landscape "$on" --on sim:gtx1080ti
try opevo record "$on" --on sim:gtx1080ti --sample 20 --out table
try opevo report study.db -o page.html
try opevo devices
try opevo tuners
try opevo tuners opevo
try opevo help
for verb in $(opevo completion words -- help ''); do
    try opevo help "$verb"
done
# Help fits 80 columns: examples are not broken, and no paragraph has a rest that is indented.
for verb in $(opevo completion words -- help ''); do
    for width in 80 400; do
        COLUMNS=$width opevo help "$verb" | sed '/^options:/,$d' >help.$width
        grep '^ ' help.$width >examples.$width
    done
    cmp examples.80 examples.400 || echo "opevo help $verb breaks an example"
    sed '1,/^$/d' help.80 | awk -v what="opevo help $verb" '
        last != "" && /^[^ ]/ && length(last " " $1) <= 80 { print what ": broken too early: " last }
        { last = /^[^ ]/ ? $0 : "" }'
done
COLUMNS=24 opevo runs runs.db --json | awk 'length > 200 { long++ } END { print (long ? "JSON is whole" : "JSON is broken") }'
COLUMNS=24 opevo man >narrow
COLUMNS=400 opevo man | cmp - narrow && echo "the man page is whole"
COLUMNS=80 opevo help tune | grep -A1 '^  --give-up'
