/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of sketches: every computation has one, its kernel is right, and its tile is as the
 * model of registers wants it. */

#include "sketch_fixture.h"

#include "sketch_internal.h"

/* Every computation has one for every device, which the limits accept. */
static void check_start(const char *text, const opevo_device_facts *facts, unsigned threads)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = threads};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_index point = 0, again = 1;
    bool found = false;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    CHECK_OK(maker->ops->start(maker, facts, &found, &point, &err));
    assert_true(found);
    CHECK_OK(maker->ops->start(maker, facts, &found, &again, &err));
    assert_true(point == again && opevo_space_allows(maker->space, point));
    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    assert_int_equal(refused, OPEVO_OUTCOME_OK);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    maker->ops->destroy(maker);
}

CHECK_TEST(test_starts)
{
    static const opevo_device_facts devices[] = {
        {0}, /* nothing is known */
        {.vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20},
        {.vector_bits = 128, .l1_bytes = 64 << 10, .l2_bytes = 1 << 20},
    };

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
            if (!test_takes(i, d, sizeof devices / sizeof *devices))
                continue;
            check_start(small[i], &devices[d], 1);
            check_start(small[i], &devices[d], 4);
        }
    }
    /* The middle of the first sketch unrolls too much. */
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        check_start("X[1,64,56,56]; const A[64]; const B[64]; "
                    "Y[n:1,c:64,h:56,w:56] = max(X[n,c,h,w]*A[c] + B[c], 0)",
                    &devices[d], 1);
}

static void add_start(const char *text, const opevo_device_facts *facts, unsigned threads)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = threads};
    pipeline_case operands = case_make(text, 1);
    opevo_computation *own = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    opevo_index point = 0;
    bool found = false;

    CHECK_OK(opevo_computation_read(text, &own, &err));
    CHECK_OK(opevo_sketches_open(own, &target, &maker, &err));
    CHECK_OK(maker->ops->start(maker, facts, &found, &point, &err));
    CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
    assert_true(case_check(&operands, pipeline, OPEVO_KERNEL_C, &why));
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    maker->ops->destroy(maker);
    case_free(&operands);
}

/* Their kernels are right, also of what passes by once: products of a batch and groups of channels
 * that small caches do not hold. */
CHECK_TEST(test_start_kernels)
{
    static const char *const passing[] = {"batch_matmul(2,16,64,64)", "grp(1,16,16,32,32,1,1,0,2)",
                                          "dep(1,17,17,32,3,2,1)"};
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};
    const opevo_device_facts caches = {
        .vector_bits = 512, .l1_bytes = 4 << 10, .l2_bytes = 32 << 10};

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (test_takes(i / 2, 0, 2))
            add_start(small[i], &facts, 1 + (unsigned)i % 2);
    }
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        add_start(passing[i], &caches, 1);
    batch_run();
}

