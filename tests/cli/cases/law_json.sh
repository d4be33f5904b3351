# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'categorical(a,b,c)' --start b --q 0.5 --json
