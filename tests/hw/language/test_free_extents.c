/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random steps on classes of computations: extents that are arguments, in arrays of all kinds. */

#include "class_fixture.h"

static const char *const classes[] = {
    "A[m:1..70, k:11]; B[k, n:7]; C[m, n] = sum(k) A[m, k]*B[k, n]",
    "A[k:9, m:1..70]; B[k, n:16]; C[m, n] = sum(k) A[k, m]*B[k, n]",
    "A[n:8, k:9]; B[k, m:1..70]; C[n, m] = sum(k) A[n, k]*B[k, m]",
    "A[b:3, m:1..69, k:7]; const B[b, k, n:5]; C[b, m, n] = sum(k) A[b, m, k]*B[b, k, n]",
    ("A[m:1..70, k:11]; B[k, n:7]; E[n, l:5]; C[m, n] = sum(k) A[m, k]*B[k, n]; "
     "D[m, l] = sum(n) max(C[m, n], 0)*E[n, l]"),
    ("X[m:1..64, j:13]; M[m] = max(j) X[m, j]; E[m, j] = exp(X[m, j] - M[m]); "
     "S[m] = sum(j) E[m, j]; Y[m, j] = E[m, j]/S[m]"),
    ("X[i:3, m:1..70]; M[i] = max(m) X[i, m]; E[i, m] = exp(X[i, m] - M[i]); "
     "S[i] = sum(m) E[i, m]; Y[i, m] = E[i, m]/S[i]"),
    "conv2d(1..20,2,5,6,3,3,3,1,1)",
    ("A[m:1..67, k:9]; B[k, n:1..70]; C[m, n] = sum(k) A[m, k]*B[k, n]; "
     "D[n, m] = max(C[m, n], 0)"),
    "A[m:1..70, k:1..50]; B[k, n:7]; C[m, n] = sum(k) A[m, k]*B[k, n]",
    "float16 A[m:1..70, k:9]; bfloat16 B[k, n:8]; float16 C[m, n] = sum(k) A[m, k]*B[k, n]",
    "attention(1,2,1..24,3)",
    /* Inputs whose extents are those of the largest member and stay it. */
    "A[k:5, l:40]; C[k, i:1..40] = 2*A[k, i]",
    "A[40, 40]; X[m:1..40, n:1..40]; Y[m, n] = X[m, n] + A[m, n]",
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The first steps of a pipeline, with free extents; false where they cannot be lowered. */
static bool take(const char *text, const opevo_class *of, const opevo_pipeline *whole, size_t steps,
                 opevo_kernel_dialect dialect)
{
    opevo_pipeline *made = NULL, *copy = NULL;
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_pipeline_create(of->largest, &made, &err));
    for (size_t i = 0; i < steps; i++)
        CHECK_OK(opevo_pipeline_apply(made, opevo_pipeline_step_get(whole, i), &err));
    for (int i = 0; i < of->numbers; i++) {
        for (int a = 0; a < of->number[i].axes; a++)
            CHECK_OK(opevo_pipeline_free_axis(made, of->number[i].axis[a], &err));
    }
    CHECK_OK(opevo_pipeline_copy(made, &copy, &err));
    fits = class_take(text, copy, dialect, &why);
    assert_true(fits || why.length > 0);
    opevo_text_free(&why);
    opevo_pipeline_destroy(made);
    opevo_pipeline_destroy(copy);
    return fits;
}

/* Dimensions that merge or are divided are not free. */
static bool reshapes(const opevo_pipeline *pipeline)
{
    opevo_pipeline_step_kind kind = OPEVO_PIPELINE_SPLIT;

    if (opevo_pipeline_step_count(pipeline))
        kind = opevo_pipeline_step_get(pipeline, 0)->kind;
    return kind == OPEVO_PIPELINE_MERGE || kind == OPEVO_PIPELINE_DIVIDE;
}

