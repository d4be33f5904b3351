# SPDX-License-Identifier: GPL-3.0-or-later
# An author who alters a file and puts the right hash into its manifest is found; a file that asks for other commands
# executes and writes nothing; honest files follow in another folder and without their stores.
command -v python3 >/dev/null || { echo "skipped: python3 is not installed" >&2; exit 77; }
. "${0%/*}/../toy_landscape.sh"
echo '{"study": 1, "objectives": ["recorded:toy.csv"], "tuners": ["random", "opevo"], "seeds": 7,
 "budget": {"trials": 6}}' >plan.json
cat >forge.py <<'P'
import hashlib, json, re, sys
def dump(x):
    if isinstance(x, float):
        text = "%.17g" % x
        text = text if "." in text or "e" in text else text + ".0"
        return re.sub(r"e([+-])0*", lambda found: "e" + found.group(1).replace("+", ""), text)
    if isinstance(x, list):
        return "[" + ",".join(map(dump, x)) + "]"
    if isinstance(x, dict):
        return "{" + ",".join(json.dumps(key) + ":" + dump(x[key]) for key in sorted(x)) + "}"
    return json.dumps(x, ensure_ascii=False)
source, target, change = sys.argv[1:]
text = open(source).read()
begin = text.find('id="data">') + 10 if source.endswith("html") else 0
end = text.find("</script>", begin) if begin else len(text)
d = json.loads(text[begin:end])
m = d["manifest"]
tuner = d["landscapes"][0]["tuners"][1] if "landscapes" in d and "tuners" in d["landscapes"][0] else None
one = m["stores"][0]["registrations"][0] if m["stores"] else None
def rehash(): one["hash"] = d["registrations"][0]["hash"] = hashlib.sha256(one["text"].encode()).hexdigest()
exec(change)
m["content"] = hashlib.sha256(dump({k: v for k, v in d.items() if k != "manifest"}).encode()).hexdigest()
open(target, "w").write(text[:begin] + json.dumps(d).replace("</", "<\\/") + text[end:])
P
forge() { # FILE CHANGE
    python3 forge.py "$1" "forged.${1##*.}" "$2"
    opevo reproduce "forged.${1##*.}" >out 2>&1
    echo "exit status $?, $(grep -c '^  does not follow: ' out) do not follow, $(grep -c '^  not judged: ' out) not judged: $2"
}
opevo study plan.json --store runs.db --quiet >/dev/null
opevo analyze runs.db --resamples 100 --json >analysis.json
opevo report runs.db -o report.html --resamples 100 --quiet >/dev/null
forge analysis.json pass
forge report.html pass
forge analysis.json 'del d["pairs"]'
forge analysis.json 'del tuner["failed"]'
forge analysis.json 'd["pairs"] = []'
forge analysis.json 'd["extra"] = 1'
forge analysis.json 'd["notes"] = ""'
forge analysis.json 'tuner["points"].reverse()' | cut -d , -f 1
forge analysis.json 'tuner["points"][0]["mean"] = str(tuner["points"][0]["mean"])'
forge analysis.json 'd["registrations"][0]["hash"] = "0" * 64'
forge analysis.json 'd["registrations"][0]["written"] = "2020-01-01T00:00:00Z"'
forge analysis.json 'one["hash"] = d["registrations"][0]["hash"] = "0" * 64'
forge analysis.json 'one["text"] = one["text"].replace("1-7", "1-9"); rehash()'
forge analysis.json 'one["text"] = one["text"].replace("\"sha256\": \"", "\"sha256\": \"0", 1); rehash()'
forge report.html 'd["title"] = "the best"'
echo "-- as if another build had made it"
another='m["program"]["build"] = "another"'
forge analysis.json "$another"
forge analysis.json "$another; d['landscapes'][0]['optimum'] = 3"
forge analysis.json "$another; tuner['settings'] = 'lambda=9'"
forge analysis.json "$another; tuner['points'][5].update(mean=9, interval=[0, 10])"
forge analysis.json "$another; tuner['points'][5]['trials'] = 5"
forge analysis.json "$another; d['pairs'][0]['wins'] = -1"
forge analysis.json "$another; d['pairs'][0]['verdict'] = 'better'"
echo "-- a page that shows something else"
for mark in '<title>' '<body' '<\/html>'; do
    sed "0,/$mark/s//<p>better<\/p>&/" report.html >forged.html
    opevo reproduce forged.html | grep 'page outside'
