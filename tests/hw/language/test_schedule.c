/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Schedules: every template's steps print, read back and replay to the same program; steps by hand
 * compute the right result; steps and devices that do not fit are refused with a sentence. */

#include "kernel_fixture.h"

static const char *const forms[] = {"matmul(32,48,64)", "batch_matmul(4,16,12,24,TN)",
                                    "conv2d(2,4,10,12,8,3,3,1,1)"};
enum { FORMS = sizeof forms / sizeof *forms };

/* Emit, expecting it to fit. */
static opevo_kernel emit(const opevo_schedule *schedule, opevo_kernel_dialect dialect)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_schedule_emit(schedule, dialect, &limits, &kernel, &fits, &why, &err));
    if (!fits)
        fail_msg("%s", opevo_text_string(&why));
    opevo_text_free(&why);
    return kernel;
}

static void check_round_trip(const opevo_schedule *schedule, opevo_kernel_dialect dialect)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_text text = {0};
    opevo_text again = {0};
    opevo_schedule *read = NULL;
    opevo_kernel kernel[2] = {{0}, {0}};
    opevo_text why[2] = {{0}, {0}};
    bool fits[2];

    opevo_schedule_print(schedule, &text);
    CHECK_OK(opevo_schedule_parse(opevo_schedule_operator(schedule), opevo_text_string(&text),
                                  "text", &read, &err));
    opevo_schedule_print(read, &again);
    assert_string_equal(opevo_text_string(&text), opevo_text_string(&again));
    assert_int_equal(opevo_schedule_step_count(schedule), opevo_schedule_step_count(read));
    CHECK_OK(opevo_schedule_emit(schedule, dialect, &limits, &kernel[0], &fits[0], &why[0], &err));
    CHECK_OK(opevo_schedule_emit(read, dialect, &limits, &kernel[1], &fits[1], &why[1], &err));
    assert_int_equal(fits[0], fits[1]);
    assert_string_equal(opevo_text_string(&why[0]), opevo_text_string(&why[1]));
    assert_string_equal(opevo_text_string(&kernel[0].source), opevo_text_string(&kernel[1].source));
    for (int i = 0; i < 2; i++) {
        opevo_kernel_free(&kernel[i]);
        opevo_text_free(&why[i]);
    }
    opevo_schedule_destroy(read);
    opevo_text_free(&text);
    opevo_text_free(&again);
}

static void test_round_trip(void **state)
{
    opevo_rng rng;

    (void)state;
    opevo_rng_init(&rng, 1, "round trip", 0);
    for (size_t i = 0; i < opevo_template_count() * FORMS; i++) {
        const opevo_template_info *info = opevo_template_get(i / FORMS);
        opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
        opevo_operator op;
        opevo_kernel_maker *maker = NULL;

        CHECK_OK(opevo_operator_parse(forms[i % FORMS], &op, &err));
        while (!(info->dialects >> dialect & 1))
            dialect = (opevo_kernel_dialect)(dialect + 1);
        if (!(info->kinds >> op.kind & 1))
            continue;
        CHECK_OK(opevo_template_open(&op, info->name, dialect, &maker, &err));
        for (int p = 0; p < 20; p++) {
            opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
            opevo_schedule *schedule = NULL;
            opevo_text why = {0};

            CHECK_OK(opevo_template_schedule(maker, point, &schedule, &why, &err));
            if (schedule)
                check_round_trip(schedule, dialect);
            opevo_schedule_destroy(schedule);
            opevo_text_free(&why);
        }
        maker->ops->destroy(maker);
    }
}

/* ---- By hand ---- */

/* Copies inside of a parallel loop, in scratch memory of three threads; without OpenMP it is
 * that of one. */
