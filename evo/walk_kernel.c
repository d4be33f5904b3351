/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "walk_kernel_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <lapacke.h>

#include <math.h>

/* Two values side by side on a path of two correlate by q itself; in the middle of a path of sixteen
 * by .15, .33, .5, .63, .79, .89, .96, .986 and .999. */
const double opevo_i_level_q[OPEVO_I_LEVELS] = {.3, .6, .8, .9, .97, .99, .997, .999, .9999};

typedef struct axis {
    size_t size;            /* values; 0 where there is no table */
    float *tables;          /* size x size for each level */
    unsigned char *kinds;   /* of each value: 1 unless it is a power of two; NULL: all alike */
    opevo_index_map *known; /* without a table: the values met, numbered */
    bool single;            /* of one value */
} axis;

/* Parameters first .. first + count - 1; those without a table stand alone. */
typedef struct group {
    size_t first, count, size;
} group;

struct opevo_i_walk_kernel {
    const opevo_space *space;
    size_t width, group_count;
    axis *axes;
    group *groups;
    opevo_index *vertices; /* scratch */
};

/* ---- Tables ---- */

/* I - q N, the lower triangle. */
static void fill_matrix(const opevo_parameter *parameter, double q, size_t n, double *matrix)
{
    for (size_t i = 0; i < n * n; i++)
        matrix[i] = 0;
    for (size_t u = 0; u < n; u++) {
        opevo_index degree = opevo_parameter_degree(parameter, u);

        matrix[u * n + u] += 1;
        for (opevo_index k = 0; k < degree; k++) {
            size_t v = (size_t)opevo_parameter_neighbour(parameter, u, k);

            if (v < u)
                matrix[u * n + v] -=
                    q / sqrt((double)degree * (double)opevo_parameter_degree(parameter, v));
        }
    }
}

/* The spectrum of I - q N is within [1 - q, 1 + q], so the factorisation cannot fail. */
static void fill_table(const opevo_parameter *parameter, double q, size_t n, double *matrix,
                       float *table)
{
    fill_matrix(parameter, q, n, matrix);
    (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, matrix, (int)n);
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, matrix, (int)n);
    for (size_t u = 0; u < n; u++) {
        for (size_t v = 0; v <= u; v++) {
            double scale = sqrt(matrix[u * n + u] * matrix[v * n + v]);

            table[u * n + v] = table[v * n + u] = (float)(matrix[u * n + v] / scale);
        }
    }
}

static bool fill_tables(axis *self, const opevo_parameter *parameter)
{
    size_t n = self->size;
    double *matrix = opevo_malloc(n * n, sizeof *matrix);

    self->tables = opevo_malloc(OPEVO_I_LEVELS * n * n, sizeof *self->tables);
    for (size_t level = 0; matrix && self->tables && level < OPEVO_I_LEVELS; level++)
        fill_table(parameter, opevo_i_level_q[level], n, matrix, self->tables + level * n * n);
    opevo_free(matrix);
    return matrix && self->tables;
}

/* Leaves `kinds` NULL where all values are of one kind. */
static bool fill_kinds(axis *self, const opevo_parameter *parameter)
{
    size_t others = 0;

    if (self->size < 3 || opevo_parameter_arity(parameter) != 1)
        return true;
    self->kinds = opevo_malloc(self->size, 1);
    if (!self->kinds)
        return false;
    for (size_t v = 0; v < self->size; v++) {
        opevo_value value;
        int64_t number = 0;

        opevo_parameter_value(parameter, v, &value);
        number = value.kind == OPEVO_VALUE_INTEGER ? value.as.integer : 0;
        self->kinds[v] = number <= 0 || (number & (number - 1)) != 0;
        others += self->kinds[v];
    }
    if (others == 0 || others == self->size) {
        opevo_free(self->kinds);
        self->kinds = NULL;
    }
    return true;
}

static bool fill_axis(axis *self, const opevo_parameter *parameter)
{
    opevo_index size = opevo_parameter_size(parameter);

    self->single = size == 1;
    if (size > OPEVO_I_DENSE_MOST) {
        self->known = opevo_index_map_create();
        return self->known != NULL;
    }
    self->size = (size_t)size;
    return fill_tables(self, parameter) && fill_kinds(self, parameter);
}

static void make_groups(opevo_i_walk_kernel *self)
{
    group *last = NULL;

    for (size_t p = 0; p < self->width; p++) {
        size_t size = self->axes[p].size;

        if (last && size && last->size && last->size * size <= OPEVO_I_JOINT_MOST) {
            last->size *= size;
            last->count++;
        } else {
            last = &self->groups[self->group_count++];
            *last = (group){.first = p, .count = 1, .size = size};
        }
    }
}

