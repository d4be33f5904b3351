/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CUDA, HIP and OpenCL behind one table, the driver's. The interfaces of CUDA and HIP are alike
 * function by function, so that they are lists of names; OpenCL has functions of its own behind the
 * same table (opencl_driver.c). The libraries are opened at run time; of CUDA and HIP no header is
 * needed.
 *
 * The prototypes below are written after the vendors' documentation: "CUDA Driver API Reference"
 * and "NVRTC" (docs.nvidia.com/cuda), "HIP Runtime API Reference" and "HIP RTC"
 * (rocm.docs.amd.com), "NVML API Reference". Handles are pointers, a device is a number, an address
 * in device memory has 64 bits, and every function returns 0 for success. */

#ifndef OPEVO_GPU_INTERNAL_H
#define OPEVO_GPU_INTERNAL_H

#include <opevo/kernel_harness.h>

#include "backend_internal.h"
#include "keeper_internal.h"

/* One row each: member, CUDA's symbol, HIP's symbol ("": HIP has no need of it), parameters. */
#define OPEVO_I_GPU_FUNCTIONS(X)                                                                   \
    X(init, "cuInit", "hipInit", (unsigned flags))                                                 \
    X(driver_version, "cuDriverGetVersion", "hipDriverGetVersion", (int *version))                 \
    X(device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *count))                         \
    X(device_name, "cuDeviceGetName", "hipDeviceGetName", (char *name, int size, int device))      \
    X(device_memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", (size_t * bytes, int device))     \
    X(device_bus, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId",                                   \
      (char *bus, int size, int device))                                                           \
    X(attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute",                                  \
      (int *value, int attribute, int device))                                                     \
    X(retain_context, "cuDevicePrimaryCtxRetain", "", (void **context, int device))                \
    X(set_context, "cuCtxSetCurrent", "", (void *context))                                         \
    X(set_device, "", "hipSetDevice", (int device))                                                \
    X(synchronize, "cuCtxSynchronize", "hipDeviceSynchronize", (void))                             \
    X(allocate, "cuMemAlloc_v2", "hipMalloc", (uint64_t * address, size_t bytes))                  \
    X(release, "cuMemFree_v2", "hipFree", (uint64_t address))                                      \
    X(copy_in, "cuMemcpyHtoD_v2", "hipMemcpyHtoD", (uint64_t to, const void *from, size_t bytes))  \
    X(copy_out, "cuMemcpyDtoH_v2", "hipMemcpyDtoH", (void *to, uint64_t from, size_t bytes))       \
    X(copy, "cuMemcpyDtoD_v2", "hipMemcpyDtoD", (uint64_t to, uint64_t from, size_t bytes))        \
    X(fill, "cuMemsetD32_v2", "hipMemsetD32", (uint64_t to, unsigned value, size_t words))         \
    X(load_module, "cuModuleLoadData", "hipModuleLoadData", (void **module, const void *image))    \
    X(unload_module, "cuModuleUnload", "hipModuleUnload", (void *module))                          \
    X(get_global, "cuModuleGetGlobal_v2", "hipModuleGetGlobal",                                    \
      (uint64_t * address, size_t * bytes, void *module, const char *name))                        \
    X(get_function, "cuModuleGetFunction", "hipModuleGetFunction",                                 \
      (void **function, void *module, const char *name))                                           \
    X(function_attribute, "cuFuncGetAttribute", "hipFuncGetAttribute",                             \
      (int *value, int attribute, void *function))                                                 \
    X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                              \
      "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",                                        \
      (int *blocks, void *function, int threads, size_t shared_bytes))                             \
    X(set_function, "cuFuncSetAttribute", "", (void *function, int attribute, int value))          \
    X(launch, "cuLaunchKernel", "hipModuleLaunchKernel",                                           \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,  \
       void **extra))                                                                              \
    X(create_event, "cuEventCreate", "hipEventCreateWithFlags", (void **event, unsigned flags))    \
    X(record_event, "cuEventRecord", "hipEventRecord", (void *event, void *stream))                \
    X(query_event, "cuEventQuery", "hipEventQuery", (void *event))                                 \
    X(elapsed_ms, "cuEventElapsedTime", "hipEventElapsedTime",                                     \
      (float *ms, void *start, void *end))                                                         \
    X(destroy_event, "cuEventDestroy_v2", "hipEventDestroy", (void *event))

/* The run-time compiler. */
#define OPEVO_I_RTC_FUNCTIONS(X)                                                                   \
    X(version, "nvrtcVersion", "hiprtcVersion", (int *major, int *minor))                          \
    X(create, "nvrtcCreateProgram", "hiprtcCreateProgram",                                         \
      (void **program, const char *source, const char *name, int header_count,                     \
       const char *const *headers, const char *const *names))                                      \
    X(compile, "nvrtcCompileProgram", "hiprtcCompileProgram",                                      \
      (void *program, int option_count, const char *const *options))                               \
    X(add_name, "nvrtcAddNameExpression", "hiprtcAddNameExpression",                               \
      (void *program, const char *expression))                                                     \
    X(lowered_name, "nvrtcGetLoweredName", "hiprtcGetLoweredName",                                 \
      (void *program, const char *expression, const char **name))                                  \
    X(log_size, "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize",                               \
      (void *program, size_t *bytes))                                                              \
    X(log, "nvrtcGetProgramLog", "hiprtcGetProgramLog", (void *program, char *log))                \
    X(code_size, "nvrtcGetCUBINSize", "hiprtcGetCodeSize", (void *program, size_t *bytes))         \
    X(code, "nvrtcGetCUBIN", "hiprtcGetCode", (void *program, char *code))                         \
    X(destroy, "nvrtcDestroyProgram", "hiprtcDestroyProgram", (void **program))

enum { OPEVO_I_GPU_ARGUMENTS = 64 }; /* of a kernel at most */

/* An argument of a kernel: a value, or the address of device memory in 64 bits; without a value,
 * `size` bytes of local memory, which only `start` takes. */
typedef struct opevo_i_gpu_argument {
    const void *value;
    size_t size;
    bool is_address;
} opevo_i_gpu_argument;

/* A kernel with its arguments. */
typedef struct opevo_i_gpu_start {
    opevo_launch shape;
    const opevo_i_gpu_argument *arguments;
    size_t count;
} opevo_i_gpu_start;

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name and a list of parameters */
#define OPEVO_I_GPU_MEMBER(member, cuda, hip, parameters) int(*member) parameters;
typedef struct opevo_i_gpu_driver {
    OPEVO_I_GPU_FUNCTIONS(OPEVO_I_GPU_MEMBER)
    /* Where set, used for `launch`, which does not say what arguments are. Dynamic shared memory is
     * then one more argument, of local memory, behind the others. */
    int (*start)(void *function, const opevo_i_gpu_start *what);
    /* Where set, used instead of a nap between queries: wait for the event, some milliseconds at
     * most. */
    void (*wait)(void *event);
} opevo_i_gpu_driver;
typedef struct opevo_i_gpu_rtc {
    OPEVO_I_RTC_FUNCTIONS(OPEVO_I_GPU_MEMBER)
} opevo_i_gpu_rtc;
#undef OPEVO_I_GPU_MEMBER

/* Codes with a meaning of their own; both vendors use the same numbers. */
enum { OPEVO_I_GPU_NOT_READY = 600 };

/* What distinguishes a device; `arch` is the compiler's name for it, "" where the compiler finds
 * that out by itself. */
typedef struct opevo_i_gpu_facts {
    char name[160], arch[16], bus[64]; /* bus: "0000:1b:00.0"; NVML may count devices otherwise */
    char software[256];                /* driver and compiler, as far as they decide times */
    int driver, cores;
    size_t memory_bytes, l2_bytes;
    uint64_t threads, shared_bytes; /* of a block at most; 0: the driver refuses what is more */
    unsigned vector_bits;           /* of what computes on a CPU; 0 for others */
    bool rounds_quotients; /* correctly, in single precision, where OpenCL's compiler is asked */
    bool on_host;          /* it computes on this host's cores, which compilers would disturb */
} opevo_i_gpu_facts;

typedef struct opevo_i_gpu_vendor opevo_i_gpu_vendor;

/* A vendor whose driver is not like CUDA's: what it has instead of lists of names. */
typedef struct opevo_i_gpu_own {
    opevo_status (*open)(opevo_i_gpu_driver *out, opevo_error *err);
    /* The number of a device by what is behind the colon. Errors: INVALID, IO. */
    opevo_status (*find)(const char *which, unsigned *ordinal, opevo_error *err);
    opevo_status (*describe)(unsigned ordinal, opevo_i_gpu_facts *out, opevo_error *err);
    const char *(*words)(int code);
    opevo_status (*compile)(const char *source, const char *const *options, size_t count,
                            char **code, size_t *size, opevo_error *err);
    /* What of a launch is beyond the device, with both numbers; "" where nothing is. */
    void (*explain)(void *function, const opevo_i_gpu_start *what, char *out, size_t size);
    void (*expect)(const char *blocks); /* those that launches of what is compiled next will have */
    void (*list)(void (*add)(void *context, const opevo_hardware *row), void *context);
    /* Its library of operators, and one execution. */
    opevo_status (*open_math)(char *title, size_t size, opevo_error *err);
    int (*run_math)(const opevo_operator *op, const uint64_t *operands);
} opevo_i_gpu_own;

struct opevo_i_gpu_vendor {
    const char *kind; /* of its backend: "cuda" */
    bool hip;         /* its names are those of HIP */
    bool nvml;        /* NVML knows its devices */
    const char *title;
    const char *const *driver_libraries, *const *rtc_libraries; /* tried in order; end with NULL */
    const char *driver_missing, *rtc_missing;                   /* what to install */
    const opevo_i_gpu_own *own;                                 /* NULL: the names of the tables */
};
extern const opevo_i_gpu_vendor opevo_i_gpu_vendor_cuda, opevo_i_gpu_vendor_hip,
    opevo_i_gpu_vendor_opencl;
extern const opevo_i_gpu_own opevo_i_gpu_own_opencl;
/* The vendor of a device such as "cuda:0", and what is behind the colon; NULL where it is another
 * kind of device. */
const opevo_i_gpu_vendor *opevo_i_gpu_vendor_of(const char *device, const char **which);

/* The first that can be opened; NULL when none can. */
void *opevo_i_gpu_library(const char *const *names);
/* A function of a library, as a row of its table says: an empty name means none. */
typedef struct opevo_i_gpu_symbol {
    size_t offset; /* of the member that becomes the function */
    const char *cuda, *hip;
} opevo_i_gpu_symbol;
/* Fill the table at `out`. Errors: IO naming the function that is missing. */
opevo_status opevo_i_gpu_look_up(const opevo_i_gpu_vendor *vendor, void *library,
                                 const opevo_i_gpu_symbol *symbols, size_t count, void *out,
                                 opevo_error *err);

/* Open the library once and look all functions up. Errors: IO with what to install. */
opevo_status opevo_i_gpu_driver_open(const opevo_i_gpu_vendor *vendor, opevo_i_gpu_driver *out,
                                     opevo_error *err);
opevo_status opevo_i_gpu_rtc_open(const opevo_i_gpu_vendor *vendor, opevo_i_gpu_rtc *out,
                                  opevo_error *err);
/* The driver's words for one of its codes; "" where it has none. A static string. */
const char *opevo_i_gpu_words(const opevo_i_gpu_vendor *vendor, int code);

/* Enqueue a kernel. The driver's status, 0 for success. */
int opevo_i_gpu_launch(const opevo_i_gpu_driver *driver, void *function,
                       const opevo_i_gpu_start *what);
/* Between two queries of an event that is not ready. */
void opevo_i_gpu_nap(const opevo_i_gpu_driver *driver, void *event);
/* Let this process use the device, with two events. The driver's status. */
int opevo_i_gpu_enter(const opevo_i_gpu_driver *driver, unsigned ordinal, void **start, void **end);

/* The number of a device by what is behind the colon. Errors: INVALID; IO. */
opevo_status opevo_i_gpu_ordinal(const opevo_i_gpu_vendor *vendor, const char *which,
                                 unsigned *ordinal, opevo_error *err);
opevo_status opevo_i_gpu_describe(const opevo_i_gpu_vendor *vendor,
                                  const opevo_i_gpu_driver *driver, unsigned ordinal,
                                  opevo_i_gpu_facts *out, opevo_error *err);
/* Behind the code of an image, which loaders ignore: what its kernels of C++ are called in it,
 * lines EXPRESSION, tab and name, then their number of bytes in 8 digits and this. */
#define OPEVO_I_GPU_NAMES_END "opevo names\n"
/* The name of a kernel in an image of `size` bytes: `expression` itself where none is said. A name
 * of less than OPEVO_I_GPU_NAME bytes goes to `out`. */
enum { OPEVO_I_GPU_NAME = 1024 };
void opevo_i_gpu_lowered_name(const char *image, size_t size, const char *expression,
                              char out[OPEVO_I_GPU_NAME]);
/* Take what the driver says of a kernel, with the block and the dynamic shared memory of a launch,
 * into *usage, where that is worse. */
void opevo_i_gpu_note_usage(const opevo_i_gpu_driver *driver, void *function, uint64_t threads,
                            size_t shared_bytes, opevo_i_wire_usage *usage);
/* Fill the variables of a module that buffers name; the driver's code. Without such a variable the
 * verdict of *out is `unsupported`. */
int opevo_i_gpu_set_variables(const opevo_i_gpu_driver *driver, void *module,
                              const opevo_buffer *buffers, size_t count, opevo_evaluation *out);
/* The device itself, by whatever number each process knows it: the name of its lock. */
void opevo_i_gpu_turn_name(const opevo_i_gpu_vendor *vendor, const opevo_i_gpu_facts *facts,
                           char *out, size_t size);
/* As `list` of a backend. */
void opevo_i_gpu_list(const opevo_i_gpu_vendor *vendor,
                      void (*add)(void *context, const opevo_hardware *row), void *context);

/* Clock, power and temperature now, such as "SM clock 1980 MHz, P0, 412 W, 41 C", by NVML, as far
 * as it says; "" where it is not there. */
void opevo_i_gpu_nvml_state(const char *bus, char *out, size_t size);
/* Joules that the device has used since its driver was loaded, by NVML;
 * NAN where it does not say. */
double opevo_i_gpu_nvml_energy_j(const char *bus);
/* The version of NVIDIA's driver, such as "580.95.05", likewise. */
void opevo_i_gpu_nvml_driver(char *out, size_t size);

/* ---- The vendor's own kernels (gpu_math.c) ---- */

typedef struct opevo_i_gpu_math opevo_i_gpu_math;

/* Open the library that has the operator (cuBLAS, rocBLAS, cuDNN) for operands in device memory, in
 * single precision without tensor cores; convolutions by the fastest of cuDNN's direct algorithms,
 * which overwrites C, and where there is no cuDNN by im2col and sgemm, with a kernel compiled for
 * `arch`. Errors: INVALID for a contraction; IO with what to install, or the library's status;
 * LIMIT where an unfolded image has no room; NOMEM; those of the compiler. */
opevo_status opevo_i_gpu_math_open(const opevo_i_gpu_vendor *vendor,
                                   const opevo_i_gpu_driver *driver, const char *arch,
                                   const opevo_operator *op, const uint64_t *operands,
                                   opevo_i_gpu_math **out, opevo_error *err);
/* Enqueue one execution. The library's status, or the driver's; 0 for success. */
int opevo_i_gpu_math_run(const opevo_i_gpu_math *self);
/* Library, version and algorithm. */
const char *opevo_i_gpu_math_title(const opevo_i_gpu_math *self);
/* Release it before its GPU is closed. Hook of tests. */
void opevo_i_gpu_math_close(opevo_i_gpu_math *self);

/* ---- Images unfolded for a matrix product (gpu_unfold.c) ---- */

typedef struct opevo_i_gpu_unfold {
    void *module, *function; /* the driver's */
} opevo_i_gpu_unfold;

extern const char opevo_i_gpu_text_unfold[]; /* texts/unfold.in */
/* Compile the kernel for a convolution's shapes. Errors: those of the compiler; IO. */
opevo_status opevo_i_gpu_unfold_load(const opevo_i_gpu_vendor *vendor,
                                     const opevo_i_gpu_driver *driver, const char *arch,
                                     const opevo_operator *op, opevo_i_gpu_unfold *out,
                                     opevo_error *err);
/* Enqueue the unfolding of consecutive images:
 *
 *     rows[n][c, r, s][y, x] = images[n][c][y * stride + r - padding][x * stride + s - padding],
 *
 * 0 beyond an image's edges; at most 2^30 elements in all. The driver's status, 0 for success. */
int opevo_i_gpu_unfold_run(const opevo_i_gpu_unfold *self, const opevo_i_gpu_driver *driver,
                           const opevo_operator *op, uint64_t images, int64_t image_count,
                           uint64_t rows);

/* ---- Compiling (gpu_build.c) ---- */

enum { OPEVO_I_GPU_OPTIONS = 256 };
/* Code for the architecture ("": for the current device), with `count` more words for the compiler,
 * at most OPEVO_I_GPU_OPTIONS, to be released with opevo_free; the
 * compiler's log goes to standard error. Errors: IO, also with what to install; INVALID for a
 * source that does not compile; NOMEM. */
opevo_status opevo_i_gpu_compile(const opevo_i_gpu_vendor *vendor, const char *arch,
                                 const char *source, const char *const *more, size_t count,
                                 char **code, size_t *size, opevo_error *err);

/* The process that compiles: arguments are the vendor's kind, the ordinal, the architecture, source
 * and object, the blocks of the launches ("16-16-1,8-1-1"), and the compiler's options. Returns the
 * exit status; the compiler's log is on standard error. */
int opevo_i_gpu_build_main(int argc, char **argv);
/* hipRTC and OpenCL compile for the current device: make it this one. Errors: IO. */
opevo_status opevo_i_gpu_choose_device(const opevo_i_gpu_vendor *vendor, unsigned ordinal,
                                       opevo_error *err);

/* The builder (gpu_builder.c): a process in which the compiler is started already forks for each
 * build. The program's arguments are the vendor's kind, the ordinal, and a socket.
 *
 * opevo_i_gpu_builder_ask has it do a build, and returns the exit status of that; -1: no builder
 * answers. opevo_i_gpu_builder_start runs it, so that programs that this process starts may ask it;
 * nothing where it cannot. */
int opevo_i_gpu_builder_main(int argc, char **argv);
int opevo_i_gpu_builder_ask(int argc, char **argv);
void opevo_i_gpu_builder_start(const char *program, const char *kind, const char *ordinal,
                               opevo_i_process_keeper *out);

/* ---- The backends ----
 *
 * The functions that the vendors have in common (backend_gpu.c, gpu_probe.c),
 * and their rows (gpu_backends.c). */
opevo_status opevo_i_gpu_open(const opevo_i_gpu_vendor *vendor, const opevo_i_backend_ops *ops,
                              const char *which, opevo_i_backend **out, opevo_error *err);
opevo_status opevo_i_gpu_setup(opevo_i_backend *self, const json_t *setup, opevo_error *err);
void opevo_i_gpu_before_build(opevo_i_backend *self);
opevo_status opevo_i_gpu_build_command(const opevo_i_backend *self, const opevo_i_wire_job *job,
                                       const char *source, const char *object,
                                       opevo_i_process_arguments *out, opevo_error *err);
void opevo_i_gpu_probe(opevo_kernel *out);
void opevo_i_opencl_probe(opevo_kernel *out);
unsigned opevo_i_opencl_cpu_cores(const char *which);
opevo_status opevo_i_gpu_run_probe(opevo_i_backend *self, const opevo_kernel *kernel,
                                   const char *object, opevo_error *err);
opevo_status opevo_i_gpu_recheck(opevo_i_backend *self, opevo_error *err);
void opevo_i_gpu_lock_name(const opevo_i_backend *self, char *out, size_t size);
void opevo_i_gpu_measure(opevo_i_backend *self, const opevo_i_wire_job *job, const char *object,
                         opevo_i_wire_result *result);
void opevo_i_gpu_close(opevo_i_backend *self);

extern const opevo_i_backend_ops opevo_i_backend_cuda, opevo_i_backend_hip, opevo_i_backend_opencl;

#endif
