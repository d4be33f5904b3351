# SPDX-License-Identifier: GPL-3.0-or-later
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
try() { opevo "$@" --quiet; [ $? = 2 ] || echo "exit status is not 2: $*"; }
edits() { opevo edits "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
kernels=$(dirname "$(command -v opevo)")/kernels
try evolve
try evolve absent
try evolve planted --trials x
try evolve planted --trials 0
try evolve planted --tuner absent
try evolve planted --tuner opevo
try evolve planted --set population=1
try evolve planted --criteria time,energy
try evolve planted --on mars
try evolve planted --with races=maybe
try evolve planted --with move=maybe
try evolve planted --with absent=1
try evolve planted --with costs=absent.json
try evolve planted --harness absent.json
echo '{}' >empty.json
try evolve planted --harness empty.json
cp "$kernels/planted.ll" alone.ll
try evolve alone.ll
echo text >text.ll
try evolve text.ll --harness "$kernels/planted.json"
sed "s|planted-none.ll|$kernels/planted-none.ll|" "$kernels/planted.json" >other.json
try evolve matmul --harness other.json
echo text >text.db
try evolve planted --store text.db
# No trial succeeds, not even that of the base.
opevo evolve planted --require 'error<0' --trials 3 --quiet >none; echo "status $?"
tail -n 1 none
rm none
OPEVO_EVOLVER=/absent opevo evolve planted --quiet; [ $? = 2 ] || echo "exit status is not 2"
OPEVO_EVOLVER=/bin/true opevo evolve planted --quiet; [ $? = 1 ] || echo "exit status is not 1"
edits
edits turn planted none
edits apply absent none
edits apply planted ''
edits apply planted @absent
edits apply planted 'delet U9'
edits apply planted 'delete U9 with=A9'
edits apply planted 'delete U999'
edits minimise planted 'delete U27 with=U13'
edits emit planted none --form exe
edits emit planted none --form ptx --machine exe
edits emit planted none --out absent/x.ll
ls
