/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measuring on the CPU: what the outcome of a kernel says, for operators of any operands, and what
 * an engine asks of its workers. */

#include "cache_folder.h"
#include "contractions.h"
#include "zoo.h"

#include <opevo/worker.h>

#include <errno.h>
#include <sys/wait.h>

/* The time is of one execution, and the fitness follows from it. */
CHECK_TEST(test_fitness)
{
    opevo_objective *objective = zoo_open(zoo_of_products(64), 5);
    opevo_index points[12];
    opevo_outcome outcomes[12];

    assert_string_equal(objective->unit, "GFLOP/s");
    for (size_t i = 0; i < 12; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, 12, outcomes, &err));
    for (size_t i = 0; i < 12; i++) {
        size_t above = 0;

        assert_int_equal(outcomes[i].kind, OPEVO_OUTCOME_OK);
        CHECK_CLOSE(outcomes[i].fitness * outcomes[i].time_s * 1e9 / (2.0 * 64 * 64 * 64), 1, 1e-9);
        for (size_t k = 0; k < outcomes[i].sample_count; k++)
            above += outcomes[i].samples_s[k] >= outcomes[i].time_s * (1 - 1e-12);
        assert_in_range(2 * above, outcomes[i].sample_count, 2 * outcomes[i].sample_count);
        assert_true(outcomes[i].build_s >= 0 && outcomes[i].run_s > 0 && outcomes[i].check_s > 0);
    }
    opevo_objective_destroy(objective);
}

/* All windows are there with both clocks, and the time of the trial is the 10 % quantile of the
 * smaller ones. */
CHECK_TEST(test_both_clocks)
{
    opevo_objective *objective = zoo_open(zoo_of_products(64), 5);
    opevo_index point = 0;
    opevo_outcome outcome;
    const double *processor_s = NULL;
    size_t below = 0;
    size_t above = 0;

    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    processor_s = opevo_objective_processor_times(objective, &outcome);
    assert_non_null(processor_s);
    for (size_t i = 0; i < outcome.sample_count; i++) {
        double time_s = fmin(outcome.samples_s[i], processor_s[i]);

        below += time_s <= outcome.time_s * (1 + 1e-12);
        above += time_s >= outcome.time_s * (1 - 1e-12);
    }
    assert_true(10 * below >= outcome.sample_count && 10 * above + 10 >= 9 * outcome.sample_count);
    opevo_objective_destroy(objective);
}

/* A kernel is built once, also when it is asked for twice at the same time; the time of the build
 * is known of all that use it. */
CHECK_TEST(test_built_once)
{
    zoo *maker = zoo_of_products(48);
    opevo_objective *objective = NULL;
    opevo_index points[4] = {3, 3, 3, 3};
    opevo_outcome outcomes[4];
    double build_s = 0;
    int built = 0;

    maker->salt = 1;
    objective = zoo_open(maker, 5);
    for (int again = 0; again < 2; again++) {
        CHECK_OK(opevo_objective_evaluate(objective, points, 4, outcomes, &err));
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(outcomes[i].kind, OPEVO_OUTCOME_OK);
            built += outcomes[i].build_s > 0;
            build_s += outcomes[i].build_s;
        }
        for (size_t i = 0; i < 4; i++)
            CHECK_CLOSE(outcomes[i].more[0], build_s, 1e-6);
    }
    opevo_objective_destroy(objective);
    assert_int_equal(built, 1);
}

/* Workers that rest have no processes; the next evaluation starts some again. */
CHECK_TEST(test_rest)
{
    opevo_objective *objective = zoo_open(zoo_of_products(48), 5);
    opevo_index point = 3;
    opevo_outcome outcome;

    for (int again = 0; again < 2; again++) {
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
        opevo_live_rest(objective);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
    }
    opevo_live_rest(objective);
    opevo_objective_destroy(objective);
}

static opevo_status contraction_make(const opevo_kernel_maker *self, opevo_index point,
                                     opevo_kernel *out, opevo_outcome_class *refused,
                                     opevo_text *why, opevo_error *err)
{
    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "kernel");
    opevo_text_printf(&out->source, "#define SPOIL %s\n%s", point ? "1.001f" : "1.0f",
                      ((const zoo *)self)->salt == 3 ? SCALED_SOURCE : PAIRED_SOURCE);
    return opevo_text_check(&out->source, err);
}

/* Operators of three inputs and of two outputs go to a worker as text and come back measured; where
 * the last output is wrong, so is the kernel. */
CHECK_TEST(test_contractions)
{
    static const opevo_kernel_maker_ops ops = {.make = contraction_make, .destroy = zoo_destroy};

    for (int inputs = 2; inputs <= 3; inputs++) {
        opevo_index points[2] = {0, 1};
        opevo_outcome outcomes[2];
        opevo_objective *objective = NULL;
        zoo *maker =
            zoo_create(&ops, "contraction",
                       "{\"spoilt\": {\"_type\": \"choice\", \"_value\": [\"no\", \"yes\"]}}",
                       inputs == 3 ? scaled_op : paired_op);

        maker->salt = inputs;
        objective = zoo_open(maker, 5);
        CHECK_OK(opevo_objective_evaluate(objective, points, 2, outcomes, &err));
        assert_int_equal(outcomes[0].kind, OPEVO_OUTCOME_OK);
        assert_true(outcomes[0].fitness > 0);
        assert_int_equal(outcomes[1].kind, OPEVO_OUTCOME_WRONG);
        assert_non_null(
            strstr(outcomes[1].message, inputs == 3 ? "elements are wrong" : "of R are wrong"));
        opevo_objective_destroy(objective);
    }
}

