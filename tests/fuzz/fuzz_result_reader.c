/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What --result or --criterion takes, in the first line, and what a program printed,
 * in the rest. */

#include "fuzz.h"

#include "result_reader_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void apply(const opevo_i_wire_result_reader *reading, const char *output)
{
    double *values = NULL;
    size_t count = 0;
    size_t capacity = 0;
    opevo_text why = {0};

    if (opevo_i_wire_result_reader_apply(reading, output, 0.5, &values, &count, &capacity, &why))
        FUZZ_CHECK(count > 0);
    else
        FUZZ_CHECK(why.length > 0);
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK((values[i] > 0 || reading->quantity == OPEVO_I_PLAIN) && isfinite(values[i]));
    opevo_free(values);
    opevo_text_free(&why);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *result = fuzz_line(&data, &size);
    char *output = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_i_wire_named_reading named;
    opevo_i_wire_result_reader reading;

    if (fuzz_accepts(opevo_i_wire_result_reader_parse(result, &reading, &err), &err)) {
        apply(&reading, output);
        opevo_i_wire_result_reader_clear(&reading);
    }
    if (fuzz_accepts(opevo_i_wire_named_reading_parse(result, &named, &err), &err)) {
        apply(&named.reading, output);
        opevo_i_wire_named_reading_clear(&named);
    }
    free(result);
    free(output);
}
