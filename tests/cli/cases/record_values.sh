# SPDX-License-Identifier: GPL-3.0-or-later
# Values with line breaks, quotes and commas, and texts that look like numbers, are read back as what they are.
cat >space.json <<'EOT'
{"V": {"_type": "choice", "_value": [1, "1", true, "true", 0.5, "0.5", "", "a\nb", "a\r\nb", "\"", "\"1\"", "x,y", "\\n"]},
 "X": {"_type": "discrete", "_value": [3, 4]}}
EOT
printf '#!/bin/sh\nprintf "%%s" "$1$2" | cksum | cut -d" " -f1\n' >bench.sh
chmod +x bench.sh
record() { opevo record --on 'cmd:./bench.sh {V} {X}' --space space.json --result 'us:/([0-9]+)/' --out t "$@" | grep -v '^best'; }
record --sample 14
# A row that was cut inside its quotes is taken away.
printf '"a\nb' >>t.csv
record --all
opevo space recorded:t | grep -v '^$'
opevo tune --on recorded:t --tuner grid --trials 26 | grep -o '^26 trials, 0 failed'
# Columns of one name would be one.
for name in X_0 status gflops; do
    printf '{"X": {"_type": "factor", "_value": [4, 2]}, "%s": {"_type": "discrete", "_value": [3, 4]}}' $name >space.json
    opevo record --on "cmd:echo {X} {$name}" --space space.json --result 'us:/([0-9]+)/' --out t2 --all
done
ls t2* 2>/dev/null
true
