# SPDX-License-Identifier: GPL-3.0-or-later
# Schedules of computations are read back: as kernels, and as start points of other searches.
tune() { opevo tune "$@" --on cpu --quiet --finals 0 --precision 50 >printed || cat printed; }
origins() { opevo runs "$1:${2-1}" --trials --json | tr , '\n' | sed -n 's/.*"origin": *"\([a-z]*\)".*/\1/p' | tr '\n' ' '; echo; }
relu() { echo "C[i:$1, j:$2] = sum(k:$3) A[i,k]*B[k,j]; D[i, j] = select(C[i, j] <= 0, C[i, j]/4, C[i,j] + b[j])"; }
tune "$(relu 37 48 29)" --trials 9 --tuner random --store a.db --emit first
head -1 first/kernel.schedule
# The same kernel, whose files say the same.
opevo emit --schedule first/kernel.schedule --to again && cmp first/kernel.c again/kernel.c
sed -i '/^# device/d; /^# measured/d' first/kernel.schedule
cmp first/kernel.schedule again/kernel.schedule && echo same
# Steps alone, which are also found without the configuration of the head.
grep -v '^#' first/kernel.schedule >bare
opevo emit "$(relu 37 48 29)" --schedule bare | cmp - first/kernel.c && echo same
for file in first/kernel.schedule bare; do
    tune "$(relu 37 48 29)" --trials 1 --start none --start $file --emit found && cmp first/kernel.c found/kernel.c && echo found
    rm -r found
done
# Sketches of an operator, whose head is a computation.
tune 'matmul(24,16,48)' --template sketch --trials 2 --emit sketch
opevo emit 'matmul(24,16,48)' --schedule sketch/kernel.schedule | cmp - sketch/kernel.c && echo same
tune 'matmul(24,16,48)' --template sketch --trials 1 --start none --start sketch/kernel.schedule
# Other extents: of a text, and of a form. The factors of the first trial are those of the new extents.
tune "$(relu 74 96 58)" --trials 2 --start none --transfer a.db --store a.db
origins a.db 2
tune 'conv-layer(1,8,8,4,16,3,1,1)' --trials 2 --store b.db
tune 'conv-layer(1,12,12,6,32,3,1,1)' --trials 2 --store b.db --start none --transfer b.db
origins b.db 2
tune 'conv-layer(1,12,12,6,32,3,1,1)' --trials 2 --store b.db --start none --start b.db:1
origins b.db 3
# Refused.
try() { opevo "$@"; echo "status $?"; }
try emit "$(relu 37 48 31)" --schedule first/kernel.schedule
try emit 'matmul(24,16,47)' --schedule sketch/kernel.schedule
try tune "$(relu 37 48 31)" --on cpu --start first/kernel.schedule
try tune 'matmul(24,16,48)' --on cpu --start sketch/kernel.schedule
opevo tune 'matmul(24,16,48)' --on cpu --trials 1 --finals 0 --quiet --emit plain >printed
try tune 'matmul(24,16,48)' --on cpu --template sketch --start plain/kernel.schedule
echo 'auto_unroll D 3' >>bare
try tune "$(relu 37 48 29)" --on cpu --start bare
echo 'split none i 3' >>bare
opevo emit "$(relu 37 48 29)" --schedule bare 2>message # by the line, which depends on what was fastest
echo "status $?"
sed "s/bare:$(wc -l <bare):/bare:LAST:/" message >&2
try tune 'softmax(8,16)' --on cpu --transfer a.db
printf '%s\n' 'fuse C i j' 'annotate C i+j parallel' >parallel
try tune 'matmul(24,16,48)' --on cpu --template sketch --start parallel
sed -i 's/sum(k)/sum(q)/' first/kernel.schedule
try emit --schedule first/kernel.schedule
