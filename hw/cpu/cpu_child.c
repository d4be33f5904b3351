/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sample is the mean over a window of at least 0.2 ms, long against the resolution of the clocks
 * and the calls that read them: a window that turns out shorter is dropped, and the next has twice
 * as many executions. Every other window is kept with its elapsed and its processor time, whatever
 * else ran meanwhile; opevo_i_window_times says what counts. The processor time is that of the
 * thread that calls the kernel, as the clock of the whole process may tick in milliseconds; where
 * other threads worked, too, it says nothing and is left out, so that a kernel gains nothing by
 * leaving its work to others.
 *
 * No memory is allocated between fork and the end except by the kernel itself and by dlopen. */

#include "cpu_internal.h"

#include <opevo/clock.h>
#include <opevo/reference.h>

#include <cblas.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job_internal.h"
#include "keeper_internal.h"
#include "samples_internal.h"
#include "sandbox_internal.h"

#define WINDOW_S 2e-4
#define TICK_S 0.01                    /* resolution that the clock of a process has at least */
#define MOST_CALLS ((uint64_t)1 << 40) /* a clock that stands still must not last for ever */
/* Windows follow each other, so that fewer of them look more precise than they are. */
enum { LEAST_SAMPLES = 64, CALIBRATION_WORDS = 1 << 15, CALIBRATION_PASSES = 8 };
/* Half of what is written to flush the caches; a share of a larger last cache belongs to others. */
#define FLUSH_LIMIT (64L << 20)
#define THREAD_MEMORY ((uint64_t)512 << 20) /* its stack, its heap and copies of its own */

typedef struct timing timing;
struct timing {
    const opevo_i_cpu_plan *plan;
    const opevo_i_operands *operands;
    opevo_i_cpu_report *report;
    void (*kernel)(void); /* of any number of operands */
    void (*execute)(const timing *self);
    float *argument[OPEVO_WORKLOAD_OPERANDS + 4]; /* operands, then scratch memory */
    opevo_i_guarded scratch, packed[OPEVO_OPERANDS];
    void (*pack[OPEVO_OPERANDS])(const float *from, float *to); /* NULL: dense */
    unsigned char *flush; /* twice the last cache, when measuring cold */
    size_t flush_bytes;
};

typedef struct instant {
    double wall_s, processor_s;
} instant;

/* The processor time of several threads says nothing of how long they took together: elapsed time
 * stands in its place. */
static instant now(const opevo_i_cpu_plan *plan)
{
    double wall_s = opevo_clock_monotonic_s();

    return (instant){wall_s, plan->threads > 1 ? wall_s : opevo_clock_thread_s()};
}

/* Execute a kernel of at most so many arguments. By the calling conventions of x86-64 and ARM64 it
 * does not see the arguments behind those that it takes. */
#define FOUR(X, i) X(i), X((i) + 1), X((i) + 2), X((i) + 3)
#define EIGHT(X, i) FOUR(X, i), FOUR(X, (i) + 4)
#define SIXTEEN(X, i) EIGHT(X, i), EIGHT(X, (i) + 8)
#define ALL(X, i) SIXTEEN(X, i), SIXTEEN(X, (i) + 16), SIXTEEN(X, (i) + 32), SIXTEEN(X, (i) + 48)
#define MORE(X, i) ALL(X, i), FOUR(X, (i) + 64)
#define TYPE(i) float *
#define VALUE(i) self->argument[i]
#define EXECUTE(count, LIST)                                                                       \
    static void execute_##count(const timing *self)                                                \
    {                                                                                              \
        ((void (*)(LIST(TYPE, 0)))self->kernel)(LIST(VALUE, 0));                                   \
    }
EXECUTE(4, FOUR)
EXECUTE(8, EIGHT)
EXECUTE(16, SIXTEEN)
EXECUTE(68, MORE)

/* What is shared is not in this process' page table until it is touched, which would count as time
 * of a kernel that is executed once. */
static void enter_pages(const opevo_i_guarded *memory)
{
    const volatile unsigned char *byte = memory->data;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < memory->bytes; i += page)
        (void)byte[i];
}

/* A fixed piece of work on 256 KiB: the best of three, in seconds. */
static double calibrate(void)
{
    static double words[CALIBRATION_WORDS];
    double best = INFINITY;

    for (int turn = 0; turn < 3; turn++) {
        double start = opevo_clock_monotonic_s();

        for (int pass = 0; pass < CALIBRATION_PASSES; pass++) {
            for (size_t i = 0; i < CALIBRATION_WORDS; i++)
                words[i] = 0.5 * words[i] + 1;
            __asm__ volatile("" ::: "memory");
        }
        best = fmin(best, opevo_clock_monotonic_s() - start);
    }
    return best;
}

