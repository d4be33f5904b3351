# SPDX-License-Identifier: GPL-3.0-or-later
# A store that is deleted, replaced or moved while it is in use is noticed, and its trials are where the sentence says.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
cat >bench.sh <<'END'
[ "$1" = 3 ] && . ./act
echo "$1"
END
tune() {
    echo "$1" >act
    opevo tune --on 'cmd:sh bench.sh {X}' --space space.json --tuner grid --trials 4 --result 'score:/[0-9]+/' \
        --store runs.db >printed 2>said
    echo "tune: exit status $?"
    grep '^best' printed
    sed "s|$PWD|FOLDER|" said >&2
    ls *.db* 2>/dev/null
}
trials() { opevo runs "$1" --json | grep -o '"trials": [0-9]*'; }
tune 'rm runs.db'
trials runs.db.recovered
rm runs.db*
tune 'rm -f runs.db*; echo other >runs.db'
trials runs.db.recovered
rm runs.db*
tune 'mv runs.db moved.db'
trials moved.db
rm moved.db
mkdir folder
echo 'rm -r folder' >act
cat >plan.json <<'END'
{"study": 1, "objectives": [{"on": "cmd:sh bench.sh {X}", "space": "space.json", "result": "s:wall"}], "tuners": ["grid"],
 "budget": {"trials": 4}, "seeds": 1}
END
opevo study plan.json --store folder/runs.db
echo "study: exit status $?"
