/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the diagrams of a space and of its constraints say: whether it has points, and which
 * constraints exclude nothing. */

#include "diagram_internal.h"

#include <opevo/memory.h>

#include "space_internal.h"

#include <string.h>

static const opevo_diagram_limits small_limits = OPEVO_I_SMALL_LIMITS;

opevo_status opevo_space_find_useless(const opevo_space *space, bool *useless, opevo_error *err)
{
    const opevo_diagram *whole = NULL;
    bool *used = NULL;
    opevo_status status = opevo_space_diagram(space, &whole, err);
    opevo_text digits = {0};

    if (status != OPEVO_OK)
        return status;
    used = opevo_malloc(space->constraint_count, sizeof *used);
    if (!used)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compare constraints.");
    memset(used, true, space->constraint_count * sizeof *used);
    opevo_diagram_print_count(whole, &digits);
    for (size_t i = 0; i < space->constraint_count; i++) {
        opevo_diagram *without = NULL;
        opevo_text others = {0};

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
