# SPDX-License-Identifier: GPL-3.0-or-later
# A file that may not grow is an error with a sentence, not the end by a signal; what was stored is kept.
ulimit -f 24
opevo tune c1 --on sim:mi50 --trials 400 --seed 3 --store runs.db 2>said >/dev/null
echo $?
sed 's/disk I.O error: File too large/disk I\/O error/' said >&2 # SQLite 3.46 gives the cause, 3.40 does not
opevo record mm1 --on sim:mi50 --sample 4000 --out rec >/dev/null
echo $?
opevo law 'factor(4096,4)' --csv >law.csv
echo $?
