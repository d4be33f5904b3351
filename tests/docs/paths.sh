#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# paths.sh FOLDER: what the manual of the source tree in FOLDER says of its files. A path that begins with a folder of
# the tree exists, from the top or from the folder of the page; a word in capitals stands for any, `*` makes a pattern,
# and a landscape's name may lack its ending. There is a source of each program of build/tests, each file that
# docs/architecture.md names, but for net.c, which opevo writes, and each name of C that begins with opevo_ and is no
# example. Each page of docs/ that a source names exists.
set -u
cd "$1" || exit 1
top='analysis|base|cli|cmake|distributions|docs|evo|hw|landscapes|notebooks-data|tests|topology'
rooms="base topology distributions evo landscapes hw analysis cli tests"
failed=0
fail() {
    echo "$*"
    failed=1
}

# exists PATTERN: whether a file matches it, with or without an ending.
exists() {
    for file in $1 "$1".*; do
        [ -e "$file" ] && return 0
    done
    return 1
}

for page in README.md $(find docs notebooks-data -name '*.md' | sort); do
    for path in $(grep -oE "(^|[^A-Za-z0-9_./-])($top)/[A-Za-z0-9_./*-]*" "$page" | sed 's/^[^a-z]//; s/[.,]*$//' |
        grep -v '[A-Z][A-Z]' | sort -u); do
        exists "$path" || exists "${page%/*}/$path" || fail "$page: $path is missing."
    done
done
# shellcheck disable=SC2086  # a list of words
sources=$(find $rooms -type f | sed 's|.*/||')
for name in $(grep -rhoE 'build/tests/(bench|test)_[a-z_]+' README.md docs | sed 's|.*/||; s|$|.c|' | sort -u) \
    $(grep -oE '[`/][a-z_]+\.c`' docs/architecture.md | tr -d '`/' | sed '/^net\.c$/d' | sort -u); do
    echo "$sources" | grep -qxF "$name" || fail "The manual names $name, which is not there."
done
# shellcheck disable=SC2086  # a list of words
known=$(find $rooms \( -name '*.[ch]' -o -name '*.in' \) -exec grep -IhoE '\bopevo_[a-z0-9_]+' {} + | sort -u)
for name in $(grep -rhoE '`opevo_[a-z0-9_]+' README.md docs | tr -d '`' | sort -u |
    grep -vxE 'opevo_i_subset_type|opevo_matmul_[0-9a-f]{16}'); do
    echo "$known" | grep -q "^$name" || fail "The manual names $name, which is not there."
done
# shellcheck disable=SC2086  # a list of words
for path in $(find $rooms cmake dev -type f -exec grep -IhoE 'docs/[a-z0-9/-]+\.md' {} + | sort -u); do
    [ -e "$path" ] || fail "$path is missing, which a source names: see grep -r $path."
done
exit $failed
