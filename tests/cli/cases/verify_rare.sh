# SPDX-License-Identifier: GPL-3.0-or-later
# Six points are allowed, and a mutation of a forbidden one may find those left once in thousands: the
# limits of the sampler are part of the law that is tested.
cat >rare.json <<'SPACE'
{"a": {"_type": "randint", "_value": [1, 5]}, "b": {"_type": "randint", "_value": [1, 5]},
 "_constraints": ["a*b % 3 != 0", "a <= b"]}
SPACE
for seed in 1 2 3; do
    opevo verify rare.json --draws 1000 --seed $seed --json | grep -o '"rejected": [0-9][0-9]*'
done