/* Vectors of 16, at least 12 of them in registers, and no more than there are registers. */
CHECK_TEST(test_start_tile)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_slot_value values[OPEVO_SKETCH_SLOTS];
    int64_t elements = 1;
    size_t number = 0;

    CHECK_OK(opevo_computation_read("matmul(256,256,256)", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    number = opevo_i_sketch_choose(sketches, &facts, true, NULL);
    assert_true(number < sketches->count);
    opevo_i_sketch_prefer(sketches->item[number], &facts, 1, values);
    for (int i = 0; i < sketches->item[number]->slots; i++) {
        const opevo_slot *slot = &sketches->item[number]->slot[i];
        int64_t product = 1;

        for (int k = 0; k < slot->parts; k++)
            product *= values[i].length[k];
        if (slot->kind == OPEVO_SLOT_TILE)
            assert_int_equal(product, slot->extent);
        if (slot->kind == OPEVO_SLOT_TILE && slot->parts == 3)
            elements *= values[i].length[2];
        if (slot->kind == OPEVO_SLOT_TILE && slot->parts == 3)
            assert_in_range(values[i].length[slot->parts - 1], 1, OPEVO_I_LONGEST_INNERMOST);
        if (slot->kind == OPEVO_SLOT_LANES)
            assert_int_equal(slot->value[values[i].choice], 16);
    }
    assert_in_range(elements, 12 * 16, 28 * 16);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

/* The values of the parameters that say where stages are computed, by the names of the stages. */
static void read_places(const char *text, unsigned threads, opevo_text *out)
{
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = threads};
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_index point = 0;
    bool found = false;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    CHECK_OK(maker->ops->start(maker, &facts, &found, &point, &err));
    assert_true(found);
    opevo_space_decode(maker->space, point, vertex);
    for (size_t i = 0; i < opevo_space_parameter_count(maker->space); i++) {
        const char *name = opevo_parameter_name(opevo_space_parameter(maker->space, i));

        if (vertex[i] != OPEVO_INACTIVE && strstr(name, "__location"))
            opevo_text_printf(out, "%s %llu\n", name, (unsigned long long)vertex[i]);
    }
    maker->ops->destroy(maker);
}

/* Several threads divide loops, and compute nothing elsewhere. */
CHECK_TEST(test_start_places)
{
    static const char *const texts[] = {"ansor-c2d-1", "ansor-dep-1", "ansor-dep-3", "ansor-t2d-2",
                                        "ansor-conv-layer-2"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_text one = {0}, two = {0};

        read_places(texts[i], 1, &one);
        read_places(texts[i], 2, &two);
        assert_true(opevo_text_string(&one)[0]);
        assert_string_equal(opevo_text_string(&two), opevo_text_string(&one));
        opevo_text_free(&one);
        opevo_text_free(&two);
    }
}

/* ---- Parts of the space ---- */

#define PRODUCT "matmul(60,90,70)"
enum { PRODUCT_SKETCHES = 6 };

static const opevo_device_facts zen = {
    .vector_bits = 512, .l1_bytes = 32 << 10, .l2_bytes = 1 << 20};

static opevo_kernel_maker *open_product(void)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_computation_read(PRODUCT, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    return maker;
}

/* The number of the sketch where the maker starts. */
static size_t start_vertex(const opevo_kernel_maker *maker, opevo_index *vertex)
{
    opevo_index point = 0;
    bool found = false;

    CHECK_OK(maker->ops->start(maker, &zen, &found, &point, &err));
    assert_true(found && opevo_space_allows(maker->space, point));
    opevo_space_decode(maker->space, point, vertex);
    return (size_t)vertex[0];
}

/* Sketches that the space forbids, the best one each time: the start is in the best one that is
 * left, with its preferred tiles. */
CHECK_TEST(test_start_without_sketches)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    opevo_kernel_maker *maker = open_product();
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    bool refused[PRODUCT_SKETCHES] = {false};
    opevo_text constraints = {0};
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];

    CHECK_OK(opevo_computation_read(PRODUCT, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    assert_int_equal(sketches->count, PRODUCT_SKETCHES);
    opevo_text_add(&constraints, "\"_constraints\": [");
    for (size_t left = PRODUCT_SKETCHES; left > 1; left--) {
        size_t number = start_vertex(maker, vertex);
        size_t best = opevo_i_sketch_choose(sketches, &zen, true, refused);
        opevo_slot_value values[OPEVO_SKETCH_SLOTS];
        size_t at = 1;

        if (best == sketches->count)
            best = opevo_i_sketch_choose(sketches, &zen, false, refused);
        assert_int_equal(number, best);
        opevo_i_sketch_prefer(sketches->item[number], &zen, 1, values);
        for (size_t i = 0; i < number; i++)
            at += (size_t)sketches->item[i]->slots;
        for (int i = 0; i < sketches->item[number]->slots; i++, at++) {
            const opevo_slot *slot = &sketches->item[number]->slot[i];
            opevo_value length[8];

            if (slot->kind != OPEVO_SLOT_TILE)
                continue;
            opevo_parameter_value(opevo_space_parameter(maker->space, at), vertex[at], length);
            for (int k = 0; k < slot->parts; k++)
                assert_int_equal(length[k].as.integer, values[i].length[k]);
        }
        refused[number] = true;
        opevo_text_printf(&constraints, "\n    \"sketch != \\\"s%zu\\\"\",", number + 1);
        maker->ops->destroy(maker);
        maker = open_product();
        CHECK_OK(opevo_sketches_narrow(
            maker,
            changed_space(maker->space, "\"_constraints\": [", opevo_text_string(&constraints)),
            &err));
    }
    assert_false(refused[start_vertex(maker, vertex)]);
    opevo_text_free(&constraints);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    maker->ops->destroy(maker);
}

/* Of fewer values the nearest ones are taken: of 4, 8 and 16 lanes, where 16 are preferred, 8; the
 * tiles stay. */
CHECK_TEST(test_start_with_fewer_values)
{
    opevo_kernel_maker *maker = open_product(), *part = open_product();
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX], there[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_value whole, less;
    size_t lanes = 4; /* of s1 */

    assert_int_equal(start_vertex(maker, vertex), 0);
    opevo_parameter_value(opevo_space_parameter(maker->space, lanes), vertex[lanes], &whole);
    assert_int_equal(whole.as.integer, 16);
    CHECK_OK(opevo_sketches_narrow(part, changed_space(part->space, "[4, 8, 16]", "[4, 8]"), &err));
    assert_int_equal(start_vertex(part, there), 0);
    opevo_parameter_value(opevo_space_parameter(part->space, lanes), there[lanes], &less);
    assert_int_equal(less.as.integer, 8);
    for (size_t i = 1; i < lanes; i++)
        assert_true(there[i] == vertex[i]);
    maker->ops->destroy(maker);
    part->ops->destroy(part);
}

/* The sketch that a start is made from, and what the start prefers. */
typedef struct begun {
    opevo_computation *computation;
    opevo_sketches *sketches;
    const opevo_sketch *sketch;
    opevo_slot_value values[OPEVO_SKETCH_SLOTS];
} begun;

static void begin(const char *text, unsigned threads, unsigned long l2_bytes, begun *out)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = threads};
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 32 << 10, .l2_bytes = l2_bytes};

    CHECK_OK(opevo_computation_read(text, &out->computation, &err));
    CHECK_OK(opevo_sketches_create(out->computation, &target, &out->sketches, &err));
    out->sketch = out->sketches->item[opevo_i_sketch_choose(out->sketches, &facts, true, NULL)];
    opevo_i_sketch_prefer(out->sketch, &facts, threads, out->values);
}