/* B reaches the kernel transposed: by a function that is right, or wrong, or not there, or that
 * writes past the end. */
static opevo_status packed_make(const opevo_kernel_maker *self, opevo_index point,
                                opevo_kernel *out, opevo_outcome_class *refused, opevo_text *why,
                                opevo_error *err)
{
    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "kernel");
    out->packed[1] = COLUMNS_J * SUMMED_K;
    opevo_text_add(&out->source, CONTRACTION_HEAD);
    opevo_text_printf(
        &out->source,
        "void kernel(const float *a, const float *b, const float *s, float *d, float *scratch) {\n"
        "  for (int i = 0; i < I; i++) for (int j = 0; j < J; j++) {\n"
        "    float sum = 0; for (int k = 0; k < K; k++) sum += a[i*K+k] * b[j*K+k] * s[j];\n"
        "    d[i*J+j] = sum; } }\n"
        "void kernel_pack_%s(const float *from, float *to) {\n"
        "  for (int j = 0; j < J; j++) for (int k = 0; k < K; k++)\n"
        "    to[j*K+k] = from[k*J+j] * %s;\n"
        "  %s }\n",
        point == 2 ? "c" : "b", point == 1 ? "1.001f" : "1.0f", point == 3 ? "to[J*K] = 0;" : "");
    return opevo_text_check(&out->source, err);
}

CHECK_TEST(test_packed)
{
    static const opevo_kernel_maker_ops ops = {.make = packed_make, .destroy = zoo_destroy};
    static const opevo_outcome_class kinds[] = {OPEVO_OUTCOME_OK, OPEVO_OUTCOME_WRONG,
                                                OPEVO_OUTCOME_LAUNCH_ERROR, OPEVO_OUTCOME_CRASHED};
    opevo_index points[4] = {0, 1, 2, 3};
    opevo_outcome outcomes[4];
    opevo_objective *objective = zoo_open(
        zoo_create(&ops, "packed", "{\"way\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]}}",
                   scaled_op),
        5);

    CHECK_OK(opevo_objective_evaluate(objective, points, 4, outcomes, &err));
    for (int i = 0; i < 4; i++)
        assert_int_equal(outcomes[i].kind, kinds[i]);
    assert_non_null(strstr(outcomes[0].message, "packing constants took "));
    assert_non_null(strstr(outcomes[2].message, "no function with that name"));
    opevo_objective_destroy(objective);
}

/* With cold caches a sample is one execution, after the caches were flushed. */
CHECK_TEST(test_cold)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    options.cold_cache = true;
    options.repeat_s = 0.05;
    CHECK_OK(opevo_live_open(&zoo_of_products(48)->super, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    assert_true(outcome.sample_count >= 1);
    opevo_objective_destroy(objective);
}

/* The limit is that of an execution: what takes longer than it fails, however soon after. */
CHECK_TEST(test_run_limit)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    options.run_limit_s = 1e-9; /* of 110592 multiplications and additions */
    CHECK_OK(opevo_live_open(&zoo_of_products(48)->super, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_TIMEOUT);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_bad_options)
{
    static const struct {
        const char *device;
        double build_limit_s, run_limit_s, precision, repeat_s;
        const char *words;
    } cases[] = {
        {"abacus", 1, 1, 0.1, 1, "\"abacus\" is not a device"},
        {"cpu:x", 1, 1, 0.1, 1, "\"cpu:x\" is not a device"},
        {"cuda", 1, 1, 0.1, 1, "\"cuda\" is not a device; use cpu, cuda:N"},
        {"cuda:0", 1, 1, 0.1, 1, "product does not generate kernels for cuda"},
        {"cmd", 1, 1, 0.1, 1, "does not generate kernels for cmd"},
        {"cpu", 0, 1, 0.1, 1, "time limit"},
        {"cpu", 1, NAN, 0.1, 1, "time limit"},
        {"cpu", 1, 1, 1, 1, "precision"},
        {"cpu", 1, 1, 0.1, 0, "time for repetitions"},
    };
    int64_t alive = opevo_memory_live();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_live_options options = opevo_live_defaults();
        opevo_objective *objective = NULL;

        options.device = cases[i].device;
        options.build_limit_s = cases[i].build_limit_s;
        options.run_limit_s = cases[i].run_limit_s;
        options.precision = cases[i].precision;
        options.repeat_s = cases[i].repeat_s;
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_live_open(&zoo_of_products(48)->super, &options, &objective, &err));
    }
    assert_int_equal(opevo_memory_live(), alive); /* the makers are gone, too */
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
