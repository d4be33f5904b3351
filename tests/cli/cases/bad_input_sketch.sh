# SPDX-License-Identifier: GPL-3.0-or-later
# What is no computation, and devices without sketches.
opevo sketch
echo $? >&2
opevo sketch 'C[i:4] = X[i'
echo $? >&2
opevo sketch mm1 --on fpga:0
echo $? >&2
opevo sketch mm1 --cores 0
echo $? >&2
opevo tune 'C[i:4, j:4] = sum(k:4) A[i,k]*B[k,j]' --on cuda:0 --template matmul-cpu --dry-run
echo $? >&2
opevo tune 'C[i:4, j:4] = sum(k:4) A[i,k]*B[k,j]' --on cpu --template cpu
