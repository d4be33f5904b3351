# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo tune "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try
try mm1
try mm9 --on sim:gtx1080ti
try mm1 --on gtx1080ti
try mm1 --on sim:gtx9
try --on sim:gtx1080ti
try mm1 --on recorded:x
try --on recorded:absent
try mm1 --on sim:gtx1080ti --tuner genetic
try mm1 --on sim:gtx1080ti --set lambda=0
try mm1 --on sim:gtx1080ti --set lamda=8
try mm1 --on sim:gtx1080ti --set q=1
try mm1 --on sim:gtx1080ti --set q=.5 --set q=.6
try mm1 --on sim:gtx1080ti --set q
try mm1 --on sim:gtx1080ti --trials 0
try mm1 --on sim:gtx1080ti --trials many
try mm1 --on sim:gtx1080ti --seconds -1
try mm1 --on sim:gtx1080ti --target high
try mm1 --on sim:gtx1080ti --store no/such/folder.db
try mm1 --on sim:gtx1080ti --store .
try mm1 --on sim:gtx1080ti --set foo=1
printf 'not a store' >plain.db
try mm1 --on sim:gtx1080ti --store plain.db
cat plain.db
echo
ls