static void end(begun *self)
{
    opevo_sketches_destroy(self->sketches);
    opevo_computation_destroy(self->computation);
}

/* Products of a batch: as it lies, in tiles of one vector, an operand whose rows share sets of the
 * first cache and which stays in the second; in panels where those are read more often, or where it
 * does not stay. */
CHECK_TEST(test_start_of_a_batch)
{
    static const struct {
        const char *text;
        unsigned long l2_bytes;
        bool packed;
        int64_t columns;
    } products[] = {
        {"batch_matmul(16,128,128,64)", 1 << 20, false, 16},
        {"batch_matmul(16,128,128,64,TN)", 1 << 20, false, 16},
        {"batch_matmul(16,128,128,64)", 32 << 10, true, 32},
        {"batch_matmul(16,512,128,64)", 1 << 20, true, 32},
        {"batch_matmul(16,128,96,96)", 1 << 20, false, 32},
        {"matmul(128,128,64)", 1 << 20, false, 32},
    };

    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        begun start;
        const opevo_sketch *sketch = NULL;

        begin(products[i].text, 1, products[i].l2_bytes, &start);
        sketch = start.sketch;
        assert_int_equal(sketch->packed >= 0, products[i].packed);
        assert_int_equal(start.values[opevo_i_sketch_lane_slot(sketch)].length[2],
                         products[i].columns);
        for (int k = 0; k < sketch->slots && products[i].columns == 16; k++) {
            const opevo_slot *slot = &sketch->slot[k];

            if (slot->kind == OPEVO_SLOT_TILE &&
                slot->parts == 3) /* a tile of rows by all columns */
                assert_int_equal(start.values[k].length[1],
                                 k == opevo_i_sketch_lane_slot(sketch) ? slot->extent / 16 : 1);
        }
        end(&start);
    }
}

