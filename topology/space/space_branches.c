/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Branches: which parameters are active, and the numbers of points in spaces that have some.
 *
 * With stride[i] the number of points that one place of parameter i counts for, a point is the sum
 * of first(i) * stride[i] over its active parameters, where first(i) is the vertex, or the offset
 * of the branch where the parameter opens some. The parameters of a branch follow their parent, so
 * the order of the numbers is the lexicographic order of the vertices, and decoding is one pass. */

#include "space_internal.h"

#include <opevo/memory.h>

#include "parameter_internal.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 64 }; /* branches inside each other */

void opevo_i_topology_branches_release(opevo_space *space)
{
    for (size_t i = 0; space->offsets && i < space->parameter_count; i++)
        opevo_free(space->offsets[i]);
    opevo_free(space->offsets);
    opevo_free(space->activations);
}

/* ---- Names ---- */

void opevo_i_topology_branch_name(const char *parent, opevo_value branch, const char *key,
                                  opevo_text *out)
{
    opevo_text label = {0};

    opevo_value_print(&label, branch);
    out->failed |= label.failed;
    for (size_t i = 0; i < label.length; i++) {
        if (!isalnum((unsigned char)label.data[i]))
            label.data[i] = '_';
    }
    opevo_text_printf(out, "%s.%s%s.%s", parent,
                      isalpha((unsigned char)*opevo_text_string(&label)) ? "" : "_",
                      opevo_text_string(&label), key);
    opevo_text_free(&label);
}

const char *opevo_i_topology_branch_key(const opevo_space *space, size_t i)
{
    const char *name = opevo_parameter_name(space->parameters[i]);
    const char *dot = strrchr(name, '.');

    return dot && space->activations && space->activations[i].parent != OPEVO_NO_PARENT ? dot + 1
                                                                                        : name;
}

static bool is_shared(const opevo_space *space, size_t i)
{
    const char *key = opevo_i_topology_branch_key(space, i);

    for (size_t k = 0; k < space->parameter_count; k++) {
        if (k != i && strcmp(key, opevo_i_topology_branch_key(space, k)) == 0)
            return true;
    }
    return false;
}

static opevo_status check_name(const opevo_space *space, size_t i, opevo_error *err)
{
    const char *name = opevo_parameter_name(space->parameters[i]);
    const opevo_activation *when = &space->activations[i];
    opevo_text wanted = {0};
    opevo_status status = OPEVO_OK;

    if (when->parent != OPEVO_NO_PARENT && is_shared(space, i)) {
        opevo_value branch;

        opevo_parameter_value(space->parameters[when->parent], when->value, &branch);
        opevo_i_topology_branch_name(opevo_parameter_name(space->parameters[when->parent]), branch,
                                     opevo_i_topology_branch_key(space, i), &wanted);
    } else {
        opevo_text_add(&wanted, opevo_i_topology_branch_key(space, i));
    }
    status = opevo_text_check(&wanted, err);
    if (status == OPEVO_OK && strcmp(name, opevo_text_string(&wanted)) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s of a branch must have the name %s.",
                            name, opevo_text_string(&wanted));
    opevo_text_free(&wanted);
    return status;
}

/* ---- Creation ---- */

/* Whether parameter i, whose parent is known to stand before it, may follow parameter i - 1: its
 * parent is that one or an ancestor of it, and it goes on with the same branch or a later one. */
static bool follows(const opevo_activation *activations, size_t i)
{
    size_t at = i - 1;

    while (activations[at].parent != activations[i].parent) {
        if (at == activations[i].parent)
            return true;
        if (activations[at].parent == OPEVO_NO_PARENT)
            return false;
        at = activations[at].parent;
    }
    return activations[i].parent == OPEVO_NO_PARENT ||
           activations[at].value <= activations[i].value;
}

static opevo_status check_parent(const opevo_space *space, const opevo_activation *activations,
                                 size_t i, opevo_error *err)
{
    const char *name = opevo_parameter_name(space->parameters[i]);
    size_t parent = activations[i].parent, depth = 0;

    if (parent == OPEVO_NO_PARENT)
        return OPEVO_OK;
    if (parent >= i)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s precedes the parameter that activates it.", name);
    if (space->parameters[parent]->type != &opevo_i_topology_categorical_type)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s depends on %s, which is not categorical; only values of a "
                          "categorical parameter open branches.",
                          name, opevo_parameter_text(space->parameters[parent]));
    if (activations[i].value >= opevo_parameter_size(space->parameters[parent]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s depends on a value that %s does not have.", name,
                          opevo_parameter_name(space->parameters[parent]));
    for (size_t at = parent; at != OPEVO_NO_PARENT; at = activations[at].parent)
        depth++;
    if (depth > DEPTH_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameter %s is in more than %d nested branches.",
                          name, DEPTH_MAX);
    return OPEVO_OK;
}

/* For each parent the number of points of its branches, 1 so far. */
static bool allocate_offsets(opevo_space *space)
{
    space->offsets = opevo_calloc(space->parameter_count, sizeof *space->offsets);
    for (size_t i = 0; space->offsets && i < space->parameter_count; i++) {
        size_t parent = space->activations[i].parent, count = 0;

        if (parent == OPEVO_NO_PARENT || space->offsets[parent])
            continue;
        count = (size_t)opevo_parameter_size(space->parameters[parent]);
        space->offsets[parent] = opevo_malloc(count + 1, sizeof **space->offsets);
        if (!space->offsets[parent])
            return false;
        for (size_t v = 0; v < count; v++)
            space->offsets[parent][v] = 1;
    }
    return space->offsets;
}