static void test_parallel(void **state)
{
    static const char steps[] =
        "split C i 5\nsplit C j 8\nreorder C i.0 j.0 k i.1 j.1\nannotate C i.0 parallel\n"
        "annotate C j.1 vectorize\ncache_write C local\n"
        "attach C.local j.0\nannotate C.local j.1 vectorize\ncache_read A packed\n"
        "attach A.packed i.0\ncache_read B packed\nattach B.packed j.0\n";
    static const char *const compiler[] = {"cc", "-O2", "-fopenmp", "-fPIC", "-shared", NULL};
    operands self = operands_make("matmul(37,40,29)", 7);
    void (*set_threads)(int) = NULL;
    opevo_schedule *schedule = NULL;
    opevo_kernel kernel;
    void *handle = NULL;

    (void)state;
    CHECK_OK(opevo_schedule_parse(&self.op, steps, "parallel", &schedule, &err));
    kernel = emit(schedule, OPEVO_KERNEL_C);
    assert_null(strstr(opevo_text_string(&kernel.source), "static float"));
    assert_int_equal(kernel.scratch_bytes, 0);
    assert_true(kernel.thread_scratch_bytes >= 4 * (5 * 40 + 40 * 8));
    assert_int_equal(kernel.thread_scratch_bytes % OPEVO_KERNEL_ALIGNMENT, 0);
    kernel_check(&self, &kernel, "without OpenMP");
    if (source_build(compiler, opevo_text_string(&kernel.source), &handle)) {
        *(void **)&set_threads = dlsym(handle, "omp_set_num_threads");
        assert_non_null(set_threads);
        set_threads(3);
        kernel_check_built(&self, &kernel, handle, 3, "with OpenMP");
    } else {
        puts("the compiler has no OpenMP: parallel loops were run on one thread only");
    }
    opevo_kernel_free(&kernel);
    opevo_schedule_destroy(schedule);
    operands_free(&self);
}

static void check_by_hand(const char *form, const char *text, opevo_kernel_dialect dialect)
{
    operands self = operands_make(form, 7);
    opevo_schedule *schedule = NULL;
    opevo_kernel kernel;

    CHECK_OK(opevo_schedule_parse(&self.op, text, form, &schedule, &err));
    kernel = emit(schedule, dialect);
    kernel_check(&self, &kernel, text);
    opevo_kernel_free(&kernel);
    opevo_schedule_destroy(schedule);
    operands_free(&self);
}

static const char trimmed[] = "split C j 3 4\nreorder C i j.0 k j.1 j.2\nannotate C j.1 unroll\n"
                              "annotate C j.2 vectorize\ncache_write C local\nattach C.local j.0\n"
                              "annotate C.local j.2 vectorize\nannotate C.local j.1 unroll\n"
                              "trim C.local j.1\n";

static void test_by_hand(void **state)
{
    (void)state;
    check_by_hand("matmul(7,5,9)", "", OPEVO_KERNEL_C);
    check_by_hand("matmul(7,5,9)", "", OPEVO_KERNEL_EMULATION);
    check_by_hand("conv2d(2,3,6,7,4,3,2,2,1)", "", OPEVO_KERNEL_C);
    /* Sums outermost: C is set to zero before everything. */
    check_by_hand("matmul(7,5,9)", "reorder C k i j # the order of an outer product\n",
                  OPEVO_KERNEL_C);
    /* Sums in one register whose lanes go apart from each other. */
    check_by_hand("matmul(64,12,9)",
                  "split C i 16\nreorder C i.0 j k i.1\nannotate C i.1 vectorize\n"
                  "cache_write C local\nattach C.local j\nannotate C.local i.1 vectorize\n",
                  OPEVO_KERNEL_C);
    /* Uneven lengths, vectors that do not fit, without a copy of C. */
    check_by_hand("matmul(7,5,19)",
                  "split C j 8\nsplit C i 3\nsplit C k 2\nannotate C j.1 vectorize\n",
                  OPEVO_KERNEL_C);
    check_by_hand("batch_matmul(3,4,5,6,TT)",
                  "fuse C b i j\nannotate C b+i+j parallel\nsplit C k 2\nannotate C k.1 unroll\n",
                  OPEVO_KERNEL_C);
    /* A copy of a copy, with a layout and a pitch. */
    check_by_hand("matmul(12,16,20)",
                  "split C i 4\nsplit C k 8\nreorder C i.0 k.0 k.1 i.1 j\n"
                  "cache_read A packed\nattach A.packed i.0\nlayout A.packed 1 1 16 0 1 4\n"
                  "pitch A.packed 3\ncache_read A.packed local\nattach A.packed.local k.0\n"
                  "cache_write C local\nattach C.local i.0\n",
                  OPEVO_KERNEL_C);
    /* A pitch after two of four pieces. */
    check_by_hand("conv2d(2,3,6,7,4,3,2,2,1)",
                  "cache_read A packed\nattach A.packed n\npitch A.packed 5 2\n", OPEVO_KERNEL_C);
    /* Tiles that end early, one that is never full, and turns past the end of the axis. */
    check_by_hand("matmul(7,5,37)", trimmed, OPEVO_KERNEL_C);
    check_by_hand("matmul(7,5,37)",
                  "split C i 2 16\nsplit C k 2\nreorder C k.0 i.0 i.1 k.1 i.2 j\n"
                  "cache_write C local\nattach C.local i.1\ntrim C.local i.2\n",
                  OPEVO_KERNEL_C);
    check_by_hand("matmul(7,5,37)",
                  "split C j 4\nreorder C i j.0 k j.1\nannotate C i block.x\n"
                  "annotate C j.0 thread.x\ncache_write C local\nattach C.local j.0\n"
                  "trim C.local j.1\n",
                  OPEVO_KERNEL_EMULATION);
    /* Threads that share a sum. */
    check_by_hand("matmul(6,24,12)",
                  "annotate C i block.x\nsplit C k 3 4\nreorder C i j k.1 k.0 k.2\n"
                  "annotate C j thread.x\nannotate C k.1 thread.z\n"
                  "cache_write C local\nattach C.local k.1\n",
                  OPEVO_KERNEL_EMULATION);
    /* One block a row of C; threads share what others copied. */
    check_by_hand("matmul(6,10,12)",
                  "annotate C i block.x\nsplit C k 5\nannotate C j thread.x\n"
                  "cache_read A shared\nattach A.shared k.0\nsplit A.shared k 2\n"
                  "annotate A.shared k.0 thread.x\n",
                  OPEVO_KERNEL_EMULATION);
}

