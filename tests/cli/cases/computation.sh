# SPDX-License-Identifier: GPL-3.0-or-later
opevo computation ansor-conv-layer-4
opevo computation 'C[i:4, j:5] = sum(k:6) A[i,k]*B[k,j]; D[i,j] = max(C[i,j] + b[j], 0)' --json
printf '# a file\nH = 7\nP[h:H + 2] = select(1 <= h < H + 1, I[h - 1], 0)\nS[] = sum(h) exp(P[h])\n' >padded.txt
opevo computation padded.txt
opevo computation 'A[9]; C[i:9] = select(A[i] < 3, A[i]*2, 2)' | tail -n 2 | head -n 1
opevo computation | head -n 2
opevo computation --json | grep -c '"name"'
# What is printed reads back the same.
opevo computation mm1 >whole
head -n 3 whole >text.txt
opevo computation ./text.txt | cmp - whole
opevo completion words -- computation ansor-c2 | paste -s -d ' '
opevo completion words -- compu
