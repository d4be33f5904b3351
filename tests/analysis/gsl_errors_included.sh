#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/analysis/gsl_errors_included.sh SOURCES
# Every source file that includes a header of GSL also includes <opevo/gsl_errors.h>, without which GSL's own handler
# would end the program.
cd "$1" || exit 1
files=$(grep -rlE '^#include <gsl/' --include='*.c' base topology distributions evo landscapes hw analysis cli)
[ -n "$files" ] || exit 1
# shellcheck disable=SC2086 # a list of names
missing=$(grep -L '^#include <opevo/gsl_errors.h>' $files)
[ -z "$missing" ] || {
    echo "include <opevo/gsl_errors.h> in: $missing"
    exit 1
}
