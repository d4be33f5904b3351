/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pipelines: what steps make of stages, text that reads back, and kernels against the
 * interpreter. */

#include "pipeline_draw.h"

#include "computations.h"

/* ---- Kernels of given steps ---- */

typedef struct example {
    const char *computation, *steps;
    opevo_kernel_dialect dialect;
} example;

#define MATMUL_RELU                                                                                \
    "A[i:37, k:29]; B[k, j:53]; C[i, j] = sum(k) A[i, k]*B[k, j]; D[i, j] = max(C[i, j], 0)"

static const example examples[] = {
    {"matmul(5,7,9)", "", OPEVO_KERNEL_C},
    {"matmul(16,32,24)",
     "split C i 4\nsplit C j 16\nsplit C k 8\n"
     "reorder C i.0 j.0 k.0 i.1 k.1 j.1\nannotate C j.1 vectorize\n",
     OPEVO_KERNEL_C},
    {"matmul(37,53,29)",
     "split C i 4\nsplit C j 16\nsplit C k 8\n"
     "reorder C i.0 j.0 k.0 k.1 i.1 j.1\nannotate C j.1 vectorize\n"
     "annotate C i.1 unroll\naccumulate C j.0\n",
     OPEVO_KERNEL_C},
    {"matmul(37,53,29)",
     "split C i 4\nsplit C j 16\nsplit C k 8\n"
     "reorder C k.0 i.0 j.0 k.1 i.1 j.1\nannotate C j.1 vectorize\n"
     "annotate C i.1 unroll\naccumulate C j.0\n",
     OPEVO_KERNEL_C},
    {"matmul(48,64,32)",
     "cache_write C local\nsplit C.local i 1 4 2\nsplit C.local j 1 1 16\n"
     "split C.local k 8\nreorder C.local i.0 j.0 i.1 j.1 k.0 i.2 j.2 k.1 i.3 "
     "j.3\nannotate C.local j.3 vectorize\nauto_unroll C.local 16\n"
     "split C i 4 2\nsplit C j 1 16\nreorder C i.0 j.0 i.1 j.1 i.2 j.2\n"
     "compute_at C.local C j.1\n",
     OPEVO_KERNEL_C},
    {MATMUL_RELU,
     "split C i 1 4 2\nsplit C j 1 1 16\nsplit C k 8\n"
     "reorder C i.0 j.0 i.1 j.1 k.0 i.2 j.2 k.1 i.3 j.3\nannotate C j.3 vectorize\n"
     "follow_split D i 0 2\nfollow_split D j 1 2\n"
     "reorder D i.0 j.0 i.1 j.1 i.2 j.2\ncompute_at C D j.1\nfuse D i.0 j.0\n",
     OPEVO_KERNEL_C},
    {"conv2d(1,3,9,9,8,3,3,2,1)", "inline P\n", OPEVO_KERNEL_C},
    {"conv2d(2,3,9,9,8,3,3,1,1)", "compute_at P C y\n", OPEVO_KERNEL_C},
    {"conv2d(2,4,9,9,8,3,3,2,1)",
     "split C x 2\nsplit C y 2\nreorder C n y.0 x.0 f c r s y.1 x.1\n"
     "compute_at P C c\n",
     OPEVO_KERNEL_C},
    {"matmul(8,8,512)", "split C k 16\nrfactor C k.1 2\nannotate C k.1 unroll\n", OPEVO_KERNEL_C},
    {"matmul(8,8,100)", "split C k 16\nrfactor C k.0 2\n", OPEVO_KERNEL_C},
    {"softmax(7,33)", "", OPEVO_KERNEL_C},
    {"softmax(7,33)", "inline E\n", OPEVO_KERNEL_C},
    {"softmax(7,33)", "compute_at M Y i\ncompute_at E Y i\ncompute_at S Y i\n", OPEVO_KERNEL_C},
    {"matmul(32,24,48)", /* a private copy of what threads share, at the same loop */
     "cache_write C local\n"
     "split C i 2 8\n"
     "split C j 2 8\n"
     "reorder C i.0 j.0 i.1 j.1 i.2 j.2\n"
     "annotate C i.0 block.y\n"
     "annotate C j.0 block.x\n"
     "annotate C i.2 thread.y\n"
     "annotate C j.2 thread.x\n"
     "split C.local k 4\n"
     "reorder C.local k.0 k.1 i j\n"
     "compute_at C.local C j.2\n"
     "cache_read A shared C.local\n"
     "compute_at A.shared C.local k.0\n"
     "fuse A.shared i k\n"
     "split A.shared i+k 8\n"
     "annotate A.shared i+k.1 thread.x\n"
     "cache_read A.shared local C.local\n"
     "compute_at A.shared.local C.local k.0\n",
     OPEVO_KERNEL_EMULATION},
    {"matmul(12,16,8)",
     "cache_read A packed C\nsplit C i 4\nreorder C i.0 k i.1 j\n"
     "compute_at A.packed C i.0\n",
     OPEVO_KERNEL_C},
    {"matmul(37,53,29)", /* panels of 16 columns, made for each block of k */
     "split C i 4\nsplit C j 16\nsplit C k 8\nreorder C k.0 i.0 j.0 k.1 i.1 j.1\n"
     "annotate C j.1 vectorize\nannotate C i.1 unroll\naccumulate C j.0\n"
     "cache_read B packed C\ncompute_at B.packed C k.0\nlayout B.packed 1 16 0 1 1 1\n",
     OPEVO_KERNEL_C},
    {"conv2d(1,5,7,7,19,3,3,1,1)", /* weights in panels of 8 channels, made once */
     "layout B 0 8 1 1 2 1 3 1 0 1\nsplit C f 8\nreorder C n f.0 y x c r s f.1\n"
     "annotate C f.1 vectorize\naccumulate C x\n",
     OPEVO_KERNEL_C},
    {"C[i:25, j:4] = sum(k:4) A[i, k]*B[k, j]", /* a parallel loop of one iteration at the edge */
     "split C i 8\nreorder C i.0 i.1 j k\nannotate C i.1 parallel\naccumulate C i.1\n",
     OPEVO_KERNEL_C},
    /* Elements that only some lanes may read, as conditions on whole numbers and on values
     * decide. */
    {"A[1024]; B[1024]; C[i:1024] = select(i < 1 or A[i] > 0, 0, B[i - 1])",
     "split C i 16\nannotate C i.1 vectorize\n", OPEVO_KERNEL_C},
    {"A[1024]; B[1024]; C[i:1024] = select((i >= 1 and A[i] > 0) or (A[i] < 0 and i >= 2), "
     "B[i - 1], 0)",
     "split C i 8\nannotate C i.1 vectorize\n", OPEVO_KERNEL_C},
    /* Squares that are transposed in registers and bypass the caches. */
    {"A[48,32]; T[i:32, j:48] = A[j, i]",
     "split T j 16\nsplit T i 16\nreorder T j.0 i.0 i.1 j.1\nannotate T j.1 vectorize\nstream T\n",
     OPEVO_KERNEL_C},
    {"A[1024]; B[1024]; C[i:1024] = select((i < 1 or A[i] > 0) and (A[i] < 0 or i < 2), 1, "
     "B[i - 1])",
     "split C i 4\nannotate C i.1 vectorize\n", OPEVO_KERNEL_C},
};

