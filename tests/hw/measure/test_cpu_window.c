/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How long the windows are in which a kernel is timed on a CPU: a kernel that counts its executions
 * is measured as a worker does it, and the count compared with the samples. */

#include "operands_fixture.h"
#include "process_fixture.h"

#define WINDOW_S 2e-4

static opevo_i_cpu_plan plan_of(double repeat_s, bool single_sample)
{
    return (opevo_i_cpu_plan){.precision = 1e-9,
                              .repeat_s = repeat_s,
                              .run_limit_s = 5,
                              .core = -1,
                              .single_sample = single_sample,
                              .memory_bytes = (uint64_t)1 << 30};
}

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
CHECK_TEST(test_windows_are_long)
{
    static const int spins[] = {0, 100, 10000, 10000000};

    for (size_t i = 0; i < 2 * sizeof spins / sizeof *spins; i++) {
        opevo_operator op = {.kind = OPEVO_MATMUL, .n = 8, .k = 8, .m = 8};
        opevo_i_cpu_plan plan = plan_of(0.05, i % 2);
        static opevo_i_cpu_windows windows;
        opevo_i_reference_operands operands = {0};
        double longest_s = 0;
        uint64_t count = 0;
        const char *object = make_kernel(spins[i / 2]);

        CHECK_OK(operands_create(&op, 1, &operands, &err));
        memset(operands.memory[2].data, 0, operands.memory[2].bytes);
        child_run(&plan, object, &operands, &windows);
        memcpy(&count, operands.memory[2].data, sizeof count);
        assert_true(windows.sample_count >= 1);
        if (plan.single_sample && i / 2 == 3) /* of some milliseconds: once in a round of finals */
            assert_int_equal(windows.sample_count, 1);
        if (plan.single_sample && i / 2 < 3) /* as often as in a trial */
            assert_true(windows.sample_count > 4);
        for (size_t k = 0; k < windows.sample_count; k++)
            longest_s = fmax(longest_s, windows.samples_s[k]);
        if ((double)count * longest_s < (double)windows.sample_count * WINDOW_S)
            fail_msg("%llu executions of at most %g s in %llu samples", (unsigned long long)count,
                     longest_s, (unsigned long long)windows.sample_count);
        opevo_i_reference_operands_free(&operands);
    }
}

/* The mean time of an execution of a kernel of this source, the smaller one of both clocks, over
 * all windows of 0.1 s; `own` are the first doubles of its result. */
static double time_of(const char *name, const char *source, double own[2])
{
    opevo_operator op = {.kind = OPEVO_MATMUL, .n = 8, .k = 8, .m = 8};
    opevo_i_cpu_plan plan = plan_of(0.1, false);
    static opevo_i_cpu_windows windows;
    opevo_i_reference_operands operands = {0};
    double sum_s = 0;

    CHECK_OK(operands_create(&op, 1, &operands, &err));
    memset(operands.memory[2].data, 0, operands.memory[2].bytes);
    child_run(&plan, child_build(name, source), &operands, &windows);
    memcpy(own, operands.memory[2].data, 2 * sizeof *own);
    for (uint64_t i = 0; i < windows.sample_count; i++)
        sum_s += fmin(windows.samples_s[i], windows.processor_s[i]);
    opevo_i_reference_operands_free(&operands);
    return sum_s / (double)windows.sample_count;
}

static const char work[] = "#include <pthread.h>\n#include <time.h>\n"
                           "static void *work(void *x)\n"
                           "{ for (volatile int i = 0; i < 20000; i++) {} return x; }\n"
                           "static double now(void) { struct timespec t;\n"
                           "  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);\n"
                           "  return t.tv_sec + 1e-9 * t.tv_nsec; }\n"
                           "void kernel(const float *a, const float *b, double *c) {\n";

/* The worker's clocks say the same as those in the kernel, up to the calls that read the latter. */
CHECK_TEST(test_clocks_agree)
{
    char source[1000];
    double own[2];
    double time_s = 0;
    double own_s = 0;

    snprintf(source, sizeof source,
             "%s double start = now(); work(0); c[0] += now() - start;\n"
             "  c[1] += 1; }\n",
             work);
    time_s = time_of("clocks", source, own);
    own_s = own[0] / own[1];
    if (!(time_s > 0.95 * own_s && time_s < 1.15 * own_s))
        fail_msg("%g s, while the kernel itself saw %g s", time_s, own_s);
}

/* What an order costs may have been found while others wanted the processor, and be too much: still
 * no less time has passed than was worked. */
CHECK_TEST(test_no_less_than_was_worked)
{
    opevo_operator op = {.kind = OPEVO_MATMUL, .n = 8, .k = 8, .m = 8};
    opevo_i_cpu_plan plan = plan_of(0.1, false);
    static opevo_i_cpu_windows windows;
    opevo_i_reference_operands operands = {0};
    opevo_i_cpu_process process;
    opevo_i_cpu_cost cost;

    CHECK_OK(operands_create(&op, 1, &operands, &err));
    process = child_start(&plan, make_kernel(10000), &operands, &windows);
    assert_true(process.idle.wall_s < 1e-4 && process.idle.processor_s < 1e-4);
    process.idle.wall_s = 1;
    assert_int_equal(opevo_i_cpu_process_ask(&process, OPEVO_I_CPU_RUN, 0, 100, 5, &cost), 'd');
    opevo_i_cpu_process_end(&process);
    assert_true(cost.processor_s > 1e-4 && cost.wall_s >= cost.processor_s);
    opevo_i_reference_operands_free(&operands);
}

/* A kernel that leaves its work to a thread gains nothing. */
CHECK_TEST(test_other_threads)
{
    char source[1000];
    double own[2];
    double alone_s = 0;

    snprintf(source, sizeof source, "%s work(0); }\n", work);
    alone_s = time_of("alone", source, own);
    snprintf(source, sizeof source,
             "%s pthread_t t; if (pthread_create(&t, 0, work, 0) == 0) pthread_join(t, 0); }\n",
             work);
    assert_true(time_of("threads", source, own) > 0.7 * alone_s);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
