# SPDX-License-Identifier: GPL-3.0-or-later
# The example of compiler flags: the space of this gcc, its start, flags of a configuration, and programs whose wrong
# results are failures.
flags=$(dirname "$0")/../../../docs/examples/flags
command -v gcc >/dev/null && command -v python3 >/dev/null || { echo "gcc and python3 are not both installed"; exit 77; }
export CC=gcc PYTHONDONTWRITEBYTECODE=1
python3 "$flags/gcc_flags.py" space --flags-only >flags.json || exit 1
opevo space flags.json --json | awk -F'"name"' '{ count += NF - 1 } END { print (count > 100 ? "flags" : "few: " count) }'
python3 "$flags/gcc_flags.py" start flags.json | grep -c f_unroll_loops=default
python3 "$flags/gcc_flags.py" show '{"f_unroll_loops": "on", "f_ivopts": "off", "f_gcse": "default", "p_max_unroll_times": 64}'
gcc -O1 -c "$flags/bench.c" -o bench.o
for program in queens bodies distance; do
    opevo tune --on 'cmd:{out}' --space flags.json --result 'ms:/([0-9.]+) ms/' --exit 3=wrong \
        --build "python3 $flags/gcc_flags.py cc {} $flags/$program.c bench.o -lm -o {out}" \
        --start "$(python3 "$flags/gcc_flags.py" start flags.json)" --trials 1 --quiet | grep -o '1 trials\?, 0 failed'
done
sed 's/expected = 14200/expected = 14201/' "$flags/queens.c" >wrong.c
opevo tune --on 'cmd:{out}' --space flags.json --result 'ms:/([0-9.]+) ms/' --exit 3=wrong --trials 1 --quiet \
    --build "python3 $flags/gcc_flags.py cc {} wrong.c bench.o -lm -o {out}" 2>&1 | grep -o '1 trial.*wrong: exit status 3\|trial 1: wrong'
ls ./*record* 2>/dev/null
true
