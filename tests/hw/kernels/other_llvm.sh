#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# other_llvm.sh SOURCE FOLDER LLVM_CONFIG: build what edits modules with another LLVM, in FOLDER, and run its tests.
set -eu
source=$1
folder=$2
config=$3
tests="test_edits test_edit_forms test_edit_text"

cmake -G Ninja -S "$source" -B "$folder" -DOPEVO_LLVM_CONFIG="$config" >/dev/null
# shellcheck disable=SC2086  # a list of words
cmake --build "$folder" --target $tests >/dev/null
for test in $tests; do
    "$folder/tests/$test"
done