/* Weights in panels of four channels, of which the last is not full: read as vectors of channels,
 * whose sums leave them one by one, and copied from there; and with the dimensions turned round. */
static void test_constant(void **state)
{
    static const char form[] = "conv2d(2,3,6,7,10,3,2,2,1)";
    static const char panels[] = "extend C f 12\nsplit C f 4\nreorder C n f.0 y x c r s f.1\n"
                                 "layout B 0 4 3 1 1 3 2 1 3 3 1 2 0 1 4\n";
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_EMULATION);
    opevo_operator op;
    opevo_schedule *schedule = NULL;
    opevo_kernel kernel = {0};
    opevo_text text = {0};
    opevo_text why = {0};
    bool fits = true;

    (void)state;
    opevo_text_printf(&text,
                      "%sannotate C f.1 vectorize\ncache_write C local\nattach C.local x\n"
                      "annotate C.local f.1 vectorize\n",
                      panels);
    check_by_hand(form, opevo_text_string(&text), OPEVO_KERNEL_C);
    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_schedule_parse(&op, opevo_text_string(&text), "t", &schedule, &err));
    kernel = emit(schedule, OPEVO_KERNEL_C);
    assert_int_equal(kernel.packed[OPEVO_STAGE_A], 0);
    assert_int_equal(kernel.packed[OPEVO_STAGE_B], 12 * 3 * 3 * 2);
    assert_non_null(strstr(opevo_text_string(&kernel.source), "*(const V4 *)&b["));
    opevo_kernel_free(&kernel);
    CHECK_OK(
        opevo_schedule_emit(schedule, OPEVO_KERNEL_EMULATION, &limits, &kernel, &fits, &why, &err));
    assert_false(fits);
    assert_non_null(strstr(opevo_text_string(&why), "not supported on a GPU"));
    opevo_schedule_destroy(schedule);
    opevo_text_clear(&text);
    opevo_text_printf(&text, "%scache_read B packed\nattach B.packed f.0\n", panels);
    check_by_hand(form, opevo_text_string(&text), OPEVO_KERNEL_C);
    check_by_hand(form, "layout B 3 1 2 2 1 3 1 1 3 0 1 10\n", OPEVO_KERNEL_C);
    opevo_text_free(&text);
    opevo_text_free(&why);
}

/* Of the last tile, which has one column of 12, one vector of three is computed. */
static void test_trimmed(void **state)
{
    opevo_operator op;
    opevo_schedule *schedule = NULL;
    opevo_kernel kernel;
    int products = 0;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(7,5,37)", &op, &err));
    CHECK_OK(opevo_schedule_parse(&op, trimmed, "t", &schedule, &err));
    kernel = emit(schedule, OPEVO_KERNEL_C);
    for (const char *at = opevo_text_string(&kernel.source); (at = strstr(at, " * *(const V4 *)"));
         at++)
        products++;
    assert_int_equal(products, 3 + 1);
    opevo_kernel_free(&kernel);
    opevo_schedule_destroy(schedule);
}

/* ---- Refused ---- */

