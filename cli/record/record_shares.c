/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shares of a recording, and joining them. Rows are joined as they are written, and put in the
 * order in which one process would have taken the points, so that nothing says that there were
 * several. */

#include "record_internal.h"

#include <opevo/file.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TABLE_BYTES_MAX ((size_t)1 << 30)
#define ENDING ".csv"

/* A table that is joined. */
typedef struct source {
    const char *csv;   /* its path, borrowed */
    json_t *described; /* what stands beside it */
    opevo_objective *rows;
    char *text;
    size_t size;
} source;

typedef struct row {
    size_t place; /* in the order of the points */
    const char *at;
    size_t length;
} row;

typedef struct joining {
    opevo_i_cli_record record;
    opevo_i_cli_record_share share; /* of the first; the others are of the same points */
    opevo_objective objective;      /* what was recorded; nothing can be evaluated */
    json_t *first;                  /* description of it, borrowed */
    opevo_index *points;
    opevo_index_map *places; /* point -> number among the points */
    size_t count;
    bool *has; /* of each point */
    row *rows;
    size_t row_count, row_capacity;
    source *sources;
    size_t source_count;
} joining;

/* ---- Names ---------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_record_share_name(const char *path, opevo_shard shard, opevo_text *out,
                                           opevo_error *err)
{
    opevo_text table = {0};

    opevo_text_printf(&table, "%s" ENDING, path);
    opevo_i_cli_shard_path(opevo_text_string(&table), shard, out);
    if (!table.failed && out->length > strlen(ENDING))
        out->data[out->length -= strlen(ENDING)] = '\0';
    opevo_text_free(&table);
    return opevo_text_check(out, err);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void close_source(source *self)
{
    json_decref(self->described);
    opevo_objective_destroy(self->rows);
    opevo_free(self->text);
}

/* NAME.json of NAME.csv. */
static opevo_status read_beside(source *self, opevo_error *err)
{
    size_t length = strlen(self->csv);
    opevo_text json = {0};
    opevo_status status = OPEVO_OK;

    if (length <= strlen(ENDING) || strcmp(self->csv + length - strlen(ENDING), ENDING) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: give the .csv file of a share.", self->csv);
    opevo_text_printf(&json, "%.*s.json", (int)(length - strlen(ENDING)), self->csv);
    status = opevo_text_check(&json, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_record_read_description(json.data, &self->described, err);
    opevo_text_free(&json);
    return status;
}

static opevo_status open_source(source *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_beside(self, err));
    OPEVO_TRY(opevo_file_read(self->csv, TABLE_BYTES_MAX, &self->text, &self->size, err));
    if (!self->size || self->text[self->size - 1] != '\n')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: its last row is cut: repeat the command that records it.",
                          self->csv);
    OPEVO_TRY(opevo_recorded_open(self->csv, NULL, &self->rows, err));
cleanup:
    return status;
}

/* Whether both descriptions are of the same points of the same objective. */
static opevo_status compare(const joining *self, const source *other, bool is_share,
                            opevo_error *err)
{
    static const char *const members[] = {
        "objective", "objective_signature", "unit", "space", "columns", "criteria", "program_hash"};
    opevo_i_cli_record_share share = opevo_i_cli_record_share_of(other->described);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *a = json_object_get(self->first, members[i]);
        const json_t *b = json_object_get(other->described, members[i]);

        if (a != b && !json_equal(a, b))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s is not of the same recording as %s: their descriptions differ in "
                              "\"%s\".",
                              other->csv, self->sources[0].csv, members[i]);
    }
    if (!is_share)
        return OPEVO_OK;
    if (share.shard.count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a share of a recording.", other->csv);
    if (share.shard.count != self->share.shard.count || share.seed != self->share.seed ||
        share.sample != self->share.sample)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is a share of other points than %s: one of %u with seed %llu and "
                          "sample %llu, not of %u with seed %llu and sample %llu (0: all).",
                          other->csv, self->sources[0].csv, (unsigned)share.shard.count,
                          (unsigned long long)share.seed, (unsigned long long)share.sample,
                          (unsigned)self->share.shard.count, (unsigned long long)self->share.seed,
                          (unsigned long long)self->share.sample);
    return OPEVO_OK;
}

