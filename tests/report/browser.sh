#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# browser.sh OPEVO: open reports in headless Chromium. Each must draw all its charts without a word on the console, and
# the curves must be those of `opevo analyze --json`, which check.js compares inside the page. One browser has all pages
# in frames as wide as the windows that they are checked for.
set -u
opevo=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
for browser in chromium chromium-browser google-chrome chrome-headless-shell ''; do
    [ -z "$browser" ] && { echo "skipped: Chromium is not installed"; exit 77; }
    command -v "$browser" >/dev/null && break
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export HOME="$folder" XDG_CACHE_HOME="$folder/cache" XDG_CONFIG_HOME="$folder/config"

# A landscape whose names try to leave the page that they stand in.
# The slash is that of a folder "<".
evil=$(printf '</script><img src=x onerror=console.error(1)> "q" & <!-- \342\200\250')
awk 'BEGIN { print "u,v,time_ms,status"; for (i = 1; i <= 6; i++) for (j = 1; j <= 5; j++)
    print i "," j "," (i == 6 ? ",runtime_error" : 1 + (i - 4) ^ 2 + (j - 2) ^ 2 / 3 ",ok") }' >toy.csv
cat >toy.json <<'S'
{"format": "tuning-landscape 1", "name": "toy", "flop_per_run": 1e6, "rows": 30,
 "parameters": [{"name": "u", "type": "int", "values": [1, 2, 3, 4, 5, 6]},
                {"name": "v", "type": "int", "values": [1, 2, 3, 4, 5]}], "columns": ["u", "v", "time_ms", "status"]}
S
echo '{"u": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "v": {"_type": "choice", "_value": ["<b>&"]}}' \
    >space.json
cat >plan.json <<'S'
{"study": 1, "objectives": ["recorded:toy.csv"],
 "tuners": ["random", {"tuner": "opevo", "settings": {"q": [0.2, 0.5, 0.8], "lambda": [2, 4]}}],
 "topologies": {"*discrete": "path"}, "seeds": 6, "budget": {"trials": 25}}
S
"$opevo" study plan.json --store runs.db >/dev/null || exit 1
mkdir '<' && cp runs.db "$evil.db"
"$opevo" report "$evil.db" -o study.html >/dev/null || exit 1
for i in 1 2; do "$opevo" study plan.json --store part.db --shard $i/2 >/dev/null || exit 1; done
"$opevo" report part.1-of-2.db part.2-of-2.db -o several.html >/dev/null || exit 1
"$opevo" report runs.db:7 -o run.html >/dev/null || exit 1
"$opevo" report recorded:toy.csv -o landscape.html >/dev/null || exit 1
"$opevo" tune --on 'cmd:echo {u} {v}' --space space.json --result 'ms:/^[0-9]/' --trials 12 --finals 3 --rounds 8 \
    --store finals.db >/dev/null && "$opevo" report finals.db -o finals.html >/dev/null || exit 1
cp finals.db devices.db && python3 - <<'S' && "$opevo" report devices.db:1 -o devices.html >/dev/null || exit 1
import sqlite3
sqlite3.connect("devices.db").executescript("""
    UPDATE workers SET device = 'CPU A';
    INSERT INTO workers (run, worker, command, host, device) VALUES (1, 2, 'ssh b opevo-worker cmd', 'b', 'CPU <b>');
    UPDATE measured SET worker = 2 WHERE number > 4;""")
S
"$opevo" analyze runs.db --json >analysis.json || exit 1

# Runs compared by criteria, of which the smaller or the larger is better.
awk 'BEGIN { print "u,v,time_ms,status,energy,gain"; for (i = 1; i <= 6; i++) for (j = 1; j <= 5; j++)
    print i "," j "," 1 + (i - 4) ^ 2 + (j - 2) ^ 2 / 3 ",ok," i * j * j "," 40 - i - 7 * j + (i * j) % 4 }' >fronts.csv
sed 's/"toy"/"fronts"/
s/"columns".*/"criteria": [{"name": "energy", "unit": "J", "better": "smaller"}, {"name": "gain", "better": "larger"}]}/' \
    toy.json >fronts.json
# front CRITERIA: front.html and, in front.json, what tune says of the same runs.
front() {
    set -- "$1" --on recorded:fronts.csv --tuner random --trials 12 --runs 4 --store fronts.db
    "$opevo" tune --criteria "$@" --json >front.json && "$opevo" report fronts.db --criteria "$1" -o front.html >/dev/null
}

