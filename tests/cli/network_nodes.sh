#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_nodes.sh OPEVO FOLDER DOCS: of the node cases of ONNX's backend tests in FOLDER (Debian: libonnx-testdata), each
# whose operators DOCS lists gives what is expected, and the others are refused with a sentence that names an operator that
# it does not list, or what else opevo does not read.
set -eu
. "${0%/*}/node_cases.sh"
opevo=$1
folder=$2
docs=$3
open_cases "$folder"
# The operators of the table, one a line.
sed -n '/^| operators/,/^$/s/^| \([^|]*\)|.*/\1/p' "$docs" | tr -d '\\* ' | tr ',' '\n' | sort -u >"$work/listed"
[ "$(wc -l <"$work/listed")" -gt 100 ] || { echo "no list of operators in $docs"; exit 1; }

# case FOLDER: a line "STATUS NAME: message".
cat >"$work/case" <<'S'
. "$1/node_cases.sh"
opevo=$2
shift 2
for case; do
    name=${case%/}
    inputs=$(list_files "$case" input)
    outputs=$(list_files "$case" output)
    status=0
    said=$("$opevo" network "$case/model.onnx" --run "$inputs" --expect "$outputs" 2>&1) || status=$?
    # What is not a tensor may be refused before the model is read.
    case $status$said in 2*.pb:*) said=$("$opevo" network "$case/model.onnx" 2>&1) && status=3 || status=$? ;; esac
    [ "$status" != 0 ] || said=
    [ "$status" != 1 ] || said=$(echo "$said" | tr '\n' ' ')
    printf '%s\n' "$status ${name##*/}: $said"
done
S
find "$folder" -mindepth 1 -maxdepth 1 -type d | sort >"$work/cases"
xargs -P 2 -n 40 sh "$work/case" "${0%/*}" "$opevo" <"$work/cases" >"$work/said"
passed=$(grep -c '^0 ' "$work/said" || true)
failed=0
fail() {
    echo "$1"
    failed=$((failed + 1))
}
# Numpy has no bfloat16, so that the files of these have uint16, and random numbers are others. Strings, and the operators
# of other domains: docs/formats/onnx.md, "What is refused".
others='Input .* is not a tensor of a type that opevo reads|ONNX type [0-9]+|The model names no opset of ONNX'
others="$others"'|is of float32; .* is of uint16|Scan had another meaning'
while read -r status said; do
    case $status in
    0) continue ;;
    1) case $said in *"instead of uint16"* | *bernoulli* | *training_dropout*) continue ;; esac && fail "exit status $status: $said" && continue ;;
    2) ;;
    *) fail "exit status $status: $said" && continue ;;
    esac
    operators=$(echo "$said" | sed -n 's/.*: opevo does not know [0-9]* operators*, which [^:]*: //p' |
        grep -o '[A-Za-z0-9]* ([0-9]* node' | cut -d' ' -f1)
    if [ "$operators" ]; then
        for operator in $operators; do
            ! grep -qx "$operator" "$work/listed" || fail "$operator is listed in $docs: $said"
        done
    else
        echo "$said" | grep -qE "$others" || fail "$said"
    fi
done <"$work/said"
echo "$(wc -l <"$work/cases") cases, $passed passed, $failed wrong"
[ "$failed" = 0 ] && [ "$(wc -l <"$work/said")" = "$(wc -l <"$work/cases")" ] && [ "$passed" -ge 896 ]
