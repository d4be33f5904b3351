/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of three inputs and of two outputs, from their operands to a kernel that is executed,
 * checked and written as a program of its own. */

#include "contractions.h"
#include "operands_fixture.h"
#include "process_fixture.h"

#include "build_source.h"

#include <opevo/computation_named.h>
#include <opevo/emit.h>
#include <opevo/loop_features.h>
#include <opevo/memory.h>
#include <opevo/reference.h>
#include <opevo/template.h>

#include "export_internal.h"

static const struct {
    const opevo_operator *op;
    const char *source;
} rows[] = {{&scaled_op, SCALED_SOURCE}, {&paired_op, PAIRED_SOURCE}};
enum { ROWS = sizeof rows / sizeof *rows };

/* Element of the last output by the definition; R[i] and D[i,j] of contractions.h. */
static double last_element(const opevo_i_reference_operands *self, size_t at)
{
    bool three = self->list.inputs == 3;
    size_t i = three ? at / COLUMNS_J : at;
    size_t j = at % COLUMNS_J;
    double sum = 0;

    for (size_t k = 0; k < SUMMED_K; k++) {
        double a = (double)opevo_i_reference_floats(&self->memory[0])[i * SUMMED_K + k];

        sum += three ? a * (double)opevo_i_reference_floats(&self->memory[1])[k * COLUMNS_J + j] *
                           (double)opevo_i_reference_floats(&self->memory[2])[j]
                     : a;
    }
    return sum;
}

CHECK_TEST(test_operands)
{
    for (int r = 0; r < ROWS; r++) {
        opevo_i_reference_operands self = {0};
        opevo_text why = {0};
        int last = 3;

        CHECK_OK(operands_create(rows[r].op, 1, &self, &err));
        assert_int_equal(self.list.count, 4);
        assert_int_equal(self.list.inputs, r == 0 ? 3 : 2);
        assert_int_equal(self.count[last], r == 0 ? ROWS_I * COLUMNS_J : ROWS_I);
        for (size_t at = 0; at < self.count[last]; at++)
            CHECK_CLOSE(self.wanted[last][at], last_element(&self, at), 1e-6);
        for (int i = self.list.inputs; i <= last; i++) {
            assert_true(opevo_i_reference_operands_check(&self, i, self.wanted[i], &why));
            opevo_i_reference_operands_poison(&self);
            assert_false(opevo_i_reference_operands_check(
                &self, i, opevo_i_reference_floats(&self.memory[i]), &why));
        }
        assert_non_null(
            strstr(opevo_text_string(&why), r == 0 ? "elements are" : "elements of R are"));
        opevo_text_free(&why);
        opevo_i_reference_operands_free(&self);
    }
}

/* Two flops for each product of two, three for each of three, one for each term of one factor. */
CHECK_TEST(test_flop)
{
    const double products = (double)ROWS_I * COLUMNS_J * SUMMED_K;

    CHECK_CLOSE(opevo_operator_flop(&scaled_op), 3 * products, 0);
    CHECK_CLOSE(opevo_operator_flop(&paired_op), 2 * products + (double)ROWS_I * SUMMED_K, 0);
    CHECK_CLOSE(opevo_reference_roundings(&scaled_op, 0), SUMMED_K + 1, 0);
    CHECK_CLOSE(opevo_reference_roundings(&paired_op, 0), SUMMED_K, 0);
    CHECK_CLOSE(opevo_reference_roundings(&paired_op, 1), SUMMED_K - 1, 0);
}

static const opevo_i_cpu_plan plan = {.precision = 0.5,
                                      .repeat_s = 0.01,
                                      .run_limit_s = 50,
                                      .core = -1,
                                      .single_sample = true,
                                      .memory_bytes = (uint64_t)1 << 30};

CHECK_TEST(test_child)
{
    for (int r = 0; r < 2 * ROWS; r++) {
        bool spoilt = r % 2;
        opevo_i_reference_operands self = {0};
        opevo_i_cpu_windows windows;
        opevo_text source = {0};
        opevo_text why = {0};
        char name[16];

        snprintf(name, sizeof name, "contraction%d", r);
        opevo_text_printf(&source, "#define SPOIL %s\n%s", spoilt ? "1.001f" : "1.0f",
                          rows[r / 2].source);
        CHECK_OK(operands_create(rows[r / 2].op, 1, &self, &err));
        opevo_i_reference_operands_poison(&self);
        child_run(&plan, child_build(name, opevo_text_string(&source)), &self, &windows);
        for (int i = self.list.inputs; i < self.list.count; i++) {
            bool right = opevo_i_reference_operands_check(
                &self, i, opevo_i_reference_floats(&self.memory[i]), &why);

            assert_int_equal(right, !spoilt || i < self.list.count - 1);
            assert_true(opevo_i_reference_guarded_intact(&self.memory[i]));
        }
        opevo_text_free(&why);
        opevo_text_free(&source);
        opevo_i_reference_operands_free(&self);
    }
}

/* Run an object on the operands; whether each output is right. */
static bool is_right(const char *object, const opevo_kernel *kernel,
                     const opevo_i_reference_operands *operands)
{
    opevo_i_cpu_plan own = plan;
    opevo_i_cpu_windows windows;
    opevo_text why = {0};
    bool right = true;

    opevo_i_reference_operands_poison(operands);
    own.kernel = kernel;
    child_run(&own, object, operands, &windows);
    for (int i = operands->list.inputs; i < operands->list.count; i++)
        right = right &&
                opevo_i_reference_operands_check(
                    operands, i, opevo_i_reference_floats(&operands->memory[i]), &why) &&
                opevo_i_reference_guarded_intact(&operands->memory[i]);
    opevo_text_free(&why);
    return right;
}