static void check_random(opevo_kernel_dialect dialect, const step_choices *choices, int count)
{
    int whole = 0;

    for (int i = 0; i < count; i++) {
        const char *text = classes[i % CLASSES];
        opevo_class *of = NULL;
        opevo_pipeline *pipeline = NULL;
        size_t steps = 0;

        CHECK_OK(opevo_class_read(text, &of, &err));
        pipeline = draw_pipeline(of->largest, choices, (uint64_t)i);
        steps = opevo_pipeline_step_count(pipeline);
        while (!reshapes(pipeline) && !take(text, of, pipeline, steps, dialect))
            steps--;
        whole += steps == opevo_pipeline_step_count(pipeline);
        opevo_pipeline_destroy(pipeline);
        opevo_class_destroy(of);
    }
    class_run();
    print_message("%d of %d pipelines are lowered with all their steps\n", whole, count);
    assert_true(4 * whole > count);
}

CHECK_TEST(test_random_steps)
{
    check_random(OPEVO_KERNEL_C, &cpu_choices, draw_count(8 * CLASSES));
}

CHECK_TEST(test_random_gpu_steps)
{
    check_random(OPEVO_KERNEL_EMULATION, &gpu_choices, draw_count(8 * CLASSES));
}

/* ---- What is refused ---- */

typedef struct refusal {
    const char *text, *axis, *message;
} refusal;

CHECK_TEST(test_refusals)
{
    static const refusal refusals[] = {
        {"A[m:9, k:4]; C[m] = sum(k) A[m, k]", "n", "No axis is called n."},
        {"A[m:9, k:4]; C[m] = sum(k) A[m, k]; D[i:8] = C[i + 1]", "m", "dimension 0 of C"},
        {"A[m:9]; C[m] = A[m] + A[8 - m]", "m", "dimension 0 of A"},
        {"A[m:9]; C[m] = A[m//2]", "m", "dimension 0 of A"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        opevo_computation *computation = NULL;
        opevo_pipeline *pipeline = NULL;
        opevo_error error = {OPEVO_OK, ""};

        CHECK_OK(opevo_computation_read(refusals[i].text, &computation, &err));
        CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
        assert_int_equal(opevo_pipeline_free_axis(pipeline, refusals[i].axis, &error),
                         OPEVO_INVALID);
        assert_non_null(strstr(error.message, refusals[i].message));
        opevo_pipeline_destroy(pipeline);
        opevo_computation_destroy(computation);
    }
}

CHECK_TEST(test_arguments)
{
    static const char text[] = "A[m:9, n:8]; C[m, n] = 2*A[m, n]";
    static const opevo_pipeline_step merge = {OPEVO_PIPELINE_MERGE, 1, 1, {0}};
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_error error = {OPEVO_OK, ""};

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
    CHECK_OK(opevo_pipeline_free_axis(pipeline, "m", &err));
    assert_int_equal(opevo_pipeline_free_axis(pipeline, "m", &error), OPEVO_INVALID);
    assert_non_null(strstr(error.message, "already"));
    assert_int_equal(opevo_pipeline_apply(pipeline, &merge, &error), OPEVO_INVALID);
    assert_non_null(strstr(error.message, "before axes are made free"));
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
}

/* Blocks for values of the arguments: as many as there are tiles that hold an element. */
CHECK_TEST(test_launches)
{
    static const char text[] = "A[m:1..100, k:5]; B[k, n:40]; C[m, n] = sum(k) A[m, k]*B[k, n]";
    static const char steps[] =
        "split C m 8\nsplit C n 16\nreorder C m.0 n.0 m.1 n.1 k\nfuse C m.0 n.0\n"
        "annotate C m.0+n.0 block.x\nannotate C m.1 thread.y\nannotate C n.1 thread.x\n";
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_CUDA);
    opevo_kernel kernel = {0};
    opevo_class *of = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_class_read(text, &of, &err));
    CHECK_OK(opevo_pipeline_parse(of->largest, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_free_axis(pipeline, "m", &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, OPEVO_KERNEL_CUDA, &limits, &kernel, &fits, &why, &err));
    assert_true(fits);
    assert_int_equal(kernel.grid[0], 13 * 3);
    for (int64_t m = 1; m <= 100; m++)
        assert_int_equal(opevo_kernel_launch_for(&kernel, 0, &m).grid[0], (m + 7) / 8 * 3);
    assert_non_null(strstr(opevo_text_string(&kernel.source), ", int n0)"));
    opevo_kernel_free(&kernel);
    opevo_pipeline_destroy(pipeline);
    opevo_class_destroy(of);
    opevo_text_free(&why);
}

