# SPDX-License-Identifier: GPL-3.0-or-later
# Bars in eighths of a character where the locale has them, in whole characters of ASCII elsewhere.
LC_ALL=C.UTF-8 opevo law 'factor(8,3)' --start 8,1,1 --q 0.5
opevo law 'factor(8,3)' --start 8,1,1 --q 0.5 --top 3
