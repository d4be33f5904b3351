# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'discrete(0,125,256)' --start 125 --q 0.5 --csv
