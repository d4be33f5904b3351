/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which points are recorded, in which order. */

#include "record_internal.h"

#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/space.h>

/* Spaces up to this many points are put into a random order as a whole. */
#define MOST_SHUFFLED ((opevo_index)1 << 26)
#define MOST_LOOKED_AT ((opevo_index)1 << 32) /* for --all: minutes */
enum { MISSES = 1 << 26 };                    /* so many draws take seconds */

/* The allowed points of a space of at most MOST_LOOKED_AT; the caller frees them. */
static opevo_status list_allowed(const opevo_space *space, uint32_t **points, size_t *count,
                                 opevo_error *err)
{
    size_t size = (size_t)opevo_space_size(space);
    size_t capacity = 0;

    for (size_t i = 0; i < size; i++) {
        if (!opevo_space_allows(space, i))
            continue;
        if (*count == MOST_SHUFFLED)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "--all: more than 2^26 points are allowed; take --sample N.");
        OPEVO_NEED_OR_RETURN(opevo_reserve((void **)points, &capacity, *count + 1, sizeof **points),
                             "%zu points", *count + 1);
        (*points)[(*count)++] = (uint32_t)i;
    }
    return OPEVO_OK;
}

/* All allowed points in a random order, the first `most` of them: what was measured when is then
 * independent of where it lies, and a larger sample contains a smaller one. */
static opevo_status shuffle(const opevo_space *space, uint64_t seed, uint64_t most,
                            opevo_index **points, size_t *count, opevo_error *err)
{
    uint32_t *order = NULL;
    size_t allowed = 0;
    opevo_rng rng;
    opevo_status status = list_allowed(space, &order, &allowed, err);

    *count = most < allowed ? (size_t)most : allowed;
    *points = opevo_malloc(*count, sizeof **points);
    if (status == OPEVO_OK && !*points)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu points.", *count);
    if (status != OPEVO_OK) {
        opevo_free(order);
        return status;
    }
    opevo_rng_init(&rng, seed, "record", 0);
    opevo_rng_choose(&rng, order, allowed, *count, sizeof *order);
    for (size_t i = 0; i < *count; i++)
        (*points)[i] = order[i];
    opevo_free(order);
    return OPEVO_OK;
}

/* Different allowed points of a space too large to list. */
static opevo_status draw(const opevo_space *space, uint64_t seed, uint64_t most,
                         opevo_index **points, size_t *count, opevo_error *err)
{
    opevo_index_set *seen = opevo_index_set_create();
    const opevo_diagram *diagram = opevo_space_draws_from(space);
    opevo_status status = OPEVO_OK;
    opevo_rng rng;
    unsigned misses = 0;

    *points = opevo_malloc((size_t)most, sizeof **points);
    if (!seen || !*points)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
    opevo_rng_init(&rng, seed, "record", 0);
    while (status == OPEVO_OK && *count < most) {
        opevo_index point =
            diagram ? opevo_rng_allowed(&rng, diagram) : opevo_rng_point(&rng, space);

        if (!opevo_space_allows(space, point) || opevo_index_set_has(seen, point)) {
            if (++misses > MISSES)
                status = OPEVO_FAIL(err, OPEVO_LIMIT,
                                    "Hardly any point of the space is allowed; none was found in "
                                    "%d draws.",
                                    (int)MISSES);
            continue;
        }
        misses = 0;
        if (!opevo_index_set_add(seen, point))
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
        (*points)[(*count)++] = point;
    }
    opevo_index_set_destroy(seen);
    return status;
}

opevo_status opevo_i_cli_record_points(const opevo_space *space,
                                       const opevo_i_cli_record_share *share, opevo_index **points,
                                       size_t *count, opevo_error *err)
{
    bool all = share->sample == 0;
    uint64_t most = all ? UINT64_MAX : share->sample;

    *points = NULL;
    *count = 0;
    if (opevo_space_size(space) <= (all ? MOST_LOOKED_AT : MOST_SHUFFLED))
        return shuffle(space, share->seed, most, points, count, err);
    if (all)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "--all: the space has more than 2^32 points; take --sample N.");
    if (most > (uint64_t)MOST_SHUFFLED)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "--sample: give at most 2^26.");
    return draw(space, share->seed, most, points, count, err);
}
