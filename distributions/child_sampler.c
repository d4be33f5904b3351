/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Children drawn one at a time: a parent for each parameter by its weight, a walk from there, and
 * the same again for what may not be proposed. */

#include <opevo/child_given.h>
#include <opevo/child_sampler.h>
#include <opevo/diagram.h>
#include <opevo/mutation.h>
#include <opevo/space_listed.h>

#include <opevo/memory.h>
#include <opevo/sampler.h>

#include <math.h>
#include <string.h>

struct opevo_child_sampler {
    const opevo_space *space;
    size_t width; /* parameters of the space */
    bool walks;   /* q > 0: a mutation can change something */
    bool redraw;
    double q;
    opevo_child_given *given;     /* the rule's, for the parents at hand; NULL: another rule */
    bool conditions;              /* the rule is OPEVO_DUPLICATE_GIVEN */
    bool sparse, wide;            /* the space is */
    const opevo_diagram *diagram; /* says fastest what is allowed; NULL: the constraints do */
    opevo_walker **walkers;       /* one for each parameter */
    opevo_mutation *mutation;     /* with a diagram and without branches; NULL: in full */
    /* With branches, otherwise NULL: the parameters of one branch, which are active in the same
     * parents, form a group; group 0 is always active. */
    size_t *group;
    size_t group_count;
    opevo_index *recombined; /* scratch for redrawing: `width` vertices */
    size_t parent_count;
    size_t parent_capacity;
    opevo_index *parents; /* `width` vertices for each */
    /* Of each group: weights up to and with each parent's in which it is active, the largest of all
     * weights being 1; a row of parent_capacity. */
    double *cumulative;
};

void opevo_child_sampler_destroy(opevo_child_sampler *sampler)
{
    if (!sampler)
        return;
    for (size_t i = 0; sampler->walkers && i < sampler->width; i++)
        opevo_walker_destroy(sampler->walkers[i]);
    opevo_mutation_destroy(sampler->mutation);
    opevo_child_given_destroy(sampler->given);
    opevo_free(sampler->walkers);
    opevo_free(sampler->group);
    opevo_free(sampler->recombined);
    opevo_free(sampler->parents);
    opevo_free(sampler->cumulative);
    opevo_free(sampler);
}

/* A parameter joins the group of the one before it in its branch; branches inside stand between. */
static bool form_groups(opevo_child_sampler *self)
{
    self->group_count = 1;
    if (!opevo_space_has_branches(self->space))
        return true;
    self->group = opevo_calloc(self->width, sizeof *self->group);
    for (size_t i = 0; self->group && i < self->width; i++) {
        opevo_activation when = opevo_space_activation(self->space, i);
        size_t k = i;

        if (when.parent == OPEVO_NO_PARENT)
            continue;
        while (k-- > when.parent + 1) {
            opevo_activation other = opevo_space_activation(self->space, k);

            if (other.parent == when.parent && other.value == when.value)
                break;
        }
        self->group[i] = k > when.parent ? self->group[k] : self->group_count++;
    }
    return self->group;
}

opevo_status opevo_child_sampler_create(const opevo_space *space, double q,
                                        opevo_duplicate_rule rule, opevo_child_sampler **out,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_child_sampler *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a child sampler");
    self->space = space;
    self->sparse = opevo_space_is_sparse(space);
    self->wide = opevo_space_is_wide(space);
    self->diagram = opevo_space_draws_from(space);
    self->width = opevo_space_parameter_count(space);
    self->walks = q > 0;
    self->redraw = rule == OPEVO_DUPLICATE_REDRAW;
    self->conditions = rule == OPEVO_DUPLICATE_GIVEN;
    self->q = q;
    self->walkers = opevo_calloc(self->width, sizeof(opevo_walker *));
    self->recombined = opevo_malloc(self->width, sizeof *self->recombined);
    OPEVO_NEED(self->walkers && self->recombined && form_groups(self), "a child sampler");
    for (size_t i = 0; i < self->width; i++)
        OPEVO_TRY(opevo_walker_create(opevo_space_parameter(space, i), q, &self->walkers[i], err));
    if (self->diagram && !self->group) {
        self->mutation = opevo_mutation_create(self->diagram, self->walkers, self->width);
        OPEVO_NEED(self->mutation, "a child sampler");
    }
    *out = self;
    self = NULL;
cleanup:
    opevo_child_sampler_destroy(self);
    return status;
}

static opevo_status check_weights(const double *weights, size_t count, double *largest,
                                  opevo_error *err)
{
    *largest = 0;
    for (size_t j = 0; j < count; j++) {
        if (!(weights[j] >= 0 && isfinite(weights[j])))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The weight of parent %zu is not a number of at "
                              "least 0.",
                              j);
        *largest = fmax(*largest, weights[j]);
    }
    if (!(*largest > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "A child needs a parent of positive weight.");
    return OPEVO_OK;
}

