# SPDX-License-Identifier: GPL-3.0-or-later
# What `recorded:` opens is the recording in the tree, from any folder, and a store says which one it was.
file=recorded:$OPEVO_TEST_RECORDING
said() { grep -o "$1[^,}]*" "$OPEVO_TEST_RECORDING.json" | head -1 | sed 's/.*: *//; s/"//g'; } # the description
name=$(said '"name"')
opevo landscape --on recorded: --json | sed '/^ "manifest"/,$d' >embedded
opevo landscape --on "$file" --json | sed '/^ "manifest"/,$d' | cmp - embedded
grep -c "\"objective\": \"recorded:$name\".*\"ok\": $(said '"valid"')," embedded
opevo space recorded: >embedded
opevo space "$file" | cmp - embedded

tune() { opevo tune --on recorded: --tuner random --seed 3 "$@"; }
tune --trials 1000000000 --target 100% | grep -o '= 100.00 % of the optimum'
tune --trials 60 --json >whole
tune --trials 20 --json --store runs.db >part
mkdir elsewhere
cd elsewhere
tune --trials 60 --json --store ../runs.db >rest
grep -o '"resumed": [0-9]*' ../part rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - ../whole

# By the file's name the signature is the same; only where the recording was opened differs.
opevo tune --on "$file" --tuner random --seed 3 --trials 60 --store file.db >/dev/null
opevo runs file.db --json | grep -c "\"on\": \"$file\""
opevo runs ../runs.db --json | grep -c '"on": "recorded:"'
for store in file.db ../runs.db; do opevo runs $store --json | grep -o '"signature": "[^"]*"'; done | uniq | wc -l

# A plan, seen from another folder, and its store, for which the recording is opened again.
cat >../plan.json <<'P'
{"study": 1, "objectives": ["recorded:"], "tuners": ["random"], "seeds": 3, "budget": {"trials": 20}}
P
opevo study ../plan.json --store study.db --quiet >/dev/null
opevo runs study.db --json | grep -c "\"objective\": \"recorded:$name\".*\"on\": \"recorded:\""
opevo analyze study.db --all | grep -c '^random search  *20  *-  '