/* Groups of channels of large images: a tile of no more channels than read the same elements, a
 * block of all of them, and few enough multiply-adds that those of the next tile begin before the
 * last of them end. */
CHECK_TEST(test_start_of_groups)
{
    static const struct {
        const char *text;
        int64_t terms;
        int64_t rows[3];           /* of the tile, along n, h and w */
        int64_t columns, channels; /* 0: not those of a group */
    } sums[] = {
        {"grp(16,56,56,64,64,1,1,0,4)", 16, {1, 1, 8}, 16, 64},
        {"dep(16,112,112,64,3,2,1)", 9, {1, 2, 1}, 64, 64},
        {"dep(16,112,112,32,3,1,1)", 9, {1, 8, 1}, 32, 32},
        {"dep(1,16,16,32,3,1,1)", 9, {1, 1, 8}, 32, 0}, /* stays in the caches */
    };

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        begun start;
        const opevo_sketch *sketch = NULL;
        int64_t vectors = sums[i].columns / 16;
        int lanes = 0, axis = 0;

        begin(sums[i].text, 1, 1 << 20, &start);
        sketch = start.sketch;
        lanes = opevo_i_sketch_lane_slot(sketch);
        for (int k = 0; k < sketch->slots; k++) {
            if (sketch->slot[k].kind != OPEVO_SLOT_TILE || sketch->slot[k].parts != 3 || k == lanes)
                continue;
            assert_int_equal(start.values[k].length[2], sums[i].rows[axis]);
            vectors *= start.values[k].length[2];
            axis++;
        }
        assert_int_equal(axis, 3);
        assert_int_equal(start.values[lanes].length[2], sums[i].columns);
        assert_true(vectors * sums[i].terms <= 160);
        if (sums[i].channels)
            assert_int_equal(start.values[lanes].length[1] * start.values[lanes].length[2],
                             sums[i].channels);
        end(&start);
    }
}

/* Where vectors run, and whether their operand is copied into panels first. */
CHECK_TEST(test_choice)
{
    static const struct {
        const char *text;
        bool last;   /* vectors run along the last axis */
        bool copied; /* into panels */
    } sums[] = {
        {"matmul(100,100,100)", true, false}, /* vectors across lines cost less than copies */
        {"matmul(512,1024,4096)", true,
         true}, /* not of A, although it is smaller: rows of B share sets */
        {"conv2d(1,8,64,64,32,3,3,1,1)", true, false},   /* few terms for each sum to store */
        {"conv2d(1,64,64,64,64,3,3,1,1)", false, false}, /* many */
        {"conv2d(1,16,28,28,32,3,3,1,1)", false, false}, /* 28 pixels leave 4 of 32 lanes */
    };

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        begun start;
        const opevo_sketch *sketch = NULL;

        begin(sums[i].text, 1, 1 << 20, &start);
        sketch = start.sketch;
        assert_int_equal(sketch->lanes == sketch->pipeline->stage[sketch->registers]->dims - 1,
                         sums[i].last);
        assert_int_equal(sketch->packed >= 0 &&
                             sketch->pipeline->stage[sketch->packed]->kind == OPEVO_STAGE_COPY,
                         sums[i].copied);
        end(&start);
    }
}

/* Outer loops have an iteration for each thread, also where whole rows of a vector times a matrix
 * pass. */
CHECK_TEST(test_start_of_threads)
{
    enum { THREADS = 4 };
    static const char *const products[] = {"matmul(1,512,2048)", "matmul(128,128,128)",
                                           "batch_matmul(2,128,128,64)"};

    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        begun start;
        const opevo_sketch *sketch = NULL;
        int64_t outside = 1;

        begin(products[i], THREADS, 1 << 20, &start);
        sketch = start.sketch;
        for (int k = 0; k < sketch->slots; k++) {
            if (sketch->slot[k].kind == OPEVO_SLOT_TILE && sketch->slot[k].parts == 3)
                outside *= start.values[k].length[0];
        }
        assert_true(outside >= THREADS);
        end(&start);
    }
}