static bool reserve_parents(opevo_child_sampler *self, size_t count)
{
    opevo_index *parents = NULL;
    double *cumulative = NULL;

    if (count <= self->parent_capacity)
        return true;
    parents = opevo_malloc(count, self->width * sizeof *parents);
    cumulative = opevo_malloc(count, self->group_count * sizeof *cumulative);
    if (!parents || !cumulative) {
        opevo_free(parents);
        opevo_free(cumulative);
        return false;
    }
    opevo_free(self->parents);
    opevo_free(self->cumulative);
    self->parents = parents;
    self->cumulative = cumulative;
    self->parent_capacity = count;
    return true;
}

/* Divided by the largest, so that no sum of them overflows. */
static void add_weights(opevo_child_sampler *self, const double *weights, double largest)
{
    for (size_t i = 0; i < self->width; i++) {
        double *cumulative =
            self->cumulative + (self->group ? self->group[i] : 0) * self->parent_capacity;
        double sum = 0;

        for (size_t j = 0; j < self->parent_count; j++) {
            if (self->parents[j * self->width + i] != OPEVO_INACTIVE)
                sum += weights[j] / largest;
            cumulative[j] = sum;
        }
        if (!self->group)
            return; /* all parameters are of one group */
    }
}

/* The law of the children of these parents, on the diagram. */
static opevo_status condition(opevo_child_sampler *self, const opevo_index *const *vertices,
                              const double *weights, size_t count, opevo_error *err)
{
    opevo_index *points = opevo_malloc(count, sizeof *points);
    opevo_child_given *given = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(points, "%zu parents", count);
    for (size_t j = 0; j < count; j++)
        points[j] = opevo_space_encode(self->space, vertices[j]);
    status = opevo_child_given_create(
        self->space, &(opevo_parents){.points = points, .weights = weights, .count = count},
        self->q, &given, err);
    if (status == OPEVO_OK) {
        opevo_child_given_destroy(self->given);
        self->given = given;
    }
    opevo_free(points);
    return status;
}

