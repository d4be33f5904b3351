/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Unpacking the trials of a whole run. Every byte is checked before it is believed. */

#include "store_packed_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool get_count(opevo_i_store_bytes *self, opevo_index limit, opevo_index *out)
{
    opevo_index value = 0;

    for (unsigned shift = 0; self->at < self->size && shift < 128; shift += 7) {
        unsigned char byte = self->data[self->at++];
        opevo_index part = byte & 0x7f;

        if (part << shift >> shift != part)
            return false;
        value |= part << shift;
        if (!(byte & 0x80)) {
            *out = value;
            return value <= limit;
        }
    }
    return false;
}

static bool get_double(opevo_i_store_bytes *self, double *out)
{
    uint64_t bits = 0;

    if (self->size - self->at < 8)
        return false;
    for (size_t k = 0; k < 8; k++)
        bits |= (uint64_t)self->data[self->at++] << (8 * k);
    memcpy(out, &bits, sizeof *out);
    return true;
}

/* The class of the outcome; the bits of the criteria stand above it. */
static opevo_outcome_class get_kind(unsigned tag)
{
    unsigned bits = tag & ((1U << OPEVO_I_CRITERIA_SHIFT) - 1);

    return (opevo_outcome_class)(bits >> OPEVO_I_KIND_SHIFT);
}

/* The six numbers of an outcome, as far as the tag says that they are there. */
static bool get_numbers(opevo_i_store_bytes *self, unsigned tag, opevo_outcome *outcome)
{
    double numbers[OPEVO_I_NUMBER_COUNT] = {0, NAN, 0, 0, 0, 0};

    for (int i = 0; i < OPEVO_I_NUMBER_COUNT; i++) {
        if (tag & 1U << i && !get_double(self, &numbers[i]))
            return false;
        if (i != 1 && !(numbers[i] >= 0 && isfinite(numbers[i])))
            return false;
    }
    *outcome = (opevo_outcome){.kind = get_kind(tag),
                               .fitness = numbers[0],
                               .time_s = numbers[1],
                               .build_s = numbers[2],
                               .run_s = numbers[3],
                               .check_s = numbers[4],
                               .other_s = numbers[5]};
    return true;
}

static bool get_criteria(opevo_i_store_bytes *self, unsigned tag, opevo_outcome *outcome)
{
    for (int i = 0; i < OPEVO_CRITERIA_MOST - 1; i++) {
        outcome->more[i] = NAN;
        if (tag & 1U << (OPEVO_I_CRITERIA_SHIFT + i) &&
            !(get_double(self, &outcome->more[i]) && isfinite(outcome->more[i])))
            return false;
    }
    return true;
}

/* Which of `strings`, or the bytes that stand in place where these are NULL. */
static bool get_message(opevo_i_store_bytes *self, const char *const *strings, size_t string_count,
                        opevo_i_store_details *details)
{
    opevo_index count = 0;

    if (!get_count(self, self->size, &count))
        return false;
    if (strings && count >= string_count)
        return false;
    if (!strings && count > self->size - self->at)
        return false;
    details->message = strings ? strings[count] : (const char *)self->data + self->at;
    details->message_length = strings ? strlen(details->message) : (size_t)count;
    self->at += strings ? 0 : (size_t)count;
    return true;
}

/* An outcome; its message is one of `strings`, or stands in place where these are NULL. */
static bool get_outcome(opevo_i_store_bytes *self, const char *const *strings, size_t string_count,
                        opevo_outcome *outcome, opevo_i_store_details *details)
{
    opevo_index tag = 0;
    opevo_index count = 0;

    *details = (opevo_i_store_details){.samples = NULL};
    if (!get_count(self, (1U << (OPEVO_I_CRITERIA_SHIFT + OPEVO_CRITERIA_MOST - 1)) - 1, &tag) ||
        get_kind((unsigned)tag) >= OPEVO_OUTCOME_CLASS_COUNT ||
        !get_numbers(self, (unsigned)tag, outcome))
        return false;
    if (tag & OPEVO_I_HAS_SAMPLES) {
        if (!get_count(self, self->size, &count) || count > (self->size - self->at) / 8)
            return false;
        details->samples = self->data + self->at;
        details->sample_count = (size_t)count;
        self->at += 8 * (size_t)count;
    }
    if (tag & OPEVO_I_HAS_MESSAGE && !get_message(self, strings, string_count, details))
        return false;
    return get_criteria(self, (unsigned)tag, outcome);
}

