# SPDX-License-Identifier: GPL-3.0-or-later
# The totals of a recording are those of all its rows, also after a call that asked for fewer or for others.
landscape() { opevo landscape --on only-recorded:r | head -1; }
record() { opevo record mm1 --on sim:mi50 --out r --sample "$@" | grep points; }
record 40
record 20
landscape
record 30 --seed 2
landscape
opevo tune mm1 --on sim:mi50 --trials 9 --seed 3 --store runs.db >out
opevo record --from runs.db:1 --out r | grep points
landscape
