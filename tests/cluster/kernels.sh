#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kernels.sh OPEVO WORKER FOLDER: build the kernels that the tests of launchers measure, once for all of them, as the cache
# FOLDER. Needs a C compiler; exit status 77 without it.
worker=$(realpath "$2")
. "$(dirname "$0")/study_cluster.sh"
. "$(dirname "$0")/launched.sh"
trap 'rm -rf "$folder"' EXIT
need cc python3
alone
rm -rf "$3"
mkdir -p "$3" && cp -R cache/opevo/kernels "$3"