# Tasks of one budget, by two tuners; the memory of their kernels is made up.
for tuner in opevo random; do
    "$opevo" tune mm1 bmm1 c1 --on sim:gtx1080ti --weights 3,1,1 --trials 600 --store tasks.db --tuner $tuner --json \
        >tasks-$tuner.json || exit 1
done
python3 - <<'S' || exit 1
import sqlite3
sqlite3.connect("tasks.db").executescript("""
    UPDATE task_groups SET kind = 'network', name = '<b>&', arena_bytes = 4096, weight_bytes = 1000000;
    INSERT INTO group_kernels SELECT task_group, place, number, 64 * (number * 37 % 11), 64 * (number * 17 % 7)
    FROM group_tasks JOIN trials USING (run);
    UPDATE trials SET origin = 'default'
    WHERE run = 1 AND number = (SELECT number FROM trials WHERE run = 1 ORDER BY fitness DESC, number LIMIT 1);""")
S
"$opevo" report tasks.db --no-landscapes -o tasks.html >/dev/null || exit 1
printf '{"tasks": [%s, %s]}' "$(cat tasks-opevo.json)" "$(cat tasks-random.json)" >tasks.json

# check PAGE EXPECTED WIDTH: a copy of the page that checks itself, in a frame of this width. Outside the long run pages are
# checked in one of two widths, each in the other than the one before.
frames=0
asked=0
check() {
    asked=$((asked + 1))
    [ -n "${OPEVO_TEST_LONG:-}" ] || [ $((asked % 2)) != $(($3 > 400)) ] || return 0
    frames=$((frames + 1))
    {
        sed '$d' "$1" | sed '$d'
        printf '<script type="application/json" id="expected">'
        cat "$2"
        printf '</script>\n<script>'
        cat "$here/check.js"
        printf '</script>\n</body>\n</html>\n'
    } >"frame-$frames.html"
    echo "<iframe name='$1 at $3 pixels' width=$3 height=900 src=frame-$frames.html></iframe>" >>frames.html
}
cat >frames.html <<'S'
<!doctype html>
<style>iframe { position: absolute; top: 0; left: 0; } /* those beyond the window wait */</style>
<script>
addEventListener("message", ({ data, source }) => {
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === source);
  const verdict = document.createElement("pre");
  verdict.textContent = `${frame.name}: ${data}`;
  document.body.append(verdict);
});
</script>
S
echo null >none.json
echo '{"page": ">winner<.*u=1 v=&lt;b>?&.* [(]1 to 1[)].*>8<.*>next<.*>0<.*>rank 3<.*The winner is faster than the next"}' \
    >finals.json
echo '{"page": "measured-by.*ssh b opevo-worker.*by-device.*>CPU A<.*>4<.*>4<.*>CPU &lt;b&gt;<.*>5<.*>5<"}' >devices.json
for width in 1200 390; do
    check study.html analysis.json $width
    check several.html analysis.json $width
    check landscape.html none.json $width
    check tasks.html tasks.json $width
    check finals.html finals.json $width
    check run.html none.json $width
    check devices.html devices.json $width
done
front gain,energy,fitness && check front.html front.json 390 || exit 1
front fitness,energy && check front.html front.json 1200 || exit 1
front energy,gain && check front.html front.json 1200 || exit 1
timeout 600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr --v=0 \
    --virtual-time-budget=60000 --window-size=1300,900 --dump-dom "file://$folder/frames.html" >dom.html 2>log
failed=0
if grep CONSOLE log; then echo "the console is not silent"; failed=1; fi
sed 's/<pre>/\n<pre>/g' dom.html | sed -n 's/^<pre>\(.*\)<\/pre>.*/\1/p' >verdicts
cat verdicts
[ "$(grep -c ': good: ' verdicts)" = $frames ] || { echo "not all $frames pages are good"; tail -5 log; exit 1; }
# What is drawn is also seen. A second browser takes two seconds of a processor.
[ -n "${OPEVO_TEST_LONG:-}" ] || exit $failed
timeout 600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
    --screenshot="$folder/shot.png" --window-size=1200,2000 "file://$folder/study.html" >/dev/null 2>&1
[ "$(wc -c <shot.png)" -gt 20000 ] || { echo "no screenshot"; exit 1; }
exit $failed
