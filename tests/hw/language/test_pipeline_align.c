/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Padded rows of stages: strides, memory, and kernels against the interpreter. */

#include "pipeline_fixture.h"

#include "pipeline_internal.h"

/* The stride is the least one, not below what the inner dimensions take, that is the offset modulo
 * the factor. */
CHECK_TEST(test_strides)
{
    opevo_i_pipeline_stage stage = {.align_factor = {0}};

    assert_int_equal(opevo_i_pipeline_stride(&stage, 0, 11), 11);
    for (int64_t factor = 1; factor <= 9; factor++) {
        for (int64_t offset = 0; offset <= 20; offset++) {
            stage.align_factor[1] = factor;
            stage.align_offset[1] = offset;
            for (int64_t inside = 1; inside <= 40; inside++) {
                int64_t least = inside;

                while (least % factor != offset % factor)
                    least++;
                assert_int_equal(opevo_i_pipeline_stride(&stage, 1, inside), least);
            }
        }
    }
}

/* The padding is in the memory of the kernel, whose results stay right. */
CHECK_TEST(test_aligned_rows)
{
    static const struct {
        const char *steps;
        int64_t elements; /* of C */
    } rows[] = {{"", 64 * 21},
                {"storage_align C i 16 0\n", 64 * 32},
                {"storage_align C i 16 5\n", 64 * 21},
                {"storage_align C i 32 1\nsplit C j 7\nannotate C j.1 vectorize\n", 64 * 33},
                {"storage_align C j 4 0\n", 64 * 21 * 4},
                {"storage_align C j 4 0\nstorage_align C i 16 1\n", 64 * 97}};
    pipeline_case operands =
        case_make("A[i:64, k:9]; B[k, j:21]; C[i, j] = sum(k) A[i, k]*B[k, j]; "
                  "D[i, j] = C[i, j] + C[i, 20 - j]",
                  3);
    uint64_t dense = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = false;

        CHECK_OK(
            opevo_pipeline_parse(operands.computation, rows[i].steps, "steps", &pipeline, &err));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
        assert_true(fits && case_check(&operands, pipeline, OPEVO_KERNEL_C, &why));
        dense = i ? dense : kernel.scratch_bytes;
        assert_int_equal(kernel.scratch_bytes - dense, 4 * (rows[i].elements - rows[0].elements));
        opevo_kernel_free(&kernel);
        opevo_pipeline_destroy(pipeline);
        opevo_text_free(&why);
    }
    case_free(&operands);
    batch_run();
}

CHECK_TEST(test_align_refused)
{
    static const struct {
        const char *steps, *message;
    } cases[] = {
        {"storage_align D i 4 0\n", "D has the layout that it is passed in"},
        {"storage_align A i 4 0\n", "A has no loops."},
        {"storage_align C k 4 0\n", "takes a loop that is a whole dimension of C"},
        {"split C i 2\nstorage_align C i.1 4 0\n", "takes a loop that is a whole dimension of C"},
        {"storage_align C i 4\n", "a factor and an offset"},
        {"storage_align C i 0 0\n", "a factor from 1 to 65536 and an offset from 0 to 65536"},
        {"storage_align C i 4 -1\n", "a factor from 1 to 65536 and an offset from 0 to 65536"},
        {"cache_read C packed D\nstorage_align C.packed i 4 1\nlayout C.packed 1 1 0 1\n",
         "C.packed has aligned rows"},
    };
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;

    CHECK_OK(opevo_computation_read("A[i:8, k:9]; B[k, j:7]; C[i, j] = sum(k) A[i, k]*B[k, j]; "
                                    "D[i, j] = C[i, j]*2",
                                    &computation, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(OPEVO_INVALID, cases[i].message,
                    opevo_pipeline_parse(computation, cases[i].steps, "steps", &pipeline, &err));
    opevo_computation_destroy(computation);
}
