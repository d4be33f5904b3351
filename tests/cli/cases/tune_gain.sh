# SPDX-License-Identifier: GPL-3.0-or-later
# What search adds to the analytic start of kernels is said, as the ratio of the best to trial 1 in the store.
opevo tune 'matmul(32,32,32)' --on cpu --template sketch --trials 8 --finals 0 --quiet --store runs.db >said
opevo runs runs.db:1 --trials --csv >trials.csv
awk -F, 'FNR == NR { if (/analytic start/) { told = $0; split($0, word, " ") } next }
    FNR > 1 && $2 == "ok" { best = $5 > best ? $5 : best; if (FNR == 2) start = $5 }
    END {
        if (told ~ /^this is the analytic start/) print (best == start ? "right" : "wrong")
        else print ((word[1] - best / start) ^ 2 < 1e-4 * word[1] ^ 2 ? "right" : "wrong: " told ", " best / start)
    }' said trials.csv
opevo tune 'matmul(32,32,32)' --on cpu --template sketch --trials 1 --finals 0 --quiet | tail -1
opevo tune 'matmul(32,32,32)' --on cpu --template sketch --trials 2 --start none --finals 0 --quiet | grep -c 'analytic'
opevo tune mm1 --on sim:mi50 --trials 9 | grep -c 'analytic' || :
