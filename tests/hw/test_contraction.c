/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of three inputs and of two outputs, from their operands to a kernel that is executed,
 * checked and written as a program of its own. */

#include "child_fixture.h"
#include "contractions.h"

#include "build_source.h"

#include <opevo/memory.h>

#include "harness_internal.h"

static const struct {
    const opevo_operator *op;
    const char *source;
} rows[] = {{&scaled_op, SCALED_SOURCE}, {&paired_op, PAIRED_SOURCE}};
enum { ROWS = sizeof rows / sizeof *rows };

/* Element of the last output by the definition; R[i] and D[i,j] of contractions.h. */
static double last_element(const opevo_i_operands *self, size_t at)
{
    bool three = self->list.inputs == 3;
    size_t i = three ? at / COLUMNS_J : at;
    size_t j = at % COLUMNS_J;
    double sum = 0;

    for (size_t k = 0; k < SUMMED_K; k++) {
        double a = (double)opevo_i_floats(&self->memory[0])[i * SUMMED_K + k];

        sum += three ? a * (double)opevo_i_floats(&self->memory[1])[k * COLUMNS_J + j] *
                           (double)opevo_i_floats(&self->memory[2])[j]
                     : a;
    }
    return sum;
}

static void test_operands(void **state)
{
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        opevo_i_operands self;
        opevo_text why = {0};
        int last = 3;

        CHECK_OK(opevo_i_operands_create(rows[r].op, 1, NULL, &self, &err));
        assert_int_equal(self.list.count, 4);
        assert_int_equal(self.list.inputs, r == 0 ? 3 : 2);
        assert_int_equal(self.count[last], r == 0 ? ROWS_I * COLUMNS_J : ROWS_I);
        for (size_t at = 0; at < self.count[last]; at++)
            CHECK_CLOSE(self.wanted[last][at], last_element(&self, at), 1e-6);
        for (int i = self.list.inputs; i <= last; i++) {
            assert_true(opevo_i_operands_check(&self, i, self.wanted[i], &why));
            opevo_i_operands_poison(&self);
            assert_false(opevo_i_operands_check(&self, i, opevo_i_floats(&self.memory[i]), &why));
        }
        assert_non_null(strstr(why.data, r == 0 ? "elements are" : "elements of R are"));
        opevo_text_free(&why);
        opevo_i_operands_free(&self);
    }
}

/* Two flops for each product of two, three for each of three, one for each term of one factor. */
static void test_flop(void **state)
{
    const double products = (double)ROWS_I * COLUMNS_J * SUMMED_K;

    (void)state;
    CHECK_CLOSE(opevo_operator_flop(&scaled_op), 3 * products, 0);
    CHECK_CLOSE(opevo_operator_flop(&paired_op), 2 * products + (double)ROWS_I * SUMMED_K, 0);
    CHECK_CLOSE(opevo_reference_roundings(&scaled_op, 0), SUMMED_K + 1, 0);
    CHECK_CLOSE(opevo_reference_roundings(&paired_op, 0), SUMMED_K, 0);
    CHECK_CLOSE(opevo_reference_roundings(&paired_op, 1), SUMMED_K - 1, 0);
}

static void test_child(void **state)
{
    const opevo_i_cpu_plan plan = {.precision = 0.5,
                                   .repeat_s = 0.01,
                                   .run_limit_s = 50,
                                   .core = -1,
                                   .brief = true,
                                   .memory_bytes = (uint64_t)1 << 30};

    (void)state;
    for (int r = 0; r < 2 * ROWS; r++) {
        bool spoilt = r % 2;
        opevo_i_operands self;
        opevo_i_guarded report;
        opevo_text source = {0};
        opevo_text why = {0};
        char name[16];

        snprintf(name, sizeof name, "contraction%d", r);
        opevo_text_printf(&source, "#define SPOIL %s\n%s", spoilt ? "1.001f" : "1.0f",
                          rows[r / 2].source);
        CHECK_OK(opevo_i_operands_create(rows[r / 2].op, 1, NULL, &self, &err));
        CHECK_OK(opevo_i_guarded_create(sizeof(opevo_i_cpu_report), true, &report, &err));
        opevo_i_operands_poison(&self);
        child_run(&plan, child_build(name, opevo_text_string(&source)), &self,
                  (opevo_i_cpu_report *)(void *)report.data);
        for (int i = self.list.inputs; i < self.list.count; i++) {
            bool right = opevo_i_operands_check(&self, i, opevo_i_floats(&self.memory[i]), &why);

            assert_int_equal(right, !spoilt || i < self.list.count - 1);
            assert_true(opevo_i_guarded_intact(&self.memory[i]));
        }
        opevo_text_free(&why);
        opevo_text_free(&source);
        opevo_i_guarded_free(&report);
        opevo_i_operands_free(&self);
    }
}

/* The program beside a kernel accepts the right one and rejects the other. */
static void test_program(void **state)
{
    (void)state;
    for (int r = 0; r < 2 * ROWS; r++) {
        bool spoilt = r % 2;
        opevo_kernel kernel = {.dialect = OPEVO_KERNEL_C, .entry = "kernel"};
        opevo_text text = {0};
        char path[4200];
        char program[4200];
        const char *const build[] = {"cc",    "-O1", "-Wall", "-Werror", "-o",
                                     program, path,  "-lm",   NULL};
        const char *const run[] = {program, NULL};
        FILE *file = NULL;

        opevo_text_printf(&text, "#define SPOIL %s\n%s", spoilt ? "1.001f" : "1.0f",
                          rows[r / 2].source);
        opevo_i_harness_program(&text, &kernel, rows[r / 2].op);
        snprintf(path, sizeof path, "%s/program%d.c", cache_folder, r);
        snprintf(program, sizeof program, "%s/program%d", cache_folder, r);
        file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(opevo_text_string(&text), file) >= 0);
        assert_int_equal(fclose(file), 0);
        if (!program_succeeds(build))
            fail_msg("it does not compile:\n%s", opevo_text_string(&text));
        assert_int_equal(program_succeeds(run), !spoilt);
        opevo_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_flop),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_program),
    };

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
