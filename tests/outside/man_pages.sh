#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# man_pages.sh PREFIX CC: the installed man pages of section 3. What a SYNOPSIS declares is exported, or inline, and is
# declared so in the headers; each function has its page; and the pages have no errors.
set -eu
prefix=$1 cc=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
man3=$prefix/share/man/man3
library=$(find "$prefix" -name libopevo.so)

fail() {
    echo "man_pages.sh: $*" >&2
    exit 1
}

pages=$(grep -L '^\.so ' "$man3"/*.3)
for page in $pages; do
    name=$(basename "$page" .3)
    awk '/^\.SH/ { on = $2 == "SYNOPSIS" } on && !/^\./' "$page" >"$scratch/$name.c"
    echo "extern int alone;" >>"$scratch/$name.c"
    # A declaration that conflicts with that of the headers does not compile.
    (echo '#include <opevo/opevo.h>' && cat "$scratch/$name.c") >"$scratch/both.c"
    "$cc" -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only "$scratch/both.c" ||
        fail "$name(3): the SYNOPSIS is not what the headers declare"
    "$cc" -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only "$scratch/$name.c" ||
        fail "$name(3): the SYNOPSIS includes a header that does not declare its types"
    # The name is the last before the first bracket of a declaration.
    tr '\n' ' ' <"$scratch/$name.c" | tr ';' '\n' | sed -n 's/^[^(]*[ *]\(opevo_[a-z0-9_]*\)(.*/\1/p' >>"$scratch/functions"
done
[ "$(wc -l <"$scratch/functions")" -gt 50 ] || fail "the pages declare only: $(cat "$scratch/functions")"
nm -D --defined-only "$library" | awk '{ print $3 }' >"$scratch/exported"
while read -r function; do
    grep -q -x -E "$function(_sized)?" "$scratch/exported" || fail "$function is not exported"
    [ -s "$man3/$function.3" ] || fail "$function has no page of its name"
done <"$scratch/functions"

checked=no
if command -v mandoc >/dev/null; then
    checked=yes
    # shellcheck disable=SC2086  # a list of files
    mandoc -Tlint -Wstyle $pages >"$scratch/lint" || true
    if grep -v 'missing date' "$scratch/lint"; then
        fail "mandoc finds errors"
    fi
fi
if command -v groff >/dev/null; then
    checked=yes
    for page in $pages; do
        groff -man -Tutf8 -ww -z "$page" 2>"$scratch/lint" || true
        [ ! -s "$scratch/lint" ] || fail "$page: $(cat "$scratch/lint")"
    done
fi
[ "$checked" = yes ] || echo "skipped: the format of the man pages; install mandoc or groff"
