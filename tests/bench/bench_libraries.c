/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels from sketches beside oneDNN, OpenBLAS and ONNX Runtime, as far as they are there:
 *
 *     bench_libraries [--threads N] [--seconds S] [COMPUTATION [CONFIGURATION]]
 *
 * Without a computation: the operators and subgraphs of Ansor's evaluation, first shapes. Without a
 * configuration: the analytic start. All run in turn in one process, each a window of executions
 * behind some that are not timed, beside a loop of fused multiply-adds alone, the peak. A time is
 * the median over the rounds: on one thread of the smaller of elapsed and processor time of each
 * window, on more threads of the elapsed time. Outputs of libraries are compared with the kernel's.
 * Rows are lines of a table in Markdown. */

#include "bench.h"
#include "library_case.h"

#include "../build_source.h"

#include <opevo/computation_named.h>
#include <opevo/random.h>
#include <opevo/sketch.h>
#include <opevo/worker.h>
#include <opevo/workload.h>

#include <gsl/gsl_sort.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum {
    KERNEL,
    PEAK,
    LIBRARIES, /* the first of them */
    CONTENDERS = LIBRARIES + 3,
    ROUNDS_MOST = 200,
    ROUNDS_LEAST = 7,
    OPERANDS = 5
};

static const double window_s = 0.004, warm_s = 0.002;
/* Threads of a library go on spinning behind a call, OpenBLAS's for 25 ms. With more than one
 * thread the next contender waits until they have given up their cores. */
static const struct timespec pause_of_threads = {0, 40000000};

static const library_contender *const library[] = {&library_onednn, &library_openblas,
                                                   &library_onnx};

typedef struct contest {
    opevo_computation *computation; /* owned by the maker */
    opevo_workload *workload;
    opevo_kernel_maker *maker;
    library_case what;
    int threads;
    float *operand[OPERANDS], *packed[OPERANDS]; /* of the kernel */
    float *permuted[3], *scratch;                /* of libraries */
    void (*function)(void);
    void (*peak)(long);
    void *other[3];
    double sample[CONTENDERS][ROUNDS_MOST];
    double median[CONTENDERS]; /* seconds of one execution; 0: absent */
    double ratio[3];           /* median of a library's time over the kernel's */
} contest;

static void stop(const char *sentence)
{
    fprintf(stderr, "bench_libraries: %s\n", sentence);
    exit(1);
}

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK)
        stop(err->message);
}

static float *aligned(int64_t elements)
{
    void *memory = NULL;
    size_t bytes = (size_t)elements * sizeof(float) + OPEVO_KERNEL_ALIGNMENT;

    if (posix_memalign(&memory, OPEVO_KERNEL_ALIGNMENT, bytes) != 0)
        stop("No memory for an operand.");
    return memset(memory, 0, bytes);
}

static void *build(const char *source)
{
    static const char *const compiler[] = {
        "cc", OPEVO_KERNEL_C_FLAGS, OPEVO_KERNEL_C_PARALLEL_FLAG, "-fPIC", "-shared", NULL};
    void *handle = NULL;

    if (!source_build(compiler, source, &handle))
        stop("A kernel does not compile.");
    return handle;
}

/* ---- The kernel ---- */

/* What the start depends on. */
static void note_cpu(void *context, const opevo_hardware *device)
{
    opevo_device_facts *facts = context;

    if (strcmp(device->name, "cpu") == 0)
        *facts = (opevo_device_facts){.vector_bits = device->vector_bits,
                                      .l1_bytes = device->l1_bytes,
                                      .l2_bytes = device->l2_bytes};
}

static opevo_index find_point(const contest *self, const char *text)
{
    opevo_device_facts facts = {0};
    opevo_error err = {OPEVO_OK, ""};
    opevo_index point = 0;
    bool found = true;

    opevo_hardware_list(note_cpu, &facts);
    if (text)
        need(opevo_space_read(self->maker->space, text, &point, &err), &err);
    else
        need(self->maker->ops->start(self->maker, &facts, &found, &point, &err), &err);
    if (!found)
        stop("The analytic start was not found.");
    return point;
}

static void pack(contest *self, const opevo_kernel *kernel, void *handle)
{
    for (int i = 0; i < self->workload->list.inputs; i++) {
        char name[OPEVO_KERNEL_NAME];
        void (*function)(const float *, float *) = NULL;

        self->packed[i] = self->operand[i];
        if (!kernel->packed[i])
            continue;
        opevo_kernel_pack_name(kernel, i, name);
        *(void **)&function = dlsym(handle, name);
        self->packed[i] = aligned((int64_t)kernel->packed[i]);
        function(self->operand[i], self->packed[i]);
    }
}

