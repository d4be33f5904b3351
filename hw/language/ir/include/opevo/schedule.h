/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule: the loop nest that computes an operator, as a list of transform steps. The list is
 * the only way to make one, so that it can be printed, read back, changed and replayed.
 *
 * Stages are first the operands, each by its name: 0 is A, 1 is B (the tensors that are read), 2 is
 * C, the computation with its loops: i, j, k for a matrix product (b before them for a batch), n,
 * f, y, x, c, r, s for a convolution, the axes of a contraction of one output. What is said of C
 * here holds for that operand, whatever its name and number. cache_read and cache_write append
 * stages: copies of a part of a tensor, made inside one loop of C, their compute_at point. A copy
 * has loops of its own, one for each dimension of its tensor, once it is attached; from then on the
 * loops of C are fixed.
 *
 * The part that a copy covers follows from the loops inside its compute_at point: for each
 * dimension the bounding box of the indices used there. Threads share copies in scope `shared`, so
 * there their loops count as inside. */

#ifndef OPEVO_SCHEDULE_H
#define OPEVO_SCHEDULE_H

#include <opevo/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One row each: enum suffix, name in text, operands in text. STAGE and LOOP are names; n... are
 * whole numbers. */
#define OPEVO_STEP_LIST(X)                                                                         \
    X(SPLIT, "split", "STAGE LOOP n...: inner loops of these lengths and an outer loop over them") \
    X(EXTEND, "extend", "C LOOP n: pads the loop to n iterations; the excess is masked")           \
    X(FUSE, "fuse", "STAGE LOOP LOOP...: fuses adjacent loops, outer first")                       \
    X(REORDER, "reorder", "STAGE LOOP...: all loops in this order, outer first")                   \
    X(ANNOTATE, "annotate", "STAGE LOOP what: see opevo_annotation")                               \
    X(CACHE_READ, "cache_read", "STAGE scope: a copy of a tensor or of another copy")              \
    X(CACHE_WRITE, "cache_write", "C scope: accumulates in a copy, which is written back")         \
    X(ATTACH, "attach", "STAGE LOOP: compute_at point of the copy: this loop of C")                \
    X(LAYOUT, "layout", "STAGE (dimension divisor extent)...: layout of a copy or a constant")     \
    X(PITCH, "pitch", "STAGE n [p]: pads by n elements after each run of the p innermost pieces")  \
    X(DOUBLE_BUFFER, "double_buffer", "STAGE: prefetches the copy of the next iteration")          \
    X(STAGED, "staged", "STAGE: a double buffer filled through registers")                         \
    X(TRIM, "trim", "C.local LOOP: skips iterations whose results are all masked")                 \
    X(STREAM, "stream", "STAGE: stores bypass the caches")                                         \
    X(PREFETCH, "prefetch", "STAGE n: prefetches the elements n further on")                       \
    X(AUTO_UNROLL, "auto_unroll", "C n e: unroll loops of up to n statements, in the text if e")

typedef enum opevo_step_kind {
#define OPEVO_STEP_ENUM(suffix, name, operands) OPEVO_STEP_##suffix,
    OPEVO_STEP_LIST(OPEVO_STEP_ENUM)
#undef OPEVO_STEP_ENUM
        OPEVO_STEP_KIND_COUNT
} opevo_step_kind;

/* What a loop becomes. `unroll` is a request to the compiler on a GPU and copies of the text on a
 * CPU, `expand` is copies of the text everywhere. */
#define OPEVO_ANNOTATION_LIST(X)                                                                   \
    X(SERIAL, "serial")                                                                            \
    X(UNROLL, "unroll")                                                                            \
    X(EXPAND, "expand")                                                                            \
    X(VECTORIZE, "vectorize")                                                                      \
    X(PARALLEL, "parallel")                                                                        \
    X(VTHREAD, "vthread")                                                                          \
    X(BLOCK_X, "block.x")                                                                          \
    X(BLOCK_Y, "block.y")                                                                          \
    X(BLOCK_Z, "block.z")                                                                          \
    X(THREAD_X, "thread.x")                                                                        \
    X(THREAD_Y, "thread.y")                                                                        \
    X(THREAD_Z, "thread.z")

typedef enum opevo_annotation {
#define OPEVO_ANNOTATION_ENUM(suffix, name) OPEVO_ANNOTATION_##suffix,
    OPEVO_ANNOTATION_LIST(OPEVO_ANNOTATION_ENUM)
#undef OPEVO_ANNOTATION_ENUM
        OPEVO_ANNOTATION_COUNT
} opevo_annotation;

