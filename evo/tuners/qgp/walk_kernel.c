/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Features of a space, points by their classes, and rows of the product kernel. */

#include "walk_kernel_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

enum { START_LEVEL = 3 };

typedef struct axis {
    size_t size;            /* numbers; 0 where it shares no table with others */
    uint32_t inactive;      /* the number of a parameter that is not active */
    size_t first, count;    /* its features */
    opevo_index_map *known; /* of too many values for a table: those met, numbered */
} axis;

/* A feature without tables: its values are equal or not. */
typedef struct compared {
    size_t column;  /* of values */
    bool is_powers; /* about powers of two */
    double share;   /* of a single value among all */
    bool is_values; /* about the values themselves: the feature depends on their graph alone */
    opevo_i_qgp_walk_feature feature;
} compared;

/* Columns first .. first + count - 1; those without a size stand alone. */
typedef struct group {
    size_t first, count, size;
} group;

struct opevo_i_qgp_walk_kernel {
    const opevo_space *space;
    size_t width; /* columns of values: the parameters, and what else is compared */
    size_t mixed; /* parameters, each with a feature on powers of two */
    size_t group_count, feature_count, feature_capacity;
    axis *axes;
    group *groups;
    compared *features;
    opevo_index *vertices; /* scratch */
};

/* ---- Parameters ---- */

static bool is_conditional(const opevo_i_qgp_walk_kernel *self, size_t p)
{
    return opevo_space_activation(self->space, p).parent != OPEVO_NO_PARENT;
}

/* The feature of an earlier parameter about the values of the same graph, NULL without one. Equal
 * paths and equal complete graphs are found: those are most of what is large. */
static const opevo_i_qgp_walk_feature *find_equal(const opevo_i_qgp_walk_kernel *self, size_t p)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->space, p);
    opevo_family family = opevo_parameter_family(parameter);

    for (size_t f = 0; f < self->feature_count; f++) {
        const compared *known = &self->features[f];
        const opevo_parameter *other = opevo_space_parameter(self->space, known->column);

        if (known->is_values && !is_conditional(self, known->column) &&
            (family == OPEVO_FAMILY_PATH || family == OPEVO_FAMILY_COMPLETE) &&
            opevo_parameter_family(other) == family &&
            opevo_parameter_size(other) == opevo_parameter_size(parameter))
            return &known->feature;
    }
    return NULL;
}

/* Append a feature, unless it has a single class. */
static opevo_status add_feature(opevo_i_qgp_walk_kernel *self, size_t p, int what, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_parameter *parameter = opevo_space_parameter(self->space, p);
    compared made = {.column = p,
                     .is_powers = what == OPEVO_I_FEATURE_KIND,
                     .is_values = what == OPEVO_I_FEATURE_VALUE};
    const opevo_i_qgp_walk_feature *equal =
        made.is_values && !is_conditional(self, p) ? find_equal(self, p) : NULL;

    if (equal) {
        made.feature = *equal;
        made.feature.borrowed = true;
    } else {
        OPEVO_TRY(opevo_i_qgp_walk_feature_init(&made.feature, parameter, what, err));
    }
    if (made.feature.classes == 1) {
        opevo_i_qgp_walk_feature_clear(&made.feature);
        return OPEVO_OK;
    }
    if (is_conditional(self, p))
        OPEVO_TRY(opevo_i_qgp_walk_feature_add_inactive(
            &made.feature, (size_t)opevo_parameter_size(parameter), err));
    self->features[self->feature_count++] = made;
    self->axes[p].count++;
    self->mixed += made.is_powers;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_qgp_walk_feature_clear(&made.feature);
    return status;
}

static bool has_components(const opevo_parameter *parameter)
{
    return opevo_parameter_arity(parameter) > 2 &&
           opevo_parameter_size(parameter) <= OPEVO_I_CLASSIFIED_MOST;
}

