/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel: source text of a computation in one dialect, and how it is started. What templates make
 * and workers build and measure. */

#ifndef OPEVO_KERNEL_H
#define OPEVO_KERNEL_H

#include <opevo/objective.h>
#include <opevo/text.h>
#include <opevo/workload.h>

OPEVO_BEGIN_C

/* One row each: enum suffix, name on the command line, what it is. */
#define OPEVO_KERNEL_DIALECT_LIST(X)                                                               \
    X(C, "c", "C for a CPU, with GCC's vector extensions")                                         \
    X(CUDA, "cuda", "CUDA C, for NVRTC")                                                           \
    X(HIP, "hip", "HIP C++, for hipRTC")                                                           \
    X(EMULATION, "emulation", "C that runs a GPU schedule on a CPU, for tests")                    \
    X(OPENCL, "opencl", "OpenCL C 1.2")                                                            \
    X(OPENCL_CPU, "opencl-cpu", "OpenCL C 1.2 for devices that compute on a CPU")

typedef enum opevo_kernel_dialect {
#define OPEVO_KERNEL_DIALECT_ENUM(suffix, name, meaning) OPEVO_KERNEL_##suffix,
    OPEVO_KERNEL_DIALECT_LIST(OPEVO_KERNEL_DIALECT_ENUM) OPEVO_KERNEL_COUNT
#undef OPEVO_KERNEL_DIALECT_ENUM
} opevo_kernel_dialect;
const char *opevo_kernel_dialect_name(opevo_kernel_dialect dialect);
/* False, with *out untouched, for another name. */
bool opevo_kernel_dialect_find(const char *name, opevo_kernel_dialect *out);
/* Whether its schedules are those of a CPU: vectors and parallel loops, no blocks and threads. */
static inline bool opevo_kernel_is_for_cpu(opevo_kernel_dialect dialect)
{
    return dialect == OPEVO_KERNEL_C || dialect == OPEVO_KERNEL_OPENCL_CPU;
}

/* What C and C++ call the elements of an array: "float", "unsigned short" for the bits of float16
 * and bfloat16, "signed char", "int". */
const char *opevo_kernel_type_text(opevo_element element);

/* Of operands and scratch memory, in bytes. */
enum { OPEVO_KERNEL_ALIGNMENT = 64 };

/* Blocks and threads of a kernel on a GPU. */
typedef struct opevo_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
} opevo_launch;

enum { OPEVO_KERNEL_LAUNCHES = 16, OPEVO_KERNEL_ARGUMENTS = 4 };

/* An extent that is given when a kernel is called, from 1 to `most`. */
typedef struct opevo_kernel_argument {
    char name[32];
    int64_t most;
} opevo_kernel_argument;

/* Blocks in one direction: per ceil(argument / tile); as many as the launch says where `tile` is
 * 0. */
typedef struct opevo_kernel_count {
    int64_t argument;
    int64_t per, tile;
} opevo_kernel_count;

/* The entry takes a pointer to each operand in the order of
 * opevo_workload_list: dense arrays of its type. An output is written in full and never read
 * before it is written. A kernel on a CPU has no memory of its own: the last argument is scratch
 * memory of opevo_kernel_scratch_bytes, whatever is in it, NULL where that is 0. So calls with
 * different outputs and scratch memory may overlap in time. With two inputs and one output:
 * C and emulation: void ENTRY(const float *a, const float *b, float *c, float *scratch);
 * CUDA and HIP:    extern "C" __global__ void ENTRY(const float *, const float *, float *);
 * OpenCL: __kernel void ENTRY(__global const float *, __global const float *, __global float *);
 * On a device that computes on a CPU a work group is one work item, and runs an iteration of a
 * parallel loop.
 * A kernel on a GPU that has scratch memory has one more argument for it, too. Extents that are not
 * constants are the last arguments, each an int. Stages that need the
 * results of all blocks before them are kernels of their own, ENTRY_2, ENTRY_3, ..., which have the
 * same arguments and are launched in this order. */