/* Where a copy lives: `packed` is memory of a CPU kernel, `shared` that of a block of threads,
 * `local` are the registers of a thread. */
#define OPEVO_SCOPE_LIST(X)                                                                        \
    X(GLOBAL, "global") X(PACKED, "packed") X(SHARED, "shared") X(LOCAL, "local")

typedef enum opevo_scope {
#define OPEVO_SCOPE_ENUM(suffix, name) OPEVO_SCOPE_##suffix,
    OPEVO_SCOPE_LIST(OPEVO_SCOPE_ENUM)
#undef OPEVO_SCOPE_ENUM
        OPEVO_SCOPE_COUNT
} opevo_scope;

/* The operands of matrix products and convolutions. */
enum { OPEVO_STAGE_A, OPEVO_STAGE_B, OPEVO_STAGE_C, OPEVO_STEP_NUMBERS = 32 };

/* A plain value. Loops are given by their number in the stage at the time of the step, outermost 0.
 *   SPLIT loop length...     EXTEND loop extent       FUSE first-loop count
 *   REORDER loop...          ANNOTATE loop annotation CACHE_READ, CACHE_WRITE scope
 *   ATTACH loop of C         TRIM loop                LAYOUT dimension divisor extent, ...
 *   PITCH n [pieces, 1]      PREFETCH n               AUTO_UNROLL n explicit
 *   the others: nothing */
typedef struct opevo_step {
    opevo_step_kind kind;
    int stage;
    int count; /* of numbers */
    int64_t number[OPEVO_STEP_NUMBERS];
} opevo_step;

typedef struct opevo_schedule opevo_schedule;

/* The plain loop nest without steps. Errors: LIMIT for tensors of 2^40 elements or more; NOMEM. */
opevo_status opevo_schedule_create(const opevo_operator *op, opevo_schedule **out,
                                   opevo_error *err);
void opevo_schedule_destroy(opevo_schedule *schedule);

/* Append one step. Errors, with the schedule as before: INVALID with a sentence that says which
 * rule the step breaks; LIMIT for more loops or parts than a stage may have; NOMEM. */
opevo_status opevo_schedule_apply(opevo_schedule *schedule, const opevo_step *step,
                                  opevo_error *err);
size_t opevo_schedule_step_count(const opevo_schedule *schedule);

/* One line a step: "split C i 4 8 16". */
void opevo_schedule_print(const opevo_schedule *schedule, opevo_text *out);
/* Read what opevo_schedule_print wrote; empty lines and what follows a '#' count for nothing.
 * Errors: INVALID as "origin:line: sentence"; those of apply. */
opevo_status opevo_schedule_parse(const opevo_operator *op, const char *text, const char *origin,
                                  opevo_schedule **out, opevo_error *err);

/* What a schedule looks like now; loops outermost first. */
const opevo_operator *opevo_schedule_operator(const opevo_schedule *schedule);
int opevo_schedule_stage_count(const opevo_schedule *schedule);
const char *opevo_schedule_stage_name(const opevo_schedule *schedule, int stage);
int opevo_schedule_loop_count(const opevo_schedule *schedule, int stage);
typedef struct opevo_loop {
    const char *name; /* borrowed until the next step */
    int64_t extent;
    opevo_annotation annotation;
    bool reduces; /* a reduction loop */
} opevo_loop;
opevo_loop opevo_schedule_loop(const opevo_schedule *schedule, int stage, int loop);
/* Index of a loop by name, -1 if none exists. */
int opevo_schedule_find_loop(const opevo_schedule *schedule, int stage, const char *name);

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
 * that nobody has to ask for, 65535 blocks in y and z; HIP the same but 64 KiB; of the rest, what
 * compilers take in seconds. Source: CUDA C++ Programming Guide, table "Technical Specifications
 * per Compute Capability"; HIP documentation, "Hardware features". */
opevo_limits opevo_limits_default(opevo_kernel_dialect dialect);
/* The least default of the bytes that a CPU kernel may use beside its operands, and that of a
 * kernel on tensors of so many bytes together: no copy of an operand and no intermediate result
 * that has to be stored is beyond it. */
#define OPEVO_PACKED_BYTES (INT64_C(256) << 20)
int64_t opevo_limits_packed(double tensor_bytes);

#ifdef __cplusplus
}
#endif

#endif
