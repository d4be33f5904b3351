# SPDX-License-Identifier: GPL-3.0-or-later
try() { opevo law "$@"; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try 'cube(3)'
try 'factor(0,3)'
try 'factor(8,0)'
try 'permutation(0)'
try 'permutation(35)'
try 'discrete()'
try 'discrete(1,2,2)'
try 'discrete(1,red)'
try 'categorical(a,a)'
try 'graph(absent.txt)'
try 'factor(8,3)' --start 8,1,2
try 'factor(8,3)' --start 8,1
try 'factor(8,3)' --q 1
try 'factor(8,3)' --q -0.1
try 'factor(8,3)' --q nan
try 'factor(8,3)' --topology path
try 'factor(8,3)' --method tridiagonal
try 'factor(8,3)' --method magic
try 'factor(8,3)' --tolerance 0
try 'factor(8,3)' --tolerance 1e-30
try 'factor(8,3)' --qq 0.5
try 'factor(8,3)' --q
try 'factor(8,3)' --q 0.5 --q 0.6
try 'factor(8,3)' --json=yes
try 'factor(8,3)' more
try
printf '0 1\n1 x\n' >broken.txt
try 'graph(broken.txt)'
ls
