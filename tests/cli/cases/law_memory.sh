# SPDX-License-Identifier: GPL-3.0-or-later
# What the process may use counts, not what the machine has: 49 million vertices take 4.7 GB.
ulimit -v 4000000
opevo --version >/dev/null 2>&1 || { echo 'skipped: no program with sanitizers starts in 4 GB' >&2; exit 77; }
opevo law 'factor(1073741824,9)' 2>&1 | grep -o 'which do not fit in memory'
