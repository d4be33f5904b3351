#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# how_to.sh OPEVO WORKER PAGE PACKAGE: the job scripts of docs/how-to/use-a-cluster.md as they stand, on a real Slurm, with
# the Python package in the folder PACKAGE. Needs root and Debian's slurm-wlm, munge and python3-distributed, and a C
# compiler; exit status 77 where they are not.
page=$(realpath "$3")
package=$(realpath "$4")
programs=$(dirname "$(realpath "$2")")
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/start_slurm.sh"
need sbatch srun scontrol python3 cc
/usr/bin/python3 -c 'import distributed' 2>/dev/null || skip "Dask is not installed; install python3-distributed"
mkdir bin
ln -s /usr/bin/python3 bin/python3 # Dask is Debian's
export PATH="$folder/bin:$(dirname "$opevo"):$programs:$PATH" PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 OPEVO="$opevo"
unset OPEVO_TOKEN

# JOB.sh by the names of the jobs; the Python programs by the script that calls them
python3 - "$page" <<'EOT' || fail "the page has not the scripts that it had"
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
jobs = re.findall(r"^```sh\n(#!/bin/sh\n#SBATCH --job-name=(\w+).*?)^```$", page, re.M | re.S)
programs = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
assert [name for _, name in jobs] == ["study", "ranks", "tune", "dask", "serve"], jobs
for text, name in jobs:
    open(name + ".sh", "w").write(text)
for text, name in zip(programs, ("search.py", "client.py"), strict=True):
    open(name, "w").write(text)
EOT

start_slurm ""
make_plan 40

# job NAME: submit NAME.sh, and wait until it has left the queue
job() {
    id=$(sbatch --parsable --output="$1.out" "$1.sh") || fail "sbatch $1.sh failed"
    has_left() { [ -z "$(squeue -h -j "$id" 2>/dev/null)" ]; }
    await has_left || fail "$1 does not end: $(cat "$1.out")"
}
# has_runs STORE TRIALS: its first run has so many trials, none of which failed
has_runs() {
    python3 - "$1" "$2" <<'EOT' || fail "$1: $(cat "${1%.db}.out")"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
found = db.execute("SELECT count(*), min(outcome) , max(outcome) FROM trials").fetchone()
assert found == (int(sys.argv[2]), 0, 0), found
EOT
}

job study
check_merged
rm -f study*.db
sed -i 's/study\.db/ranks.db/' ranks.sh
job ranks
"$opevo" study plan.json --store ranks.db --merge >/dev/null || fail "ranks: $(cat ranks.out)"
dump ranks.db | cmp alone.sql - || fail "what srun made differs from what one process made"
for name in tune dask serve; do
    job $name
    has_runs $name.db 40
done
echo "the five job scripts of the page run as they stand"
