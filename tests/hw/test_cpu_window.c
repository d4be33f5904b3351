/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How long the windows are in which a kernel is timed on a CPU: a kernel that counts its executions
 * is measured as a worker does it, and the count compared with the samples. */

#include "child_fixture.h"
#include "operands_fixture.h"

#define WINDOW_S 2e-4

/* `spin` rounds of work and one more in the count, which is in the first bytes of C. */
static const char *make_kernel(int spin)
{
    char name[32];
    char source[512];

    snprintf(name, sizeof name, "kernel%d", spin);
    snprintf(source, sizeof source,
             "void kernel(const float *a, const float *b, float *c) { (void)a; (void)b;\n"
             "  for (volatile int i = 0; i < %d; i++) {}\n"
             "  unsigned long n; __builtin_memcpy(&n, c, sizeof n); n++;\n"
             "  __builtin_memcpy(c, &n, sizeof n); }\n",
             spin);
    return child_build(name, source);
}

/* A window of k executions of which each took s lasts k s. Were no window shorter than 0.2 ms, the
 * executions of all samples together, times the longest sample, are at least 0.2 ms times the
 * number of samples; a window sized by one execution with the calls that read the clocks in it is 5
 * to 50 times too short for a kernel of some nanoseconds. */
static void test_windows_are_long(void **state)
{
    static const int spins[] = {0, 100, 10000, 1000000};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof spins / sizeof *spins; i++) {
        opevo_operator op = {.kind = OPEVO_MATMUL, .n = 8, .k = 8, .m = 8};
        opevo_i_cpu_plan plan = {.precision = 1e-9,
                                 .repeat_s = 0.05,
                                 .run_limit_s = 5,
                                 .core = -1,
                                 .brief = i % 2,
                                 .memory_bytes = (uint64_t)1 << 30};
        const opevo_i_cpu_report *report = NULL;
        opevo_i_operands operands;
        opevo_i_guarded shared;
        double longest_s = 0;
        uint64_t count = 0;
        const char *object = make_kernel(spins[i / 2]);

        CHECK_OK(operands_create(&op, 1, &operands, &err));
        CHECK_OK(opevo_i_guarded_create(sizeof *report, true, &shared, &err));
        memset(shared.data, 0, sizeof *report);
        memset(operands.memory[2].data, 0, operands.memory[2].bytes);
        child_run(&plan, object, &operands, (opevo_i_cpu_report *)(void *)shared.data);
        report = (const opevo_i_cpu_report *)(const void *)shared.data;
        memcpy(&count, operands.memory[2].data, sizeof count);
        assert_true(report->sample_count >= 1 && (!plan.brief || report->sample_count == 1));
        for (size_t k = 0; k < report->sample_count; k++)
            longest_s = fmax(longest_s, report->samples_s[k]);
        if ((double)count * longest_s < (double)report->sample_count * WINDOW_S)
            fail_msg("%llu executions of at most %g s in %llu samples", (unsigned long long)count,
                     longest_s, (unsigned long long)report->sample_count);
        opevo_i_guarded_free(&shared);
        opevo_i_operands_free(&operands);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows_are_long)};

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
