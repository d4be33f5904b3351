/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations as live objectives: hand-written kernels, right and wrong, each of which must end in
 * its class. */

#include "cache_folder.h"
#include "computation_kernels.h"
#include "finalists.h"
#include "protocol_internal.h"

#include <opevo/computation_named.h>
#include <opevo/parallel.h>
#include <opevo/sketch.h>

static opevo_objective *open_kernel(const computation_kernel *kernel)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    options.run_limit_s = 2;
    options.repeat_s = 0.01;
    CHECK_OK(opevo_live_open(computation_maker_create(kernel), &options, &objective, &err));
    return objective;
}

static opevo_objective *open_sketches(const char *operator_text, unsigned threads)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_C, .cores = threads, .threads = threads};
    opevo_live_options options = opevo_live_defaults();
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;

    options.repeat_s = 0.01;
    CHECK_OK(opevo_computation_read(operator_text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    return objective;
}

static void check_outcome(const computation_kernel *kernel, const spoilt_kernel *spoilt,
                          const opevo_outcome *outcome, int *failures)
{
    const char *said = outcome->message ? outcome->message : "";

    if (outcome->kind == spoilt->kind && (!spoilt->message || strstr(said, spoilt->message)))
        return;
    print_error("%s %s: %s (%s), expected %s (%s)\n", kernel->name, spoilt->name,
                opevo_outcome_name(outcome->kind), said, opevo_outcome_name(spoilt->kind),
                spoilt->message ? spoilt->message : "");
    (*failures)++;
}

/* Every kernel in every way; a hang only once, as each takes as long as the limit. */
CHECK_TEST(test_kernels)
{
    int failures = 0;

    for (size_t k = 0; k < COMPUTATION_KERNELS; k++) {
        opevo_objective *objective = open_kernel(&computation_kernels[k]);
        size_t count = SPOILT_KERNELS - (k > 0);
        opevo_index points[SPOILT_KERNELS];
        opevo_outcome outcomes[SPOILT_KERNELS];

        for (size_t i = 0; i < count; i++)
            points[i] = i;
        CHECK_OK(opevo_objective_evaluate(objective, points, count, outcomes, &err));
        for (size_t i = 0; i < count; i++)
            check_outcome(&computation_kernels[k], &spoilt_kernels[i], &outcomes[i], &failures);
        CHECK_CLOSE(outcomes[0].fitness * outcomes[0].time_s * 1e9 / objective->flop, 1, 1e-9);
        opevo_objective_destroy(objective);
    }
    assert_int_equal(failures, 0);
}

/* The sentence names output and element; the operations are those of the computation. */
CHECK_TEST(test_words)
{
    opevo_objective *objective = open_kernel(&computation_kernels[0]);
    opevo_index off = 1;
    opevo_outcome outcome;

    assert_string_equal(objective->name, "cpu:by-hand c2d(1,9,8,3,5,3,2,1)");
    assert_true(objective->flop > 0 && objective->flop <= 2 * 5 * 4 * 5 * 27);
    CHECK_OK(opevo_objective_evaluate(objective, &off, 1, &outcome, &err));
    assert_non_null(
        strstr(outcome.message, "1 of 100 elements are wrong; the first is O[0, 2, 2, 0], which"));
    opevo_objective_destroy(objective);
    objective = open_kernel(&computation_kernels[6]);
    assert_string_equal(objective->name,
                        "cpu:by-hand A[i:6, k:9]; B[k]; S[i] = sum(k) A[i, k]*B[k]; "
                        "L[i] = max(k) A[i, k]");
    CHECK_OK(opevo_objective_evaluate(objective, &off, 1, &outcome, &err));
    assert_non_null(
        strstr(outcome.message, "1 of 6 elements of L are wrong; the first is L[3], which"));
    opevo_objective_destroy(objective);
}

/* A copy has no operations to count: its result is the time, and its fitness 1/s. */
CHECK_TEST(test_copy)
{
    static const computation_kernel kernel = {"copy", "Y[i:50] = A[i]",
                                              "enum { COUNT = 50 };\n"
                                              "void kernel(const float *first, float *o) { BEFORE\n"
                                              "  for (int i = 0; i < 50; i++) o[i] = first[i];\n"};
    opevo_objective *objective = open_kernel(&kernel);
    opevo_index point = 0;
    opevo_outcome outcome;

    assert_string_equal(objective->unit, "ms");
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    CHECK_CLOSE(outcome.fitness * outcome.time_s, 1, 1e-9);
    opevo_objective_destroy(objective);
}

/* OpenBLAS computes what a computation is made of where that is an operator, on as many threads as
 * the kernels. */
CHECK_TEST(test_library)
{
    static const char *const forms[] = {"matmul(48,32,40)", "batch_matmul(3,17,31,6,NT)",
                                        "conv2d(2,3,9,11,5,3,2,2,1)"};
    unsigned most = opevo_processor_count() > 1 ? 2 : 1;

    for (size_t i = 0; i < most * sizeof forms / sizeof *forms; i++) {
        opevo_objective *objective = open_sketches(forms[i / most], 1 + (unsigned)i % most);
        opevo_finalist finalists[2] = {{.point = objective->starts->points[0].point},
                                       {.point = OPEVO_LIBRARY_POINT}};
        opevo_text library = {0};
        double fitness[2 * 2];

        CHECK_OK(measure_finalists(objective, finalists, 2, 2, NULL, fitness, &library, &err));
        assert_non_null(strstr(opevo_text_string(&library), "OpenBLAS, its kernels for "));
        assert_true(!strstr(opevo_text_string(&library), ", on 2 threads") == !(i % most));
        for (int k = 0; k < 4; k++)
            assert_true(fitness[k] > 0);
        opevo_text_free(&library);
        opevo_objective_destroy(objective);
    }
}

/* A worker believes no setup that gives a computation the library of another. */
CHECK_TEST(test_wrong_library)
{
    static const char *const libraries[] = {"matmul(6,7,8)", "matmul(6,7,9)", "matmul(6,7,8,NT)"};

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        json_t *setup = json_pack("{s:s, s:s}", "computation",
                                  "A[i:6, k:7]\nB[k, j:8]\nC[i, j] = sum(k) A[i, k]*B[k, j]",
                                  "library", libraries[i]);
        opevo_workload *work = NULL;

        if (i == 0)
            CHECK_OK(opevo_i_wire_setup_workload(setup, &work, &err));
        else
            CHECK_FAILS(OPEVO_INVALID, "is for another computation",
                        opevo_i_wire_setup_workload(setup, &work, &err));
        assert_true(!work == (i > 0) && (!work || work->library));
        opevo_workload_destroy(work);
        json_decref(setup);
    }
}