/* What the description says that was recorded. */
static opevo_status learn(joining *self, opevo_error *err)
{
    const source *first = &self->sources[0];
    const char *signature =
        json_string_value(json_object_get(first->described, "objective_signature"));
    const char *unit = json_string_value(json_object_get(first->described, "unit"));

    self->first = first->described;
    self->share = opevo_i_cli_record_share_of(self->first);
    self->objective =
        (opevo_objective){.space = first->rows->space,
                          .name = json_string_value(json_object_get(self->first, "objective")),
                          .unit = unit ? unit : first->rows->unit,
                          .flop = json_number_value(json_object_get(self->first, "flop_per_run")),
                          .signature = strtoull(signature, NULL, 16),
                          .program = opevo_i_cli_record_program(self->first),
                          .criteria = first->rows->criteria,
                          .more_count = first->rows->more_count};
    self->record.objective = &self->objective;
    return compare(self, first, true, err);
}

static opevo_status list_points(joining *self, opevo_error *err)
{
    opevo_status status = opevo_i_cli_record_points(self->objective.space, &self->share,
                                                    &self->points, &self->count, err);
    bool good = true;

    if (status != OPEVO_OK)
        return status;
    self->places = opevo_index_map_create();
    self->has = opevo_calloc(self->count, sizeof *self->has);
    good = self->places && self->has;
    for (size_t i = 0; i < self->count && good; i++)
        good = opevo_index_map_put(self->places, self->points[i], i);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu points.", self->count);
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Rows of points that are not asked for, which NAME may have, come last. */
static opevo_status add_row(joining *self, const source *from, size_t number, const char *at,
                            const char *end, opevo_error *err)
{
    opevo_index point = opevo_recorded_point(from->rows, number);
    opevo_outcome outcome;
    uint64_t place = self->count + self->row_count;
    bool asked = opevo_index_map_get(self->places, point, &place);
    opevo_status status = OPEVO_OK;

    if (asked && self->has[place])
        return OPEVO_OK;
    OPEVO_TRY(opevo_objective_evaluate(from->rows, &point, 1, &outcome, err));
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->rows, &self->row_capacity,
                                       self->row_count + 1, sizeof *self->rows),
                         "%zu rows", self->row_count + 1);
    self->rows[self->row_count++] = (row){(size_t)place, at, (size_t)(end - at)};
    opevo_i_cli_record_count(&self->record.table, &outcome);
    if (asked) {
        self->has[place] = true;
        opevo_i_cli_record_count(&self->record.asked, &outcome);
    }
cleanup:
    return status;
}

static opevo_status add_rows(joining *self, const source *from, opevo_error *err)
{
    const char *devices = json_string_value(json_object_get(from->described, "device"));
    char *end = from->text + from->size;
    char *at = opevo_csv_row_end(from->text, end, NULL);
    size_t number = 0;
    opevo_status status = OPEVO_OK;

    opevo_i_cli_record_add_devices(&self->record, devices ? devices : "");
    for (char *next = NULL; at && at < end; at = next, number++) {
        next = opevo_csv_row_end(at, end, NULL);
        if (!next || number == opevo_recorded_rows(from->rows))
            break;
        OPEVO_TRY(add_row(self, from, number, at, next, err));
    }
    if (number != opevo_recorded_rows(from->rows))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: changed while it was read.", from->csv);
cleanup:
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    size_t first = ((const row *)a)->place;
    size_t second = ((const row *)b)->place;

    return (first > second) - (first < second);
}

