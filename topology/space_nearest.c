/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nearest values by looking at all of them; nearest allowed points by breadth first search. */

#include <opevo/nearest.h>

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { LOOKED_AT_MOST = 1 << 20, SEARCHED_MOST = 1 << 14, ARITY_MOST = 64 };

/* ---- Values --------------------------------------------------------------------------------- */

static double factor_distance(const opevo_value *a, const opevo_value *b, size_t arity)
{
    double sum = 0;
    double inner = 0; /* log2 P_k - log2 Q_k */

    for (size_t k = arity; k-- > 1;) {
        inner += log2(opevo_value_number(a[k])) - log2(opevo_value_number(b[k]));
        sum += ldexp(inner * inner, (int)k);
    }
    return sum;
}

/* INFINITY where the values have nothing in common. */
static double number_distance(const opevo_value *a, const opevo_value *b)
{
    double x = opevo_value_number(*a);
    double y = opevo_value_number(*b);

    if (a->kind > OPEVO_VALUE_REAL || b->kind > OPEVO_VALUE_REAL || signbit(x) != signbit(y))
        return INFINITY;
    return fabs(log2(1 + fabs(x)) - log2(1 + fabs(y)));
}

bool opevo_parameter_nearest(const opevo_parameter *parameter, const opevo_value *wanted,
                             opevo_index *vertex)
{
    size_t arity = opevo_parameter_arity(parameter);
    bool factor = !strcmp(opevo_parameter_type(parameter), "factor");
    opevo_index size = opevo_parameter_size(parameter);
    double nearest = INFINITY;

    if (opevo_parameter_find(parameter, wanted, vertex))
        return true;
    if (size > LOOKED_AT_MOST || arity > ARITY_MOST || (!factor && arity > 1))
        return false;
    for (opevo_index v = 0; v < size; v++) {
        opevo_value value[ARITY_MOST];
        double distance = 0;

        opevo_parameter_value(parameter, v, value);
        distance = factor ? factor_distance(value, wanted, arity) : number_distance(value, wanted);
        if (distance < nearest) {
            nearest = distance;
            *vertex = v;
        }
    }
    return nearest < INFINITY;
}

size_t opevo_space_carry(const opevo_space *from, opevo_index point, const opevo_space *space,
                         opevo_index *vertices)
{
    opevo_index theirs[OPEVO_SPACE_PARAMETERS_MAX];
    size_t found = 0;

    opevo_space_decode(from, point, theirs);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        size_t arity = opevo_parameter_arity(parameter);

        for (size_t k = 0; k < opevo_space_parameter_count(from) && arity <= ARITY_MOST; k++) {
            const opevo_parameter *other = opevo_space_parameter(from, k);
            opevo_value value[ARITY_MOST];

            if (strcmp(opevo_parameter_name(parameter), opevo_parameter_name(other)) != 0 ||
                opevo_parameter_arity(other) != arity)
                continue;
            opevo_parameter_value(other, theirs[k], value);
            found += opevo_parameter_nearest(parameter, value, &vertices[i]);
        }
    }
    return found;
}

/* ---- Points --------------------------------------------------------------------------------- */

typedef struct search {
    const opevo_space *space;
    opevo_index_set *met;
    opevo_index *queue; /* SEARCHED_MOST */
    size_t count;
} search;

static opevo_status meet(search *self, opevo_index point, opevo_error *err)
{
    if (self->count == SEARCHED_MOST || opevo_index_set_has(self->met, point))
        return OPEVO_OK;
    if (!opevo_index_set_add(self->met, point))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to look for an allowed point.");
    self->queue[self->count++] = point;
    return OPEVO_OK;
}

static opevo_status meet_neighbours(search *self, opevo_index point, opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_status status = OPEVO_OK;

    opevo_space_decode(self->space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->space, i);
        opevo_index vertex = vertices[i];
        opevo_index degree =
            vertex == OPEVO_INACTIVE ? 0 : opevo_parameter_degree(parameter, vertex);

        for (opevo_index k = 0; k < degree && self->count < SEARCHED_MOST; k++) {
            vertices[i] = opevo_parameter_neighbour(parameter, vertex, k);
            OPEVO_TRY(meet(self, opevo_space_encode(self->space, vertices), err));
        }
        vertices[i] = vertex;
    }
cleanup:
    return status;
}

opevo_status opevo_space_nearest_allowed(const opevo_space *space, const opevo_index *vertices,
                                         bool *found, opevo_index *point, opevo_error *err)
{
    search self = {.space = space, .met = opevo_index_set_create()};
    opevo_status status = OPEVO_OK;

    *found = false;
    self.queue = opevo_malloc(SEARCHED_MOST, sizeof *self.queue);
    if (!self.met || !self.queue) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to look for an allowed point.");
        goto cleanup;
    }
    OPEVO_TRY(meet(&self, opevo_space_encode(space, vertices), err));
    for (size_t i = 0; i < self.count && !*found; i++) {
        *found = opevo_space_allows(space, self.queue[i]);
        if (*found)
            *point = self.queue[i];
        else
            OPEVO_TRY(meet_neighbours(&self, self.queue[i], err));
    }
cleanup:
    opevo_index_set_destroy(self.met);
    opevo_free(self.queue);
    return status;
}
