/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CUDA and HIP text: what a launch depends on stands in it, and it is valid C++ once the words of
 * these languages mean something to a plain compiler. And the check of emulated kernels notices a
 * barrier that is missing. */

#include "cxx_fixture.h"
#include "kernel_fixture.h"

#include "lower_pipeline_internal.h"
#include "print_internal.h"

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        count++;
    return count;
}

/* The named point of the paper's template, as CUDA. */
static opevo_kernel make(const char *form, const char *name, const char *point,
                         opevo_kernel_dialect dialect)
{
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;
    opevo_index index = 0;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_template_open(&op, name, dialect, &maker, &err));
    CHECK_OK(opevo_space_read(maker->space, point, &index, &err));
    CHECK_OK(maker->ops->make(maker, index, &kernel, &refused, &why, &err));
    if (refused != OPEVO_OUTCOME_OK)
        fail_msg("%s", opevo_text_string(&why));
    opevo_text_free(&why);
    maker->ops->destroy(maker);
    return kernel;
}

/* TVM's schedule for a large product: two buffers of both tiles, 2 (BN + BM) BK floats. */
CHECK_TEST(test_paper_matmul)
{
    opevo_kernel kernel =
        make("mm1", "paper", "K=64,16,1 X=8,1,16,4 Y=16,2,16,2", OPEVO_KERNEL_CUDA);
    const char *text = opevo_text_string(&kernel.source);

    assert_memory_equal(kernel.entry, "opevo_computation_", 18);
    assert_int_equal(count_of(text, kernel.entry), 1);
    assert_true(kernel.grid[0] == 16 && kernel.grid[1] == 8 && kernel.grid[2] == 1);
    assert_true(kernel.block[0] == 16 && kernel.block[1] == 16 && kernel.block[2] == 1);
    assert_int_equal(kernel.dynamic_shared_bytes, 0);
    assert_non_null(strstr(text, "extern \"C\" __global__ void __launch_bounds__(256)"));
    assert_non_null(strstr(text, "[2048];")); /* 2 x 64 x 16 */
    assert_int_equal(count_of(text, "__shared__"), 2);
    assert_int_equal(count_of(text, "__syncthreads();"), 2); /* before the loop, and in it */
    assert_non_null(strstr(text, "float4"));
    assert_int_equal(count_of(text, "#include"), 0);
    opevo_kernel_free(&kernel);
}

CHECK_TEST(test_paper_batch)
{
    opevo_kernel kernel =
        make("bmm3", "paper", "B=480,2 K=8,8,1 X=2,2,8,4 Y=4,1,16,2", OPEVO_KERNEL_HIP);

    assert_true(kernel.grid[0] == 4 && kernel.grid[1] == 2 && kernel.grid[2] == 480);
    assert_true(kernel.block[0] == 16 && kernel.block[1] == 8 && kernel.block[2] == 2);
    /* Both matrices of a block: 2 (two buffers) x 2 x 64 x 8 and 2 x 2 x 32 x 8 floats. */
    assert_non_null(strstr(opevo_text_string(&kernel.source), "[2048];"));
    assert_non_null(strstr(opevo_text_string(&kernel.source), "[1024];"));
    opevo_kernel_free(&kernel);
}

CHECK_TEST(test_paper_conv2d)
{
    opevo_kernel kernel = make("c2", "paper",
                               "tile_f=12,2,8,1 tile_y=3,1,9,1 tile_x=9,3,1,1 tile_rc=16,4 "
                               "tile_ry=1,5 tile_rx=5,1 auto_unroll_max_step=125 unroll_explicit=0",
                               OPEVO_KERNEL_CUDA);
    const char *text = opevo_text_string(&kernel.source);

    assert_true(kernel.grid[0] == 9 && kernel.grid[1] == 3 && kernel.grid[2] == 512 * 12);
    assert_true(kernel.block[0] == 1 && kernel.block[1] == 9 && kernel.block[2] == 8);
    assert_non_null(strstr(text, "[156];")); /* rc (BY - 1 + ry) (BX - 1 + rx) = 4 x 13 x 3 */
    assert_non_null(strstr(text, "#pragma unroll"));
    assert_int_equal(count_of(text, "__syncthreads();"), 2);
    opevo_kernel_free(&kernel);
}

/* More than what a block has without asking. */
CHECK_TEST(test_dynamic_shared)
{
    opevo_kernel kernel =
        make("mm1", "tiled",
             "K=32,32,1 X=4,2,16,4 Y=8,2,16,4 vector=4 pitch=4 buffers=2 unroll=0 slices=1",
             OPEVO_KERNEL_CUDA);
    const char *text = opevo_text_string(&kernel.source);

    /* Two buffers of both tiles, of padded rows. */
    assert_int_equal(kernel.dynamic_shared_bytes, 4 * 2 * (2 * 32 * (128 + 4)));
    assert_non_null(strstr(text, "extern __shared__ __align__(16) float shared_memory[];"));
    opevo_kernel_free(&kernel);
}

