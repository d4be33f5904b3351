/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One component of a parameter's value: an integer, a real number, a truth value or a text. */

#ifndef OPEVO_VALUE_H
#define OPEVO_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

typedef enum opevo_value_kind {
    OPEVO_VALUE_INTEGER,
    OPEVO_VALUE_REAL,
    OPEVO_VALUE_BOOLEAN,
    OPEVO_VALUE_TEXT
} opevo_value_kind;

/* A plain value; its text is borrowed from whoever gave the value. */
typedef struct opevo_value {
    opevo_value_kind kind;
    union {
        int64_t integer;
        double real;
        bool boolean;
        const char *text;
    } as;
} opevo_value;

static inline opevo_value opevo_value_of_integer(int64_t integer)
{
    opevo_value value;

    value.kind = OPEVO_VALUE_INTEGER;
    value.as.integer = integer;
    return value;
}

/* The number that an expression sees: 0 or 1 for a truth value, NAN for a text. */
OPEVO_API double opevo_value_number(opevo_value value);

/* Order: numbers (truth values are not numbers) by size, integers compared exactly with reals; then
 * truth values, false first; then texts by their bytes. Equal values compare 0, so 1 equals 1.0. */
OPEVO_API int opevo_value_compare(opevo_value a, opevo_value b);

/* As a person writes it (texts bare), and as JSON. */
OPEVO_API void opevo_value_print(opevo_text *out, opevo_value value);
OPEVO_API void opevo_value_print_json(opevo_text *out, opevo_value value);

/* Read "12", "0.5", "true" or "false" as what they look like, anything else as a text that borrows.
 */
OPEVO_API opevo_value opevo_value_parse(const char *text);

OPEVO_END_C

#endif