static void make_kernel(contest *self, const char *configuration)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    void *handle = NULL;

    need(self->maker->ops->make(self->maker, find_point(self, configuration), &kernel, &refused,
                                &why, &err),
         &err);
    if (refused != OPEVO_OUTCOME_OK)
        stop(opevo_text_string(&why));
    handle = build(opevo_text_string(&kernel.source));
    *(void **)&self->function = dlsym(handle, kernel.entry);
    self->scratch = aligned(
        (int64_t)(opevo_kernel_scratch_bytes(&kernel, (uint64_t)self->threads) / sizeof(float)));
    for (int i = 0; i < self->workload->list.count; i++)
        self->packed[i] = self->operand[i];
    pack(self, &kernel, handle);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
}

static void run_kernel(const contest *self)
{
    float *const *x = self->packed, *s = self->scratch;

    switch (self->workload->list.count) {
    case 2:
        ((void (*)(const float *, float *, float *))self->function)(x[0], x[1], s);
        break;
    case 3:
        ((void (*)(const float *, const float *, float *, float *))self->function)(x[0], x[1], x[2],
                                                                                   s);
        break;
    default:
        ((void (*)(const float *, const float *, const float *, const float *, float *,
                   float *))self->function)(x[0], x[1], x[2], x[3], x[4], s);
    }
}

/* ---- The peak ---- */

/* FLOP of one call: n times ACCUMULATORS fused multiply-adds of `bytes`. */
static const char peak_source[] =
    "#ifdef __AVX512F__\n#define BYTES 64\n#define MANY 16\n"
    "#elif defined __AVX__\n#define BYTES 32\n#define MANY 12\n"
    "#else\n#define BYTES 16\n#define MANY 12\n#endif\n"
    "typedef float vector __attribute__((vector_size(BYTES)));\n"
    "volatile float seed = 1;\n"
    "long peak_flop(void) { return 2 * MANY * BYTES / 4; }\n"
    "static float loop(long n)\n{\n"
    "    vector x[MANY], a = (vector){0} + seed, b = (vector){0} + 1e-9f * seed;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < MANY; k++) x[k] = a + k * seed;\n"
    "    for (long i = 0; i < n; i++)\n"
    "#pragma GCC unroll 16\n"
    "        for (int k = 0; k < MANY; k++) x[k] = x[k] * b + a;\n"
    "    for (int k = 0; k < MANY; k++) sum += x[k][0];\n"
    "    return sum;\n}\n"
    "void peak(long n)\n{\n"
    "    float sum = 0;\n"
    "#pragma omp parallel reduction(+:sum)\n"
    "    sum += loop(n);\n"
    "    seed = seed + 0 * sum;\n}\n";
enum { PEAK_STEPS = 100000 };

static double make_peak(contest *self)
{
    static void *handle;
    long (*flop)(void) = NULL;

    if (!handle)
        handle = build(peak_source);
    *(void **)&self->peak = dlsym(handle, "peak");
    *(void **)&flop = dlsym(handle, "peak_flop");
    return (double)flop() * PEAK_STEPS * self->threads;
}

/* ---- Operands ---- */

static void fill(float *data, int64_t elements, double least, opevo_rng *rng)
{
    for (int64_t i = 0; i < elements; i++)
        data[i] = (float)(least + (1 - least) * opevo_rng_unit(rng));
}

static void make_operands(contest *self)
{
    const opevo_workload_list *list = &self->workload->list;
    library_operands x = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 0);
    for (int i = 0; i < list->count; i++) {
        self->operand[i] = aligned(list->item[i].elements);
        if (i < list->inputs)
            fill(self->operand[i], list->item[i].elements, -1, &rng);
    }
    for (int i = 0; i < 3; i++) {
        self->permuted[i] = aligned(library_case_elements(&self->what, i));
        if (i < 2 && self->what.operand[i].dims)
            library_case_permute(&self->what, i, false, self->operand[i], self->permuted[i]);
    }
    x = (library_operands){self->permuted[0], self->permuted[1], NULL, NULL, self->permuted[2]};
    if (self->what.relu) {
        x.scale = self->operand[2];
        x.shift = self->operand[3];
    }
    for (int i = 0; i < 3; i++)
        self->other[i] = library[i]->prepare(&self->what, &x, self->threads);
}

