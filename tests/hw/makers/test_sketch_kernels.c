/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of points of the space of sketches against the interpreter, points that are found by
 * their steps, and parts of a space. */

#include "check_memory.h"
#include "sketch_points.h"

#include "computations.h"

#include "sketch_internal.h"

/* ---- Kernels ---- */

static void check_points(const char *text, unsigned threads, int count, int *rejected)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = threads};
    pipeline_case operands = case_make(text, 1);
    opevo_computation *own = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;

    CHECK_OK(opevo_computation_read(text, &own, &err));
    CHECK_OK(opevo_sketches_open(own, &target, &maker, &err));
    opevo_rng_init(&rng, 1, text, 0);
    for (int i = 0; i < count; i++)
        *rejected += !check_point(&operands, maker, draw_allowed(&rng, maker->space));
    maker->ops->destroy(maker);
    case_free(&operands);
}

static void check_all_points(unsigned threads, int usual)
{
    int count = draw_count(usual), rejected = 0, kinds = 0;

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (!test_takes(i, threads - 1, 2))
            continue;
        check_points(small[i], threads, count, &rejected);
        kinds++;
    }
    assert_true(20 * rejected <= kinds * count);
    batch_run();
}

CHECK_TEST(test_kernels_of_points)
{
    check_all_points(1, 5);
}

CHECK_TEST(test_parallel_points)
{
    check_all_points(2, 3);
}

/* Graphs of up to eight definitions, with odd and prime extents. */
CHECK_TEST(test_random_computations)
{
    size_t graphs = test_graphs(20);
    int points = draw_count(2);
    int checked = 0, rejected = 0;

    for (uint64_t seed = 0; seed < graphs; seed++) {
        opevo_computation *made = NULL;
        opevo_text text = {0};

        write_computation(seed, 8, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            check_points(opevo_text_string(&text), 1 + (unsigned)seed % 2, points, &rejected);
            checked += points;
        }
        opevo_computation_destroy(made);
        opevo_text_free(&text);
    }
    assert_true(checked > 0 && 20 * rejected <= checked);
    batch_run();
}

/* Products in a row whose tiles have more than 2^128 points: the space is wide, and its points have
 * kernels. */
CHECK_TEST(test_wide_space)
{
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_kernel kernel = {0};
    opevo_text text = {0}, why = {0};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};

    opevo_text_add(&text, "A[i:64, k0:64]");
    for (int t = 0; t < 8; t++)
        opevo_text_printf(&text, "; B%d[k%d, k%d:64]", t, t, t + 1);
    for (int t = 0; t < 8; t++)
        opevo_text_printf(&text, "; C%d[i, k%d] = sum(k%d) %s%.0d[i, k%d]*B%d[k%d, k%d]", t + 1,
                          t + 1, t, t ? "C" : "A", t, t, t, t, t + 1);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    assert_true(opevo_space_is_wide(maker->space));
    CHECK_OK(
        maker->ops->make(maker, opevo_space_first(maker->space), &kernel, &refused, &why, &err));
    assert_true(kernel.source.length > 0);
    opevo_kernel_free(&kernel);
    maker->ops->destroy(maker);
    opevo_text_free(&why);
    opevo_text_free(&text);
}

/* Statements have room for 16 elements: a sum over both sides of a square is made in two steps, and
 * one of more elements than that is refused. */
CHECK_TEST(test_many_reads)
{
    static const char square[] =
        "a[y:4, x:9] = A[y, x] + A[y + 1, x] + A[y + 2, x] + A[y + 3, x] + A[y + 4, x]; "
        "b[y, w:5] = a[y, w] + a[y, w + 1] + a[y, w + 2] + a[y, w + 3] + a[y, w + 4]";
    const opevo_sketch_target gpu = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_text text = {0};
    int rejected = 0;

    check_points(square, 1, 40, &rejected);
    assert_int_equal(rejected, 0);
    batch_run();
    CHECK_OK(opevo_computation_read(square, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &gpu, &sketches, &err));
    assert_int_equal(sketches->item[0]->slots, 2); /* threads of both */
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    opevo_text_add(&text, "C[i:8] = A0[i]");
    for (int i = 1; i < 17; i++)
        opevo_text_printf(&text, " + A%d[i]*A0[i]", i);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), &computation, &err));
    CHECK_FAILS(OPEVO_LIMIT, "C reads more than 16 different elements",
                opevo_sketches_create(computation, &gpu, &sketches, &err));
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
}

/* The sketches of so many definitions of a form. */
static opevo_status sketch_copies(const char *inputs, const char *form, int copies, bool ansor,
                                  opevo_sketches **out, opevo_computation **computation,
                                  opevo_error *error)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1, .ansor = ansor};
    opevo_text text = {0};

    opevo_text_add(&text, inputs);
    for (int i = 0; i < copies; i++)
        opevo_text_printf(&text, "; S%d%s", i, form);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), computation, &err));
    opevo_text_free(&text);
    return opevo_sketches_create(*computation, &target, out, error);
}

