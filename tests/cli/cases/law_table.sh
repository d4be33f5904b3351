# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'factor(8,3)' --start 8,1,1 --q 0.5
