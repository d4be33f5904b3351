/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps that templates for GPUs and register tiles are made of: padded loops, copies of just their
 * part, double buffers, loops that end early, sums that threads share. Kernels against the
 * interpreter, and what breaks a rule. */

#include "pipeline_fixture.h"

#include <opevo/computation_named.h>

/* ---- Kernels ---- */

typedef struct example {
    const char *computation, *steps;
    opevo_kernel_dialect dialect;
} example;

#define TILED                                                                                      \
    "extend C i 40\nextend C j 32\nextend C k 20\nsplit C i 2 4\nsplit C j 4 2\nsplit C k 5\n"     \
    "reorder C i.0 j.0 i.1 j.1 k.0 k.1 i.2 j.2\nannotate C i.0 block.y\nannotate C j.0 block.x\n"  \
    "annotate C i.1 thread.y\nannotate C j.1 thread.x\naccumulate C j.1\n"
/* Both tiles divided among two rows of four threads. */
#define TILES(flag_a, flag_b)                                                                      \
    "cache_read A shared C\ncompute_at A.shared C k.0\nexact A.shared\n" flag_a                    \
    "fuse A.shared i k\nsplit A.shared i+k 2 4\nannotate A.shared i+k.1 thread.y\n"                \
    "annotate A.shared i+k.2 thread.x\n"                                                           \
    "cache_read B shared C\ncompute_at B.shared C k.0\nexact B.shared\n" flag_b                    \
    "fuse B.shared k j\nsplit B.shared k+j 2 4\nannotate B.shared k+j.1 thread.y\n"                \
    "annotate B.shared k+j.2 thread.x\n"

