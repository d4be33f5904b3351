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
