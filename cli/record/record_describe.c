/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NAME.json, the description of a recording: written, and read of one that is there. */

#include "criteria_of_call_internal.h"
#include "manifest_of_call_internal.h"
#include "record_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/unit.h>
#include <opevo/version.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATOR "; " /* between devices */

/* Length of the first of some devices; the rest is moved on to the next. */
static size_t next_device(const char **rest)
{
    const char *device = *rest;
    const char *end = strstr(device, SEPARATOR);
    size_t length = end ? (size_t)(end - device) : strlen(device);

    *rest = end ? end + strlen(SEPARATOR) : device + length;
    return length;
}

static bool has_device(const opevo_i_cli_record *record, const char *device, size_t length)
{
    const char *rest = opevo_text_string(&record->devices);

    while (*rest) {
        const char *other = rest;

        if (next_device(&rest) == length && !memcmp(other, device, length))
            return true;
    }
    return false;
}

void opevo_i_cli_record_add_devices(opevo_i_cli_record *record, const char *devices)
{
    while (*devices) {
        const char *device = devices;
        size_t length = next_device(&devices);

        if (!has_device(record, device, length))
            opevo_text_printf(&record->devices, "%s%.*s", record->devices.length ? SEPARATOR : "",
                              (int)length, device);
    }
}

static opevo_status add_json_columns(const opevo_i_cli_record *record, opevo_text *out,
                                     opevo_error *err)
{
    const opevo_objective *objective = record->objective;
    opevo_text head = {0};
    opevo_status status = opevo_recorded_add_columns(objective, &head, err);

    opevo_json_open(out, "columns", "[");
    for (char *at = head.data, *end = at; status == OPEVO_OK && *at; at = end) {
        end += strcspn(end, ",\n");
        *end++ = '\0';
        opevo_json_next(out, " ");
        opevo_text_add_json(out, at);
    }
    opevo_text_add(out, "]");
    opevo_text_free(&head);
    return status;
}

/* The criteria; left out of an objective without. */
static void add_json_criteria(const opevo_objective *objective, opevo_text *out)
{
    if (objective->more_count == 0)
        return;
    opevo_json_key(out, "criteria");
    opevo_i_cli_json_criteria(objective->criteria, objective->more_count, out);
}

static void add_totals(const opevo_i_cli_record *record, opevo_text *out)
{
    const opevo_i_cli_record_totals *totals = &record->table;

    opevo_json_index(out, "rows", totals->rows);
    opevo_json_index(out, "valid", totals->by_class[OPEVO_OUTCOME_OK]);
    opevo_json_open(out, "status_counts", "{");
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        if (totals->by_class[i])
            opevo_json_index(out, opevo_recorded_status((opevo_outcome_class)i),
                             totals->by_class[i]);
    }
    opevo_text_add(out, "}");
    if (!(totals->best_fitness > 0))
        return;
    opevo_json_open(out, "best", "{");
    opevo_json_double(out, "time_ms", 1e3 * totals->best_time_s);
    if (!strcmp(opevo_unit_of_fitness(record->objective->unit), "GFLOP/s"))
        opevo_json_double(out, "gflops", totals->best_fitness);
    opevo_text_add(out, "}");
}

/* What the rows are, so that a changed one is found. */
static opevo_status add_table_hash(const opevo_i_cli_record *record, opevo_text *out,
                                   opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    opevo_status status = opevo_sha256_file(opevo_text_string(&record->csv_path), hash, err);

    opevo_json_string(out, "table_sha256", hash);
    return status;
}

/* The seed may be more than numbers of JSON are read to. */
static void add_share(const opevo_i_cli_record_share *share, opevo_text *out)
{
    char seed[24];

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)share->seed);
    opevo_json_open(out, "share", "{");
    opevo_json_index(out, "number", share->shard.index + 1);
    opevo_json_index(out, "of", share->shard.count);
    opevo_json_string(out, "seed", seed);
    opevo_json_index(out, "sample", share->sample);
    opevo_text_add(out, "}");
}