opevo_status opevo_i_walk_kernel_create(const opevo_space *space, opevo_i_walk_kernel **out,
                                        opevo_error *err)
{
    opevo_i_walk_kernel *self = opevo_calloc(1, sizeof *self);
    bool fine = self != NULL;

    if (fine) {
        self->space = space;
        self->width = opevo_space_parameter_count(space);
        self->axes = opevo_calloc(self->width, sizeof *self->axes);
        self->groups = opevo_calloc(self->width, sizeof *self->groups);
        self->vertices = opevo_malloc(self->width, sizeof *self->vertices);
        fine = self->axes && self->groups && self->vertices;
    }
    for (size_t p = 0; fine && p < self->width; p++)
        fine = fill_axis(&self->axes[p], opevo_space_parameter(space, p));
    if (!fine) {
        opevo_i_walk_kernel_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the correlations of a space.");
    }
    make_groups(self);
    *out = self;
    return OPEVO_OK;
}

void opevo_i_walk_kernel_destroy(opevo_i_walk_kernel *kernel)
{
    if (!kernel)
        return;
    for (size_t p = 0; kernel->axes && p < kernel->width; p++) {
        opevo_free(kernel->axes[p].tables);
        opevo_free(kernel->axes[p].kinds);
        opevo_index_map_destroy(kernel->axes[p].known);
    }
    opevo_free(kernel->axes);
    opevo_free(kernel->groups);
    opevo_free(kernel->vertices);
    opevo_free(kernel);
}

size_t opevo_i_walk_kernel_width(const opevo_i_walk_kernel *kernel)
{
    return kernel->width;
}

bool opevo_i_walk_kernel_has_walk(const opevo_i_walk_kernel *kernel, size_t parameter)
{
    return !kernel->axes[parameter].single;
}

bool opevo_i_walk_kernel_has_kind(const opevo_i_walk_kernel *kernel, size_t parameter)
{
    return kernel->axes[parameter].kinds != NULL;
}

/* ---- Points ---- */

opevo_status opevo_i_points_init(opevo_i_points *points, const opevo_i_walk_kernel *kernel,
                                 opevo_error *err)
{
    *points = (opevo_i_points){.kernel = kernel};
    points->values = opevo_calloc(kernel->width, sizeof *points->values);
    points->joints = opevo_calloc(kernel->group_count, sizeof *points->joints);
    if (!points->values || !points->joints) {
        opevo_i_points_clear(points);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
    }
    return OPEVO_OK;
}

void opevo_i_points_clear(opevo_i_points *points)
{
    for (size_t p = 0; points->values && p < points->kernel->width; p++)
        opevo_free(points->values[p]);
    for (size_t g = 0; points->joints && g < points->kernel->group_count; g++)
        opevo_free(points->joints[g]);
    opevo_free(points->values);
    opevo_free(points->joints);
    *points = (opevo_i_points){0};
}

static bool grow(uint32_t **columns, size_t count, size_t capacity)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *grown = opevo_realloc(columns[i], capacity, sizeof *grown);

        if (!grown)
            return false;
        columns[i] = grown;
    }
    return true;
}

static opevo_status make_room(opevo_i_points *points, opevo_error *err)
{
    size_t capacity = points->capacity * 2 + 32;

    if (points->count < points->capacity)
        return OPEVO_OK;
    if (!grow(points->values, points->kernel->width, capacity) ||
        !grow(points->joints, points->kernel->group_count, capacity))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu points.", capacity);
    points->capacity = capacity;
    return OPEVO_OK;
}

/* The number of a value in its column; false without memory. */
static bool number_of(axis *self, opevo_index vertex, uint32_t *number)
{
    uint64_t known = 0;

    if (!self->known) {
        *number = (uint32_t)vertex;
        return true;
    }
    if (!opevo_index_map_get(self->known, vertex, &known)) {
        known = opevo_index_map_count(self->known);
        if (!opevo_index_map_put(self->known, vertex, known))
            return false;
    }
    *number = (uint32_t)known;
    return true;
}

