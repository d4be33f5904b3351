/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of sketches for GPUs: blocks of up to 256 threads with up to 16 sums each in the two
 * innermost axes, and at least 16 parts of up to 32 terms of a sum in shared memory. */

#include "sketch_internal.h"

#include "template_internal.h"

/* A square of threads with a square of sums each reads the least for its size. Of 256 threads with
 * 16 sums several blocks fit on a multiprocessor, so that some compute while others wait. */
enum { THREADS = 256, SIDE = 16, SUMS = 16, SUMS_SIDE = 4, UNROLLED = 64 };

/* Of a sum: more terms at once save barriers, and fewer let several blocks share a multiprocessor.
 * In 474 trials of products of 1,024 and 4,096 terms on an H100, log time is quadratic in log terms
 * with its least at 2^5.1; sums of 64 and 128 terms were fastest in 16 to 32 parts
 * (notebooks-data/h100). */
enum { TERMS = 32, PARTS = 16 };

/* Take the largest divisor of what is left that is neither above `most` nor above what others leave
 * of a budget. */
static int64_t take(int64_t *left, int64_t *budget, int64_t most)
{
    int64_t length = opevo_i_template_divisor_below(*left, most < *budget ? most : *budget);

    *left /= length;
    *budget /= length;
    return length;
}

/* The tiles of the axes of one stage, innermost first; then threads that are still missing. */
static void prefer_stage(const opevo_sketch *sketch, int key, opevo_slot_value *values)
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

static bool is_summed(const opevo_slot *slot, int key)
{
    return slot->kind == OPEVO_SLOT_TILE && slot->key == key && slot->parts == 3;
}

/* The parts of the sums of one stage, innermost first. */
static void prefer_sums(const opevo_sketch *sketch, int key, opevo_slot_value *values)
{
    int64_t terms = 1;

    for (int i = 0; i < sketch->slots; i++)
        terms *= is_summed(&sketch->slot[i], key) ? sketch->slot[i].extent : 1;
    terms = terms / PARTS < 1 ? 1 : terms / PARTS < TERMS ? terms / PARTS : TERMS;
    for (int i = sketch->slots - 1; i >= 0; i--) {
        int64_t *length = values[i].length;

        if (!is_summed(&sketch->slot[i], key))
            continue;
        length[0] = sketch->slot[i].extent;
        length[1] = take(&length[0], &terms, TERMS);
        length[2] = 1;
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

void opevo_i_sketch_prefer_gpu(const opevo_sketch *sketch, opevo_slot_value *values)
{
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        values[i] = (opevo_slot_value){
            .choice = largest(slot, slot->kind == OPEVO_SLOT_UNROLL ? UNROLLED : THREADS)};
    }
    for (int key = 0; key < sketch->pipeline->stages; key++) {
        prefer_sums(sketch, key, values);
        prefer_stage(sketch, key, values);
    }
}
