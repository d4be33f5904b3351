/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generated CPU kernels beside OpenBLAS, on one thread. For each operator a few points of the
 * template `cpu` that were good on one machine are built by the system's compiler and run in turn
 * with OpenBLAS (convolutions: unfolding the image, then sgemm); the ratio is that of the medians of
 * processor time, for the best of the points. */

#include "bench.h"

#include "../build_source.h"

#include <cblas.h>

#include <opevo/random.h>
#include <opevo/reference.h>
#include <opevo/template.h>

#define MM "order=1,2,0 pack_a=0 pack_b=1 vector=16 unroll=64 "
#define BMM "vector=16 unroll=64 stream=1 prefetch=1 "
#define CONV "pack=0 vector=16 unroll=256 "

static const struct {
    const char *op;
    double goal;
    const char *point[3];
} rows[] = {
    {"mm1",
     1.0,
     {MM "K=1,256,4 X=1,4,16,8 Y=16,1,2,32 inner=0,1,3,2 stream=1",
      MM "K=2,128,4 X=1,1,64,8 Y=8,1,4,32 inner=0,1,2,3 stream=0"}},
    {"mm2",
     1.0,
     {MM "K=1,256,4 X=1,4,16,8 Y=64,1,2,32 inner=0,1,3,2 stream=1",
      MM "K=2,128,4 X=1,1,64,8 Y=16,1,8,32 inner=0,1,2,3 stream=0"}},
    {"mm3",
     1.0,
     {MM "K=8,128,4 X=1,1,64,8 Y=8,1,4,32 inner=0,1,2,3 stream=0",
      MM "K=8,128,4 X=1,4,16,8 Y=4,1,8,32 inner=0,1,3,2 stream=0"}},
    {"bmm1",
     1.4,
     {BMM "K=1,32,4 X=1,1,16,8 Y=1,1,2,32 order=0,1,2 inner=0,1,3,2 pack_a=0 pack_b=1",
      BMM "K=1,32,4 X=1,1,16,8 Y=1,1,2,32 order=0,1,2 inner=0,1,3,2 pack_a=0 pack_b=0"}},
    {"bmm2",
     1.4,
     {BMM "K=1,32,4 X=4,1,4,8 Y=1,1,2,32 order=2,1,0 inner=0,1,2,3 pack_a=1 pack_b=1",
      BMM "K=1,32,4 X=4,1,4,8 Y=1,1,2,32 order=0,1,2 inner=0,1,2,3 pack_a=1 pack_b=0"}},
    {"bmm3",
     1.4,
     {BMM "K=1,16,4 X=1,1,32,4 Y=2,1,1,64 order=1,0,2 inner=0,1,3,2 pack_a=0 pack_b=1",
      BMM "K=1,16,4 X=1,1,16,8 Y=1,1,4,32 order=0,1,2 inner=0,1,3,2 pack_a=0 pack_b=1"}},
    {"resnet18-c2", 1.3, {CONV "F=1,8,8 Q=34,2,48 C=1,64 order=1,0,2 inner=1,0"}},
    {"resnet18-c3", 1.3, {CONV "F=1,8,8 Q=49,2,32 C=1,64 order=1,0,2 inner=0,1"}},
    {"resnet18-c4", 1.3, {CONV "F=1,16,8 Q=1,26,32 C=1,64 order=2,1,0 inner=1,0"}},
    {"resnet18-c5",
     1.3,
     {"pack=0 vector=16 unroll=64 F=1,8,16 Q=52,1,16 C=2,32 order=1,0,2 inner=0,1",
      CONV "F=1,32,4 Q=1,13,64 C=1,64 order=2,1,0 inner=1,0"}},
    {"resnet18-c6", 1.3, {CONV "F=1,16,8 Q=9,2,48 C=1,128 order=1,0,2 inner=0,1"}},
    {"resnet18-c7", 1.3, {CONV "F=1,32,8 Q=7,1,32 C=1,128 order=1,0,2 inner=0,1"}},
    {"resnet18-c8", 1.3, {CONV "F=1,16,16 Q=1,13,16 C=1,128 order=1,0,2 inner=1,0"}},
    {"resnet18-c9",
     1.3,
     {CONV "F=1,32,8 Q=7,1,32 C=2,128 order=2,1,0 inner=0,1",
      CONV "F=1,32,8 Q=7,1,32 C=4,64 order=1,0,2 inner=0,1"}},
    {"resnet18-c10", 1.3, {CONV "F=1,128,4 Q=1,1,64 C=1,256 order=2,1,0 inner=0,1"}},
    {"resnet18-c11", 1.3, {CONV "F=1,32,16 Q=4,1,16 C=1,256 order=2,1,0 inner=1,0"}},
    {"resnet18-c12", 1.3, {CONV "F=1,64,8 Q=1,2,32 C=1,512 order=1,0,2 inner=0,1"}},
};

