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
# The description has the graph, not the name of its file, so it may lie in another folder.
printf '0 1\n1 2\n' >g.txt
printf '{"G": {"_type": "graph", "_value": "g.txt"}}' >graph.json
mkdir sub
opevo record --on 'cmd:echo {G}1' --result 'ms:/([0-9]+)/' --all --out sub/g --space graph.json | tail -1
opevo record --on 'cmd:echo {G}1' --result 'ms:/([0-9]+)/' --all --out sub/g --space graph.json | head -1
ls sub
