# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo computation "$1"; [ $? = 2 ] || echo "exit status is not 2"; }
try 'C[i:4] = A[i] + k'
try 'A[4]; C[i:4] = A[i + 1]'
try 'C[i:4] = A[i'
try 'ansor-c2d-9'
try 'c2d(1,2)'
try 'softmx(3,4)'
try ''
try absent.txt
try ./absent
try .
printf 'A[4]\nC[i:4] = A[i - 1]\n' >wrong.txt
try wrong.txt
printf 'C[i:4]\0 = 1' >zero.txt
try zero.txt