/* From the sizes of its branches to their offsets; false when there are too many points. */
static bool add_up(opevo_index *offsets, size_t count, opevo_index *sum)
{
    *sum = 0;
    for (size_t v = 0; v < count; v++) {
        opevo_index size = offsets[v];

        offsets[v] = *sum;
        if (!opevo_index_add(*sum, size, sum))
            return false;
    }
    offsets[count] = *sum;
    return true;
}

/* Children stand behind their parents, so going backwards a parameter's places are known before it
 * counts in the branch that it belongs to. */
static bool count_points(opevo_space *space)
{
    for (size_t i = space->parameter_count; i-- > 0;) {
        const opevo_activation *when = &space->activations[i];
        opevo_index places = opevo_parameter_size(space->parameters[i]);
        opevo_index *size = when->parent == OPEVO_NO_PARENT
                                ? &space->size
                                : &space->offsets[when->parent][(size_t)when->value];

        if (space->offsets[i] && !add_up(space->offsets[i], (size_t)places, &places))
            return false;
        space->stride[i] = *size;
        if (!opevo_index_mul(*size, places, size))
            return false;
    }
    for (size_t i = 0; i < space->parameter_count; i++) {
        if (space->activations[i].parent != OPEVO_NO_PARENT)
            space->stride[i] *= space->stride[space->activations[i].parent];
    }
    return true;
}

opevo_status opevo_i_topology_branches_create(opevo_space *space,
                                              const opevo_activation *activations, opevo_error *err)
{
    size_t count = space->parameter_count;
    bool any = false;

    for (size_t i = 0; activations && i < count; i++) {
        opevo_status status = check_parent(space, activations, i, err);

        if (status != OPEVO_OK)
            return status;
        any |= activations[i].parent != OPEVO_NO_PARENT;
        if (i > 0 && !follows(activations, i))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Parameter %s is not with its branch: the parameters of a branch "
                              "follow their parent, those of smaller values first.",
                              opevo_parameter_name(space->parameters[i]));
    }
    if (!any)
        return OPEVO_OK;
    space->activations = opevo_malloc(count, sizeof *activations);
    OPEVO_NEED_OR_RETURN(space->activations, "a space");
    memcpy(space->activations, activations, count * sizeof *activations);
    for (size_t i = 0; i < count; i++) {
        opevo_status status = check_name(space, i, err);

        if (activations[i].parent == OPEVO_NO_PARENT)
            space->activations[i].value = 0;
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_topology_branches_measure(opevo_space *space, bool *fits, opevo_error *err)
{
    space->size = 1;
    OPEVO_NEED_OR_RETURN(allocate_offsets(space), "a space");
    *fits = count_points(space);
    return OPEVO_OK;
}

/* ---- Facts ---- */

bool opevo_space_has_branches(const opevo_space *space)
{
    return space->activations;
}

opevo_activation opevo_space_activation(const opevo_space *space, size_t i)
{
    return space->activations ? space->activations[i]
                              : (opevo_activation){.parent = OPEVO_NO_PARENT};
}

bool opevo_space_is_active(const opevo_space *space, size_t i, const opevo_index *vertices)
{
    const opevo_activation *when = space->activations ? &space->activations[i] : NULL;

    return !when || when->parent == OPEVO_NO_PARENT || vertices[when->parent] == when->value;
}

void opevo_space_settle(const opevo_space *space, size_t i, opevo_index *vertices)
{
    for (size_t k = i + 1; space->activations && k < space->parameter_count; k++) {
        if (!opevo_space_is_active(space, k, vertices))
            vertices[k] = OPEVO_INACTIVE;
        else if (vertices[k] == OPEVO_INACTIVE)
            vertices[k] = 0;
    }
}

/* ---- Points ---- */

/* The last of ascending offsets that is not above `place`. */
static size_t find_branch(const opevo_index *offsets, size_t count, opevo_index place)
{
    size_t low = 0, high = count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (offsets[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void opevo_i_topology_branches_decode(const opevo_space *space, opevo_index point,
                                      opevo_index *vertices)
{
    for (size_t i = 0; i < space->parameter_count; i++) {
        opevo_index place = 0;

        if (!opevo_space_is_active(space, i, vertices)) {
            vertices[i] = OPEVO_INACTIVE;
            continue;
        }
        place = point / space->stride[i];
        vertices[i] = place;
        if (space->offsets[i]) {
            size_t size = (size_t)opevo_parameter_size(space->parameters[i]);

            vertices[i] = find_branch(space->offsets[i], size, place);
            place = space->offsets[i][(size_t)vertices[i]];
        }
        point -= place * space->stride[i];
    }
}

opevo_index opevo_i_topology_branches_first(const opevo_space *space, const opevo_index *vertices,
                                            size_t count, opevo_index *agreeing)
{
    opevo_index active[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_index point = 0;

    *agreeing = space->size;
    for (size_t i = 0; i < count; i++) {
        const opevo_index *offsets = space->offsets[i];

        active[i] = opevo_space_is_active(space, i, active) ? vertices[i] : OPEVO_INACTIVE;
        if (active[i] == OPEVO_INACTIVE)
            continue;
        point += (offsets ? offsets[(size_t)active[i]] : active[i]) * space->stride[i];
        *agreeing = space->stride[i];
        if (offsets)
            *agreeing *= offsets[(size_t)active[i] + 1] - offsets[(size_t)active[i]];
    }
    return point;
}

opevo_index opevo_i_topology_branches_encode(const opevo_space *space, const opevo_index *vertices)
{
    opevo_index agreeing = 0;

    return opevo_i_topology_branches_first(space, vertices, space->parameter_count, &agreeing);
}
