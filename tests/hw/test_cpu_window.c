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
    static const int spins[] = {0, 100, 10000, 10000000};

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
        opevo_i_operands operands = {0};
        opevo_i_guarded shared = {0};
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
        assert_true(report->sample_count >= 1);
        if (plan.brief && i / 2 == 3) /* of some milliseconds: once in a round of finals */
            assert_int_equal(report->sample_count, 1);
        if (plan.brief && i / 2 < 3) /* as often as in a trial */
            assert_true(report->sample_count > 4);
        for (size_t k = 0; k < report->sample_count; k++)
            longest_s = fmax(longest_s, report->samples_s[k]);
        if ((double)count * longest_s < (double)report->sample_count * WINDOW_S)
            fail_msg("%llu executions of at most %g s in %llu samples", (unsigned long long)count,
                     longest_s, (unsigned long long)report->sample_count);
        opevo_i_guarded_free(&shared);
        opevo_i_operands_free(&operands);
    }
}

/* Run a kernel of this source for 0.1 s. */
static bool uses_other_threads(const char *name, const char *source)
{
    opevo_operator op = {.kind = OPEVO_MATMUL, .n = 8, .k = 8, .m = 8};
    opevo_i_cpu_plan plan = {.precision = 1e-9,
                             .repeat_s = 0.1,
                             .run_limit_s = 5,
                             .core = -1,
                             .memory_bytes = (uint64_t)1 << 30};
    opevo_i_operands operands = {0};
    opevo_i_guarded shared = {0};
    bool other_threads = false;

    CHECK_OK(operands_create(&op, 1, &operands, &err));
    CHECK_OK(opevo_i_guarded_create(sizeof(opevo_i_cpu_report), true, &shared, &err));
    memset(shared.data, 0, sizeof(opevo_i_cpu_report));
    child_run(&plan, child_build(name, source), &operands,
              (opevo_i_cpu_report *)(void *)shared.data);
    other_threads = ((opevo_i_cpu_report *)(void *)shared.data)->other_threads;
    opevo_i_guarded_free(&shared);
    opevo_i_operands_free(&operands);
    return other_threads;
}

/* A kernel that leaves its work to a thread takes no processor time itself. */
static void test_other_threads(void **state)
{
    static const char work[] = "#include <pthread.h>\n"
                               "static void *work(void *x)\n"
                               "{ for (volatile int i = 0; i < 10000000; i++) {} return x; }\n";
    char source[600];

    (void)state;
    snprintf(source, sizeof source,
             "%svoid kernel(const float *a, const float *b, float *c) { pthread_t t;\n"
             "  (void)a; (void)b; (void)c;\n"
             "  if (pthread_create(&t, 0, work, 0) == 0) pthread_join(t, 0); }\n",
             work);
    assert_true(uses_other_threads("threads", source));
    snprintf(source, sizeof source,
             "%svoid kernel(const float *a, const float *b, float *c)\n"
             "{ (void)a; (void)b; (void)c; work(0); }\n",
             work);
    assert_false(uses_other_threads("alone", source));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows_are_long),
                                       cmocka_unit_test(test_other_threads)};

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