static const example examples[] = {
    /* Everything is padded; copies hold zeros beyond, and no sum is masked. */
    {"matmul(37,17,29)", TILED TILES("", ""), OPEVO_KERNEL_EMULATION},
    {"matmul(37,17,29)", TILED TILES("double_buffer A.shared\n", "double_buffer B.shared\n"),
     OPEVO_KERNEL_EMULATION},
    {"matmul(37,17,29)", TILED TILES("staged A.shared\n", "double_buffer B.shared\n"),
     OPEVO_KERNEL_EMULATION},
    {"matmul(37,17,29)", TILED TILES("staged A.shared\n", ""), OPEVO_KERNEL_EMULATION},
    /* A copy of a copy in registers, of virtual threads too. */
    {"matmul(37,17,29)",
     "extend C k 20\nsplit C i 2 2 3\nsplit C j 4\nsplit C k 5\n"
     "reorder C i.0 j.0 i.1 i.2 j.1 k.0 k.1 i.3\nannotate C j.0 block.x\n"
     "annotate C i.1 vthread\nannotate C i.2 thread.y\nannotate C j.1 thread.x\n"
     "accumulate C j.1\n"
     "cache_read A shared C\ncompute_at A.shared C k.0\nexact A.shared\n"
     "annotate A.shared i thread.y\n"
     "cache_read A.shared local C\ncompute_at A.shared.local C k.1\nexact A.shared.local\n",
     OPEVO_KERNEL_EMULATION},
    /* Padded sums from tensors themselves are masked where these end. */
    {"matmul(7,5,9)", "extend C i 8\nextend C j 12\nextend C k 8\naccumulate C j\n",
     OPEVO_KERNEL_C},
    {"matmul(7,5,9)", "extend C k 8\nsplit C k 4\n", OPEVO_KERNEL_C},
    {"softmax(5,13)", "extend M j 16\nsplit M j 4\naccumulate M i\n", OPEVO_KERNEL_C},
    /* A padded image, of which a kernel of one pixel and stride 2 reads each second one; its rows
     * in phases, in lines of their own. */
    {"conv2d(2,3,9,9,5,1,1,2,0)",
     "extend C x 6\nsplit C x 2\nreorder C n f y x.0 c r s x.1\naccumulate C x.0\n"
     "cache_read A packed C\ncompute_at A.packed C n\nexact A.packed\n",
     OPEVO_KERNEL_C},
    {"conv2d(2,3,9,9,5,3,3,2,1)",
     "extend C x 6\nfuse C y x\nsplit C y+x 4 8\nreorder C n f y+x.0 c r s y+x.1 y+x.2\n"
     "annotate C y+x.2 vectorize\naccumulate C y+x.0\ntrim C y+x.1\n"
     "cache_read P packed C\ninline P\ncompute_at P.packed C n\nexact P.packed\n"
     "layout P.packed 0 1 1 1 2 1 3 1 2 2 3 2\nstorage_align P.packed c 48 16\n",
     OPEVO_KERNEL_C},
    /* Weights in panels of four channels, of which the last is not full. */
    {"conv2d(2,3,6,7,10,3,2,2,1)",
     "extend C f 12\nsplit C f 4\nreorder C n f.0 y x c r s f.1\nannotate C f.1 vectorize\n"
     "accumulate C x\nlayout B 0 4 3 1 2 1 1 1 0 1\ninline P\n",
     OPEVO_KERNEL_C},
    /* Tiles that end early, one that is never full, and turns past the end of the axis. */
    {"matmul(7,5,37)",
     "split C j 3 4\nreorder C i j.0 k j.1 j.2\nannotate C j.1 unroll\n"
     "annotate C j.2 vectorize\naccumulate C j.0\ntrim C j.1\n",
     OPEVO_KERNEL_C},
    {"matmul(7,5,37)",
     "split C i 2 16\nsplit C k 2\nreorder C k.0 i.0 i.1 k.1 i.2 j\naccumulate C i.1\n"
     "trim C i.2\n",
     OPEVO_KERNEL_C},
    {"matmul(7,5,37)",
     "split C j 4\nreorder C i j.0 k j.1\nannotate C i block.x\nannotate C j.0 thread.x\n"
     "accumulate C j.0\ntrim C j.1\n",
     OPEVO_KERNEL_EMULATION},
    /* Threads that share a sum, one after the other. */
    {"matmul(6,24,12)",
     "annotate C i block.x\nsplit C k 3 4\nreorder C i j k.1 k.0 k.2\nannotate C j thread.x\n"
     "annotate C k.1 thread.z\naccumulate C k.1\n",
     OPEVO_KERNEL_EMULATION},
    {"matmul(6,24,12)",
     "split C k 4 3\nreorder C i k.1 j k.0 k.2\nannotate C k.1 thread.z\naccumulate C j\n"
     "annotate C i block.x\n",
     OPEVO_KERNEL_EMULATION},
    /* What lies further on is fetched to the caches. */
    {"batch_matmul(3,8,16,16)",
     "cache_read B packed C\ncompute_at B.packed C b\nexact B.packed\nsplit B.packed j 16\n"
     "annotate B.packed j.1 vectorize\nprefetch B.packed 256\n",
     OPEVO_KERNEL_C},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

CHECK_TEST(test_examples)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        pipeline_case operands = case_make(examples[i].computation, 3);
        opevo_pipeline *pipeline = NULL;
        opevo_text why = {0};

        CHECK_OK(opevo_pipeline_parse(operands.computation, examples[i].steps, "steps", &pipeline,
                                      &err));
        if (!case_check(&operands, pipeline, examples[i].dialect, &why))
            fail_msg("%s: %s", examples[i].steps, opevo_text_string(&why));
        opevo_pipeline_destroy(pipeline);
        opevo_text_free(&why);
        case_free(&operands);
    }
    batch_run();
}

/* The source of a kernel of such steps; the caller frees it. */
static char *source_of(const example *of)
{
    opevo_limits limits = opevo_limits_default(of->dialect);
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    char *source = NULL;
    bool fits = false;

    CHECK_OK(opevo_computation_read(of->computation, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, of->steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, of->dialect, &limits, &kernel, &fits, &why, &err));
    if (!fits)
        fail_msg("%s", opevo_text_string(&why));
    source = opevo_strdup(opevo_text_string(&kernel.source));
    assert_non_null(source);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    return source;
}

static int count_of(const char *text, const char *word)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

