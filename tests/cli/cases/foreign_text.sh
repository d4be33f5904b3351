# SPDX-License-Identifier: GPL-3.0-or-later
# Names, units and values of somebody else's files and stores cannot steer a terminal, nor break JSON.
e=$(printf '\033')
cat >evil.json <<END
{"format": "tuning-landscape 1", "name": "n\\u001b]0;title\\u0007\\nline", "parameters": [
  {"name": "x", "type": "categorical", "values": ["a\\u001b[2J", "\\u202eb\\u009b"]}]}
END
printf 'x,time_ms,status\n"a%s[2J",1,ok\n"\342\200\256b\302\233",2,ok\n' "$e" >evil.csv
opevo landscape --on recorded:evil.csv | head -1
opevo tune --on recorded:evil.csv --tuner grid --trials 2 --store runs.db | grep -v cost
opevo runs runs.db:1 | grep -v '^run 1\|cost'
opevo runs runs.db --json >json
mv evil.json hidden.json
opevo analyze runs.db >analysis
grep -c '^line' analysis # the name, broken
printf 'tune --on \377%s[31m' "$e" >words
xargs opevo <words
echo '["'"$e"'"]' >broken.json
opevo space broken.json
# Beside what ends and indents lines there is nothing below a blank in any of it.
cat json analysis | LC_ALL=C tr -d '\n -~' | wc -c