done
echo "-- what a file asks for: nothing is executed, and nothing written"
ask() { # COMMAND
    forge analysis.json "m.update(stores=[], files=[], command=$1)" >/dev/null
    sed "s|$PWD|FOLDER|g" out | head -n 1
}
ask '["record", "--on", "cmd:touch pwned-{X}", "--space", "one.json", "--all", "--out", "pwned"]'
ask '["record", "matmul(8,8,8)", "--on", "sim:mi50", "--sample", "2", "--out", "pwned"]'
ask '["report", "--on", "recorded:toy.csv", "--population", "9", "-o", "pwned.html"]'
ask '["report", "--on", "recorded:toy.csv", "--population", "9"]'
ask '["law", "factor(8,3)", "--json", "--svg", "pwned.svg"]'
ask '["study", "plan.json", "--store", "pwned.db"]'
call() { # MEMBERS
    forge analysis.json "m.update(stores=[{'file': 'x.db', 'registrations': [], 'others': 0, 'calls':
        [{'call': {'verb': 'tune', 'folder': m['folder'], 'trials': 2, $1}, 'seeds': ['1']}]}])" >/dev/null
    sed "s|$PWD|FOLDER|g" out | grep 'would\|measured'
}
call "'on': 'recorded:toy.csv', 'workers': 'touch pwned'"
call "'on': 'cmd:touch pwned'"
call "'on': 'recorded:toy.csv', 'emit': 'pwned'"
ls pwned* report.html 2>/dev/null
echo "-- recordings"
opevo record 'matmul(8,8,8)' --on sim:mi50 --sample 30 --out rec --quiet >/dev/null
table() { # EDITING [CHANGE]
    sed "$1" rec.csv >forged.csv
    forge rec.json "d['table_sha256'] = '$(sha256sum <forged.csv | cut -d ' ' -f 1)'; ${2:-pass}" | sed 's/:.*//'
}
table ''
for editing in 4d 4p '$d' 1s/X_0,X_1/X_1,X_0/ 1s/time_ms/time_us/; do
    echo "$editing: $(table "$editing")"
done
for change in 'd["flop_per_run"] = 1' 'd["unit"] = "TFLOP/s"' 'd["rows"] = 31' 'd["best"]["gflops"] = 5' 'del d["best"]' \
    'd["space"]["K"]["_value"] = [16, 3]' 'm["command"][0] = "analyze"'; do
    echo "$change: $(table '' "$change")"
done
echo "-- honest, in another folder"
mkdir first && cp toy.* plan.json forge.py first && cd first
opevo study plan.json --store runs.db --quiet >/dev/null
opevo analyze runs.db --resamples 100 --json >analysis.json
opevo report runs.db -o report.html --resamples 100 --quiet >/dev/null
cd .. && mv first second && cd second
brief() { opevo reproduce "$@" 2>/dev/null | sed 's/: [0-9]* values.*bound or interval, /: /; s|/.*/||'; }
brief analysis.json
brief report.html
rm runs.db
brief analysis.json
echo "-- honest: late, in part, and sealed"
opevo tune --on recorded:toy.csv --tuner random --trials 6 --seed 50 --store late.db --quiet >/dev/null
opevo study plan.json --store late.db --quiet >/dev/null
opevo study plan.json --store part.db --shard 1/3 --quiet >/dev/null
opevo seal toy.csv --out toy.sealed >/dev/null
sed 's/recorded:toy.csv/sealed:toy.sealed/' plan.json >sealed-plan.json
opevo study sealed-plan.json --store sealed.db --quiet >/dev/null 2>&1
for store in late.db part.1-of-3.db sealed.db; do
    opevo analyze $store --resamples 100 --json >one.json
    brief one.json
done
for looks in 0 2; do
    python3 forge.py one.json forged.json "d['landscapes'][0]['looks'] = $looks"
    brief forged.json | grep -o 'do not follow\|[0-9] looks'
done