static opevo_status write_all(joining *self, opevo_error *err)
{
    const source *first = &self->sources[0];
    const char *rows = opevo_csv_row_end(first->text, first->text + first->size, NULL);
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (self->row_count)
        qsort(self->rows, self->row_count, sizeof *self->rows, compare_rows);
    opevo_text_add_bytes(&text, first->text, rows ? (size_t)(rows - first->text) : first->size);
    for (size_t i = 0; i < self->row_count; i++)
        opevo_text_add_bytes(&text, self->rows[i].at, self->rows[i].length);
    OPEVO_TRY(opevo_text_check(&text, err));
    OPEVO_TRY(opevo_text_check(&self->record.devices, err));
    /* Totals stop being true with another row. */
    OPEVO_TRY(opevo_i_cli_record_describe(&self->record, false, err));
    OPEVO_TRY(opevo_file_write(self->record.csv_path.data, text.data, text.length, err));
    OPEVO_TRY(opevo_i_cli_record_describe(&self->record, true, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

/* ---- The call ------------------------------------------------------------------------------- */

/* Nobody else may record to NAME meanwhile; the lock ends with the record. */
static opevo_status lock(joining *self, opevo_error *err)
{
    const char *path = self->record.csv_path.data;

    self->record.file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (self->record.file < 0 || flock(self->record.file, LOCK_EX | LOCK_NB) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path,
                          errno == EWOULDBLOCK ? "another process is recording to it"
                                               : strerror(errno));
    return OPEVO_OK;
}

/* The shares, and behind them NAME where it is there. */
static opevo_status open_sources(joining *self, const char *const *paths, size_t count,
                                 opevo_error *err)
{
    const char *own = self->record.csv_path.data;
    bool exists = access(own, F_OK) == 0;
    opevo_status status = OPEVO_OK;

    self->sources = opevo_calloc(count + 1, sizeof *self->sources);
    OPEVO_NEED_OR_RETURN(self->sources, "%zu shares", count);
    if (exists)
        OPEVO_TRY(lock(self, err));
    for (size_t i = 0; i < count + exists; i++) {
        source *one = &self->sources[self->source_count++];

        one->csv = i < count ? paths[i] : own;
        OPEVO_TRY(open_source(one, err));
        OPEVO_TRY(i == 0 ? learn(self, err) : compare(self, one, i < count, err));
    }
cleanup:
    return status;
}

static void summarise(joining *self, size_t shares, opevo_i_cli_record_merged *out)
{
    opevo_text_add(&out->name, self->objective.name);
    out->shares = shares;
    out->points = self->count;
    out->totals = self->record.asked;
    out->present = (size_t)self->record.asked.rows;
    for (size_t i = self->count; i-- > 0;) {
        if (!self->has[i])
            out->missing =
                (opevo_shard){(uint32_t)(i % self->share.shard.count), self->share.shard.count};
    }
}

static opevo_status join(joining *self, const char *const *paths, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(open_sources(self, paths, count, err));
    OPEVO_TRY(list_points(self, err));
    /* What NAME has stays as it is. */
    for (size_t i = self->source_count; i-- > 0;)
        OPEVO_TRY(add_rows(self, &self->sources[i], err));
    OPEVO_TRY(write_all(self, err));
cleanup:
    return status;
}

opevo_status opevo_i_cli_record_merge(const char *path, const char *const *shares, size_t count,
                                      opevo_i_cli_record_merged *out, opevo_error *err)
{
    joining self = {.record = {.file = -1, .share = {.shard = {0, 1}}}};
    opevo_i_cli_paths found = {NULL, 0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_record_name(&self.record, path, err));
    if (count == 0) {
        OPEVO_TRY(opevo_i_cli_shards_find(self.record.csv_path.data, &found, err));
        shares = (const char *const *)found.items;
        count = found.count;
    }
    if (count == 0) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "No shares such as %s.1-of-8.csv were found.", path);
        goto cleanup;
    }
    OPEVO_TRY(join(&self, shares, count, err));
    summarise(&self, count, out);
    status = opevo_text_check(&out->name, err);
cleanup:
    for (size_t i = 0; i < self.source_count; i++)
        close_source(&self.sources[i]);
    opevo_free(self.sources);
    opevo_free(self.points);
    opevo_free(self.has);
    opevo_free(self.rows);
    opevo_index_map_destroy(self.places);
    self.record.objective = NULL;
    opevo_i_cli_record_close(&self.record);
    opevo_i_cli_paths_free(&found);
    return status;
}