/* Only copies and constants have layouts, of all their dimensions; only outputs bypass the
 * caches. */
CHECK_TEST(test_steps_refused)
{
    static const char *const steps[] = {"stream A\n",
                                        "stream C 0\n",
                                        "cache_write C local\nstream C.local\n",
                                        "layout A 0 1 1 1\n",
                                        "layout C 0 1 1 1\n",
                                        "cache_read A packed C\nlayout A.packed 0 1\n",
                                        "cache_read A packed C\nlayout A.packed 0 3 1 1 0 2 0 1\n",
                                        "cache_read A packed C\nlayout A.packed 0 1 1 1 2 1\n",
                                        "cache_read A packed C\nlayout A.packed 0 1 1\n"};
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_read("matmul(8,4,6)", &computation, &err));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        opevo_pipeline *pipeline = NULL;

        assert_int_equal(opevo_pipeline_parse(computation, steps[i], "steps", &pipeline, NULL),
                         OPEVO_INVALID);
    }
    opevo_computation_destroy(computation);
}

static void check_steps(pipeline_case *operands, const char *steps, opevo_kernel_dialect dialect)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};

    CHECK_OK(opevo_pipeline_parse(operands->computation, steps, "steps", &pipeline, &err));
    if (!case_check(operands, pipeline, dialect, &why))
        fail_msg("%s%s", steps, opevo_text_string(&why));
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
}

