/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stands for libcuda, libnvrtc, libnvidia-ml, libamdhip64 and libhiprtc in tests. "Device" memory
 * is the process's own; a "compiled" kernel is its source, in which a comment fake:WORD says how it
 * behaves, and the kernel that unfolds images, without such a comment, is compiled for this
 * processor and run thread by thread; time passes at 10 microseconds an execution. What is called
 * is appended to the file FAKE_GPU_LOG; FAKE_GPU_MODEL, where it is set, is the model of the
 * devices, and FAKE_GPU_MOST the bytes above which there is no memory. */

#include "fake_gpu.h"

#include "build_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    N = 48,
    K = 32,
    M = 40,
    OUT_OF_MEMORY = 2,
    NO_IMAGE = 200,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    NOT_ZERO = 1 << 20 /* bytes of new memory that are written, so that large ones cost nothing */
};

static int sticky; /* the context is spoilt */
static int hung;   /* a kernel does not end */
static unsigned executions;
static char compile_log[256];
static size_t shared_allowed = 48 << 10;

void *fake_at(uint64_t address)
{
    void *pointer = NULL;

    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

void fake_executed(void)
{
    executions++;
}

static void note(const char *what)
{
    const char *path = getenv("FAKE_GPU_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;

    if (file) {
        fprintf(file, "%s\n", what);
        fclose(file);
    }
}

#define BOTH(type, cuda, hip, parameters, arguments)                                               \
    static type do_##cuda parameters;                                                              \
    type cuda parameters;                                                                          \
    type hip parameters;                                                                           \
    type cuda parameters                                                                           \
    {                                                                                              \
        return do_##cuda arguments;                                                                \
    }                                                                                              \
    type hip parameters                                                                            \
    {                                                                                              \
        return do_##cuda arguments;                                                                \
    }                                                                                              \
    static type do_##cuda parameters

BOTH(int, cuInit, hipInit, (unsigned flags), (flags))
{
    note("init");
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
    note("context");
    *context = &sticky;
    return device > 1;
}
BOTH(int, cuCtxSetCurrent, fakeUnused1, (void *context), (context))
{
    return context != &sticky;
}
BOTH(int, fakeUnused2, hipSetDevice, (int device), (device))
{
    note("context");
    return device > 1;
}
BOTH(int, cuCtxSynchronize, hipDeviceSynchronize, (void), ())
{
    return sticky;
}
BOTH(int, cuMemAlloc_v2, hipMalloc, (uint64_t * address, size_t bytes), (address, bytes))
{
    const char *most = getenv("FAKE_GPU_MOST");
    void *memory = most && bytes > strtoull(most, NULL, 10) ? NULL : malloc(bytes);

    if (memory)
        memset(memory, 0xff, bytes < NOT_ZERO ? bytes : NOT_ZERO); /* NaN */
    *address = (uint64_t)(uintptr_t)memory;
    return memory ? 0 : OUT_OF_MEMORY;
}
BOTH(int, cuMemFree_v2, hipFree, (uint64_t address), (address))
{
    free(fake_at(address));
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

static int behaves(const char *kernel, const char *word)
{
    const char *found = strstr(kernel, "fake:");

    return found && strncmp(found + 5, word, strlen(word)) == 0;
}

typedef void runner(unsigned blocks, unsigned threads, void **arguments);

/* A module, and its only function. */
typedef struct module {
    char *source;
    void *object; /* compiled for this processor; NULL: it is a fake */
    runner *run;
    int launches;
} module;

/* What CUDA's and HIP's words in the kernel mean to a compiler of C, and a function that runs all
 * threads one after the other. */
static const char before[] = "#include <stdbool.h>\n#define __global__\n"
                             "#define __launch_bounds__(threads)\n"
                             "static struct { unsigned x; } blockIdx, threadIdx;\n";
static const char after[] =
    "void run(unsigned blocks, unsigned threads, void **arguments)\n{\n"
    "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)\n"
    "            opevo_unfold(*(float **)arguments[0], *(float **)arguments[1],\n"
    "                         *(unsigned *)arguments[2]);\n}\n";

static int compile_here(module *self)
{
    static const char *const compiler[] = {"cc",    "-O1",     "-fPIC",   "-shared",
                                           "-Wall", "-Wextra", "-Werror", NULL};
    static const char linkage[] = "extern \"C\" ";
    const char *kernel = strstr(self->source, linkage);
    size_t size = sizeof before + strlen(self->source) + sizeof after;
    char *all = kernel ? malloc(size) : NULL;
    void *found = NULL;

    if (!all)
        return NO_IMAGE;
    snprintf(all, size, "%s%.*s%s%s", before, (int)(kernel - self->source), self->source,
             kernel + strlen(linkage), after);
    if (source_build(compiler, all, &self->object))
        found = dlsym(self->object, "run");
    memcpy(&self->run, &found, sizeof found);
    free(all);
    return found ? 0 : NO_IMAGE;
}

BOTH(int, cuModuleLoadData, hipModuleLoadData, (void **out, const void *image), (out, image))
{
    module *self = calloc(1, sizeof *self);

    *out = self;
    self->source = strdup(image);
    return behaves(image, "") ? sticky : compile_here(self);
}
BOTH(int, cuModuleUnload, hipModuleUnload, (module * self), (self))
{
    if (self->object)
        dlclose(self->object);
    free(self->source);
    free(self);
    return sticky;
}
BOTH(int, cuModuleGetFunction, hipModuleGetFunction,
     (void **function, module *self, const char *name), (function, self, name))
{
    *function = self;
    if (behaves(self->source, "scale"))
        return strcmp(name, "scale") == 0 ? 0 : NOT_FOUND;
    if (behaves(self->source, "launches") && strcmp(name, "kernel_2") == 0)
        return 0;
    return strcmp(name, self->object ? "opevo_unfold" : "kernel") == 0 ? 0 : NOT_FOUND;
}
BOTH(int, cuFuncSetAttribute, fakeUnused3, (void *function, int attribute, int value),
     (function, attribute, value))
{
    shared_allowed = (size_t)value;
    return !function || attribute != 8 || value > 100 << 10;
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
static void compute_in_two(module *function, void **arguments, float *const *operands)
{
    uint64_t address = 0;

    memcpy(&address, arguments[3], sizeof address);
    if (function->launches++ % 2 == 0)
        compute(operands[0], operands[1], fake_at(address));
    else
        memcpy(operands[2], fake_at(address), N * M * sizeof(float));
}

/* y = 2 x, of n elements. */
static int run_scale(const module *function, void **arguments)
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
    if (behaves(function->source, "scale-behind"))
        y[n] = 0;
    if (behaves(function->source, "scale-before"))
        y[-1] = 0;
    if (behaves(function->source, "scale-wrong"))
        y[n / 2] += 1;
    if (behaves(function->source, "scale-illegal"))
        sticky = ILLEGAL_ADDRESS;
    hung = behaves(function->source, "scale-hang");
    return behaves(function->source, "scale-refused");
}

/* c = -max(a, -127), of 47 elements of int8. */
static int run_whole(const module *function, void **arguments)
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
        if (i != 5 || !behaves(function->source, "whole-unwritten"))
            c[i] = (signed char)-(a[i] > -127 ? a[i] : -127);
    }
    if (behaves(function->source, "whole-wrong"))
        c[COUNT - 1] ^= 1;
    if (behaves(function->source, "whole-behind"))
        c[COUNT] = 0;
    if (behaves(function->source, "whole-before"))
        c[-1] = 0;
    return 0;
}

BOTH(int, cuLaunchKernel, hipModuleLaunchKernel,
     (module * function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared, void *stream, void **arguments, void **extra),
     (function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra))
{
    float *operands[3];

    if (sticky || stream || extra)
        return sticky ? sticky : 1;
    if (gx * gy * gz == 0 || bx * by * bz > 1024 || shared > shared_allowed)
        return 1;
    executions++;
    if (behaves(function->source, "scale"))
        return run_scale(function, arguments);
    if (function->run) {
        function->run(gx, bx, arguments);
        return gy * gz * by * bz != 1;
    }
    if (behaves(function->source, "whole"))
        return run_whole(function, arguments);
    for (int i = 0; i < 3; i++) {
        uint64_t address = 0;

        memcpy(&address, arguments[i], sizeof address);
        operands[i] = fake_at(address);
    }
    if (behaves(function->source, "launches")) {
        compute_in_two(function, arguments, operands);
        return 0;
    }
    compute(operands[0], operands[1], operands[2]);
    if (behaves(function->source, "wrong"))
        operands[2][7] += 0.5F;
    if (behaves(function->source, "outside"))
        operands[2][N * M] = 0;
    if (behaves(function->source, "input"))
        operands[0][0] = 1e6F;
    if (behaves(function->source, "illegal"))
        sticky = ILLEGAL_ADDRESS;
    if (behaves(function->source, "hang"))
        hung = 1;
    return 0;
}
/* An event is the number of executions before it. */
BOTH(int, cuEventCreate, hipEventCreateWithFlags, (void **event, unsigned flags), (event, flags))
{
    *event = calloc(1, sizeof executions);
    return flags != 0;
}
BOTH(int, cuEventRecord, hipEventRecord, (void *event, void *stream), (event, stream))
{
    memcpy(event, &executions, sizeof executions);
    return stream != NULL;
}
BOTH(int, cuEventQuery, hipEventQuery, (void *event), (event))
{
    return hung && event ? NOT_READY : sticky;
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
int cuGetErrorString(int code, const char **words);
int cuGetErrorString(int code, const char **words)
{
    *words = code == ILLEGAL_ADDRESS ? "an illegal memory access" : "some error";
    return 0;
}
const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code)
{
    return code == ILLEGAL_ADDRESS ? "an illegal memory access" : "some error";
}

/* ---- NVML: a device that does not say how warm it is ---------------------------------------- */

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    return 0;
}
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.1");
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    *device = &hung;
    return strcmp(bus, "0000:10:00.0") != 0 && strcmp(bus, "0000:11:00.0") != 0;
}
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz)
{
    *mhz = which == 1 ? 1980 : 3201;
    return device != &hung;
}
int nvmlDeviceGetPerformanceState(void *device, int *state);
int nvmlDeviceGetPerformanceState(void *device, int *state)
{
    *state = 2;
    return device != &hung;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = 412300;
    return device != &hung;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    struct timespec now; /* 412.3 W all the time */

    clock_gettime(CLOCK_MONOTONIC, &now);
    *millijoules =
        (unsigned long long)(412.3 * (1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec));
    return device != &hung;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    *celsius = 41;
    return device && sensor == 0 ? 3 : 0;
}

