/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stands for libcuda and libamdhip64 in tests. "Device" memory is the process's own. A kernel is
 * compiled for this processor (fake_compiler.c) and run thread by thread (fake_kernel.c), unless a
 * comment fake:WORD in its source says how it behaves; such a source is its own image. Time passes
 * at 10 microseconds an execution, and as much for each warp that waits at barriers. What is called
 * is appended to the file FAKE_GPU_LOG; FAKE_GPU_MODEL, where it is set, is the model of the
 * devices, and FAKE_GPU_MOST the bytes above which there is no memory. A device may be sick, and
 * knows the worker's own kernel without a fault (fake_probe.c). */

#include "fake_gpu.h"
#include "fake_function.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 48,
    K = 32,
    M = 40,
    ALIGNED = 256, /* memory of the device */
    SHARED_WITH_LEAVE = 100 << 10,
    NOT_ZERO = 1 << 20 /* bytes of new memory that are written, so that large ones cost nothing */
};

static int sticky; /* the code of the fault by which the context is lost */
static int hung;   /* a kernel does not end */
static unsigned time_units;

void *fake_at(uint64_t address)
{
    void *pointer = NULL;

    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

void fake_executed(unsigned units)
{
    time_units += units;
}

bool fake_behaves(const char *kernel, const char *word)
{
    const char *found = strstr(kernel, "fake:");

    return found && strncmp(found + 5, word, strlen(word)) == 0;
}

void fake_note(const char *what)
{
    const char *path = getenv("FAKE_GPU_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;

    if (file) {
        fprintf(file, "%s\n", what);
        fclose(file);
    }
}

/* What has been allocated and not been given back is the driver's, also where a spoilt device keeps
 * it until the process ends. */
static struct held {
    struct held *next;
    void *memory;
} * held;
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *memory)
{
    struct held *self = calloc(1, sizeof *self);

    if (!self || !memory) {
        free(self);
        free(memory);
        return NULL;
    }
    self->memory = memory;
    pthread_mutex_lock(&held_lock);
    self->next = held;
    held = self;
    pthread_mutex_unlock(&held_lock);
    return memory;
}

static void let_go(void *memory)
{
    struct held **at = &held, *found = NULL;

    pthread_mutex_lock(&held_lock);
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&held_lock);
    free(found);
    free(memory);
}

size_t fake_held(void); /* looked up by tests */
size_t fake_held(void)
{
    size_t count = 0;

    pthread_mutex_lock(&held_lock);
    for (const struct held *at = held; at; at = at->next)
        count++;
    pthread_mutex_unlock(&held_lock);
    return count;
}

