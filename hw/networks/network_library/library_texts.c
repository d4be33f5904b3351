/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts of a library: its names, and what is printed at further places. */

#include "library_internal.h"

#include <string.h>

void opevo_i_library_fill(const opevo_network_library *self, const char *text,
                          opevo_i_library_part *parts, size_t count, opevo_text *out)
{
    opevo_text_slot slots[OPEVO_I_LIBRARY_NAMES + OPEVO_I_LIBRARY_PARTS];

    memcpy(slots, self->slots, sizeof self->slots);
    for (size_t i = 0; i < count; i++) {
        slots[OPEVO_I_LIBRARY_NAMES + i] =
            (opevo_text_slot){parts[i].name, opevo_text_string(&parts[i].text)};
        out->failed |= parts[i].text.failed;
    }
    opevo_text_fill(out, text, slots, OPEVO_I_LIBRARY_NAMES + count);
    for (size_t i = 0; i < count; i++)
        opevo_text_free(&parts[i].text);
}

void opevo_i_library_print(const opevo_network_library *self, const char *text,
                           const opevo_i_library_place *places, size_t count, opevo_text *out)
{
    opevo_i_library_part parts[OPEVO_I_LIBRARY_PARTS] = {{NULL, {0}}};

    for (size_t i = 0; i < count; i++) {
        parts[i].name = places[i].name;
        places[i].print(self, &parts[i].text);
    }
    opevo_i_library_fill(self, text, parts, count, out);
}

void opevo_i_library_add(const opevo_network_library *self, const char *text, opevo_text *out)
{
    opevo_text_fill(out, text, self->slots, OPEVO_I_LIBRARY_NAMES);
}