static opevo_status fill_axis(opevo_i_qgp_walk_kernel *self, size_t p, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_parameter *parameter = opevo_space_parameter(self->space, p);
    opevo_index size = opevo_parameter_size(parameter);
    size_t arity = opevo_parameter_arity(parameter);
    axis *made = &self->axes[p];

    made->first = self->feature_count;
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->features, &self->feature_capacity,
                                       self->feature_count + arity + 1, sizeof *self->features),
                         "the correlations of a space");
    made->inactive = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    made->size = size <= OPEVO_I_DENSE_MOST ? (size_t)size : 0;
    if (has_components(parameter)) {
        for (size_t k = 0; k < arity; k++)
            OPEVO_TRY(add_feature(self, p, (int)k, err));
    } else if (made->size) {
        OPEVO_TRY(add_feature(self, p, OPEVO_I_FEATURE_VALUE, err));
        if (arity == 1 && size > 2)
            OPEVO_TRY(add_feature(self, p, OPEVO_I_FEATURE_KIND, err));
    } else {
        made->known = opevo_index_map_create();
        OPEVO_NEED_OR_RETURN(made->known, "the correlations of a space");
        self->features[self->feature_count++] = (compared){.column = p, .share = 1 / (double)size};
        made->count = 1;
    }
    if (made->size && is_conditional(self, p))
        made->size++;
cleanup:
    return status;
}

static void make_groups(opevo_i_qgp_walk_kernel *self)
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

/* Append a column whose values are equal or not. */
static opevo_status fill_equality(opevo_i_qgp_walk_kernel *self, bool is_powers, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->features, &self->feature_capacity,
                                       self->feature_count + 1, sizeof *self->features),
                         "the correlations of a space");
    self->axes[self->width] =
        (axis){.inactive = UINT32_MAX, .first = self->feature_count, .count = 1};
    self->features[self->feature_count++] =
        (compared){.column = self->width, .is_powers = is_powers};
    self->width++;
    return OPEVO_OK;
}

static opevo_status fill(opevo_i_qgp_walk_kernel *self, size_t runs, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t parameters = opevo_space_parameter_count(self->space);

    self->axes = opevo_calloc(parameters + 2, sizeof *self->axes);
    self->groups = opevo_calloc(parameters + 2, sizeof *self->groups);
    self->vertices = opevo_malloc(parameters + 2, sizeof *self->vertices);
    OPEVO_NEED_OR_RETURN(self->axes && self->groups && self->vertices,
                         "the correlations of a space");
    self->width = parameters;
    for (size_t p = 0; p < parameters; p++)
        OPEVO_TRY(fill_axis(self, p, err));
    if (self->mixed > 1)
        OPEVO_TRY(fill_equality(self, true, err));
    if (runs > 1)
        OPEVO_TRY(fill_equality(self, false, err));
    make_groups(self);
cleanup:
    return status;
}

opevo_status opevo_i_qgp_walk_kernel_create(const opevo_space *space, size_t runs,
                                            opevo_i_qgp_walk_kernel **out, opevo_error *err)
{
    opevo_i_qgp_walk_kernel *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the correlations of a space");
    self->space = space;
    status = fill(self, runs, err);
    if (status != OPEVO_OK) {
        opevo_i_qgp_walk_kernel_destroy(self);
        return status;
    }
    *out = self;
    return OPEVO_OK;
}

void opevo_i_qgp_walk_kernel_destroy(opevo_i_qgp_walk_kernel *kernel)
{
    if (!kernel)
        return;
    for (size_t p = 0; kernel->axes && p < kernel->width; p++)
        opevo_index_map_destroy(kernel->axes[p].known);
    for (size_t f = 0; f < kernel->feature_count; f++)
        opevo_i_qgp_walk_feature_clear(&kernel->features[f].feature);
    opevo_free(kernel->features);
    opevo_free(kernel->axes);
    opevo_free(kernel->groups);
    opevo_free(kernel->vertices);
    opevo_free(kernel);
}

