/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches: how many the rules give, and with which parameters. */

#include "check_memory.h"
#include "sketch_points.h"

#include "computations.h"

#include "sketch_internal.h"

/* ---- Counts ---- */

/* As tests/python/unittest/test_auto_scheduler_sketch_generation.py of TVM 0.8 states them, for
 * four cores. */
static const sketch_count counts[] = {
    {"matmul(512,512,512)", 3},
    {"matmul(8,512,8)", 5},
    {TWO_PRODUCTS, 9},
    {CONV_BN_RELU, 3},
    {MAX_POOL, 1},
    {"A[i:10, j:1024]; M[i] = min(j) A[i, j]", 3},
    {"softmax(1,1024)", 9},
};

CHECK_TEST(test_counts)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 4, .ansor = true};

    check_counts(counts, sizeof counts / sizeof *counts, &target);
}

/* The space of these sketches is the one that its file is read as. */
static void check_space(const opevo_sketches *sketches)
{
    opevo_space *space = NULL, *read = NULL;
    opevo_text text = {0};

    CHECK_OK(opevo_sketches_space(sketches, &space, &err));
    opevo_space_write_json(space, &text);
    CHECK_OK(opevo_space_parse(opevo_text_string(&text), "sketches", NULL, &read, &err));
    assert_true(opevo_space_signature(space) == opevo_space_signature(read));
    assert_true(opevo_space_size(space) == opevo_space_size(read));
    opevo_text_free(&text);
    opevo_space_destroy(space);
    opevo_space_destroy(read);
}

/* Of one sketch and of several, with places and without, of none that is open, and for GPUs. */
CHECK_TEST(test_spaces)
{
    static const char *const texts[] = {"matmul(512,512,512)", "softmax(512,1024)",
                                        "ansor-c2d-1",         "ansor-t2d-1",
                                        "A[]; C[] = A[]",      "A[8]; C[i:8] = A[i]"};
    static const opevo_sketch_target targets[] = {
        {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 2},
        {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1, .ansor = true},
        {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1}};

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        opevo_computation *computation = NULL;

        CHECK_OK(opevo_computation_read(texts[t], &computation, &err));
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            opevo_sketches *sketches = NULL;

            CHECK_OK(opevo_sketches_create(computation, &targets[i], &sketches, &err));
            check_space(sketches);
            opevo_sketches_destroy(sketches);
        }
        opevo_computation_destroy(computation);
    }
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    opevo_space *space = NULL;
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 2};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;

    CHECK_OK(opevo_computation_read(
        "C[i:4, j:4] = sum(k:4) A[i, k]*B[k, j]; D[i, j] = exp(C[i, j])", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    assert_true(sketches->count > 1);
    CHECK_MEMORY_OF(opevo_sketches_space(sketches, &space, NULL), opevo_space_destroy(space),
                    space = NULL);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

/* Stages C.local, which a rule adds, and C_local, and names that are as long as may be. */
CHECK_TEST(test_names)
{
    static const char *const texts[] = {
        "A[i:16, k:16]; C[i, j:16] = sum(k) A[i, k]*A[k, j]; "
        "C_local[i, j] = sum(k) C[i, k]*A[k, j]",
        "A[i1234567890123456789012345678:16, k1234567890123456789012345678:16]; "
        "C123456789012345678901234567890[i1234567890123456789012345678, j:16] = "
        "sum(k1234567890123456789012345678) A[i1234567890123456789012345678, "
        "k1234567890123456789012345678]*A[k1234567890123456789012345678, j]"};
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 2};

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        opevo_computation *computation = NULL;
        opevo_sketches *sketches = NULL;
        opevo_space *space = NULL;

        CHECK_OK(opevo_computation_read(texts[t], &computation, &err));
        CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
        CHECK_OK(opevo_sketches_space(sketches, &space, &err));
        for (size_t s = 0; s < sketches->count; s++) {
            const opevo_sketch *sketch = sketches->item[s];

            for (int i = 0; i < sketch->slots; i++) {
                assert_non_null(strstr(sketch->slot[i].name, "__"));
                for (int k = 0; k < i; k++)
                    assert_string_not_equal(sketch->slot[i].name, sketch->slot[k].name);
            }
        }
        opevo_space_destroy(space);
        opevo_sketches_destroy(sketches);
        opevo_computation_destroy(computation);
    }
}

