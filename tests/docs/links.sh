#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# links.sh FOLDER: the manual of the source tree in FOLDER. Each page is listed under "Manual" in README.md, in
# docs/architecture.md, or in the page that its folder is named after (docs/tuners.md); and each link leads to a file and a
# heading that are there.
set -u
cd "$1" || exit 1
failed=0
fail() {
    echo "$*"
    failed=1
}

# links PAGE <TEXT: what this text of the page links to in this tree, as paths from the top, each with its #heading.
links() {
    grep -o '\](\([^) ]*\))' | sed 's/^](//; s/)$//; /^[a-z]*:/d' | while read -r target; do
        path=${target%%#*}
        case $target in
        '#'*) echo "$1$target" ;;
        *'#'*) echo "$(realpath -m --relative-to=. "${1%/*}/$path")#${target#*#}" ;;
        *) realpath -m --relative-to=. "${1%/*}/$path" ;;
        esac
    done
}

# headings PAGE: as links name them.
headings() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

listed=$(sed -n '/^## Manual/,$p' README.md | links ./README.md; links docs/architecture.md <docs/architecture.md)
for page in $(find docs -name '*.md' | sort); do
    index=${page%/*}.md
    [ "$page" = docs/architecture.md ] && continue
    { echo "$listed"; [ -f "$index" ] && links "$index" <"$index"; } | sed 's/#.*//' | grep -qxF "$page" ||
        fail "$page is not listed: link to it under \"Manual\" in README.md."
done
for page in ./README.md $(find docs notebooks-data -name '*.md' | sort); do
    for target in $(links "$page" <"$page"); do
        path=${target%%#*}
        if [ ! -e "$path" ]; then
            fail "$page: $path is missing."
        elif [ "$target" != "$path" ] && ! headings "$path" | grep -qxF "${target#*#}"; then
            fail "$page: $path has no heading #${target#*#}."
        fi
    done
done
exit $failed
