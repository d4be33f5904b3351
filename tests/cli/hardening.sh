#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/cli/hardening.sh PROGRAM...
# Each program, or shared library, is loaded anywhere (PIE), its stack is not executable and has canaries, its relocations are done at
# the start and read-only after it (full RELRO), and sizes are checked in calls of the C library (FORTIFY).
set -u
status=0

# say PROGRAM WORDS: a failure.
say() {
    echo "$1: $2"
    status=1
}

for program in "$@"; do
    headers=$(readelf -lW "$program") || exit 1
    dynamic=$(readelf -dW "$program")
    symbols=$(readelf --dyn-syms -W "$program")
    echo "$dynamic" | grep -q -E 'FLAGS_1.*PIE|SONAME' || say "$program" "it is not a PIE"
    echo "$headers" | grep -q GNU_RELRO || say "$program" "it lacks a GNU_RELRO segment"
    echo "$dynamic" | grep -q 'FLAGS_1.*NOW' || say "$program" "it binds lazily"
    echo "$headers" | grep 'GNU_STACK' | grep -q 'RWE' && say "$program" "its stack is executable"
    echo "$symbols" | grep -q '__stack_chk_fail' || say "$program" "it has no stack protector"
    echo "$symbols" | grep -q '_chk@' || say "$program" "no call is fortified"
done
exit $status
