/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fixed texts with places that are filled: the files *.in that the build embeds. A place is @name@,
 * as in files that CMake configures. */

#ifndef OPEVO_TEXT_FILL_H
#define OPEVO_TEXT_FILL_H

#include <opevo/text.h>

OPEVO_BEGIN_C

typedef struct opevo_text_slot {
    const char *name, *value;
} opevo_text_slot;

/* Append the text with the value of each slot at its places. An @ that begins no place of a slot
 * stays. Cost: linear in the text, times the slots at each @. */
void opevo_text_fill(opevo_text *out, const char *text, const opevo_text_slot *slots, size_t count);

OPEVO_END_C

#endif
