/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pipelines at their limits: any allocation fails, and statements are as deep as can be on a small
 * stack. */

#include "pipeline_fixture.h"

#include <opevo/memory.h>

#include <pthread.h>

/* ---- Without memory ---- */

/* Apply a step with every allocation failing in turn. The pipeline stays as it is until none
 * does. */
static void apply_in_need(opevo_pipeline *pipeline, const opevo_pipeline_step *step)
{
    opevo_status status = OPEVO_NOMEM;
    opevo_text before = {0}, after = {0};

    opevo_pipeline_print(pipeline, &before);
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        int stages = opevo_pipeline_stage_count(pipeline);
        opevo_stage_info info = opevo_pipeline_stage(pipeline, step->stage);
        opevo_stage_info now;

        opevo_memory_fail_at(n);
        status = opevo_pipeline_apply(pipeline, step, NULL);
        opevo_memory_fail_at(0);
        if (status == OPEVO_OK)
            break;
        assert_int_equal(status, OPEVO_NOMEM);
        assert_int_equal(opevo_pipeline_stage_count(pipeline), stages);
        now = opevo_pipeline_stage(pipeline, step->stage);
        assert_int_equal(now.kind, info.kind);
        assert_int_equal(now.loops, info.loops);
        assert_int_equal(now.dims, info.dims);
        opevo_text_clear(&after);
        opevo_pipeline_print(pipeline, &after);
        assert_string_equal(opevo_text_string(&before), opevo_text_string(&after));
    }
    opevo_text_free(&before);
    opevo_text_free(&after);
}

/* Steps and the kernel of these are the same after any allocation has failed, and nothing is
 * lost. */
static void check_in_need(const char *what, const char *steps)
{
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_kernel right = emit_kernel(what, steps);
    int64_t alive = 0;
    opevo_status status = OPEVO_NOMEM;
    opevo_computation *computation = NULL;
    opevo_pipeline *given = NULL, *pipeline = NULL;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &given, &err));
    CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
    for (size_t i = 0; i < opevo_pipeline_step_count(given); i++)
        apply_in_need(pipeline, opevo_pipeline_step_get(given, i));
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = false;

        opevo_memory_fail_at(n);
        status = opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        if (status == OPEVO_OK)
            assert_string_equal(opevo_text_string(&kernel.source),
                                opevo_text_string(&right.source));
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
        assert_int_equal(opevo_memory_live(), alive);
    }
    opevo_kernel_free(&right);
    opevo_pipeline_destroy(given);
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
}

CHECK_TEST(test_without_memory)
{
    check_in_need("matmul(37,29,53)", "cache_write C local\nsplit C i 4\ncompute_at C.local C i.0\n"
                                      "cache_read A packed C.local\n");
    check_in_need("matmul(37,29,53)", "split C i 4\nsplit C j 16\nreorder C i.0 j.0 k i.1 j.1\n"
                                      "annotate C j.1 vectorize\nannotate C i.1 unroll\n"
                                      "accumulate C j.0\n");
    check_in_need("matmul(8,512,8)", "split C k 16\nrfactor C k.1 2\nannotate C k.1 unroll\n");
    check_in_need("A[1024]; B[1024]; C[i:1024] = select(i < 1 or A[i] > 0, 0, B[i - 1])",
                  "split C i 16\nannotate C i.1 vectorize\n");
}

/* ---- The deepest statements ---- */

enum { SMALL_STACK = (CHECK_ADDRESSES ? 64 : 4) << 20 };

/* A chain of definitions of so many nested operations each, the innermost on the one before. */
static void write_deep(opevo_text *out, const char *form, int definitions, int depth)
{
    const char *inner = strchr(form, '$');

    opevo_text_add(out, "A[i:32]");
    for (int n = 0; n < definitions; n++) {
        opevo_text_printf(out, "; T%d[i:32] = ", n);
        for (int d = 0; d < depth; d++)
            opevo_text_add_bytes(out, form, (size_t)(inner - form));
        opevo_text_printf(out, n ? "T%d[i]" : "A[i]", n - 1);
        for (int d = 0; d < depth; d++)
            opevo_text_add(out, inner + 1);
    }
}

