# SPDX-License-Identifier: GPL-3.0-or-later
# Constraints that conflict: said when the space is read where it is small, and where it is large when it is described
# or points are wanted.
list() { seq -s ', ' 1 $1; }
space() {
    { printf '{'; for p in a b c d; do printf '"%s": {"_type": "discrete", "_value": [%s]}, ' $p "$(list $1)"; done
      printf '"_constraints": ["a * b == 128", "c * d == 128", "b + %d < a"]}' $2; } >space.json
}
space 16 9
opevo space space.json || echo "exit status $?"
space 64 62
opevo space space.json || echo "exit status $?"
opevo space space.json --shares a || echo "exit status $?"
opevo tune --on 'cmd:./bench {}' --space space.json --result 'ms:/([0-9.]+)/' --trials 3 || echo "exit status $?"
