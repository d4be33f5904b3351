# SPDX-License-Identifier: GPL-3.0-or-later
opevo tune mm1 --on sim:gtx1080ti --trials 60 --curve --store r.db >tune
opevo runs r.db:1 >runs
sed -n '/^best so far/,$p' tune
sed -n '/^best so far/,/trials$/p' runs | diff - tune | grep '^<'
LC_ALL=C.UTF-8 COLUMNS=40 opevo runs r.db:1 | sed -n '/^best so far/,/trials$/p'
opevo tune mm1 --on sim:gtx1080ti --runs 2 --curve
opevo tune mm1 --on sim:gtx1080ti --json --curve
