# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'factor(8,3)' >/dev/full
