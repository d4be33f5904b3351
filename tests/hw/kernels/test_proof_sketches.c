/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of points of sketches and templates, in C, CUDA and OpenCL C, are proved. */

#include "sketch_fixture.h"

#include "proof_clang.h"
#include "proof_made.h"
#include "sketch_draw.h"

#include <opevo/computation_named.h>
#include <opevo/random_allowed.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 12 };

static char folder[64], path[128];
static size_t kernels, undecided;

static const char *const computations[] = {
    "matmul(12,30,32)",
    "matmul(3,40,5)",
    "softmax(5,30)",
    "c2d(1,8,8,4,8,3,1,1)",
    "conv-layer(1,9,7,3,11,3,1,1)",
    "gmm(3,8,16,12)",
    "layer-norm(5,70)",
    ("A[i:9, j:40]; M[i] = max(j) A[i, j]; D[i, j] = exp(A[i, j] - M[i]); S[i] = sum(j) D[i, j]; "
     "V[i] = 1/S[i]"),
    "A[i:6, k:20]; B[k, j:17]; C[i, j] = sum(k) A[i, k]*B[k, j]; D[i, j] = max(C[i, j], 0)",
    "X[n:1, a:12, b:12, c:6]; M[n, h:6, w:6, c] = max(r:2, s:2) X[n, 2*h + r, 2*w + s, c]",
    "X[i:7, j:19]; Y[i, j] = 0.5*X[i, j]*(1 + erf(X[i, j]*0.70710678)) + tanh(X[i, j])",
};

static opevo_proof prove(const opevo_computation *computation, const opevo_kernel *kernel)
{
    opevo_proof proof;
    FILE *file;

    snprintf(path, sizeof path, "%s/kernel.%s", folder, made_ending(kernel->dialect));
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(opevo_text_string(&kernel->source), file);
    fclose(file);
    CHECK_OK(made_prove(computation, kernel, path, &proof, &err));
    if (proof.verdict == OPEVO_PROOF_PROVED) /* else somebody wants to see it */
        (void)unlink(path);
    return proof;
}

static size_t check_point(const char *what, const opevo_computation *computation,
                          const opevo_kernel_maker *maker, opevo_index point)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_proof proof;

    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    opevo_text_free(&why);
    if (refused != OPEVO_OUTCOME_OK) {
        opevo_kernel_free(&kernel); /* it breaks a limit of devices */
        return 0;
    }
    proof = prove(computation, &kernel);
    kernels++;
    if (proof.verdict == OPEVO_PROOF_UNDECIDED) {
        print_message("%s: undecided: %s\n", what, proof.reason);
        undecided++;
    } else if (proof.verdict != OPEVO_PROOF_PROVED)
        fail_msg("%s: %s: %s\n%s", what, opevo_proof_verdict_name(proof.verdict), proof.reason,
                 opevo_text_string(&kernel.source));
    opevo_kernel_free(&kernel);
    return 1;
}

static size_t check_computation(const char *what, opevo_kernel_dialect dialect, size_t points)
{
    const unsigned threads = opevo_kernel_is_for_cpu(dialect) ? 2 : 1;
    const opevo_sketch_target target = {.dialect = dialect, .cores = 2, .threads = threads};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    size_t proved = 0;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    for (size_t i = 0; i < points; i++) {
        opevo_kernel_maker *maker = NULL;
        opevo_index point;
        opevo_rng rng;

        CHECK_OK(opevo_sketches_open(opevo_computation_share(computation), &target, &maker, &err));
        opevo_rng_init(&rng, i, what, 0);
        if (draw_in(&rng, maker->space, sketches, i % sketches->count, &point))
            proved += check_point(what, computation, maker, point);
        maker->ops->destroy(maker);
    }
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    return proved;
}

static void check_dialect(opevo_kernel_dialect dialect)
{
    size_t proved = 0, points = test_size(1, POINTS);

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t i = 0; i < sizeof computations / sizeof *computations; i++)
        proved += check_computation(computations[i], dialect, points);
    print_message("%zu kernels, %zu undecided\n", kernels, undecided);
    assert_true(proved >= points * sizeof computations / sizeof *computations / 2);
    assert_int_equal(undecided, 0);
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

CHECK_TEST(test_opencl_on_cpus)
{
    check_dialect(OPEVO_KERNEL_OPENCL_CPU);
}

/* A row of 100 that threads divide into tiles which vectors of 16 do not: what a vector runs too
 * far is another thread's. */
CHECK_TEST(test_tiles_of_threads)
{
    static const char what[] = "matmul(1,24,100)";
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    CHECK_OK(opevo_sketches_open(opevo_computation_share(computation), &target, &maker, &err));
    for (size_t i = sketches->count - 1; i < 3 * sketches->count; i += sketches->count) {
        opevo_index point;
        opevo_rng rng;

        opevo_rng_init(&rng, i, what, 0);
        assert_true(draw_in(&rng, maker->space, sketches, sketches->count - 1, &point));
        check_point(what, computation, maker, point);
    }
    maker->ops->destroy(maker);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

/* Templates of several threads: loops that these share, and constants that are packed before. */
CHECK_TEST(test_templates)
{
    static const struct {
        const char *op, *name;
    } table[] = {{"conv2d(1,5,7,7,11,3,3,1,1)", "weights"},
                 {"conv2d(2,8,6,6,8,3,3,2,0)", "weights"},
                 {"conv2d(2,3,9,8,5,3,3,2,1)", "cpu"},
                 {"matmul(24,20,40,TN)", "cpu"}};
    size_t points = test_size(2, POINTS), before = undecided;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opevo_kernel_maker *maker = NULL;
        opevo_operator op;
        opevo_rng rng;

        CHECK_OK(opevo_operator_parse(table[i].op, &op, &err));
        CHECK_OK(opevo_template_open_threads(&op, table[i].name, OPEVO_KERNEL_C, 2, &maker, &err));
        opevo_rng_init(&rng, i, table[i].op, 0);
        for (size_t p = 0, tries = 0; p < points && tries < 100 * points; tries++) {
            opevo_index point = opevo_rng_point(&rng, maker->space);

            if (opevo_space_allows(maker->space, point))
                p += check_point(table[i].op, maker->computation, maker, point);
        }
        maker->ops->destroy(maker);
    }
    assert_int_equal(undecided, before);
}

int main(void)
{
    int failed;

    snprintf(folder, sizeof folder, "/tmp/opevo-proof-XXXXXX");
    if (!mkdtemp(folder) || setenv("OPEVO_KERNELS", OPEVO_TEST_KERNELS, 1) != 0)
        return 1;
    failed = check_tests(NULL, NULL);
    snprintf(path, sizeof path, "%s/empty.c", folder);
    unlink(path);
    rmdir(folder);
    return failed;
}
