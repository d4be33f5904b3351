/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A page of Markdown with tables, and beside it a JSON file that says which command computes which
 * cell. docs/formats/manifest.md describes the latter. */

#include "reproduce_internal.h"

#include <opevo/file.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 64, CELL_SIZE = 512 };
#define PAGE_BYTES_MAX ((size_t)1 << 26)

typedef struct page {
    opevo_i_cli_reproduced *self;
    char *text;
    bool *checked;           /* at the offset of a line, plus the number of a cell in it */
    const char *heading;     /* of the section */
    const char *begin, *end; /* the section */
    const json_t *texts;     /* what {0}, {1}, ... stand for */
    opevo_text store;        /* what {store} stands for */
    opevo_text asked;        /* the command whose output is kept */
    json_t *answer;
    bool stopped; /* the section cannot be repeated */
} page;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* A text with its places filled. */
static void fill(const page *self, const char *text, opevo_text *out)
{
    while (*text) {
        if (!strncmp(text, "{store}", 7)) {
            opevo_text_add(out, opevo_text_string(&self->store));
            text += 7;
        } else if (*text == '{' && isdigit((unsigned char)text[1]) && text[2] == '}') {
            const json_t *value = json_array_get(self->texts, (size_t)(text[1] - '0'));

            opevo_text_add(out, json_is_string(value) ? json_string_value(value) : "");
            text += 3;
        } else {
            opevo_text_add_bytes(out, text++, 1);
        }
    }
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');

    return end ? end + 1 : at + strlen(at);
}

/* The text of a heading's line; NULL for another line. */
static const char *heading_of(const char *line)
{
    size_t marks = strspn(line, "#");

    return marks && line[marks] == ' ' ? line + marks + 1 : NULL;
}

