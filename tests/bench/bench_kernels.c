/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generated CPU kernels beside OpenBLAS and, where it was there when this was built, oneDNN, on one
 * thread. For each operator a few points of the template `cpu` that were good on one machine are
 * built by the system's compiler and run in turn with OpenBLAS (convolutions: unfolding the image,
 * then sgemm) and oneDNN; the ratio is that of the medians of processor time, for the best of the
 * points. Whatever a library or a kernel does to its operands, packing weights included, is in its
 * time; the second number of oneDNN, in layouts of its own, leaves that out. */

#include "bench.h"
#include "onednn.h"

#include "../build_source.h"

#include <cblas.h>

#include <opevo/random.h>
#include <opevo/reference.h>
#include <opevo/template.h>

#include <gsl/gsl_sort.h>

#include <limits.h>
#include <malloc.h>

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
    {"resnet18-c2",
     1.3,
     {CONV "F=1,8,8 Q=34,2,48 C=1,64 order=1,0,2 inner=1,0",
      CONV "F=1,8,8 Q=68,1,48 C=1,64 order=1,0,2 inner=0,1"}},
    {"resnet18-c3",
     1.3,
     {CONV "F=1,8,8 Q=68,1,48 C=1,64 order=1,0,2 inner=0,1",
      CONV "F=1,16,4 Q=34,1,96 C=1,64 order=1,0,2 inner=0,1"}},
    {"resnet18-c4",
     1.3,
     {CONV "F=1,16,8 Q=20,1,48 C=1,64 order=1,0,2 inner=1,0",
      CONV "F=1,16,8 Q=1,20,48 C=1,64 order=1,0,2 inner=1,0"}},
    {"resnet18-c5",
     1.3,
     {CONV "F=1,16,8 Q=20,1,48 C=1,64 order=1,0,2 inner=1,0",
      CONV "F=1,16,8 Q=15,2,32 C=1,64 order=1,0,2 inner=0,1"}},
    {"resnet18-c6",
     1.3,
     {CONV "F=1,16,8 Q=20,1,48 C=1,128 order=1,0,2 inner=1,0",
      CONV "F=1,16,8 Q=10,2,48 C=1,128 order=1,0,2 inner=0,1"}},
    {"resnet18-c7",
     1.3,
     {CONV "F=1,32,8 Q=12,1,32 C=1,128 order=1,0,2 inner=1,0",
      CONV "F=1,32,8 Q=8,1,48 C=1,128 order=1,0,2 inner=1,0"}},
    {"resnet18-c8",
     1.3,
     {CONV "F=1,32,8 Q=8,1,48 C=1,128 order=1,0,2 inner=1,0",
      CONV "F=1,32,8 Q=12,1,32 C=1,128 order=1,0,2 inner=1,0"}},
    {"resnet18-c9",
     1.3,
     {CONV "F=1,32,8 Q=8,1,48 C=1,256 order=1,0,2 inner=1,0",
      CONV "F=1,32,8 Q=12,1,32 C=1,256 order=1,0,2 inner=1,0"}},
    {"resnet18-c10",
     1.3,
     {CONV "F=1,64,8 Q=1,2,32 C=1,256 order=2,1,0 inner=0,1",
      CONV "F=1,128,4 Q=1,1,64 C=1,256 order=2,1,0 inner=0,1"}},
    {"resnet18-c11",
     1.3,
     {CONV "F=1,64,8 Q=2,1,32 C=1,256 order=1,0,2 inner=1,0",
      CONV "F=1,64,8 Q=2,1,32 C=2,128 order=1,0,2 inner=1,0"}},
    {"resnet18-c12",
     1.3,
     {CONV "F=1,64,8 Q=1,2,32 C=1,512 order=1,0,2 inner=0,1",
      CONV "F=1,64,8 Q=2,1,32 C=1,512 order=1,0,2 inner=0,1"}},
};

enum { POINTS = 3, ROUNDS_MOST = 400, ROUNDS_LEAST = 9 };

typedef void kernel_function(const float *a, const float *b, float *c, float *scratch);

/* A kernel, and memory that it works in. */
typedef struct built {
    kernel_function *function;
    float *scratch;
} built;

static void stop(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

static float *aligned(size_t bytes)
{
    void *memory = NULL;

    if (posix_memalign(&memory, OPEVO_KERNEL_ALIGNMENT, bytes) != 0)
        stop("No memory for an operand.");
    return memory;
}

/* *build_s is the time that passed. */
static built build(const opevo_kernel *kernel, double *build_s)
{
    static const char *const compiler[] = {"cc", "-O2", "-march=native", "-fPIC", "-shared", NULL};
    void *handle = NULL;
    built self = {NULL, NULL};
    double start = opevo_clock_monotonic_s();

    if (!source_build(compiler, opevo_text_string(&kernel->source), &handle))
        stop("A kernel does not compile.");
    *build_s = opevo_clock_monotonic_s() - start;
    *(void **)&self.function = dlsym(handle, kernel->entry);
    self.scratch = aligned((size_t)opevo_kernel_scratch_bytes(kernel, 1));
    return self;
}

static built build_point(const opevo_kernel_maker *maker, const char *text, double *build_s)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_index point = 0;
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    built self = {NULL, NULL};

    if (opevo_space_read(maker->space, text, &point, &err) != OPEVO_OK ||
        maker->ops->make(maker, point, &kernel, &refused, &why, &err) != OPEVO_OK)
        stop(err.message);
    if (refused != OPEVO_OUTCOME_OK)
        stop(opevo_text_string(&why));
    self = build(&kernel, build_s);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return self;
}

