/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON read by a table with a field of each kind: what is accepted is within the ranges of the
 * table, and what is refused is so with a sentence that names the text. */

#include "fuzz.h"

#include <opevo/json_read.h>

#include <stdlib.h>
#include <string.h>

typedef struct record {
    json_t *any, *object, *list, *texts;
    const char *text;
    bool flag;
    uint64_t whole;
    double number;
    unsigned word;
} record;

static const char *const words[] = {"left", "right", NULL};

static const opevo_json_field fields[] = {
    OPEVO_JSON_FIELD(record, any, ANY, .required = true),
    OPEVO_JSON_FIELD(record, object, OBJECT),
    OPEVO_JSON_FIELD(record, list, LIST, .least = 1, .most = 3),
    OPEVO_JSON_FIELD(record, texts, TEXTS, .least = 1),
    OPEVO_JSON_FIELD(record, text, TEXT, .least = 2, .most = 4),
    OPEVO_JSON_FIELD(record, flag, FLAG),
    OPEVO_JSON_FIELD(record, whole, WHOLE, .or_digits = true, .least = 3, .most = 0x1p63),
    OPEVO_JSON_FIELD(record, number, NUMBER, .is_open = true, .least = -2, .most = 7),
    OPEVO_JSON_FIELD(record, word, WORD, .words = words)};

static void check(const record *read)
{
    FUZZ_CHECK(read->any && (!read->object || json_is_object(read->object)));
    FUZZ_CHECK(!read->list || (json_array_size(read->list) - 1 < 3));
    for (size_t i = 0; i < opevo_json_text_count(read->texts); i++)
        FUZZ_CHECK(*opevo_json_text_at(read->texts, i));
    FUZZ_CHECK(!read->text || (strlen(read->text) >= 2 && strlen(read->text) <= 4));
    FUZZ_CHECK(read->whole >= 3 && read->whole <= (uint64_t)1 << 63);
    FUZZ_CHECK(read->number > -2 && read->number <= 7);
    FUZZ_CHECK(read->word < 2);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_json_reader whole = {.origin = "a.json"};
    record read = {.whole = 3};
    opevo_error err = {OPEVO_OK, ""};
    json_t *root = NULL;

    if (fuzz_accepts(opevo_json_parse("a.json", text, size, &root, &err), &err)) {
        whole.value = root;
        if (fuzz_accepts(
                opevo_json_read(&whole, fields, sizeof fields / sizeof *fields, &read, &err), &err))
            check(&read);
    }
    FUZZ_CHECK(err.status == OPEVO_OK || strncmp(err.message, "a.json:", 7) == 0);
    json_decref(root);
    free(text);
}