/* A library that computes something else is not a peer, and is left out: oneDNN and ONNX Runtime
 * add the 2^22 squares of a norm one after the other, which errs by more than the tolerance. */
static void compare(contest *self, int which)
{
    int64_t count = library_case_elements(&self->what, 2);
    float *turned = aligned(count), *ours = self->operand[self->workload->list.inputs];
    double size = 0, error = 0;

    memset(self->permuted[2], 0, (size_t)count * sizeof(float));
    if (!library[which]->run(self->other[which]) || !library[which]->fetch(self->other[which]))
        stop("A library does not run.");
    library_case_permute(&self->what, 2, true, self->permuted[2], turned);
    for (int64_t i = 0; i < count; i++) {
        size = fmax(size, fabs((double)ours[i]));
        error = fmax(error, fabs((double)ours[i] - (double)turned[i]));
    }
    if (!(error <= 1e-3 * size)) {
        fprintf(stderr, "bench_libraries: %s differs by %g of %g and is left out.\n",
                library[which]->name, error, size);
        library[which]->destroy(self->other[which]);
        self->other[which] = NULL;
    }
    free(turned);
}

/* ---- Cores ---- */

static cpu_set_t allowed;

static cpu_set_t core(int which)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &allowed) && which-- == 0)
            CPU_SET(i, &set);
    }
    return set;
}

/* Threads of OpenMP, this one included, have a core each, as in trials of opevo; otherwise two may
 * wait for each other on the same. Threads inherit the cores of the one that makes them, so those
 * of other libraries are made while this one may run anywhere. */
static void place_threads(int threads, bool apart)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#pragma omp parallel num_threads(threads)
    {
        cpu_set_t set = apart ? core(omp_get_thread_num()) : allowed;

        sched_setaffinity(0, sizeof set, &set);
    }
#else
    (void)threads;
    (void)apart;
#endif
}

/* ---- Measuring ---- */

static void execute(const contest *self, int who)
{
    if (who == KERNEL)
        run_kernel(self);
    else if (who == PEAK)
        self->peak(PEAK_STEPS);
    else
        library[who - LIBRARIES]->run(self->other[who - LIBRARIES]);
}

/* Seconds of one execution. */
static double measure_window(const contest *self, int who)
{
    double start = 0, process = 0, elapsed = 0;
    int times = 0;

    if (self->threads > 1)
        nanosleep(&pause_of_threads, NULL);
    start = opevo_clock_monotonic_s();
    do
        execute(self, who);
    while (opevo_clock_monotonic_s() - start < warm_s);
    start = opevo_clock_monotonic_s();
    process = opevo_clock_process_s();
    do {
        execute(self, who);
        times++;
        elapsed = opevo_clock_monotonic_s() - start;
    } while (elapsed < window_s);
    process = opevo_clock_process_s() - process;
    return (self->threads == 1 ? fmin(elapsed, process) : elapsed) / times;
}

static double median(double *sample, size_t count)
{
    gsl_sort(sample, 1, count);
    return sample[count / 2];
}

static bool takes_part(const contest *self, int who)
{
    return who < LIBRARIES || self->other[who - LIBRARIES];
}

static void measure(contest *self, double budget_s)
{
    double end = opevo_clock_monotonic_s() + budget_s;
    size_t rounds = 0;

    while (rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || opevo_clock_monotonic_s() < end)) {
        for (int i = 0; i < CONTENDERS; i++) {
            if (takes_part(self, i))
                self->sample[i][rounds] = measure_window(self, i);
        }
        rounds++;
    }
    for (int i = 0; i < 3; i++) {
        double ratio[ROUNDS_MOST];

        for (size_t r = 0; r < rounds; r++)
            ratio[r] = self->sample[LIBRARIES + i][r] / self->sample[KERNEL][r];
        self->ratio[i] = median(ratio, rounds);
    }
    for (int i = 0; i < CONTENDERS; i++)
        self->median[i] = takes_part(self, i) ? median(self->sample[i], rounds) : 0;
}

/* ---- One row ---- */

static void print_cell(double time_s, double flop)
{
    if (time_s > 0)
        printf(" %.1f |", flop * 1e-9 / time_s);
    else
        printf("  |");
}

