# SPDX-License-Identifier: GPL-3.0-or-later
# A reference result that takes long is said before the first measurement, for each task that has one: 2 sets of 2.0e11
# operations at 0.3 ns are 2.0 min. An interrupt ends the wait at once.
large='C[i:4096, j:4096] = sum(k:6000) A[i,k]*B[k,j]'
small='C[i:32, j:32] = sum(k:32) A[i,k]*B[k,j]'
begin() { # begin OPERATOR...: the words on stderr, until they are there; then an interrupt
    opevo tune "$@" --on cpu --template sketch --tuner random --trials 2 --finals 0 2>said >/dev/null &
    for _ in $(seq 600); do
        grep -q reference said && break
        sleep 0.1
    done
    kill -INT $!
    wait $!
    echo "status $?"
    grep -o 'opevo tune: .*cores\.' said
}
begin "$large"
begin "$small" "$large"
opevo tune "$small" --on cpu --template sketch --trials 1 --finals 0 2>&1 | grep -c reference
opevo tune mm1 --on sim:mi50 --trials 1 2>&1 | grep -c reference || :
