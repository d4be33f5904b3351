# SPDX-License-Identifier: GPL-3.0-or-later
opevo study --size 0.6
opevo study --size 0.4 --json | sed "s/0.80[0-9]*/0.80/g"
