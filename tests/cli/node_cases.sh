# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for scripts over the node cases of ONNX's backend tests (Debian: libonnx-testdata).

# open_cases FOLDER: skip the test without FOLDER; $work is a folder of its own, removed at the end.
open_cases() {
    [ -d "$1" ] || {
        echo "skipped: no node cases of ONNX in $1; they are in Debian's package libonnx-testdata"
        exit 77
    }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
}

# list_files CASE KIND: the files KIND_0.pb,KIND_1.pb,... of the folder CASE
list_files() {
    files= i=0
    while [ -e "$1/test_data_set_0/$2_$i.pb" ]; do
        files=$files${files:+,}$1/test_data_set_0/$2_$i.pb i=$((i + 1))
    done
    echo "$files"
}

# bound_library OPEVO CASE INPUTS OPTION...: write a library of a case to $work/library; inputs that must be constant are
# bound to their files. $status is that of opevo, and what it says is in $work/said.
bound_library() {
    opevo_program=$1 of=$2 given=$3
    shift 3
    rm -rf "$work/library"
    while :; do
        status=0
        "$opevo_program" network "$of/model.onnx" --quiet -o "$work/library" --check-input "$given" "$@" >"$work/said" 2>&1 ||
            status=$?
        # Files of inputs have their names.
        name=$(sed -n "s/.*; bind it with --bind '\(.*\)=VALUE'.*/\1/p" "$work/said")
        [ "$name" ] || break
        file=$(grep -alF "$name" "$of"/test_data_set_0/input_*.pb | head -1)
        given=$(echo "$given" | tr ',' '\n' | grep -vxF "$file" | paste -sd, || true)
        set -- "$@" --bind "$name=$file"
    done
}