size_t opevo_i_qgp_walk_kernel_features(const opevo_i_qgp_walk_kernel *kernel)
{
    return kernel->feature_count;
}

bool opevo_i_qgp_walk_kernel_is_optional(const opevo_i_qgp_walk_kernel *kernel, size_t feature)
{
    return kernel->mixed > 1 && kernel->features[feature].is_powers;
}

unsigned char opevo_i_qgp_walk_kernel_start(const opevo_i_qgp_walk_kernel *kernel, size_t feature)
{
    bool is_of_one = kernel->features[feature].feature.tables != NULL;

    return opevo_i_qgp_walk_kernel_is_optional(kernel, feature) && is_of_one ? OPEVO_I_LEVELS - 1
                                                                             : START_LEVEL;
}

/* ---- Points ---- */

opevo_status opevo_i_qgp_points_init(opevo_i_qgp_points *points,
                                     const opevo_i_qgp_walk_kernel *kernel, opevo_error *err)
{
    *points = (opevo_i_qgp_points){.kernel = kernel};
    points->values = opevo_calloc(kernel->width, sizeof *points->values);
    points->joints = opevo_calloc(kernel->group_count, sizeof *points->joints);
    if (!points->values || !points->joints) {
        opevo_i_qgp_points_clear(points);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
    }
    return OPEVO_OK;
}

