/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of sketches for GPUs: blocks of up to 256 threads with up to 16 sums each in the two
 * innermost axes, and parts of up to 8 terms of a sum in shared memory. */

#include "sketch_internal.h"

#include "template_internal.h"

enum { THREADS = 256, SIDE = 16, SUMS = 16, SUMS_SIDE = 4, TERMS = 8, UNROLLED = 64 };

/* Take the largest divisor of what is left that is neither above `most` nor above what others leave
 * of a budget. */
static int64_t take(int64_t *left, int64_t *budget, int64_t most)
{
    int64_t length = opevo_i_divisor_below(*left, most < *budget ? most : *budget);

    *left /= length;
    *budget /= length;
    return length;
}

/* The tiles of the axes of one stage, innermost first; then threads that are still missing. */
static void wish_stage(const opevo_sketch *sketch, int key, opevo_slot_value *values)
{
    int64_t threads = THREADS;
    int64_t sums = SUMS;

    for (int i = sketch->slots - 1; i >= 0; i--) {
        int64_t *length = values[i].length;

        if (!opevo_i_sketch_is_spatial(&sketch->slot[i], key))
            continue;
        length[0] = sketch->slot[i].extent;
        length[3] = take(&length[0], &sums, SUMS_SIDE);
        length[2] = take(&length[0], &threads, SIDE);
        length[1] = length[4] = 1;
    }
    for (int i = sketch->slots - 1; i >= 0 && threads > THREADS / 8; i--) {
        if (opevo_i_sketch_is_spatial(&sketch->slot[i], key))
            values[i].length[2] *= take(&values[i].length[0], &threads, THREADS);
    }
}

/* The largest value up to `most`, or the first. */
static int largest(const opevo_slot *slot, int64_t most)
{
    int choice = 0;

    for (int c = 1; c < slot->choices; c++)
        choice = slot->value[c] <= most ? c : choice;
    return choice;
}

void opevo_i_sketch_wish_gpu(const opevo_sketch *sketch, opevo_slot_value *values)
{
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        int64_t left = slot->extent;
        int64_t terms = TERMS;

        values[i] = (opevo_slot_value){
            .choice = largest(slot, slot->kind == OPEVO_SLOT_UNROLL ? UNROLLED : THREADS)};
        if (slot->kind != OPEVO_SLOT_TILE || slot->parts != 3)
            continue;
        values[i].length[2] = 1;
        values[i].length[1] = take(&left, &terms, TERMS);
        values[i].length[0] = left;
    }
    for (int key = 0; key < sketch->pipeline->stages; key++)
        wish_stage(sketch, key, values);
}