static void test_refused_steps(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"splat C i 2\n", "t:1: Unknown step 'splat'"},
        {"\n# nothing\nsplit D i 2\n", "t:3: Unknown stage 'D'"},
        {"split C x 2\n", "no loop 'x'"},
        {"split C i\n", "needs a serial loop and a length"},
        {"split C i 0\n", "cannot have length 0"},
        {"split C i -3\n", "cannot have length -3"},
        {"split C i two\n", "'two' is not an integer"},
        {"split C i 2000000 2000000 2000000\n", "cannot have length"},
        {"split\n", "A step consists of its name"},
        {"split C i 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "32 loops"},
        {"split A i 2\n", "no loop 'i'"},
        {"reorder C i j\n", "each of the 3 loops"},
        {"reorder C i j j\n", "each loop of C once"},
        {"fuse C i\n", "two loops or more"},
        {"fuse C i k\n", "adjacent loops"},
        {"fuse C j k\n", "all or none reduce"},
        {"annotate C i sideways\n", "Unknown annotation 'sideways'"},
        {"annotate C k parallel\n", "is a reduction loop"},
        {"annotate C k thread.x\n", "is a reduction loop"},
        {"annotate C i thread.x\nannotate C j thread.x\n", "cannot both be bound"},
        {"extend C i 31\n", "can be padded to at most"},
        {"extend C i 100000\n", "can be padded to at most"},
        {"split C i 2\nextend C i.0 20\n", "is not an original loop of C"},
        {"cache_read A nowhere\n", "Unknown scope 'nowhere'"},
        {"cache_read A global\n", "packed, shared or local"},
        {"cache_read C local\n", "applies only to A, B"},
        {"cache_write A local\n", "applies only to C"},
        {"cache_read A shared\ncache_read A local\n", "already has a copy"},
        {"cache_write C local\ncache_write C local\n", "already has a copy"},
        {"attach A k\n", "is not a copy"},
        {"cache_read A shared\nattach A.shared k\nattach A.shared i\n", "already attached"},
        {"cache_read A shared\nattach A.shared k\nsplit C i 2\n", "cannot be changed"},
        {"cache_read A shared\ncache_read A.shared local\nattach A.shared.local k\n",
         "must be attached outside"},
        {"cache_read A shared\nlayout A.shared 0 1 32\n", "not attached"},
        {"cache_read A shared\nattach A.shared i\nlayout A.shared 0 1 1\n",
         "dimension 1 of A.shared"},
        {"cache_read A shared\nattach A.shared i\nlayout A.shared 0 1 1 1 1 4 1 8 12\n",
         "hold 4 of its 48"},
        {"cache_read A shared\nattach A.shared i\nlayout A.shared 0 1\n", "three numbers"},
        {"cache_read A shared\nattach A.shared i\nlayout A.shared 5 1 1\n", "no such piece"},
        {"cache_read A packed\nattach A.packed i\ndouble_buffer A.packed\n", "only a shared copy"},
        {"cache_read A packed\nattach A.packed i\nstream A.packed\n", "applies only to written"},
        {"cache_read A packed\nattach A.packed i\npitch A.packed -1\n", "0 to 1024"},
        {"cache_read A packed\nattach A.packed i\npitch A.packed 1 3\n", "after 1 to 2 pieces"},
        {"cache_read A packed\nattach A.packed i\npitch A.packed 1 0\n", "after 1 to 2 pieces"},
        {"cache_write C local\nattach C.local i\ntrim C.local i\n", "no loop 'i'"},
        {"cache_read A packed\nattach A.packed i\ntrim A.packed k\n", "not a whole loop"},
        {"cache_write C local\nattach C.local i\nsplit C.local j 4\ntrim C.local j.1\n",
         "not a whole loop"},
        {"auto_unroll C 5\n", "0 or 1"},
        {"layout B 0 1 64 1 1 48\n", "B has the layout that it is passed in"},
        {"layout C 0 1 32 1 1 48\n", "C is not attached"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_operator op;
        opevo_schedule *schedule = NULL;

        CHECK_OK(opevo_operator_parse("matmul(32,48,64)", &op, &err));
        CHECK_FAILS(strstr(bad[i].words, "32 loops") ? OPEVO_LIMIT : OPEVO_INVALID, bad[i].words,
                    opevo_schedule_parse(&op, bad[i].text, "t", &schedule, &err));
        assert_null(schedule);
    }
}

