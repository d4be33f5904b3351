/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compressed texts: the first byte says in which form. */

#include "fuzz.h"

#include "recorded_internal.h"

#include <opevo/memory.h>

enum { LIMIT = 1 << 16 };

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    char *text = NULL;
    size_t length = 0;
    bool xz = size > 0 && data[0] == 'x';

    if (size == 0)
        return;
    if (fuzz_accepts(opevo_i_landscape_text_unpack(xz ? "fuzz.csv.xz" : "fuzz.csv.gz",
                                                   (const char *)data + 1, size - 1, LIMIT, &text,
                                                   &length, &err),
                     &err)) {
        FUZZ_CHECK(length <= LIMIT && text[length] == '\0');
        opevo_free(text);
    }
}