typedef struct deep_case {
    opevo_pipeline *pipeline;
    opevo_kernel_dialect dialect;
    opevo_kernel kernel;
    bool fits;
} deep_case;

static void *emit_deep(void *context)
{
    deep_case *self = context;
    opevo_limits limits = opevo_limits_default(self->dialect);
    opevo_text why = {0};
    opevo_error error = {OPEVO_OK, ""};

    if (opevo_pipeline_emit(self->pipeline, self->dialect, &limits, &self->kernel, &self->fits,
                            &why, &error) != OPEVO_OK)
        self->fits = false;
    opevo_text_free(&why);
    return NULL;
}

static void emit_on_stack(deep_case *self, size_t stack)
{
    pthread_attr_t attributes;
    pthread_t thread;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, emit_deep, self), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(self->fits);
    pthread_attr_destroy(&attributes);
    opevo_kernel_free(&self->kernel);
    opevo_pipeline_destroy(self->pipeline);
}

/* As deep as can be. */
static opevo_computation *read_deep(const char *form, int definitions)
{
    opevo_computation *computation = NULL;

    for (int depth = OPEVO_COMPUTATION_DEPTH; !computation; depth--) {
        opevo_text text = {0};

        assert_true(depth > OPEVO_COMPUTATION_DEPTH / 3);
        write_deep(&text, form, definitions, depth);
        opevo_computation_parse(opevo_text_string(&text), "deep", NULL, 0, &computation, NULL);
        opevo_text_free(&text);
    }
    return computation;
}

/* All definitions but the last are inlined. */
static void check_deep(const char *form, int definitions, const char *vectors,
                       opevo_kernel_dialect dialect)
{
    opevo_computation *computation = read_deep(form, definitions);
    deep_case one = {.dialect = dialect};
    opevo_text steps = {0};

    for (int n = 0; n + 1 < definitions; n++)
        opevo_text_printf(&steps, "inline T%d\n", n);
    opevo_text_printf(&steps, vectors, definitions - 1, definitions - 1);
    CHECK_OK(
        opevo_pipeline_parse(computation, opevo_text_string(&steps), "steps", &one.pipeline, &err));
    emit_on_stack(&one, SMALL_STACK);
    opevo_computation_destroy(computation);
    opevo_text_free(&steps);
}

/* As many stages as a pipeline has, of as many nested operations as a definition has, become one
 * statement on a small stack. */
CHECK_TEST(test_deep)
{
    static const char *const forms[] = {
        "($ + 1)", "(1 - $)", "max(1, $)", "-$", "select(i < 3, $, 1)", "select($ > 0, 1, i)"};
    static const char vectors[] = "split T%d i 16\nannotate T%d i.1 vectorize\n";

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        check_deep(forms[i], OPEVO_PIPELINE_STAGES - 1, "", OPEVO_KERNEL_C);
        check_deep(forms[i], 8, vectors, OPEVO_KERNEL_C);
    }
    check_deep(forms[0], OPEVO_PIPELINE_STAGES - 1, vectors, OPEVO_KERNEL_C);
    check_deep(forms[0], OPEVO_PIPELINE_STAGES - 1, "", OPEVO_KERNEL_EMULATION);
}

/* A condition of as many comparisons as nest. */
CHECK_TEST(test_deep_condition)
{
    opevo_computation *computation = NULL;
    deep_case one = {.dialect = OPEVO_KERNEL_C};
    opevo_text text = {0};

    opevo_text_add(&text, "A[i:32]; C[i:32] = select(0 < i");
    for (int n = 0; n < OPEVO_COMPUTATION_DEPTH - 3; n++)
        opevo_text_add(&text, " and i < 31");
    opevo_text_add(&text, ", A[i], 0)");
    CHECK_OK(
        opevo_computation_parse(opevo_text_string(&text), "deep", NULL, 0, &computation, &err));
    CHECK_OK(opevo_pipeline_create(computation, &one.pipeline, &err));
    emit_on_stack(&one, SMALL_STACK / 4);
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
}
