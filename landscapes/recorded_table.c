/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comma-separated tables: the first line names the columns, every further line is one row with as
 * many cells. A cell may stand in double quotes (RFC 4180) and then hold line ends. The last line
 * must have its line end: without it nobody can tell a whole number from the first half of one. */

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { TOGETHER = 1 << 20 }; /* bytes of rows that are in memory together */

size_t opevo_i_landscape_find_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* Unquote the cell that starts at `at` with a quote; returns what follows its closing quote, or
 * NULL when that is missing. */
static char *unquote(char *at)
{
    char *write = at;
    char *read = at + 1;

    for (; *read; read++) {
        if (*read == '"') {
            if (read[1] != '"')
                break;
            read++;
        }
        *write++ = *read;
    }
    if (!*read)
        return NULL;
    *write = '\0';
    return read + 1;
}

/* Cut a terminated row into at most `capacity` cells; *count is their number, those beyond the
 * capacity counted but not kept. False when a quote is not closed or not followed by a comma. */
static bool cut_cells(char *line, const char **cells, size_t capacity, size_t *count)
{
    size_t n = 0;
    char *at = line;

    for (;;) {
        char *rest = *at == '"' ? unquote(at) : at + strcspn(at, ",");

        if (n < capacity)
            cells[n] = at;
        n++;
        if (!rest || (*rest && *rest != ','))
            return false;
        if (!*rest)
            break;
        *rest = '\0';
        at = rest + 1;
    }
    *count = n;
    return true;
}

/* Move the rows that are left to the front, and read more behind them. What fails there is told
 * once the rows before it are read. */
static opevo_status read_more(opevo_i_landscape_table *table, opevo_error *err)
{
    size_t left = (size_t)(table->end - table->at), got = 0;
    void *text = table->text;
    opevo_status status = OPEVO_OK;

    if (left && table->at != table->text)
        memmove(text, table->at, left);
    OPEVO_NEED_OR_RETURN(opevo_reserve(&text, &table->capacity, left + OPEVO_I_TEXT_PIECE, 1),
                         "reading %s", table->path);
    table->text = table->at = text;
    status = opevo_i_landscape_text_next(table->source, table->text + left, &got, &table->failure);
    table->end = table->text + left + got;
    if (status != OPEVO_OK || !got) {
        opevo_i_landscape_text_close(table->source);
        table->source = NULL;
    }
    return OPEVO_OK;
}

/* Read until so many bytes are in memory, or all that are left. */
static opevo_status fill(opevo_i_landscape_table *table, size_t wanted, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && table->source && (size_t)(table->end - table->at) < wanted)
        status = read_more(table, err);
    return status;
}

/* Why no complete row follows. */
static opevo_status fail_end(opevo_i_landscape_table *table, bool quoted, opevo_error *err)
{
    if (table->failure.status != OPEVO_OK)
        return OPEVO_FAIL(err, table->failure.status, "%s", table->failure.message);
    table->line = table->next_line;
    if (quoted)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, table->line,
                                         "a quote is not closed.");
    return opevo_i_landscape_fail_at(
        err, OPEVO_INVALID, table->path, table->line,
        "the last line has no line end, so it may be cut; copy the file "
        "again, or end the line.");
}

/* The next row, terminated in place; NULL at the end of the text, or of what is in memory, which
 * stays where it is. */
static opevo_status next_row(opevo_i_landscape_table *table, bool in_memory, char **row,
                             opevo_error *err)
{
    bool quoted = false;
    char *end = opevo_csv_row_end(table->at, table->end, &quoted), *start = NULL;

    *row = NULL;
    while (!end && table->source && !in_memory) { /* twice as much each time: a row is long */
        opevo_status status = fill(table, 2 * (size_t)(table->end - table->at) + 1, err);

        if (status != OPEVO_OK)
            return status;
        end = opevo_csv_row_end(table->at, table->end, &quoted);
    }
    start = table->at;
    if (!end && (in_memory || (start == table->end && table->failure.status == OPEVO_OK)))
        return OPEVO_OK;
    if (!end)
        return fail_end(table, quoted, err);
    table->line = table->next_line;
    if (memchr(start, '\0', (size_t)(end - start)))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, table->line,
                                         "a zero byte; this is not a text file.");
    for (const char *at = start; at < end; at++)
        table->next_line += *at == '\n';
    table->at = end--;
    if (end > start && end[-1] == '\r')
        end--;
    *end = '\0';
    *row = start;
    return OPEVO_OK;
}

