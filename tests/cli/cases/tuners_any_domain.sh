# SPDX-License-Identifier: GPL-3.0-or-later
# Tuners that need no search space say so; nsga2 tunes a space like any other, by one criterion or more.
opevo tuners nsga2
opevo tuners random
opevo tuners --json | grep -c '"needs_space": false'
tune() { opevo tune mm1 --on sim:gtx1080ti --tuner nsga2 --set population=20 "$@" --quiet; }
tune --trials 200 --json --threads 2 >whole
tune --trials 70 --store runs.db --json >part
tune --trials 200 --store runs.db --json >rest
sed 's/"resumed": [0-9]*/"resumed": 0/' rest | cmp - whole
tune --set q=1
[ $? = 2 ] || echo "exit status is not 2"