/* Tensors of 2^31 elements or more need wider indices. */
CHECK_TEST(test_wide_indices)
{
    opevo_kernel kernel = make("matmul(65536,64,65536)", "paper",
                               "K=8,8,1 X=1024,2,8,4 Y=1024,2,8,4", OPEVO_KERNEL_CUDA);

    assert_non_null(strstr(opevo_text_string(&kernel.source), "const long long v"));
    opevo_kernel_free(&kernel);
    kernel = make("mm1", "paper", "K=64,16,1 X=8,1,16,4 Y=16,2,16,2", OPEVO_KERNEL_CUDA);
    assert_null(strstr(opevo_text_string(&kernel.source), "long long"));
    opevo_kernel_free(&kernel);
}

/* Random points of all GPU templates. */
CHECK_TEST(test_syntax)
{
    static const char *const forms[] = {"matmul(34,48,64)", "batch_matmul(4,16,12,24,TN)",
                                        "conv2d(2,4,10,12,8,3,3,1,1)"};
    opevo_rng rng;

    if (!has_cxx())
        CHECK_SKIP("no C++ compiler (Debian: g++)");
    opevo_rng_init(&rng, 1, "syntax", 0);
    for (size_t i = 0; i < 12; i++) {
        opevo_operator op;
        opevo_kernel_maker *maker = NULL;
        int left = 100;
        bool done = false;

        CHECK_OK(opevo_operator_parse(forms[i % 3], &op, &err));
        CHECK_OK(opevo_template_open(&op, i % 2 ? "paper" : "tiled",
                                     i % 4 < 2 ? OPEVO_KERNEL_CUDA : OPEVO_KERNEL_HIP, &maker,
                                     &err));
        while (!done && left--) {
            opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
            opevo_kernel kernel = {0};
            opevo_outcome_class refused = OPEVO_OUTCOME_OK;
            opevo_text why = {0};

            CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
            done = refused == OPEVO_OUTCOME_OK;
            if (done)
                cxx_check(&kernel.source, forms[i % 3]);
            opevo_kernel_free(&kernel);
            opevo_text_free(&why);
        }
        assert_true(done);
        maker->ops->destroy(maker);
    }
}

/* ---- Spoilt kernels ---- */

/* How many elements are wrong. */
static int64_t count_wrong(operands *self, const opevo_kernel *kernel, const char *source)
{
    void *handle = source_load(source);
    kernel_function *function = NULL;
    opevo_i_reference_guarded scratch;
    int64_t wrong = 0;

    assert_non_null(handle);
    *(void **)&function = dlsym(handle, kernel->entry);
    memset(self->c, 0xff, (size_t)opevo_operand_elements(&self->op, 2) * sizeof *self->c);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(kernel, 1), false,
                                              &scratch, &err));
    function(self->a, self->b, self->c, opevo_i_reference_floats(&scratch));
    for (int64_t i = 0; i < opevo_operand_elements(&self->op, 2); i++)
        wrong += !(fabs((double)self->c[i] - (double)self->expected[i]) <=
                   opevo_reference_bound(&self->op, 0, self->magnitude[i]));
    opevo_i_reference_guarded_free(&scratch);
    dlclose(handle);
    return wrong;
}

/* Each thread reads what others have not yet copied. */
CHECK_TEST(test_missing_barrier)
{
    operands self = operands_make("matmul(16,16,16)", 3);
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_EMULATION);
    steps made;
    opevo_i_nest *nest = NULL;
    opevo_kernel kernel = {0};

    made = steps_of(&self.op, "annotate C i block.x\nannotate C j thread.x\nsplit C k 4\n"
                              "cache_read A shared C\ncompute_at A.shared C k.0\n"
                              "annotate A.shared k thread.x\n");
    CHECK_OK(opevo_i_pipeline_lower(made.pipeline, &nest, &err));
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        opevo_i_print_nest_print(nest, OPEVO_KERNEL_EMULATION, &limits, &kernel);
        if (spoilt)
            assert_true(count_wrong(&self, &kernel, opevo_text_string(&kernel.source)) > 0);
        else
            assert_int_equal(count_wrong(&self, &kernel, opevo_text_string(&kernel.source)), 0);
        opevo_kernel_free(&kernel);
        for (opevo_i_nest_node *node = nest->nodes; node; node = node->made_before) {
            if (node->kind == OPEVO_I_SYNC)
                node->kind = OPEVO_I_LIST;
        }
    }
    opevo_i_nest_destroy(nest);
    steps_free(&made);
    operands_free(&self);
}

/* One term too few is noticed. */
CHECK_TEST(test_missing_term)
{
    operands self = operands_make("matmul(8,8,8)", 3);
    steps made;
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;
    char *source = NULL;
    char *last = NULL;

    made = steps_of(&self.op, "");
    CHECK_OK(
        opevo_pipeline_emit(made.pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
    assert_true(fits);
    source = opevo_strdup(opevo_text_string(&kernel.source));
    assert_int_equal(count_wrong(&self, &kernel, source), 0);
    for (char *at = source; (at = strstr(at, "< 8;")) != NULL; at++)
        last = at;
    assert_non_null(last);
    if (last)
        last[2] = '7';
    assert_int_equal(count_wrong(&self, &kernel, source), 64);
    opevo_free(source);
    opevo_kernel_free(&kernel);
    steps_free(&made);
    operands_free(&self);
}
