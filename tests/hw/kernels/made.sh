#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh made.sh KERNELS: the modules in this folder are what its make.sh makes.
if ! clang-19 --version >/dev/null 2>&1; then
    echo "skipped: clang-19 is missing"
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sh "$1/make.sh" "$folder" || exit 1
for module in "$1"/*.ll "$folder"/*.ll; do
    cmp "$1/${module##*/}" "$folder/${module##*/}" || exit 1
done
