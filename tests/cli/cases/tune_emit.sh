# SPDX-License-Identifier: GPL-3.0-or-later
# The best kernel as files that need nothing else: they compile in a folder of their own, and the program in them
# accepts the kernel and rejects one that is spoilt.
# What the Makefile says, also where there is no make.
build() {
    if command -v make >/dev/null; then
        make
    else
        cc $(sed -n 's/^CFLAGS = //p' Makefile) -o kernel main.c kernel.c -lm
    fi
}
emit() {
    opevo tune "$1" --on cpu --start none --trials "$2" --finals "$3" --rounds 2 --precision 50 --quiet --emit "$4" >printed || cat printed
    head -1 "$4"/main.c
    mkdir "$4.copy" && cp "$4"/* "$4.copy" && ls "$4.copy"
    (cd "$4.copy" && { build >log 2>&1 || cat log; } && ./kernel) >said
    echo "status $?"
    grep -o '^C: [0-9]* of [0-9]* elements checked\|^OK' said
    grep -c '^median of [0-9]* windows of [0-9]* executions: [^ ]* ms, [^ ]* GFLOP/s$' said
}
emit 'matmul(17,33,29,TN)' 1 0 mm
emit 'batch_matmul(3,7,11,13,NT)' 3 2 bmm
emit 'conv2d(2,3,9,8,5,3,3,2,1)' 3 0 conv
emit 'matmul(520,520,520)' 1 0 large
# All files say the same of where they are from, and the configuration is the one that the run printed.
grep -h '^# \|^// ' mm/main.c mm/Makefile mm/kernel.schedule | sed 's/^[/#]* //' | sort | uniq -c | grep -c '^ *3 '
opevo tune 'matmul(17,33,29,TN)' --on cpu --start none --trials 3 --finals 0 --precision 50 --emit again >printed
grep -c "configuration: $(sed -n 4p printed)\$" again/main.c
# One constant of the kernel: sums that start elsewhere; a loop that ends too early.
spoil() {
    (cd mm.copy && sed "$1" ../mm/kernel.c >kernel.c && ! cmp -s kernel.c ../mm/kernel.c && build >log 2>&1 && ./kernel) >said
    echo "status $?: $(tail -1 said)"
}
spoil 's/= 0\.0f;/= 0.01f;/'
spoil '0,/ < [0-9]*;/s// < 1;/'
# Refused before anything is measured, and nothing is written.
try() { opevo tune "$@" --trials 1 --quiet --store none.db; [ $? = 2 ] || echo "exit status is not 2: $*"; }
mkdir full && : >full/Makefile && : >file
try mm1 --on cpu --emit full
try mm1 --on cpu --emit file
try mm1 --on cpu --emit absent/deeper
try mm1 --on sim:gtx1080ti --emit kernels
opevo tune mm1 --on cpu --emit dry --dry-run | grep -c '^cpu'
for name in none.db kernels dry absent; do [ -e $name ] && echo "$name was made"; done
ls full
