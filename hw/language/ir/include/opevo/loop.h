/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops: what they become, and the memory that they fill. */

#ifndef OPEVO_LOOP_H
#define OPEVO_LOOP_H

#include <opevo/api.h>

#include <stdbool.h>
#include <stdint.h>

OPEVO_BEGIN_C

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
    OPEVO_ANNOTATION_LIST(OPEVO_ANNOTATION_ENUM) OPEVO_ANNOTATION_COUNT
#undef OPEVO_ANNOTATION_ENUM
} opevo_annotation;

/* Where a copy lives: `packed` is memory of a CPU kernel, `shared` that of a block of threads,
 * `local` are the registers of a thread. */
#define OPEVO_SCOPE_LIST(X)                                                                        \
    X(GLOBAL, "global") X(PACKED, "packed") X(SHARED, "shared") X(LOCAL, "local")

typedef enum opevo_scope {
#define OPEVO_SCOPE_ENUM(suffix, name) OPEVO_SCOPE_##suffix,
    OPEVO_SCOPE_LIST(OPEVO_SCOPE_ENUM) OPEVO_SCOPE_COUNT
#undef OPEVO_SCOPE_ENUM
} opevo_scope;

typedef struct opevo_loop {
    const char *name; /* borrowed until the next step */
    int64_t extent;
    opevo_annotation annotation;
    bool reduces; /* a reduction loop */
} opevo_loop;

OPEVO_END_C

#endif
