# SPDX-License-Identifier: GPL-3.0-or-later
# Without COLUMNS lines in a pipe are whole, help is prose of 80 columns, and a terminal is kept to. A terminal without
# escape sequences gets none.
unset COLUMNS
command -v script >/dev/null || { echo "skipped: script(1) is not installed" >&2; exit 77; }
on='matmul(64,64,64)'
opevo tune "$on" --on sim:gtx1080ti --trials 30 --store runs.db >lines
awk 'NR == 1 { print (length > 90 && / trials$/ ? "whole" : "broken") }' lines
opevo runs runs.db | wc -l
opevo help tune | awk 'length > 80 { long++ } END { print long + 0 }'
on_terminal() {
    TERM=$1 script -qec "stty cols 60; opevo tune --on 'cmd:sh -c \"sleep .15; echo {X}; [ {X} != 2 ]\"' --space s.json --tuner grid --result 'ms:/([0-9])/'" /dev/null >seen </dev/null
}
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >s.json
on_terminal xterm
grep -c "$(printf '\033\\[K')" seen >/dev/null && echo "escapes"
on_terminal dumb
grep -q "$(printf '\033')" seen || echo "no escape"
tr '\r' '\n' <seen | grep -o 'trial 4, best 1 ms, 1 failed'
tr '\r' '\n' <seen | awk 'length > 60 { long++ } END { print long + 0 }'
