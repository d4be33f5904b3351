# SPDX-License-Identifier: GPL-3.0-or-later
# Points that are measured before the tuner proposes: where they come from, and that a stored run keeps them.
tune() { opevo tune "$@" --quiet --finals 0 --precision 50 >printed || cat printed; }
# Of the trials of a run.
origins() { opevo runs "$1:${2-1}" --trials --json | tr , '\n' | sed -n 's/.*"origin": *"\([a-z]*\)".*/\1/p' | tr '\n' ' '; echo; }
# A kernel begins at the analytic default; none switches it off, and the runs are two.
tune 'matmul(64,64,64)' --on cpu --trials 3 --store a.db --emit kernel
tune 'matmul(64,64,64)' --on cpu --trials 3 --store a.db --start none
origins a.db 1
origins a.db 2
# A run that was begun with start points keeps them.
tune 'matmul(64,64,64)' --on cpu --trials 4 --store a.db
origins a.db 1
# Its schedule is read back, also without the head that names the configuration.
grep -v '^#' kernel/kernel.schedule >bare.schedule
for file in kernel/kernel.schedule bare.schedule; do
    opevo tune 'matmul(64,64,64)' --on cpu --trials 1 --start none --start $file --quiet --finals 0 --emit again --precision 50 >printed
    grep -v '^#' again/kernel.schedule | cmp - bare.schedule && echo same
    rm -r again
done
# The best points of other extents are carried over.
tune 'matmul(96,64,128)' --on cpu --trials 3 --store b.db --transfer a.db
origins b.db
tune 'matmul(96,64,128)' --on cpu --trials 2 --store b.db --start none --start a.db:1
origins b.db 2
# Of what is computed too.
point='K=64,4,4 X=8,1,16,4 Y=16,1,16,4'
opevo tune mm1 --on sim:gtx1080ti --trials 2 --start "$point" --store c.db | sed -n 1,3p
opevo tune mm1 --on sim:gtx1080ti --trials 1 --start '{"K": [64, 4, 4], "X": [8, 1, 16, 4], "Y": [16, 1, 16, 4]}' --store c.db | tail -1
opevo tune mm1 --on sim:gtx1080ti --trials 3 --start c.db:1 --json | tr -d '\n' | grep -o '"start_points": [0-9]*'
origins c.db
# Refused.
try() { opevo tune "$@" --trials 1 --quiet; echo "status $?"; }
try mm1 --on sim:gtx1080ti --start "K=64,4,4"
try mm1 --on sim:gtx1080ti --start '{"K": [64,4,4]'
try mm1 --on sim:gtx1080ti --start kernel/kernel.schedule
try mm1 --on cpu --start kernel/kernel.schedule
try mm1 --on sim:gtx1080ti --start nothing
try mm1 --on sim:gtx1080ti --start c.db:9
try bmm1 --on cpu --transfer a.db
try mm1 --on cpu --transfer none.db
sed -i 's/annotate C j.3.1 vectorize/annotate C j.3.1 unroll/' bare.schedule
try 'matmul(64,64,64)' --on cpu --start bare.schedule
try mm1 --on sim:gtx1080ti --start default --start none
printf '%s\n' '# threads: 3' 'annotate C i parallel' >parallel
try 'matmul(64,64,64)' --on cpu --start parallel
