# SPDX-License-Identifier: GPL-3.0-or-later
# The build step of programs: each different build runs once, also for repeats, finals and configurations that differ in
# arguments of the run; a build that fails or makes nothing is a build-error; sources that changed end a stored run.
cat >space.json <<'END'
{"TI": {"_type": "discrete", "_value": [1, 2, 4, 7, 8]}, "M": {"_type": "choice", "_value": ["a b", "c"]}}
END
cat >source.sh <<'END'
#!/bin/sh
[ $# = 2 ] && echo "took $((TI * 10 + ${#2}))"
END
cat >build.sh <<'END'
#!/bin/sh
echo "$1" >>built
[ "$1" != 7 ] || { echo "warning: odd" >&2; echo "source: error: seven" >&2; exit 1; }
[ "$1" = 8 ] || { sed "s/TI/$1/" source.sh >"$2" && chmod +x "$2"; }
END
chmod +x build.sh
tune() {
    opevo tune --on 'cmd:{out} --mode {M}' --build './build.sh {TI} {out} source.sh' --space space.json \
        --tuner grid --result 'ms:/took ([0-9]+)/' "$@" 2>/dev/null | sed 's/cost [0-9.]* s/cost/'
}
tune --repeats 7 --finals 3 --rounds 6
sort built | uniq -c | sed 's/^ *//'
tune --repeats 7 --threads 1 --json | grep -o '"result": [^}]*'
tune --trials 2 --store runs.db | tail -3
echo '# changed' >>source.sh
opevo tune --on 'cmd:{out} --mode {M}' --build './build.sh {TI} {out} source.sh' --space space.json \
    --tuner grid --result 'ms:/took ([0-9]+)/' --trials 4 --store runs.db
echo $?
# A program that is bound to a processor.
opevo tune --on "cmd:sh -c 'echo cores \$(nproc)' {}" --space space.json --threads 1 --trials 1 \
    --result 'score:/cores ([0-9]+)/' --json | grep -o '"result": [0-9]*'
# Nothing that was built stays.
find ../cache -type f
refuse() {
    opevo tune --space space.json --tuner grid "$@"
    echo $?
}
refuse --on 'cmd:{out} {M} {TI}'
refuse --on 'cmd:./a {M}' --build 'cc {TI} -o {out}'
refuse --on 'cmd:{out} {M}' --build 'cc {TI}'
refuse --on 'cmd:{out} {M}' --build 'cc -o {out}'
refuse --on 'cmd:{out} {M}' --build 'cc "{TI} -o {out}'
refuse --on 'cmd:{out} {M}' --build 'cc {TI} -o {out}' --build-timeout 0
refuse --on 'cmd:{out} {M}' --build 'no-such-compiler {TI} -o {out}' --trials 1 2>&1 | sed 's/worker [^ ]*/worker/'
echo '{"out": {"_type": "discrete", "_value": [1, 2]}}' >space.json
refuse --on 'cmd:{out}' --build 'cc -o {out}'