/* A step that is refused leaves the schedule as it was. */
static void test_unchanged(void **state)
{
    opevo_operator op;
    opevo_schedule *schedule = NULL;
    opevo_step step = {.kind = OPEVO_STEP_SPLIT,
                       .stage = OPEVO_STAGE_C,
                       .count = 3,
                       .number = {0, 4, INT64_C(1) << 41}};

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(32,48,64)", &op, &err));
    CHECK_OK(opevo_schedule_create(&op, &schedule, &err));
    CHECK_FAILS(OPEVO_INVALID, "cannot have length", opevo_schedule_apply(schedule, &step, &err));
    assert_int_equal(opevo_schedule_step_count(schedule), 0);
    assert_int_equal(opevo_schedule_loop_count(schedule, OPEVO_STAGE_C), 3);
    step.number[2] = 2;
    CHECK_OK(opevo_schedule_apply(schedule, &step, &err));
    assert_int_equal(opevo_schedule_loop(schedule, OPEVO_STAGE_C, 0).extent, 4);
    assert_string_equal(opevo_schedule_loop(schedule, OPEVO_STAGE_C, 2).name, "i.2");
    step.stage = 17;
    CHECK_FAILS(OPEVO_INVALID, "no stage", opevo_schedule_apply(schedule, &step, &err));
    opevo_schedule_destroy(schedule);
}

/* Each limit, just kept and just broken. */
static void test_limits(void **state)
{
    static const struct {
        const char *text, *words;
        opevo_kernel_dialect dialect;
    } bad[] = {
        {"split C i 64\nsplit C j 32\nannotate C i.1 thread.y\nannotate C j.1 thread.x\n",
         "The threads of a block are 2048, the limit is 1024", OPEVO_KERNEL_CUDA},
        {"annotate C i thread.z\n", "in z are 128, the limit is 64", OPEVO_KERNEL_CUDA},
        {"cache_read A shared\nattach A.shared i\ncache_read B shared\nattach B.shared i\n",
         "shared memory are 131584, the limit is 49152", OPEVO_KERNEL_CUDA},
        {"cache_read A packed\nattach A.packed i\n", "not supported on a GPU", OPEVO_KERNEL_CUDA},
        {"cache_read A shared\nattach A.shared i\n", "not supported on a CPU", OPEVO_KERNEL_C},
        {"annotate C i block.x\n", "no blocks", OPEVO_KERNEL_C},
        {"cache_read A shared\n", "not attached", OPEVO_KERNEL_CUDA},
        {"cache_read A shared\nattach A.shared i\nannotate A.shared k thread.x\n",
         "needs 128 threads", OPEVO_KERNEL_CUDA},
        {"split C k 128\ncache_read A shared\nattach A.shared k.0\ndouble_buffer A.shared\n",
         "at least two iterations", OPEVO_KERNEL_CUDA},
        {"annotate C i unroll\nannotate C j unroll\nannotate C k unroll\n", "after unrolling",
         OPEVO_KERNEL_CUDA},
        {"split C k 4\nannotate C k.1 thread.z\n", "only if a copy of C accumulates it",
         OPEVO_KERNEL_CUDA},
        {"annotate C j vectorize\n", "lanes of a vector are 256", OPEVO_KERNEL_C},
        {"cache_write C local\nattach C.local i\ntrim C.local j\nsplit C.local j 4\n",
         "was trimmed and then changed", OPEVO_KERNEL_C},
        {"reorder C i k j\nsplit C k 4\ncache_read A shared\nattach A.shared k.0\n"
         "cache_write C local\nattach C.local i\ntrim C.local j\n",
         "need all iterations", OPEVO_KERNEL_CUDA},
    };
    opevo_operator op;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(128,128,256)", &op, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_limits limits = opevo_limits_default(bad[i].dialect);
        opevo_schedule *schedule = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = true;

        CHECK_OK(opevo_schedule_parse(&op, bad[i].text, "t", &schedule, &err));
        CHECK_OK(
            opevo_schedule_emit(schedule, bad[i].dialect, &limits, &kernel, &fits, &why, &err));
        assert_false(fits);
        if (!strstr(opevo_text_string(&why), bad[i].words))
            fail_msg("'%s' lacks '%s'", opevo_text_string(&why), bad[i].words);
        opevo_text_free(&why);
        opevo_schedule_destroy(schedule);
    }
}

