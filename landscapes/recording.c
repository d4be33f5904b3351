/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows on their way into a recorded landscape. Every row is first checked against the space that
 * the file itself describes: its values must be listed there, its point allowed, and no point may
 * come twice. Only then is it translated to the space of a space file, where one was given; rows
 * outside that space are counted and left out, because such a file may restrict a search on
 * purpose.
 */

#include "recorded_internal.h"

#include <opevo/memory.h>
#include <opevo/space_tree.h>

#include <string.h>

bool opevo_i_landscape_parameters_add(opevo_i_landscape_parameters *list,
                                      opevo_parameter *parameter, const size_t *columns)
{
    size_t arity = opevo_parameter_arity(parameter);
    void *items = list->items;
    void *places = list->columns;
    bool room = opevo_reserve(&items, &list->capacity, list->count + 1, sizeof(opevo_parameter *));

    list->items = items;
    if (!room)
        return false;
    room = opevo_reserve(&places, &list->column_capacity, list->column_count + arity,
                         sizeof *list->columns);
    list->columns = places;
    if (!room)
        return false;
    list->items[list->count++] = parameter;
    memcpy(list->columns + list->column_count, columns, arity * sizeof *columns);
    list->column_count += arity;
    return true;
}

void opevo_i_landscape_parameters_clear(opevo_i_landscape_parameters *list)
{
    for (size_t i = 0; i < list->count; i++)
        opevo_parameter_destroy(list->items[i]);
    opevo_free(list->items);
    opevo_free(list->columns);
    *list = (opevo_i_landscape_parameters){0};
}

static size_t component_count(const opevo_space *space)
{
    size_t count = 0;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        count += opevo_parameter_arity(opevo_space_parameter(space, i));
    return count;
}

static opevo_status check_distinct(const opevo_i_landscape_recording *self,
                                   const opevo_i_landscape_layout *layout, const char *origin,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = component_count(layout->space);
    bool *used = opevo_calloc(self->name_count, sizeof *used);

    OPEVO_NEED_OR_RETURN(used, "reading %s", self->path);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (used[layout->columns[i]])
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s: column '%.80s' of %s is used by two parameters.", origin,
                                self->names[layout->columns[i]], self->path);
        used[layout->columns[i]] = true;
    }
    opevo_free(used);
    return status;
}

static opevo_status describe(opevo_i_landscape_recording *self, opevo_i_landscape_parameters *list,
                             const char *const *constraints, size_t constraint_count,
                             const char *description, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};

    if (!list->count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: it has no parameters.", description);
    status = opevo_space_create(list->items, list->count, constraints, constraint_count,
                                OPEVO_DIALECT_C, description, &self->described.space, &inner);
    if (status != OPEVO_OK) {
        opevo_i_landscape_fail_in(err, &inner, description);
        goto cleanup;
    }
    self->described.columns = list->columns;
    list->count = 0; /* the space owns them */
    list->columns = NULL;
    OPEVO_TRY(check_distinct(self, &self->described, description, err));
cleanup:
    opevo_i_landscape_parameters_clear(list);
    return status;
}

/* Copy the columns of the described parameter that has this name and arity; false when there is
 * none. */
static bool described_columns(const opevo_i_landscape_recording *self, const char *name,
                              size_t arity, size_t *columns)
{
    const opevo_space *space = self->described.space;
    const size_t *at = self->described.columns;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        if (opevo_parameter_arity(parameter) == arity &&
            strcmp(opevo_parameter_name(parameter), name) == 0) {
            memcpy(columns, at, arity * sizeof *columns);
            return true;
        }
        at += opevo_parameter_arity(parameter);
    }
    return false;
}

/* The parameter column of this name, or SIZE_MAX; columns of results do not count. */
static size_t parameter_column(const opevo_i_landscape_recording *self, const char *name)
{
    size_t column = opevo_i_landscape_find_name(self->names, self->name_count, name);
    size_t count = component_count(self->described.space);

    for (size_t i = 0; i < count; i++) {
        if (self->described.columns[i] == column)
            return column;
    }
    return SIZE_MAX;
}

/* The columns of one parameter of the given space: those that its component names say, else those
 * of the described parameter of its name, else the column of its name. */
