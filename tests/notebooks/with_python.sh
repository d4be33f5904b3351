#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with_python.sh SCRIPT ARGUMENT...: run it by Debian's Python; exit status 77 where there is none.
[ -x /usr/bin/python3 ] || {
    echo "skipped: /usr/bin/python3 is not installed; ./dev notebooks installs it"
    exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "$@"
