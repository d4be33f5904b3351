# SPDX-License-Identifier: GPL-3.0-or-later
# A recording goes on only with what it is of, and no file of somebody else is written to.
printf '{"X": {"_type": "discrete", "_value": [1, 2, 4]}, "Y": {"_type": "discrete", "_value": [1, 2]}}' >space.json
printf '{"X": {"_type": "discrete", "_value": [1, 2, 4, 8]}, "Y": {"_type": "discrete", "_value": [1, 2]}}' >other.json
refused() {
    cat -- *.csv *.json 2>/dev/null | cksum >before
    "$@"
    [ $? = 2 ] || echo "exit status is not 2: $*"
    cat -- *.csv *.json 2>/dev/null | cksum | cmp before -
}
program() { opevo record --on 'cmd:echo {X}{Y}' --result 'ms:/([0-9]+)/' --all --out "$@" >out || cat out; }
opevo record mm1 --on sim:gtx1080ti --sample 20 --out r >out
# Another device, another operator, another space, another unit, other options.
refused opevo record mm1 --on sim:mi50 --sample 40 --out r
refused opevo record c2 --on sim:gtx1080ti --sample 40 --out r
program p --space space.json
refused opevo record --on 'cmd:echo {X}{Y}' --result 'ms:/([0-9]+)/' --all --out p --space other.json
refused opevo record --on 'cmd:echo {X}{Y}' --result 'ms:/([0-9]+)/' --all --out p --space space.json --flop 1000
refused opevo record --on 'cmd:echo {X}{Y}' --result 'us:/([0-9]+)/' --all --out p --space space.json
program p --space space.json
# The same with the table lost, of one row only, and of a line that was cut.
mv p.csv kept
refused opevo record --on 'cmd:echo {X}{Y}' --result 'us:/([0-9]+)/' --all --out p --space space.json
head -2 kept >p.csv
refused opevo record --on 'cmd:echo {X}{Y}' --result 'us:/([0-9]+)/' --all --out p --space space.json
head -c 20 kept >p.csv
program p --space space.json
wc -l <p.csv
# Files of somebody else, with a line, with half a line, with none that is a description; no description; a pipe.
printf 'time,temperature\n' >have.csv
refused opevo record mm1 --on sim:mi50 --sample 40 --out have
printf 'notes' >half.csv
refused opevo record mm1 --on sim:mi50 --sample 40 --out half
printf '{"format": "mine"}' >settings.json
refused opevo record mm1 --on sim:mi50 --sample 40 --out settings
mv p.csv alone.csv
refused opevo record --on 'cmd:echo {X}{Y}' --result 'ms:/([0-9]+)/' --all --out alone --space space.json
gzip -c alone.csv >p.csv.gz
refused opevo record --on 'cmd:echo {X}{Y}' --result 'ms:/([0-9]+)/' --all --out p --space space.json
mkfifo pipe.csv
opevo record mm1 --on sim:mi50 --sample 40 --out pipe
rm pipe.csv
# A program that was changed, measured or in a store.
printf 'echo "$1"\n' >bench.sh
script() { opevo record --on 'cmd:sh bench.sh {X}{Y}' --space space.json --result 'ms:/[0-9]+/' --out s "$@"; }
script --sample 2 | tail -1
opevo tune --on 'cmd:sh bench.sh {X}{Y}' --space space.json --result 'ms:/[0-9]+/' --trials 3 --store runs.db >out || cat out
printf 'echo "$1" # faster\n' >bench.sh
refused script --sample 3
refused opevo record --from runs.db:1 --on 'cmd:sh bench.sh {X}{Y}' --space space.json --result 'ms:/[0-9]+/' --out x
opevo tune --on 'cmd:sh bench.sh {X}{Y}' --space space.json --result 'ms:/[0-9]+/' --trials 3 --store new.db >out || cat out
refused opevo record --from new.db:1 --out s
printf 'echo "$1"\n' >bench.sh
opevo record --from runs.db:1 --out s | tail -1
script --sample 3 | tail -1
# A graph goes with the recording, also where its file is not found.
printf '0 1\n1 2\n' >g.txt
printf '{"G": {"_type": "graph", "_value": "g.txt"}}' >graph.json
mkdir sub
opevo record --on 'cmd:echo {G}1' --result 'ms:/([0-9]+)/' --all --out sub/g --space graph.json | tail -1
rm g.txt
opevo tune --on recorded:sub/g --trials 3 | tail -1
