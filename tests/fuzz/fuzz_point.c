/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A point as a person types it: what is printed reads back. */

#include "fuzz.h"

#include <opevo/space.h>

#include <stdlib.h>

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"p\": {\"_type\": \"permutation\","
    " \"_value\": [4]}, \"d\": {\"_type\": \"discrete\", \"_value\": [1, 2.5, 8]}, \"c\":"
    " {\"_type\": \"choice\", \"_value\": [\"fp16\", \"two words\", \"a=b\", true, 7, \"\"]}}";

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_index point = 0;
    opevo_index again = 0;
    opevo_text printed = {0};

    FUZZ_CHECK(opevo_space_parse(space_text, "space", NULL, &space, &err) == OPEVO_OK);
    if (fuzz_accepts(opevo_space_read(space, text, &point, &err), &err)) {
        FUZZ_CHECK(point < opevo_space_size(space));
        opevo_space_print(space, point, &printed);
        FUZZ_CHECK(opevo_space_read(space, printed.data, &again, &err) == OPEVO_OK);
        FUZZ_CHECK(again == point);
    }
    opevo_text_free(&printed);
    opevo_space_destroy(space);
    free(text);
}
