# SPDX-License-Identifier: GPL-3.0-or-later
# What is computed may be an operator, a computation by name or text, or a file with one.
try() { opevo "$@"; echo "exit $?"; }
echo 'A[i:8, k:4]; B[k]; C[i] = sum(k) A[i, k]*B[k]' >product.txt
# The name of the objective; the size of its space belongs to the sketches.
name() { opevo tune "$1" --on cpu --dry-run | sed 's/, [0-9,]* points*.*//'; }
name 'c2d(1,7,7,3,4,3,1,1)'
name 'ansor-c2d-2(16)'
name 'C[i:8] = A[i]/2 + 1'
name 'First[i:8] = Second[i]/2 + 1; Third[i] = First[i]*First[i] + Second[i]; Fourth[i] = exp(Third[i]) + First[i]*Third[i]'
name @product.txt
name ./product.txt
try space 'softmax(4,5)'
try tune @product.txt --on sim:mi50
try tune @absent.txt --on cpu
try tune 'C[i:8] = A[i' --on cpu
try tune 'softmx(3,4)' --on cpu
echo 'Y[i:8] = X[i]/' >bad.txt
try tune @bad.txt --on cpu
# An operator stays one beside a file of its name.
touch mm1
name mm1
name 'matmul(8,8,8)'
opevo computation @product.txt | head -3
