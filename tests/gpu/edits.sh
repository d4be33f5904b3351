#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Edits of opevo's kernels on cases that are large enough for a GPU: edits.sh KERNEL MACHINE [TRIALS STORE]
#
# Prints what `opevo edits apply --json` prints of a variant as in docs/results/gpu.md on MACHINE ("simt", "cuda:0"): three
# times cost or time as a fraction of the base's, on the same sizes with other numbers. With TRIALS, `opevo evolve` by
# climb, with its trials in STORE. PROGRAM names opevo (a list of words), TMPDIR a folder for the harness.
set -eu
kernel=$1 machine=$2 trials=${3-}
[ -z "$trials" ] || store=$(realpath "$4")
cd "$(dirname "$0")/../.."

# The sizes, and the best variant known.
case $kernel in
planted)
    sizes='"n": 256, "passes": 2'
    edits='delete U45; delete U11 with=U6; delete U6 with=one; delete U66; delete U47; delete U55 with=one; delete U28;
        delete U54; delete U27'
    ;;
nw)
    sizes='"n": 1024'
    edits='delete U65'
    ;;
lud)
    sizes='"n": 256'
    edits='delete U41; move U48 U45'
    ;;
hotspot)
    sizes='"n": 512, "rounds": 2, "steps": 2'
    edits='move U72 U94 with=U71; move U112 U68; delete U42; delete U70; delete U67; move U68 U111 with=U14;
        delete U72; delete U68'
    ;;
*)
    echo "edits.sh: $kernel: give planted, nw, lud or hotspot" >&2
    exit 2
    ;;
esac

harness=$(mktemp "${TMPDIR:-/tmp}/opevo-edits.XXXXXX")
trap 'rm -f "$harness"' EXIT
trap 'exit 130' INT TERM
# All of the kernel's harness but its sets, which are at its end.
{
    sed '/"sets": {/,$d' "hw/kernels/examples/$kernel.json" | sed "s|\"reference\": \"|&$PWD/hw/kernels/examples/|"
    cat <<EOT
  "sets": {
    "search": [{"sizes": [{$sizes}], "seeds": [1]}],
    "selection": [{"sizes": [{$sizes}], "seeds": [2]}],
    "final": [{"sizes": [{$sizes}], "seeds": [3]}]
  }
}
EOT
} >"$harness"
if [ -n "$trials" ]; then
    set -- evolve "hw/kernels/examples/$kernel.ll" --tuner climb --trials "$trials" --store "$store" --quiet
else
    set -- edits apply "hw/kernels/examples/$kernel.ll" "$edits"
fi
${PROGRAM:-build/opevo} "$@" --harness "$harness" --on "$machine" --jobs 1 --timeout 300 --json