static const struct {
    const opevo_operator *op;
    opevo_kernel_dialect dialect;
    const char *steps;
} schedules[] = {
    {&scaled_op, OPEVO_KERNEL_C, ""},
    {&scaled_op, OPEVO_KERNEL_EMULATION, ""},
    /* Vectors of a matrix, of a row and of one element; uneven lengths; copies of all operands. */
    {&scaled_op, OPEVO_KERNEL_C,
     "split D j 8\nsplit D i 5\nreorder D i.0 j.0 k i.1 j.1\nannotate D j.1 vectorize\n"
     "annotate D i.1 unroll\naccumulate D j.0\n"},
    {&scaled_op, OPEVO_KERNEL_C,
     "split D j 16\nreorder D i j.0 k j.1\nannotate D j.1 vectorize\n"
     "cache_read S packed D\ncompute_at S.packed D i\ncache_read B packed D\ncompute_at B.packed D "
     "j.0\n"},
    {&scaled_op, OPEVO_KERNEL_EMULATION,
     "annotate D i block.x\nsplit D k 8\nreorder D i k.0 j k.1\nannotate D j thread.x\n"
     "cache_read A shared D\ncompute_at A.shared D k.0\n"
     "cache_read S shared D\ncompute_at S.shared D k.0\n"},
    {&sums_op, OPEVO_KERNEL_C, "split R k 8\nannotate R k.1 unroll\n"},
    {&sums_op, OPEVO_KERNEL_EMULATION, "annotate R i thread.x\n"},
};

CHECK_TEST(test_schedules)
{
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
        const opevo_limits limits = opevo_limits_default(schedules[s].dialect);
        opevo_computation *computation = NULL;
        opevo_pipeline *pipeline = NULL;
        opevo_i_reference_operands operands = {0};
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        opevo_text source = {0};
        bool fits = false;
        char name[16];

        snprintf(name, sizeof name, "schedule%zu", s);
        CHECK_OK(opevo_computation_of_operator(schedules[s].op, &computation, &err));
        CHECK_OK(opevo_pipeline_parse(computation, schedules[s].steps, name, &pipeline, &err));
        CHECK_OK(opevo_pipeline_emit(pipeline, schedules[s].dialect, &limits, &kernel, &fits, &why,
                                     &err));
        if (!fits)
            fail_msg("%s: %s", schedules[s].steps, opevo_text_string(&why));
        opevo_text_printf(&source, "#define %s kernel\n%s", kernel.entry,
                          opevo_text_string(&kernel.source));
        CHECK_OK(operands_create(schedules[s].op, 1, &operands, &err));
        if (!is_right(child_build(name, opevo_text_string(&source)), &kernel, &operands))
            fail_msg("%s\n%s", schedules[s].steps, opevo_text_string(&source));
        opevo_i_reference_operands_free(&operands);
        opevo_kernel_free(&kernel);
        opevo_pipeline_destroy(pipeline);
        opevo_computation_destroy(computation);
        opevo_text_free(&source);
        opevo_text_free(&why);
    }
}

/* Each of the loops i, j, k has 18 numbers of its own and 6 for each access inside it: two of the
 * output and one of each input. */
CHECK_TEST(test_features)
{
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_feature_row row = {0};

    CHECK_OK(opevo_computation_of_operator(&scaled_op, &computation, &err));
    CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
    CHECK_OK(opevo_features_itervar(pipeline, false, &row, &err));
    assert_int_equal(row.count, 3 * (18 + 6 * 5));
    /* Multiplications in the innermost loop. */
    CHECK_CLOSE((double)row.number[2 * (18 + 6 * 5) + 16], 2, 0);
    opevo_free(row.number);
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
}

/* What is for matrix products and convolutions says so. */
CHECK_TEST(test_refused)
{
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;

    CHECK_FAILS(OPEVO_INVALID, "No template generates c kernels for contraction(i=24,",
                opevo_template_open(&scaled_op, NULL, OPEVO_KERNEL_C, &maker, &err));
    CHECK_FAILS(OPEVO_INVALID, "ontraction", opevo_operator_space(&scaled_op, &space, &err));
}

/* The program beside a kernel accepts the right one and rejects the other. */
CHECK_TEST(test_program)
{
    for (int r = 0; r < 2 * ROWS; r++) {
        bool spoilt = r % 2;
        opevo_kernel kernel = {.dialect = OPEVO_KERNEL_C, .entry = "kernel"};
        opevo_workload *work = NULL;
        opevo_text text = {0};
        char path[4200];
        char program[4200];
        const char *const build[] = {"cc",    "-O1", "-Wall", "-Werror", "-o",
                                     program, path,  "-lm",   NULL};
        const char *const run[] = {program, NULL};
        FILE *file = NULL;

        opevo_text_printf(&text, "#define SPOIL %s\n%s", spoilt ? "1.001f" : "1.0f",
                          rows[r / 2].source);
        CHECK_OK(opevo_workload_of_operator(rows[r / 2].op, &work, &err));
        CHECK_OK(opevo_i_export_program(&text, &kernel, work, &err));
        opevo_workload_destroy(work);
        snprintf(path, sizeof path, "%s/program%d.c", cache_folder, r);
        snprintf(program, sizeof program, "%s/program%d", cache_folder, r);
        file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(opevo_text_string(&text), file) >= 0);
        assert_int_equal(fclose(file), 0);
        if (!program_succeeds(build))
            fail_msg("it does not compile:\n%s\n%s", program_output, opevo_text_string(&text));
        assert_int_equal(program_succeeds(run), !spoilt);
        opevo_text_free(&text);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