/* Where an argument leaves int when it is rounded up to whole tiles, indices are wider, although no
 * element is that far. */
CHECK_TEST(test_wide_counts)
{
    static const struct {
        const char *text, *index;
    } sizes[] = {{"A[m:2147460000]; C[m] = 2*A[m]", "const long long v"},
                 {"A[m:2147430000]; C[m] = 2*A[m]", "const int v"}};
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_CUDA);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        opevo_computation *computation = NULL;
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = false;

        CHECK_OK(opevo_computation_read(sizes[i].text, &computation, &err));
        CHECK_OK(opevo_pipeline_parse(computation, "split C m 30000", "steps", &pipeline, &err));
        CHECK_OK(opevo_pipeline_free_axis(pipeline, "m", &err));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_CUDA, &limits, &kernel, &fits, &why, &err));
        assert_true(fits);
        assert_non_null(strstr(opevo_text_string(&kernel.source), " + 29999) / 30000)"));
        if (!strstr(opevo_text_string(&kernel.source), sizes[i].index))
            fail_msg("%s:\n%s", sizes[i].text, opevo_text_string(&kernel.source));
        opevo_kernel_free(&kernel);
        opevo_pipeline_destroy(pipeline);
        opevo_computation_destroy(computation);
        opevo_text_free(&why);
    }
}

/* ---- Texts of classes ---- */

CHECK_TEST(test_class_texts)
{
    static const char *const bad[][2] = {
        {"matmul(64,64,64)", "give a range"},
        {"matmul(0..9,64,64)", "0..9: give a range"},
        {"matmul(9..9,64,64)", "9..9: give a range"},
        {"matmul(-1..9,64,64)", "-1..9: give a range of whole numbers"},
        {"matmul(1.5..9,64,64)", ".5..9: give a range of whole numbers"},
        {"conv2d(1,2,5..9,6,3,3,3,1,1)", "5..9 is not the extent of axes alone"},
        {"A[m:1..9]; C[m] = A[m]*(m + 1..9)", ""},
        {"matmul(1..4,1..4", ""},
    };
    int64_t numbers[OPEVO_CLASS_NUMBERS];
    opevo_class *of = NULL;
    opevo_computation *member = NULL;
    bool is_member = false;
    opevo_error error = {OPEVO_OK, ""};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(opevo_class_read(bad[i][0], &of, &error), OPEVO_INVALID);
        assert_non_null(strstr(error.message, bad[i][1]));
    }
    CHECK_OK(opevo_class_read("matmul(2..64,32,1..16)", &of, &err));
    assert_int_equal(of->numbers, 2);
    assert_string_equal(of->number[0].axis[0], "i");
    assert_string_equal(of->number[1].axis[0], "j");
    CHECK_OK(opevo_computation_read("matmul(5,32,16)", &member, &err));
    CHECK_OK(opevo_class_find(of, member, &is_member, numbers, &err));
    assert_true(is_member && numbers[0] == 5 && numbers[1] == 16);
    opevo_computation_destroy(member);
    CHECK_OK(opevo_computation_read("matmul(5,31,16)", &member, &err));
    CHECK_OK(opevo_class_find(of, member, &is_member, numbers, &err));
    assert_false(is_member);
    opevo_computation_destroy(member);
    CHECK_OK(opevo_computation_read("matmul(1,32,16)", &member, &err));
    CHECK_OK(opevo_class_find(of, member, &is_member, numbers, &err));
    assert_false(is_member);
    opevo_computation_destroy(member);
    opevo_class_destroy(of);
}
