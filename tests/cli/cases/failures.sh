# SPDX-License-Identifier: GPL-3.0-or-later
# Failures of a program: each kind is said when it comes, a run of nothing else is given up, and why stays to be read.
cat >space.json <<'EOS'
{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                       23, 24, 25, 26, 27, 28, 29, 30]}}
EOS
cat >bench.sh <<'EOS'
echo "X = $1" >&2
[ "$1" -gt "$2" ] && echo 1.5 && exit
exit $(($1 % 3 + 3))
EOS
tune() {
    above=$1
    shift
    opevo tune --on "cmd:sh bench.sh {X} $above" --space space.json --result 'ms:/.+/' --exit 3=rejected \
        --exit 4=wrong --tuner grid "$@" >printed
    echo "exit status $?"
    sed 's/cost [0-9.]* s/cost/' printed
}
show() { grep -o 'exit status [01]$\|"trials": [0-9]*\|"resumed": [0-9]*\|"failures": \[[^]]*\]\|"stop": "[^"]*"'; }
# Nothing succeeds; a point that is rejected does not count.
tune 30 --give-up 4 --store runs.db
# The same again says the same, also of what it takes from the store; 0 asks for all.
tune 30 --give-up 4 --store runs.db --json | show
tune 30 --give-up 0 --trials 14 --store runs.db
# Where something succeeds, failures end nothing.
tune 8 --give-up 4 --trials 12 --seed 2 --store runs.db --json | show
tune 30 --runs 2 --trials 30
opevo runs runs.db:1 | sed 's/^run 1.*/run 1/; s/cost [0-9.]* s/cost/'
opevo runs runs.db:1 --json | show
# A landscape fails as it was recorded, and is never given up.
opevo tune mm1 --on sim:mi50 --give-up 3
# What a program says is one line.
printf 'printf "a\\033[31m\\n" >&2\n' >red.sh
opevo tune --on 'cmd:sh red.sh {X}' --space space.json --result 'ms:/b/' --trials 1 | grep '^  1 wrong'
rm bench.sh
# Points that were given to a worker ahead of the last failure are recorded, too.
opevo record --on 'cmd:sh -c "exit 127" {X}' --space space.json --all --out table --give-up 5 >said
echo "exit status $?" >>said
sed -E 's/\b[56] (of 30|of them|failed|launch-error)/5 or 6 \1/g' said
# A study ends its runs alike, and says once for each program what is wrong with it.
cat >plan.json <<'EOS'
{"study": 1, "objectives": [{"on": ["cmd:sh -c 'exit 127' {X}", "cmd:true {X}"], "space": "space.json", "result": "s:wall"}],
 "tuners": ["grid"], "seeds": 2, "budget": {"trials": 25}}
EOS
opevo study plan.json --store study.db
echo "exit status $?"
opevo runs study.db --json | show
opevo report study.db --no-landscapes -o page.html --quiet >/dev/null
grep -o '"failures": \[[^]]*\]' page.html
