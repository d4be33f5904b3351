/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of two threads on the CPU: each thread has a core, whatever the environment asks of
 * OpenMP; a kernel without parallel loops is measured on one, as ever. Skipped on a machine with a
 * single processor. */

#include "cache_folder.h"
#include "finalists.h"
#include "zoo.h"

#include <opevo/parallel.h>

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* A right result if `condition` holds. */
#define HEAD                                                                                       \
    "#define _GNU_SOURCE\n#include <sched.h>\n"                                                    \
    "enum { N = 48, K = 32, M = 40 };\n"                                                           \
    "int omp_get_num_threads(void), omp_get_thread_num(void);\n"                                   \
    "static int cores(void) { cpu_set_t set; sched_getaffinity(0, sizeof set, &set);\n"            \
    "  return CPU_COUNT(&set); }\n"                                                                \
    "static void row(const float *a, const float *b, float *c, int i) {\n"                         \
    "  for (int j = 0; j < M; j++) { float s = 0;\n"                                               \
    "    for (int k = 0; k < K; k++) s += a[i*K+k] * b[k*M+j]; c[i*M+j] = s; } }\n"                \
    "void kernel(const float *a, const float *b, float *c) {\n"

static const struct {
    const char *name, *body;
    bool parallel;
    opevo_outcome_class kind;
} kernels[] = {
    {"divided",
     "int seen[2] = {0, 0};\n"
     "#pragma omp parallel for\n"
     "for (int i = 0; i < N; i++) { seen[omp_get_thread_num()] = omp_get_num_threads();\n"
     "  row(a, b, c, i); }\n"
     "if (seen[0] != 2 || seen[1] != 2 || cores() != 2) c[0] = 99;",
     true, OPEVO_OUTCOME_OK},
    {"alone", "for (int i = 0; i < N; i++) row(a, b, c, i); if (cores() != 1) c[0] = 99;", false,
     OPEVO_OUTCOME_OK},
    {"uneven", "\n#pragma omp parallel for\nfor (int i = 0; i < N - 1; i++) row(a, b, c, i);", true,
     OPEVO_OUTCOME_WRONG},
    {"endless",
     "\n#pragma omp parallel for\n"
     "for (int i = 0; i < 2; i++) while (i) __asm__ volatile(\"\");",
     true, OPEVO_OUTCOME_TIMEOUT},
    {"crashes",
     "\n#pragma omp parallel for\nfor (int i = 0; i < 2; i++) if (i) *(volatile int *)8 = 1;", true,
     OPEVO_OUTCOME_CRASHED},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    out->dialect = OPEVO_KERNEL_C;
    out->parallel = kernels[(size_t)point].parallel;
    strcpy(out->entry, "kernel");
    opevo_text_printf(&out->source, "%s%s}\n", HEAD, kernels[(size_t)point].body);
    return opevo_text_check(&out->source, err);
}

static zoo *maker_of(unsigned threads)
{
    static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};
    zoo *self = zoo_create(
        &ops, "threads", "{\"kernel\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4]}}",
        (opevo_operator){.kind = OPEVO_MATMUL, .n = ZOO_N, .k = ZOO_K, .m = ZOO_M});

    self->super.threads = threads;
    return self;
}

static opevo_objective *open_on(unsigned threads, const char *const *worker)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    options.run_limit_s = 2;
    options.repeat_s = 0.02;
    options.workers.commands = worker;
    options.workers.count = worker != NULL;
    CHECK_OK(opevo_live_open(&maker_of(threads)->super, &options, &objective, &err));
    return objective;
}

static void skip_on_one_processor(void)
{
    if (opevo_processor_count() < 2) {
        print_message("skipped: this machine has one processor\n");
        skip();
    }
}

CHECK_TEST(test_two_threads)
{
    opevo_objective *objective = NULL;
    opevo_index points[KERNELS];
    opevo_outcome outcomes[KERNELS];

    skip_on_one_processor();
    objective = open_on(2, NULL);
    assert_string_equal(objective->name, "cpu:threads matmul(48,32,40) threads=2");
    for (size_t i = 0; i < KERNELS; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, KERNELS, outcomes, &err));
    for (size_t i = 0; i < KERNELS; i++) {
        if (outcomes[i].kind != kernels[i].kind)
            fail_msg("%s: %s (%s), expected %s", kernels[i].name,
                     opevo_outcome_name(outcomes[i].kind),
                     outcomes[i].message ? outcomes[i].message : "",
                     opevo_outcome_name(kernels[i].kind));
    }
    opevo_objective_destroy(objective);
}

/* On one thread a parallel kernel has one core. */
CHECK_TEST(test_one_thread)
{
    opevo_objective *objective = open_on(1, NULL);
    opevo_objective *other = NULL;
    opevo_index point = 1;
    opevo_outcome outcome;

    assert_string_equal(objective->name, "cpu:threads matmul(48,32,40)");
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    if (opevo_processor_count() > 1) {
        other = open_on(2, NULL);
        assert_true(other->signature != objective->signature);
    }
    opevo_objective_destroy(other);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_library)
{
    opevo_objective *objective = NULL;
    opevo_finalist finalists[2] = {{.point = 0}, {.point = OPEVO_LIBRARY_POINT}};
    double fitness[2 * 2];
    opevo_text library = {0};

    skip_on_one_processor();
    objective = open_on(2, NULL);
    CHECK_OK(measure_finalists(objective, finalists, 2, 2, NULL, fitness, &library, &err));
    assert_non_null(strstr(opevo_text_string(&library), ", on 2 threads"));
    for (int i = 0; i < 4; i++)
        assert_true(fitness[i] > 0);
    opevo_text_free(&library);
    opevo_objective_destroy(objective);
}

/* A worker of a version without threads would measure something else; one with too few processors
 * says so. */
CHECK_TEST(test_workers_that_cannot)
{
    static const char *const cases[][2] = {
        {"sh -c 'echo "
         "\"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":6,\\\"kind\\\":\\\"cpu\\\"}\"; read x;"
         " echo \"{\\\"type\\\":\\\"ready\\\"}\"; sleep 9'",
         "speaks another protocol"},
        {"sh -c 'exec $OPEVO_WORKER cpu'",
         "A kernel of 1000 threads needs as many processors, and this process may use "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *objective = open_on(1000, &cases[i][0]);
        opevo_index point = 0;
        opevo_outcome outcome;

        CHECK_FAILS(OPEVO_IO, cases[i][1],
                    opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        opevo_objective_destroy(objective);
    }
}

CHECK_TEST(test_too_many)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    int64_t alive = opevo_memory_live();

    CHECK_FAILS(OPEVO_INVALID, "--threads 1000: each thread of a kernel needs a core",
                opevo_live_open(&maker_of(1000)->super, &options, &objective, &err));
    assert_int_equal(opevo_memory_live(), alive);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1);
    return cache_folder_remove(check_tests(NULL, NULL));
}
