/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pipelines on GPUs, by their emulation: threads run in both orders between barriers.
 * OPEVO_TEST_POINTS raises the number of random steps and computations, OPEVO_TEST_GRAPHS that of
 * random graphs. */

#include "pipeline_draw.h"

#include "computations.h"
#include "device_fixture.h"

#include "lower_pipeline_internal.h"
#include "print_internal.h"

/* ---- Given steps ---- */

typedef struct example {
    const char *computation, *steps;
    int launches;
} example;

#define TILED_MATMUL                                                                               \
    "cache_write C local\nsplit C i 2 8\nsplit C j 2 8\nreorder C i.0 j.0 i.1 j.1 i.2 j.2\n"       \
    "annotate C i.0 block.y\nannotate C j.0 block.x\nannotate C i.2 thread.y\n"                    \
    "annotate C j.2 thread.x\nsplit C.local k 4\nreorder C.local k.0 k.1 i j\n"                    \
    "compute_at C.local C j.2\ncache_read A shared C.local\ncompute_at A.shared C.local k.0\n"

static const example examples[] = {
    /* Threads share the sum of a row. */
    {"A[i:5, k:100]; M[i] = max(k) A[i, k]",
     "split M k 32\nreorder M i k.0 k.1\nannotate M i block.x\nannotate M k.1 thread.x\n", 1},
    {"A[i:6, k:37]; M[i] = sum(k) A[i, k]",
     "split M i 2\nannotate M i.0 block.x\nannotate M i.1 thread.y\nannotate M k thread.x\n", 1},
    /* In two dimensions of threads, for several elements at once. */
    {"A[i:6, k:35, l:3]; M[i] = min(k, l) A[i, k, l]",
     "split M i 3\nsplit M k 5\nreorder M i.0 k.0 k.1 l i.1\nannotate M i.0 block.x\n"
     "annotate M k.1 thread.x\nannotate M l thread.z\n",
     1},
    {"A[i:8, k:40]; M[i] = sum(k) A[i, k]*A[i, k]",
     "split M i 4\nsplit M k 10\nreorder M i.0 i.1 k.0 k.1\nannotate M i.0 block.x\n"
     "annotate M i.1 vthread\nannotate M k.1 thread.x\n",
     1},
    /* Registers of its own for each thread's part of a divided sum. */
    {"matmul(3,4,64)",
     "split C k 16\nrfactor C k.1 2\nannotate C i block.x\nannotate C j block.y\n"
     "annotate C k.1 thread.x\ncompute_at C.rf C k.1\n",
     1},
    /* All in one launch: sums in shared memory that all threads of a block read. */
    {"softmax(6,70)",
     "inline E\nsplit Y j 32\nannotate Y i block.x\nannotate Y j.1 thread.x\n"
     "follow_split S j 1 1\nannotate S j.1 thread.x\ncompute_at S Y i\n"
     "follow_split M j 1 1\nannotate M j.1 thread.x\ncompute_at M Y i\n",
     1},
    /* The sums need fewer threads than what reads them, or more. */
    {"softmax(3,50)",
     "inline E\nsplit Y j 32\nannotate Y i block.x\nannotate Y j.1 thread.x\nsplit S j 7\n"
     "annotate S j.1 thread.x\ncompute_at S Y i\nsplit M j 40\nannotate M j.1 thread.x\n"
     "compute_at M Y i\n",
     1},
    /* ... and what reads them is not divided among threads at all. */
    {"softmax(3,20)",
     "inline E\nannotate Y i block.x\nannotate S j thread.x\ncompute_at S Y i\n"
     "annotate M j thread.y\ncompute_at M Y i\n",
     1},
    /* Stages after one another. */
    {"softmax(5,33)", "", 4},
    {"softmax(5,33)",
     "inline E\nsplit Y i 2\nannotate Y i.0 block.x\nannotate Y j thread.x\n"
     "annotate M j thread.x\nannotate M i block.x\nannotate S i thread.x\n",
     3},
    /* A stage in shared memory that reduces, each element by one thread. */
    {"A[i:12, k:9]; B[k, j:10]; C[i, j] = sum(k) A[i, k]*B[k, j]; D[i, j] = C[i, j] + C[i, 0]",
     "split D i 4\nreorder D i.0 i.1 j\nannotate D i.0 block.x\nannotate D i.1 thread.x\n"
     "annotate C j thread.x\ncompute_at C D i.0\n",
     1},
    {"A[i:12, k:9]; B[k, j:10]; C[i, j] = sum(k) A[i, k]*B[k, j]; D[i, j] = C[i, j] + C[i, 0]",
     "split D i 4\nreorder D i.0 i.1 j\nannotate D i.0 block.x\nannotate D i.1 thread.x\n"
     "compute_at C D i.0\n",
     1},
    /* Cooperative fetching, by all threads and by some. */
    {"matmul(32,24,48)",
     TILED_MATMUL "fuse A.shared i k\nsplit A.shared i+k 8\nannotate A.shared i+k.1 thread.x\n", 1},
    {"matmul(29,31,23)",
     TILED_MATMUL "fuse A.shared i k\nsplit A.shared i+k 8 4\nannotate A.shared i+k.1 thread.y\n"
                  "annotate A.shared i+k.2 vectorize\n",
     1},
    {"matmul(32,24,48)", TILED_MATMUL, 1},
};

