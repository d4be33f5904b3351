/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The candidates of a model: all remaining points of a small space, otherwise a pool. */

#include "candidates_internal.h"

#include <opevo/child_sampler.h>
#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/space_listed.h>

enum {
    ENUMERATED_MOST = 1 << 20, /* spaces that are looked through for allowed points */
    CHILDREN = 2048,
    CHILDREN_LISTED = 256, /* of a sparse list, where each is a search for the nearest row */
    NEIGHBOURS = 1024,     /* of all parents together; of a parameter at most 256 */
    NEIGHBOURS_OF_ONE = 256,
    UNIFORM = 1024,
    GIVEN_VALUES_MOST = 1 << 16, /* of a parameter whose law is computed for children */
    DRAWS_FOR_ONE = 64
};

static opevo_status add(opevo_i_qgp_candidates *self, opevo_index point, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->numbers, &self->number_capacity,
                                       self->points.count + 1, sizeof *self->numbers),
                         "candidates");
    self->numbers[self->points.count] = point;
    return opevo_i_qgp_points_add(&self->points, self->kernel, point, 0, err);
}

/* Lists the allowed points, unless they are too many. */
static opevo_status list(opevo_i_qgp_candidates *self, opevo_error *err)
{
    opevo_index size = opevo_space_size(self->space);
    opevo_status status = OPEVO_OK;

    bool sparse = opevo_space_is_sparse(self->space);

    self->listed = size <= ENUMERATED_MOST ||
                   (sparse && opevo_space_listed_count(self->space) <= OPEVO_I_LISTED_MOST);
    for (opevo_index point = 0; self->listed && point < size; point++) {
        if (sparse && !opevo_space_listed_next(self->space, &point))
            break;
        if (!opevo_space_allows(self->space, point))
            continue;
        self->listed = self->points.count < OPEVO_I_LISTED_MOST;
        if (self->listed)
            OPEVO_TRY(add(self, point, err));
    }
    if (!self->listed)
        self->points.count = 0;
cleanup:
    return status;
}

/* Where allowed points are rare, children are drawn given that they are allowed; that takes the law
 * of each parameter. */
static opevo_duplicate_rule rule_for(const opevo_space *space)
{
    bool small = true;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        small &= opevo_parameter_size(opevo_space_parameter(space, i)) <= GIVEN_VALUES_MOST;
    return small && opevo_space_draws_from(space) ? OPEVO_DUPLICATE_GIVEN
                                                  : OPEVO_DUPLICATE_CONTINUE;
}

opevo_status opevo_i_qgp_candidates_init(opevo_i_qgp_candidates *self, const opevo_space *space,
                                         opevo_i_qgp_walk_kernel *kernel, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t width = opevo_space_parameter_count(space);

    *self = (opevo_i_qgp_candidates){.space = space, .kernel = kernel};
    OPEVO_TRY(opevo_i_qgp_points_init(&self->points, kernel, err));
    self->proposed = opevo_index_set_create();
    self->vertices = opevo_malloc(width, sizeof *self->vertices);
    OPEVO_NEED(self->proposed && self->vertices, "candidates");
    OPEVO_TRY(list(self, err));
    if (!self->listed)
        OPEVO_TRY(opevo_child_sampler_create(space, 0.5, rule_for(space), &self->sampler, err));
cleanup:
    if (status != OPEVO_OK)
        opevo_i_qgp_candidates_clear(self);
    return status;
}

void opevo_i_qgp_candidates_clear(opevo_i_qgp_candidates *self)
{
    opevo_i_qgp_points_clear(&self->points);
    opevo_index_set_destroy(self->proposed);
    opevo_child_sampler_destroy(self->sampler);
    opevo_free(self->numbers);
    opevo_free(self->vertices);
    *self = (opevo_i_qgp_candidates){0};
}

opevo_status opevo_i_qgp_candidates_take(opevo_i_qgp_candidates *self, opevo_index point,
                                         opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->proposed, point), "remembering a point");
    return OPEVO_OK;
}

bool opevo_i_qgp_candidates_taken(const opevo_i_qgp_candidates *self, opevo_index point)
{
    return opevo_index_set_has(self->proposed, point);
}

/* ---- A list, less what was proposed ---- */

static opevo_status prune(opevo_i_qgp_candidates *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = self->points.count;

    self->points.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (opevo_i_qgp_candidates_taken(self, self->numbers[i]))
            continue;
        self->numbers[self->points.count] = self->numbers[i];
        OPEVO_TRY(opevo_i_qgp_points_copy(&self->points, &self->points, i, err));
    }
cleanup:
    return status;
}

/* ---- A pool ---- */

