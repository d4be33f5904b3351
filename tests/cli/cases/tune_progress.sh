# SPDX-License-Identifier: GPL-3.0-or-later
# The progress line of a resumed command: what was taken from the store says nothing of the pace. Forty trials cost
# nothing, and each of the last ten 0.2 s: the first estimate, after 1 s, is 1 s at least, on however slow a machine.
command -v script >/dev/null || { echo "skipped: script(1) is not installed"; exit 77; } >&2
printf '{"X": {"_type": "discrete", "_value": [%s]}}' "$(seq -s, 99)" >space.json
cat >program <<'S'
#!/bin/sh
sleep "$(cat delay)"
echo "1$1"
S
chmod +x program
tune() {
    echo "opevo tune $1 --space space.json --result 'ms:/([0-9]+)/' --tuner grid --store runs.db --trials $2"
}
first() { tr '\r' '\n' <typescript | grep -o '[0-9]* s left' | head -n 1 | awk '{ print ($1 >= 1 ? "sound" : "too short: " $1) }'; }
one="--on 'cmd:./program {X}'"
two="$one --on 'cmd:./program 7{X}' --allocate round-robin,round=5"
for what in "$one" "$two"; do
    rm -f runs.db
    echo 0 >delay
    sh -c "$(tune "$what" 40)" >/dev/null || exit 1
    echo 0.2 >delay
    COLUMNS=120 script -qec "$(tune "$what" 50)" /dev/null >typescript </dev/null
    first
done
# Before all tasks have a time, the sum is that of those that do.
grep -o 'sum [0-9.]* ms of 1 of 2 tasks;' typescript | head -n 1 | cut -d' ' -f 4-