bool opevo_i_store_unpack_outcome(const void *data, size_t size, opevo_outcome *outcome,
                                  opevo_i_store_details *details)
{
    opevo_i_store_bytes bytes = {data, size, 0};

    return get_outcome(&bytes, NULL, 0, outcome, details) && bytes.at == bytes.size;
}

/* ---- Outcomes that are kept once ------------------------------------------------------------ */

static opevo_status fail_outcomes(const opevo_store *store, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: the outcomes that packed runs share are malformed; use another "
                      "store.",
                      store->path, store->state);
}

static void forget_outcomes(opevo_i_store_outcomes *self)
{
    opevo_index_map_destroy(self->places);
    opevo_free(self->items);
    *self = (opevo_i_store_outcomes){.places = NULL};
}

static opevo_status add_row(opevo_store *store, sqlite3_stmt *row, opevo_error *err)
{
    opevo_i_store_outcomes *self = &store->outcomes;
    void *items = self->items;
    opevo_i_store_details details;

    if (sqlite3_column_bytes(row, 0) != OPEVO_I_POINT_BYTES)
        return fail_outcomes(store, err);
    OPEVO_NEED_OR_RETURN(
        opevo_reserve(&items, &self->capacity, self->count + 1, sizeof *self->items), "reading %s",
        store->path);
    self->items = items;
    if (!opevo_i_store_unpack_outcome(sqlite3_column_blob(row, 1),
                                      (size_t)sqlite3_column_bytes(row, 1),
                                      &self->items[self->count], &details))
        return fail_outcomes(store, err);
    OPEVO_NEED_OR_RETURN(
        opevo_index_map_put(self->places,
                            opevo_i_store_point_from_bytes(sqlite3_column_blob(row, 0)),
                            self->count++),
        "reading %s", store->path);
    return OPEVO_OK;
}

