/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a register tile of a sketch leaves open beside its lengths. */

#include "sketch_fixture.h"

#include "sketch_internal.h"

/* Statements of one pass through the loops of a stage that are written out. */
static int64_t count_statements(const opevo_i_pipeline_stage *stage)
{
    int64_t count = 1;

    for (int i = 0; i < stage->own.loops; i++)
        count *= stage->own.loop[i].annotation == OPEVO_ANNOTATION_UNROLL
                     ? stage->own.loop[i].extent
                     : 1;
    return count;
}

/* The statements of a pipeline with register tiles of `rows` x 16 in sums of `depth` terms. */
static int64_t count_unrolled(const opevo_sketch *sketch, int64_t rows, int64_t depth, int choice)
{
    opevo_slot_value values[OPEVO_SKETCH_SLOTS] = {0};
    opevo_pipeline *pipeline = NULL;
    int64_t count = 0;

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        const int64_t inner = slot->parts == 2                        ? depth
                              : i == opevo_i_sketch_lane_slot(sketch) ? 16
                                                                      : rows;

        if (slot->kind == OPEVO_SLOT_TILE) {
            values[i].length[0] = slot->extent / inner;
            values[i].length[1] = slot->parts == 2 ? inner : 1;
            values[i].length[2] = inner;
        } else if (slot->kind == OPEVO_SLOT_UNROLL || slot->kind == OPEVO_SLOT_LANES) {
            values[i].choice = slot->kind == OPEVO_SLOT_LANES ? slot->choices - 1 : choice;
        }
    }
    CHECK_OK(opevo_sketch_build(sketch, values, &pipeline, &err));
    count = count_statements(pipeline->stage[sketch->registers]);
    opevo_pipeline_destroy(pipeline);
    return count;
}

/* As many turns of a sum are written out as divide the loop and have no more statements than the
 * parameter says: the largest such number, by trying all. */
static void test_unrolled_sums(void **state)
{
    static const int64_t most[] = {0, 16, 64, 256};
    static const int64_t shapes[][2] = {{8, 96}, {4, 36}, {8, 7}, {2, 48}, {24, 32}, {1, 16}};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    int found = 0;

    (void)state;
    CHECK_OK(opevo_computation_read("matmul(48,2016,32)", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    for (size_t s = 0; s < sketches->count; s++) {
        if (sketches->item[s]->registers < 0 || sketches->item[s]->lanes != 1)
            continue;
        found++;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            for (int choice = 0; choice < 4; choice++) {
                int64_t rows = shapes[i][0], turns = 1;

                for (int64_t n = 1; n <= shapes[i][1]; n++)
                    turns = shapes[i][1] % n == 0 && n * rows <= most[choice] ? n : turns;
                assert_int_equal(count_unrolled(sketches->item[s], rows, shapes[i][1], choice),
                                 rows * turns);
            }
        }
    }
    assert_true(found > 0);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unrolled_sums),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
