/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a register tile of a sketch leaves open beside its lengths, and how its results are
 * stored. */

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
CHECK_TEST(test_unrolled_sums)
{
    static const int64_t most[] = {0, 16, 64, 256};
    static const int64_t shapes[][2] = {{8, 96}, {4, 36}, {8, 7}, {2, 48}, {24, 32}, {1, 16}};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    int found = 0;

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

/* ---- Tiles along the vectors ---- */

static int64_t count_panels(const char *what)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1};
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 32 << 10, .l2_bytes = 1 << 20};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_slot_value values[OPEVO_SKETCH_SLOTS] = {0};
    const opevo_sketch *sketch = NULL;
    int64_t panels = 0;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    sketch = sketches->item[opevo_i_sketch_choose(sketches, &facts, true, NULL)];
    opevo_i_sketch_prefer(sketch, &facts, 1, values);
    panels = values[opevo_i_sketch_lane_slot(sketch)].length[1];
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    return panels;
}

/* Half of 1 MiB of panels where the rows would come from memory again and again, and one where they
 * stay in a cache or the sum is not divided. */
CHECK_TEST(test_start_panels)
{
    assert_in_range(count_panels("matmul(4096,4096,4096)"), 8, 32);
    assert_int_equal(count_panels("matmul(512,512,512)"), 1);
    assert_int_equal(count_panels("matmul(4096,64,4096)"), 1);
    assert_int_equal(count_panels("c2d(16,28,28,128,128,3,1,1)"), 1);
}

/* ---- Results that lie across the vectors ---- */

/* A product whose vectors run along f, of tiles of 2 x `columns` x `channels`. */
static opevo_pipeline *make_scattered(const opevo_computation *computation, int columns,
                                      int channels)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text steps = {0};

    opevo_text_printf(&steps,
                      "split C f 1 %d\nsplit C y 1 2\nsplit C x 1 %d\nsplit C c 5\n"
                      "reorder C f.0 y.0 x.0 c.0 f.1 y.1 x.1 c.1 y.2 x.2 f.2\naccumulate C x.1\n"
                      "annotate C y.2 unroll\nannotate C x.2 unroll\nsplit C f.2 16\n"
                      "annotate C f.2.0 unroll\nannotate C f.2.1 vectorize\n",
                      channels, columns);
    CHECK_OK(
        opevo_pipeline_parse(computation, opevo_text_string(&steps), "steps", &pipeline, &err));
    opevo_text_free(&steps);
    return pipeline;
}

static int count_text(const char *text, const char *what)
{
    int count = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        count++;
    return count;
}

/* Squares turn the columns of a tile into rows where there are at least six of them: one for each
 * 16 columns, each row and each vector. Sums in two parts add to what is there, and edges are left
 * to single stores. Either way the results are those of the interpreter. */
CHECK_TEST(test_scattered_results)
{
    static const struct {
        int terms, columns, channels, squares;
    } cases[] = {{5, 5, 16, 0},  {5, 6, 16, 2},  {5, 10, 32, 4}, {5, 15, 16, 2},
                 {5, 30, 16, 4}, {10, 6, 16, 2}, {5, 16, 32, -1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
        opevo_text text = {0}, why = {0};
        opevo_kernel kernel = {0};
        opevo_pipeline *pipeline = NULL;
        pipeline_case operands;
        bool fits = false;

        opevo_text_printf(&text,
                          "X[c:%d, y:4, x:30]; W[f:64, c]; C[f, y, x] = sum(c) X[c, y, x]*W[f, c]",
                          cases[i].terms);
        operands = case_make(opevo_text_string(&text), i);
        pipeline = make_scattered(operands.computation, cases[i].columns, cases[i].channels);
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
        assert_true(fits);
        if (cases[i].squares >= 0)
            assert_int_equal(count_text(opevo_text_string(&kernel.source), " opevo_scatter16(&"),
                             cases[i].squares);
        assert_true(case_check(&operands, pipeline, OPEVO_KERNEL_C, &why));
        case_free(&operands);
        opevo_pipeline_destroy(pipeline);
        opevo_kernel_free(&kernel);
        opevo_text_free(&text);
        opevo_text_free(&why);
    }
    batch_run();
}

/* Functions of a product that read one vector, several, and a single number are computed on its
 * tiles: they have as many sketches. Ansor's rules tile those that read two such tensors. */
CHECK_TEST(test_functions_of_sums)
{
    static const char product[] = "A[i:64, k:32]; B[k, j:96]; S[j]; T[j]; N[]; "
                                  "C[i, j] = sum(k) A[i, k]*B[k, j]; Y[i, j] = ";
    static const char *const functions[] = {"max(C[i, j] + S[j], 0)", "max(C[i, j]*S[j] + T[j], 0)",
                                            "erf((C[i, j] + S[j])/N[])*N[]"};

    for (int ansor = 0; ansor < 2; ansor++) {
        const opevo_sketch_target target = {
            .dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1, .ansor = ansor};
        size_t count[3];

        for (int i = 0; i < 3; i++) {
            opevo_computation *computation = NULL;
            opevo_sketches *sketches = NULL;
            char text[256];

            snprintf(text, sizeof text, "%s%s", product, functions[i]);
            CHECK_OK(opevo_computation_read(text, &computation, &err));
            CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
            count[i] = sketches->count;
            opevo_sketches_destroy(sketches);
            opevo_computation_destroy(computation);
        }
        assert_true(ansor == (count[1] != count[0]) && ansor == (count[2] != count[0]));
    }
}