typedef struct opevo_kernel {
    opevo_kernel_dialect dialect;
    opevo_text source; /* a whole translation unit */
    /* A C identifier with a hash of launch and source, so that two kernels can be linked into one
     * program. */
    char entry[64];
    uint64_t scratch_bytes;        /* that the threads of a call share ... */
    uint64_t thread_scratch_bytes; /* ... and that each of them has for itself, behind those */
    /* Elements of operand i as the kernel reads it; 0: the dense array. */
    uint64_t packed[OPEVO_OPERANDS];
    uint32_t grid[3], block[3]; /* 1 for CPU dialects */
    uint32_t dynamic_shared_bytes;
    int more; /* kernels that are launched after it */
    opevo_launch then[OPEVO_KERNEL_LAUNCHES - 1];
    /* Extents that are arguments. Scratch memory and all launches above are those of their largest
     * values; for smaller ones the launches have fewer blocks. */
    int arguments;
    opevo_kernel_argument argument[OPEVO_KERNEL_ARGUMENTS];
    opevo_kernel_count count[OPEVO_KERNEL_LAUNCHES][3];
    bool parallel; /* C: threads divide a loop of it, so it is compiled with OpenMP */
    /* Of kernels that opevo did not write: words for the compiler, and NAME=VALUE of the parameters
     * that expressions of their harness may name; one a line. */
    bool own;
    opevo_text options, values;
} opevo_kernel;

void opevo_kernel_free(opevo_kernel *kernel);

/* Give it another entry, also where the text says `from`: names of its functions begin with that.
 * Without memory the source fails. */
void opevo_kernel_rename(opevo_kernel *kernel, const char *from, const char *entry);

/* A constant may be read in a layout of its own. Beside the kernel is then a function that brings
 * the dense array into it, once for any number of calls; of a constant of float32:
 *     void ENTRY_pack_b(const float *b, float *packed);
 * The name of that of operand i, into `out` of OPEVO_KERNEL_NAME bytes. */
enum { OPEVO_KERNEL_NAME = 80 };
void opevo_kernel_pack_name(const opevo_kernel *kernel, int operand, char *out);

/* Its launch of this number, from 0 to `more`, and the name of that function, likewise. */
opevo_launch opevo_kernel_launch(const opevo_kernel *kernel, int number);
void opevo_kernel_launch_name(const opevo_kernel *kernel, int number, char *out);
/* The launch of this number for these values of the kernel's arguments, each from 1 to its `most`.
 * Hook of tests. */
opevo_launch opevo_kernel_launch_for(const opevo_kernel *kernel, int number,
                                     const int64_t *arguments);

/* Scratch memory of a call that runs on at most so many threads (of OpenMP; 1 for a kernel built
 * without it). */
uint64_t opevo_kernel_scratch_bytes(const opevo_kernel *kernel, uint64_t threads);

/* Of a C compiler, for kernels in C: what decides which code one becomes. Clang would cut vectors
 * of 16 in two on some processors. */
#ifdef __x86_64__
#define OPEVO_KERNEL_C_FLAGS "-O2", "-march=native", "-fno-math-errno", "-mprefer-vector-width=512"
#else
#define OPEVO_KERNEL_C_FLAGS "-O2", "-march=native", "-fno-math-errno"
#endif
/* ... and for parallel ones after these. */
#define OPEVO_KERNEL_C_PARALLEL_FLAG "-fopenmp"

/* Known limits of a device; a limit of 0 is not checked, and a negative one allows nothing. */
typedef struct opevo_limits {
    int64_t threads, thread_z;   /* of a block, and in its third dimension */
    int64_t shared_bytes;        /* of a block */
    int64_t static_shared_bytes; /* of them without asking for more at launch */
    int64_t grid_x, grid_yz;     /* blocks */
    int64_t local_floats;        /* of a thread */
    int64_t statements;          /* after unrolling: what a compiler takes in seconds */
    int64_t packed_bytes;        /* of a CPU kernel, beside its operands */
    int64_t vector_width;        /* elements */
} opevo_limits;
/* What holds for every device of a dialect: CUDA 1024 threads, 64 in z, 48 KiB of shared memory
 * that nobody has to ask for, 65535 blocks in y and z; HIP the same but 64 KiB; OpenCL 256 threads
 * and 32 KiB, which all common devices have; of the rest, what compilers take in seconds. Source:
 * CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"; HIP
 * documentation, "Hardware features". */
opevo_limits opevo_limits_default(opevo_kernel_dialect dialect);
/* The least default of the bytes that a CPU kernel may use beside its operands, and that of a
 * kernel on tensors of so many bytes together: no copy of an operand and no intermediate result
 * that has to be stored is beyond it. */
