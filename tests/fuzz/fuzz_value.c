/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers and values as text: what is printed reads back equal. */

#include "fuzz.h"

#include <opevo/value.h>

#include <math.h>
#include <stdlib.h>

static void check_numbers(const char *text)
{
    char printed[OPEVO_DOUBLE_TEXT_SIZE];
    char digits[OPEVO_INDEX_TEXT_SIZE];
    opevo_index index = 0;
    opevo_index index_again = 0;
    double real = 0;
    double again = 0;
    int64_t integer = 0;
    uint64_t whole = 0;

    if (opevo_parse_double(text, &real)) {
        FUZZ_CHECK(isfinite(real));
        FUZZ_CHECK(opevo_parse_double(opevo_double_format(real, printed), &again));
        FUZZ_CHECK(again == real && signbit(again) == signbit(real));
    }
    if (opevo_parse_u64(text, &whole))
        FUZZ_CHECK(opevo_index_parse(text, &index) && index == whole);
    if (opevo_parse_i64(text, &integer) && integer >= 0 && *text != '-' && *text != '+')
        FUZZ_CHECK(opevo_parse_u64(text, &whole) && whole == (uint64_t)integer);
    if (opevo_index_parse(text, &index)) {
        FUZZ_CHECK(opevo_index_parse(opevo_index_format(index, digits), &index_again));
        FUZZ_CHECK(index_again == index);
    }
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_value value = opevo_value_parse(text);
    opevo_text printed = {0};
    opevo_value again;

    check_numbers(text);
    opevo_value_print(&printed, value);
    again = opevo_value_parse(opevo_text_string(&printed));
    FUZZ_CHECK(opevo_value_compare(again, value) == 0);
    opevo_text_clear(&printed);
    opevo_value_print_json(&printed, value);
    FUZZ_CHECK(printed.length > 0 && !printed.failed);
    opevo_text_free(&printed);
    free(text);
}
