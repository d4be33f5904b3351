/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which constraints conflict: diagrams of some of the constraints. */

#include "diagram_internal.h"

#include <opevo/memory.h>

#include "space_internal.h"
#include "value_text.h"

#include <string.h>

enum {
    CHOSEN_MOST = 3,  /* constraints of which all groups are tried */
    TRIED_MOST = 4096 /* groups */
};

static const opevo_diagram_limits small_limits = OPEVO_I_SMALL_LIMITS;

static opevo_status has_points(const opevo_space *space, const bool *used, bool *out,
                               opevo_error *err)
{
    opevo_diagram *diagram = NULL;
    opevo_status status =
        opevo_i_topology_diagram_create(space, used, &small_limits, &diagram, err);

    if (status == OPEVO_OK)
        *out = opevo_i_topology_diagram_has_points(diagram);
    opevo_diagram_destroy(diagram);
    return status;
}

/* Try the groups of `count` constraints from `from` on, with those that are used already. */
static opevo_status try_groups(const opevo_space *space, size_t from, size_t count, bool *used,
                               size_t *tried, bool *found, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool any = true;

    if (count == 0) {
        ++*tried;
        status = has_points(space, used, &any, err);
        *found = !any;
        return status;
    }
    for (size_t i = from; i + count <= space->constraint_count && !*found && *tried < TRIED_MOST;
         i++) {
        used[i] = true;
        status = try_groups(space, i + 1, count - 1, used, tried, found, err);
        if (status != OPEVO_OK || *found)
            break;
        used[i] = false;
    }
    return status;
}

/* Leave out each constraint that the conflict does without. */
static opevo_status leave_out(const opevo_space *space, bool *used, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    memset(used, true, space->constraint_count * sizeof *used);
    for (size_t i = 0; i < space->constraint_count && status == OPEVO_OK; i++) {
        bool any = false;

        used[i] = false;
        status = has_points(space, used, &any, err);
        used[i] = any;
    }
    return status;
}

static opevo_status find_conflict(const opevo_space *space, bool *used, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool found = false;
    size_t tried = 0;

    for (size_t count = 1; count <= CHOSEN_MOST && !found && tried < TRIED_MOST; count++) {
        memset(used, false, space->constraint_count * sizeof *used);
        OPEVO_TRY(try_groups(space, 0, count, used, &tried, &found, err));
    }
    if (!found)
        status = leave_out(space, used, err);
cleanup:
    return status;
}

/* `constraint 2 ("a > 0")`, ... */
static void name_used(const opevo_space *space, const bool *used, opevo_text *out)
{
    size_t count = 0, named = 0;

    for (size_t i = 0; i < space->constraint_count; i++)
        count += used[i];
    for (size_t i = 0; i < space->constraint_count; i++) {
        if (!used[i])
            continue;
        opevo_text_printf(out, "%s%zu (\"%s\")",
                          named == 0           ? ""
                          : named + 1 == count ? " and "
                                               : ", ",
                          i + 1, OPEVO_I_EXCERPT(space->constraints[i].text));
        named++;
    }
}

opevo_status opevo_i_topology_diagram_conflict(const opevo_space *space, const char *origin,
                                               opevo_error *err)
{
    bool *used = opevo_calloc(space->constraint_count, sizeof *used);
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;
    const char *where = origin ? origin : "the space";

    OPEVO_NEED_OR_RETURN(used, "looking for a conflict");
    status = find_conflict(space, used, err);
    if (status == OPEVO_OK) {
        name_used(space, used, &names);
        status = opevo_text_check(&names, err);
    }
    if (status == OPEVO_OK)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "%s: no point satisfies the constraints %s together; relax one of them.",
                       where, opevo_text_string(&names));
    else if (status == OPEVO_LIMIT)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: no point satisfies all constraints; relax one of them.", where);
    opevo_text_free(&names);
    opevo_free(used);
    return status;
}
