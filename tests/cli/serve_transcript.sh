#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# serve_transcript.sh PAGE OPEVO: the transcript of docs/formats/serve.md, replayed in an empty folder.
set -eu
page=$(realpath "$1")
opevo=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
sed -n 's/^> //p' "$page" >requests
sed -n 's/^< //p' "$page" >expected
"$opevo" serve <requests >replies
diff -u expected replies
[ "$(wc -l <replies)" -ge 15 ] # and there is one
