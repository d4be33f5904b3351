/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Status and error message: what every call that can fail returns, and the one sentence for a
 * person that goes with it. A failing call leaves its outputs untouched. */

#ifndef OPEVO_STATUS_H
#define OPEVO_STATUS_H

#include <stdarg.h>

#include <opevo/api.h>

OPEVO_BEGIN_C

/* One row for each status: enum suffix, name as printed. */
#define OPEVO_STATUS_LIST(X)                                                                       \
    X(OK, "ok")                                                                                    \
    X(INVALID, "invalid input")                                                                    \
    X(IO, "input or output failed")                                                                \
    X(NOMEM, "out of memory")                                                                      \
    X(LIMIT, "too large")                                                                          \
    X(MISMATCH, "mismatch")                                                                        \
    X(TOLERANCE, "accuracy not reached")                                                           \
    X(INTERRUPTED, "interrupted")                                                                  \
    X(LOST, "stored data were moved or lost")                                                      \
    X(FAULT, "the host failed")

typedef enum opevo_status {
#define OPEVO_STATUS_ENUM(suffix, text) OPEVO_##suffix,
    OPEVO_STATUS_LIST(OPEVO_STATUS_ENUM)
#undef OPEVO_STATUS_ENUM
} opevo_status;

enum { OPEVO_ERROR_SIZE = 1024 };

/* The sentence names the argument, the option, or "path:line", and says what to do. */
typedef struct opevo_error {
    opevo_status status;
    char message[OPEVO_ERROR_SIZE];
} opevo_error;

/* Name of a status; a static string. */
OPEVO_API const char *opevo_status_name(opevo_status status);

/* Fill *err (when not NULL) with a status and a formatted sentence, cut at OPEVO_ERROR_SIZE - 1
 * bytes, and return the status. */
OPEVO_API opevo_status opevo_error_set(opevo_error *err, opevo_status status, const char *format,
                                       ...) __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__ /* which does not look into opevo_error_set to see that it fails */
#define OPEVO_FAIL(err, status, ...) (opevo_error_set((err), (status), __VA_ARGS__), (status))
#else
#define OPEVO_FAIL(err, status, ...) opevo_error_set((err), (status), __VA_ARGS__)
#endif

/* In a function with a variable `status` and a label `cleanup`: leave on failure. */
#define OPEVO_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != OPEVO_OK)                                                                    \
            goto cleanup;                                                                          \
    } while (0)

OPEVO_END_C

#endif