static void check_example(const example *one, uint64_t seed)
{
    pipeline_case operands = case_make(one->computation, seed);
    opevo_pipeline *pipeline = NULL;
    opevo_i_nest *nest = NULL;
    opevo_text why = {0};

    CHECK_OK(opevo_pipeline_parse(operands.computation, one->steps, "steps", &pipeline, &err));
    if (!case_check(&operands, pipeline, OPEVO_KERNEL_EMULATION, &why))
        fail_msg("%s\n%s%s", one->computation, one->steps, opevo_text_string(&why));
    CHECK_OK(opevo_i_pipeline_lower(pipeline, &nest, &err));
    assert_int_equal(nest->launches, one->launches);
    opevo_i_nest_destroy(nest);
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    case_free(&operands);
}

CHECK_TEST(test_examples)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i], i);
    batch_run();
}

/* ---- Refusals ---- */

CHECK_TEST(test_refusals)
{
    static const struct {
        const char *computation, *steps, *message;
    } refusals[] = {
        {"matmul(8,8,8)", "cache_read A shared C\n",
         "A.shared is shared by threads, so it must be computed at a loop."},
        {"matmul(8,8,8)",
         "split C k 2\nannotate C k.0 thread.x\nannotate C k.1 thread.y\naccumulate C j\n",
         "Threads share the sums of C on several axes"},
        {"matmul(8,8,8)",
         "cache_write C local\nannotate C i thread.x\nannotate C.local k thread.x\n"
         "compute_at C.local C i\n",
         "k of C.local cannot be bound: the threads that read it do not share it."},
        {"matmul(8,8,8)",
         "cache_write C local\nannotate C.local i block.x\ncompute_at C.local C i\n",
         "i of C.local cannot be bound"},
        {"matmul(8,8,8)", "cache_read A packed C\ncompute_at A.packed C i\n",
         "A packed copy is not supported on a GPU."},
        {"A[i:2048]; C[i] = A[i]", "annotate C i parallel\n",
         "A GPU has no parallel loops: bind loops to blocks and threads."},
        {"matmul(8,8,8)",
         "cache_write C local\nannotate C.local j parallel\ncompute_at C.local C i\n",
         "A GPU has no parallel loops"},
        {"A[i:2048]; C[i] = A[i]", "annotate C i thread.x\n",
         "The threads of a block are 2048, the limit is 1024."},
    };
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_EMULATION);

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        opevo_computation *computation = NULL;
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = true;

        CHECK_OK(opevo_computation_read(refusals[i].computation, &computation, &err));
        CHECK_OK(opevo_pipeline_parse(computation, refusals[i].steps, "steps", &pipeline, &err));
        CHECK_OK(opevo_pipeline_emit(pipeline, OPEVO_KERNEL_EMULATION, &limits, &kernel, &fits,
                                     &why, &err));
        if (fits || !strstr(opevo_text_string(&why), refusals[i].message))
            fail_msg("%s%s", refusals[i].steps, opevo_text_string(&why));
        opevo_text_free(&why);
        opevo_pipeline_destroy(pipeline);
        opevo_computation_destroy(computation);
    }
}

/* ---- Barriers left out ---- */

/* Whether any element is wrong in any order of threads. */
static bool is_wrong(pipeline_case *self, const opevo_kernel *kernel)
{
    static const char *const compiler[] = {
        "cc", "-O1", "-fPIC", "-shared", "-Wall", "-fno-builtin-memset", NULL};
    float *operands[PIPELINE_OPERANDS + 1] = {NULL};
    opevo_i_reference_guarded scratch;
    void *handle = NULL;
    bool wrong = false;

    assert_true(source_build(compiler, opevo_text_string(&kernel->source), &handle));
    for (int i = 0; i < self->operands; i++)
        operands[i] = opevo_i_reference_floats(&self->memory[i]);
    CHECK_OK(
        opevo_i_reference_guarded_create((size_t)kernel->scratch_bytes, false, &scratch, &err));
    operands[self->operands] = opevo_i_reference_floats(&scratch);
    for (int reversed = 0; reversed < 2; reversed++) {
        memset(scratch.data, 0xff, scratch.bytes);
        set_reversed(kernel, handle, reversed);
        call_kernel(dlsym(handle, kernel->entry), operands);
        for (int i = self->inputs; i < self->operands; i++)
            wrong |= find_wrong(self, i) >= 0;
    }
    opevo_i_reference_guarded_free(&scratch);
    dlclose(handle);
    return wrong;
}

/* The barrier of this number taken out, in the order in which they were made; false where there are
 * fewer. */
static bool leave_out(opevo_i_nest *nest, int number)
{
    for (opevo_i_nest_node *node = nest->nodes; node; node = node->made_before) {
        if (node->kind != OPEVO_I_SYNC || number--)
            continue;
        node->kind = OPEVO_I_LIST;
        return true;
    }
    return false;
}

