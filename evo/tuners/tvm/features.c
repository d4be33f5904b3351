/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of a parameter are listed where they take little room, so that a point's row is a copy of a
 * few stretches of memory. */

#include "features_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum {
    LISTED_MOST = 1 << 16, /* numbers of one parameter */
    ONE_HOT_MOST = 256,
    ARITY_MOST = 1024,   /* of a parameter */
    CACHED_MOST = 100000 /* rows of a source that are kept, as in AutoTVM */
};

typedef struct column {
    const opevo_parameter *parameter;
    bool is_factor;
    bool one_hot;
    size_t width;
    float *listed; /* the rows of all vertices; NULL: worked out each time */
} column;

struct opevo_i_tvm_features {
    size_t width;
    column *columns;
    size_t count;

    const opevo_feature_source *source;
    opevo_index_map *cached; /* point -> its place in `first` */
    size_t *first;           /* number of its first row; after the last, that of the next */
    size_t first_capacity;
    float *rows;
    size_t row_capacity;
};

static float cleaned(double number)
{
    float narrow = (float)number;

    return isfinite(narrow) ? narrow : 0.0F;
}

static void work_out(const column *self, opevo_index vertex, float *row)
{
    opevo_value value[ARITY_MOST];

    if (self->one_hot) {
        memset(row, 0, self->width * sizeof *row);
        row[(size_t)vertex] = 1;
        return;
    }
    opevo_parameter_value(self->parameter, vertex, value);
    for (size_t i = 0; i < self->width; i++) {
        double number = opevo_value_number(value[i]);

        row[i] = isnan(number) ? cleaned((double)vertex) : cleaned(number);
    }
    if (self->is_factor)
        row[0] = -1;
}

/* Whether some value of a short list is a text. */
static bool has_text(const opevo_parameter *parameter)
{
    opevo_value value[ARITY_MOST];
    opevo_index size = opevo_parameter_size(parameter);

    if (opevo_parameter_arity(parameter) != 1 || size > ONE_HOT_MOST)
        return false;
    for (opevo_index vertex = 0; vertex < size; vertex++) {
        opevo_parameter_value(parameter, vertex, value);
        if (value[0].kind == OPEVO_VALUE_TEXT)
            return true;
    }
    return false;
}

/* False without memory. */
static bool set_column(column *self, const opevo_parameter *parameter)
{
    opevo_index size = opevo_parameter_size(parameter);

    self->parameter = parameter;
    self->is_factor = !strcmp(opevo_parameter_type(parameter), "factor");
    self->one_hot = has_text(parameter);
    self->width = self->one_hot ? (size_t)size : opevo_parameter_arity(parameter);
    if (size > LISTED_MOST / self->width)
        return true;
    self->listed = opevo_malloc((size_t)size * self->width, sizeof *self->listed);
    for (size_t vertex = 0; self->listed && vertex < size; vertex++)
        work_out(self, vertex, self->listed + vertex * self->width);
    return self->listed != NULL;
}

static bool set_columns(opevo_i_tvm_features *self, const opevo_space *space)
{
    self->count = opevo_space_parameter_count(space);
    self->columns = opevo_calloc(self->count, sizeof *self->columns);
    if (!self->columns)
        return false;
    for (size_t i = 0; i < self->count; i++) {
        if (!set_column(&self->columns[i], opevo_space_parameter(space, i)))
            return false;
        self->width += self->columns[i].width;
    }
    return true;
}

static bool set_source(opevo_i_tvm_features *self, const opevo_feature_source *source)
{
    self->source = source;
    self->width = source->count;
    self->cached = opevo_index_map_create();
    return self->cached != NULL;
}

opevo_i_tvm_features *opevo_i_tvm_features_create(const opevo_space *space,
                                                  const opevo_feature_source *source)
{
    opevo_i_tvm_features *self = opevo_calloc(1, sizeof *self);

    if (self && (source ? set_source(self, source) : set_columns(self, space)))
        return self;
    opevo_i_tvm_features_destroy(self);
    return NULL;
}