opevo_status opevo_i_points_add(opevo_i_points *points, opevo_i_walk_kernel *kernel,
                                opevo_index point, opevo_error *err)
{
    opevo_status status = make_room(points, err);
    size_t at = points->count;

    if (status != OPEVO_OK)
        return status;
    opevo_space_decode(kernel->space, point, kernel->vertices);
    for (size_t p = 0; p < kernel->width; p++) {
        if (!number_of(&kernel->axes[p], kernel->vertices[p], &points->values[p][at]))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the values of a point.");
    }
    for (size_t g = 0; g < kernel->group_count; g++) {
        const group *joined = &kernel->groups[g];
        uint32_t joint = 0;

        for (size_t p = joined->first; p < joined->first + joined->count; p++)
            joint = joint * (uint32_t)kernel->axes[p].size + points->values[p][at];
        points->joints[g][at] = joint;
    }
    points->count++;
    return OPEVO_OK;
}

opevo_status opevo_i_points_copy(opevo_i_points *points, const opevo_i_points *from, size_t i,
                                 opevo_error *err)
{
    opevo_status status = make_room(points, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t p = 0; p < points->kernel->width; p++)
        points->values[p][points->count] = from->values[p][i];
    for (size_t g = 0; g < points->kernel->group_count; g++)
        points->joints[g][points->count] = from->joints[g][i];
    points->count++;
    return OPEVO_OK;
}

/* ---- Correlations ---- */

static const float *table_row(const axis *self, unsigned level, uint32_t value)
{
    return self->tables + (level * self->size + value) * self->size;
}

static void multiply_equal(double q, uint32_t value, const uint32_t *others, size_t count,
                           float *products)
{
    for (size_t j = 0; j < count; j++)
        products[j] *= others[j] == value ? 1 : (float)q;
}

void opevo_i_walk_kernel_multiply(const opevo_i_walk_kernel *kernel, size_t parameter,
                                  opevo_i_levels levels, const opevo_i_points *of, size_t i,
                                  const opevo_i_points *to, size_t first, size_t count,
                                  float *products)
{
    const axis *self = &kernel->axes[parameter];
    uint32_t value = of->values[parameter][i];
    const uint32_t *others = to->values[parameter] + first;
    const float *row = NULL;
    float other_kind = (float)opevo_i_level_q[levels.kind];

    if (!self->size) {
        multiply_equal(opevo_i_level_q[levels.walk], value, others, count, products);
        return;
    }
    row = table_row(self, levels.walk, value);
    for (size_t j = 0; j < count; j++)
        products[j] *= row[others[j]];
    for (size_t j = 0; self->kinds && j < count; j++)
        products[j] *= self->kinds[others[j]] == self->kinds[value] ? 1 : other_kind;
}

/* out[v] = correlation of `value` with v, for all values of the parameter. */
static void fill_row(const axis *self, opevo_i_levels levels, uint32_t value, float *out)
{
    const float *row = table_row(self, levels.walk, value);
    float other_kind = (float)opevo_i_level_q[levels.kind];

    for (size_t v = 0; v < self->size; v++)
        out[v] = self->kinds && self->kinds[v] != self->kinds[value] ? row[v] * other_kind : row[v];
}

/* out[joint value] = product over the group's parameters. Extended one parameter at a time, from the
 * end, so that no part is overwritten before it is read. */
static void fill_joint_row(const opevo_i_walk_kernel *kernel, const group *joined,
                           const opevo_i_levels *levels, const opevo_i_points *of, size_t i,
                           float *out)
{
    float row[OPEVO_I_DENSE_MOST];
    size_t done = 1;

    out[0] = 1;
    for (size_t p = joined->first; p < joined->first + joined->count; p++) {
        size_t size = kernel->axes[p].size;

        fill_row(&kernel->axes[p], levels[p], of->values[p][i], row);
        for (size_t k = done; k-- > 0;) {
            float before = out[k];

            for (size_t v = size; v-- > 0;)
                out[k * size + v] = before * row[v];
        }
        done *= size;
    }
}

void opevo_i_walk_kernel_row(const opevo_i_walk_kernel *kernel, const opevo_i_levels *levels,
                             const opevo_i_points *of, size_t i, const opevo_i_points *to,
                             size_t first, size_t count, float *products)
{
    float joint[OPEVO_I_JOINT_MOST];

    for (size_t j = 0; j < count; j++)
        products[j] = 1;
    for (size_t g = 0; g < kernel->group_count; g++) {
        const group *joined = &kernel->groups[g];
        const uint32_t *others = to->joints[g] + first;

        if (!joined->size) {
            multiply_equal(opevo_i_level_q[levels[joined->first].walk],
                           of->values[joined->first][i], others, count, products);
            continue;
        }
        fill_joint_row(kernel, joined, levels, of, i, joint);
        for (size_t j = 0; j < count; j++)
            products[j] *= joint[others[j]];
    }
}
