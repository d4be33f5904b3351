# SPDX-License-Identifier: GPL-3.0-or-later
# A table that is removed, replaced, moved or cut while it is recorded: the command fails, says where its rows are, and they
# can be gone on with.
echo '{"X": {"_type": "discrete", "_value": [1, 2, 3, 4, 5, 6]}}' >space.json
# The fourth program that runs does ACTION, when the rows of the first three are in TABLE.
cat >program <<'PROGRAM'
#!/bin/sh
echo x >>"$RUNS"
if [ "$(wc -l <"$RUNS")" = 4 ]; then
    until [ "$(wc -l <"$TABLE")" = 4 ]; do sleep 0.02; done
    sleep 1 # and checked
    eval "$ACTION"
fi
echo 5
PROGRAM
chmod +x program
record() {
    count=$((${count:-0} + 1))
    export TABLE="$1.csv" RUNS="runs-$count" # a program of the last command may be about to end
    opevo record --on 'cmd:./program {X}' --space space.json --result 'ms:/[0-9]+/' --all --quiet --out "$@"
    echo "status $?"
}
export ACTION='rm table.csv'
record table
wc -l <table.recovered-1.csv
ACTION=:
record table.recovered-1
ACTION='echo other >other; mv other table.csv'
rm -f table.*
record table
cat table.csv
wc -l <table.recovered-1.csv
ACTION='mv folder/table.csv moved.csv'
mkdir folder
record folder/table 2>message
sed "s|$(pwd -P)|FOLDER|" message
wc -l <moved.csv
ACTION=': >cut.csv'
record cut 2>message
sed "s/has [0-9]* bytes instead of [0-9]*/has N bytes instead of M/" message >&2
ACTION='rm -r gone'
mkdir gone
record gone/table