#define OPEVO_PACKED_BYTES (INT64_C(256) << 20)
int64_t opevo_limits_packed(double tensor_bytes);

/* Of the device that kernels run on, as far as schedules depend on it; 0: unknown. */
typedef struct opevo_device_facts {
    unsigned vector_bits;        /* of a CPU: the widest registers */
    uint64_t l1_bytes, l2_bytes; /* data caches */
    unsigned vector_registers;   /* 0: 16 of 256 bits, 32 of others */
} opevo_device_facts;

/* What kernels compute that opevo did not write, as far as an engine has to know. */
typedef struct opevo_kernel_bench {
    const char *text;  /* in names of objectives and in messages: "conv.cu" */
    const char *setup; /* members of the message that sets a worker up, a JSON object */
    const char *unit;  /* of results: "GFLOP/s", "GB/s", or "ms" where nothing is counted */
    double amount;     /* of one execution, in operations or bytes; 0 */
    /* What gives golden results, once in each worker; NULL: the setup says where they are. */
    const opevo_kernel *reference;
    const char
        *note; /* what users should know of that, a sentence without its end; NULL: nothing */
} opevo_kernel_bench;

/* Turns the points of a tuning space into kernels: a template with its operator, whatever
 * schedules a computation, or a source of the user with the values of a point. */
typedef struct opevo_kernel_maker opevo_kernel_maker;

typedef struct opevo_pipeline opevo_pipeline; /* <opevo/pipeline.h> */

typedef struct opevo_kernel_maker_ops {
    /* Fill `out` (zeroed by the caller, who frees it), or say by *refused (left OK otherwise) and
     * `why` that the point breaks a known limit of the device: REJECTED. A function of the point
     * alone; may be called from several threads at once. Errors: NOMEM. */
    opevo_status (*make)(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err);
    void (*destroy)(opevo_kernel_maker *self);
    /* The point that analysis expects to be good on such a device, for the first trial; *found is
     * false without such a point. A function of space and facts alone. NULL: no point is known.
     * Errors: NOMEM. */
    opevo_status (*start)(const opevo_kernel_maker *self, const opevo_device_facts *facts,
                          bool *found, opevo_index *point, opevo_error *err);
    /* The pipeline of a point; the caller destroys it. A point that breaks a rule leaves *out NULL
     * and says so in `why`. NULL: there are no pipelines. Errors: NOMEM. */
    opevo_status (*pipeline)(const opevo_kernel_maker *self, opevo_index point,
                             opevo_pipeline **out, opevo_text *why, opevo_error *err);
    /* A point whose pipeline has these steps, of several any; a search may begin at `near`, and may
     * miss one. *found is false without one. The steps are of an equal computation. NULL: no point
     * is ever found. Errors: NOMEM. */
    opevo_status (*find)(const opevo_kernel_maker *self, const opevo_pipeline *pipeline,
                         opevo_index near, bool *found, opevo_index *point, opevo_error *err);
    /* A file of the folder that a kernel is exported as: the name of file i, NULL from their number
     * on, and its text. NULL: the folder follows from the pipeline (opevo/export.h). Errors:
     * INVALID for a point that gives no kernel; NOMEM. */
    const char *(*file_name)(const opevo_kernel_maker *self, size_t i);
    opevo_status (*file)(const opevo_kernel_maker *self, opevo_index point, size_t i,
                         opevo_text *out, opevo_error *err);
} opevo_kernel_maker_ops;

/* First member, `super`, of every implementation, which fills it in. */
struct opevo_kernel_maker {
    const opevo_kernel_maker_ops *ops;
    const opevo_space *space; /* owned by the implementation */
    /* What a kernel computes: exactly one of both is not NULL; owned too. */
    const opevo_computation *computation;
    const opevo_kernel_bench *bench;
    const char *name; /* "matmul-cpu", ...: of the template */
    opevo_kernel_dialect dialect;
    unsigned threads; /* that parallel kernels are for; 0: as for 1 */
    /* Of all that decides the source: template, version, computation, dialect. */
    uint64_t signature;
    const opevo_feature_source *features; /* of the loop nest; NULL: none; owned too */
    const opevo_feature_source *trees;    /* loop trees (opevo/loop_tree.h); likewise */
};

OPEVO_END_C

#endif
