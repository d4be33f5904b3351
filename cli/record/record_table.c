/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NAME.csv, the table of a recording: opened, locked, gone on with, and added to. */

#include "record_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/landscape.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_BYTES_MAX ((size_t)1 << 30) /* what can be read as a landscape */

/* ---- Adding --------------------------------------------------------------------------------- */

void opevo_i_cli_record_count(opevo_i_cli_record_totals *totals, const opevo_outcome *outcome)
{
    totals->rows++;
    totals->by_class[outcome->kind]++;
    if (outcome->kind == OPEVO_OUTCOME_OK && outcome->fitness > totals->best_fitness) {
        totals->best_fitness = outcome->fitness;
        totals->best_time_s = outcome->time_s;
    }
}

static opevo_status append(opevo_i_cli_record *record, const opevo_text *text, opevo_error *err)
{
    if (!opevo_write_all(record->file, opevo_text_string(text), text->length) ||
        (fdatasync(record->file) < 0 && errno != EINVAL))
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", record->csv_path.data, strerror(errno));
    record->bytes += text->length;
    return OPEVO_OK;
}

/* Note what measures now beside what measured before. What is new is described before a row of it
 * is written, so that a process that is killed leaves no row of unknown origin. */
static opevo_status note_devices(opevo_i_cli_record *record, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text now = {0};
    size_t before = record->devices.length;

    opevo_live_print_devices(record->objective, &now);
    OPEVO_TRY(opevo_text_check(&now, err));
    opevo_i_cli_record_add_devices(record, opevo_text_string(&now));
    OPEVO_TRY(opevo_text_check(&record->devices, err));
    if (record->devices.length > before)
        OPEVO_TRY(opevo_i_cli_record_describe(record, false, err));
cleanup:
    opevo_text_free(&now);
    return status;
}

opevo_status opevo_i_cli_record_add(opevo_i_cli_record *record, const opevo_index *points,
                                    const opevo_outcome *outcomes, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text rows = {0};

    for (size_t i = 0; i < count; i++)
        opevo_recorded_add_row(record->objective, points[i], &outcomes[i], &rows);
    OPEVO_TRY(opevo_text_check(&rows, err));
    OPEVO_TRY(note_devices(record, err));
    OPEVO_TRY(append(record, &rows, err));
    OPEVO_TRY(opevo_i_cli_record_check_place(record, err));
    for (size_t i = 0; i < count; i++) {
        opevo_i_cli_record_count(&record->asked, &outcomes[i]);
        opevo_i_cli_record_count(&record->table, &outcomes[i]);
    }
cleanup:
    opevo_text_free(&rows);
    return status;
}

/* ---- Opening -------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_record_name(opevo_i_cli_record *record, const char *path, opevo_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(path);

    if (!*name || (length > 4 && !strcmp(path + length - 4, ".csv")) ||
        (length > 5 && !strcmp(path + length - 5, ".json")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--out %s: give a name without a suffix; NAME.csv and NAME.json are "
                          "written.",
                          path);
    opevo_text_add(&record->name, name);
    opevo_text_printf(&record->csv_path, "%s.csv", path);
    opevo_text_printf(&record->json_path, "%s.json", path);
    return opevo_text_check(&record->csv_path, err) == OPEVO_OK &&
                   opevo_text_check(&record->name, err) == OPEVO_OK
               ? opevo_text_check(&record->json_path, err)
               : OPEVO_NOMEM;
}

/* A table that was compressed would be hidden by a new one of its name. */
static opevo_status refuse_compressed(const opevo_i_cli_record *record, opevo_error *err)
{
    static const char *const endings[] = {".xz", ".gz"};
    opevo_status status = OPEVO_OK;
    opevo_text packed = {0};

    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == OPEVO_OK; i++) {
        opevo_text_clear(&packed);
        opevo_text_printf(&packed, "%s%s", record->csv_path.data, endings[i]);
        status = opevo_text_check(&packed, err);
        if (status == OPEVO_OK && access(packed.data, F_OK) == 0)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s exists: unpack it to continue, or record to another name.",
                                packed.data);
    }
    opevo_text_free(&packed);
    return status;
}

/* Open and lock NAME.csv, and make it when absent; what it is to hold is known by then. */
static opevo_status open_table(opevo_i_cli_record *record, opevo_error *err)
{
    const char *path = record->csv_path.data;
    struct stat info;

    record->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (record->file < 0 || fstat(record->file, &info) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a regular file; record to another name.",
                          path);
    if (flock(record->file, LOCK_EX | LOCK_NB) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path,
                          errno == EWOULDBLOCK ? "another process is recording to it"
                                               : strerror(errno));
    return OPEVO_OK;
}

/* Whether the table is one of this space, by its first line, and how much of it is whole rows;
 * *rows counts them, the first line not included. A process may have been killed while it wrote any
 * line, also the first. */
