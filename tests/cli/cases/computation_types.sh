# SPDX-License-Identifier: GPL-3.0-or-later
# Types: what is read, what is refused, and kernels that check themselves.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
product() { echo "$1 A[i:16, k:24]; const $1 B[k, j:32]; $2 C[i, j] = sum(k) A[i, k]*B[k, j]"; }
opevo computation "$(product float16 bfloat16)" | head -4
try() { opevo computation "$1"; [ $? = 2 ] || echo "exit status is not 2: $1"; }
try "$(product int8 int8)"
try 'float16 A[i:4]; int32 C[i] = A[i]'
try 'float16 A[i:4]; C_sum[i] = A[i]; float16 C[] = sum(i) A[i]'
: >steps
for types in 'int8 int32' 'int8 float32' 'float16 float16' 'bfloat16 float32'; do
    rm -rf folder
    opevo tune "$(product $types)" --on cpu --tuner random --trials 2 --finals 0 --precision 50 --quiet --emit folder \
        >/dev/null 2>log || cat log
    make -C folder >log 2>&1 && folder/kernel >said; echo "$types: status $?, $(tail -1 said)"
done
opevo emit "$(product bfloat16 bfloat16)" --schedule steps --on hip:0 | grep -c 'unsigned short opevo_to_bfloat(float x)$'
# One element that is not rounded as it should be.
opevo emit "$(product float16 float16)" --schedule steps --to plain
sed 's/+ 0xfffu/+ 0u/' plain/kernel.c >spoilt && mv spoilt plain/kernel.c
make -C plain >log 2>&1; plain/kernel >said; echo "status $?: $(tail -1 said)"
