#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# version.sh SOURCE VERSION SOVERSION: the Debian packages have the version of the project, and the library's package the
# number of its interface.
set -eu
cd "$1/cmake/debian"
packaged=$(sed -n '1s/^opevo (\([^)]*\)) .*/\1/p' changelog)
[ "$packaged" = "$2" ] || {
    echo "version.sh: cmake/debian/changelog begins with version \"$packaged\", CMakeLists.txt has $2" >&2
    exit 1
}
library=$(sed -n 's/^Package: \(libopevo[0-9]*\)$/\1/p' control)
[ "$library" = "libopevo$3" ] || {
    echo "version.sh: cmake/debian/control has the package \"$library\", CMakeLists.txt the soname libopevo.so.$3" >&2
    exit 1
}