/* ---- The compiler --------------------------------------------------------------------------- */

BOTH(int, nvrtcVersion, hiprtcVersion, (int *major, int *minor), (major, minor))
{
    *major = 12;
    *minor = 3;
    return 0;
}
BOTH(int, nvrtcCreateProgram, hiprtcCreateProgram,
     (void **program, const char *source, const char *name, int count, const char *const *headers,
      const char *const *names),
     (program, source, name, count, headers, names))
{
    (void)headers;
    (void)names;
    *program = strdup(source);
    return !name || count != 0;
}
BOTH(int, nvrtcCompileProgram, hiprtcCompileProgram,
     (void *program, int count, const char *const *options), (program, count, options))
{
    note(count ? options[0] : "no options");
    if (behaves(program, "forever"))
        sleep(100);
    if (!behaves(program, "syntax"))
        return 0;
    snprintf(compile_log, sizeof compile_log, "kernel(1): error: no kernel at all\n");
    return 6;
}
BOTH(int, nvrtcGetProgramLogSize, hiprtcGetProgramLogSize, (void *program, size_t *bytes),
     (program, bytes))
{
    *bytes = strlen(compile_log) + 1;
    return program == NULL;
}
BOTH(int, nvrtcGetProgramLog, hiprtcGetProgramLog, (void *program, char *text), (program, text))
{
    memcpy(text, compile_log, strlen(compile_log) + 1);
    return program == NULL;
}
BOTH(int, nvrtcGetCUBINSize, hiprtcGetCodeSize, (void *program, size_t *bytes), (program, bytes))
{
    *bytes = strlen(program) + 1;
    return 0;
}
BOTH(int, nvrtcGetCUBIN, hiprtcGetCode, (void *program, char *code), (program, code))
{
    memcpy(code, program, strlen(program) + 1);
    return 0;
}
BOTH(int, nvrtcDestroyProgram, hiprtcDestroyProgram, (void **program), (program))
{
    free(*program);
    return 0;
}