BOTH(int, cuInit, hipInit, (unsigned flags), (flags))
{
    fake_note("init");
    return flags != 0;
}
BOTH(int, cuDriverGetVersion, hipDriverGetVersion, (int *version), (version))
{
    *version = 12345;
    return 0;
}
BOTH(int, cuDeviceGetCount, hipGetDeviceCount, (int *count), (count))
{
    *count = 2;
    return 0;
}
BOTH(int, cuDeviceGetName, hipDeviceGetName, (char *name, int size, int device),
     (name, size, device))
{
    const char *model = getenv("FAKE_GPU_MODEL");

    snprintf(name, (size_t)size, "%s %d", model ? model : "Fake GPU", device);
    return 0;
}
BOTH(int, cuDeviceTotalMem_v2, hipDeviceTotalMem, (size_t * bytes, int device), (bytes, device))
{
    *bytes = (size_t)8 << 30;
    return device > 1;
}
BOTH(int, cuDeviceGetPCIBusId, hipDeviceGetPCIBusId, (char *bus, int size, int device),
     (bus, size, device))
{
    snprintf(bus, (size_t)size, "0000:%02x:00.0", 16 + device);
    return device > 1;
}
BOTH(int, cuDeviceGetAttribute, hipDeviceGetAttribute, (int *value, int attribute, int device),
     (value, attribute, device))
{
    *value = attribute == 75 ? 8 : attribute == 76 ? 6 : attribute == 16 ? 84 : 1 << 20;
    return device > 1;
}
BOTH(int, cuDevicePrimaryCtxRetain, fakeUnused0, (void **context, int device), (context, device))
{
    fake_note("context");
    *context = &sticky;
    return device > 1;
}
BOTH(int, cuCtxSetCurrent, fakeUnused1, (void *context), (context))
{
    return context != &sticky;
}
BOTH(int, fakeUnused2, hipSetDevice, (int device), (device))
{
    fake_note("context");
    return device > 1;
}
BOTH(int, cuCtxSynchronize, hipDeviceSynchronize, (void), ())
{
    return sticky;
}
BOTH(int, cuMemAlloc_v2, hipMalloc, (uint64_t * address, size_t bytes), (address, bytes))
{
    const char *most = getenv("FAKE_GPU_MOST");
    void *memory = most && bytes > strtoull(most, NULL, 10)
                       ? NULL
                       : hold(aligned_alloc(ALIGNED, bytes / ALIGNED * ALIGNED + ALIGNED));

    if (memory)
        memset(memory, 0xff, bytes < NOT_ZERO ? bytes : NOT_ZERO); /* NaN */
    *address = (uint64_t)(uintptr_t)memory;
    return memory ? 0 : FAKE_OUT_OF_MEMORY;
}
BOTH(int, cuMemFree_v2, hipFree, (uint64_t address), (address))
{
    let_go(fake_at(address));
    return 0;
}
BOTH(int, cuMemcpyHtoD_v2, hipMemcpyHtoD, (uint64_t to, const void *from, size_t bytes),
     (to, from, bytes))
{
    memcpy(fake_at(to), from, bytes);
    return sticky;
}
BOTH(int, cuMemcpyDtoH_v2, hipMemcpyDtoH, (void *to, uint64_t from, size_t bytes),
     (to, from, bytes))
{
    memcpy(to, fake_at(from), bytes);
    return sticky;
}
BOTH(int, cuMemcpyDtoD_v2, hipMemcpyDtoD, (uint64_t to, uint64_t from, size_t bytes),
     (to, from, bytes))
{
    memcpy(fake_at(to), fake_at(from), bytes);
    return sticky;
}
BOTH(int, cuMemsetD32_v2, hipMemsetD32, (uint64_t to, unsigned value, size_t words),
     (to, value, words))
{
    for (size_t i = 0; i < words; i++)
        memcpy((char *)fake_at(to) + 4 * i, &value, 4);
    return sticky;
}

/* ---- Modules -------------------------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 32 };

/* A function of a module, and what its launches were given leave for. */
typedef struct function {
    struct module *of;
    const struct fake_function *row; /* NULL: a fake */
    size_t shared_most;
} function;

typedef struct module {
    char *source; /* of a fake */
    void *object; /* of all others */
    int launches, count;
    function function[MOST_FUNCTIONS];
} module;

BOTH(int, cuModuleLoadData, hipModuleLoadData, (void **out, const void *image), (out, image))
{
    module *self = hold(calloc(1, sizeof *self));

    *out = self;
    self->object = fake_kernel_load(image);
    self->source = strdup(self->object ? "" : image);
    return self->object || fake_behaves(image, "") || fake_is_probe(image) ? sticky : FAKE_NO_IMAGE;
}
BOTH(int, cuModuleUnload, hipModuleUnload, (module * self), (self))
{
    if (self->object)
        dlclose(self->object);
    free(self->source);
    let_go(self);
    return sticky;
}

static bool has_fake(const module *self, const char *name)
{
    if (fake_behaves(self->source, "scale"))
        return strcmp(name, "scale") == 0;
    if (fake_is_probe(self->source))
        return strcmp(name, "opevo_probe") == 0;
    if (fake_behaves(self->source, "launches") && strcmp(name, "kernel_2") == 0)
        return true;
    return strcmp(name, "kernel") == 0;
}