static float *operand(const opevo_operator *op, int which, opevo_rng *rng)
{
    int64_t count = opevo_operand_elements(op, which);
    float *number = aligned((size_t)count * sizeof(float));

    for (int64_t i = 0; i < count; i++)
        number[i] = (float)(2 * opevo_rng_unit(rng) - 1);
    return number;
}

/* What runs in turn: the kernels, OpenBLAS, and oneDNN on the same operands and in its own
 * layouts. */
enum { OPENBLAS = POINTS, ONEDNN, ONEDNN_OWN, CONTENDERS };

typedef struct contest {
    const opevo_operator *op;
    float *operand[3];
    built kernel[POINTS];
    onednn *other[2];
    double sample[CONTENDERS][ROUNDS_MOST];
    double median[CONTENDERS]; /* of processor time, in seconds; 0: did not run */
} contest;

/* False where there is no such contender. */
static bool execute(const contest *self, int who)
{
    float *const *x = self->operand;

    if (who == OPENBLAS) {
        if (opevo_reference_blas(self->op, (const float *const *)x, x + 2, NULL) != OPEVO_OK)
            stop("OpenBLAS has no memory.");
        return true;
    }
    if (who >= ONEDNN)
        return self->other[who - ONEDNN] && onednn_run(self->other[who - ONEDNN]);
    if (self->kernel[who].function)
        self->kernel[who].function(x[0], x[1], x[2], self->kernel[who].scratch);
    return self->kernel[who].function != NULL;
}

/* Each is executed twice in its turn and timed the second time, so that none finds in the caches
 * what the one before it has left. */
static void measure(contest *self, double budget_s)
{
    opevo_rng rng;
    double end = 0;
    size_t rounds = 0;

    opevo_rng_init(&rng, 1, "bench", 0);
    for (int i = 0; i < 3; i++)
        self->operand[i] = operand(self->op, i, &rng);
    self->other[0] = onednn_create(self->op, self->operand, false);
    if (self->op->kind == OPEVO_CONV2D)
        self->other[1] = onednn_create(self->op, self->operand, true);
    end = opevo_clock_monotonic_s() + budget_s;
    while (rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || opevo_clock_monotonic_s() < end)) {
        for (int i = 0; i < CONTENDERS; i++) {
            double start = 0;

            if (!execute(self, i))
                continue;
            start = opevo_clock_process_s();
            execute(self, i);
            self->sample[i][rounds] = opevo_clock_process_s() - start;
        }
        rounds++;
    }
    for (int i = 0; i < CONTENDERS; i++) {
        gsl_sort(self->sample[i], 1, rounds);
        self->median[i] = self->sample[i][rounds / 2];
    }
    for (int i = 0; i < 3; i++)
        free(self->operand[i]);
    onednn_destroy(self->other[0]);
    onednn_destroy(self->other[1]);
}

static void note(const contest *self, size_t row, const char *who, double time_s)
{
    char name[64];

    snprintf(name, sizeof name, "%s: %s", rows[row].op, who);
    if (time_s > 0)
        bench_note(name, opevo_operator_flop(self->op) * 1e-9 / time_s, "GFLOP/s");
}

static void report(bench *self, size_t row, const contest *all, double build_s)
{
    double best = all->median[0];
    char name[64];

    for (int i = 1; i < POINTS; i++)
        best = all->median[i] > 0 && all->median[i] < best ? all->median[i] : best;
    note(all, row, "OpenBLAS", all->median[OPENBLAS]);
    note(all, row, "oneDNN", all->median[ONEDNN]);
    note(all, row, "oneDNN in layouts of its own", all->median[ONEDNN_OWN]);
    note(all, row, "generated", best);
    snprintf(name, sizeof name, "%s: generated over OpenBLAS", rows[row].op);
    bench_at_least(self, name, all->median[OPENBLAS] / best, rows[row].goal, "");
    snprintf(name, sizeof name, "%s: generated over oneDNN", rows[row].op);
    if (all->median[ONEDNN] > 0)
        bench_note(name, all->median[ONEDNN] / best, "");
    snprintf(name, sizeof name, "%s: to compile", rows[row].op);
    bench_note(name, build_s * 1e3, "ms");
}

static void run(bench *self, size_t row)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;
    static contest all;
    double build_s = 0;

    if (opevo_operator_parse(rows[row].op, &op, &err) != OPEVO_OK ||
        opevo_template_open(&op, "cpu", OPEVO_KERNEL_C, &maker, &err) != OPEVO_OK)
        stop(err.message);
    all = (contest){.op = &op};
    for (int i = 0; i < POINTS && rows[row].point[i]; i++)
        all.kernel[i] = build_point(maker, rows[row].point[i], &build_s);
    measure(&all, 2);
    report(self, row, &all, build_s);
    maker->ops->destroy(maker);
}

int main(void)
{
    bench self = {0};
    char title[96];

    /* A second thread would not show in the processor time of this one, and would not be fair. */
    openblas_set_num_threads(1);
    /* An unfolded image that came from the system anew each time would cost OpenBLAS page
     * faults. */
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    snprintf(title, sizeof title, "Generated kernels and OpenBLAS (its kernels for %s), one thread",
             opevo_reference_blas_core());
    bench_title(title);
    if (!onednn_is_there())
        puts("oneDNN: skipped; install libdnnl-dev (version 2) and configure again");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(&self, i);
    return bench_end(&self);
}
