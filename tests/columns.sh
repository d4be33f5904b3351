#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# columns.sh FOLDER: name the lines of C in the source tree that are longer than 100 columns (clang-format leaves comments as
# they are), and the names that two files have, so that "name.c" in a text says which file is meant.
set -u
cd "$1" || exit 2
export LC_ALL=C.UTF-8
found=$(find base topology distributions evo landscapes hw analysis cli tests -name '*.[ch]' \
    -exec grep -n -H -E '^.{101}' {} +)
[ -z "$found" ] || printf '%s\n' "$found" | sed 's/^\([^:]*:[0-9]*\):.*/\1: longer than 100 columns/'
# A project of its own, as users have one, is left out.
twice=$(find base topology distributions evo landscapes hw analysis cli tests -path tests/outside -prune -o -name '*.[ch]' -print |
    sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || printf '%s: two files have this name\n' $twice
[ -z "$found$twice" ]
