# SPDX-License-Identifier: GPL-3.0-or-later
# The report of one run, and what runs STORE:RUN draws: of the program, with the effects that its results have. The time
# is 10 X for V = "a", twice that for "b", and T does nothing.
cat >space.json <<'END'
{"X": {"_type": "discrete", "_value": [1, 2, 4, 8]}, "V": {"_type": "choice", "_value": ["a", "b"]}, "T": {"_type": "discrete", "_value": [1, 2, 3, 99]}}
END
cat >bench.sh <<'END'
[ $3 != 99 ] || { echo "</script> T is 99" >&2; exit 3; }
[ $2 = a ] && echo $(($1 * 10)) || echo $(($1 * 20))
END
opevo tune --on 'cmd:sh bench.sh {X} {V} {T}' --space space.json --tuner grid --result 'ms:/([0-9]+)/' --store runs.db \
    --exit 3=rejected --repeats 6 --quiet >/dev/null 2>&1
opevo runs runs.db:1 | sed -n '/^results/,$p' | sed 's/[0-9.]* ([0-9.]* to [0-9.]*)/F/'
opevo runs runs.db:1 | awk '/^X,/ { x = 1; next } /^[A-Z]/ { x = 0 } x { f[++n] = $0; sub(/.*[|#] */, "", f[n]); sub(/ .*/, "", f[n]) }
    END { for (i = 1; i < n; i++) print (f[i + 1] / f[i] > 1.8 && f[i + 1] / f[i] < 2.2 ? "twice" : "no: " f[i + 1] / f[i]) }'
opevo report runs.db:1 -o run.html | sed 's/[0-9.]* MB/SIZE/'
grep -o '"failures": \[[^]]*\]' run.html
grep -o '"top": \[ *{[^]]*\]' run.html
grep -o '"result": \[10,10,10,null' run.html
grep -c 'runPage' run.html
opevo report runs.db:7
echo $?
opevo report runs.db:1 --tuner grid -o other.html
echo $?
ls other.html 2>/dev/null || :
