# SPDX-License-Identifier: GPL-3.0-or-later
# left SECONDS: say so when a process that sleeps so long stays. Sourced by cases.
. "${0%/*}/../../await.sh"
sleeps() { grep -lzsq "^$1\$" /proc/[0-9]*/cmdline; }
ended() { ! sleeps "$1"; }
left() { await ended "$1" || echo "a process is left"; }
