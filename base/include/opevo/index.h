/* SPDX-License-Identifier: GPL-3.0-or-later */

/* opevo_index: the number of a vertex or of a point, up to 2^128 - 1, with checked arithmetic and
 * decimal text, because permutation(30) has 2.65e32 vertices. */

#ifndef OPEVO_INDEX_H
#define OPEVO_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include <opevo/api.h>

OPEVO_BEGIN_C

__extension__ typedef unsigned __int128 opevo_index;

#define OPEVO_INDEX_MAX (~(opevo_index)0)

enum { OPEVO_INDEX_TEXT_SIZE = 40 }; /* 39 digits and the terminator */

/* *out = a * b or a + b; false on overflow, with *out untouched. */
OPEVO_API bool opevo_index_mul(opevo_index a, opevo_index b, opevo_index *out);
OPEVO_API bool opevo_index_add(opevo_index a, opevo_index b, opevo_index *out);

/* Greatest common divisor; that of 0 and b is b. */
OPEVO_API opevo_index opevo_index_gcd(opevo_index a, opevo_index b);

/* *out = n over k; false when the result does not fit in 128 bits. */
OPEVO_API bool opevo_index_binomial(uint64_t n, uint64_t k, opevo_index *out);

/* Decimal text of `value` into `text`, which has OPEVO_INDEX_TEXT_SIZE bytes; returns `text`. */
OPEVO_API char *opevo_index_format(opevo_index value, char *text);

/* Read an unsigned decimal number that fills the whole text; false for anything else. */
OPEVO_API bool opevo_index_parse(const char *text, opevo_index *out);

OPEVO_END_C

#endif
