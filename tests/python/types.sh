#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# types.sh PACKAGE: the package's types are complete and hold.
set -eu
/usr/bin/python3 -c 'import mypy' 2>/dev/null || {
    echo "skipped: no mypy for /usr/bin/python3; install python3-mypy"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
exec /usr/bin/python3 -m mypy --strict --config-file "$1/pyproject.toml" --cache-dir "$scratch" "$1/opevo"