/* Have the outcomes of the run's objective at hand, read anew: others may have added some. */
static opevo_status load_outcomes(opevo_store *store, const char *signature, opevo_error *err)
{
    opevo_i_store_outcomes *self = &store->outcomes;
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    int code = SQLITE_OK;

    forget_outcomes(self);
    self->places = opevo_index_map_create();
    OPEVO_NEED_OR_RETURN(self->places, "reading %s", store->path);
    snprintf(self->signature, sizeof self->signature, "%s", signature);
    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT point, outcome FROM outcomes WHERE signature = ?", &rows, err));
    sqlite3_bind_text(rows, 1, self->signature, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        OPEVO_TRY(add_row(store, rows, err));
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(rows);
    if (status != OPEVO_OK)
        forget_outcomes(self);
    return status;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static opevo_status fail_damaged(const opevo_store *store, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: the packed trials of run %lld are malformed; use another store.",
                      store->path, store->state, (long long)store->cursor.run);
}

/* What stands before the trials. */
static opevo_status read_head(opevo_store *store, opevo_error *err)
{
    opevo_i_store_cursor *cursor = &store->cursor;
    opevo_index version = 0;
    opevo_index count = 0;
    opevo_index length = 0;

    if (!get_count(&cursor->bytes, OPEVO_I_PACKED_POINTS, &version) ||
        version < OPEVO_I_PACKED_WHOLE || !get_count(&cursor->bytes, cursor->bytes.size, &count))
        return fail_damaged(store, err);
    cursor->points_only = version == OPEVO_I_PACKED_POINTS;
    OPEVO_NEW_OR_RETURN(cursor->strings, (size_t)count, "reading %s", store->path);
    for (; cursor->string_count < count; cursor->string_count++) {
        const char *text = NULL;

        if (!get_count(&cursor->bytes, cursor->bytes.size, &length) ||
            length > cursor->bytes.size - cursor->bytes.at)
            return fail_damaged(store, err);
        text = (const char *)cursor->bytes.data + cursor->bytes.at;
        if (memchr(text, 0, (size_t)length))
            return fail_damaged(store, err);
        cursor->bytes.at += (size_t)length;
        cursor->strings[cursor->string_count] =
            opevo_i_store_keep_origin(store, text, (size_t)length);
        OPEVO_NEED_OR_RETURN(cursor->strings[cursor->string_count], "reading %s", store->path);
    }
    return OPEVO_OK;
}

static void close_cursor(opevo_store *store)
{
    opevo_free(store->cursor.data);
    opevo_free(store->cursor.strings);
    store->cursor = (opevo_i_store_cursor){.run = 0};
}

/* Put the cursor before the first trial of the run. */
static opevo_status open_cursor(opevo_store *store, int64_t run, bool *found, opevo_error *err)
{
    opevo_i_store_cursor *cursor = &store->cursor;
    sqlite3_stmt *row = store->unpack;
    opevo_status status = OPEVO_OK;
    int code = SQLITE_OK;

    close_cursor(store);
    sqlite3_bind_int64(row, 1, run);
    code = sqlite3_step(row);
    *found = code == SQLITE_ROW;
    if (code == SQLITE_DONE)
        goto cleanup;
    if (code != SQLITE_ROW) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    cursor->run = run;
    cursor->count = (uint64_t)sqlite3_column_int64(row, 0);
    cursor->next = 1;
    cursor->bytes.size = (size_t)sqlite3_column_bytes(row, 1);
    if (cursor->count > cursor->bytes.size) { /* a trial takes two bytes */
        status = fail_damaged(store, err);
        goto cleanup;
    }
    cursor->bytes.data = cursor->data = opevo_malloc(cursor->bytes.size, 1);
    OPEVO_NEED(cursor->data, "reading %s", store->path);
    if (cursor->bytes.size)
        memcpy(cursor->data, sqlite3_column_blob(row, 1), cursor->bytes.size);
    OPEVO_TRY(read_head(store, err));
    if (cursor->points_only &&
        (!store->outcomes.places ||
         strcmp(store->outcomes.signature, opevo_i_store_column_text(row, 2)) != 0))
        OPEVO_TRY(load_outcomes(store, opevo_i_store_column_text(row, 2), err));
cleanup:
    if (status != OPEVO_OK)
        close_cursor(store);
    sqlite3_reset(row);
    return status;
}

opevo_status opevo_i_store_unpack_seek(opevo_store *store, int64_t run, uint64_t after, bool *found,
                                       opevo_error *err)
{
    opevo_i_store_cursor *cursor = &store->cursor;
    opevo_status status = OPEVO_OK;
    opevo_trial skipped;

    *found = true;
    if (cursor->run != run || cursor->run == 0 || cursor->next > after + 1)
        OPEVO_TRY(open_cursor(store, run, found, err));
    while (*found && cursor->next <= after && cursor->next <= cursor->count)
        OPEVO_TRY(opevo_i_store_unpack_next(store, &skipped, err));
cleanup:
    return status;
}

/* The outcome of a point, from the table; read again once where it is not there, for it may have
 * come since. */
static opevo_status find_outcome(opevo_store *store, opevo_index point, opevo_outcome *out,
                                 opevo_error *err)
{
    uint64_t place = 0;
    char signature[OPEVO_I_HEX_SIZE];

    if (!opevo_index_map_get(store->outcomes.places, point, &place)) {
        opevo_status status = OPEVO_OK;

        memcpy(signature, store->outcomes.signature, sizeof signature);
        status = load_outcomes(store, signature, err);
        if (status != OPEVO_OK)
            return status;
        if (!opevo_index_map_get(store->outcomes.places, point, &place))
            return fail_outcomes(store, err);
    }
    *out = store->outcomes.items[place];
    return OPEVO_OK;
}

static opevo_status unpack_trial(opevo_store *store, opevo_trial *trial, opevo_error *err)
{
    opevo_i_store_cursor *cursor = &store->cursor;
    opevo_index which = 0;
    opevo_status status = OPEVO_OK;

    if (!get_count(&cursor->bytes, OPEVO_INDEX_MAX, &trial->proposal.point) ||
        !get_count(&cursor->bytes, OPEVO_INDEX_MAX, &which) || which >= cursor->string_count)
        return fail_damaged(store, err);
    if (cursor->points_only)
        status = find_outcome(store, trial->proposal.point, &trial->outcome, err);
    else if (!get_outcome(&cursor->bytes, cursor->strings, cursor->string_count, &trial->outcome,
                          &cursor->details))
        status = fail_damaged(store, err);
    if (status != OPEVO_OK)
        return status;
    trial->number = cursor->next++;
    trial->proposal.origin = cursor->strings[which];
    if (cursor->next > cursor->count && cursor->bytes.at != cursor->bytes.size)
        return fail_damaged(store, err);
    return OPEVO_OK;
}

opevo_status opevo_i_store_unpack_next(opevo_store *store, opevo_trial *trial, opevo_error *err)
{
    opevo_status status = unpack_trial(store, trial, err);

    if (status != OPEVO_OK)
        close_cursor(store);
    return status;
}

void opevo_i_store_unpack_forget(opevo_store *store)
{
    close_cursor(store);
    forget_outcomes(&store->outcomes);
}
