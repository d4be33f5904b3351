/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Memory: the one way to allocate in opevo, so that a test can make any allocation fail and count
 * what is still alive. All functions are safe to call from several threads. */

#ifndef OPEVO_MEMORY_H
#define OPEVO_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

/* As malloc, calloc and realloc of count * size bytes; NULL when there is no memory, when the
 * product overflows, or when a test asked for a failure. A count or size of 0 gives a pointer to
 * free. */
void *opevo_malloc(size_t count, size_t size);
void *opevo_calloc(size_t count, size_t size);
void *opevo_realloc(void *pointer, size_t count, size_t size);
char *opevo_strdup(const char *text);
char *opevo_strndup(const char *text, size_t length);

/* Fill *err with "No memory for WHAT.", WHAT made as by printf, and return NOMEM. */
opevo_status opevo_no_memory(opevo_error *err, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* which does not look into opevo_no_memory to see that it fails */
#define OPEVO_NO_MEMORY(err, ...) (opevo_no_memory((err), __VA_ARGS__), OPEVO_NOMEM)
#else
#define OPEVO_NO_MEMORY(err, ...) opevo_no_memory((err), __VA_ARGS__)
#endif

/* In a function with variables `status` and `err` and a label `cleanup`: leave it with "No memory
 * for WHAT.", a format with its arguments, unless `pointer`, or what else tells, is true. */
#define OPEVO_NEED(pointer, ...)                                                                   \
    do {                                                                                           \
        if (!(pointer)) {                                                                          \
            status = OPEVO_NO_MEMORY(err, __VA_ARGS__);                                            \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

/* The same with *self = `count` items of zero bytes. */
#define OPEVO_NEW(self, count, ...)                                                                \
    do {                                                                                           \
        (self) = opevo_calloc((count), sizeof *(self));                                            \
        OPEVO_NEED((self), __VA_ARGS__);                                                           \
    } while (0)

/* The same in a function with a variable `err` that holds nothing yet: it returns NOMEM. */
#define OPEVO_NEED_OR_RETURN(pointer, ...)                                                         \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return OPEVO_NO_MEMORY(err, __VA_ARGS__);                                              \
    } while (0)
#define OPEVO_NEW_OR_RETURN(self, count, ...)                                                      \
    do {                                                                                           \
        (self) = opevo_calloc((count), sizeof *(self));                                            \
        OPEVO_NEED_OR_RETURN((self), __VA_ARGS__);                                                 \
    } while (0)

/* Release what the functions above gave; NULL is allowed. */
void opevo_free(void *pointer);

/* Make room for `needed` items of `size` bytes in *items, which holds *capacity of them: capacity
 * grows by at least half, so that appending is amortised O(1). Returns 0 without memory; *items and
 * *capacity are then as before. */
int opevo_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Hook of tests. Blocks now alive; "let the n-th allocation from now fail, once" (0: none). */
int64_t opevo_memory_live(void);
void opevo_memory_fail_at(int64_t n);

/* Bytes of memory that this process may come to use: the machine's, or less where a control group
 * (version 1 or 2, its own or one above it) or RLIMIT_AS limits it. Looked up once. */
uint64_t opevo_memory_limit(void);
/* The least limit of a control group, as the files below `root` have it ("" for those of the
 * system); UINT64_MAX if none exists. Hook of tests. */
uint64_t opevo_memory_group_limit(const char *root);

OPEVO_END_C

#endif
