#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# fake_evolver.sh FOLDER: a worker that answers without LLVM, and does with a list that has the word
#   dies         ends, each time
#   dies-once    ends the first time; FOLDER remembers it
#   hangs        does not answer
#   nonsense     answers with no JSON
#   unclassed    answers without a class
#   slow         answers when FOLDER has 20 files done-*, one for each list that was evaluated
#   waits        says that it waits for a device, for 4 s, and answers as soon as it has it
# Any other list is evaluated to the cost of its length; where FOLDER has a file "floor", one without "gain" costs 50
# more, and one with "needy" but without "help" is wrong. The first list that is drawn is "slow", others are named after
# their seeds, and drawing the fifth kills the worker once.
folder=$1
read -r line || exit 0
case $line in
*refused*) echo '{"error": "invalid input", "message": "The kernel is refused."}'; exit 0 ;;
*mute*) exec sleep 1000 ;;
esac
echo '{"module": "0123456789abcdef", "target": "nvptx", "llvm": "0", "unit": "cycles", "signature": "0123456789abcdef",' \
    '"instructions": 9, "cases": [1, 1, 1], "base_cost": 100, "base_hash": "0123456789abcdef"}'
while read -r line; do
    case $line in # first, so that what is asked is noticed at once
    *waits*) echo '{"waits": true}'; sleep 4; printf '{"waits": false}\n' ;;
    esac
    edits=$(printf '%s' "$line" | sed -n 's/.*"edits": *"\([^"]*\)".*/\1/p')
    case $edits in
    *dies-once*) [ -e "$folder/died" ] || { : >"$folder/died"; kill -9 $$; } ;;
    *dies*) kill -9 $$ ;;
    *hangs*) exec sleep 1000 ;;
    slow) until [ "$(find "$folder" -name 'done-*' | wc -l)" -ge 20 ]; do sleep 0.02; done ;;
    *nonsense*) echo '}{'; continue ;;
    *unclassed*) echo '{"status": "ok"}'; continue ;;
    esac
    case $line in
    *'"sample"'*)
        seed=$(printf '%s' "$line" | sed -n 's/.*"seed": *"\([^"]*\)".*/\1/p')
        : >"$folder/drawn-$seed"
        if [ "$(find "$folder" -name 'drawn-*' | wc -l)" = 5 ] && [ ! -e "$folder/killed" ]; then
            : >"$folder/killed"
            kill -9 $$
        fi
        [ -e "$folder/first" ] || printf '%s' "$seed" >"$folder/first"
        [ "$seed" = "$(cat "$folder/first")" ] && seed=slow
        echo "{\"edits\": \"$seed\"}"
        ;;
    *'"evaluate"'*)
        : >"$folder/done-$edits"
        cost=${#edits}
        if [ -e "$folder/floor" ]; then
            case $edits in *gain*) ;; *) cost=$((cost + 50)) ;; esac
            case $edits in
            *needy*help*) ;;
            *needy*) echo '{"status": "differs", "class": "wrong", "message": "It differs."}'; continue ;;
            esac
        fi
        echo "{\"status\": \"ok\", \"class\": \"ok\", \"hash\": \"0123456789abcdef\", \"cost\": $cost, \"error\": 0}"
        ;;
    *'"describe"'*)
        echo "{\"lines\": [\"$(printf '%s' "$edits" | sed 's/; /", "/g')\"]}"
        ;;
    *) echo "{\"edits\": \"$edits\"}" ;;
    esac
done
