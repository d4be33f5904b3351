# SPDX-License-Identifier: GPL-3.0-or-later
# Tune a program: outcomes by class, a store, resuming, the same trials on any number of workers.
cat >space.json <<'EOF'
{"X": {"_type": "factor", "_value": [16, 2]}, "V": {"_type": "choice", "_value": ["plain", "two words"]}}
EOF
cat >bench.sh <<'EOF'
#!/bin/sh
# --tile A,B MODE
[ $# = 3 ] || exit 99
case $2 in
1,*) exit 3 ;;
16,1) sleep 5 ;;
esac
[ "$3" = plain ] || { echo "no such mode" >&2; exit 4; }
echo "$2" | { IFS=, read -r a b; echo "took $((a * 3 + b)).5 ms"; }
EOF
chmod +x bench.sh
tune() {
    opevo tune --on 'cmd:./bench.sh --tile {X} {V}' --space space.json --tuner grid --exit 3=rejected \
        --timeout 1 --result 'ms:/took ([0-9.]+) ms/' "$@" | sed 's/cost [0-9.]* s/cost/'
}
tune --dry-run
tune --trials 10
tune --trials 4 --store runs.db
tune --trials 10 --store runs.db --json | grep -o '"trials": [0-9]*, "resumed": [0-9]*, "failed": [0-9]*'
tune --trials 10 --workers 'opevo-worker cmd' --workers "sh -c 'exec opevo-worker cmd'"
tune --trials 10 --finals 2 --rounds 6 | tail -5
ls
# The finals are in the store: the program is not asked again.
tune --trials 10 --finals 2 --rounds 6 --store runs.db --json | sed 's/ "workers": \[[^]]*\],//' >measured
rm bench.sh
tune --trials 10 --finals 2 --rounds 6 --store runs.db --json | sed 's/ "workers": \[[^]]*\],//' | cmp - measured
grep -c '"finals": {"verdict"' measured
