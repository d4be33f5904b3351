#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# skipped.sh BUILD [ALLOWED]: which tests the last ctest in BUILD skipped, in whole or in part, and what they lack, in their own
# words: the lines of their output that begin with "skipped: ". Exit status 1 where the file ALLOWED is given, and does not
# have one of them.
logs=$1/Testing/Temporary
release=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release)
awk -v allowed="${2:-}" -v release="$release" '
    FILENAME == allowed {
        if (!/^#/ && ($2 == "*" || $2 == release)) {
            test = $1
            sub(/^[^ ]+ +[^ ]+ +/, "^(")
            reasons[test] = (reasons[test] == "" ? "" : reasons[test] "|") $0 ")$"
        }
        next
    }
    FILENAME ~ /LastTestsDisabled/ { # skipped in whole, or disabled
        sub(/^[0-9]+:/, "")
        if ($0 in ran && !($0 in said))
            add($0, "it gives no reason")
        next
    }
    /^[0-9]+\/[0-9]+ Testing: / { name = $3; words = 0; next }
    /^Command: / { ran[name] }
    name && /^skipped: / { words++; add(name, substr($0, 10)) }
    name && /^\[  SKIPPED \] (test_|[a-z])/ && !/listed below/ && words == 0 { add(name, $4) }
    function add(test, what) {
        said[test]
        if (seen[test, what]++)
            return
        if (!count++)
            print "Skipped, in whole or in part:"
        print "  " test ": " what
        if (allowed != "" && !(test in reasons && what ~ reasons[test]))
            refused = refused "\n  " test ": " what
    }
    END {
        if (!count)
            print "No test was skipped."
        if (refused != "")
            print "Skipped, and not in " allowed ":" refused
        exit refused != ""
    }' ${2:+"$2"} "$logs/LastTest.log" $([ ! -f "$logs/LastTestsDisabled.log" ] || echo "$logs/LastTestsDisabled.log")