opevo_status opevo_child_sampler_set_parents(opevo_child_sampler *sampler,
                                             const opevo_index *const *vertices,
                                             const double *weights, size_t count, opevo_error *err)
{
    double largest = 0;
    opevo_status status = check_weights(weights, count, &largest, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEED_OR_RETURN(reserve_parents(sampler, count), "%zu parents", count);
    if (sampler->conditions) {
        status = condition(sampler, vertices, weights, count, err);
        if (status != OPEVO_OK)
            return status;
    }
    for (size_t j = 0; j < count; j++)
        memcpy(sampler->parents + j * sampler->width, vertices[j],
               sampler->width * sizeof(opevo_index));
    sampler->parent_count = count;
    add_weights(sampler, weights, largest);
    return OPEVO_OK;
}

/* ---- Spaces with branches ---- */

/* A vertex for parameter i, which is active: a parent's in which it is active too, or any where
 * there is none; whether there is one. */
static bool inherit(const opevo_child_sampler *self, size_t i, opevo_rng *rng, opevo_index *vertex)
{
    const double *cumulative = self->cumulative + self->group[i] * self->parent_capacity;

    if (!(cumulative[self->parent_count - 1] > 0)) {
        *vertex =
            opevo_rng_below_wide(rng, opevo_parameter_size(opevo_space_parameter(self->space, i)));
        return false;
    }
    *vertex =
        self->parents[opevo_rng_weighted(rng, cumulative, self->parent_count) * self->width + i];
    return true;
}

static void recombine_branches(const opevo_child_sampler *self, opevo_rng *rng,
                               opevo_index *vertices)
{
    for (size_t i = 0; i < self->width; i++) {
        if (opevo_space_is_active(self->space, i, vertices))
            inherit(self, i, rng, &vertices[i]);
        else
            vertices[i] = OPEVO_INACTIVE;
    }
}

/* What was active walks on; what becomes active is inherited, and walks too. */
static void mutate_branches(const opevo_child_sampler *self, opevo_rng *rng, opevo_index *vertices)
{
    for (size_t i = 0; i < self->width; i++) {
        bool walks = vertices[i] != OPEVO_INACTIVE;

        if (!opevo_space_is_active(self->space, i, vertices)) {
            vertices[i] = OPEVO_INACTIVE;
            continue;
        }
        if (!walks)
            walks = inherit(self, i, rng, &vertices[i]);
        if (walks)
            vertices[i] = opevo_walker_draw(self->walkers[i], vertices[i], rng);
    }
}

/* ---- Drawing ---- */

static void recombine(const opevo_child_sampler *self, opevo_rng *rng, opevo_index *vertices)
{
    if (self->group) {
        recombine_branches(self, rng, vertices);
        return;
    }
    for (size_t i = 0; i < self->width; i++) { /* equation 2: parents by their weights */
        size_t j = opevo_rng_weighted(rng, self->cumulative, self->parent_count);

        vertices[i] = self->parents[j * self->width + i];
    }
}

static void mutate(const opevo_child_sampler *self, opevo_rng *rng, opevo_index *vertices)
{
    if (self->group) {
        mutate_branches(self, rng, vertices);
        return;
    }
    for (size_t i = 0; i < self->width; i++)
        vertices[i] = opevo_walker_draw(self->walkers[i], vertices[i], rng);
}

static bool is_in(const void *seen, opevo_index point)
{
    return opevo_index_set_has(seen, point);
}

/* A child given that it is allowed, until it is new. */
static bool draw_given(opevo_child_sampler *self, const opevo_index_set *seen, unsigned tries,
                       opevo_rng *rng, opevo_index *vertices, opevo_index *point)
{
    for (unsigned try = 0; try < tries; try++) {
        if (!opevo_child_given_draw(self->given, rng, vertices))
            return false;
        *point = opevo_space_encode(self->space, vertices);
        if (!opevo_index_set_has(seen, *point))
            return true;
    }
    return false;
}

/* Number a child that is new and allowed. A wide space keeps what it numbers, so that there the
 * constraints come first, as they do where a diagram answers fast. */
static bool accept(const opevo_child_sampler *self, const opevo_index_set *seen,
                   const opevo_index *vertices, opevo_index *point)
{
    bool checked = self->diagram || (self->wide && !self->sparse);

    if (self->diagram && !opevo_diagram_allows(self->diagram, vertices))
        return false;
    if (checked && !self->diagram && !opevo_space_allows_vertices(self->space, vertices))
        return false;
    *point = opevo_space_encode(self->space, vertices);
    return !opevo_index_set_has(seen, *point) &&
           (checked || opevo_space_allows(self->space, *point));
}

/* Whether the child after one more mutation is new and allowed, from a diagram. */
static bool mutate_to_allowed(opevo_child_sampler *self, const opevo_index_set *seen,
                              opevo_rng *rng, opevo_index *vertices, opevo_index *point)
{
    opevo_mutation_add(self->mutation);
    if (!opevo_mutation_is_allowed(self->mutation, rng))
        return false;
    opevo_mutation_finish(self->mutation, rng);
    *point = opevo_space_encode(self->space, vertices);
    return !opevo_index_set_has(seen, *point);
}

/* As opevo_child_sampler_try, with a diagram. */
static bool try_lazily(opevo_child_sampler *self, const opevo_index_set *seen,
                       opevo_child_limits limits, opevo_rng *rng, opevo_index *vertices,
                       opevo_index *point)
{
    size_t row = self->width * sizeof *vertices;

    for (unsigned try = 0; try < limits.tries; try++) {
        bool anew = try % (self->walks ? limits.patience : 1) == 0;

        if (anew)
            recombine(self, rng, self->recombined);
        if (anew || self->redraw) {
            memcpy(vertices, self->recombined, row);
            opevo_mutation_begin(self->mutation, vertices);
        }
        if (mutate_to_allowed(self, seen, rng, vertices, point))
            return true;
    }
    opevo_mutation_finish(self->mutation, rng);
    *point = opevo_space_encode(self->space, vertices);
    return false;
}

bool opevo_child_sampler_try(opevo_child_sampler *sampler, const opevo_index_set *seen,
                             opevo_child_limits limits, opevo_rng *rng, opevo_index *vertices,
                             opevo_index *point)
{
    opevo_child_sampler *self = sampler;
    size_t row = self->width * sizeof *vertices;
    unsigned patience = self->walks ? limits.patience : 1;

    if (self->given)
        return draw_given(self, seen, limits.tries, rng, vertices, point);
    if (self->mutation)
        return try_lazily(self, seen, limits, rng, vertices, point);
    for (unsigned try = 0; try < limits.tries; try++) {
        if (try % patience == 0) {
            recombine(self, rng, vertices);
            if (self->redraw)
                memcpy(self->recombined, vertices, row);
        } else if (self->redraw) {
            memcpy(vertices, self->recombined, row);
        }
        mutate(self, rng, vertices);
        if (accept(self, seen, vertices, point))
            return true;
        if (self->sparse) {
            if (!opevo_space_nearest_listed(self->space, vertices, is_in, seen, point))
                return false;
            opevo_space_decode(self->space, *point, vertices);
            return true;
        }
    }
    return false;
}

bool opevo_child_sampler_draw(opevo_child_sampler *sampler, const opevo_index_set *seen,
                              opevo_rng *rng, opevo_index *vertices, opevo_index *point)
{
    opevo_child_limits limits = {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES};

    return opevo_child_sampler_try(sampler, seen, limits, rng, vertices, point);
}