void opevo_i_qgp_points_clear(opevo_i_qgp_points *points)
{
    for (size_t p = 0; points->values && p < points->kernel->width; p++)
        opevo_free(points->values[p]);
    for (size_t g = 0; points->joints && g < points->kernel->group_count; g++)
        opevo_free(points->joints[g]);
    opevo_free(points->values);
    opevo_free(points->joints);
    *points = (opevo_i_qgp_points){0};
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

static opevo_status make_room(opevo_i_qgp_points *points, opevo_error *err)
{
    size_t capacity = points->capacity * 2 + 32;

    if (points->count < points->capacity)
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(grow(points->values, points->kernel->width, capacity) &&
                             grow(points->joints, points->kernel->group_count, capacity),
                         "%zu points", capacity);
    points->capacity = capacity;
    return OPEVO_OK;
}

/* The number of a value in its column; false without memory. */
static bool number_of(axis *self, opevo_index vertex, uint32_t *number)
{
    uint64_t known = 0;

    if (vertex == OPEVO_INACTIVE) {
        *number = self->inactive;
        return true;
    }
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

/* Whether all mixed parameters that are active have a power of two. */
static bool are_powers(const opevo_i_qgp_walk_kernel *self)
{
    for (size_t f = 0; f < self->feature_count; f++) {
        const compared *kinds = &self->features[f];

        if (kinds->is_powers && kinds->feature.tables &&
            self->vertices[kinds->column] != OPEVO_INACTIVE &&
            kinds->feature.class_of[self->vertices[kinds->column]] != 0)
            return false;
    }
    return true;
}

opevo_status opevo_i_qgp_points_add(opevo_i_qgp_points *points, opevo_i_qgp_walk_kernel *kernel,
                                    opevo_index point, size_t run, opevo_error *err)
{
    opevo_status status = make_room(points, err);
    size_t at = points->count;
    size_t next = opevo_space_parameter_count(kernel->space);

    if (status != OPEVO_OK)
        return status;
    opevo_space_decode(kernel->space, point, kernel->vertices);
    if (kernel->mixed > 1)
        kernel->vertices[next++] = are_powers(kernel);
    kernel->vertices[next] = run;
    for (size_t p = 0; p < kernel->width; p++) {
        OPEVO_NEED_OR_RETURN(
            number_of(&kernel->axes[p], kernel->vertices[p], &points->values[p][at]),
            "the values of a point");
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

opevo_status opevo_i_qgp_points_copy(opevo_i_qgp_points *points, const opevo_i_qgp_points *from,
                                     size_t i, opevo_error *err)
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

/* By a feature without tables. */
static void multiply_equal(const compared *self, uint32_t inactive, double q, uint32_t value,
                           const uint32_t *others, size_t count, float *products)
{
    float apart = (float)q;
    float mean = (float)(self->share + (1 - self->share) * q);

    for (size_t j = 0; j < count; j++) {
        float between = others[j] == inactive || value == inactive ? mean : apart;

        products[j] *= others[j] == value ? 1 : between;
    }
}

void opevo_i_qgp_walk_kernel_multiply(const opevo_i_qgp_walk_kernel *kernel, size_t feature,
                                      unsigned level, const opevo_i_qgp_points *of, size_t i,
                                      opevo_i_qgp_point_range to, float *products)
{
    const compared *self = &kernel->features[feature];
    uint32_t value = of->values[self->column][i];
    const uint32_t *others = to.points->values[self->column] + to.first;
    const uint16_t *class_of = self->feature.class_of;
    const float *row = NULL;

    if (!self->feature.tables) {
        multiply_equal(self, kernel->axes[self->column].inactive, opevo_i_qgp_level_q[level], value,
                       others, to.count, products);
        return;
    }
    row = opevo_i_qgp_walk_feature_row(&self->feature, level, value);
    for (size_t j = 0; j < to.count; j++)
        products[j] *= row[class_of[others[j]]];
}

/* out[v] = correlation of `value` with v, for all numbers of a parameter. */
static void fill_row(const opevo_i_qgp_walk_kernel *kernel, const axis *self,
                     const unsigned char *levels, uint32_t value, float *out)
{
    for (size_t v = 0; v < self->size; v++)
        out[v] = 1;
    for (size_t f = self->first; f < self->first + self->count; f++) {
        const opevo_i_qgp_walk_feature *feature = &kernel->features[f].feature;
        const float *row = opevo_i_qgp_walk_feature_row(feature, levels[f], value);

        for (size_t v = 0; v < self->size; v++)
            out[v] *= row[feature->class_of[v]];
    }
}

/* out[joint value] = product over the group's parameters. Extended one parameter at a time, from
 * the end, so that no part is overwritten before it is read. */
static void fill_joint_row(const opevo_i_qgp_walk_kernel *kernel, const group *joined,
                           const unsigned char *levels, const opevo_i_qgp_points *of, size_t i,
                           float *out)
{
    float row[OPEVO_I_DENSE_MOST + 1];
    size_t done = 1;

    out[0] = 1;
    for (size_t p = joined->first; p < joined->first + joined->count; p++) {
        size_t size = kernel->axes[p].size;

        fill_row(kernel, &kernel->axes[p], levels, of->values[p][i], row);
        for (size_t k = done; k-- > 0;) {
            float before = out[k];

            for (size_t v = size; v-- > 0;)
                out[k * size + v] = before * row[v];
        }
        done *= size;
    }
}

void opevo_i_qgp_walk_kernel_row(const opevo_i_qgp_walk_kernel *kernel, const unsigned char *levels,
                                 const opevo_i_qgp_points *of, size_t i, opevo_i_qgp_point_range to,
                                 float *products)
{
    float joint[OPEVO_I_JOINT_MOST];

    for (size_t j = 0; j < to.count; j++)
        products[j] = 1;
    for (size_t g = 0; g < kernel->group_count; g++) {
        const group *joined = &kernel->groups[g];
        const axis *alone = &kernel->axes[joined->first];
        const uint32_t *others = NULL;

        if (!joined->size) {
            for (size_t f = alone->first; f < alone->first + alone->count; f++)
                opevo_i_qgp_walk_kernel_multiply(kernel, f, levels[f], of, i, to, products);
            continue;
        }
        others = to.points->joints[g] + to.first;
        fill_joint_row(kernel, joined, levels, of, i, joint);
        for (size_t j = 0; j < to.count; j++)
            products[j] *= joint[others[j]];
    }
}
