# SPDX-License-Identifier: GPL-3.0-or-later
# A schedule as a record of TVM: written by emit, and read back as a kernel and as a start point.
tune() { opevo tune "$@" --on cpu --quiet --finals 0 --trials 1 --precision 50 --start none >printed || cat printed; }
POINT='sketch=s2 sketch.s2.C__i=2,3,2,2 sketch.s2.C__j=1,3,1,16 sketch.s2.C__k=4,4 sketch.s2.C__unroll=16'
tune 'matmul(24,16,48)' --template sketch --start "$POINT" --emit first
opevo emit --schedule first/kernel.schedule --record >record
cat record
opevo emit 'matmul(24,16,48)' --schedule record | cmp - first/kernel.c && echo same
opevo emit 'matmul(24,16,48)' --schedule record --record | cmp - record && echo same
tune 'matmul(24,16,48)' --template sketch --start record --emit found
cmp first/kernel.c found/kernel.c && echo found
opevo sketch 'matmul(24,16,48)' --record record | head -3
# Of a computation by its text, for a GPU, with padded rows.
WHAT='A[i:24, k:16]; B[k, j:48]; C[i, j] = sum(k) A[i, k]*B[k, j]'
printf '%s\n' 'cache_read B shared C' 'annotate C i block.x' 'annotate C j thread.x' 'split C k 4' 'reorder C i j k.0 k.1' \
    'compute_at B.shared C k.0' 'storage_align B.shared k 32 1' >steps
opevo emit "$WHAT" --on cuda:0 --schedule steps --record | tee gpu
opevo emit "$WHAT" --on cuda:0 --schedule gpu | grep -c __shared__
# Refused.
try() { opevo "$@"; echo "status $?"; }
try emit --schedule record
try emit 'matmul(24,16,49)' --schedule record
try emit --schedule first/kernel.schedule --record --to again
try emit "$WHAT" --schedule gpu
try tune 'matmul(24,16,48)' --on cpu --start record
cat record record >two
try emit 'matmul(24,16,48)' --schedule two
echo '{"i":[]}' >empty
try tune 'matmul(24,16,48)' --on cpu --template sketch --start none --start empty
tune 'matmul(24,16,48)' --template cpu --emit plain
try emit --schedule plain/kernel.schedule --record
printf '%s\n' 'split C i 2' 'split C j 16' 'split C k 4' 'reorder C i.0 j.0 k.0 i.1 k.1 j.1' 'accumulate C j.0' >tile
try emit "$WHAT" --schedule tile --record
# The list of steps alone.
echo '[["SP",2,0,24,[2,2],1]]' >list
opevo emit 'matmul(24,16,48)' --schedule list --record | tee expected
# Comments and blank lines; records of other tuners of TVM.
{ echo '# kept'; echo; cat list; echo '  # behind it'; } >commented
opevo emit 'matmul(24,16,48)' --schedule commented --record | cmp - expected && echo commented
opevo sketch 'matmul(24,16,48)' --record commented | head -1
printf '# a log\n{"input": ["llvm", "mm", [8], {}], "config": {"entity": []}, "result": [[0.1], 0, 1, 1]}\n' >autotvm
echo '[0, [[["SampleComputeLocation"]], [0.001], {"kind": "llvm"}, []]]' >metaschedule
try emit 'matmul(24,16,48)' --schedule autotvm
try emit 'matmul(24,16,48)' --schedule metaschedule
try sketch 'matmul(24,16,48)' --record metaschedule
