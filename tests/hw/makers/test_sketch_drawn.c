/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of points of sketches of drawn computations against the interpreter, for CPUs and, by the
 * emulation, for GPUs: the start point and random ones. OPEVO_TEST_GRAPHS raises the number of
 * computations, OPEVO_TEST_SEED is the first of them, OPEVO_TEST_POINTS raises the number of
 * points. */

#include "sketch_points.h"

#include "computation_draw.h"

enum { COMPUTATIONS = 32 };

static void check_all(const opevo_sketch_target *target)
{
    size_t first = test_count("OPEVO_TEST_SEED", 0), count = test_graphs(COMPUTATIONS);
    drawn_counts counts = {0, 0};

    for (uint64_t seed = first; seed < first + count; seed++) {
        choices bytes = {.state = opevo_hash_mix(seed)};
        opevo_text text = {0};

        draw_computation(&bytes, &text);
        check_drawn(opevo_text_string(&text), target, seed, &counts);
        opevo_text_free(&text);
    }
    batch_run();
    print_message("%zu points, of which %zu were rejected\n", counts.points, counts.rejected);
    assert_true(counts.points >= count && 2 * counts.rejected <= counts.points);
}

/* A scalar beside an operand of the vectors; outputs of which parts are packed, divided among cases
 * and among threads, or read element by element; a branch that is never taken where loops are
 * written out; copies of one element in shared memory. */
static const char *const texts[] = {
    "s[] = sum(k:8) A[k]; C[i:64, j:64] = sum(l:64) X[i,l]*Y[l,j]*s[]",
    "output P[a:64, b:13] = A[a]*B[b]; C[i:12, j:8] = sum(m:3) P[m,i]*X[j,m]",
    "output C[i:16, j:16] = sum(k:16) A[i,k]*B[k,j]; D[i,j] = max(C[i,j], 0)",
    "output R[i:4, j:4, x:9] = select(i == 0, X[j,x], select(i == 1, 2*X[j,x], X[j,x] - 1)); "
    "V[i,j,x] = select(j == 0, R[i,0,x], select(j == 1, R[i,1,x] + R[i,2,x], R[i,3,x]))",
    "output M[i:9] = max(j:70) A[i,j]; D[i,j] = exp(A[i,j] - M[i])",
    "T3[a:1] = sum(m:3) (B[a,m]); "
    "T4[i:1, j:1] = sum(k:7, l:2) (select(0 <= 0 - k < 1, T3[0 - k], 0)/(1 + A[i,l]*A[i,l]))",
    "A[]; B[64]; T[i:64, j:64] = sum(k:40) max(A[], B[k]*A[])*B[3]",
};

CHECK_TEST(test_texts)
{
    drawn_counts counts = {0, 0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            for (size_t k = 0; k < DRAWN_TARGETS; k++) {
                if (test_takes(i + k, seed, 2))
                    check_drawn(texts[i], &drawn_targets[k], seed, &counts);
            }
        }
    }
    batch_run();
    assert_true(counts.points > 0 && counts.rejected == 0);
}

/* Thirty products in a row leave more open than a space can hold: some of them in each sketch have
 * parameters, and all of them in some. */
CHECK_TEST(test_row_of_products)
{
    enum { PRODUCTS = 30 };
    bool open[PRODUCTS] = {false};
    opevo_text text = {0};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    drawn_counts counts = {0, 0};
    pipeline_case operands;
    const opevo_parameter *which = NULL;

    opevo_text_add(&text, "T0[i0:24, j0:16]; B[16, 16]");
    for (int n = 1; n <= PRODUCTS; n++)
        opevo_text_printf(&text,
                          "; T%d[i%d:24, j%d:16] = sum(k%d:16) 0.25*T%d[i%d, k%d]*B[k%d, j%d]", n,
                          n, n, n, n - 1, n, n, n, n);
    CHECK_OK(opevo_computation_read(opevo_text_string(&text), &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &drawn_targets[0], &maker, &err));
    which = opevo_space_parameter(maker->space, 0);
    assert_string_equal(opevo_parameter_name(which), "sketch");
    assert_in_range(opevo_parameter_size(which), 2, 200);
    for (size_t i = 1; i < opevo_space_parameter_count(maker->space); i++) {
        const char *name = opevo_parameter_name(opevo_space_parameter(maker->space, i));
        const char *dot = strrchr(name, '.');
        int number = 0;

        if (sscanf(dot ? dot + 1 : name, "T%d_", &number) == 1)
            open[number - 1] = true;
    }
    for (int n = 0; n < PRODUCTS; n++)
        assert_true(open[n]);
    operands = case_make(opevo_text_string(&text), 1);
    check_drawn_points(&operands, maker, draw_count(2), 1, &counts);
    batch_run();
    assert_true(counts.points > 0 && counts.rejected == 0);
    maker->ops->destroy(maker);
    case_free(&operands);
    opevo_text_free(&text);
}

CHECK_TEST(test_cpu)
{
    check_all(&drawn_targets[0]);
}

CHECK_TEST(test_threads)
{
    check_all(&drawn_targets[1]);
}

CHECK_TEST(test_gpu)
{
    check_all(&drawn_targets[2]);
}
