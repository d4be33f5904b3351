/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Many thousand spoilt space files, and every allocation failing in turn. */

#include "space_file_checks.h"

#include <opevo/memory.h>

#include "draw.h"

/* ---- Spoilt files ---- */

static const char *const seeds[] = {
    "{\"n\": {\"_type\": \"factor\", \"_value\": [24, 3], \"_topology\": \"any-divisor\", "
    "\"_components\": [\"n1\", \"n2\", \"n3\"]}, \"s\": {\"_type\": \"discrete\", \"_value\": [1, "
    "2.5, 4]}, \"_constraints\": [\"n1 * s <= 24 && n[1] % (n2 + 1) != 3\", \"s == 1 ? n1 : n2 > "
    "1\"]}",
    "{\"m\": {\"_type\": \"choice\", \"_value\": [\"fp16\", true, 2, -3]}, \"o\": {\"_type\": "
    "\"permutation\", \"_value\": 3}, \"_dialect\": \"python\", \"_constraints\": [\"m == 'fp16' "
    "or "
    "0 <= o[0] < 2 and o[1] in (1, 2)\"]}",
    "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", \"Type\": \"int\", "
    "\"Values\": \"[2 * i for i in range(1, 9) if i % 3]\"}, {\"Name\": \"b\", \"Type\": "
    "\"string\", "
    "\"Values\": \"['x', 'y'] + ['z']\"}], \"Conditions\": [{\"Parameters\": [\"a\"], "
    "\"Expression\": \"4 <= a ** 2 // 3 and not b == 'x'\"}]}}",
};

static const char *const pieces[] = {
    "(",     ")",    "[",    "]",    "{",       "}",        "\"",
    "'",     "\\\"", ",",    ":",    "&&",      "||",       "and ",
    " not ", " in ", "**",   "//",   "<<",      "~",        "!",
    "?",     "0",    "9",    "-1",   "1e9",     "0x",       "n1",
    "n",     "s",    "m",    "o[0]", " for ",   " if ",     "range(",
    "min(",  "true", "null", "_",    "\\u0041", "\xc3\xa4", "999999999999",
};

/* Remove, double or insert something, one to three times. */
static void spoil(opevo_text *text, uint64_t *state)
{
    char copy[2048];

    for (uint64_t times = 1 + draw(state, 3); times > 0; times--) {
        size_t length = text->length, at = (size_t)draw(state, length + 1), size = 0;

        memcpy(copy, text->data, length + 1);
        size = (size_t)draw(state, 4) + 1;
        size = at + size > length ? length - at : size;
        opevo_text_clear(text);
        opevo_text_add_bytes(text, copy, at);
        switch (draw(state, 4)) {
        case 0:
            break; /* a few bytes are left out */
        case 1:
            opevo_text_add_bytes(text, copy + at, size);
            opevo_text_add_bytes(text, copy + at, size);
            break;
        case 2:
            opevo_text_printf(text, "%c", (int)(1 + draw(state, 127)));
            break;
        default:
            opevo_text_add(text, pieces[draw(state, sizeof pieces / sizeof *pieces)]);
            size = 0;
        }
        opevo_text_add_bytes(text, copy + at + size, length - at - size);
    }
}

/* None may crash or leak; what is still accepted is written, read and used, and a refusal has its
 * sentence. */
CHECK_TEST(test_spoilt_files)
{
    uint64_t random = 20240917;
    opevo_text text = {0};
    int64_t live = opevo_memory_live();
    size_t accepted = 0;

    for (int i = 0; i < 300000; i++) {
        opevo_space *space = NULL;
        opevo_error fault = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;
        opevo_text line = {0};

        opevo_text_clear(&text);
        opevo_text_add(&text, seeds[i % 3]);
        spoil(&text, &random);
        status = opevo_space_parse(opevo_text_string(&text), "spoilt", NULL, &space, &fault);
        if (status != OPEVO_OK) {
            assert_int_equal(fault.status, status);
            assert_true(strncmp(fault.message, "spoilt", 6) == 0);
            continue;
        }
        accepted++;
        if (i % 16 == 0) {
            opevo_index point = opevo_space_size(space) / 3, read = 0;

            opevo_space_allows(space, point);
            opevo_space_print(space, point, &line);
            CHECK_OK(opevo_space_read(space, opevo_text_string(&line), &read, &err));
            assert_true(read == point);
        }
        opevo_text_free(&line);
        opevo_space_destroy(space);
    }
    opevo_text_free(&text);
    assert_int_equal(opevo_memory_live(), live);
    assert_in_range(accepted, 3000, 200000);
}

/* Words in no order as a T1 list. */
CHECK_TEST(test_spoilt_lists)
{
    static const char *const words[] = {
        "[",     "]",  "[1, 2]", "[i", "for", "i",     "in",  "range(", "range(4)", "if",
        "i % 2", ")",  "(",      "+",  ",",   "list(", "'x'", "2 ** i", "7",        "[i for i in ",
        "'",     "]]", "not",
    };
    uint64_t random = 7;
    opevo_text values = {0};
    int64_t live = opevo_memory_live();
    size_t accepted = 0;

    for (int i = 0; i < 100000; i++) {
        opevo_space *space = NULL;
        opevo_error fault = {OPEVO_OK, ""};

        opevo_text_clear(&values);
        opevo_text_add(&values, draw(&random, 3) ? "[" : "");
        for (uint64_t n = draw(&random, 9); n > 0; n--)
            opevo_text_printf(&values, "%s ", words[draw(&random, sizeof words / sizeof *words)]);
        opevo_text_add(&values, draw(&random, 3) ? "]" : "");
        if (parse_t1("int", opevo_text_string(&values), "p < 4 or p in (4, 7)", &space, &fault) ==
            OPEVO_OK) {
            accepted++;
            opevo_space_destroy(space);
        } else {
            assert_true(strncmp(fault.message, "t1.json:", 8) == 0);
        }
    }
    opevo_text_free(&values);
    assert_int_equal(opevo_memory_live(), live);
    assert_in_range(accepted, 200, 50000);
}

/* ---- Memory ---- */

CHECK_TEST(test_allocation_failures)
{
    int64_t live = opevo_memory_live();

    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
            opevo_space *space = NULL;

            opevo_memory_fail_at(n);
            status = opevo_space_parse(seeds[i], "space.json", NULL, &space, NULL);
            if (status == OPEVO_OK)
                opevo_space_destroy(space);
            assert_int_equal(opevo_memory_live(), live);
            assert_true(n < 1000);
        }
        opevo_memory_fail_at(0);
        assert_int_equal(status, OPEVO_OK);
    }
}
