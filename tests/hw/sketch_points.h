/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points of the space of a computation's sketches: their kernels against the interpreter. */

#ifndef OPEVO_TESTS_SKETCH_POINTS_H
#define OPEVO_TESTS_SKETCH_POINTS_H

#include "sketch_fixture.h"

static inline opevo_index draw_allowed(opevo_rng *rng, const opevo_space *space)
{
    opevo_index point = 0;

    do
        point = opevo_rng_below_wide(rng, opevo_space_size(space));
    while (!opevo_space_allows(space, point));
    return point;
}

/* False, with the reason printed, where a point is rejected. */
static inline bool check_point(const pipeline_case *operands, const opevo_kernel_maker *maker,
                               opevo_index point)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
    fits = pipeline && case_check(operands, pipeline, maker->dialect, &why);
    if (!fits)
        print_message("rejected: %s\n", opevo_text_string(&why));
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return fits;
}

/* ---- Drawn computations ---- */

/* A CPU, one of two cores with threads, and the emulation of GPUs. */
static const opevo_sketch_target drawn_targets[] = {
    {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1},
    {.dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2},
    {.dialect = OPEVO_KERNEL_EMULATION, .cores = 1, .threads = 1},
};
enum { DRAWN_TARGETS = sizeof drawn_targets / sizeof *drawn_targets };

static const opevo_device_facts drawn_device = {
    .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};

typedef struct drawn_counts {
    size_t points, rejected;
} drawn_counts;

/* The start point where there is one, then random ones. */
static inline void check_drawn_points(const pipeline_case *operands, opevo_kernel_maker *maker,
                                      int count, uint64_t seed, drawn_counts *counts)
{
    bool found = false;
    opevo_index point = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "points", 0);
    CHECK_OK(maker->ops->start(maker, &drawn_device, &found, &point, &err));
    for (int i = 0; i < count; i++) {
        if (i > 0 || !found)
            point = draw_allowed(&rng, maker->space);
        counts->points++;
        counts->rejected += !check_point(operands, maker, point);
    }
}

/* Whatever is a computation has sketches, or too many reads, stages or parameters. */
static inline void check_drawn(const char *text, const opevo_sketch_target *target, uint64_t seed,
                               drawn_counts *counts)
{
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = opevo_computation_parse(text, "drawn", NULL, 0, &computation, &why);
    pipeline_case operands;

    if (status == OPEVO_OK)
        status = opevo_sketches_open(computation, target, &maker, &why);
    if (status == OPEVO_OK) {
        operands = case_make(text, seed);
        check_drawn_points(&operands, maker, draw_count(2), seed, counts);
        maker->ops->destroy(maker);
        case_free(&operands);
        return;
    }
    if (computation ? status != OPEVO_LIMIT : status != OPEVO_INVALID && status != OPEVO_LIMIT)
        fail_msg("%s\n%s", why.message, text);
    opevo_computation_destroy(computation);
}

#endif
