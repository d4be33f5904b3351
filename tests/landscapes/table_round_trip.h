/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is written is read: a space with any values, and a row for each of its points, through the
 * writer of tables and back through their reader, without a file. For tests, and for fuzz targets,
 * which hand over any bytes. */

#ifndef OPEVO_TESTS_TABLE_ROUND_TRIP_H
#define OPEVO_TESTS_TABLE_ROUND_TRIP_H

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { ROUND_TRIP_VALUES = 12, ROUND_TRIP_TEXT = 200 };

typedef struct round_trip_values {
    opevo_value items[ROUND_TRIP_VALUES];
    char texts[ROUND_TRIP_VALUES][ROUND_TRIP_TEXT + 1];
    size_t count;
} round_trip_values;

/* Values out of bytes: the first byte of each says its kind, the next ones up to a zero byte are
 * the text, or an integer. Texts that are not UTF-8 cannot stand in a JSON file and are left
 * out. */
static inline void round_trip_values_of(const unsigned char *data, size_t size,
                                        round_trip_values *out)
{
    const unsigned char *end = data + size;

    out->count = 0;
    while (data < end && out->count < ROUND_TRIP_VALUES) {
        unsigned kind = *data++ % 8;
        const unsigned char *stop = memchr(data, 0, (size_t)(end - data));
        size_t length = (size_t)((stop ? stop : end) - data);
        char *text = out->texts[out->count];
        opevo_value *value = &out->items[out->count];
        int64_t integer = 0;
        json_t *json = NULL;

        memcpy(text, data, length < ROUND_TRIP_TEXT ? length : ROUND_TRIP_TEXT);
        text[length < ROUND_TRIP_TEXT ? length : ROUND_TRIP_TEXT] = '\0';
        data = stop ? stop + 1 : end;
        memcpy(&integer, text, strlen(text) < sizeof integer ? strlen(text) : sizeof integer);
        if (kind == 0) {
            *value = opevo_value_of_integer(integer);
        } else if (kind == 1) {
            *value = (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = (double)integer / 7}};
        } else if (kind == 2) {
            *value = (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = integer & 1}};
        } else {
            json = json_string(text);
            if (!json)
                continue;
            json_decref(json);
            *value = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};
        }
        out->count++;
    }
}

static inline opevo_outcome round_trip_outcome(size_t point, const char *message)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_BUILD_ERROR);

    if (point % 3 != 2)
        outcome = (opevo_outcome){.kind = OPEVO_OUTCOME_OK, .time_s = 0.25 + (double)point};
    outcome.fitness = outcome.kind == OPEVO_OUTCOME_OK ? 1 / outcome.time_s : 0;
    outcome.message = message;
    return outcome;
}

/* NULL when the space cannot be made: a value appears twice, or there is none. */
static inline opevo_space *round_trip_space(const round_trip_values *values)
{
    opevo_value product[2] = {opevo_value_of_integer(4), opevo_value_of_integer(2)};
    opevo_parameter_spec specs[2] = {
        {.name = "F", .type = "factor", .values = product, .value_count = 2},
        {.name = "V",
         .type = "categorical",
         .values = values->items,
         .value_count = values->count}};
    opevo_parameter *parameters[2] = {NULL, NULL};
    opevo_space *space = NULL;

    if (opevo_parameter_create(&specs[0], &parameters[0], NULL) != OPEVO_OK ||
        opevo_parameter_create(&specs[1], &parameters[1], NULL) != OPEVO_OK ||
        opevo_space_create(parameters, 2, NULL, 0, OPEVO_DIALECT_C, "t", &space, NULL) !=
            OPEVO_OK) {
        opevo_parameter_destroy(parameters[0]);
        opevo_parameter_destroy(parameters[1]);
    }
    return space;
}

static inline const char *round_trip_compare(const opevo_i_landscape_recording *recording,
                                             const opevo_space *space)
{
    if (opevo_space_signature(recording->described.space) != opevo_space_signature(space))
        return "another space was read";
    if (opevo_i_row_store_count(recording->rows) != (size_t)opevo_space_size(space))
        return "another number of rows was read";
    for (size_t i = 0; i < opevo_i_row_store_count(recording->rows); i++) {
        opevo_outcome outcome = round_trip_outcome(i, NULL);
        opevo_i_landscape_row row = opevo_i_row_store_get(recording->rows, i);

        if (opevo_i_row_store_point(recording->rows, i) != i)
            return "another point was read";
        if (row.kind != outcome.kind || row.fitness != outcome.fitness ||
            (row.kind == OPEVO_OUTCOME_OK && row.time_s != outcome.time_s))
            return "another outcome was read";
    }
    return NULL;
}

/* NULL where what is read is what was written, or the bytes make no space; otherwise what is wrong,
 * with err->message where the reader refused. */
static inline const char *table_round_trip(const unsigned char *data, size_t size, opevo_error *err)
{
    const char *wrong = "it cannot be read";
    round_trip_values values;
    opevo_space *space = NULL;
    opevo_text table_text = {0}, description = {0};
    opevo_i_landscape_table table = {0};
    opevo_i_landscape_recording recording = {0};
    opevo_i_landscape_table_facts facts = {0};
    opevo_objective objective = {.unit = "1/s"};
    json_t *root = NULL;

    round_trip_values_of(data, size, &values);
    space = round_trip_space(&values);
    if (!space)
        return NULL;
    objective.space = space;
    opevo_text_add(&description, "{\"format\": \"tuning-landscape 1\", \"space\": ");
    opevo_space_write_json(space, &description);
    opevo_text_add(&description, "}");
    if (opevo_recorded_add_columns(&objective, &table_text, err) != OPEVO_OK)
        goto cleanup;
    for (size_t i = 0; i < (size_t)opevo_space_size(space); i++) {
        const opevo_value *last = &values.items[values.count - 1];
        opevo_outcome outcome =
            round_trip_outcome(i, last->kind == OPEVO_VALUE_TEXT ? last->as.text : NULL);

        opevo_recorded_add_row(&objective, i, &outcome, &table_text);
    }
    if (opevo_i_landscape_json_parse("t.json", description.data, description.length, &root, err) !=
            OPEVO_OK ||
        opevo_i_landscape_table_open("t.csv", table_text.data, table_text.length, &table, err) !=
            OPEVO_OK ||
        opevo_i_landscape_described_table_read(&recording, &table, root, "t.json", NULL, &facts,
                                               err) != OPEVO_OK)
        goto cleanup;
    wrong = round_trip_compare(&recording, space);
cleanup:
    if (table.text)
        table_text.data = NULL; /* the table owns it */
    opevo_i_landscape_recording_clear(&recording);
    opevo_i_landscape_table_close(&table);
    json_decref(root);
    opevo_text_free(&table_text);
    opevo_text_free(&description);
    opevo_space_destroy(space);
    return wrong;
}

#endif
