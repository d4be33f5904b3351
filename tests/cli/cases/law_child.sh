# SPDX-License-Identifier: GPL-3.0-or-later
# On two values a walk ends where it began with probability 2/3 at q = .5. So from a = b = 1, c = x a child has a = b = 1
# with probability 4/9, and a = b = 2 with 1/9, of which the sixth with d = 3 is forbidden: 29/54, and a = 1 has 24/29 of it.
cat >space.json <<'S'
{"a": {"_type": "discrete", "_value": [1, 2]}, "b": {"_type": "discrete", "_value": [1, 2]},
 "c": {"_type": "choice", "_value": ["x", {"_name": "y", "d": {"_type": "discrete", "_value": [3, 5]}}]},
 "_constraints": ["a == b", "a == 1 || d == 5"]}
S
echo 'a=1 b=1 c=x' >parents.txt
opevo law space.json --parents parents.txt --q 0.5
printf '3 a=1 b=1 c=x\n\n1 a=2 b=2 c=y d=5\n' >parents.txt
opevo law space.json --parents parents.txt --csv | awk -F, 'NR > 1 { before[$1] += $3; given[$1] += $4 }
    END { printf "%.9f %.9f %.9f %.9f\n", given["a"], given["b"], given["c"], given["d"] }'
echo 'a=1 b=1' >parents.txt
opevo law space.json --parents parents.txt
echo '-1 a=1 b=1 c=x' >parents.txt
opevo law space.json --parents parents.txt
: >parents.txt
opevo law space.json --parents parents.txt
opevo law space.json --parents parents.txt --start 1 || echo "exit status $?"