CHECK_TEST(test_examples)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        pipeline_case operands = case_make(examples[i].computation, i);

        check_steps(&operands, examples[i].steps, examples[i].dialect);
        case_free(&operands);
    }
    batch_run();
}

/* The stores of a thread are fenced after the last of them and before it meets others: where its
 * iteration of the loop that threads divide ends, or else the kernel. */
static void check_fences(const char *source, bool streams)
{
    const char *store = strstr(source, "STREAM8(&");
    const char *fence = strstr(source, "STREAM_FENCE;");
    const char *divided = strstr(source, "#pragma omp parallel for");
    int deeper = 0;

    assert_int_equal(store != NULL, streams);
    assert_int_equal(fence != NULL, streams);
    if (!streams || !store || !fence)
        return;
    assert_true(store < fence);
    assert_null(strstr(fence, "STREAM8(&"));
    for (const char *at = fence; *at; at++)
        deeper += *at == '}';
    assert_int_equal(deeper, divided ? 2 : 1);
}

/* The statement that writes the elements of an output for the last time, with and without registers
 * that gather sums. A sum in memory is added to, and so not streamed. */
CHECK_TEST(test_streams)
{
    static const struct {
        const char *computation, *steps;
        bool streams;
    } cases[] = {
        {"matmul(16,32,24)",
         "split C j 8\nreorder C i j.0 k j.1\nannotate C j.1 vectorize\naccumulate C j.0\nstream "
         "C\n",
         true},
        {"matmul(16,32,24)",
         "split C j 8\nsplit C k 8\nreorder C i k.0 j.0 k.1 j.1\nannotate C j.1 vectorize\n"
         "accumulate C j.0\nstream C\n",
         false},
        {"matmul(16,32,24)",
         "split C j 8\nreorder C i j.0 k j.1\nannotate C j.1 vectorize\nstream C\n", false},
        {"A[i:24, k:32]; D[i, k] = 2*A[i, k] + 1",
         "split D k 8\nannotate D k.1 vectorize\nstream D\n", true},
        {"matmul(16,32,24)",
         "cache_write C local\nsplit C j 8\nannotate C j.1 vectorize\ncompute_at C.local C "
         "j.0\nstream C\n",
         true},
        {"A[i:24, k:32]; D[i, k] = 2*A[i, k] + 1",
         "split D k 8\nannotate D k.1 vectorize\nannotate D i parallel\nstream D\n", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pipeline_case operands = case_make(cases[i].computation, i);
        opevo_pipeline *pipeline = NULL;
        opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = false;

        CHECK_OK(
            opevo_pipeline_parse(operands.computation, cases[i].steps, "steps", &pipeline, &err));
        if (!case_check(&operands, pipeline, OPEVO_KERNEL_C, &why))
            fail_msg("%s%s", cases[i].steps, opevo_text_string(&why));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
        assert_true(fits);
        check_fences(opevo_text_string(&kernel.source), cases[i].streams);
        opevo_pipeline_destroy(pipeline);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
        case_free(&operands);
    }
    batch_run();
}

/* Each thread has registers of its own: they are declared inside the loop that threads divide. */
CHECK_TEST(test_parallel_registers)
{
    static const char steps[] = "split C i 4\nreorder C i.0 k i.1 j\naccumulate C i.0\n"
                                "annotate C i.1 unroll\nannotate C i.0 parallel\n";
    opevo_kernel kernel = emit_kernel("matmul(8,4,1)", steps);
    const char *divided = NULL;

    assert_true(kernel.parallel);
    divided = strstr(opevo_text_string(&kernel.source), "#pragma omp");
    assert_non_null(divided);
    assert_non_null(strstr(divided, "float r3_3 "));
    opevo_kernel_free(&kernel);
}

/* Of 37 rows and 53 columns in tiles of 4 x 16: tests of whole tiles, statements without masks in
 * them, and an edge of one row. */
CHECK_TEST(test_versions)
{
    static const char steps[] = "split C i 4\nsplit C j 16\nreorder C i.0 j.0 k i.1 j.1\n"
                                "annotate C j.1 vectorize\nannotate C i.1 unroll\n"
                                "accumulate C j.0\n";
    opevo_kernel kernel = emit_kernel("matmul(37,29,53)", steps);
    const char *body = NULL;
    const char *masked = NULL;
    const char *plain = NULL;

    body = strstr(opevo_text_string(&kernel.source), "\nvoid ");
    assert_non_null(body);
    plain = strstr(body, "*(const V16 *)&b");
    masked = strstr(body, "opevo_get16(&b");
    assert_non_null(plain);
    assert_non_null(masked);
    assert_true(plain < masked);
    assert_non_null(strstr(body, " < 9) {")); /* whole tiles of rows, */
    assert_non_null(strstr(body, " < 3) {")); /* and of columns */
    opevo_kernel_free(&kernel);
}

/* Padding that is inlined: the rows of the window that lie outside are left out as a whole, and
 * only the first and the last of 8 pixels ask whether they are inside. */
CHECK_TEST(test_hoisted_guards)
{
    static const char steps[] = "split O c 16\nreorder O n h r s w c.0 c.1\n"
                                "annotate O c.1 vectorize\nannotate O w unroll\n"
                                "accumulate O h\ninline P\n";
    opevo_kernel kernel = emit_kernel("dep(1,8,8,16,3,1,1)", steps);
    const char *body = NULL;
    int asked = 0;

    body = strstr(opevo_text_string(&kernel.source), "\nvoid ");
    assert_non_null(body);
    assert_null(strstr(body, "opevo_get16("));
    for (const char *at = strstr(body, "if ("); at; at = strstr(at + 1, "if ("))
        asked++;
    assert_int_equal(asked, 3);
    opevo_kernel_free(&kernel);
}

/* Terms that are left out have no effect, whatever the other factors are: a 0 would make a NaN of
 * an infinite one. */
CHECK_TEST(test_infinite_factors)
{
    static const struct {
        const char *computation, *steps;
    } cases[] = {
        {"I[48]; W[3]; C[x:48] = sum(s:3) select(1 <= x+s and x+s < 49, I[x+s-1]*W[s], 0)",
         "split C x 16\nreorder C x.0 s x.1\nannotate C x.1 vectorize\naccumulate C x.0\n"},
        {"I[48]; W[3]; C[x:48] = sum(s:3) select(1 <= x+s and x+s < 49, I[x+s-1]*W[s], 0)",
         "split C x 8\nreorder C x.0 s x.1\nannotate C x.1 vectorize\naccumulate C x.0\n"},
        {"I[45]; W[3]; C[x:43] = sum(s:3) select(x < 40, I[x+s]*W[s], 0)",
         "split C x 16\nreorder C x.0 s x.1\nannotate C x.1 vectorize\naccumulate C x.0\n"},
        {"I[100]; W[3]; C[s:3] = sum(k:100) I[k]*W[s]", /* lanes are parts of the sum */
         "split C k 16\nrfactor C k.1 1\nreorder C.rf s k.0 k.1\nannotate C.rf k.1 vectorize\n"
         "accumulate C.rf s\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pipeline_case operands = case_make(cases[i].computation, i);
        float *inputs[PIPELINE_OPERANDS] = {NULL};
        double **wanted = NULL;
        int64_t finite = 0;

        for (int t = 0; t < operands.inputs; t++)
            inputs[t] = opevo_i_reference_floats(&operands.memory[t]);
        if (operands.inputs < 2)
            fail_msg("%s has %d inputs", cases[i].computation, operands.inputs);
        for (size_t e = 0; e < operands.count[0]; e++) /* so that sums of infinite terms are */
            inputs[0][e] = fabsf(inputs[0][e]) + 1;
        inputs[1][0] = INFINITY;
        wanted = evaluate_computation(operands.computation, inputs);
        if (!wanted || !wanted[2])
            fail_msg("%s has no value", cases[i].computation);
        for (size_t e = 0; e < operands.count[2]; e++) {
            ((float *)operands.expected[2])[e] = (float)wanted[2][e];
            operands.bound[2][e] = isfinite(wanted[2][e]) ? 1e-5 * fabs(wanted[2][e]) : 0;
            finite += isfinite(wanted[2][e]);
            assert_true(wanted[2][e] >= 0); /* not NaN */
        }
        assert_true(finite > 0 && finite < (int64_t)operands.count[2]);
        check_steps(&operands, cases[i].steps, OPEVO_KERNEL_C);
        free_values(operands.computation, wanted);
        case_free(&operands);
    }
    batch_run();
}

/* Of 45 loops: whole numbers of all axes, and guards on them, have too many parts for a kernel. */
CHECK_TEST(test_many_parts)
{
    static const char *const values[] = {"A[(%s)%%7]", "A[(%s)//20]", "select(%s < 50, A[a], 0)",
                                         "A[a] + (%s)", "A[(64 - (%s))%%7]"};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        opevo_computation *computation = NULL;
        opevo_pipeline *pipeline = NULL;
        opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
        opevo_kernel kernel = {0};
        opevo_text text = {0}, all = {0}, steps = {0}, why = {0};
        bool fits = true;

        opevo_text_add(&text, "A[8]; C[a:8] = sum(");
        for (int axis = 'a'; axis <= 'o'; axis++) {
            opevo_text_printf(&all, axis == 'a' ? "%c" : " + %c", axis);
            opevo_text_printf(&steps, "split C %c 2 2\n", axis);
            if (axis > 'a')
                opevo_text_printf(&text, axis == 'b' ? "%c:8" : ", %c:8", axis);
        }
        opevo_text_add(&text, ") ");
        for (const char *at = values[i]; *at; at++) {
            if (at[0] == '%')
                opevo_text_add(&text, at[1] == 's' ? opevo_text_string(&all) : "%");
            else
                opevo_text_add_bytes(&text, at, 1);
            at += at[0] == '%';
        }
        CHECK_OK(opevo_computation_parse(opevo_text_string(&text), "parts", NULL, 0, &computation,
                                         &err));
        CHECK_OK(
            opevo_pipeline_parse(computation, opevo_text_string(&steps), "steps", &pipeline, &err));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
        assert_false(fits);
        assert_non_null(strstr(opevo_text_string(&why), "more than 40 parts"));
        opevo_pipeline_destroy(pipeline);
        opevo_computation_destroy(computation);
        opevo_text_free(&text);
        opevo_text_free(&all);
        opevo_text_free(&steps);
        opevo_text_free(&why);
    }
}

/* A loop that is not there is refused with those that are. */
CHECK_TEST(test_unknown_loops)
{
    static const struct {
        const char *steps, *message;
    } cases[] = {
        {"split C q 4\n", "C has no loop 'q'; it has i, j, k."},
        {"split C i 4\nannotate C i unroll\n", "C has no loop 'i'; it has i.0, i.1, j, k."},
        {"cache_write C local\ncompute_at C.local C x\n", "C has no loop 'x'; it has i, j."},
        {"accumulate C z\n", "C has no loop 'z'; it has i, j, k."},
        {"split A i 4\n", "A has no loops."},
    };
    const opevo_pipeline_step steps[] = {
        {.kind = OPEVO_PIPELINE_ACCUMULATE, .stage = 2, .count = 1, .number = {7}},
        {.kind = OPEVO_PIPELINE_SPLIT, .stage = 2, .count = 2, .number = {7, 2}}};
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;

    CHECK_OK(opevo_computation_read("matmul(8,4,6)", &computation, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(OPEVO_INVALID, cases[i].message,
                    opevo_pipeline_parse(computation, cases[i].steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        CHECK_FAILS(OPEVO_INVALID, "C has no loop 7; it has i, j, k.",
                    opevo_pipeline_apply(pipeline, &steps[i], &err));
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
}

/* ---- Random steps on random computations ---- */

/* What was printed reads back as the same steps. */
static void check_text(const opevo_pipeline *pipeline)
{
    opevo_text first = {0};
    opevo_text second = {0};
    opevo_pipeline *again = NULL;

    opevo_pipeline_print(pipeline, &first);
    CHECK_OK(opevo_pipeline_parse(opevo_pipeline_computation(pipeline), opevo_text_string(&first),
                                  "steps", &again, &err));
    opevo_pipeline_print(again, &second);
    assert_string_equal(opevo_text_string(&first), opevo_text_string(&second));
    assert_int_equal(opevo_pipeline_step_count(pipeline), opevo_pipeline_step_count(again));
    opevo_pipeline_destroy(again);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

/* What was written as a record reads back as the same pipeline, unless TVM has no such step. */
static void check_record(const opevo_pipeline *pipeline)
{
    opevo_text record = {0};
    opevo_text first = {0};
    opevo_text second = {0};
    opevo_record again = {0};
    opevo_error error = {OPEVO_OK, ""};

    if (opevo_record_write(pipeline, &record, &error) != OPEVO_OK) {
        assert_int_equal(error.status, OPEVO_INVALID);
        assert_true(strstr(error.message, "TVM has no") != NULL);
        assert_int_equal(record.length, 0);
        return;
    }
    CHECK_OK(opevo_record_read(opevo_pipeline_computation(pipeline), opevo_text_string(&record),
                               "record", &again, &err));
    opevo_pipeline_print(pipeline, &first);
    opevo_pipeline_print(again.pipeline, &second);
    assert_string_equal(opevo_text_string(&first), opevo_text_string(&second));
    opevo_pipeline_destroy(again.pipeline);
    opevo_text_free(&record);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

static void check_random(const char *computation, uint64_t seed, int *lowered)
{
    pipeline_case operands = case_make(computation, seed);
    opevo_pipeline *pipeline = draw_pipeline(operands.computation, &cpu_choices, seed);

    check_text(pipeline);
    check_record(pipeline);
    *lowered +=
        check_kernels(&operands, pipeline, OPEVO_KERNEL_C) == opevo_pipeline_step_count(pipeline);
    opevo_pipeline_destroy(pipeline);
    case_free(&operands);
}

CHECK_TEST(test_random_steps)
{
    int count = draw_count(150);
    int lowered = 0;

    for (int i = 0; i < count; i++)
        check_random(odd_computations[i % ODD_COMPUTATIONS], (uint64_t)i, &lowered);
    assert_true(2 * lowered > count);
    batch_run();
}

CHECK_TEST(test_random_computations)
{
    int lowered = 0;
    int checked = check_written(draw_count(200), check_random, &lowered);

    assert_true(2 * lowered > checked);
}

/* Kernels in C from random steps on graphs of up to eight definitions. */
CHECK_TEST(test_random_graphs)
{
    int count = draw_count(60);
    int lowered = 0;
    uint64_t seed = 0;
    opevo_text text = {0};

    for (int i = 0; i < count; i++) {
        find_graph(&seed, &text);
        check_random(opevo_text_string(&text), seed, &lowered);
    }
    assert_true(2 * lowered > count);
    opevo_text_free(&text);
    batch_run();
}

/* Conditions in each lane of vectors that are repeated as text: the text grows with the statements,
 * not with what their lanes are. */
CHECK_TEST(test_long_lists)
{
    static const char computation[] =
        "A[5, i:50]; B[k:9]; C[i, j:17] = sum(k) select((i - 2*j + k)%3 == 2 or (k - i)//4 <= j - "
        "7, A[(j - k)%5, i]*B[k], A[k//2, 49 - i])";
    static const char steps[] =
        "split C i 2 13\nsplit C j 1 32\nsplit C k 3\nreorder C i.0 j.0 k.0 i.1 j.1 k.1 i.2 j.2\n"
        "accumulate C j.1\nannotate C i.2 unroll\nsplit C j.2 8\nannotate C j.2.0 unroll\n"
        "annotate C j.2.1 vectorize\n";
    enum { STATEMENTS = 2 * 13 * 4, MOST = 1024 };
    pipeline_case operands = case_make(computation, 1);
    opevo_kernel kernel = emit_kernel(computation, steps);

    assert_true(kernel.source.length < STATEMENTS * MOST);
    case_run(&operands, &kernel, computation);
    case_free(&operands);
    batch_run();
}
