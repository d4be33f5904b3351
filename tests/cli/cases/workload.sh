# SPDX-License-Identifier: GPL-3.0-or-later
# What is computed may be an operator, a computation by name or text, or a file with one.
try() { opevo "$@"; echo "exit $?"; }
echo 'A[i:8, k:4]; B[k]; C[i] = sum(k) A[i, k]*B[k]' >product.txt
try tune 'c2d(1,7,7,3,4,3,1,1)' --on cpu
try tune 'ansor-c2d-2(16)' --on cpu
try tune 'C[i:8] = A[i]/2 + 1' --on cpu
try tune @product.txt --on cpu
try tune ./product.txt --on cpu
try record 'softmax(4,5)' --on cpu --all --out x
try space 'softmax(4,5)'
try tune @product.txt --on sim:mi50
try tune @absent.txt --on cpu
try tune 'C[i:8] = A[i' --on cpu
try tune 'softmx(3,4)' --on cpu
echo 'Y[i:8] = X[i]/' >bad.txt
try tune @bad.txt --on cpu
# An operator stays one beside a file of its name.
touch mm1
opevo tune mm1 --on cpu --dry-run
opevo tune 'matmul(8,8,8)' --on cpu --dry-run
opevo computation @product.txt | head -3