static void test_templates_refuse(void **state)
{
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_FAILS(OPEVO_INVALID, "use one of cpu",
                opevo_template_open(&op, "nothing", OPEVO_KERNEL_C, &maker, &err));
    CHECK_FAILS(OPEVO_INVALID, "use one of paper",
                opevo_template_open(&op, "cpu", OPEVO_KERNEL_CUDA, &maker, &err));
    CHECK_OK(opevo_operator_parse("matmul(2000000000,2000000000,3)", &op, &err));
    CHECK_FAILS(OPEVO_LIMIT, "2^40", opevo_template_open(&op, NULL, OPEVO_KERNEL_C, &maker, &err));
    assert_null(maker);
}

static char *source_of(const opevo_kernel_maker *maker, opevo_index point)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    char *source = NULL;

    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    source = opevo_strdup(opevo_text_string(refused == OPEVO_OUTCOME_OK ? &kernel.source : &why));
    assert_non_null(source);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return source;
}

/* A point of a part of the space makes the kernel that it makes in the whole. */
static void test_narrow(void **state)
{
    static const char text[] =
        "{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"X\": {\"_type\": \"factor\","
        " \"_value\": [8, 4], \"_topology\": \"complete\"}, \"Y\": {\"_type\": \"factor\","
        " \"_value\": [8, 4]}, \"_constraints\": [\"K[0] == 2\", \"X[1] == Y[1]\"]}";
    opevo_operator op;
    opevo_kernel_maker *whole = NULL;
    opevo_kernel_maker *part = NULL;
    opevo_space *space = NULL;
    size_t compared = 0;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &whole, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &part, &err));
    CHECK_OK(opevo_space_parse(text, "a test", NULL, &space, &err));
    CHECK_OK(opevo_template_narrow(part, space, &err));
    assert_ptr_equal(part->space, space);
    assert_true(part->signature != whole->signature);
    for (opevo_index point = 0; point < opevo_space_size(space); point += 7) {
        opevo_index vertices[3];
        char *sources[2];

        if (!opevo_space_allows(space, point))
            continue;
        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < 3; i++) {
            opevo_value values[4];

            opevo_parameter_value(opevo_space_parameter(space, i), vertices[i], values);
            assert_true(
                opevo_parameter_find(opevo_space_parameter(whole->space, i), values, &vertices[i]));
        }
        sources[0] = source_of(part, point);
        sources[1] = source_of(whole, opevo_space_encode(whole->space, vertices));
        assert_string_equal(sources[0], sources[1]);
        opevo_free(sources[0]);
        opevo_free(sources[1]);
        compared++;
    }
    assert_true(compared > 20);
    part->ops->destroy(part);
    whole->ops->destroy(whole);
}

static void test_narrow_refuses(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}}",
         "Parameter 2 of the template paper is X"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [16, 3]}}",
         "K = 16,1,1 is not a value of factor(8,3)"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 2]}}",
         "K has values of 3 components here, not 2"},
        {"{\"k\": {\"_type\": \"factor\", \"_value\": [8, 3]}}",
         "Parameter 1 of the template paper is K"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"X\": {\"_type\": \"factor\", "
         "\"_value\":"
         " [8, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [8, 4]}, \"Z\": {\"_type\": "
         "\"choice\","
         " \"_value\": [1]}}",
         "Parameter 4 of the template paper is not there"},
    };
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &maker, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_space *space = NULL;

        CHECK_OK(opevo_space_parse(bad[i].text, "a test", NULL, &space, &err));
        CHECK_FAILS(OPEVO_INVALID, bad[i].words, opevo_template_narrow(maker, space, &err));
        opevo_space_destroy(space);
    }
    maker->ops->destroy(maker);
}

/* Whichever allocation fails, nothing is left behind. */
static void test_allocations(void **state)
{
    int64_t before = opevo_memory_live();
    bool failed = true;
    opevo_operator op;

    (void)state;
    CHECK_OK(opevo_operator_parse("batch_matmul(2,8,8,8)", &op, &err));
    for (int64_t n = 1; failed; n = n < 60 ? n + 1 : n + 7) {
        opevo_kernel_maker *maker = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &maker, NULL);
        if (status == OPEVO_OK)
            status = maker->ops->make(maker, opevo_space_size(maker->space) / 3, &kernel, &refused,
                                      &why, NULL);
        opevo_memory_fail_at(0);
        failed = status != OPEVO_OK || why.failed;
        if (maker)
            maker->ops->destroy(maker);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
        assert_int_equal(opevo_memory_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_constant),         cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_trimmed),          cmocka_unit_test(test_refused_steps),
        cmocka_unit_test(test_unchanged),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_templates_refuse), cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_narrow),           cmocka_unit_test(test_narrow_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