static opevo_status offer(opevo_i_qgp_candidates *self, opevo_index_set *pool, opevo_index point,
                          opevo_error *err)
{
    if (!opevo_space_allows(self->space, point) || opevo_i_qgp_candidates_taken(self, point) ||
        opevo_index_set_has(pool, point))
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(pool, point), "candidates");
    return add(self, point, err);
}

static opevo_status offer_children(opevo_i_qgp_candidates *self, opevo_index_set *pool,
                                   const opevo_index *parents, const double *fitness, size_t count,
                                   opevo_rng *rng, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t width = opevo_space_parameter_count(self->space);
    opevo_index *rows = opevo_malloc(count * width, sizeof *rows);
    const opevo_index *vertices[OPEVO_I_POOL_PARENTS];
    int children = opevo_space_is_sparse(self->space) ? CHILDREN_LISTED : CHILDREN;

    OPEVO_NEED_OR_RETURN(rows, "parents");
    for (size_t i = 0; i < count; i++) {
        opevo_space_decode(self->space, parents[i], rows + i * width);
        vertices[i] = rows + i * width;
    }
    OPEVO_TRY(opevo_child_sampler_set_parents(self->sampler, vertices, fitness, count, err));
    for (int i = 0; i < children; i++) {
        opevo_index point = 0;

        if (!opevo_child_sampler_draw(self->sampler, self->proposed, rng, self->vertices, &point))
            break;
        OPEVO_TRY(offer(self, pool, point, err));
    }
cleanup:
    opevo_free(rows);
    return status;
}

/* A step of a choice leads to the first point of the branch that it opens; where allowed points are
 * rare, a step to one that the diagram makes of it. */
static opevo_status offer_neighbours(opevo_i_qgp_candidates *self, opevo_index_set *pool,
                                     opevo_index from, size_t *left, opevo_rng *rng,
                                     opevo_error *err)
{
    const opevo_diagram *diagram = opevo_space_draws_from(self->space);
    opevo_status status = OPEVO_OK;
    size_t width = opevo_space_parameter_count(self->space);

    if (opevo_space_is_sparse(self->space)) {
        for (size_t k = 0; k<NEIGHBOURS_OF_ONE && * left> 0 && status == OPEVO_OK; k++, --*left)
            status = offer(self, pool,
                           opevo_space_listed_step(self->space, from, opevo_rng_u64(rng)), err);
        return status;
    }
    opevo_space_decode(self->space, from, self->vertices);
    for (size_t p = 0; p < width; p++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->space, p);
        opevo_index vertex = self->vertices[p];
        opevo_index degree = 0;

        if (vertex == OPEVO_INACTIVE)
            continue;
        degree = opevo_parameter_degree(parameter, vertex);
        for (opevo_index k = 0; k < degree && k<NEIGHBOURS_OF_ONE && * left> 0; k++, --*left) {
            self->vertices[p] = opevo_parameter_neighbour(parameter, vertex, k);
            opevo_space_settle(self->space, p, self->vertices);
            if (diagram)
                opevo_diagram_settle(diagram, self->vertices);
            OPEVO_TRY(offer(self, pool, opevo_space_encode(self->space, self->vertices), err));
            opevo_space_decode(self->space, from, self->vertices);
        }
    }
cleanup:
    return status;
}

static opevo_status offer_uniform(opevo_i_qgp_candidates *self, opevo_index_set *pool,
                                  opevo_rng *rng, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool sparse = opevo_space_is_sparse(self->space);
    const opevo_diagram *diagram = opevo_space_draws_from(self->space);

    for (int i = 0, draws = UNIFORM * DRAWS_FOR_ONE; i < UNIFORM && draws > 0; draws--) {
        opevo_index point = 0;

        if (sparse)
            point = opevo_space_listed_point(
                self->space, opevo_rng_below_wide(rng, opevo_space_listed_count(self->space)));
        else
            point = diagram ? opevo_rng_allowed(rng, diagram) : opevo_rng_point(rng, self->space);
        if (!opevo_space_allows(self->space, point))
            continue;
        OPEVO_TRY(offer(self, pool, point, err));
        i++;
    }
cleanup:
    return status;
}

opevo_status opevo_i_qgp_candidates_refresh(opevo_i_qgp_candidates *self,
                                            const opevo_index *parents, const double *fitness,
                                            size_t count, opevo_rng *rng, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index_set *pool = NULL;
    size_t left = NEIGHBOURS;

    if (self->listed)
        return prune(self, err);
    pool = opevo_index_set_create();
    OPEVO_NEED_OR_RETURN(pool, "candidates");
    self->points.count = 0;
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(offer_neighbours(self, pool, parents[i], &left, rng, err));
    OPEVO_TRY(offer_children(self, pool, parents, fitness, count, rng, err));
    OPEVO_TRY(offer_uniform(self, pool, rng, err));
cleanup:
    opevo_index_set_destroy(pool);
    return status;
}