static opevo_status check_names(const opevo_i_landscape_table *table, bool bare, opevo_error *err)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (!*table->names[i] && !(bare && i == 0))
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                             "column %zu has no name.", i + 1);
        if (opevo_i_landscape_find_name(table->names, i, table->names[i]) != SIZE_MAX)
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                             "two columns are named '%.80s'.", table->names[i]);
    }
    return OPEVO_OK;
}

static opevo_status read_names(opevo_i_landscape_table *table, bool bare, char *line,
                               opevo_error *err)
{
    size_t most = 1;

    for (const char *at = line; *at; at++)
        most += *at == ',';
    if (most > OPEVO_I_MOST_COLUMNS)
        return opevo_i_landscape_fail_at(err, OPEVO_LIMIT, table->path, 1, "more than %d columns.",
                                         (int)OPEVO_I_MOST_COLUMNS);
    table->names = opevo_calloc(most, sizeof *table->names);
    table->cells = opevo_calloc(most, sizeof *table->cells);
    OPEVO_NEED_OR_RETURN(table->names && table->cells, "reading %s", table->path);
    if (!cut_cells(line, table->names, most, &table->column_count))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                         "a quote is not closed.");
    return check_names(table, bare, err);
}

static opevo_status fail_empty(const char *path, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the table is empty; its first line must name the columns.", path);
}

static opevo_status open_table(const char *path, char *text, size_t size, bool bare,
                               opevo_i_landscape_table *table, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *line = NULL;

    *table = (opevo_i_landscape_table){
        .path = path, .text = text, .at = text, .end = text + size, .next_line = 1};
    if (bare && strncmp(text, "\xef\xbb\xbf", 3) == 0)
        table->at += 3;
    OPEVO_TRY(next_row(table, false, &line, err));
    if (!line)
        return fail_empty(path, err);
    OPEVO_TRY(read_names(table, bare, line, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_table_open_file(const char *path, opevo_i_landscape_table *table,
                                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *line = NULL;

    *table = (opevo_i_landscape_table){.path = path, .next_line = 1};
    OPEVO_TRY(opevo_i_landscape_text_open(path, SIZE_MAX, &table->source, err));
    OPEVO_TRY(read_more(table, err));
    OPEVO_TRY(next_row(table, false, &line, err));
    if (!line)
        return fail_empty(path, err);
    table->first_line = opevo_strndup(line, strlen(line));
    OPEVO_NEED_OR_RETURN(table->first_line, "reading %s", path);
    OPEVO_TRY(read_names(table, false, table->first_line, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_table_open(const char *path, char *text, size_t size,
                                          opevo_i_landscape_table *table, opevo_error *err)
{
    return open_table(path, text, size, false, table, err);
}

opevo_status opevo_i_landscape_table_open_bare(const char *path, char *text, size_t size,
                                               opevo_i_landscape_table *table, opevo_error *err)
{
    return open_table(path, text, size, true, table, err);
}

opevo_status opevo_i_landscape_table_cut(const opevo_i_landscape_table *table,
                                         const opevo_i_landscape_line *line, const char **cells,
                                         opevo_error *err)
{
    size_t count = 0;

    if (!cut_cells(line->text, cells, table->column_count, &count))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, line->number,
                                         "a quote is not closed.");
    if (count != table->column_count)
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, table->path, line->number,
            "the row has %zu cells, but the first line names %zu columns; it "
            "may be cut.",
            count, table->column_count);
    return OPEVO_OK;
}

opevo_status opevo_i_landscape_table_next(opevo_i_landscape_table *table, bool *more,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_line line = {0};

    OPEVO_TRY(next_row(table, false, &line.text, err));
    line.number = table->line;
    *more = line.text != NULL;
    if (line.text)
        OPEVO_TRY(opevo_i_landscape_table_cut(table, &line, table->cells, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_table_lines(opevo_i_landscape_table *table,
                                           opevo_i_landscape_line *lines, size_t capacity,
                                           size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *text = NULL;
    size_t n = 0;

    OPEVO_TRY(fill(table, TOGETHER, err));
    OPEVO_TRY(next_row(table, false, &text, err));
    while (text) {
        lines[n++] = (opevo_i_landscape_line){text, table->line};
        /* One that fails is the first of the next call. */
        if (n == capacity || next_row(table, true, &text, NULL) != OPEVO_OK)
            break;
    }
    *count = n;
cleanup:
    return status;
}

void opevo_i_landscape_table_close(opevo_i_landscape_table *table)
{
    opevo_i_landscape_text_close(table->source);
    opevo_free(table->text);
    opevo_free(table->first_line);
    opevo_free(table->names);
    opevo_free(table->cells);
    *table = (opevo_i_landscape_table){0};
}
