# SPDX-License-Identifier: GPL-3.0-or-later
# The best kernel of a computation as a folder: it builds, checks itself, and names what it computes.
command -v make >/dev/null || { echo "skipped: make is not installed" >&2; exit 77; }
opevo tune 'C[i:16, j:32] = sum(k:8) A[i,k]*B[k,j]; D[i, j] = max(C[i,j] + b[j], 0)' --on cpu --tuner random --trials 3 \
    --finals 0 --emit folder >/dev/null 2>log || { cat log; exit 1; }
head -2 folder/kernel.schedule
grep -c '^split' folder/kernel.schedule | sed 's/^[1-9][0-9]*$/splits/'
make -s -C folder && ./folder/kernel | sed -n 's/largest error.*bound/within the bound/; 1p; $p'
# Weights that are packed once: a folder that packs them before the kernel is called.
opevo tune 'conv2d(1,16,9,9,40,3,3,1,1)' --on cpu --template sketch --tuner random --trials 1 --finals 0 --emit packed >/dev/null 2>log ||
    { cat log; exit 1; }
grep -c '^layout B' packed/kernel.schedule
make -s -C packed && ./packed/kernel | sed -n 's/^\(packing B, once\).*/\1/p; s/largest error.*bound/within the bound/p'
