# SPDX-License-Identifier: GPL-3.0-or-later
opevo tune mm1 --on sim:gtx1080ti --dry-run --store runs.db --set q=0.25 --seconds 60
ls
# As one object, also of several tasks.
json() { opevo tune "$@" --dry-run --json | python3 -c 'import json, sys
def show(what):
    print({key: what[key] for key in ("objective", "tuner", "points", "seed", "runs", "budget", "requires") if key in what})
said = json.load(sys.stdin)
show(said)
for task in said.get("tasks", []):
    print(task["task"], task["weight"])
    show(task)'; }
json mm1 --on sim:gtx1080ti --seed 3 --runs 2 --seconds 60 --target 5000
json mm1 mm2 --on sim:gtx1080ti --weights 3,1 --trials 200
