# SPDX-License-Identifier: GPL-3.0-or-later
# await COMMAND...: until it succeeds. False after ten minutes, when it is not the machine that is slow. Sourced by scripts.
await() {
    await_end=$(($(date +%s) + 600))
    until "$@"; do
        [ "$(date +%s)" -lt "$await_end" ] || return 1
        sleep 0.1
    done
}
