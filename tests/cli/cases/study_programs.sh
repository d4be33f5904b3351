# SPDX-License-Identifier: GPL-3.0-or-later
# Programs in a plan: what tune can say of measuring, a word where wall time is scored, and what would be executed.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4]}}' >space.json
cat >bench.sh <<'EOS'
echo "$1" >>executed
case $1 in
1) exit 7 ;;
2) [ "$2" = slow ] && sleep 30 ;;
esac
echo "took $1.5 ms"
EOS
cat >plan.json <<'EOS'
{"study": 1, "tuners": ["grid"], "seeds": 1, "budget": {"trials": 4},
 "objectives": [
  {"on": "cmd:sh bench.sh {X} slow", "space": "space.json", "result": "ms:/took ([0-9.]+)/", "exit": ["7=rejected"],
   "timeout": 2.5, "repeats": 2, "workers": ["opevo-worker cmd", "sh -c 'exec opevo-worker cmd'"]},
  {"on": "cmd:sh bench.sh {X} quick", "space": "space.json", "result": "ms:/took ([0-9.]+)/", "flop": 3e6, "exit": "7=wrong"},
  {"on": "cmd:sh bench.sh {X} timed", "space": "space.json"},
  {"on": ["cmd:true {X}", "cmd:false {X}"], "space": "space.json", "result": "s:wall", "exit": "1=ok"}]}
EOS
opevo study plan.json --dry-run
ls
opevo study plan.json --dry-run --json 2>/dev/null | grep -o '"executes": \[[^]]*\]'
opevo study plan.json --store study.db | sed 's/^[0-9.]* s on .*/so long/'
grep -v 2 executed | sort | uniq -c # whoever has nothing to do repeats what takes long
for run in 1 2; do
    opevo runs study.db:$run --trials --csv | cut -d, -f 1-5
    opevo runs study.db:$run | grep '^  '
done
# A plan may only say what goes with its objectives, and what tune would take.
try() {
    echo '{"study": 1, "tuners": ["grid"], "seeds": 1, "budget": {"trials": 4}, "objectives": ['"$1"']}' >bad.json
    opevo study bad.json --dry-run
    [ $? = 2 ] || echo "exit status is not 2: $1"
}
try '{"on": "sim:mi50", "what": "mm1", "result": "ms:wall"}'
try '{"on": "cmd:true {X}", "space": "space.json", "template": "dense"}'
try '{"on": "cpu", "what": "mm1", "flop": 3}'
try '{"on": "cmd:true {X}", "space": "space.json", "result": "hours:wall"}'
try '{"on": "cmd:true {X}", "space": "space.json", "exit": ["x=ok"]}'
try '{"on": "cmd:true {X}", "space": "space.json", "timeout": -1}'
try '{"on": "cmd:true {X}", "space": "space.json", "repeats": true}'
try '{"on": "cmd:true {X}", "space": "space.json", "results": "ms:wall"}'
# So may a command line.
opevo tune mm1 --on sim:mi50 --timeout 3
opevo help study | tr '\n' ' ' | grep -c 'executes what it names: run only plans that you trust'
