/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forked process: it gives up what it must, then does what it is ordered to. It reads no clock,
 * as nothing in it is safe from the kernel.
 *
 * No memory is allocated between fork and the end except by the kernel itself and by dlopen. */

#include "cpu_internal.h"

#include <opevo/reference.h>

#include <cblas.h>

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox_internal.h"

enum { CALIBRATION_WORDS = 1 << 15, CALIBRATION_PASSES = 8, LINE = 64 };
/* Half of what is written to flush the caches; a share of a larger last cache belongs to others. */
#define FLUSH_LIMIT (64L << 20)
#define THREAD_MEMORY ((uint64_t)512 << 20) /* its stack, its heap and copies of its own */

typedef struct timing timing;
struct timing {
    const opevo_i_cpu_plan *plan;
    const char *object, *entry;
    const opevo_i_reference_operands *sets;
    void (*kernel)(void); /* of any number of operands */
    void (*execute)(const timing *self, float *const *argument);
    /* Operands, then scratch memory. */
    float *argument[OPEVO_I_CPU_SETS][OPEVO_WORKLOAD_OPERANDS + 4];
    opevo_i_reference_guarded scratch, packed[OPEVO_I_CPU_SETS][OPEVO_OPERANDS];
    void (*pack[OPEVO_OPERANDS])(const float *from, float *to); /* NULL: dense */
    unsigned char *flush; /* twice the last cache, when measuring cold */
    size_t flush_bytes;
};

/* Execute a kernel of at most so many arguments. By the calling conventions of x86-64 and ARM64 it
 * does not see the arguments behind those that it takes. */
#define FOUR(X, i) X(i), X((i) + 1), X((i) + 2), X((i) + 3)
#define EIGHT(X, i) FOUR(X, i), FOUR(X, (i) + 4)
#define SIXTEEN(X, i) EIGHT(X, i), EIGHT(X, (i) + 8)
#define ALL(X, i) SIXTEEN(X, i), SIXTEEN(X, (i) + 16), SIXTEEN(X, (i) + 32), SIXTEEN(X, (i) + 48)
#define MORE(X, i) ALL(X, i), FOUR(X, (i) + 64)
#define TYPE(i) float *
#define VALUE(i) argument[i]
#define EXECUTE(count, LIST)                                                                       \
    static void execute_##count(const timing *self, float *const *argument)                        \
    {                                                                                              \
        ((void (*)(LIST(TYPE, 0)))self->kernel)(LIST(VALUE, 0));                                   \
    }
EXECUTE(4, FOUR)
EXECUTE(8, EIGHT)
EXECUTE(16, SIXTEEN)
EXECUTE(68, MORE)

/* What is shared is not in this process' page table until it is touched, which would count as time
 * of a kernel that is executed once. */
static void touch(const opevo_i_reference_operands *set)
{
    for (int i = 0; i < set->list.count; i++) {
        const volatile unsigned char *byte = set->memory[i].data;

        for (size_t k = 0; k < set->memory[i].bytes; k += LINE)
            (void)byte[k];
    }
}

/* A fixed piece of work on 256 KiB. */
static void calibrate(void)
{
    static double words[CALIBRATION_WORDS];

    for (int pass = 0; pass < CALIBRATION_PASSES; pass++) {
        for (size_t i = 0; i < CALIBRATION_WORDS; i++)
            words[i] = 0.5 * words[i] + 1;
        __asm__ volatile("" ::: "memory");
    }
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

static void run(const timing *self, uint32_t set, uint64_t count)
{
    assert(self->execute || count == 0); /* orders before the object is loaded ask for nothing */
    for (uint64_t i = 0; i < count; i++) {
        self->execute(self, self->argument[set]);
        __asm__ volatile("" ::: "memory");
    }
}

/* In one piece, as it is smaller than what a pipe holds together. */
static void answer(uint64_t token, char letter, const char *words)
{
    opevo_i_cpu_answer message = {.token = token, .letter = letter};
    size_t length = strnlen(words, sizeof message.words);
    size_t bytes = offsetof(opevo_i_cpu_answer, words) + length;

    memcpy(message.words, words, length);
    if (write(OPEVO_I_CPU_TO, &message, bytes) != (ssize_t)bytes)
        _exit(1);
}

/* A failure leaves the outputs as they were, which the check sees. */
static void execute_library(const timing *self, float *const *argument)
{
    (void)opevo_reference_blas(opevo_i_reference_library(self->sets),
                               (const float *const *)argument, argument + self->sets->list.inputs,
                               NULL);
}

/* The worker has set the library to one thread; a process that says so itself starts another. */
static void load_library(timing *self)
{
    if (self->plan->threads > 1)
        openblas_set_num_threads((int)self->plan->threads);
    self->execute = execute_library;
}

/* Nothing may run in this process. */
static void give_up(const opevo_error *err)
{
    answer(0, 'h', err->message);
    _exit(0);
}

static void refuse(uint64_t token, const char *words)
{
    answer(token, 'l', words);
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

static void *find_symbol(uint64_t token, void *library, const char *name)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    if (!symbol)
        refuse(token, library ? "the object has no function with that name" : dlerror());
    return symbol;
}

static void load(timing *self, uint64_t token)
{
    void *library = dlopen(self->object, RTLD_NOW | RTLD_LOCAL);
    void *symbol = find_symbol(token, library, self->entry);
    int count = self->sets->list.count + 1;

    set_threads(library, self->plan->threads);
    memcpy(&self->kernel, &symbol, sizeof symbol);
    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        char name[OPEVO_KERNEL_NAME];

        if (!self->packed[0][i].data)
            continue;
        opevo_kernel_pack_name(self->plan->kernel, i, name);
        symbol = find_symbol(token, library, name);
        memcpy(&self->pack[i], &symbol, sizeof symbol);
    }
    self->execute = count <= 4    ? execute_4
                    : count <= 8  ? execute_8
                    : count <= 16 ? execute_16
                                  : execute_68;
}