/* Of the last tile, which has one column of 12, one vector of three is computed. */
CHECK_TEST(test_trimmed)
{
    static const example trimmed = {
        "matmul(7,5,37)",
        "split C j 3 4\nreorder C i j.0 k j.1 j.2\nannotate C j.1 unroll\n"
        "annotate C j.2 vectorize\naccumulate C j.0\ntrim C j.1\n",
        OPEVO_KERNEL_C};
    char *source = source_of(&trimmed);

    assert_int_equal(count_of(source, " * *(const V4 *)"), 3 + 1);
    opevo_free(source);
}

/* The statement that multiplies has no condition where both factors come from copies. */
CHECK_TEST(test_sums_are_not_masked)
{
    static const example padded = {"matmul(37,17,29)", TILED TILES("", ""), OPEVO_KERNEL_CUDA};
    char *source = source_of(&padded);
    const char *at = strstr(source, " += ");

    assert_non_null(at);
    while (at > source && *at != '\n')
        at--;
    assert_null(memmem(at, (size_t)(strstr(at + 1, "\n") - at), "if (", 4));
    assert_int_equal(count_of(source, "__syncthreads();"), 2);
    opevo_free(source);
}

/* ---- Refused ---- */

CHECK_TEST(test_refused_steps)
{
    static const struct {
        const char *steps, *words;
    } bad[] = {
        {"extend C i 31\n", "can be padded to at most"},
        {"extend C i 100000\n", "can be padded to at most"},
        {"extend C i\n", "can be padded to at most"},
        {"split C i 2\nextend C i.1 2\n", "is an inner loop of an axis, or not serial"},
        {"annotate C i unroll\nextend C i 40\n", "is an inner loop of an axis, or not serial"},
        {"exact C\n", "exact takes a copy that is computed at a loop"},
        {"cache_read A shared C\nexact A.shared\n",
         "exact takes a copy that is computed at a loop"},
        {"double_buffer C\n", "only a shared copy has a double buffer"},
        {"cache_read A packed C\ncompute_at A.packed C i\nstaged A.packed\n",
         "only a shared copy has a double buffer"},
        {"prefetch C 4\n", "prefetch applies only to copies"},
        {"cache_read A packed C\nprefetch A.packed -4\n", "prefetch applies only to copies"},
        {"trim C i\n", "is not a loop over registers that gather sums"},
        {"accumulate C i\ntrim C i\n", "is not a loop over registers that gather sums"},
        {"accumulate C i\ntrim C k\n", "is not a loop over registers that gather sums"},
        {"auto_unroll C 16 2\n", "1 for loops as text"},
    };
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;

    CHECK_OK(opevo_computation_read("matmul(32,48,64)", &computation, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, bad[i].words,
                    opevo_pipeline_parse(computation, bad[i].steps, "steps", &pipeline, &err));
    opevo_computation_destroy(computation);
}

/* What only lowering can see. */
CHECK_TEST(test_not_lowered)
{
    static const struct {
        const char *steps, *words;
    } bad[] = {
        {"split C k 48\nreorder C i j k.0 k.1\ncache_read A shared C\ncompute_at A.shared C k.0\n"
         "double_buffer A.shared\n",
         "at least two iterations; k.0 has 1"},
        {"annotate C i block.x\ncache_read A shared C\ncompute_at A.shared C i\n"
         "double_buffer A.shared\n",
         "at least two iterations; i has 1"},
        {"reorder C i k j\nsplit C k 4\ncache_read A shared C\ncompute_at A.shared C k.0\n"
         "accumulate C i\ntrim C j\n",
         "need all iterations"},
        {"split C k 4 3\nannotate C k.1 thread.z\nannotate C k.2 thread.y\naccumulate C i\n",
         "on several axes"},
    };
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_read("matmul(32,48,64)", &computation, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_CUDA);
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = true;

        CHECK_OK(opevo_pipeline_parse(computation, bad[i].steps, "steps", &pipeline, &err));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_CUDA, &limits, &kernel, &fits, &why, &err));
        assert_false(fits);
        if (!strstr(opevo_text_string(&why), bad[i].words))
            fail_msg("'%s' lacks '%s'", opevo_text_string(&why), bad[i].words);
        opevo_text_free(&why);
        opevo_pipeline_destroy(pipeline);
    }
    opevo_computation_destroy(computation);
}
