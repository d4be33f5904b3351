# SPDX-License-Identifier: GPL-3.0-or-later
# An evolver that is lost on the held-out cases, when the search has ended: it is said, and the store has it.
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >evolver.sh <<'EOS'
#!/bin/sh
# The kernel itself is evaluated on the final cases first.
finals=0
while read -r line; do
    case $line in
    *'"final"'*) finals=$((finals + 1)); [ $finals = 2 ] && mkdir died 2>/dev/null && exit ;;
    esac
    printf '%s\n' "$line"
done | exec opevo-evolver
EOS
chmod +x evolver.sh
OPEVO_EVOLVER=./evolver.sh opevo evolve planted --trials 60 --seed 1 --jobs 1 --store run.db --quiet 2>said >found
echo "status $?"
ls -d died
sed 's/(.*)/(HOST)/; s/^  [0-9]* measurements*/  N measurements/' said
opevo runs run.db:1 | grep 'by the worker' | sed 's/(.*)/(HOST)/'
