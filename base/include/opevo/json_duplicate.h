/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where a JSON object has a member twice, for messages: a parser reports the second only. */

#ifndef OPEVO_JSON_DUPLICATE_H
#define OPEVO_JSON_DUPLICATE_H

#include <opevo/api.h>

#include <stdbool.h>
#include <stddef.h>

OPEVO_BEGIN_C

/* The line, from 1, of the first member of the innermost open object whose key has the same bytes
 * as the string that ends at byte `end`; 0 if no such member is before it. `text` is JSON up to
 * there. Cost: linear in `end`. Hook of tests. */
size_t opevo_json_first_line(const char *text, size_t end);

/* What is wrong at byte `end`, as a sentence without its full stop: "the member "a" is a duplicate
 * of that in line 3; remove one of them" where the parser found that, otherwise its `fault`. */
enum { OPEVO_JSON_FAULT_SIZE = 320 };
void opevo_json_fault(const char *text, size_t end, bool duplicate, const char *fault,
                      char out[OPEVO_JSON_FAULT_SIZE]);

OPEVO_END_C

#endif