BOTH(int, cuModuleGetGlobal_v2, hipModuleGetGlobal,
     (uint64_t * out, size_t *bytes, module *self, const char *name), (out, bytes, self, name))
{
    void *at = self->object ? fake_kernel_variable(self->object, name, bytes) : NULL;

    memcpy(out, &at, sizeof *out);
    return at ? 0 : FAKE_NOT_FOUND;
}
BOTH(int, cuModuleGetFunction, hipModuleGetFunction, (void **out, module *self, const char *name),
     (out, self, name))
{
    function *next = &self->function[self->count];

    if (self->count == MOST_FUNCTIONS)
        return FAKE_OUT_OF_MEMORY;
    *next = (function){.of = self, .shared_most = FAKE_SHARED_CUDA};
    next->row = self->object ? fake_kernel_find(self->object, name) : NULL;
    if (self->object ? !next->row : !has_fake(self, name))
        return FAKE_NOT_FOUND;
    self->count++;
    *out = next;
    return 0;
}
BOTH(int, cuFuncGetAttribute, hipFuncGetAttribute, (int *value, int attribute, function *self),
     (value, attribute, self))
{
    *value = attribute == 4 ? 37 : attribute == 3 ? 24 : 0;
    return self == NULL;
}
BOTH(int, cuOccupancyMaxActiveBlocksPerMultiprocessor,
     hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, function *self, int threads, size_t shared), (blocks, self, threads, shared))
{
    *blocks = 100 / threads;
    return self == NULL || shared > SHARED_WITH_LEAVE;
}
BOTH(int, cuFuncSetAttribute, fakeUnused3, (function * self, int attribute, int value),
     (self, attribute, value))
{
    self->shared_most = (size_t)value + (self->row ? self->row->shared_bytes : 0);
    return attribute != 8 || self->shared_most > SHARED_WITH_LEAVE;
}

static void compute(const float *a, const float *b, float *c)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * M + j];
            c[i * M + j] = sum;
        }
    }
}

/* The first launch leaves the result in scratch memory, from where the second brings it. */
static void compute_in_two(module *self, void **arguments, float *const *operands)
{
    uint64_t address = 0;

    memcpy(&address, arguments[3], sizeof address);
    if (self->launches++ % 2 == 0)
        compute(operands[0], operands[1], fake_at(address));
    else
        memcpy(operands[2], fake_at(address), N * M * sizeof(float));
}

/* y = 2 x, of n elements. */
static int run_scale(const module *self, void **arguments)
{
    uint64_t at[2] = {0};
    const float *x = NULL;
    float *y = NULL;
    int n = 0;

    memcpy(&at[0], arguments[0], sizeof *at);
    memcpy(&at[1], arguments[1], sizeof *at);
    memcpy(&n, arguments[2], sizeof n);
    x = fake_at(at[0]);
    y = fake_at(at[1]);
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
    if (fake_behaves(self->source, "scale-behind"))
        y[n] = 0;
    if (fake_behaves(self->source, "scale-before"))
        y[-1] = 0;
    if (fake_behaves(self->source, "scale-wrong"))
        y[n / 2] += 1;
    if (fake_behaves(self->source, "scale-illegal"))
        sticky = FAKE_ILLEGAL_ADDRESS;
    hung = fake_behaves(self->source, "scale-hang");
    return fake_behaves(self->source, "scale-refused");
}

/* c = -max(a, -127), of 47 elements of int8. */
static int run_whole(const module *self, void **arguments)
{
    enum { COUNT = 47 };
    uint64_t at[2] = {0};
    const signed char *a = NULL;
    signed char *c = NULL;

    memcpy(&at[0], arguments[0], sizeof *at);
    memcpy(&at[1], arguments[1], sizeof *at);
    a = fake_at(at[0]);
    c = fake_at(at[1]);
    for (int i = 0; i < COUNT; i++) {
        if (i != 5 || !fake_behaves(self->source, "whole-unwritten"))
            c[i] = (signed char)-(a[i] > -127 ? a[i] : -127);
    }
    if (fake_behaves(self->source, "whole-wrong"))
        c[COUNT - 1] ^= 1;
    if (fake_behaves(self->source, "whole-behind"))
        c[COUNT] = 0;
    if (fake_behaves(self->source, "whole-before"))
        c[-1] = 0;
    return 0;
}

