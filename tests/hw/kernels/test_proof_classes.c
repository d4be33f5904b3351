/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for classes of computations, in C, CUDA and OpenCL C, are proved for members: on the grid
 * that follows from the numbers, with all accesses of the dense arrays checked. Spoilt ones are
 * refuted. */

#include "sketch_points.h"

#include "proof_clang.h"
#include "proof_made.h"
#include "remove_tree.h"

#include <opevo/pipeline_class.h>
#include <opevo/sketch.h>

#include <stdlib.h>
#include <unistd.h>

static char folder[64], path[128];

/* A class, a member whose schedules it gets, and the numbers at which it is proved. */
typedef struct proved_class {
    const char *text, *member;
    int64_t numbers[3][OPEVO_CLASS_NUMBERS];
} proved_class;

static const proved_class classes[] = {
    {"matmul(1..40,12,10)", "matmul(16,12,10)", {{1}, {17}, {40}}},
    {"matmul(1..40,1..14,1..30)", "matmul(16,12,10)", {{1, 1, 1}, {23, 5, 17}, {40, 14, 30}}},
    {"softmax(1..30,14)", "softmax(8,14)", {{1}, {11}, {30}}},
    {"conv2d(1..5,2,6,5,4,3,3,1,1)", "conv2d(2,2,6,5,4,3,3,1,1)", {{1}, {3}, {5}}},
};
enum { CLASSES = sizeof classes / sizeof *classes, MEMBERS = 3 };

/* The kernel with `from` as `to`, or as it is for NULL; false where the text has no `from`. */
static bool write_kernel(const opevo_kernel *kernel, const char *from, const char *to)
{
    const char *text = opevo_text_string(&kernel->source);
    const char *found = from ? strstr(text, from) : text;
    FILE *file = NULL;

    if (!found)
        return false;
    snprintf(path, sizeof path, "%s/kernel.%s", folder, made_ending(kernel->dialect));
    file = fopen(path, "w");
    assert_non_null(file);
    if (from)
        fprintf(file, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
    else
        fputs(text, file);
    fclose(file);
    return true;
}

static opevo_proof prove_member(const opevo_class *of, const opevo_kernel *kernel,
                                const int64_t *numbers)
{
    int64_t arguments[OPEVO_KERNEL_ARGUMENTS];
    opevo_computation *member = NULL;
    opevo_text text = {0};
    opevo_proof proof;

    opevo_class_arguments(of, numbers, arguments);
    opevo_class_print_member(of, numbers, &text);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), &member, &err));
    CHECK_OK(made_prove_for(member, kernel, arguments, path, &proof, &err));
    opevo_computation_destroy(member);
    opevo_text_free(&text);
    return proof;
}

/* An extent that is taken for one more: wrong wherever blocks or tiles have room for it. */
static bool is_refuted_spoilt(const opevo_class *of, const opevo_kernel *kernel,
                              const int64_t *numbers)
{
    return write_kernel(kernel, " = n0;", " = n0 + 1;") &&
           prove_member(of, kernel, numbers).verdict == OPEVO_PROOF_REFUTED;
}

static void check_kernel(const proved_class *one, const opevo_class *of, const opevo_kernel *kernel,
                         int *spoilt)
{
    assert_true(write_kernel(kernel, NULL, NULL));
    for (int i = 0; i < MEMBERS; i++) {
        opevo_proof proof = prove_member(of, kernel, one->numbers[i]);

        if (proof.verdict != OPEVO_PROOF_PROVED)
            fail_msg("%s with %lld: %s: %s\n%s", one->text, (long long)one->numbers[i][0],
                     opevo_proof_verdict_name(proof.verdict), proof.reason,
                     opevo_text_string(&kernel->source));
    }
    *spoilt += is_refuted_spoilt(of, kernel, one->numbers[1]);
}

static void check_class(const proved_class *one, opevo_kernel_dialect dialect, int points,
                        int *proved, int *spoilt)
{
    const opevo_sketch_target target = {.dialect = dialect, .cores = 2, .threads = 1};
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_class *of = NULL;
    opevo_computation *member = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, 3, one->text, 0);
    CHECK_OK(opevo_class_read(one->text, &of, &err));
    CHECK_OK(opevo_computation_read(one->member, &member, &err));
    CHECK_OK(opevo_sketches_open(member, &target, &maker, &err));
    for (int i = 0; i < points; i++) {
        opevo_pipeline *pipeline = NULL, *whole = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = false;

        CHECK_OK(opevo_sketches_pipeline(maker, draw_allowed(&rng, maker->space), &pipeline, &why,
                                         &err));
        if (pipeline) {
            CHECK_OK(opevo_pipeline_for_class(pipeline, of, &whole, &err));
            CHECK_OK(opevo_pipeline_emit(whole, dialect, &limits, &kernel, &fits, &why, &err));
        }
        if (fits)
            check_kernel(one, of, &kernel, spoilt);
        *proved += fits;
        opevo_kernel_free(&kernel);
        opevo_pipeline_destroy(pipeline);
        opevo_pipeline_destroy(whole);
        opevo_text_free(&why);
    }
    maker->ops->destroy(maker);
    opevo_class_destroy(of);
}

static void check_dialect(opevo_kernel_dialect dialect)
{
    int proved = 0, spoilt = 0, points = (int)test_size(1, 8);

    snprintf(folder, sizeof folder, "/tmp/opevo-classes-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("OPEVO_KERNELS", OPEVO_TEST_KERNELS, 1), 0);
    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (int i = 0; i < CLASSES; i++)
        check_class(&classes[i], dialect, points, &proved, &spoilt);
    print_message("%d kernels are proved, %d are refuted when they are spoilt\n", proved, spoilt);
    assert_true(2 * proved >= points * CLASSES);
    assert_true(2 * spoilt > proved);
    remove_tree(folder);
}

CHECK_TEST(test_c)
{
    check_dialect(OPEVO_KERNEL_C);
}

CHECK_TEST(test_cuda)
{
    check_dialect(OPEVO_KERNEL_CUDA);
}

CHECK_TEST(test_opencl)
{
    check_dialect(OPEVO_KERNEL_OPENCL);
}