static void allocate_flush(timing *self)
{
    long last = sysconf(_SC_LEVEL3_CACHE_SIZE);

    self->flush_bytes = 2 * (size_t)(last > 0 && last < FLUSH_LIMIT ? last : FLUSH_LIMIT);
    self->flush =
        mmap(NULL, self->flush_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (self->flush == MAP_FAILED)
        self->flush = NULL;
}

/* One window of `calls` executions. */
static instant run_window(const timing *self, uint64_t calls)
{
    instant start;
    instant end;

    if (self->flush)
        memset(self->flush, (int)(calls & 0xff) + 1, self->flush_bytes);
    start = now(self->plan);
    for (uint64_t i = 0; i < calls; i++) {
        self->execute(self);
        __asm__ volatile("" ::: "memory");
    }
    end = now(self->plan);
    return (instant){(end.wall_s - start.wall_s) / (double)calls,
                     (end.processor_s - start.processor_s) / (double)calls};
}

/* Whether the median is known well enough. */
static bool is_precise(const timing *self)
{
    static double times[OPEVO_I_CPU_SAMPLES];
    const opevo_i_cpu_report *report = self->report;
    size_t count = (size_t)report->sample_count;
    double low = 0;
    double high = 0;

    if (count < LEAST_SAMPLES)
        return false;
    opevo_i_window_times(report->samples_s, report->processor_s, count, times);
    opevo_i_sort(times, count);
    return opevo_i_median_interval(times, count, 0.95, &low, &high) &&
           high - low <= 2 * self->plan->precision * opevo_i_median(times, count);
}

/* A clock too coarse for a single execution says nothing. */
static void keep_window(opevo_i_cpu_report *report, instant cost)
{
    report->samples_s[report->sample_count] = cost.wall_s;
    report->processor_s[report->sample_count++] =
        cost.processor_s > 0 ? cost.processor_s : cost.wall_s;
}

/* One window; where it is too short to be a sample, the number of calls is doubled. With flushed
 * caches a window is one call, however short. */
static void take_sample(timing *self, uint64_t *calls)
{
    instant cost = run_window(self, *calls);
    double time_s = fmin(cost.wall_s, cost.processor_s);

    if (!self->plan->cold && time_s * (double)*calls < WINDOW_S && *calls < MOST_CALLS) {
        *calls *= 2;
        return;
    }
    keep_window(self->report, cost);
    self->report->slow = self->plan->slow_s > 0 && time_s > self->plan->slow_s;
}

static void take_samples(timing *self)
{
    const opevo_i_cpu_plan *plan = self->plan;
    opevo_i_cpu_report *report = self->report;
    instant warm = run_window(self, 1);
    bool once = plan->brief && fmin(warm.wall_s, warm.processor_s) >= OPEVO_I_BRIEF_S;
    uint64_t most = once ? 1 : OPEVO_I_CPU_SAMPLES;
    uint64_t calls = 1;
    double deadline = 0, least = 0;

    deadline = opevo_clock_monotonic_s() + plan->repeat_s;
    least = opevo_clock_monotonic_s() + plan->least_s;
    do {
        take_sample(self, &calls);
        if (report->sample_count == most || report->slow ||
            (report->sample_count % 4 == 0 && opevo_clock_monotonic_s() >= least &&
             is_precise(self)))
            return;
    } while (opevo_clock_monotonic_s() < deadline || report->sample_count == 0);
}

static void say(char letter)
{
    if (write(OPEVO_I_CPU_TO, &letter, 1) != 1)
        _exit(1);
}

static void await_permission(void)
{
    char letter = 0;

    if (read(OPEVO_I_CPU_FROM, &letter, 1) != 1 || letter != 'g')
        _exit(0);
}

/* A failure leaves the outputs as they were, which the check sees. */
static void execute_library(const timing *self)
{
    (void)opevo_reference_blas(self->operands->work->library, (const float *const *)self->argument,
                               self->argument + self->operands->list.inputs, NULL);
}

/* The worker has set the library to one thread; a process that says so itself starts another. */
static void load_library(timing *self)
{
    if (self->plan->threads > 1)
        openblas_set_num_threads((int)self->plan->threads);
    self->execute = execute_library;
}

/* Nothing may run in this process. */
static void give_up(const timing *self, const opevo_error *err)
{
    snprintf(self->report->failure, sizeof self->report->failure, "%.500s", err->message);
    say('h');
    _exit(0);
}

/* Those that OpenMP starts for the object, where it uses it. */
static void set_threads(void *library, unsigned threads)
{
    void *symbol = threads > 1 ? dlsym(library, "omp_set_num_threads") : NULL;
    void (*set)(int) = NULL;

    memcpy(&set, &symbol, sizeof symbol);
    if (set)
        set((int)threads);
}

static void *find_symbol(const timing *self, void *library, const char *name)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    if (!symbol) {
        snprintf(self->report->failure, sizeof self->report->failure, "%s",
                 library ? "the object has no function with that name" : dlerror());
        say('l');
        _exit(0);
    }
    return symbol;
}

