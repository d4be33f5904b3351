# SPDX-License-Identifier: GPL-3.0-or-later
# A study registers its plan, program, data and seeds before its first trial; what was not registered, or was chosen
# in view of results, is exploratory.
command -v python3 >/dev/null || { echo "skipped: python3 is not installed" >&2; exit 77; }
. "${0%/*}/../toy_landscape.sh"
plan() { # SEEDS [MORE]
    echo '{"study": 1, "objectives": ["recorded:toy.csv"], "tuners": ["random", "grid"], "seeds": '"$1"',
 "budget": {"trials": 6}'"${2:-}"'}' >plan.json
}
query() { python3 -c 'import sqlite3, sys; print(*(x for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]) for x in r), sep="\n")' "$@"; }
study() { opevo study plan.json --store "$@" --quiet >/dev/null; }
standing() { opevo analyze "$@" --resamples 100 | grep '^registered\|^exploratory'; }
marks() { opevo analyze "$@" --resamples 100 --json | grep -o '"registered": [a-z]*\(, "exploratory": "[^"]*"\)*'; }

echo "-- registered"
plan 8
study runs.db
standing runs.db
marks runs.db
opevo analyze runs.db --csv --resamples 100 | grep ',registered,'
opevo analyze runs.db --all --resamples 100 | grep -c '(exploratory)$'
echo "-- the hash is that of the text, and the text has the hashes of the files"
query runs.db 'SELECT text FROM registrations' | head -c -1 | sha256sum | cut -d ' ' -f 1 >of_text
query runs.db 'SELECT hash FROM registrations' | cmp - of_text
for file in toy.csv toy.json; do
    query runs.db 'SELECT text FROM registrations' | grep -c "\"file\": \"$file\", \"sha256\": \"$(sha256sum <$file | cut -d ' ' -f 1)\""
done
query runs.db 'SELECT text FROM registrations' | grep -o '"plan": .*, "objectives"\|"seeds": "[^"]*"}$'
opevo study plan.json --dry-run --json | grep -c "\"registration\": \"$(cat of_text)\""
echo "-- the same elsewhere has the same hash, a changed file or seed another"
mkdir other && cp plan.json toy.csv toy.json other
opevo study other/plan.json --store other.db --quiet >/dev/null
query other.db 'SELECT hash FROM registrations' | cmp - of_text
sed -i 's/^4,3,6,ok/4,3,7,ok/' other/toy.csv
opevo study other/plan.json --store changed.db --quiet >/dev/null
query changed.db 'SELECT hash FROM registrations' | cmp -s - of_text || echo another
plan 9
study nine.db
query nine.db 'SELECT hash FROM registrations' | cmp -s - of_text || echo another
echo "-- done once more"
plan 8
study runs.db
standing runs.db
query runs.db 'SELECT count(*), max(late) FROM registrations'
echo "-- options that decide what is compared"
marks runs.db --at 3
plan 8 ', "analysis": {"at": "3"}'
study at.db
marks at.db --at 3
marks at.db --at 4
marks at.db --tuner random --tuner grid
echo "-- extended in view of results"
plan 10
study runs.db
standing runs.db
marks runs.db
query runs.db 'SELECT late, count(run) FROM registrations JOIN runs USING (registration) GROUP BY registration'
echo "-- not finished"
python3 -c 'import sqlite3; d = sqlite3.connect("nine.db"); d.execute("UPDATE runs SET stop = \"planned\" WHERE run = 1"); d.execute("DELETE FROM packed WHERE run = 1"); d.commit()'
standing nine.db
echo "-- shares"
plan 8
for i in 1 2; do opevo study plan.json --store share.db --shard $i/2 --quiet >/dev/null; done
opevo study plan.json --merge --store share.db | tail -n 1
standing share.db
standing share.1-of-2.db share.2-of-2.db
query share.db 'SELECT hash FROM registrations' | cmp - of_text
plan 10
for i in 1 2; do opevo study plan.json --store share.db --shard $i/2 --quiet >/dev/null; done
opevo study plan.json --merge --store share.db >/dev/null
standing share.db
echo "-- without a plan"
for tuner in random grid; do
    opevo tune --on recorded:toy.csv --tuner $tuner --trials 6 --runs 3 --store tune.db --quiet >/dev/null
done
standing tune.db
marks tune.db
echo "-- after runs without a plan"
study tune.db
standing tune.db
echo "-- wrong plans"
plan 8 ', "analysis": {"alfa": "0.1"}'
study bad.db
plan 8 ', "analysis": {"at": 3}'
study bad.db
echo "exit status $?"
