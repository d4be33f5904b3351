# SPDX-License-Identifier: GPL-3.0-or-later
opevo law 'permutation(30)' --q 0.9 --csv | awk -F '",' 'NR > 1 { split($2, f, ","); sum += f[1] * f[2]; n++ }
    END { printf "%d classes, sum %.9f\n", n, sum }'
