/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An interpreter of GPU kernels in NVPTX-flavoured LLVM IR. It runs a launch as a GPU would be
 * allowed to, one warp of 32 lanes at a time, checks what a GPU does not, and counts a cost under a
 * table of costs.
 *
 * Blocks run one after the other. Within a block each warp runs up to a barrier or its end, then
 * the next. The lanes of a warp step together; where a branch divides them, both sides run one
 * after the other and meet again at the immediate post-dominator of the branch. All is
 * deterministic: the same module, buffers, launches and options give the same bytes, faults and
 * costs on every machine.
 *
 * Arithmetic is that of IEEE 754 as compiled C has it: one rounding for each instruction of the IR,
 * also for llvm.fmuladd, which GPUs fuse. Functions such as llvm.exp.f32 and the approximations
 * llvm.nvvm.ex2.approx.f are those of the C library.
 *
 * A function with "denormal-fp-math-f32" (or, without it, "denormal-fp-math") of "preserve-sign"
 * flushes denormals as the instructions of PTX with .ftz do that LLVM chooses for it: floats of 32
 * bits that are read or given by arithmetic, comparisons, functions and conversions to and from
 * double become zeros of their sign; those of 16 bits where they are added, subtracted, multiplied,
 * negated or compared; an atomic addition does so in global memory, not in shared.
 * Loads, stores, selections and doubles keep denormals, and so do the functions llvm.nvvm.NAME.f,
 * which have forms of their own with .ftz, but for llvm.nvvm.sqrt.f. Floats in functions with
 * another mode than "ieee" or "preserve-sign" of both results and operands are unsupported.
 * Source: PTX ISA, ".ftz" of each instruction; LLVM, NVPTXInstrInfo.td.
 *
 * With `one_lane`, parallel loops of OpenMP with a static schedule (of clang's calls) run as if
 * each iteration were a thread of its own; the races of these are looked for, so that none is left
 * whatever the number of threads. Barriers, reductions, critical sections, tasks and other
 * schedules are unsupported.
 *
 * What the interpreter does not know ends a launch with the outcome "unsupported" as soon as it
 * would be executed. */

#ifndef OPEVO_SIMT_H
#define OPEVO_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/simt_values.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

struct LLVMOpaqueModule; /* LLVMModuleRef and LLVMValueRef point to these */
struct LLVMOpaqueValue;

/* One row for each outcome of a launch: enum suffix, name as printed.
 *   out of bounds      an access outside of every buffer and variable, into one that is too short,
 *   or
 *                      at an address less aligned than its instruction says; a store to a constant
 *   uninitialised      a value that nothing wrote, or that LLVM leaves undefined, decides a branch,
 *                      an address or an atomic, or is stored in a global buffer
 *   race               two accesses of different threads that nothing orders; see "Races" below
 *   divergent barrier  a barrier that not all threads of the block reach together
 *   undefined          division by 0, an overflowing quotient, or an unreachable place
 *   limit              too many steps
 *   data               with an arithmetic of values: bits of a value decide a branch, an
 *                      address, an atomic or a byte in global memory */
#define OPEVO_SIMT_OUTCOME_LIST(X)                                                                 \
    X(OK, "ok")                                                                                    \
    X(UNSUPPORTED, "unsupported")                                                                  \
    X(OUT_OF_BOUNDS, "out of bounds")                                                              \
    X(UNINITIALISED, "uninitialised")                                                              \
    X(RACE, "race")                                                                                \
    X(DIVERGENT_BARRIER, "divergent barrier")                                                      \
    X(UNDEFINED, "undefined")                                                                      \
    X(LIMIT, "limit")                                                                              \
    X(DATA, "data")

typedef enum opevo_simt_outcome {
#define OPEVO_SIMT_ENUM(suffix, text) OPEVO_SIMT_##suffix,
    OPEVO_SIMT_OUTCOME_LIST(OPEVO_SIMT_ENUM)
#undef OPEVO_SIMT_ENUM
} opevo_simt_outcome;

/* Name of an outcome; a static string. */
const char *opevo_simt_outcome_name(opevo_simt_outcome outcome);

/* ---- Races ----
 *
 * Two accesses of one launch race if
 *   - they are of different threads, and of a common byte in global memory, or in shared memory of
 *     the same block,
 *   - at least one of them may write: a store, an atomicrmw or a cmpxchg,
 *   - they are not both atomic,
 *   - they are not both plain stores of the same value to that byte, where that is allowed, and
 *   - neither happens before the other.
 *
 * Happens before is the transitive closure of:
 *   - a thread's accesses in the order in which it makes them,
 *   - a barrier of the block, behind which all accesses of the block before it are,
 *   - a barrier of a warp in which all lanes that have not ended take part, each with all of these
 *     in its mask: all accesses of the warp before it, also those of ended lanes, are before those
 *     behind it; another barrier of lanes orders nothing,
 *   - with `warp_sync`, what a warp accesses by one instruction and then by another.
 * Atomics, fences, shuffles and votes order nothing.
 *
 * A launch ends with the outcome "race" at the first access that races with one before it, whether
 * or not a value depends on it, and only then. Where neither control flow nor addresses depend on
 * racing values, it is found in every order of blocks and warps.
 * Cost: O(1) an access and granule (the least width and alignment of the module's accesses, up to
 * 8 bytes); 40 bytes a granule.
 * Source: Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21,
 * 1978; data races and barriers as in PTX ISA, "Memory Consistency Model"; forgetting what is
 * ordered as in Flanagan, Freund, "FastTrack: efficient and precise dynamic race detection", PLDI
 * 2009. */

/* ---- Costs ---- */

/* A table of costs, in cycles of a multiprocessor; docs/gevo.md, "Cost model". */
typedef struct opevo_simt_costs opevo_simt_costs;

/* The table of a JSON file, or the built-in one if path is NULL.
 * Errors: IO; INVALID with file and key if one is missing, unknown, negative or above 10^6;
 * NOMEM. */
opevo_status opevo_simt_costs_load(const char *path, opevo_simt_costs **out, opevo_error *err);
void opevo_simt_costs_destroy(opevo_simt_costs *costs);
/* The name in the file, and a hash of all constants, for caches and reports. */
const char *opevo_simt_costs_name(const opevo_simt_costs *costs);
uint64_t opevo_simt_costs_hash(const opevo_simt_costs *costs);

/* ---- Machines ---- */

enum { OPEVO_SIMT_NAME_SIZE = 64, OPEVO_SIMT_MESSAGE_SIZE = 320 };

/* Order of the blocks of a launch, and of the warps of a block. */
typedef enum opevo_simt_order {
    OPEVO_SIMT_FORWARD,
    OPEVO_SIMT_REVERSE,
    OPEVO_SIMT_SHUFFLED /* by order_seed and the number of the launch */
} opevo_simt_order;

typedef struct opevo_simt_options {
    bool check_races;
    bool check_uninitialised;
    bool
        warp_sync; /* accesses of one warp by different instructions are ordered, as before Volta */
    opevo_simt_order order;
    uint64_t order_seed;
    uint64_t step_limit; /* instructions of warps between two resets; 0: 2^40 */
    /* Write the name of an instruction, such as "U17", to `name`; NULL: U and its number in the
     * module, from 1, as opevo_module_load counts. Called while a machine is created. */
    void (*name)(void *context, struct LLVMOpaqueValue *instruction,
                 char name[OPEVO_SIMT_NAME_SIZE]);
    void *name_context;
    /* Blocks have one work item, as those of functions in C: integers are computed for one lane. */
    bool one_lane;
    /* Functions in front of kernels that opevo prints, opevo_exp and the like, are what their names
     * say; with an arithmetic. */
    bool own_functions;
    /* Of the module's floats; NULL: IEEE 754. Borrowed until the machine is destroyed. With one,
     * check_uninitialised is always on, and costs are not counted for accesses to values. */
    const opevo_simt_arithmetic *arithmetic;
    unsigned value_bytes; /* of the least float that opevo_simt_read and _write are for; 0: 4 */
} opevo_simt_options;

/* Everything checked, blocks forward, names by number. */
extern const opevo_simt_options opevo_simt_defaults;

/* The kernels and variables of a module, decoded, and the buffers that launches work on. */
typedef struct opevo_simt opevo_simt;

/* Decode a module. It is not used any more afterwards, and was verified before (LLVMVerifyModule).
 * A function is a kernel if it has a body and is not private to the module.
 *   costs  borrowed until the machine is destroyed
 * Errors: NOMEM; LIMIT if calls, inlined, make a kernel longer than 10^6 instructions.
 * Cost: about 0.1 us an instruction and use of a constant. */
opevo_status opevo_simt_create(struct LLVMOpaqueModule *module, const opevo_simt_costs *costs,
                               const opevo_simt_options *options, opevo_simt **out,
                               opevo_error *err);
void opevo_simt_destroy(opevo_simt *simt);

/* Forget all buffers, set variables in global memory back to their initial values, and the counts
 * and steps to 0: what a case begins with. */
opevo_status opevo_simt_reset(opevo_simt *simt, opevo_error *err);
/* Another order and seed than at creation, from the next reset on. Hook of tests. */
void opevo_simt_set_order(opevo_simt *simt, opevo_simt_order order, uint64_t seed);
/* The same of the limit of steps. */
void opevo_simt_set_step_limit(opevo_simt *simt, uint64_t step_limit);

/* Memory that kernels may access. */
typedef struct opevo_simt_buffer {
    void *data; /* the caller's, aligned to 16 bytes, until the reset; kernels work in place */
    size_t size_bytes; /* below 2^38 */
    bool initialised;  /* false: every byte counts as not written */
    bool read_only;
    bool same_value_races; /* threads may write the same value to the same place at once */
    const char *name;      /* for messages, borrowed until the reset; NULL: its number */
} opevo_simt_buffer;

/* Number of the buffer, from 0 after a reset.
 * Errors: LIMIT above 10^6 buffers or 2^38 bytes; NOMEM. */
opevo_status opevo_simt_add_buffer(opevo_simt *simt, const opevo_simt_buffer *buffer,
                                   uint32_t *number, opevo_error *err);
/* The same of a variable of the module in shared or global memory, NULL: of all of them, until the
 * machine is destroyed. False: the module has no variable of that name. */
bool opevo_simt_allow_same_value(opevo_simt *simt, const char *variable);
/* Give a variable of the module in global or constant memory these first bytes, until the reset.
 * False: the module has none of that name with so many bytes. */
bool opevo_simt_set_variable(opevo_simt *simt, const char *variable, const void *data, size_t size);
/* In parallel regions of OpenMP, of a module that is run with `one_lane`, thread i has `bytes`
 * bytes of a buffer from byte from + i bytes on for itself: they hold nothing as it begins. The
 * buffer has two such slots, as the numbers of threads are 0 and 1 in turn. False: `from` and
 * `bytes` are not multiples of 64. */
bool opevo_simt_set_thread_memory(opevo_simt *simt, uint32_t buffer, uint64_t from, uint64_t bytes);
/* The caller will read the bytes of a buffer, or wrote all of them: they count as initialised from
 * now on. False: with an arithmetic they cannot be read, as a kernel stored values. */
bool opevo_simt_mark_read(opevo_simt *simt, uint32_t number);
void opevo_simt_mark_written(opevo_simt *simt, uint32_t number);
/* First byte of a buffer that counts as not written, or its size. */
size_t opevo_simt_first_uninitialised(const opevo_simt *simt, uint32_t number);

typedef struct opevo_simt_argument {
    bool is_buffer;
    uint32_t buffer; /* its number; the kernel gets a pointer to offset_bytes */
    uint64_t offset_bytes;
    uint64_t bits;     /* otherwise: the value in the low bits, floats as their representation */
    bool is_local;     /* otherwise: memory of each block, of `bits` bytes */
    const void *bytes; /* a struct by value (a parameter with "byval"); NULL: none */
    size_t size_bytes;
} opevo_simt_argument;

/* Where kernels find a buffer, for pointers in structs. */
uint64_t opevo_simt_address(const opevo_simt *simt, uint32_t buffer);

typedef struct opevo_simt_launch {
    const char *kernel;
    uint32_t grid[3], block[3]; /* as CUDA limits them: at most 1024 threads a block */
    uint32_t dynamic_shared_bytes;
    const opevo_simt_argument *arguments;
    size_t argument_count;
} opevo_simt_launch;

/* What happened, whole counts of warps since the last reset. */
typedef struct opevo_simt_counts {
    double cost; /* cycles of one multiprocessor under the table of costs */
    uint64_t warp_instructions, lane_instructions;
    uint64_t global_accesses, global_sectors;        /* of warps; sectors of 32 bytes */
    uint64_t shared_accesses, shared_bank_conflicts; /* conflicts: passes beyond the first */
    uint64_t atomics, barriers, divergent_branches;
    uint64_t value_operations; /* of lanes, in an arithmetic of values */
} opevo_simt_counts;

typedef struct opevo_simt_result {
    opevo_simt_outcome outcome;
    /* Where it happened, if the outcome is not ok: the name of the instruction, and its source line
     * or 0. */
    char instruction[OPEVO_SIMT_NAME_SIZE];
    unsigned line;
    uint32_t block[3], thread[3];
    char message[OPEVO_SIMT_MESSAGE_SIZE]; /* a sentence with all of that */
} opevo_simt_result;

/* Run a kernel until its end or the first fault; a fault leaves the buffers as they are then.
 * Errors: INVALID if the kernel, its arguments or the launch's sizes do not fit; NOMEM.
 * Cost: 2-5 ns a warp instruction and check. */
opevo_status opevo_simt_run(opevo_simt *simt, const opevo_simt_launch *launch,
                            opevo_simt_result *result, opevo_error *err);
void opevo_simt_count(const opevo_simt *simt, opevo_simt_counts *counts);

/* Kernels of the module, by number in the module's order, and the types of their parameters as LLVM
 * prints them ("ptr addrspace(1)", "float"). */
size_t opevo_simt_kernel_count(const opevo_simt *simt);
const char *opevo_simt_kernel_name(const opevo_simt *simt, size_t kernel);

/* Whether own_functions makes a function of this name what the name says. */
bool opevo_simt_knows_function(const char *name);

OPEVO_END_C

#endif
