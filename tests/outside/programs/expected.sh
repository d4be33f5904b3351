#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# expected.sh OPEVO: what each program here prints, from the trials of `opevo tune` with the same seed.
set -eu
opevo=$1
programs=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cat >space.json <<'EOT'
{"TILE": {"_type": "factor", "_value": [256, 2]}, "UNROLL": {"_type": "discrete", "_value": [1, 2, 4, 8]}}
EOT
"$opevo" tune --on "cmd:sh '$programs/run.sh' {TILE} {UNROLL}" --space space.json --trials 30 \
    --result 'ms:/(.*) ms/' --store runs.db --quiet >out 2>&1 || {
    cat out >&2
    exit 1
}
COLUMNS=200 "$opevo" runs runs.db:1 --trials | awk '$1 ~ /^[0-9]+$/ { print $1, $7, $8, $3, "ms" }'