static opevo_status find_columns(const opevo_i_landscape_recording *self,
                                 const opevo_parameter *parameter, const char *origin,
                                 size_t *columns, opevo_error *err)
{
    const char *name = opevo_parameter_name(parameter);
    size_t arity = opevo_parameter_arity(parameter);
    bool named = opevo_parameter_component_name(parameter, 0) != NULL;

    if (!named && described_columns(self, name, arity, columns))
        return OPEVO_OK;
    if (!named && arity > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: parameter '%s' has %zu components; give them the names of their "
                          "columns in %s.",
                          origin, name, arity, self->path);
    for (size_t i = 0; i < arity; i++) {
        const char *wanted = named ? opevo_parameter_component_name(parameter, i) : name;

        columns[i] = wanted ? parameter_column(self, wanted) : SIZE_MAX;
        if (columns[i] == SIZE_MAX)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "%s: parameter '%s' needs a column '%s', which is not a parameter of %s.", origin,
                name, wanted ? wanted : "", self->path);
    }
    return OPEVO_OK;
}

/* A given space may leave out only what has a single value. */
static opevo_status check_covered(const opevo_i_landscape_recording *self, const char *origin,
                                  opevo_error *err)
{
    const opevo_space *space = self->described.space;
    size_t count = component_count(self->given.space);
    const size_t *column = self->described.columns;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        const size_t *end = column + opevo_parameter_arity(parameter);

        for (; column < end; column++) {
            size_t at = 0;

            while (at < count && self->given.columns[at] != *column)
                at++;
            if (at == count && opevo_parameter_size(parameter) > 1)
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "%s: column '%.80s' of %s belongs to none of its parameters.",
                                  origin, self->names[*column], self->path);
        }
    }
    return OPEVO_OK;
}