/* Sketches of more parameters than one may have are left out, and the rest is kept, if there is
 * any. */
CHECK_TEST(test_too_many_parameters)
{
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;

    CHECK_OK(sketch_copies("A[8, 8]", "[i:8] = sum(k:8) A[i, k]", 30, false, &sketches,
                           &computation, &err));
    assert_true(sketches->count > 0 && sketches->partial);
    for (size_t i = 0; i < sketches->count; i++)
        assert_true(sketches->item[i]->slots <= OPEVO_SKETCH_SLOTS);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    CHECK_OK(sketch_copies("A[8, 8]; B[8, 8]", "[i:8, j:8] = sum(k:8) A[i, k]*B[k, j]", 30, true,
                           &sketches, &computation, &err));
    assert_true(sketches->count > 0);
    for (size_t i = 0; i < sketches->count; i++)
        assert_true(sketches->item[i]->slots <= OPEVO_SKETCH_SLOTS);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

/* Operands of one element, which no vector can run along. */
CHECK_TEST(test_scalars)
{
    int rejected = 0;

    check_points("b[]; A[i:3, k:70]; S[i] = sum(k) A[i, k]*b[]", 1, draw_count(4), &rejected);
    check_points("b[]; A[k:130]; S[] = sum(k) A[k]*b[]", 2, draw_count(4), &rejected);
    assert_int_equal(rejected, 0);
    batch_run();
}

/* Intermediate results of more than 256 MiB, of which every kernel has to store one. */
CHECK_TEST(test_scratch)
{
    static const char text[] =
        "A[n:128, 64, 56, 56]; W[o:64, c:64, r:3, s:3]; G[n, o, y:56, x:56]; "
        "P[n, k:64, h:58, w:58] = select(1 <= h and h <= 56 and 1 <= w and w <= 56, "
        "A[n, k, h - 1, w - 1], 0); "
        "C[n, o, y, x] = sum(c, r, s) P[n, c, y + r, x + s]*W[o, c, r, s]; "
        "L[n, o, y, x] = C[n, o, y, x]*G[n, o, y, x]; B[512, 64, 56, 56]; "
        "E[m:512, o, y, x] = max(n) B[m, o, y, x]*L[n, o, y, x]; "
        "D[o, y, x] = sum(m) E[m, o, y, x]";
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1};
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    uint64_t signature = 0;
    int fit = 0, above = 0;
    opevo_rng rng;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    assert_true(opevo_sketches_scratch(computation) > limits.packed_bytes);
    signature = maker->signature;
    opevo_rng_init(&rng, 1, "scratch", 0);
    for (int i = 0; i < 20; i++) {
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;

        CHECK_OK(maker->ops->make(maker, draw_allowed(&rng, maker->space), &kernel, &refused, &why,
                                  &err));
        fit += refused == OPEVO_OUTCOME_OK;
        above += opevo_kernel_scratch_bytes(&kernel, 1) > (uint64_t)limits.packed_bytes;
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
    assert_true(fit >= 15 && above > 0);
    CHECK_FAILS(OPEVO_INVALID, "at least ", opevo_sketches_limit(maker, 1 << 20, &err));
    assert_true(maker->signature == signature);
    CHECK_OK(opevo_sketches_limit(maker, INT64_C(1) << 40, &err));
    assert_true(maker->signature != signature);
    maker->ops->destroy(maker);
}

/* ---- Points by their steps ---- */

/* The pipeline of the point that is found is the same, also where several points
 * have equal steps. */
static void check_finding(const opevo_kernel_maker *maker, opevo_index point)
{
    opevo_pipeline *pipeline = NULL, *read = NULL, *again = NULL;
    opevo_text text = {0}, second = {0}, why = {0};
    opevo_index other = 0;
    bool found = false;

    CHECK_OK(opevo_sketches_pipeline(maker, point, &pipeline, &why, &err));
    if (pipeline) {
        opevo_pipeline_print(pipeline, &text);
        CHECK_OK(opevo_pipeline_parse(maker->computation, opevo_text_string(&text), "steps", &read,
                                      &err));
        CHECK_OK(opevo_sketches_find(maker, read, 0, &found, &other, &err));
        if (!found)
            fail_msg("no point has these steps:\n%s", opevo_text_string(&text));
        CHECK_OK(opevo_sketches_pipeline(maker, other, &again, &why, &err));
        opevo_pipeline_print(again, &second);
        assert_string_equal(opevo_text_string(&text), opevo_text_string(&second));
    }
    opevo_pipeline_destroy(pipeline);
    opevo_pipeline_destroy(read);
    opevo_pipeline_destroy(again);
    opevo_text_free(&text);
    opevo_text_free(&second);
    opevo_text_free(&why);
}

CHECK_TEST(test_find)
{
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const opevo_sketch_target target = {
            .dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1 + (unsigned)i % 2};
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;
        opevo_pipeline *plain = NULL;
        opevo_index point = 0;
        bool found = true;
        opevo_rng rng;

        CHECK_OK(opevo_computation_read(small[i], &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        opevo_rng_init(&rng, 1, small[i], 1);
        for (int n = draw_count(8); n > 0; n--)
            check_finding(maker, draw_allowed(&rng, maker->space));
        /* Steps of no sketch. */
        CHECK_OK(opevo_pipeline_create(computation, &plain, &err));
        CHECK_OK(opevo_pipeline_apply(
            plain,
            &(opevo_pipeline_step){.kind = OPEVO_PIPELINE_AUTO_UNROLL,
                                   .stage = opevo_pipeline_stage_count(plain) - 1,
                                   .count = 1,
                                   .number = {7}},
            &err));
        CHECK_OK(opevo_sketches_find(maker, plain, 0, &found, &point, &err));
        assert_false(found);
        opevo_pipeline_destroy(plain);
        maker->ops->destroy(maker);
    }
}

/* ---- Parts of a space ---- */

static opevo_kernel_maker *open_product(void)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_computation_read("matmul(24,32,64)", &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    return maker;
}

/* A configuration is the same program in a part of the space, whatever its vertices are there. */
CHECK_TEST(test_parts)
{
    const opevo_device_facts facts = {
        .vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20};
    opevo_kernel_maker *whole = open_product(), *part = open_product();
    opevo_space *lanes = changed_space(whole->space, "[4, 8, 16]", "[16, 8]");
    opevo_space *other = changed_space(whole->space, "[0, 16, 64, 512]", "[0, 17]");
    uint64_t signature = part->signature;
    opevo_index point = 0, there = 0;
    bool found = false;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "parts", 0);
    assert_int_equal(opevo_sketches_narrow(part, other, NULL), OPEVO_INVALID);
    opevo_space_destroy(other);
    CHECK_OK(opevo_sketches_narrow(part, lanes, &err));
    assert_true(part->space == lanes && part->signature != signature);
    for (int n = draw_count(40); n > 0; n--) {
        opevo_text text = {0}, steps = {0}, same = {0}, why = {0};
        opevo_pipeline *here = NULL, *pipeline = NULL;

        point = draw_allowed(&rng, part->space);
        opevo_space_print(part->space, point, &text);
        CHECK_OK(opevo_space_read(whole->space, opevo_text_string(&text), &there, &err));
        CHECK_OK(opevo_sketches_pipeline(part, point, &here, &why, &err));
        CHECK_OK(opevo_sketches_pipeline(whole, there, &pipeline, &why, &err));
        opevo_pipeline_print(here, &steps);
        opevo_pipeline_print(pipeline, &same);
        assert_string_equal(opevo_text_string(&steps), opevo_text_string(&same));
        opevo_pipeline_destroy(here);
        opevo_pipeline_destroy(pipeline);
        opevo_text_free(&text);
        opevo_text_free(&steps);
        opevo_text_free(&same);
        opevo_text_free(&why);
        check_finding(part, point);
    }
    CHECK_OK(part->ops->start(part, &facts, &found, &point, &err));
    assert_true(found && opevo_space_allows(part->space, point));
    whole->ops->destroy(whole);
    part->ops->destroy(part);
}

/* Threads divide a stage at the root only: elsewhere their parameter has one value. */
CHECK_TEST(test_threads_at_root)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 2};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_space *space = NULL;
    opevo_rng rng;
    int elsewhere = 0;

    CHECK_OK(opevo_computation_read("c2d(1,8,8,4,16,3,1,1)", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_space(sketches, &space, &err));
    opevo_rng_init(&rng, 1, "threads", 0);
    for (int i = 0; i < 200; i++) {
        opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];
        opevo_index divided = OPEVO_INACTIVE;
        opevo_index place = OPEVO_INACTIVE;

        opevo_space_decode(space, draw_allowed(&rng, space), vertex);
        for (size_t p = 0; p < opevo_space_parameter_count(space); p++) {
            const char *key = opevo_parameter_name(opevo_space_parameter(space, p));

            if (vertex[p] == OPEVO_INACTIVE)
                continue;
            place = strstr(key, "P__location") ? vertex[p] : place;
            divided = strstr(key, "P__parallel") ? vertex[p] : divided;
        }
        if (place == OPEVO_INACTIVE || place == 0)
            continue;
        assert_true(divided == 0);
        elsewhere++;
    }
    assert_true(elsewhere > 0);
    opevo_space_destroy(space);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}
