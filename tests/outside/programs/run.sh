#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh TILE UNROLL: the time that the programs here find for a configuration, for `opevo tune --on cmd:`.
awk -v tile="${1%%,*}" -v unroll="$2" \
    'BEGIN { far = tile - 16; print 1 + (far < 0 ? -far : far) / 4 + 8 / unroll, "ms" }'