/* OpenBLAS knows no other computations, and the finals say so. */
CHECK_TEST(test_no_library)
{
    opevo_objective *objective = open_kernel(&computation_kernels[2]);
    opevo_finalist finalists[2] = {{.point = 0}, {.point = OPEVO_LIBRARY_POINT}};
    double fitness[2 * 3];
    opevo_text library = {0};

    CHECK_OK(measure_finalists(objective, finalists, 2, 3, NULL, fitness, &library, &err));
    assert_non_null(strstr(opevo_text_string(&library), "the computation is not given as one"));
    assert_true(fitness[0] > 0 && fitness[3] == 0);
    opevo_text_free(&library);
    opevo_objective_destroy(objective);
}

/* Few elements without a bound are told, and so would be a reference that takes long. */
CHECK_TEST(test_told)
{
    static const computation_kernel kernel = {
        "root", "Y[i:50] = sqrt(A[i] - B[i])",
        "enum { COUNT = 50 };\n"
        "void kernel(const float *first, const float *b, float *o) { BEFORE\n"
        "  for (int i = 0; i < 50; i++) o[i] = __builtin_sqrtf(first[i] - b[i]);\n"};
    opevo_objective *objective = open_kernel(&kernel);
    opevo_index point = 0;
    opevo_outcome outcome;
    opevo_text said = {0};

    opevo_live_print_reference(objective, &said);
    assert_int_equal(said.length, 0);
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    opevo_live_print_reference(objective, &said);
    assert_non_null(strstr(opevo_text_string(&said), "have no error bound and were only checked"));
    opevo_text_free(&said);
    opevo_objective_destroy(objective);
}

/* A worker that cannot check what it is to measure says why, and nothing is measured. */
CHECK_TEST(test_unchecked)
{
    static const computation_kernel kernel = {
        "root", "Y[i:50] = sqrt(A[i] - B[i] - 1)",
        "enum { COUNT = 50 };\n"
        "void kernel(const float *first, const float *b, float *o) { BEFORE\n"
        "  for (int i = 0; i < 50; i++) o[i] = __builtin_sqrtf(first[i] - b[i] - 1);\n"};
    opevo_objective *objective = open_kernel(&kernel);
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_FAILS(OPEVO_IO, "of 50 elements of Y have no error bound for random inputs",
                opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    opevo_objective_destroy(objective);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
