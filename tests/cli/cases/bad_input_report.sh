# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo report "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
opevo tune mm1 --on sim:gtx1080ti --trials 5 --store runs.db --quiet >/dev/null
mkdir folder
try
try -o page.html
try absent.db
: >empty.db
try empty.db
try runs.db more
try runs.db -o
try runs.db -o ''
try runs.db -o folder
try runs.db -o absent/page.html
try runs.db -o a.html -o b.html
try runs.db -p page.html
try runs.db --at 5,3
try runs.db --nodes ok
try recorded:absent.csv
try mm1 --on sim:gtx1080ti --alpha .1
try mm1 --on sim:none
try 'matmul(2,2,2)' --on cpu
try 'matmul(2,2,2)' --on sim:mi50 --topologies none
try 'matmul(2,2,2)' --on sim:mi50 --population 5 --q 1
ls . folder
