#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh: in the root of a source tree, as root of a Debian: ./dev package with the unit tests, then the same packages once
# more with all that may differ between two builders, which must be the same bytes; and the hardening of what is packed.
set -eu

fail() {
    echo "build.sh: $*" >&2
    exit 1
}

DEB_BUILD_OPTIONS='' ./dev package
grep '% tests passed' build/package/build.log || fail "no unit tests ran"

again=/tmp/another-builder/of/opevo
rm -rf "${again%%/of*}"
mkdir -p "$again"
cp -r build/package/opevo-*/. "$again"
(
    cd "$again"
    umask 077
    export TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME=/nonexistent DEB_BUILD_OPTIONS='nocheck parallel=1'
    unshare --net dpkg-buildpackage -us -uc -b
) >build/package/again.log 2>&1 || fail "the second build failed: $(tail -n 5 build/package/again.log)"
for deb in build/package/*.deb; do
    cmp "$deb" "$again/../${deb##*/}" || fail "two builds of ${deb##*/} differ"
done

packed=/tmp/another-builder/packed
for deb in build/package/*.deb; do
    dpkg-deb -x "$deb" "$packed"
done
tests/cli/hardening.sh "$packed/usr/bin/opevo" "$packed/usr/bin/opevo-worker"
grep -e ' -o .* -c ' build/package/build.log >"$packed/commands"
[ "$(wc -l <"$packed/commands")" -gt 100 ] || fail "build.log does not show the commands of the compiler"
! grep -v -e ' -O2 .*-ffp-contract=off' "$packed/commands" || fail "compiled without -O2 -ffp-contract=off"
rm -rf "${again%%/of*}"
for deb in build/package/*.deb; do
    echo "$(dpkg-deb -f "$deb" Package) $(dpkg-deb -f "$deb" Installed-Size) kB"
done