static int run_fake(module *self, const fake_launch *how)
{
    void **arguments = how->arguments;
    float *operands[3];

    if (fake_is_probe(self->source)) {
        fake_run_probe(self->source, how);
        return 0;
    }
    if (fake_behaves(self->source, "scale"))
        return run_scale(self, arguments);
    if (fake_behaves(self->source, "whole"))
        return run_whole(self, arguments);
    for (int i = 0; i < 3; i++) {
        uint64_t address = 0;

        memcpy(&address, arguments[i], sizeof address);
        operands[i] = fake_at(address);
    }
    if (fake_behaves(self->source, "launches")) {
        compute_in_two(self, arguments, operands);
        return 0;
    }
    compute(operands[0], operands[1], operands[2]);
    if (fake_behaves(self->source, "wrong"))
        operands[2][7] += 0.5F;
    if (fake_behaves(self->source, "outside"))
        operands[2][N * M] = 0;
    if (fake_behaves(self->source, "input"))
        operands[0][0] = 1e6F;
    if (fake_behaves(self->source, "illegal"))
        sticky = FAKE_ILLEGAL_ADDRESS;
    if (fake_behaves(self->source, "hang"))
        hung = 1;
    return 0;
}

static int launch(const function *self, size_t shared_most, unsigned most_z, const fake_launch *how)
{
    const unsigned *grid = how->grid, *block = how->block;
    const char *sick = fake_sickness();
    unsigned units = 1;
    int code = 0;

    if (sticky)
        return sticky;
    if (strcmp(sick, "launch") == 0)
        return FAKE_OUT_OF_RESOURCES;
    if (grid[0] * grid[1] * grid[2] == 0 || block[0] * block[1] * block[2] > 1024 ||
        block[2] > most_z || how->shared_bytes > shared_most)
        return FAKE_INVALID_VALUE;
    if (strcmp(sick, "hang") == 0)
        hung = 1;
    else if (self->row)
        code = fake_kernel_launch(self->row, shared_most, how, &units);
    else if (strcmp(sick, "wrong") != 0)
        code = run_fake(self->of, how);
    fake_executed(units);
    if (code != FAKE_ILLEGAL_ADDRESS && code != FAKE_LAUNCH_FAILED)
        return code;
    sticky = code; /* which is said later, as by a device */
    return 0;
}

#define LAUNCH(name, shared_most, most_z)                                                          \
    int name(const function *self, unsigned gx, unsigned gy, unsigned gz, unsigned bx,             \
             unsigned by, unsigned bz, unsigned shared, const void *stream, void **arguments,      \
             void **extra);                                                                        \
    int name(const function *self, unsigned gx, unsigned gy, unsigned gz, unsigned bx,             \
             unsigned by, unsigned bz, unsigned shared, const void *stream, void **arguments,      \
             void **extra)                                                                         \
    {                                                                                              \
        const fake_launch how = {{gx, gy, gz}, {bx, by, bz}, shared, arguments};                   \
                                                                                                   \
        return stream || extra ? FAKE_INVALID_VALUE : launch(self, shared_most, most_z, &how);     \
    }
LAUNCH(cuLaunchKernel, self->shared_most, 64)
LAUNCH(hipModuleLaunchKernel, FAKE_SHARED_HIP, 1024)

/* An event is the time before it, in units of 10 microseconds. */
BOTH(int, cuEventCreate, hipEventCreateWithFlags, (void **event, unsigned flags), (event, flags))
{
    *event = hold(calloc(1, sizeof time_units));
    return flags != 0;
}
BOTH(int, cuEventDestroy_v2, hipEventDestroy, (void *event), (event))
{
    let_go(event);
    return 0;
}
BOTH(int, cuEventRecord, hipEventRecord, (void *event, void *stream), (event, stream))
{
    memcpy(event, &time_units, sizeof time_units);
    return stream != NULL;
}
BOTH(int, cuEventQuery, hipEventQuery, (void *event), (event))
{
    return hung && event ? FAKE_NOT_READY : sticky;
}
BOTH(int, cuEventElapsedTime, hipEventElapsedTime, (float *ms, void *start, void *end),
     (ms, start, end))
{
    unsigned from = 0, to = 0;

    memcpy(&from, start, sizeof from);
    memcpy(&to, end, sizeof to);
    *ms = 0.01F * (float)(to - from);
    return start == end;
}
static const char *words_of(int code)
{
    return code == FAKE_ILLEGAL_ADDRESS    ? "an illegal memory access"
           : code == FAKE_OUT_OF_RESOURCES ? "too many resources"
                                           : "some error";
}
int cuGetErrorString(int code, const char **words);
int cuGetErrorString(int code, const char **words)
{
    *words = words_of(code);
    return 0;
}
const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code)
{
    return words_of(code);
}
