#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# install.sh CMAKE BUILD PACKAGE FOLDER: the package as CMake installs it into the FOLDER below a prefix, and as pip
# installs it into a virtual environment; both find the program without a variable that names it.
set -eu
cmake=$1 build=$2 package=$3 folder=$4
[ -x /usr/bin/python3 ] || {
    echo "skipped: /usr/bin/python3 is not installed; install python3"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"
unset OPEVO PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1

cat >"$scratch/use.py" <<'EOT'
import sys
import opevo

assert opevo.program() == sys.argv[1], opevo.program()
with opevo.Tuner({"X": opevo.factor(64, 3), "u": ["a", "b"]}, "random", seed=1) as tuner:
    best = tuner.run(lambda config: config["X"][0], trials=20)
    assert best and tuner.trials == 20
assert abs(sum(dict(opevo.law("factor(8,3)", (8, 1, 1))).values()) - 1) < 1e-12
EOT

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
cd "$scratch"
[ -f "$prefix/$folder/opevo/py.typed" ] || {
    echo "install.sh: $folder/opevo is not installed" >&2
    exit 1
}
PATH=/usr/bin:/bin PYTHONPATH="$prefix/$folder" /usr/bin/python3 use.py "$prefix/bin/opevo"

"$cmake" --install "$build" --prefix "$scratch/alone" --component python >/dev/null
[ -z "$(find "$scratch/alone" -type f ! -path "*/$folder/opevo/*")" ] || {
    echo "install.sh: the component python installs more than the package" >&2
    exit 1
}

for module in venv pip setuptools wheel ensurepip; do
    /usr/bin/python3 -c "import $module" 2>/dev/null || {
        echo "skipped in part: no $module for /usr/bin/python3; install python3-venv, python3-pip, python3-setuptools and python3-wheel"
        exit 0
    }
done
# pip leaves a folder build in what it installs.
cp -r "$package" package
/usr/bin/python3 -m venv --system-site-packages venv
venv/bin/pip install --quiet --no-build-isolation --no-index --disable-pip-version-check ./package
rm -rf package
PATH="$prefix/bin:/usr/bin:/bin" venv/bin/python use.py "$prefix/bin/opevo"
said=$(venv/bin/pip show opevo 2>/dev/null | sed -n 's/^Version: //p')
has=$("$prefix/bin/opevo" --version | sed 's/^opevo //')
[ "$said" = "$has" ] || {
    echo "install.sh: the package has version $said, and the program $has" >&2
    exit 1
}
# Installed into the environment itself, the program is found there.
mkdir -p venv/bin
ln -s "$prefix/bin/opevo" "$prefix/bin/opevo-worker" venv/bin
PATH=/usr/bin:/bin venv/bin/python use.py "$scratch/venv/bin/opevo"
