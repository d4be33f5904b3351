#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_freestanding.sh OPEVO FOLDER BOARD [SHARE]: of the node cases of ONNX's backend tests in FOLDER (Debian:
# libonnx-testdata) each SHAREth (outside the long run one in 80) gives the expected results as a freestanding library,
# compiled as C99 without warnings, or is refused with a sentence; inputs that it asks for are bound. The library calls
# functions of <math.h> and <string.h> only. With Debian's gcc-arm-none-eabi and libnewlib-arm-none-eabi it is compiled
# for a microcontroller as well, and with qemu-system-arm it runs on one, by the linker script and vectors in BOARD.
set -eu
. "${0%/*}/node_cases.sh"
opevo=$1
folder=$2
board=$3
share=${4:-80}
[ -z "${OPEVO_TEST_LONG:-}" ] || share=4
open_cases "$folder"
arm='-std=c99 -O2 -mcpu=cortex-m3 -mthumb'
allowed=' memcpy memmove memset memcmp __stack_chk_fail _GLOBAL_OFFSET_TABLE_ '
mathematics='__finite __fpclassify __isinf __isnan acos acosf acosh acoshf asin asinh atan atanh ceil cos cosh
    erf erff exp expf expm1 fabs fabsf floor fmax fmin fmod frexp ldexp log log1p logf pow powf rint sin
    sinh sqrt sqrtf tan tanh tanhf fmaxf fminf log1pf copysign rintf'
number=0 made=0 refused=0 wrong=0 ran=0
fail() {
    echo "WRONG: $(basename "$case"): $1"
    wrong=$((wrong + 1))
}
on_a_board() {
    make -s -C "$work/library" clean
    make -s -C "$work/library" libnet.a CC=arm-none-eabi-gcc AR=arm-none-eabi-ar CFLAGS="$arm" >"$work/said" 2>&1 ||
        { fail "$(head -1 "$work/said")"; return; }
    [ "$(command -v qemu-system-arm)" ] || return 0
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $arm --specs=rdimon.specs -T "$board/mps2.ld" -o "$work/net.elf" "$board/vectors.c" \
        "$work/library/main.c" "$work/library/libnet.a" -lm >"$work/said" 2>&1 || { fail "$(head -1 "$work/said")"; return; }
    if timeout 60 qemu-system-arm -M mps2-an385 -display none -serial none -monitor none \
        -semihosting-config enable=on,target=native -kernel "$work/net.elf" >"$work/said" 2>&1; then
        ran=$((ran + 1))
    else
        fail "on a microcontroller: $(head -1 "$work/said")"
    fi
}
for case in "$folder"/*/; do
    number=$((number + 1))
    [ $((number % share)) = 0 ] || continue
    bound_library "$opevo" "$case" "$(list_files "$case" input)" --freestanding
    if [ "$status" != 0 ]; then
        refused=$((refused + 1))
        echo "refused: $(basename "$case"): $(sed 's/.*onnx: //' "$work/said")"
        [ "$status" = 2 ] || fail "status $status"
        continue
    fi
    make -s -C "$work/library" check CFLAGS='-std=c99 -pedantic -O1 -ffp-contract=off -Wall -Wextra -Werror' >"$work/said" 2>&1 ||
        { fail "$(head -2 "$work/said" | tr '\n' ' ')"; continue; }
    for symbol in $(nm -u "$work"/library/libnet.a | sed -n 's/^ *U //p' | sort -u); do
        case $allowed$(nm -g --defined-only "$work"/library/libnet.a | awk 'NF == 3 { printf "%s ", $3 }') in
        *" $symbol "*) ;;
        *) echo "$mathematics" | grep -qw "$symbol" || fail "it calls $symbol" ;;
        esac
    done
    made=$((made + 1))
    [ ! "$(command -v arm-none-eabi-gcc)" ] || on_a_board
done
echo "of $((made + refused + wrong)) cases $made are right as freestanding libraries, $ran of them on a microcontroller; $refused refused"
[ "$wrong" = 0 ] && [ $((10 * made)) -ge $((9 * (made + refused))) ]