static bool has_stream(const char *what, bool ansor)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1, .ansor = ansor};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    bool found = false;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    for (size_t s = 0; s < sketches->count; s++) {
        const opevo_sketch *sketch = sketches->item[s];
        bool has = false;

        for (int i = 0; i < sketch->slots; i++)
            has |= sketch->slot[i].kind == OPEVO_SLOT_STREAM;
        assert_true(s == 0 || has == found);
        found = has;
    }
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    return found;
}

/* Outputs of 16 MiB and more can bypass the caches, but not in Ansor's own sketches. */
CHECK_TEST(test_stream_parameter)
{
    assert_true(has_stream("matmul(4096,16,1024)", false));
    assert_true(has_stream("A[i:2048, j:2048]; D[i, j] = 2*A[i, j]", false));
    assert_false(has_stream("matmul(4096,16,1008)", false));
    assert_false(has_stream("matmul(4096,16,1024)", true));
}

/* How many sketches have blocks for permuted reads; the start is one of them if there are any. */
static int count_blocked(const char *what, bool ansor)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1, .ansor = ansor};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    int found = 0;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    for (size_t s = 0; s < sketches->count; s++) {
        for (int key = 0; key < OPEVO_PIPELINE_STAGES; key++)
            found += sketches->item[s]->blocked[key];
    }
    if (found) {
        opevo_device_facts facts = {.vector_bits = 512};
        size_t start = opevo_i_sketch_choose(sketches, &facts, false, NULL);
        const opevo_sketch *chosen = sketches->item[start];

        assert_true(chosen->blocked[chosen->pipeline->stages - 1]);
    }
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    return found;
}

/* Blocks are for what lies along another axis than the last one, where nothing reduces. */
CHECK_TEST(test_permuted_reads)
{
    assert_true(count_blocked("A[40, 32]; T[i:32, j:40] = A[j, i]", false) > 0);
    assert_true(count_blocked("A[1,20,3,17]; T[n:1,h:3,w:17,c:20] = A[n,c,h,w]", false) > 0);
    assert_int_equal(count_blocked("A[40, 32]; T[i:32, j:40] = A[j, i]", true), 0);
    assert_int_equal(count_blocked("A[32, 40]; T[i:32, j:40] = 2*A[i, j]", false), 0);
    assert_int_equal(count_blocked("A[32]; T[i:32, j:40] = A[i]", false), 0);
    assert_int_equal(count_blocked("A[5, 6, 7]; T[j:6, i:5, k:7] = A[i, j, k]", false), 0);
    assert_int_equal(count_blocked("tbg(1,8,2,16)", false), 0);
}

/* Sketches whose number grows exponentially are drawn, and always the same. */
CHECK_TEST(test_partial)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL, *again = NULL;
    opevo_space *space = NULL, *second = NULL;
    opevo_text text = {0};

    opevo_text_add(&text, "T0[i:32, j:32]");
    for (int i = 1; i <= 5; i++)
        opevo_text_printf(&text,
                          "; X%d[k%d:32, l%d:32]; T%d[m%d:32, n%d:32] = sum(p%d:32) T%d[m%d, "
                          "p%d]*X%d[p%d, n%d]",
                          i, i, i, i, i, i, i, i - 1, i, i, i, i, i);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &again, &err));
    assert_true(sketches->partial && sketches->count > 1);
    assert_int_equal(sketches->found, again->found);
    CHECK_OK(opevo_sketches_space(sketches, &space, &err));
    CHECK_OK(opevo_sketches_space(again, &second, &err));
    assert_true(opevo_space_signature(space) == opevo_space_signature(second));
    opevo_space_destroy(space);
    opevo_space_destroy(second);
    opevo_sketches_destroy(sketches);
    opevo_sketches_destroy(again);
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
}

/* More sketches than one space holds: it is made of a part of them. */
CHECK_TEST(test_many)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_space *space = NULL;

    CHECK_OK(opevo_computation_read("attention(1,2,32,16)", &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    assert_true(sketches->count > 1 && sketches->count < sketches->found);
    CHECK_OK(opevo_sketches_space(sketches, &space, &err));
    assert_true(opevo_space_parameter_count(space) <= OPEVO_SPACE_PARAMETERS_MAX);
    opevo_space_destroy(space);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}
