# SPDX-License-Identifier: GPL-3.0-or-later
# left SECONDS: say so when, after some time, a process that sleeps so long is still there. Sourced by cases.
left() {
    for _ in $(seq 100); do
        grep -lzsq "^$1\$" /proc/[0-9]*/cmdline || return
        sleep 0.05
    done
    echo "a process is left"
}
