# SPDX-License-Identifier: GPL-3.0-or-later
# The sketches of a product with an elementwise consumer: text, JSON, and a space that reads back.
WHAT='A[i:64, k:48]; B[k, j:32]; C[i, j] = sum(k) A[i,k]*B[k,j]; D[i, j] = max(C[i,j], 0)'
opevo sketch "$WHAT" --ansor --cores 4
opevo sketch "$WHAT" --json | sed -n 's/"branches".*//p'
opevo sketch "$WHAT" --json | grep -c '"register_tile": true'
opevo sketch "$WHAT" --space > space.json
opevo space space.json | head -3
# Constraints that are longer than a line of a terminal stay whole.
COLUMNS=80 opevo sketch ansor-conv-layer-2 --space > long.json
opevo space long.json | sed -n 's/^\(sketch  *categorical([^ ]*\).*/\1/p'
# No device is needed for those of a GPU.
opevo sketch 'matmul(64,32,48)' --on cuda:0
opevo sketch softmax\(1,1024\) --on hip:0 --json | sed -n 's/, "points".*//p'
opevo sketch 'matmul(64,32,48)' --on cuda:0 --space > gpu.json
opevo space gpu.json | head -3
opevo sketch softmax\(1,1024\) --ansor --cores 4 --json | sed -n 's/, "points".*//p'
# A line of TVM's log for a tiled product, and one that is cut off.
echo '{"i":[["task"],[[],[["SP",2,0,64,[2,4],1],["AN",2,3,2],["PR",2,0,"auto_unroll_max_step$16"]]]],"r":[[0.25,0.75],0,1,2],"v":"v0.6"}' >log.json
opevo sketch "$WHAT" --record log.json
opevo sketch "$WHAT" --record log.json --json
echo '[["SP",2,0,64,[2' >cut.json
opevo sketch "$WHAT" --record cut.json
echo $?
# More points than a number of them has bits for: eight products in a row.
awk 'BEGIN {
    printf "A[i:64, k0:64]"
    for (t = 1; t <= 8; t++)
        printf "; C%d[i, k%d:64] = sum(k%d) %s[i, k%d]*B%d[k%d, k%d]", t, t, t - 1, (t > 1 ? "C" (t - 1) : "A"), t - 1, t, t - 1, t
}' >row.txt
opevo sketch @row.txt --on cuda:0 | head -n 1