static opevo_status measure_table(const opevo_i_cli_record *record, const opevo_text *head,
                                  size_t *whole, size_t *size, size_t *rows, opevo_error *err)
{
    const char *path = record->csv_path.data;
    char *data = NULL;
    opevo_status status = opevo_file_read(path, TABLE_BYTES_MAX, &data, size, err);
    size_t compared = 0;

    if (status != OPEVO_OK)
        return status;
    compared = *size < head->length ? *size : head->length;
    if (memcmp(data, head->data, compared) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s is not a recording of %s: its first line does not name the columns "
                            "of one; record to another name.",
                            path, record->objective->name);
    *whole = *size < head->length ? 0 : head->length;
    *rows = 0;
    while (*whole > 0) {
        const char *end = opevo_csv_row_end(data + *whole, data + *size, NULL);

        if (!end)
            break;
        *whole = (size_t)(end - data);
        ++*rows;
    }
    opevo_free(data);
    return status;
}

/* The rows that are there, as a landscape, and their totals. */
static opevo_status open_earlier(opevo_i_cli_record *record, opevo_error *err)
{
    json_t *described = NULL;
    const char *devices = NULL;
    opevo_status status = opevo_recorded_open(record->csv_path.data, NULL, &record->earlier, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < opevo_recorded_rows(record->earlier); i++) {
        opevo_index point = opevo_recorded_point(record->earlier, i);
        opevo_outcome outcome;

        OPEVO_TRY(opevo_objective_evaluate(record->earlier, &point, 1, &outcome, err));
        opevo_i_cli_record_count(&record->table, &outcome);
    }
    described = json_load_file(opevo_text_string(&record->json_path), 0, NULL);
    devices = json_string_value(json_object_get(described, "device"));
    opevo_text_add(&record->devices, devices ? devices : "");
    record->program = opevo_i_cli_record_program(described);
    json_decref(described);
cleanup:
    return status;
}

/* Begin the table, or take away a last row that was cut and go on behind it. */
static opevo_status open_rows(opevo_i_cli_record *record, const opevo_text *head, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t whole = 0;
    size_t size = 0;
    size_t rows = 0;

    OPEVO_TRY(measure_table(record, head, &whole, &size, &rows, err));
    if (whole < size && ftruncate(record->file, (off_t)whole) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", record->csv_path.data, strerror(errno));
    record->bytes = whole;
    if (whole == 0)
        OPEVO_TRY(append(record, head, err));
    if (rows > 0 && access(record->json_path.data, F_OK) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has rows, but its description %s is missing; record to another name.",
                          record->csv_path.data, record->json_path.data);
    if (rows > 0)
        OPEVO_TRY(open_earlier(record, err));
    /* Totals stop being true with the next row. */
    OPEVO_TRY(opevo_i_cli_record_describe(record, false, err));
cleanup:
    return status;
}

opevo_status opevo_i_cli_record_open(const char *path, const opevo_objective *objective,
                                     const opevo_i_cli_record_share *share, opevo_i_cli_record *out,
                                     opevo_error *err)
{
    opevo_i_cli_record record = {.objective = objective, .share = *share, .file = -1};
    opevo_status status = OPEVO_OK;
    opevo_text head = {0};

    OPEVO_TRY(opevo_i_cli_record_name(&record, path, err));
    OPEVO_TRY(opevo_recorded_add_columns(objective, &head, err));
    OPEVO_TRY(
        opevo_i_cli_record_check(opevo_text_string(&record.json_path), objective, share, err));
    OPEVO_TRY(refuse_compressed(&record, err));
    OPEVO_TRY(open_table(&record, err));
    OPEVO_TRY(
        opevo_i_cli_record_check(opevo_text_string(&record.json_path), objective, share, err));
    OPEVO_TRY(open_rows(&record, &head, err));
    *out = record;
cleanup:
    opevo_text_free(&head);
    if (status != OPEVO_OK)
        opevo_i_cli_record_close(&record);
    return status;
}

opevo_status opevo_i_cli_record_has(opevo_i_cli_record *record, opevo_index point, bool *has,
                                    opevo_error *err)
{
    opevo_outcome outcome;
    opevo_status status = OPEVO_OK;

    *has = false;
    if (!record->earlier)
        return OPEVO_OK;
    status = opevo_objective_evaluate(record->earlier, &point, 1, &outcome, err);
    if (status != OPEVO_OK || outcome.kind == OPEVO_OUTCOME_UNRECORDED)
        return status;
    *has = true;
    opevo_i_cli_record_count(&record->asked, &outcome);
    return OPEVO_OK;
}

void opevo_i_cli_record_close(opevo_i_cli_record *record)
{
    opevo_objective_destroy(record->earlier);
    if (record->file >= 0)
        close(record->file);
    opevo_text_free(&record->csv_path);
    opevo_text_free(&record->json_path);
    opevo_text_free(&record->name);
    opevo_text_free(&record->devices);
    *record = (opevo_i_cli_record){.file = -1};
}
