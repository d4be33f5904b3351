/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/text_fill.h>

#include <string.h>

/* The slot whose place begins at the @; NULL: none. */
static const opevo_text_slot *slot_at(const char *at, const opevo_text_slot *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(slots[i].name);

        if (strncmp(at + 1, slots[i].name, length) == 0 && at[1 + length] == '@')
            return &slots[i];
    }
    return NULL;
}

void opevo_text_fill(opevo_text *out, const char *text, const opevo_text_slot *slots, size_t count)
{
    const char *from = text;

    for (const char *at = strchr(text, '@'); at; at = strchr(at, '@')) {
        const opevo_text_slot *slot = slot_at(at, slots, count);

        if (!slot) {
            at++;
            continue;
        }
        opevo_text_add_bytes(out, from, (size_t)(at - from));
        opevo_text_add(out, slot->value);
        at += strlen(slot->name) + 2;
        from = at;
    }
    opevo_text_add(out, from);
}
