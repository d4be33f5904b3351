#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# matrix.sh [RELEASE-COMPILER|RELEASE-package...]: in bare roots of Debian, from $OPEVO_DEBIAN_MIRROR or deb.debian.org, one
# after another, ./dev demo and ./dev test with a compiler, or the packages: built in one root, used and removed in another.
# Default: all rows. Bare roots and fetched packages are kept in build/matrix, each with a log, and the table is printed at
# the end. Exit status 1 if a row failed, 2 where none can run.
set -u
cd "$(dirname "$0")/.." || exit 2
mirror=${OPEVO_DEBIAN_MIRROR:-http://deb.debian.org/debian}
folder=$PWD/build/matrix
rows="bookworm-gcc bookworm-clang bookworm-package trixie-gcc trixie-clang trixie-package"
# shellcheck disable=SC2086  # a list of words
[ $# -gt 0 ] || set -- $rows
for row in "$@"; do
    case " $rows " in
    *" $row "*) ;;
    *)
        echo "dev matrix: unknown row $row; the rows are $rows." >&2
        exit 2
        ;;
    esac
done
[ "$(id -u)" = 0 ] || {
    echo "dev matrix: changing into another root needs root; run it with sudo." >&2
    exit 2
}
for program in debootstrap unshare chroot tar; do
    command -v "$program" >/dev/null || {
        echo "dev matrix: $program is not installed; install debootstrap and util-linux." >&2
        exit 2
    }
done
mkdir -p "$folder"

# bare RELEASE: its bare root as $folder/RELEASE.tar
bare() {
    [ ! -f "$folder/$1.tar" ] || return 0
    rm -rf "$folder/$1"
    debootstrap --variant=minbase "$1" "$folder/$1" "$mirror" &&
        tar -cf "$folder/$1.part" -C "$folder/$1" . && mv "$folder/$1.part" "$folder/$1.tar" && rm -rf "${folder:?}/$1"
}

# in_root ROOT RELEASE COMMANDS: run them in the root. What is mounted and what runs ends with the namespaces.
in_root() {
    mkdir -p "$folder/$2-packages" "$1/var/cache/apt/archives"
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --pid --fork sh -ec '
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$2" "$1/var/cache/apt/archives"
        exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
            ${http_proxy:+http_proxy="$http_proxy"} sh -c "$3"' sh "$1" "$folder/$2-packages" "$3"
}

# unpacked RELEASE ROOT: its bare root, unpacked.
unpacked() {
    rm -rf "$2"
    mkdir "$2"
    bare "$1" && tar -xf "$folder/$1.tar" -C "$2" && cp /etc/resolv.conf "$2/etc/resolv.conf" &&
        echo force-unsafe-io >"$2/etc/dpkg/dpkg.cfg.d/unsafe-io" # of packages unpacked there no disk need be sure
}

# with_compiler ROOT RELEASE COMPILER: exit status 3, 4 or that of ./dev test.
with_compiler() {
    in_root "$1" "$2" "
        export CC=$3
        cd /opevo && apt-get update -qq && apt-get install -y -qq --no-install-recommends $3 || exit 3
        $3 --version | head -n 1
        ./dev demo || exit 4
        echo == tests
        ./dev test"
}

# packages ROOT RELEASE: exit status 3, 5, 6 or 0.
packages() {
    in_root "$1" "$2" 'cd /opevo && apt-get update -qq && tests/package/build.sh' || return 5
    unpacked "$2" "$1-use" || return 3
    mkdir "$1-use/packages"
    cp "$1"/opevo/build/package/*.deb "$1-use/packages"
    cp -r "$1/opevo/tests" "$1/opevo/README.md" "$1-use/packages" # programs that use the library
    in_root "$1-use" "$2" '/packages/tests/package/use.sh /packages' || return 6
    rm -rf "$1-use"
}

# run_row RELEASE COMPILER: its line of the table; false where it failed.
run_row() {
    root=$folder/$1-$2
    log=$root.log
    begin=$(date +%s)
    if ! unpacked "$1" "$root" >"$log" 2>&1; then
        printf '%-9s %-7s no bare root: %s\n' "$1" "$2" "$(tail -n 1 "$log")"
        return 1
    fi
    mkdir "$root/opevo"
    tar -c --exclude=./build --exclude='./build-*' --exclude=./.git . | tar -x -C "$root/opevo"
    if [ "$2" = package ]; then packages "$root" "$1"; else with_compiler "$root" "$1" "$2"; fi >"$log" 2>&1
    code=$?
    case $2-$code in
    *-3) said="its packages cannot be installed" ;;
    *-4) said="./dev demo failed" ;;
    *-5) said="the packages cannot be built, or not twice the same" ;;
    *-6) said="the packages cannot be installed, used and removed: $(tail -n 1 "$log")" ;;
    package-0) said="$(grep -c ' kB$' "$log") packages: built twice the same, lintian ok, used and removed" ;;
    *) said="demo ok; $(grep 'tests passed,' "$log" || echo 'no tests ran'); $(sed '1,/^Skipped, /d' "$log" | grep -c '^  ') skipped" ;;
    esac
    printf '%-9s %-7s %s; %d s\n' "$1" "$2" "$said" $(($(date +%s) - begin))
    [ "$code" = 0 ] && rm -rf "$root"
}

failed=0
for row in "$@"; do
    run_row "${row%-*}" "${row#*-}" >"$folder/$row.txt" || failed=1
    cat "$folder/$row.txt" >&2
done
for row in "$@"; do
    cat "$folder/$row.txt"
done
[ "$failed" = 0 ] || echo "What failed is in $folder/RELEASE-COMPILER.log." >&2
exit "$failed"