enum { POINTS = 3, ROUNDS_MOST = 400, ROUNDS_LEAST = 9 };

typedef void kernel_function(const float *a, const float *b, float *c);

static void stop(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

/* *build_s is the time that passed. */
static kernel_function *build(const opevo_kernel *kernel, double *build_s)
{
    static const char *const compiler[] = {"cc", "-O2", "-march=native", "-fPIC", "-shared", NULL};
    void *handle = NULL;
    kernel_function *function = NULL;
    double start = bench_wall_s();

    if (!source_build(compiler, opevo_text_string(&kernel->source), &handle))
        stop("A kernel does not compile.");
    *build_s = bench_wall_s() - start;
    *(void **)&function = dlsym(handle, kernel->entry);
    return function;
}

static kernel_function *build_point(const opevo_kernel_maker *maker, const char *text,
                                    double *build_s)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_index point = 0;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    kernel_function *function = NULL;

    if (opevo_space_read(maker->space, text, &point, &err) != OPEVO_OK ||
        maker->ops->make(maker, point, &kernel, &refused, &why, &err) != OPEVO_OK)
        stop(err.message);
    if (refused != OPEVO_OUTCOME_OK)
        stop(opevo_text_string(&why));
    function = build(&kernel, build_s);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return function;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static float *operand(const opevo_operator *op, int which, opevo_rng *rng)
{
    int64_t count = opevo_operand_elements(op, which);
    void *memory = NULL;
    float *number = NULL;

    if (posix_memalign(&memory, 64, (size_t)count * sizeof(float)) != 0)
        stop("No memory for an operand.");
    number = memory;
    for (int64_t i = 0; i < count; i++)
        number[i] = (float)(2 * opevo_rng_unit(rng) - 1);
    return number;
}

/* Medians of processor time: of each kernel, and last of OpenBLAS. */
static void measure(const opevo_operator *op, kernel_function *const *kernel, int kernels,
                    double budget_s, double *median)
{
    static double sample[POINTS + 1][ROUNDS_MOST];
    opevo_rng rng;
    float *x[3];
    double end = 0;
    size_t rounds = 0;

    opevo_rng_init(&rng, 1, "bench", 0);
    for (int i = 0; i < 3; i++)
        x[i] = operand(op, i, &rng);
    end = bench_wall_s() + budget_s;
    while (rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || bench_wall_s() < end)) {
        for (int i = 0; i <= kernels; i++) {
            double start = bench_cpu_s();

            if (i < kernels)
                kernel[i](x[0], x[1], x[2]);
            else if (opevo_reference_blas(op, x[0], x[1], x[2], NULL) != OPEVO_OK)
                stop("OpenBLAS has no memory.");
            sample[i][rounds] = bench_cpu_s() - start;
        }
        rounds++;
    }
    for (int i = 0; i <= kernels; i++) {
        qsort(sample[i], rounds, sizeof **sample, compare);
        median[i] = sample[i][rounds / 2];
    }
    for (int i = 0; i < 3; i++)
        free(x[i]);
}

static void run(bench *self, size_t row)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;
    static kernel_function *kernel[POINTS];
    double build_s = 0;
    double median[POINTS + 1];
    double best = 0;
    int kernels = 0;
    char name[64];

    if (opevo_operator_parse(rows[row].op, &op, &err) != OPEVO_OK ||
        opevo_template_open(&op, "cpu", OPEVO_KERNEL_C, &maker, &err) != OPEVO_OK)
        stop(err.message);
    while (kernels < POINTS && rows[row].point[kernels]) {
        kernel[kernels] = build_point(maker, rows[row].point[kernels], &build_s);
        kernels++;
    }
    measure(&op, kernel, kernels, 1.5, median);
    best = median[0];
    for (int i = 1; i < kernels; i++)
        best = median[i] < best ? median[i] : best;
    snprintf(name, sizeof name, "%s: OpenBLAS", rows[row].op);
    bench_note(name, opevo_operator_flop(&op) * 1e-9 / median[kernels], "GFLOP/s");
    snprintf(name, sizeof name, "%s: generated", rows[row].op);
    bench_note(name, opevo_operator_flop(&op) * 1e-9 / best, "GFLOP/s");
    snprintf(name, sizeof name, "%s: generated over OpenBLAS", rows[row].op);
    bench_at_least(self, name, median[kernels] / best, rows[row].goal, "");
    snprintf(name, sizeof name, "%s: to compile", rows[row].op);
    bench_note(name, build_s * 1e3, "ms");
    maker->ops->destroy(maker);
}

int main(void)
{
    bench self = {0};
    char title[96];

    /* A second thread would not show in the processor time of this one, and would not be fair. */
    openblas_set_num_threads(1);
    snprintf(title, sizeof title, "Generated kernels and OpenBLAS (its kernels for %s), one thread",
             opevo_reference_blas_core());
    bench_title(title);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(&self, i);
    return bench_end(&self);
}