static void load(timing *self, const char *object, const char *entry)
{
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    void *symbol = find_symbol(self, library, entry);
    int count = self->operands->list.count + 1;

    set_threads(library, self->plan->threads);
    memcpy(&self->kernel, &symbol, sizeof symbol);
    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        char name[OPEVO_KERNEL_NAME];

        if (!self->packed[i].data)
            continue;
        opevo_kernel_pack_name(self->plan->kernel, i, name);
        symbol = find_symbol(self, library, name);
        memcpy(&self->pack[i], &symbol, sizeof symbol);
    }
    self->execute = count <= 4    ? execute_4
                    : count <= 8  ? execute_8
                    : count <= 16 ? execute_16
                                  : execute_68;
}

/* Memory of the kernel, touched as memory is that was there before it; NaN, so that what it takes
 * from there without having put it there is seen. */
static void allocate(const timing *self, uint64_t bytes, opevo_i_guarded *out)
{
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_i_guarded_create((size_t)bytes, false, out, &err) != OPEVO_OK)
        give_up(self, &err);
    memset(out->data, 0xff, out->bytes);
}

static void allocate_memory(timing *self)
{
    const opevo_kernel *kernel = self->plan->kernel;
    unsigned threads = self->plan->threads > 1 ? self->plan->threads : 1;

    if (!kernel)
        return;
    allocate(self, opevo_kernel_scratch_bytes(kernel, threads), &self->scratch);
    self->argument[self->operands->list.count] = opevo_i_floats(&self->scratch);
    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        if (kernel->packed[i])
            allocate(self, kernel->packed[i] * opevo_i_operand_bytes(self->operands, i),
                     &self->packed[i]);
    }
}

/* Bring constants into their layouts, which the kernel reads from then on. */
static void pack(timing *self)
{
    double start = opevo_clock_monotonic_s();
    bool any = false;

    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        if (!self->pack[i])
            continue;
        self->pack[i](self->argument[i], opevo_i_floats(&self->packed[i]));
        self->argument[i] = opevo_i_floats(&self->packed[i]);
        any = true;
    }
    if (any)
        self->report->pack_s = opevo_clock_monotonic_s() - start;
}

void opevo_i_cpu_child(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                       const opevo_i_operands *operands, opevo_i_cpu_report *report)
{
    timing self = {.plan = plan, .operands = operands, .report = report};
    unsigned threads = plan->threads > 1 ? plan->threads : 1;
    const opevo_i_limits limits = {
        .memory_bytes = plan->memory_bytes + (threads - 1) * THREAD_MEMORY,
        .processor_s = threads * (2 * plan->run_limit_s + 2 * plan->repeat_s + 2),
        .cores = plan->threads > 1 ? plan->cores
                 : plan->core < 0  ? NULL
                                   : &plan->core,
        .core_count = threads,
        .threads = threads,
        .kept = OPEVO_I_CPU_TO + 1,
        .object = object,
    };
    opevo_error err = {OPEVO_OK, ""};
    instant first;
    double others_s = 0;

    for (int i = 0; i < operands->list.count; i++)
        self.argument[i] = opevo_i_floats(&operands->memory[i]);
    allocate_memory(&self);
    if (plan->cold)
        allocate_flush(&self);
    if (opevo_i_sandbox_enter(&limits, &err) != OPEVO_OK)
        give_up(&self, &err);
    if (object)
        load(&self, object, entry);
    else
        load_library(&self);
    if (opevo_i_sandbox_seal(&err) != OPEVO_OK)
        give_up(&self, &err);
    for (int i = operands->list.inputs; i < operands->list.count; i++)
        enter_pages(&operands->memory[i]);
    pack(&self);
    report->calibration_s[0] = calibrate();
    others_s = opevo_clock_process_s() - opevo_clock_thread_s();
    report->begun_processor_s = opevo_clock_process_s();
    report->begun_s = opevo_clock_monotonic_s();
    first = run_window(&self, 1);
    report->first_s = first.wall_s;
    say('c');
    await_permission();
    if (first.wall_s >= plan->repeat_s && !plan->brief) {
        /* So slow that its first execution cost what all repeats may, and warming up is nothing. */
        keep_window(report, first);
    } else {
        take_samples(&self);
    }
    others_s = opevo_clock_process_s() - opevo_clock_thread_s() - others_s;
    report->other_threads = plan->threads > 1 || others_s > TICK_S + 0.1 * opevo_clock_thread_s();
    report->calibration_s[1] = calibrate();
    say('d');
    _exit(0);
}
