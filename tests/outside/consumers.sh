#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# consumers.sh CMAKE SOURCE PREFIX GENERATOR CC: build the programs of tests/outside/programs with the opevo that is
# installed below PREFIX, by pkg-config and by find_package, and compare their trials with those of `opevo tune`.
set -eu
cmake=$1 source=$2 prefix=$3 generator=$4 cc=$5
programs=$source/tests/outside/programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "consumers.sh: $*" >&2
    exit 1
}

# check PROGRAM WHAT: it prints the trials of `opevo tune`.
check() {
    "$1" >printed || fail "$2: the program fails"
    cmp printed expected || fail "$2: other trials than those of opevo tune"
}

sh "$programs/expected.sh" "$prefix/bin/opevo" >expected
[ "$(wc -l <expected)" = 30 ] || fail "opevo tune does not print 30 trials: $(cat expected)"

libraries=$(dirname "$(find "$prefix" -name libopevo.a)")
LD_LIBRARY_PATH=$libraries
export LD_LIBRARY_PATH
# No other package is needed to link the shared library.
PKG_CONFIG_LIBDIR=$libraries/pkgconfig
export PKG_CONFIG_LIBDIR
[ "$(pkg-config --modversion opevo)" = "$("$prefix/bin/opevo" --version | cut -d ' ' -f 2)" ] || fail "opevo.pc has another version"

# shellcheck disable=SC2046  # a list of flags
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags opevo) "$programs/ask_tell.c" \
    $(pkg-config --libs opevo) -o shared
readelf -d shared | grep -q 'NEEDED.*libopevo.so' || fail "pkg-config does not link the shared library"
check ./shared "C by pkg-config"
# shellcheck disable=SC2046
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags opevo) "$programs/own_objective.c" \
    $(pkg-config --libs opevo) -o own_objective
check ./own_objective "an objective of one's own"

# shellcheck disable=SC2046
"$cc" $(pkg-config --cflags opevo) "$programs/ask_tell.c" \
    $(pkg-config --static --libs opevo | sed 's/-lopevo/-l:libopevo.a/') -o static
! readelf -d static | grep -q 'NEEDED.*libopevo.so' || fail "the static library is not linked"
# GSL's own CBLAS would come before OpenBLAS's.
! readelf -d static | grep -q 'NEEDED.*gslcblas' || fail "GSL's CBLAS is linked"
LD_LIBRARY_PATH='' check ./static "C by pkg-config --static"

cxx=g++
if command -v "$cxx" >/dev/null; then
    # shellcheck disable=SC2046
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags opevo) "$programs/ask_tell.cpp" \
        $(pkg-config --libs opevo) -o shared_cpp
    check ./shared_cpp "C++ by pkg-config"
else
    echo "skipped: the programs in C++; install g++"
fi

# The README's program, as it stands.
awk '$0 == "```" { on = 0 } on; $0 == "```c" { on = 1 }' "$source/README.md" >program.c
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Werror program.c $(pkg-config --cflags --libs opevo) -o readme
! ./readme 2>said || fail "the README's program does without its space"
grep -q '^space.json: ' said || fail "the README's program says: $(cat said)"
echo '{"X": {"_type": "factor", "_value": [512, 3]}, "unroll": {"_type": "discrete", "_value": [0, 125]}}' >space.json
./readme | grep -q -E '^X=[0-9,]+ unroll=[0-9]+$' || fail "the README's program prints: $(./readme)"

# configure FOLDER COMPONENT...: a project that asks find_package for these components; the prefix may have other packages.
configure() {
    folder=$1
    shift
    "$cmake" -G "$generator" -S "$source/tests/outside/package" -B "$folder" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_PREFIX_PATH="$prefix" -DPKG_CONFIG_USE_CMAKE_PREFIX_PATH=OFF -DCOMPONENTS="$*" >log 2>&1
}

# The configuration file looks for what the static library needs; without that there is the shared library.
PKG_CONFIG_LIBDIR=$scratch/none
configure shared_only || fail "find_package with no other package: $(cat log)"
! configure without static || fail "find_package finds what the static library needs where nothing is"
tr -s ' \n' ' ' <log | grep -q 'missing: .*jansson, .*zlib.*\.' || fail "find_package says: $(cat log)"
unset PKG_CONFIG_LIBDIR
configure package 'shared;static' && "$cmake" --build package >>log 2>&1 || fail "find_package: $(cat log)"
for program in package/ask_tell* package/own_objective; do
    check "$program" "find_package: $program"
done
[ -x package/ask_tell_static ] || fail "find_package does not give opevo::opevo_static"
! readelf -d package/ask_tell_static | grep -E 'NEEDED.*(gslcblas|libopevo)' || fail "ask_tell_static links it"
