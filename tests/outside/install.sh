#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# install.sh CMAKE BUILD: install a build below a prefix and, staged, below DESTDIR; what is installed works from there.
set -eu
cmake=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$prefix" --strip >/dev/null
cd "$prefix"
for file in bin/opevo bin/opevo-worker share/opevo/kernels/planted.ll share/man/man1/opevo.1 share/bash-completion/completions/opevo \
    share/fish/vendor_completions.d/opevo.fish share/zsh/site-functions/_opevo \
    share/doc/opevo/LICENSE share/doc/opevo/README.md share/doc/opevo/docs/measuring.md; do
    [ -s "$file" ] || fail "$file is not installed"
done
# Nothing else.
program='^./(bin/opevo(-worker|-worker-simt|-evolver)?|share/man/man1/opevo.1|share/bash-completion/completions/opevo|share/fish/vendor_completions.d/opevo.fish|share/zsh/site-functions/_opevo|share/doc/opevo/.*|share/opevo/kernels/((vendors/(hip/)?)?[a-z0-9_-]+\.[a-z]+|vendors/cmath))$'
library='^./lib.*/libopevo.so.[0-9.]+$'
development='^./(include/opevo/[a-z_]+.h|share/man/man3/opevo[a-z_]*.3|lib.*/(libopevo.a|libopevo.so|pkgconfig/opevo.pc|cmake/opevo/[A-Za-z-]+.cmake))$'
python='^./lib/python3/dist-packages/opevo/[a-z_]+.(py|typed)$'
others=$(find . ! -type d | grep -v -E "$program|$library|$development|$python") || true
[ -z "$others" ] || fail "installed as well: $others"
for program_file in bin/opevo bin/opevo-worker; do
    ! readelf -S "$program_file" | grep -q '\.symtab' || fail "$program_file is not stripped"
done

# The components part them.
for component in program library development python; do
    "$cmake" --install "$build" --prefix "$scratch/$component" --component "$component" >/dev/null
    cd "$scratch/$component"
    pattern=
    eval "pattern=\$$component"
    [ -n "$(find . ! -type d)" ] || fail "the component $component is empty"
    others=$(find . ! -type d | grep -v -E "$pattern") || true
    [ -z "$others" ] || fail "the component $component has $others"
done

# The program finds its worker beside itself, and not by PATH.
mkdir "$scratch/work"
cd "$scratch/work"
echo '{"X": {"_type": "choice", "_value": [1, 2]}}' >space.json
PATH=/usr/bin:/bin "$prefix/bin/opevo" tune --on 'cmd:echo took {X} ms' --space space.json --trials 2 \
    --result 'ms:/took ([0-9.]+) ms/' --quiet >out 2>&1 || fail "opevo tune: $(cat out)"
grep -q '^X=1$' out || fail "the better point is not found: $(cat out)"
"$prefix/bin/opevo" man | cmp - "$prefix/share/man/man1/opevo.1"
"$prefix/bin/opevo" completion bash | cmp - "$prefix/share/bash-completion/completions/opevo"

# Packages are made from a staged copy.
DESTDIR="$scratch/stage" "$cmake" --install "$build" --prefix /usr >/dev/null
[ -x "$scratch/stage/usr/bin/opevo-worker" ] || fail "DESTDIR is not heeded"
