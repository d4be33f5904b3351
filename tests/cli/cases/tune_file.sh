# SPDX-License-Identifier: GPL-3.0-or-later
# A specification in a file or a pipe gives the run that the same options give; a stored one is continued from anywhere.
mkdir here && cd here || exit 1
cat >space.json <<'END'
{"X": {"_type": "factor", "_value": [16, 2]}, "V": {"_type": "choice", "_value": ["plain", "two words"]}, "e_f": {"_type": "discrete", "_value": [0.5, 2]}}
END
cat >bench.sh <<'END'
#!/bin/sh
echo "$1" | { IFS=, read -r a b; echo "took $((a * 3 + b + ${#2}))"; }
END
chmod +x bench.sh
cat >run.json <<'END'
{"on": "cmd:./bench.sh {X} {V} {e_f}", "space": ["space.json"], "tuner": "grid", "result": "ms:/took ([0-9]+)/",
 "trials": 6, "quiet": true}
END
tune() { opevo tune --on 'cmd:./bench.sh {X} {V} {e_f}' --space space.json --tuner grid --result 'ms:/took ([0-9]+)/' "$@"; }
best() { grep -o '"best": {"configuration": {[^}]*}, "result": [0-9]*\|"trials": [0-9]*, "resumed": [0-9]*'; }
tune --trials 6 --json | best >options
opevo tune run.json --json | best | cmp - options
opevo tune - --json <run.json | best | cmp - options
opevo tune run.json --trials 9 --store runs.db --json | best
cd ..
opevo resume here/runs.db:1 --json --trials 12 | best
opevo resume here/runs.db:1 --json | best
opevo resume here/runs.db:1 --print | sed "s,$PWD,," | tee print.json
sed "s,\"/here\",\"$PWD/here\"," print.json | opevo tune - --json --trials 6 | best | cmp - here/options
opevo runs here/runs.db | wc -l
# Runs with consecutive seeds have each their own.
cd here || exit 1
opevo tune mm1 bmm1 --on sim:mi50 --trials 40 --store tasks.db >/dev/null
opevo resume tasks.db:2 --trials 60 --json | grep -o '"trials": [0-9]*, "resumed": [0-9]*'
opevo tune mm1 --on sim:mi50 --trials 5 --runs 3 --seed 7 --store seeds.db >/dev/null
opevo resume seeds.db:2 --print | sed "s,$PWD,,"
# The best, for builds and scripts.
opevo best runs.db:1
for form in flags env json header; do
    opevo best runs.db:1 --as $form
done
opevo best runs.db:1 --as env >env && . ./env && echo "$X_1 $V $e_f"
printf '#include "best.h"\nint main(void) { return X_0 + X_1 == 8 ? 0 : 1; }\n' >t.c
opevo best runs.db:1 --as header >best.h
cc -std=c99 -pedantic-errors t.c -o t && ./t && echo built
# What cannot be done, in one sentence, with nothing written.
try() { opevo "$@"; echo "$?"; }
try resume runs.db
try resume runs.db:9
try resume none.db:1
try best runs.db
try best runs.db:9
try best runs.db:1 --as c
try tune run.json mm1
try tune none.json
for text in '[]' '{"trails": 4}' '{"trials": [4]}' '{"trials": true}' '{"quiet": 1}' '{"on" 1}' '{"what": 3}' \
    '{"verb": "study"}' '{"folder": "/nowhere"}' '{"folder": 3}' '{"set": [[]]}'; do
    echo "$text" | try tune - --store new.db
done
command -v sqlite3 >/dev/null || { echo "skipped: sqlite3 is not installed" >&2; exit 77; }
sqlite3 runs.db 'UPDATE runs SET call = NULL'
try resume runs.db:1
cp runs.db view.db
sqlite3 view.db 'DROP TABLE finals; CREATE VIEW finals AS SELECT run, 1 AS place FROM runs'
try resume view.db:1
ls