static opevo_status load_given(opevo_i_landscape_recording *self, const char *path,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t at = 0;

    OPEVO_TRY(opevo_space_load(path, &self->given.space, err));
    self->given.columns =
        opevo_malloc(component_count(self->given.space), sizeof *self->given.columns);
    OPEVO_NEED_OR_RETURN(self->given.columns, "reading %s", path);
    for (size_t i = 0; i < opevo_space_parameter_count(self->given.space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->given.space, i);

        OPEVO_TRY(find_columns(self, parameter, path, self->given.columns + at, err));
        at += opevo_parameter_arity(parameter);
    }
    OPEVO_TRY(check_distinct(self, &self->given, path, err));
    if (!self->selects)
        OPEVO_TRY(check_covered(self, path, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_scratch_init(opevo_i_landscape_scratch *self,
                                            const opevo_i_landscape_recording *recording,
                                            opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(recording->described.space);
    size_t components = component_count(recording->described.space);

    if (recording->given.space) {
        parameters += opevo_space_parameter_count(recording->given.space);
        components += component_count(recording->given.space);
    }
    self->vertices = opevo_calloc(parameters, sizeof *self->vertices);
    self->components = opevo_calloc(components, sizeof *self->components);
    OPEVO_NEED_OR_RETURN(self->vertices && self->components, "reading %s", recording->path);
    return OPEVO_OK;
}

void opevo_i_landscape_scratch_clear(opevo_i_landscape_scratch *self)
{
    opevo_free(self->vertices);
    opevo_free(self->components);
    json_decref(self->quoted);
    *self = (opevo_i_landscape_scratch){0};
}

static opevo_status no_memory(const opevo_i_landscape_recording *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", self->path);
}

static opevo_status make_scratch(opevo_i_landscape_recording *self, opevo_error *err)
{
    opevo_status status = opevo_i_landscape_scratch_init(&self->scratch, self, err);

    if (status == OPEVO_OK && !opevo_i_landscape_recording_restart(self))
        return no_memory(self, err);
    return status;
}

opevo_status opevo_i_landscape_recording_begin(opevo_i_landscape_recording *self,
                                               opevo_i_landscape_parameters *list,
                                               const char *const *constraints,
                                               size_t constraint_count, const char *description,
                                               const char *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(describe(self, list, constraints, constraint_count, description, err));
    if (space)
        OPEVO_TRY(load_given(self, space, err));
    OPEVO_TRY(make_scratch(self, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_recording_begin_in(opevo_i_landscape_recording *self,
                                                  opevo_space *described, size_t *columns,
                                                  const char *description, const char *space,
                                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->described = (opevo_i_landscape_layout){described, columns};
    OPEVO_TRY(check_distinct(self, &self->described, description, err));
    if (space)
        OPEVO_TRY(load_given(self, space, err));
    OPEVO_TRY(make_scratch(self, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_recording_begin_as(opevo_i_landscape_recording *self,
                                                  const json_t *root, const char *text,
                                                  const char *path, const char *space,
                                                  opevo_error *err)
{
    opevo_space *described = NULL;
    size_t *columns = NULL;
    opevo_status status = opevo_space_from_tree(root, text, path, NULL, &described, err);

    if (status != OPEVO_OK)
        return status;
    self->name_count = opevo_space_parameter_count(described);
    self->own_names = opevo_calloc(self->name_count, sizeof *self->own_names);
    columns = opevo_malloc(self->name_count, sizeof *columns);
    if (!self->own_names || !columns) {
        opevo_space_destroy(described);
        opevo_free(columns);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    }
    for (size_t i = 0; i < self->name_count; i++) {
        self->own_names[i] = opevo_parameter_name(opevo_space_parameter(described, i));
        columns[i] = i;
    }
    self->names = self->own_names;
    return opevo_i_landscape_recording_begin_in(self, described, columns, path, space, err);
}

/* What a text looks like; in a table also a JSON string, which stands for the text in it. */
static opevo_value reading(const opevo_i_landscape_recording *self, const char *text,
                           opevo_i_landscape_scratch *scratch)
{
    if (self->cells && *text == '"') {
        json_decref(scratch->quoted);
        scratch->quoted = json_loads(text, JSON_DECODE_ANY, NULL);
        if (json_is_string(scratch->quoted))
            return (opevo_value){.kind = OPEVO_VALUE_TEXT,
                                 .as = {.text = json_string_value(scratch->quoted)}};
    }
    return opevo_value_parse(text);
}

/* Values of a row, and the columns of a parameter among them. */
typedef struct row_values {
    const opevo_i_landscape_recording *recording;
    const opevo_value *values;
    opevo_i_landscape_scratch *scratch;
} row_values;

/* Find the values as they are or, when `read`, texts as what they look like. */
static bool find_as(const row_values *self, const opevo_parameter *parameter, const size_t *columns,
                    bool read, opevo_index *vertex)
{
    opevo_value *components = self->scratch->components;

    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++) {
        components[i] = self->values[columns[i]];
        if (read && components[i].kind == OPEVO_VALUE_TEXT)
            components[i] = reading(self->recording, components[i].as.text, self->scratch);
    }
    return opevo_parameter_find(parameter, components, vertex);
}

/* The vertex of a parameter. The cell `1` of a table is the number before it is a text, and `"1"`
 * the text, so that a list may have both; other texts and the number 1 of a list meet, too. */
static bool find_vertex(const row_values *self, const opevo_parameter *parameter,
                        const size_t *columns, opevo_index *vertex)
{
    bool read = self->recording->cells;

    return find_as(self, parameter, columns, read, vertex) ||
           find_as(self, parameter, columns, !read, vertex);
}

static bool is_empty(const row_values *self, const opevo_parameter *parameter,
                     const size_t *columns)
{
    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++) {
        const opevo_value *value = &self->values[columns[i]];

        if (value->kind != OPEVO_VALUE_TEXT || *value->as.text)
            return false;
    }
    return true;
}

/* The point that the values spell, which are empty for parameters that are not active; false, with
 * the number of the parameter that has no such value, when they spell none. */
static bool find_point(const row_values *self, const opevo_i_landscape_layout *layout,
                       opevo_index *point, size_t *failed)
{
    const size_t *columns = layout->columns;
    opevo_index *vertices = self->scratch->vertices;

    for (size_t i = 0; i < opevo_space_parameter_count(layout->space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(layout->space, i);
        bool found = false;

        vertices[i] = 0;
        if (opevo_space_is_active(layout->space, i, vertices)) {
            found = find_vertex(self, parameter, columns, &vertices[i]);
        } else {
            found = is_empty(self, parameter, columns);
            vertices[i] = OPEVO_INACTIVE;
        }
        if (!found) {
            *failed = i;
            return false;
        }
        columns += opevo_parameter_arity(parameter);
    }
    *point = opevo_space_encode(layout->space, vertices);
    return true;
}

static opevo_status fail_value(const opevo_i_landscape_recording *self,
                               const opevo_i_landscape_scratch *scratch, size_t failed, size_t line,
                               opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->described.space, failed);
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (scratch->vertices[failed] == OPEVO_INACTIVE)
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "parameter '%.80s' is inactive in this branch; leave its cells empty.",
            opevo_parameter_name(parameter));
    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++) {
        if (i)
            opevo_text_add(&text, ",");
        opevo_value_print(&text, scratch->components[i]);
    }
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "'%.80s' is not a value of parameter '%.80s', which is %.200s.", text.data,
            opevo_parameter_name(parameter), opevo_parameter_text(parameter));
    opevo_text_free(&text);
    return status;
}

static opevo_status fail_excluded(const opevo_i_landscape_recording *self, opevo_index point,
                                  size_t line, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_space_print(self->described.space, point, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "the configuration %.300s violates a constraint that the description declares.",
            text.data);
    opevo_text_free(&text);
    return status;
}

/* The line in which the point of the described space is already; 0: in none. */
static uint64_t line_of(const opevo_i_landscape_recording *self, opevo_index point)
{
    uint64_t line = 0;
    size_t row = SIZE_MAX;

    if (self->lines) {
        opevo_index_map_get(self->lines, point, &line);
        return line;
    }
    row = opevo_i_row_store_find(self->rows, point);
    return row == SIZE_MAX ? 0 : self->line_of[row];
}

static bool append(opevo_i_landscape_recording *self, opevo_index point,
                   const opevo_i_landscape_row *row, size_t line)
{
    size_t count = opevo_i_row_store_count(self->rows);
    void *lines = self->line_of;
    bool room = self->lines ||
                opevo_reserve(&lines, &self->line_capacity, count + 1, sizeof *self->line_of);

    self->line_of = lines;
    if (room && !self->lines)
        self->line_of[count] = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    return room && opevo_i_row_store_add(self->rows, point, row);
}

opevo_status opevo_i_landscape_recording_place(const opevo_i_landscape_recording *self,
                                               const opevo_value *values, size_t line,
                                               opevo_i_landscape_scratch *scratch,
                                               opevo_i_landscape_place *out, opevo_error *err)
{
    const row_values row = {.recording = self, .values = values, .scratch = scratch};
    size_t failed = 0;

    *out = (opevo_i_landscape_place){.point = 0};
    if (!find_point(&row, &self->described, &out->point, &failed))
        return fail_value(self, scratch, failed, line, err);
    out->excluded = !opevo_space_allows(self->described.space, out->point);
    if (out->excluded)
        return self->restricts ? OPEVO_OK : fail_excluded(self, out->point, line, err);
    if (self->given.space)
        out->outside = !find_point(&row, &self->given, &out->given, &failed) ||
                       !opevo_space_allows(self->given.space, out->given);
    return OPEVO_OK;
}

opevo_status opevo_i_landscape_recording_put(opevo_i_landscape_recording *self,
                                             const opevo_i_landscape_place *place,
                                             const opevo_i_landscape_row *row, size_t line,
                                             opevo_error *err)
{
    uint64_t first = 0;

    if (place->excluded) {
        self->ignored++;
        return OPEVO_OK;
    }
    first = line_of(self, place->point);
    if (first)
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "the configuration is already in line %llu; remove one of them%s.",
            (unsigned long long)first,
            self->selects ? ", or average them with --result UNIT:COLUMN,mean" : "");
    if (self->lines && !opevo_index_map_put(self->lines, place->point, line))
        return no_memory(self, err);
    if (place->outside) {
        self->ignored++;
        return OPEVO_OK;
    }
    return append(self, self->given.space ? place->given : place->point, row, line)
               ? OPEVO_OK
               : no_memory(self, err);
}

void opevo_i_landscape_recording_expect(const opevo_i_landscape_recording *self,
                                        const opevo_i_landscape_place *place)
{
    if (!place->excluded && !place->outside)
        opevo_i_row_store_expect(self->rows, self->given.space ? place->given : place->point);
}

opevo_status opevo_i_landscape_recording_add(opevo_i_landscape_recording *self,
                                             const opevo_value *values,
                                             const opevo_i_landscape_row *row, size_t line,
                                             opevo_error *err)
{
    opevo_i_landscape_place place;
    opevo_status status =
        opevo_i_landscape_recording_place(self, values, line, &self->scratch, &place, err);

    return status == OPEVO_OK ? opevo_i_landscape_recording_put(self, &place, row, line, err)
                              : status;
}

size_t opevo_i_landscape_recording_rows(const opevo_i_landscape_recording *self)
{
    return opevo_i_row_store_count(self->rows);
}

bool opevo_i_landscape_recording_restart(opevo_i_landscape_recording *self)
{
    opevo_index_map_destroy(self->lines);
    self->lines = self->given.space ? opevo_index_map_create() : NULL;
    opevo_i_row_store_destroy(self->rows);
    self->rows = opevo_i_row_store_create(
        self->given.space ? self->given.space : self->described.space, self->flop);
    self->ignored = 0;
    return self->rows && (self->lines || !self->given.space);
}

void opevo_i_landscape_recording_clear(opevo_i_landscape_recording *self)
{
    opevo_space_destroy(self->described.space);
    opevo_space_destroy(self->given.space);
    opevo_free(self->described.columns);
    opevo_free(self->given.columns);
    for (size_t i = 0; self->owns_texts && i < self->name_count; i++)
        opevo_free((char *)self->own_names[i]);
    opevo_free(self->own_names);
    opevo_text_free(&self->inferred);
    opevo_index_map_destroy(self->lines);
    opevo_i_landscape_scratch_clear(&self->scratch);
    opevo_i_row_store_destroy(self->rows);
    opevo_free(self->line_of);
    opevo_i_landscape_criteria_clear(&self->criteria);
    *self = (opevo_i_landscape_recording){0};
}
