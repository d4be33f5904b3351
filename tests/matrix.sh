#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# matrix.sh [RELEASE-COMPILER...]: ./dev demo and ./dev test in bare roots of Debian (default: bookworm-gcc bookworm-clang
# trixie-gcc trixie-clang), one after another, from $OPEVO_DEBIAN_MIRROR or deb.debian.org. Bare roots and fetched packages are
# kept in build/matrix, each with a log, and the table is printed at the end. Exit status 1 if a row failed, 2 where none can run.
set -u
cd "$(dirname "$0")/.." || exit 2
mirror=${OPEVO_DEBIAN_MIRROR:-http://deb.debian.org/debian}
folder=$PWD/build/matrix
[ $# -gt 0 ] || set -- bookworm-gcc bookworm-clang trixie-gcc trixie-clang
for row in "$@"; do
    case $row in
    bookworm-gcc | bookworm-clang | trixie-gcc | trixie-clang) ;;
    *)
        echo "dev matrix: unknown row $row; there are bookworm-gcc, bookworm-clang, trixie-gcc and trixie-clang." >&2
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
        echo "dev matrix: there is no $program; install debootstrap and util-linux." >&2
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

# in_root ROOT RELEASE COMPILER: what is mounted and what runs ends with the namespaces.
in_root() {
    mkdir -p "$folder/$2-packages" "$1/var/cache/apt/archives"
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --pid --fork sh -ec '
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$2" "$1/var/cache/apt/archives"
        exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CC="$3" DEBIAN_FRONTEND=noninteractive \
            ${http_proxy:+http_proxy="$http_proxy"} sh -c "
            cd /opevo && apt-get update -qq && apt-get install -y -qq --no-install-recommends \$CC || exit 3
            \$CC --version | head -n 1
            ./dev demo || exit 4
            echo == tests
            ./dev test"' sh "$1" "$folder/$2-packages" "$3"
}

# run_row RELEASE COMPILER: its line of the table; false where it failed.
run_row() {
    root=$folder/$1-$2
    log=$root.log
    begin=$(date +%s)
    rm -rf "$root"
    mkdir "$root"
    if ! bare "$1" >"$log" 2>&1 || ! tar -xf "$folder/$1.tar" -C "$root" >>"$log" 2>&1; then
        printf '%-9s %-6s no bare root: %s\n' "$1" "$2" "$(tail -n 1 "$log")"
        return 1
    fi
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir "$root/opevo"
    tar -c --exclude=./build --exclude='./build-*' --exclude=./.git . | tar -x -C "$root/opevo"
    in_root "$root" "$1" "$2" >"$log" 2>&1
    code=$?
    case $code in
    3) said="its packages cannot be installed" ;;
    4) said="./dev demo failed" ;;
    *) said="demo ok; $(grep 'tests passed,' "$log" || echo 'no tests ran'); $(sed '1,/^Skipped, /d' "$log" | grep -c '^  ') skipped" ;;
    esac
    printf '%-9s %-6s %s; %d s\n' "$1" "$2" "$said" $(($(date +%s) - begin))
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