opevo_status opevo_i_cli_record_describe(const opevo_i_cli_record *record, bool finished,
                                         opevo_error *err)
{
    const opevo_objective *objective = record->objective;
    uint64_t program = objective->program ? objective->program : record->program;
    opevo_status status = OPEVO_OK;
    opevo_text out = {0};
    char signature[20];

    opevo_text_add(&out, "{");
    opevo_json_string(&out, "format", "tuning-landscape 1");
    opevo_json_string(&out, "name", opevo_text_string(&record->name));
    opevo_json_string(&out, "objective", objective->name);
    opevo_json_string(&out, "unit", objective->unit);
    opevo_json_string(&out, "program", "opevo " OPEVO_VERSION);
    opevo_i_cli_record_print_signature(objective->signature, signature);
    opevo_json_string(&out, "objective_signature", signature);
    opevo_i_cli_record_print_signature(program, signature);
    if (program)
        opevo_json_string(&out, "program_hash", signature);
    if (record->devices.length)
        opevo_json_string(&out, "device", record->devices.data);
    if (objective->flop > 0)
        opevo_json_double(&out, "flop_per_run", objective->flop);
    if (record->share.shard.count > 1)
        add_share(&record->share, &out);
    opevo_json_key(&out, "space");
    opevo_space_write_json(objective->space, &out);
    OPEVO_TRY(add_json_columns(record, &out, err));
    add_json_criteria(objective, &out);
    if (finished)
        add_totals(record, &out);
    if (finished)
        OPEVO_TRY(add_table_hash(record, &out, err));
    opevo_text_add(&out, "}\n");
    OPEVO_TRY(opevo_i_cli_manifest_add(&out, err));
    OPEVO_TRY(opevo_file_write(opevo_text_string(&record->json_path), out.data, out.length, err));
cleanup:
    opevo_text_free(&out);
    return status;
}

#define DESCRIPTION_BYTES_MAX ((size_t)256 << 20) /* of a landscape's JSON */

opevo_status opevo_i_cli_record_read_description(const char *path, json_t **out, opevo_error *err)
{
    char *text = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, DESCRIPTION_BYTES_MAX, &text, &size, err);
    const char *format = NULL;

    if (status != OPEVO_OK)
        return status;
    *out = json_loadb(text, size, 0, NULL);
    opevo_free(text);
    format = json_string_value(json_object_get(*out, "format"));
    if (format && !strcmp(format, "tuning-landscape 1") &&
        json_is_string(json_object_get(*out, "objective")) &&
        json_is_string(json_object_get(*out, "objective_signature")))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s was not written by opevo record; record to another name.", path);
}

void opevo_i_cli_record_print_signature(uint64_t signature, char out[20])
{
    snprintf(out, 20, "%016llx", (unsigned long long)signature);
}

uint64_t opevo_i_cli_record_program(const json_t *described)
{
    const char *hash = json_string_value(json_object_get(described, "program_hash"));

    return hash ? strtoull(hash, NULL, 16) : 0;
}

opevo_i_cli_record_share opevo_i_cli_record_share_of(const json_t *described)
{
    const json_t *share = json_object_get(described, "share");
    const char *seed = json_string_value(json_object_get(share, "seed"));
    json_int_t number = json_integer_value(json_object_get(share, "number"));
    json_int_t of = json_integer_value(json_object_get(share, "of"));
    json_int_t sample = json_integer_value(json_object_get(share, "sample"));
    opevo_i_cli_record_share out = {.shard = {0, 1}};

    if (of < 2 || of > UINT32_MAX || number < 1 || number > of || sample < 0 || !seed ||
        !opevo_parse_u64(seed, &out.seed))
        return out;
    out.shard = (opevo_shard){(uint32_t)number - 1, (uint32_t)of};
    out.sample = (uint64_t)sample;
    return out;
}
