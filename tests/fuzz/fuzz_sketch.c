/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bytes as choices of a grammar of computations: each has sketches or is refused; the kernels of
 * the start point and of a random one are built, run between pages that nobody may touch, and
 * compared with the interpreter. The first byte is the target: a CPU, threads of it, an emulated
 * GPU. */

#define BATCH_CHECKS /* kernels end where their arithmetic is undefined */

#include "fuzz.h"

#include "sketch_points.h"

#include "computation_draw.h"

void fuzz_one(const uint8_t *data, size_t size)
{
    choices bytes = {.bytes = data, .left = size};
    const opevo_sketch_target *target = &drawn_targets[choose(&bytes, DRAWN_TARGETS)];
    drawn_counts counts = {0, 0};
    opevo_text text = {0};

    setenv("CMOCKA_TEST_ABORT", "1", 1); /* what a check refuses is a finding */
    draw_computation(&bytes, &text);
    check_drawn(opevo_text_string(&text), target, 1, &counts);
    batch_run();
    opevo_text_free(&text);
}
