/* SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OPEVO_CONSTRAINT_DIALECT_H
#define OPEVO_CONSTRAINT_DIALECT_H

#include <opevo/api.h>

OPEVO_BEGIN_C

/* The language of a constraint. */
typedef enum opevo_dialect {
    OPEVO_DIALECT_C,     /* C expressions; a factor's components are X[0], X[1], ... */
    OPEVO_DIALECT_PYTHON /* T1 files: chained comparisons, and, or, not, in, // and ** */
} opevo_dialect;

OPEVO_END_C

#endif
