#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# use.sh PACKAGES: in a bare root of Debian, as root: install the packages of a folder, which also has tests and README.md, with
# apt, use them as people do, and remove them, which leaves nothing behind.
set -eu
packages=$1
export DEBIAN_FRONTEND=noninteractive HOME=/tmp/opevo-user XDG_CACHE_HOME=/tmp/opevo-user/cache

fail() {
    echo "use.sh: $*" >&2
    exit 1
}

# install ARGUMENT...: packages by name or by file, with what they depend on and no more.
install() {
    apt-get install -y -qq --no-install-recommends "$@" >/tmp/apt.log 2>&1 || fail "apt-get install $*: $(tail -n 3 /tmp/apt.log)"
}

# says PATTERN COMMAND...: the command succeeds and prints a line with the pattern, no matter to which stream.
says() {
    pattern=$1
    shift
    "$@" >/tmp/said 2>&1 || fail "$*: $(cat /tmp/said)"
    grep -q -e "$pattern" /tmp/said || fail "$* does not say $pattern: $(cat /tmp/said)"
}

# What of opevo is on the system, but for the cache of man.
present() {
    find / -xdev \( -path "$packages" -o -path /proc -o -path /tmp -o -path /var/cache/man \) -prune -o -iname '*opevo*' -print
}

[ -z "$(present)" ] || fail "before the installation there is $(present)"
apt-get update -qq
mkdir -p "$HOME/work"
cd "$HOME/work"

# The program, where there is neither a compiler nor anything else that it does not depend on.
install "$packages"/opevo_*.deb
says 'opevo [0-9.]*$' opevo --version
says '^  tune ' opevo help
says '8,1,1' opevo law 'factor(8,3)' --start 8,1,1 --q 0.5
says '^0 of [0-9]* tests rejected' opevo verify
says 'best' opevo tune --on recorded: --trials 50 --seed 1
says 'best' opevo tune mm1 --on sim:gtx1080ti --trials 200 --seed 1 --store runs.db
says 'mm1' opevo runs runs.db
opevo report runs.db -o report.html
grep -q dygraph report.html || fail "opevo report wrote a page without charts"
echo '{"X": {"_type": "choice", "_value": [2, 1]}}' >space.json
says '^X=1$' opevo tune --on 'cmd:echo took {X} ms' --space space.json --trials 2 --result 'ms:/took ([0-9.]+) ms/' --quiet
! command -v cc >/dev/null || fail "a package depends on a compiler"
! opevo tune mm1 --on cpu --trials 2 >/tmp/said 2>&1 || fail "kernels are built without a compiler"
grep -q 'compiler\|OPEVO_CC' /tmp/said || fail "no compiler, which is not said: $(cat /tmp/said)"
! opevo evolve planted --trials 20 >/tmp/said 2>&1 || fail "kernels evolve without their worker"
grep -q 'LLVM' /tmp/said || fail "no LLVM, which is not said: $(cat /tmp/said)"
install "$packages"/opevo-evolver_*.deb
says 'of the base cost' opevo evolve planted --trials 100 --seed 1
install gcc libc6-dev
says 'best' opevo tune 'matmul(32,32,32)' --on cpu --trials 3 --seed 1
# A library of a network, with no more than how it is made and called.
install cmake make
"$packages/tests/outside/network.sh" opevo /usr/share/doc/opevo/docs/how-to/network-library.md gcc cmake 'Unix Makefiles'
install man-db
for page in opevo.1 opevo-worker.1 opevo-evolver.1; do
    says '^NAME' man "$page"
done
for file in /usr/share/bash-completion/completions/opevo /usr/share/doc/opevo/docs/measuring.md; do
    [ -s "$file" ] || fail "$file is not installed"
done

# The library, for C and C++, by pkg-config and by CMake.
install "$packages"/libopevo1_*.deb "$packages"/libopevo-dev_*.deb g++ ninja-build pkg-config libgsl-dev \
    libjansson-dev liblapacke-dev liblzma-dev libopenblas-dev libsqlite3-dev libxml2-dev zlib1g-dev
"$packages/tests/outside/consumers.sh" cmake "$packages" /usr Ninja gcc

for page in opevo opevo_session_ask; do
    says '^NAME' man 3 "$page"
done

# The Python package.
install "$packages"/python3-opevo_*.deb
cat >ask.py <<'EOT'
import opevo

with opevo.Tuner({"X": opevo.factor(64, 3), "u": ["a", "b"]}, "opevo", seed=1) as tuner:
    for _ in range(20):
        for trial in tuner.ask():
            tuner.tell(trial, trial.config["X"][0])
    print("best", tuner.best())
print("law", dict(opevo.law("factor(8,3)", (8, 1, 1)))[(8, 1, 1)])
EOT
says '^best' python3 ask.py
grep -q '^law 0' /tmp/said || fail "the law is missing: $(cat /tmp/said)"

apt-get purge -y -qq '*opevo*' >/tmp/apt.log 2>&1 || fail "apt-get purge: $(tail -n 3 /tmp/apt.log)"
[ -z "$(present)" ] || fail "after apt-get purge there is $(present)"
echo "the packages can be installed, used and removed"
