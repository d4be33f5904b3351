# SPDX-License-Identifier: GPL-3.0-or-later
# The sketches of a product with an elementwise consumer: text, JSON, and a space that reads back.
WHAT='A[i:64, k:48]; B[k, j:32]; C[i, j] = sum(k) A[i,k]*B[k,j]; D[i, j] = max(C[i,j], 0)'
opevo sketch "$WHAT" --ansor --cores 4
opevo sketch "$WHAT" --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["sketches"] == len(d["branches"]) == 4, d["sketches"]
assert [b["register_tile"] for b in d["branches"]] == [True, False, False, False]
print(d["points"], d["constraints"])'
opevo sketch "$WHAT" --space > space.json
opevo space space.json | head -3
opevo sketch softmax\(1,1024\) --ansor --cores 4 --json | cut -c 1-14 | head -1
