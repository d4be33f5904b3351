#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# types.sh PACKAGE CACHE: the package's types are complete and hold. The folder CACHE keeps what mypy knows of the packages of
# others, which takes it longest.
set -eu
/usr/bin/python3 -c 'import mypy' 2>/dev/null || {
    echo "skipped: no mypy for /usr/bin/python3; install python3-mypy"
    exit 77
}
exec /usr/bin/python3 -m mypy --strict --config-file "$1/pyproject.toml" --cache-dir "$2" "$1/opevo"
