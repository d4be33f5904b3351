/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generated kernels on two threads beside one, and beside OpenBLAS on two: the first schedules of a
 * run, executed in turn. Times are elapsed, the shortest of all rounds, as all threads of a kernel
 * wait for the one that another program holds up. */

#include "bench.h"

#include "../build_source.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/random.h>
#include <opevo/reference.h>
#include <opevo/template.h>

#include <cblas.h>
#include <math.h>

#define BUDGET_S 2 /* for an operator, after so many rounds */
enum { ROUNDS_LEAST = 9, ROUNDS_MOST = 60, THREADS = 2 };

typedef void kernel_function(const float *a, const float *b, float *c);

static void stop(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

static kernel_function *build(const opevo_kernel *kernel)
{
    static const char *const compiler[] = {
        "cc", OPEVO_KERNEL_C_FLAGS, OPEVO_KERNEL_C_PARALLEL_FLAG, "-fPIC", "-shared", NULL};
    kernel_function *function = NULL;
    void (*set_threads)(int) = NULL;
    void *handle = NULL;

    if (!source_build(compiler, opevo_text_string(&kernel->source), &handle))
        stop("A kernel does not compile.");
    *(void **)&function = dlsym(handle, kernel->entry);
    *(void **)&set_threads = dlsym(handle, "omp_set_num_threads");
    if (set_threads)
        set_threads(THREADS);
    return function;
}

/* The kernel with which a run on so many threads begins. */
static kernel_function *build_first(const opevo_operator *op, unsigned threads)
{
    const opevo_device_facts facts = {.vector_bits = 512, .l2_bytes = 1 << 20};
    opevo_error err = {OPEVO_OK, ""};
    opevo_kernel_maker *maker = NULL;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_index point = 0;
    bool found = false;
    kernel_function *function = NULL;

    if (opevo_template_open_threads(op, "cpu", OPEVO_KERNEL_C, threads, &maker, &err) != OPEVO_OK ||
        maker->ops->start(maker, &facts, &found, &point, &err) != OPEVO_OK ||
        maker->ops->make(maker, point, &kernel, &refused, &why, &err) != OPEVO_OK)
        stop(err.message);
    if (!found || refused != OPEVO_OUTCOME_OK || kernel.parallel != (threads > 1))
        stop("A first schedule is not as it should be.");
    function = build(&kernel);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    maker->ops->destroy(maker);
    return function;
}

static float *operand(const opevo_operator *op, int which, opevo_rng *rng)
{
    int64_t count = opevo_operand_elements(op, which);
    float *number = aligned_alloc(64, ((size_t)count * sizeof(float) + 63) / 64 * 64);

    if (!number)
        stop("No memory for an operand.");
    for (int64_t i = 0; i < count; i++)
        number[i] = (float)(2 * opevo_rng_unit(rng) - 1);
    return number;
}

/* Of one execution after another one, which brings its operands back into the caches. */
static double time_of(kernel_function *kernel, const opevo_operator *op, float *const *x)
{
    double start = 0;

    for (int i = 0; i < 2; i++) {
        start = opevo_clock_monotonic_s();
        if (kernel)
            kernel(x[0], x[1], x[2]);
        else if (opevo_reference_blas(op, (const float *const *)x, x + 2, NULL) != OPEVO_OK)
            stop("OpenBLAS has no memory.");
    }
    return opevo_clock_monotonic_s() - start;
}

static void run(bench *self, const char *form)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_operator op;
    kernel_function *kernel[3] = {NULL, NULL, NULL}; /* the last is OpenBLAS */
    double best[3] = {INFINITY, INFINITY, INFINITY};
    double end_s = 0;
    float *x[3];
    opevo_rng rng;
    char name[96];

    if (opevo_operator_parse(form, &op, &err) != OPEVO_OK)
        stop(err.message);
    opevo_rng_init(&rng, 1, "bench", 0);
    for (int i = 0; i < 3; i++)
        x[i] = operand(&op, i, &rng);
    for (unsigned i = 0; i < 2; i++)
        kernel[i] = build_first(&op, i + 1);
    end_s = opevo_clock_monotonic_s() + BUDGET_S;
    for (int round = 0;
         round < ROUNDS_MOST && (round < ROUNDS_LEAST || opevo_clock_monotonic_s() < end_s);
         round++) {
        for (int i = 0; i < 3; i++)
            best[i] = fmin(best[i], time_of(kernel[i], &op, x));
    }
    snprintf(name, sizeof name, "%s: two threads, untuned", form);
    bench_note(name, opevo_operator_flop(&op) * 1e-9 / best[1], "GFLOP/s");
    snprintf(name, sizeof name, "%s: two threads over one", form);
    bench_at_least(self, name, best[0] / best[1], 1.6, "");
    snprintf(name, sizeof name, "%s: over OpenBLAS on two threads", form);
    bench_note(name, best[2] / best[1], "");
    for (int i = 0; i < 3; i++)
        free(x[i]);
}

int main(void)
{
    static const char *const forms[] = {"mm1", "mm3", "bmm1", "resnet18-c2", "resnet18-c9"};
    bench self = {0};

    bench_title("Generated kernels on two threads");
    if (opevo_processor_count() < THREADS) {
        puts("skipped: this machine has one processor");
        return 0;
    }
    openblas_set_num_threads(THREADS);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        run(&self, forms[i]);
    return bench_end(&self);
}