/* The ratio to the fastest library, 0 without any. */
static double print_row(const contest *self, const char *name, double peak_flop)
{
    double flop = self->workload->flop, ours = flop / self->median[KERNEL];
    int best = -1;

    printf("| %s | %d |", name, self->threads);
    print_cell(self->median[KERNEL], flop);
    for (int i = 0; i < 3; i++) {
        print_cell(self->median[LIBRARIES + i], flop);
        if (self->other[i] &&
            (best < 0 || self->median[LIBRARIES + i] < self->median[LIBRARIES + best]))
            best = i;
    }
    if (best < 0)
        printf("  |");
    else
        printf(" %.2f |", self->ratio[best]);
    printf(" %.2f |\n", ours * self->median[PEAK] / peak_flop);
    fflush(stdout);
    return best < 0 ? 0 : self->ratio[best];
}

static void release(contest *self)
{
    for (int i = 0; i < 3; i++) {
        free(self->permuted[i]);
        if (self->other[i])
            library[i]->destroy(self->other[i]);
    }
    for (int i = 0; i < self->workload->list.count; i++) {
        if (self->packed[i] != self->operand[i])
            free(self->packed[i]);
        free(self->operand[i]);
    }
    free(self->scratch);
    opevo_workload_destroy(self->workload);
    self->maker->ops->destroy(self->maker);
}

static double run(const char *name, const char *configuration, int threads, double budget_s)
{
    static contest self;
    opevo_sketch_target target = {OPEVO_KERNEL_C, (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
                                  (unsigned)threads, false};
    opevo_error err = {OPEVO_OK, ""};
    opevo_text text = {0};
    double peak_flop = 0, ratio = 0;

    self = (contest){.threads = threads};
    need(opevo_computation_read(name, &self.computation, &err), &err);
    need(opevo_sketches_open(self.computation, &target, &self.maker, &err), &err);
    need(opevo_workload_create(self.maker->computation, &self.workload, &err), &err);
    opevo_workload_print(self.workload, &text);
    if (!library_case_read(name, &self.what) &&
        !library_case_read(opevo_text_string(&text), &self.what))
        stop("Not one of Ansor's operators and subgraphs, a product or a square convolution.");
    place_threads(threads, false);
    peak_flop = make_peak(&self);
    make_operands(&self);
    make_kernel(&self, configuration);
    run_kernel(&self);
    for (int i = 0; i < 3; i++) {
        if (self.other[i])
            compare(&self, i);
    }
    place_threads(threads, true);
    measure(&self, budget_s);
    ratio = print_row(&self, name, peak_flop);
    opevo_text_free(&text);
    release(&self);
    return ratio;
}

/* ---- The table ---- */

static void print_head(void)
{
    if (!getenv("OPEVO_ONNXRUNTIME"))
        fputs("bench_libraries: ONNX Runtime is skipped; set OPEVO_ONNXRUNTIME to its library.\n",
              stderr);
    puts("| computation | threads | opevo | oneDNN | OpenBLAS | ONNX Runtime | ratio | of the peak "
         "|\n|---|---|---|---|---|---|---|---|");
}

int main(int count, char **argument)
{
    static const char *const all[] = {"ansor-gmm-1", "ansor-c1d-1",        "ansor-c2d-1",
                                      "ansor-c3d-1", "ansor-grp-1",        "ansor-dil-1",
                                      "ansor-dep-1", "ansor-t2d-1",        "ansor-cap-1",
                                      "ansor-nrm-1", "ansor-conv-layer-1", "ansor-tbg-1"};
    double seconds = 1, logarithms = 0;
    int threads = 1, rows = 0;

    while (count > 2 && strncmp(argument[1], "--", 2) == 0) {
        if (strcmp(argument[1], "--threads") == 0)
            threads = (int)strtol(argument[2], NULL, 10);
        else
            seconds = strtod(argument[2], NULL);
        count -= 2;
        argument += 2;
    }
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (threads < 1 || threads > CPU_COUNT(&allowed))
        stop("--threads needs as many processors.");
    if (threads == 1)
        allowed = core(CPU_COUNT(&allowed) - 1);
    if (count > 1)
        return run(argument[1], count > 2 ? argument[2] : NULL, threads, seconds) < 0;
    print_head();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double ratio = run(all[i], NULL, threads, seconds);

        if (ratio > 0) {
            logarithms += log(ratio);
            rows++;
        }
    }
    if (rows)
        printf("geometric mean of the ratios: %.2f\n", exp(logarithms / rows));
    return 0;
}
