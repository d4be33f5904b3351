/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two recorded tables side by side: a row is what stands before the column of the time, and its
 * results are what stands behind. */

#include <opevo/memory.h>
#include <opevo/reproduction.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 4096 };

typedef struct line {
    const char *cells[COLUMNS_MOST];
    size_t lengths[COLUMNS_MOST];
    size_t count;
} line;

/* The cells of the row at `at`; quoted ones with their quotes. Returns what is behind the row. */
static const char *split(const char *at, const char *end, line *out)
{
    out->count = 0;
    while (at < end) {
        const char *begin = at;
        bool quoted = false;

        for (; at < end && (quoted || (*at != ',' && *at != '\n')); at++)
            quoted ^= *at == '"';
        if (out->count < COLUMNS_MOST) {
            out->cells[out->count] = begin;
            out->lengths[out->count++] = (size_t)(at - begin);
        }
        if (at == end)
            break;
        at++;
        if (at[-1] == '\n')
            break;
    }
    return at;
}

static bool is(const line *self, size_t column, const char *text)
{
    return column < self->count && self->lengths[column] == strlen(text) &&
           !memcmp(self->cells[column], text, self->lengths[column]);
}

static size_t find(const line *head, const char *name)
{
    size_t column = 0;

    while (column < head->count && !is(head, column, name))
        column++;
    return column;
}

static bool same_cell(const line *a, const line *b, size_t column)
{
    return column < a->count && column < b->count && a->lengths[column] == b->lengths[column] &&
           !memcmp(a->cells[column], b->cells[column], a->lengths[column]);
}

/* Smallest and largest of numbers with semicolons between them; false for none. */
static bool range_of(const line *row, size_t column, double range[2])
{
    const char *at = column < row->count ? row->cells[column] : NULL;
    const char *end = at ? at + row->lengths[column] : NULL;
    size_t count = 0;

    while (at && at < end) {
        char *next = NULL;
        double value = strtod(at, &next);

        if (next == at || next > end)
            break;
        range[0] = count && range[0] < value ? range[0] : value;
        range[1] = count && range[1] > value ? range[1] : value;
        count++;
        at = next + (next < end);
    }
    return count > 0;
}

typedef struct tables {
    opevo_reproduction *result;
    line head, stated, found;
    size_t parameters, samples, status; /* columns */
    size_t row;                         /* of the stated table, from 1 */
    bool measured;
} tables;

static void differ(tables *self, size_t column)
{
    const line *a = &self->stated, *b = &self->found;
    bool there = column < b->count;

    self->result->differ++;
    opevo_text_printf(&self->result->list, "row %zu, %.*s: \"%.*s\" is stated, \"%.*s\" found\n",
                      self->row, (int)self->head.lengths[column], self->head.cells[column],
                      column < a->count ? (int)a->lengths[column] : 0,
                      column < a->count ? a->cells[column] : "",
                      there ? (int)b->lengths[column] : 0, there ? b->cells[column] : "");
}

static void compare_measured(tables *self)
{
    double a[2], b[2];

    if (!same_cell(&self->stated, &self->found, self->status)) {
        differ(self, self->status);
        return;
    }
    self->result->equal++;
    if (same_cell(&self->stated, &self->found, self->parameters))
        self->result->equal++;
    else if (!range_of(&self->stated, self->samples, a) ||
             !range_of(&self->found, self->samples, b))
        self->result->unjudged += is(&self->stated, self->status, "ok");
    else if (a[0] <= b[1] && b[0] <= a[1])
        self->result->within++;
    else
        differ(self, self->parameters);
}

static void compare_computed(tables *self)
{
    for (size_t i = self->parameters; i < self->head.count; i++) {
        if (same_cell(&self->stated, &self->found, i))
            self->result->equal++;
        else
            differ(self, i);
    }
}

/* Go to the row of a table, split into `out`, with the parameters of `row`, from `at` on and then
 * from the beginning: both tables are mostly in the same order. NULL: not found. */
static const char *seek(const tables *self, const line *row, const char *begin, const char *at,
                        const char *end, line *out)
{
    const char *from = at;

    for (int turn = 0; turn < 2; turn++, from = begin) {
        const char *until = turn ? at : end;

        while (from < until) {
            bool same = true;

            from = split(from, end, out);
            for (size_t i = 0; i < self->parameters && same; i++)
                same = same_cell(row, out, i);
            if (same)
                return from;
        }
    }
    return NULL;
}

static void differ_whole(tables *self, const char *what)
{
    self->result->differ++;
    opevo_text_printf(&self->result->list, "row %zu%s\n", self->row, what);
}

/* Each stated row beside the found one; returns their number. */
static size_t compare_rows(tables *self, const char *stated, const char *end, const char *begin,
                           const char *found_end, bool is_sample)
{
    const char *at = begin;

    for (self->row = 0; stated < end;) {
        const char *next = NULL;

        self->row++;
        stated = split(stated, end, &self->stated);
        next = seek(self, &self->stated, begin, at, found_end, &self->found);
        at = next ? next : at;
        if (!next && !is_sample)
            differ_whole(self, ": its configuration was not found");
        if (next && self->measured)
            compare_measured(self);
        else if (next)
            compare_computed(self);
    }
    return self->row;
}

/* Rows that were found, and that the stated table leaves out; returns the number of all found. */
static size_t find_omitted(tables *self, const char *found, const char *found_end,
                           const char *begin, const char *end)
{
    const char *at = begin;

    for (self->row = 0; found < found_end;) {
        const char *next = NULL;

        self->row++;
        found = split(found, found_end, &self->found);
        next = seek(self, &self->found, begin, at, end, &self->stated);
        at = next ? next : at;
        if (!next)
            differ_whole(self, " of those that were found is not stated");
    }
    return self->row;
}

static bool same_heads(const tables *self)
{
    bool same = self->head.count == self->found.count;

    for (size_t i = 0; i < self->head.count && same; i++)
        same = same_cell(&self->head, &self->found, i);
    return same;
}

opevo_status opevo_reproduction_compare_tables(opevo_reproduction *self, const char *stated,
                                               const char *found, bool measured, bool is_sample,
                                               bool is_part, opevo_error *err)
{
    tables *now = opevo_calloc(1, sizeof *now);
    const char *end = stated + strlen(stated), *found_end = found + strlen(found);
    size_t rows = 0, found_rows = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(now, "comparing tables");
    now->result = self;
    now->measured = measured;
    stated = split(stated, end, &now->head);
    found = split(found, found_end, &now->found);
    now->parameters = find(&now->head, "time_ms");
    now->status = find(&now->head, "status");
    now->samples = find(&now->head, "samples_ms");
    if (measured && (now->parameters == now->head.count || now->status == now->head.count)) {
        self->differ++;
        opevo_text_add(&self->list, "its columns time_ms and status are missing\n");
    } else if (same_heads(now)) {
        rows = compare_rows(now, stated, end, found, found_end, is_sample);
        if (!is_part)
            found_rows = find_omitted(now, found, found_end, stated, end);
        if (!is_part && !is_sample && rows != found_rows) {
            self->differ++;
            opevo_text_printf(&self->list, "%zu rows are stated, %zu found\n", rows, found_rows);
        }
    } else {
        self->differ++;
        opevo_text_add(&self->list, "its columns are other ones\n");
    }
    status = opevo_text_check(&self->list, err);
    opevo_free(now);
    return status;
}