/* Have the section begin behind the line of its heading, and end before the next one. */
static bool find_section(page *self)
{
    size_t length = strlen(self->heading);

    for (const char *at = self->text; *at; at = next_line(at)) {
        const char *text = heading_of(at);

        if (!text || strncmp(text, self->heading, length) != 0 || text[length] != '\n')
            continue;
        self->begin = self->end = next_line(at);
        while (*self->end && !heading_of(self->end))
            self->end = next_line(self->end);
        return true;
    }
    return false;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Cell number `column` of the line of a table, without blanks around it; false: it has none. */
static bool read_cell(const char *line, size_t column, char *out)
{
    const char *end = line + strcspn(line, "\n"), *at = line;
    size_t length = 0;

    for (size_t i = 0; i <= column; i++) {
        at = i ? memchr(at, '|', (size_t)(end - at)) : at;
        if (!at || *at != '|')
            return false;
        at++;
    }
    while (at < end && *at == ' ')
        at++;
    while (at + length < end && at[length] != '|' && length + 1 < CELL_SIZE)
        length++;
    if (at + length == end)
        return false;
    while (length > 0 && at[length - 1] == ' ')
        length--;
    memcpy(out, at, length);
    out[length] = '\0';
    return true;
}

/* The column of a header line with this text; SIZE_MAX: none. */
static size_t find_column(const char *line, const char *text)
{
    char cell[CELL_SIZE];

    for (size_t i = 0; read_cell(line, i, cell); i++) {
        if (!strcmp(cell, text))
            return i;
    }
    return SIZE_MAX;
}

/* Whether the first cells of a line are the texts of a list. */
static bool begins(const page *self, const char *line, const json_t *row)
{
    bool good = true;

    for (size_t i = 0; i < json_array_size(row) && good; i++) {
        const char *wanted = json_string_value(json_array_get(row, i));
        opevo_text filled = {0};
        char cell[CELL_SIZE];

        fill(self, wanted ? wanted : "", &filled);
        good = read_cell(line, i, cell) && !strcmp(cell, opevo_text_string(&filled));
        opevo_text_free(&filled);
    }
    return good;
}

/* Note that the first cells of a line and one more were looked at; a line is longer than the number
 * of its cells. */
static void mark(const page *self, const char *line, size_t first, size_t place)
{
    bool *cells = self->checked + (line - self->text);

    for (size_t i = 0; i < first; i++)
        cells[i] = true;
    cells[place] = true;
}

/* Cells with digits of the section's tables that no check has looked at, without their heads. */
static size_t count_unchecked(const page *self)
{
    size_t count = 0, row = 0;
    char cell[CELL_SIZE];

    for (const char *at = self->begin; at < self->end; at = next_line(at)) {
        const bool *checked = self->checked + (at - self->text);

        row = *at == '|' ? row + 1 : 0;
        for (size_t i = 0; row > 2 && read_cell(at, i, cell); i++)
            count += cell[strcspn(cell, "0123456789")] && !checked[i];
    }
    return count;
}

/* The cell of a table of the section: below a header with the column, the first line whose first
 * cells are the row. */
static bool find_cell(const page *self, const json_t *check, char *out)
{
    opevo_text column = {0};
    size_t place = SIZE_MAX;
    bool found = false;

    fill(self, text_of(check, "column"), &column);
    for (const char *at = self->begin; at < self->end && !found; at = next_line(at)) {
        size_t here = *at == '|' ? find_column(at, opevo_text_string(&column)) : SIZE_MAX;

        if (*at != '|') {
            place = SIZE_MAX;
        } else if (place == SIZE_MAX && here != SIZE_MAX) {
            place = here;
            at = next_line(at); /* the line of dashes */
        } else if (place != SIZE_MAX) {
            found = begins(self, at, json_object_get(check, "row")) && read_cell(at, place, out);
            if (found)
                mark(self, at, json_array_size(json_object_get(check, "row")), place);
        }
    }
    opevo_text_free(&column);
    return found;
}

/* The length of the minus before a number that is not the dash of a range or of a name: "-" or the
 * sign U+2212; 0 for none. */
static size_t minus_before(const char *cell, const char *at)
{
    static const char sign[] = "\xe2\x88\x92";
    size_t length = at > cell && at[-1] == '-'                   ? 1
                    : at - cell >= 3 && !memcmp(at - 3, sign, 3) ? 3
                                                                 : 0;
    const char *before = at - length;

    return length && before > cell && isalnum((unsigned char)before[-1]) ? 0 : length;
}

/* The number that is the part-th of a cell, from 0, as printed, with "-" for its minus. */
static bool read_number(const char *cell, size_t part, char *out)
{
    const char *at = cell;

    for (size_t i = 0; *at; i++) {
        size_t length = 0, minus = 0;

        while (*at && !isdigit((unsigned char)*at) &&
               !(*at == '.' && isdigit((unsigned char)at[1])))
            at++;
        minus = minus_before(cell, at);
        while (isdigit((unsigned char)at[length]) ||
               (at[length] && strchr(".,", at[length]) && isdigit((unsigned char)at[length + 1])))
            length++;
        if (i == part && length > 0 && length + 1 < CELL_SIZE) {
            snprintf(out, CELL_SIZE, "%s%.*s", minus ? "-" : "", (int)length, at);
            return true;
        }
        at += length;
    }
    return false;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Whether a member is this text, or a number that is printed so. */
static bool is_value(const json_t *object, const char *key, const char *text)
{
    const json_t *value = json_object_get(object, key);
    double number = 0;

    if (json_is_number(value))
        return opevo_parse_double(text, &number) && json_number_value(value) == number;
    return json_is_string(value) && !strcmp(json_string_value(value), text);
}

/* The part of a tree at a path such as "landscapes/name=recorded:x/tuners/0/points/-1/mean". */
static const json_t *walk(const json_t *tree, const char *path)
{
    while (tree && *path) {
        size_t length = strcspn(path, "/"), equals = strcspn(path, "=/");
        opevo_text key = {0}, value = {0};
        const json_t *found = NULL;
        int64_t index = 0;

        opevo_text_add_bytes(&key, path, equals);
        if (equals < length)
            opevo_text_add_bytes(&value, path + equals + 1, length - equals - 1);
        for (size_t i = 0; equals < length && i < json_array_size(tree) && !found; i++) {
            const json_t *one = json_array_get(tree, i);

            found = is_value(one, opevo_text_string(&key), opevo_text_string(&value)) ? one : NULL;
        }
        if (json_is_object(tree))
            found = json_object_get(tree, opevo_text_string(&key));
        else if (opevo_parse_i64(opevo_text_string(&key), &index))
            found = json_array_get(tree, index < 0 ? json_array_size(tree) + (size_t)index
                                                   : (size_t)index);
        opevo_text_free(&key);
        opevo_text_free(&value);
        tree = found;
        path += length + (path[length] == '/');
    }
    return tree;
}

/* Run the command of a check, unless its output is kept. */
static opevo_status ask(page *self, const json_t *command, opevo_error *err)
{
    char *words[WORDS_MOST] = {NULL};
    opevo_text printed = {0}, whole = {0};
    json_error_t reason;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    for (; count < json_array_size(command) && count < WORDS_MOST; count++) {
        const char *word = json_string_value(json_array_get(command, count));
        opevo_text filled = {0};

        fill(self, word ? word : "", &filled);
        opevo_text_add(&filled, "");
        opevo_text_printf(&whole, "%s\n", opevo_text_string(&filled));
        words[count] = filled.data;
    }
    OPEVO_TRY(opevo_text_check(&whole, err));
    if (self->answer && !strcmp(opevo_text_string(&whole), opevo_text_string(&self->asked)))
        goto cleanup;
    json_decref(self->answer);
    self->answer = NULL;
    opevo_text_clear(&self->asked);
    opevo_text_add(&self->asked, opevo_text_string(&whole));
    OPEVO_TRY(
        opevo_i_cli_reproduce_run(self->self, (const char *const *)words, count, &printed, err));
    /* Spaces have more points than an integer holds. */
    self->answer =
        json_loadb(opevo_text_string(&printed), printed.length, JSON_DECODE_INT_AS_REAL, &reason);
    if (!self->answer)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "The output of a command: %s.", reason.text));
    self->self->repeated++;
cleanup:
    for (size_t i = 0; i < count; i++)
        opevo_free(words[i]);
    opevo_text_free(&printed);
    opevo_text_free(&whole);
    return status;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static void judge(page *self, const json_t *check, const char *place)
{
    char cell[CELL_SIZE] = "", number[CELL_SIZE] = "";
    opevo_text path = {0};
    const json_t *value = NULL;
    const json_t *scale = json_object_get(check, "scale");
    size_t part = (size_t)json_integer_value(json_object_get(check, "part"));
    double found = 0;
    bool there = find_cell(self, check, cell) && read_number(cell, part, number);

    fill(self, text_of(check, "value"), &path);
    value = walk(self->answer, opevo_text_string(&path));
    found = json_number_value(value) * (json_is_number(scale) ? json_number_value(scale) : 1);
    if (there && json_is_number(value) && opevo_reproduction_prints(number, found)) {
        self->self->result.equal++;
    } else {
        self->self->result.differ++;
        opevo_text_printf(&self->self->result.list, "%s, %s: \"%s\" is stated, ", self->heading,
                          place, there ? number : "nothing");
        if (json_is_number(value))
            opevo_text_add_double(&self->self->result.list, found);
        opevo_text_add(&self->self->result.list,
                       json_is_number(value) ? " found\n" : "nothing found\n");
    }
    opevo_text_free(&path);
}

static opevo_status do_check(page *self, const json_t *check, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_text place = {0};
    opevo_status status = ask(self, json_object_get(check, "command"), &inner);

    fill(self, text_of(check, "column"), &place);
    for (size_t i = 0; i < json_array_size(json_object_get(check, "row")); i++) {
        opevo_text_add(&place, " ");
        fill(self, json_string_value(json_array_get(json_object_get(check, "row"), i)), &place);
    }
    if (status == OPEVO_NOMEM || status == OPEVO_INTERRUPTED) {
        if (err)
            *err = inner;
    } else if (status != OPEVO_OK) {
        opevo_i_cli_reproduce_leave(self->self, "%s, %s: %s", self->heading,
                                    opevo_text_string(&place), inner.message);
        status = OPEVO_OK;
    } else {
        judge(self, check, opevo_text_string(&place));
    }
    opevo_text_free(&place);
    return status;
}

/* Once for each list of texts that its places stand for. */
static opevo_status do_checks(page *self, const json_t *check, opevo_error *err)
{
    const json_t *each = json_object_get(check, "each");
    opevo_status status = OPEVO_OK;

    if (!each)
        return do_check(self, check, err);
    for (size_t i = 0; i < json_array_size(each) && status == OPEVO_OK; i++) {
        self->texts = json_array_get(each, i);
        status = do_check(self, check, err);
    }
    self->texts = NULL;
    return status;
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* Make the runs of the section's plan, seen from the folder of the page. */
static opevo_status do_plan(page *self, const json_t *section, size_t number, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_text path = {0}, found = {0};
    char *text = NULL;
    size_t size = 0;
    bool whole = false;
    opevo_status status = OPEVO_OK;

    opevo_text_clear(&self->store);
    if (!json_object_get(section, "plan"))
        return OPEVO_OK;
    opevo_text_printf(&self->store, "%s/plan-%zu.db", self->self->scratch, number);
    opevo_text_printf(&path, "%s/%s", self->self->beside, text_of(section, "plan"));
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_file_read(path.data, PAGE_BYTES_MAX, &text, &size, err));
    status = opevo_i_cli_reproduce_plan(self->self, text, path.data, self->store.data, NULL, &found,
                                        &whole, &inner);
    self->stopped = status != OPEVO_OK || !whole;
    if (status == OPEVO_NOMEM || status == OPEVO_INTERRUPTED)
        OPEVO_TRY(OPEVO_FAIL(err, status, "%s", inner.message));
    if (status != OPEVO_OK)
        opevo_i_cli_reproduce_leave(self->self, "%s: %s", self->heading, inner.message);
    status = OPEVO_OK;
cleanup:
    opevo_free(text);
    opevo_text_free(&path);
    opevo_text_free(&found);
    return status;
}

/* Whether the paths are there that the section needs, seen from the folder of the page; the first
 * one that is missing is named. */
static bool has_needs(page *self, const json_t *section)
{
    const json_t *needs = json_object_get(section, "needs");

    for (size_t i = 0; i < json_array_size(needs); i++) {
        const char *path = json_string_value(json_array_get(needs, i));

        if (path && access(path, R_OK) != 0) {
            opevo_i_cli_reproduce_leave(self->self, "%s: its checks need %s, which is not there",
                                        self->heading, path);
            return false;
        }
    }
    return true;
}

static opevo_status do_section(page *self, const json_t *section, size_t number, opevo_error *err)
{
    const json_t *checks = json_object_get(section, "checks");
    size_t unchecked = 0;
    opevo_status status = OPEVO_OK;

    self->heading = text_of(section, "heading");
    self->stopped = false;
    if (!find_section(self)) {
        self->self->result.differ++;
        opevo_text_printf(&self->self->result.list, "the page has no section \"%s\"\n",
                          self->heading);
        return OPEVO_OK;
    }
    if (json_object_get(section, "not_repeated"))
        opevo_i_cli_reproduce_leave(self->self, "%s: %s", self->heading,
                                    text_of(section, "not_repeated"));
    if (!has_needs(self, section))
        return OPEVO_OK;
    OPEVO_TRY(do_plan(self, section, number, err));
    for (size_t i = 0; i < json_array_size(checks) && !self->stopped && status == OPEVO_OK; i++)
        status = do_checks(self, json_array_get(checks, i), err);
    unchecked = json_array_size(checks) && !self->stopped ? count_unchecked(self) : 0;
    if (unchecked)
        opevo_i_cli_reproduce_leave(self->self, "%s: %zu cells with numbers have no check",
                                    self->heading, unchecked);
cleanup:
    return status;
}

/* Sections with a table that the file beside the page does not name. */
static void note_unnamed(page *self, const json_t *sections)
{
    const char *heading = NULL;

    for (const char *at = self->text; *at; at = next_line(at)) {
        bool named = false;

        heading = heading_of(at) ? heading_of(at) : heading;
        if (*at != '|' || !heading)
            continue;
        for (size_t i = 0; i < json_array_size(sections) && !named; i++) {
            const char *known = text_of(json_array_get(sections, i), "heading");

            named = !strncmp(heading, known, strlen(known)) && heading[strlen(known)] == '\n';
        }
        if (!named)
            opevo_i_cli_reproduce_leave(self->self, "%.*s: nothing says how it is computed",
                                        (int)strcspn(heading, "\n"), heading);
        heading = NULL;
    }
}

opevo_status opevo_i_cli_reproduce_markdown(opevo_i_cli_reproduced *self, opevo_error *err)
{
    page now = {.self = self};
    opevo_text path = {0};
    const json_t *sections = NULL;
    json_t *root = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%.*s.json", (int)(strlen(self->path) - strlen(".md")), self->path);
    OPEVO_TRY(opevo_text_check(&path, err));
    if (access(path.data, F_OK) != 0) {
        opevo_i_cli_reproduce_leave(self, "no %s says how its numbers are computed", path.data);
        goto cleanup;
    }
    OPEVO_TRY(opevo_file_read(self->path, PAGE_BYTES_MAX, &now.text, &size, err));
    OPEVO_NEW(now.checked, size + 1, "checking %s", self->path);
    OPEVO_TRY(opevo_json_load(path.data, PAGE_BYTES_MAX, &root, err));
    if (strcmp(text_of(root, "format"), "opevo page 1") != 0)
        OPEVO_TRY(OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s does not describe a page: its \"format\" must be \"opevo page 1\".", path.data));
    if (chdir(self->beside) != 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_IO, "%s is not a folder.", self->beside));
    sections = json_object_get(root, "sections");
    for (size_t i = 0; i < json_array_size(sections); i++)
        OPEVO_TRY(do_section(&now, json_array_get(sections, i), i, err));
    note_unnamed(&now, sections);
cleanup:
    json_decref(root);
    json_decref(now.answer);
    opevo_free(now.text);
    opevo_free(now.checked);
    opevo_text_free(&path);
    opevo_text_free(&now.store);
    opevo_text_free(&now.asked);
    return status;
}
