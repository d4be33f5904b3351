/* SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OPEVO_CONSTRAINT_DIALECT_H
#define OPEVO_CONSTRAINT_DIALECT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The language of a constraint. */
typedef enum opevo_dialect {
    OPEVO_DIALECT_C,     /* C expressions; a factor's components are X[0], X[1], ... */
    OPEVO_DIALECT_PYTHON /* T1 files: chained comparisons, and, or, not, in, // and ** */
} opevo_dialect;

#ifdef __cplusplus
}
#endif

#endif
