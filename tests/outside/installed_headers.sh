#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# installed_headers.sh PREFIX CC: the installed headers, each alone and all together, in C and in C++; they need no other
# library's headers, their macros all begin with OPEVO_, and they declare exactly what the library exports.
set -eu
prefix=$1 cc=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "installed_headers.sh: $*" >&2
    exit 1
}

for header in "$prefix"/include/opevo/*.h; do
    name=${header##*/}
    echo "#include <opevo/$name>
extern int alone;" | tee "${name%.h}.c" >"${name%.h}.cpp"
    echo "#include <opevo/$name>" >>every.h
done
[ -s opevo.c ] && [ -s version.c ] || fail "<opevo/opevo.h> and <opevo/version.h> are not installed"
(sort -r every.h && cat every.h) | tee every.c >every.cpp # in two orders, and each twice
# The umbrella has all of them.
"$cc" -M -I"$prefix/include" opevo.c | tr ' ' '\n' | sed -n 's|.*/include/opevo/|#include <opevo/|p' | sed 's/$/>/' |
    sort >reached
sort every.h | cmp reached - || fail "<opevo/opevo.h> leaves out a header"

warnings="-Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2086  # a list of flags
"$cc" -std=c11 $warnings -Wstrict-prototypes -I"$prefix/include" -fsyntax-only ./*.c
if command -v g++ >/dev/null; then
    for standard in 11 17; do
        # shellcheck disable=SC2086
        g++ -std=c++$standard $warnings -I"$prefix/include" -fsyntax-only ./*.cpp
    done
else
    echo "skipped: the installed headers as C++; install g++"
fi

# Macros of opevo's own: those that the headers of the C library alone do not define.
macros() {
    "$cc" -std=c11 -dM -E "$@" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort
}
sed -n 's/^#include \(<[a-z]*\.h>\).*/#include \1/p' "$prefix"/include/opevo/*.h | sort -u >system.c
macros system.c >system
macros -I"$prefix/include" every.c >all
others=$(comm -13 system all | grep -v '^OPEVO_' || true)
[ -z "$others" ] || fail "macros that do not begin with OPEVO_: $others"

unmarked=$(grep -n -E '^[a-z].*[ *]opevo_[a-z0-9_]+\(' "$prefix"/include/opevo/*.h |
    grep -v -E ':(typedef|static|extern "C") ' || true)
[ -z "$unmarked" ] || fail "declared without OPEVO_API: $unmarked"
# Behind the mark of each declaration its name is the last before a bracket or the end.
"$cc" -std=c11 -E -P -I"$prefix/include" opevo.c | tr '\n' ' ' | sed 's/__attribute__((visibility("default")))/\n@/g' |
    sed -n 's/^@ *\([^;(]*\).*/\1/p' | sed 's/\[[^]]*\]//g; s/.*[ *]\(opevo_[a-z0-9_]*\) *$/\1/' | sort >declared
nm -D --defined-only "$(find "$prefix" -name libopevo.so)" | awk '$3 !~ /^__odr_asan/ { print $3 }' | sort >exported
diff declared exported >differences || fail "declared (<) is not what is exported (>): $(cat differences)"