static void check_barriers(const example *one, int *barriers, int *noticed)
{
    pipeline_case operands = case_make(one->computation, 3);
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_EMULATION);
    opevo_pipeline *pipeline = NULL;
    int before = *noticed;
    bool any = false;
    bool more = true;

    CHECK_OK(opevo_pipeline_parse(operands.computation, one->steps, "steps", &pipeline, &err));
    for (int i = 0; more; i++) {
        opevo_i_nest *nest = NULL;
        opevo_kernel kernel = {0};

        CHECK_OK(opevo_i_pipeline_lower(pipeline, &nest, &err));
        more = leave_out(nest, i);
        if (more) {
            opevo_i_print_nest_print(nest, OPEVO_KERNEL_EMULATION, &limits, &kernel);
            any = true;
            ++*barriers;
            *noticed += is_wrong(&operands, &kernel);
            opevo_kernel_free(&kernel);
        }
        opevo_i_nest_destroy(nest);
    }
    if (any && *noticed == before)
        fail_msg("No missing barrier is noticed: %s\n%s", one->computation, one->steps);
    opevo_pipeline_destroy(pipeline);
    case_free(&operands);
}

/* Some are not needed: the first of a block, and where a sum that is stale is not the largest. */
CHECK_TEST(test_missing_barriers)
{
    int barriers = 0;
    int noticed = 0;

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (test_takes(i, 0, 2))
            check_barriers(&examples[i], &barriers, &noticed);
    }
    print_message("%d of %d barriers are noticed when they are missing\n", noticed, barriers);
    assert_true(4 * noticed > barriers);
}

/* ---- Random steps ---- */

static void check_random(const char *computation, uint64_t seed, int *lowered)
{
    pipeline_case operands = case_make(computation, seed);
    opevo_pipeline *pipeline = draw_pipeline(operands.computation, &gpu_choices, seed);

    *lowered += check_kernels(&operands, pipeline, OPEVO_KERNEL_EMULATION) ==
                opevo_pipeline_step_count(pipeline);
    opevo_pipeline_destroy(pipeline);
    case_free(&operands);
}

CHECK_TEST(test_random_steps)
{
    int count = draw_count(100);
    int lowered = 0;

    for (int i = 0; i < count; i++)
        check_random(odd_computations[i % ODD_COMPUTATIONS], (uint64_t)i, &lowered);
    print_message("%d of %d pipelines are lowered with all their steps\n", lowered, count);
    assert_true(4 * lowered > count);
    batch_run();
}

CHECK_TEST(test_random_computations)
{
    int lowered = 0;
    int checked = check_written(draw_count(100), check_random, &lowered);

    print_message("%d of %d pipelines are lowered with all their steps\n", lowered, checked);
    assert_true(4 * lowered > checked);
}

/* ---- Random graphs ---- */

/* The text of the first steps for CUDA or HIP, where the limits of the dialect allow it. */
static void check_text(const opevo_pipeline *whole, size_t count, opevo_kernel_dialect dialect,
                       int *texts)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text steps = {0}, why = {0};
    bool fits = false;

    CHECK_OK(opevo_pipeline_create(opevo_pipeline_computation(whole), &pipeline, &err));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(opevo_pipeline_apply(pipeline, opevo_pipeline_step_get(whole, i), &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel, &fits, &why, &err));
    opevo_pipeline_print(pipeline, &steps);
    if (fits)
        device_check(dialect, &kernel.source, opevo_text_string(&steps));
    *texts += fits;
    opevo_pipeline_destroy(pipeline);
    opevo_kernel_free(&kernel);
    opevo_text_free(&steps);
    opevo_text_free(&why);
}

/* Random steps on graphs of up to eight definitions, in the emulation; the text of some of them is
 * compiled for devices. */
CHECK_TEST(test_random_graphs)
{
    enum { EVERY = 5 };
    static const opevo_kernel_dialect vendors[] = {OPEVO_KERNEL_CUDA, OPEVO_KERNEL_HIP};
    bool here[2] = {has_device_compiler(vendors[0]), has_device_compiler(vendors[1])};
    int count = (int)test_graphs(60);
    int lowered = 0, texts = 0;
    uint64_t seed = 0;
    opevo_text text = {0};

    for (int i = 0; i < count; i++) {
        pipeline_case operands;
        opevo_pipeline *pipeline = NULL;
        size_t steps = 0;

        find_graph(&seed, &text);
        operands = case_make(opevo_text_string(&text), seed);
        pipeline = draw_pipeline(operands.computation, &gpu_choices, seed);
        steps = check_kernels(&operands, pipeline, OPEVO_KERNEL_EMULATION);
        lowered += steps == opevo_pipeline_step_count(pipeline);
        for (int v = 0; v < 2 && i % EVERY == 0; v++) {
            if (here[v])
                check_text(pipeline, steps, vendors[v], &texts);
        }
        opevo_pipeline_destroy(pipeline);
        case_free(&operands);
    }
    print_message("%d of %d pipelines are lowered with all their steps; %d texts for devices\n",
                  lowered, count, texts);
    assert_true(4 * lowered > count);
    opevo_text_free(&text);
    batch_run();
}
