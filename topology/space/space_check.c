/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the diagrams of a space and of its constraints say: whether it has points, and which
 * constraints exclude nothing. */

#include "diagram_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "space_internal.h"

#include <string.h>

static const opevo_diagram_limits small_limits = OPEVO_I_SMALL_LIMITS;

enum { LOOKED_AT = 1024 };

static uint64_t next_bits(void *context)
{
    uint64_t *state = context;

    return opevo_hash_mix(++*state);
}

/* The constraint that alone excludes a point; SIZE_MAX: none does, or several do. */
static size_t excluded_by(const opevo_space *space, const opevo_index *vertices)
{
    size_t by = SIZE_MAX;

    for (size_t i = 0; i < space->constraint_count; i++) {
        if (opevo_i_topology_constraint_holds(space, &space->constraints[i], vertices))
            continue;
        if (by != SIZE_MAX)
            return SIZE_MAX;
        by = i;
    }
    return by;
}

/* Note constraints that alone exclude some point, which takes no compilation: one beside an allowed
 * point is easily found. */
static void find_needed(const opevo_space *space, const opevo_diagram *whole, bool *needed)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    uint64_t state = 0;

    if (space->ranges || !opevo_i_topology_diagram_has_points(whole))
        return;
    for (int k = 0; k < LOOKED_AT; k++) {
        size_t i = (size_t)(next_bits(&state) % space->parameter_count), by = SIZE_MAX;

        opevo_diagram_draw(whole, next_bits, &state, vertices);
        if (vertices[i] == OPEVO_INACTIVE)
            continue;
        vertices[i] = next_bits(&state) % opevo_parameter_size(space->parameters[i]);
        opevo_space_settle(space, i, vertices);
        by = excluded_by(space, vertices);
        if (by != SIZE_MAX)
            needed[by] = true;
    }
}

opevo_status opevo_space_find_useless(const opevo_space *space, bool *useless, opevo_error *err)
{
    const opevo_diagram *whole = NULL;
    bool *used = NULL, *needed = NULL;
    opevo_status status = opevo_space_diagram(space, &whole, err);
    opevo_text digits = {0};

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEW(used, space->constraint_count, "the comparison of constraints");
    OPEVO_NEW(needed, space->constraint_count, "the comparison of constraints");
    find_needed(space, whole, needed);
    memset(used, true, space->constraint_count * sizeof *used);
    opevo_diagram_print_count(whole, &digits);
    for (size_t i = 0; i < space->constraint_count; i++) {
        opevo_diagram *without = NULL;
        opevo_text others = {0};

        useless[i] = false;
        if (needed[i])
            continue;
        used[i] = false;
        OPEVO_TRY(opevo_i_topology_diagram_create(space, used, &small_limits, &without, err));
        used[i] = true;
        opevo_diagram_print_count(without, &others);
        opevo_diagram_destroy(without);
        digits.failed |= others.failed;
        useless[i] =
            !digits.failed && strcmp(opevo_text_string(&digits), opevo_text_string(&others)) == 0;
        opevo_text_free(&others);
        OPEVO_TRY(opevo_text_check(&digits, err));
    }
cleanup:
    opevo_text_free(&digits);
    opevo_free(used);
    opevo_free(needed);
    return status;
}

opevo_status opevo_space_check_points(const opevo_space *space, const char *origin,
                                      opevo_error *err)
{
    const opevo_diagram *diagram = NULL;

    if (!opevo_i_topology_draws_from_diagram(space) ||
        opevo_space_diagram(space, &diagram, NULL) != OPEVO_OK ||
        opevo_i_topology_diagram_has_points(diagram))
        return OPEVO_OK;
    return opevo_i_topology_diagram_conflict(space, origin, err);
}
