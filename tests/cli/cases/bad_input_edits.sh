# SPDX-License-Identifier: GPL-3.0-or-later
command -v opevo-evolver >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
edits() { opevo edits "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
kernels=$(dirname "$(command -v opevo)")/kernels
# Options of another action.
edits apply planted none --svg x.svg
edits apply planted none --form ptx
edits minimise planted none --out x.ll
edits explain planted none --tolerance 1
edits emit planted none --machine sm_70 --json
# Nothing is drawn here.
edits apply planted none --with crossover=concat
# Names that no message can carry, and paths without a file.
printf 'delete U9 \377' >bytes.edits
edits apply planted @bytes.edits
edits emit planted none --form "$(printf '\377')"
edits apply '' none
mkdir folder
edits apply folder none
# More pairs than can be run.
awk 'BEGIN { for (i = 0; i < 201; i++) printf "%scopy U%d U9", i ? "; " : "", i % 2 ? 5 : 6 }' >many.edits
edits explain planted @many.edits
# A harness whose reference is absent.
cp "$kernels/planted.ll" k.ll
cp "$kernels/planted.json" k.json
edits apply k.ll none
ls
