# SPDX-License-Identifier: GPL-3.0-or-later
# The sketches of a product with an elementwise consumer: text, JSON, and a space that reads back.
WHAT='A[i:64, k:48]; B[k, j:32]; C[i, j] = sum(k) A[i,k]*B[k,j]; D[i, j] = max(C[i,j], 0)'
opevo sketch "$WHAT" --ansor --cores 4
opevo sketch "$WHAT" --json | sed -n 's/"branches".*//p'
opevo sketch "$WHAT" --json | grep -c '"register_tile": true'
opevo sketch "$WHAT" --space > space.json
opevo space space.json | head -3
opevo sketch softmax\(1,1024\) --ansor --cores 4 --json | sed -n 's/, "points".*//p'
