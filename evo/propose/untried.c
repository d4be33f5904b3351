/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A Fisher-Yates shuffle of the point numbers 0 .. n-1 that keeps only the places which it changed.
 * Place k of the shuffle is filled from a uniform place j in [k, n), and what stood at k goes to j.
 * What stands at a place that was never written is its own number; what is written is always a
 * number that stood at some place below the head, so it is below the count of draws and fits in 64
 * bits in a space of any size.
 *
 * A drawn number that may not be proposed is removed like a proposed one, so that it is met once.
 * Forbidden points can outnumber the rest by far, so beyond FORBIDDEN_KEPT of them they are left in
 * their place and merely drawn again: that keeps each draw uniform, and memory in proportion to
 * what is proposed. A space of at most FORBIDDEN_KEPT points is therefore exhausted exactly; in a
 * larger one that is nearly all forbidden the search ends after MISSES_MOST draws in a row. Where a
 * sparse list or a diagram says what is allowed, its ranks are shuffled in place of the points.
 * More than 2^128 - 1 points have no places: they are drawn anew each time, and n draws repeat one
 * with a probability of less than n^2 / 2^129. */

#include "untried_internal.h"

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/space_listed.h>

enum {
    FORBIDDEN_KEPT = 1 << 20, /* 50 MB of places */
    MISSES_MOST = 10000000,
    REPEATS_MOST = 10000
};

static const char exhausted[] = "every allowed point has been proposed";
static const char too_rare[] = "10000000 uniform draws in a row found no new allowed point";

static const char no_more[] = "10000 samples in a row were not new";
static const char none_allowed[] = "no allowed candidate was found";

struct opevo_i_untried {
    const opevo_space *space; /* NULL: of a domain that is not a space, with these two: */
    opevo_domain *domain;
    opevo_index_set *drawn;
    bool sparse;                  /* places are ranks in the list of points */
    const opevo_diagram *diagram; /* places are ranks in it; NULL: they are not */
    bool endless;                 /* too many points to give them places */
    opevo_index size;
    opevo_index head;        /* places below it are drawn */
    opevo_index_map *moved;  /* what stands at a place, where not its own number */
    uint64_t forbidden_kept; /* removed because a constraint forbids them */
};

opevo_i_untried *opevo_i_untried_create(const opevo_space *space)
{
    opevo_i_untried *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->space = space;
    self->sparse = opevo_space_is_sparse(space);
    self->size = self->sparse ? opevo_space_listed_count(space) : opevo_space_size(space);
    self->diagram = opevo_space_draws_from(space);
    self->endless = self->diagram ? !opevo_diagram_count(self->diagram, &self->size)
                                  : opevo_space_is_wide(space) && !self->sparse;
    self->moved = opevo_index_map_create();
    if (!self->moved) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

opevo_i_untried *opevo_i_untried_create_on(opevo_domain *domain)
{
    opevo_i_untried *self = NULL;

    if (domain->space)
        return opevo_i_untried_create(domain->space);
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->domain = domain;
    self->drawn = opevo_index_set_create();
    if (!self->drawn) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_i_untried_destroy(opevo_i_untried *untried)
{
    if (!untried)
        return;
    opevo_index_set_destroy(untried->drawn);
    opevo_index_map_destroy(untried->moved);
    opevo_free(untried);
}

static opevo_index at(const opevo_i_untried *self, opevo_index place)
{
    uint64_t number = 0;

    return opevo_index_map_get(self->moved, place, &number) ? number : place;
}

/* Take what stands at `place` out of the shuffle; false without memory. */
static bool take(opevo_i_untried *self, opevo_index place)
{
    if (place != self->head &&
        !opevo_index_map_put(self->moved, place, (uint64_t)at(self, self->head)))
        return false;
    self->head++;
    return true;
}

/* Sample the domain until something is new. */
static opevo_status sample(opevo_i_untried *self, const opevo_index_set *seen, opevo_rng *rng,
                           opevo_index *point, const char **reason, opevo_error *err)
{
    for (int repeats = 0; repeats < REPEATS_MOST; repeats++) {
        opevo_index drawn = 0;
        opevo_status status = opevo_domain_sample(self->domain, rng, &drawn, err);

        if (status == OPEVO_LIMIT) {
            *reason = none_allowed;
            return OPEVO_OK;
        }
        if (status != OPEVO_OK)
            return status;
        if (opevo_index_set_has(self->drawn, drawn) || (seen && opevo_index_set_has(seen, drawn)))
            continue;
        OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->drawn, drawn), "drawing another candidate");
        *point = drawn;
        *reason = NULL;
        return OPEVO_OK;
    }
    *reason = no_more;
    return OPEVO_OK;
}

static opevo_status draw_endless(opevo_i_untried *self, const opevo_index_set *seen, opevo_rng *rng,
                                 opevo_index *point, const char **reason, opevo_error *err)
{
    for (int misses = 0; misses < MISSES_MOST; misses++) {
        opevo_index drawn = self->diagram ? opevo_rng_allowed(rng, self->diagram)
                                          : opevo_rng_point(rng, self->space);

        if (drawn == OPEVO_INDEX_MAX)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to draw another point.");
        if ((self->diagram || opevo_space_allows(self->space, drawn)) &&
            !(seen && opevo_index_set_has(seen, drawn))) {
            *point = drawn;
            *reason = NULL;
            return OPEVO_OK;
        }
    }
    *reason = too_rare;
    return OPEVO_OK;
}

opevo_status opevo_i_untried_draw(opevo_i_untried *untried, const opevo_index_set *seen,
                                  opevo_rng *rng, opevo_index *point, const char **reason,
                                  opevo_error *err)
{
    if (!untried->space)
        return sample(untried, seen, rng, point, reason, err);
    if (untried->endless)
        return draw_endless(untried, seen, rng, point, reason, err);
    for (int misses = 0; misses < MISSES_MOST; misses++) {
        opevo_index place = 0;
        opevo_index drawn = 0;
        bool allowed = false;

        if (untried->head == untried->size) {
            *reason = exhausted;
            return OPEVO_OK;
        }
        place = untried->head + opevo_rng_below_wide(rng, untried->size - untried->head);
        drawn = at(untried, place);
        if (untried->sparse)
            drawn = opevo_space_listed_point(untried->space, drawn);
        if (untried->diagram)
            drawn = opevo_diagram_point(untried->diagram, drawn);
        allowed = untried->sparse || untried->diagram || opevo_space_allows(untried->space, drawn);
        if (!allowed && untried->forbidden_kept >= FORBIDDEN_KEPT)
            continue;
        OPEVO_NEED_OR_RETURN(take(untried, place), "drawing another point");
        untried->forbidden_kept += !allowed;
        if (allowed && !(seen && opevo_index_set_has(seen, drawn))) {
            *point = drawn;
            *reason = NULL;
            return OPEVO_OK;
        }
    }
    *reason = too_rare;
    return OPEVO_OK;
}
