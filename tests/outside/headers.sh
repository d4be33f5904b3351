#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# headers.sh SOURCE BUILD CC: all public headers in one file, as C and as C++, where functions keep their names of C.
set -eu
source=$1 build=$2 cc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$source"

set -- "-I$build/base/include"
for header in $(find base topology distributions evo landscapes hw analysis cli -path '*/include/opevo/*.h' | sort); do
    folder=${header%/opevo/*}
    case " $* " in *" -I$folder "*) ;; *) set -- "$@" "-I$folder" ;; esac
    # A header of macros declares nothing.
    if grep -q ';$' "$header" && ! grep -q '^OPEVO_BEGIN_C$' "$header"; then
        echo "headers.sh: $header does not say OPEVO_BEGIN_C" >&2
        exit 1
    fi
    echo "#include <opevo/${header##*/}>" >>"$scratch/headers.h"
done
for flag in $(pkg-config --cflags igraph gsl); do
    set -- "$@" "$(echo "$flag" | sed 's/^-I/-isystem/')"
done
cp "$scratch/headers.h" "$scratch/headers.c"
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$@" -fsyntax-only "$scratch/headers.c"

command -v g++ >/dev/null || {
    echo "skipped: the public headers as C++; install g++"
    exit 0
}
cp "$scratch/headers.h" "$scratch/headers.cpp"
cat >>"$scratch/headers.cpp" <<'EOT'
bool free_of_mangling() { return opevo_unit_is_time("ms"); }
EOT
g++ -std=c++11 -Wall -Wextra -Werror "$@" -c -o "$scratch/headers.o" "$scratch/headers.cpp"
nm "$scratch/headers.o" | grep -q 'U opevo_unit_is_time$' || {
    echo "headers.sh: C++ does not call opevo_unit_is_time by its name of C" >&2
    exit 1
}
