#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# skipped.sh BUILD: which tests the last ctest in BUILD skipped, in whole or in part, and what they lack, in their own words:
# the lines of their output that begin with "skipped: ".
awk '
    /^[0-9]+\/[0-9]+ Testing: / { name = $3; words = 0; next }
    name && /^skipped: / { words++; add(substr($0, 10)) }
    name && /^\[  SKIPPED \] (test_|[a-z])/ && !/listed below/ && words == 0 { add($4) }
    function add(what) {
        if (seen[name, what]++)
            return
        if (!count++)
            print "Skipped, in whole or in part:"
        print "  " name ": " what
    }
    END { if (!count) print "No test was skipped." }' "$1/Testing/Temporary/LastTest.log"
