# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'factor(8,3)' --start 8,1,1 --svg law.svg >/dev/null
grep -c '<circle' law.svg
opevo law 'factor(8,3)' --svg /dev/full
