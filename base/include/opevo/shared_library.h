/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shared libraries that are opened at run time, when the first of their functions is needed: a
 * program that does not need them starts without them. A library is described by an X-macro of the
 * names of its functions, whose types are those of its own header:
 *
 *     #define FUNCTIONS(ONE) ONE(XGBoosterCreate) ONE(XGBoosterFree)
 *     typedef struct xgboost { FUNCTIONS(OPEVO_LIBRARY_MEMBER) } xgboost;
 *     #define SYMBOL(name) OPEVO_LIBRARY_SYMBOL(xgboost, name)
 *     static const opevo_library_symbol symbols[] = {FUNCTIONS(SYMBOL)}; */

#ifndef OPEVO_SHARED_LIBRARY_H
#define OPEVO_SHARED_LIBRARY_H

#include <stddef.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

typedef struct opevo_library_symbol {
    const char *name;
    size_t offset; /* of its address in the table of functions */
} opevo_library_symbol;

#define OPEVO_LIBRARY_MEMBER(name) __typeof__(&(name)) name;
#define OPEVO_LIBRARY_SYMBOL(table, name) {#name, offsetof(table, name)},

/* Open a library for the rest of the program, and write the addresses of its functions into
 * `table`, which is left alone on failure. A second call finds the library open.
 *
 *   path     of the library when the program was built: its file name is looked for as the system
 *            looks for libraries, and then the path itself
 *   title    what users call it, such as "XGBoost"
 *   symbols  `count` functions
 *
 * Errors: IO where the library cannot be opened or lacks a function. Cost: that of loading it,
 * some milliseconds. */
opevo_status opevo_shared_library_open(const char *path, const char *title,
                                       const opevo_library_symbol *symbols, size_t count,
                                       void *table, opevo_error *err);

OPEVO_END_C

#endif
