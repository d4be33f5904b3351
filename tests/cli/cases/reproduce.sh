# SPDX-License-Identifier: GPL-3.0-or-later
# What opevo wrote is computed again and follows; a digit that was altered anywhere is found.
. "${0%/*}/../toy_landscape.sh"
echo '{"study": 1, "objectives": ["recorded:toy.csv", {"on": "sim:mi50", "what": "matmul(8,8,8)"}],
 "tuners": ["random", "opevo"], "seeds": 7, "budget": {"trials": 6}}' >plan.json
# Counts depend on how much is printed; only whether something does not follow is compared.
brief() { opevo reproduce "$@" >out 2>err; status=$?; sed "s|$PWD|FOLDER|g; s/: [0-9]* values as stated/: N values as stated/" out | cut -c1-110; cat err; echo "exit status $status"; }
# spoil FILE KEY...: alter a digit of the first number of each kind in turn; each is found.
spoil() {
    file=$1; shift
    for key in "$@"; do
        cp "$file" "spoilt-$file"
        python3 - "spoilt-$file" "$key" <<'P'
import re, sys
path, key = sys.argv[1:]
text = open(path).read()
end = text.rfind('"manifest"')
found = re.search(r'"%s": ?\[*-?([0-9]+\.?[0-9]?[0-9]?)' % key, text[:end])
if not found:
    sys.exit("no number of " + key)
at = found.end(1) - 1
open(path, "w").write(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
P
        opevo reproduce "spoilt-$file" >out 2>&1
        echo "$key: exit status $?, $(grep -c "does not follow: [^ ]*\b$key\b.* is stated, .* found" out) named"
    done
}

echo "-- an analysis"
opevo study plan.json --store runs.db --quiet >/dev/null
opevo analyze runs.db --resamples 100 --json >analysis.json
rm runs.db
brief analysis.json
python3 -m json.tool analysis.json laid-out.json
brief laid-out.json
spoil analysis.json optimum horizon mean interval sd within_5_percent score ecdf ecdf_area ert reached difference \
    difference_interval p p_holm rank_biserial wins failed chi_square mean_rank seed
sed 's/is not resolved/is better/; s/"verdict": "not resolved"/"verdict": "better"/' analysis.json >words.json
cmp -s words.json analysis.json && echo unchanged
opevo reproduce words.json >out
echo "words: exit status $?"
echo "-- seeds that were added until resolved"
echo '{"study": 1, "objectives": ["recorded:toy.csv"], "tuners": ["random", "grid"], "seeds": 5, "budget": {"trials": 4}}' >until.json
opevo study until.json --store until.db --until resolved --seeds-max 40 --quiet >/dev/null
opevo analyze until.db --resamples 100 --json >until-analysis.json
opevo analyze until.db --resamples 100 | grep '^registered'
rm until.db
brief until-analysis.json
echo "-- runs without a plan"
for tuner in random grid; do
    opevo tune --on recorded:toy.csv --tuner $tuner --trials 5 --runs 3 --seed 4 --store tune.db --quiet >/dev/null
done
opevo analyze tune.db --resamples 100 --json >tune.json
mv tune.db kept.db
brief tune.json
echo "-- a report"
mv kept.db tune.db
opevo report tune.db -o report.html --resamples 100 --quiet >/dev/null
brief report.html
spoil report.html mean low high sd ert optimum
echo "-- a law"
opevo law 'factor(8,3)' --start 8,1,1 --q 0.25 --json >law.json
brief law.json
spoil law.json p bound
echo "-- a recording"
opevo record 'matmul(8,8,8)' --on sim:mi50 --sample 30 --out rec --quiet >/dev/null
brief rec.json
brief rec.csv
cp rec.json spoilt.json
for column in 1 4 12 14 17; do
    awk -F, -v OFS=, -v c=$column 'NR > 1 && !done && $13 == "ok" && $c != "" {
        d = substr($c, length($c)); $c = substr($c, 1, length($c) - 1) (d + 1) % 10; done = 1 } { print }' rec.csv >spoilt.csv
    cmp -s rec.csv spoilt.csv && echo "column $column unchanged"
    opevo reproduce spoilt.json >out
    echo "column $column: exit status $?, $(grep -c 'does not follow: row' out) rows named"
done
cp rec.csv changed.csv
for key in rows valid flop_per_run gflops; do
    cp rec.json changed.json
    sed -i "0,/\"$key\": \([0-9.]*\)/s//\"$key\": 1\1/" changed.json
    opevo reproduce changed.json >out
    echo "$key: exit status $?"
done
echo "-- what is measured"
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3]}}' >space.json
opevo record --on 'cmd:sh -c "echo $(({X} + 4))"' --name sums --space space.json --result 'ms:/[0-9]+/' --all --out sums \
    --quiet >/dev/null
brief sums.json
brief sums.json --measure
sed -i 's/^2,/3,/; t; s/^3,/2,/' sums.csv
brief sums.json --measure
echo "-- other data, and none"
sed -i 's/^4,3,6,ok/4,3,7,ok/' toy.csv
brief analysis.json
mkdir away && cp analysis.json away
rm toy.csv
brief away/analysis.json
echo "-- what is not reproduced"
for file in plan.json toy.json absent.json; do
    opevo reproduce $file 2>&1 | sed "s|$PWD|FOLDER|g"
done
