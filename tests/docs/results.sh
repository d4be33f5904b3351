#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# results.sh OPEVO SOURCE: the numbers of the manual that any machine computes in minutes, and with the folder
# OPEVO_TEST_LANDSCAPES those of recordings.
set -eu
opevo=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/docs" "$folder/tests"
cp -r "$source/docs/results" "$source/docs/plans" "$folder/docs"
ln -s "$source/tests/examples" "$folder/tests/examples"
if [ -d "${OPEVO_TEST_LANDSCAPES:-}" ]; then
    ln -s "$OPEVO_TEST_LANDSCAPES" "$folder/docs/plans/landscapes"
fi
"$opevo" reproduce "$folder"/docs/results/*.md
