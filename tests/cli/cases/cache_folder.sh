# SPDX-License-Identifier: GPL-3.0-or-later
# A home or cache folder that cannot be written: what it is for, and what to set.
touch file
tune() {
    "$@" opevo tune 'matmul(8,8,8)' --on cpu --trials 1 --finals 0 --quiet 2>&1 >/dev/null | sed "s|$(pwd -P)|FOLDER|g"
}
tune env XDG_CACHE_HOME="$PWD/file/cache"
tune env -u XDG_CACHE_HOME HOME="$PWD/file"
mkdir -p cache/opevo && touch cache/opevo/kernels
tune env XDG_CACHE_HOME="$PWD/cache"