/* What cannot be closed after an object was loaded is not told as the host's failure, since the
 * object could say so too. */
static void load_and_seal(timing *self, uint64_t token)
{
    opevo_error err = {OPEVO_OK, ""};

    if (self->object)
        load(self, token);
    else
        load_library(self);
    if (opevo_i_process_sandbox_seal(&err) != OPEVO_OK)
        refuse(token, err.message);
}

/* Memory of the kernel, touched as memory is that was there before it; NaN, so that what it takes
 * from there without having put it there is seen. */
static void allocate(uint64_t bytes, opevo_i_reference_guarded *out)
{
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_i_reference_guarded_create((size_t)bytes, false, out, &err) != OPEVO_OK)
        give_up(&err);
    memset(out->data, 0xff, out->bytes);
}

static void allocate_memory(timing *self)
{
    const opevo_kernel *kernel = self->plan->kernel;
    unsigned threads = self->plan->threads > 1 ? self->plan->threads : 1;

    if (!kernel)
        return;
    allocate(opevo_kernel_scratch_bytes(kernel, threads), &self->scratch);
    for (int set = 0; set < OPEVO_I_CPU_SETS; set++) {
        self->argument[set][self->sets->list.count] = opevo_i_reference_floats(&self->scratch);
        for (int i = 0; i < OPEVO_OPERANDS; i++) {
            if (kernel->packed[i])
                allocate(kernel->packed[i] * opevo_i_reference_operand_bytes(self->sets, i),
                         &self->packed[set][i]);
        }
    }
}

static void pack(timing *self, uint32_t set)
{
    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        if (!self->pack[i])
            continue;
        self->pack[i](opevo_i_reference_floats(&self->sets[set].memory[i]),
                      opevo_i_reference_floats(&self->packed[set][i]));
        self->argument[set][i] = opevo_i_reference_floats(&self->packed[set][i]);
    }
}

static void obey(timing *self, const opevo_i_cpu_order *order)
{
    switch ((opevo_i_cpu_task)order->task) {
    case OPEVO_I_CPU_CALIBRATE:
        calibrate();
        break;
    case OPEVO_I_CPU_LOAD:
        load_and_seal(self, order->token);
        break;
    case OPEVO_I_CPU_PACK:
        pack(self, order->set);
        break;
    case OPEVO_I_CPU_TOUCH:
        touch(&self->sets[order->set]);
        break;
    case OPEVO_I_CPU_FLUSH:
        if (self->flush)
            memset(self->flush, (int)(order->token & 0xff), self->flush_bytes);
        break;
    case OPEVO_I_CPU_RUN:
        run(self, order->set, order->count);
        break;
    }
    answer(order->token, 'd', "");
}

void opevo_i_cpu_child(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                       const opevo_i_reference_operands *sets)
{
    timing self = {.plan = plan, .object = object, .entry = entry, .sets = sets};
    unsigned threads = plan->threads > 1 ? plan->threads : 1;
    const opevo_i_process_limits limits = {
        .memory_bytes = plan->memory_bytes + (threads - 1) * THREAD_MEMORY,
        .processor_s = threads * ((3 + plan->calls) * plan->run_limit_s + 2 * plan->repeat_s + 2),
        .cores = plan->threads > 1 ? plan->cores
                 : plan->core < 0  ? NULL
                                   : &plan->core,
        .core_count = threads,
        .threads = threads,
        .kept = OPEVO_I_CPU_TO + 1,
        .object = object,
    };
    opevo_error err = {OPEVO_OK, ""};
    opevo_i_cpu_order order;

    for (int set = 0; set < OPEVO_I_CPU_SETS; set++) {
        for (int i = 0; i < sets[set].list.count; i++)
            self.argument[set][i] = opevo_i_reference_floats(&sets[set].memory[i]);
    }
    allocate_memory(&self);
    if (plan->cold)
        allocate_flush(&self);
    if (opevo_i_process_sandbox_enter(&limits, &err) != OPEVO_OK)
        give_up(&err);
    answer(0, 'r', "");
    while (read(OPEVO_I_CPU_FROM, &order, sizeof order) == (ssize_t)sizeof order)
        obey(&self, &order);
    _exit(0);
}