void opevo_i_tvm_features_destroy(opevo_i_tvm_features *features)
{
    if (!features)
        return;
    for (size_t i = 0; features->columns && i < features->count; i++)
        opevo_free(features->columns[i].listed);
    opevo_free(features->columns);
    opevo_index_map_destroy(features->cached);
    opevo_free(features->first);
    opevo_free(features->rows);
    opevo_free(features);
}

size_t opevo_i_tvm_features_width(const opevo_i_tvm_features *features)
{
    return features->width;
}

size_t opevo_i_tvm_features_rows_most(const opevo_i_tvm_features *features)
{
    return features->source ? features->source->rows_most : 1;
}

/* Ask the source for the rows of a point, and keep them at `place`. */
static opevo_status ask_source(opevo_i_tvm_features *self, opevo_index point, size_t place,
                               opevo_error *err)
{
    float *rows = NULL;
    size_t count = 0;

    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->first, &self->first_capacity, place + 2, sizeof *self->first),
        "the features of another point");
    if (place == 0)
        self->first[0] = 0;
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->rows, &self->row_capacity,
                                       self->first[place] + self->source->rows_most,
                                       self->width * sizeof *rows) &&
                             opevo_index_map_put(self->cached, point, place),
                         "the features of another point");
    rows = self->rows + self->first[place] * self->width;
    count = self->source->features(self->source->context, point, rows);
    for (size_t i = 0; i < count * self->width; i++)
        rows[i] = cleaned((double)rows[i]);
    self->first[place + 1] = self->first[place] + count;
    return OPEVO_OK;
}

static opevo_status source_rows(opevo_i_tvm_features *self, opevo_index point, float *rows,
                                size_t *count, opevo_error *err)
{
    uint64_t place = opevo_index_map_count(self->cached);

    if (!opevo_index_map_get(self->cached, point, &place)) {
        opevo_status status = OPEVO_OK;

        if (place > 0 && self->first[place] + self->source->rows_most > CACHED_MOST) {
            opevo_index_map *empty = opevo_index_map_create();

            OPEVO_NEED_OR_RETURN(empty, "the features of points");
            opevo_index_map_destroy(self->cached);
            self->cached = empty;
            place = 0;
        }
        status = ask_source(self, point, (size_t)place, err);
        if (status != OPEVO_OK)
            return status;
    }
    *count = self->first[place + 1] - self->first[place];
    if (*count == 0) {
        memset(rows, 0, self->width * sizeof *rows);
        *count = 1;
        return OPEVO_OK;
    }
    memcpy(rows, self->rows + self->first[place] * self->width,
           *count * self->width * sizeof *rows);
    return OPEVO_OK;
}

bool opevo_i_tvm_features_need_numbers(const opevo_i_tvm_features *features)
{
    return features->source;
}

bool opevo_i_tvm_features_are_missing(const opevo_i_tvm_features *features, opevo_index point)
{
    uint64_t place = 0;

    return features->source && opevo_index_map_get(features->cached, point, &place) &&
           features->first[place] == features->first[place + 1];
}

opevo_status opevo_i_tvm_features_rows(opevo_i_tvm_features *features, opevo_index point,
                                       const opevo_index *vertices, float *rows, size_t *count,
                                       opevo_error *err)
{
    if (features->source)
        return source_rows(features, point, rows, count, err);
    *count = 1;
    for (size_t i = 0; i < features->count; i++) {
        const column *one = &features->columns[i];

        if (vertices[i] == OPEVO_INACTIVE)
            memset(rows, 0, one->width * sizeof *rows);
        else if (one->listed && one->width == 1)
            *rows = one->listed[(size_t)vertices[i]];
        else if (one->listed)
            memcpy(rows, one->listed + (size_t)vertices[i] * one->width, one->width * sizeof *rows);
        else
            work_out(one, vertices[i], rows);
        rows += one->width;
    }
    return OPEVO_OK;
}
