/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces: made, released, and facts about them. */

#include <opevo/space.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include "parameter_internal.h"
#include "space_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creation ---- */

/* Everything but the parameters, which belong to the caller until create has succeeded. */
static void release(opevo_space *space)
{
    opevo_i_topology_constraints_release(space);
    opevo_i_topology_points_release(space);
    opevo_i_topology_branches_release(space);
    opevo_i_topology_compiled_destroy(space->compiled);
    opevo_i_topology_known_release(space->known);
    opevo_diagram_destroy(space->all);
    opevo_free(space->parameters);
    opevo_free(space->stride);
    opevo_free(space->small_sizes);
    opevo_free(space);
}

void opevo_space_destroy(opevo_space *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->parameter_count; i++)
        opevo_parameter_destroy(space->parameters[i]);
    release(space);
}

/* The size and the strides; false when there are too many points. */
static bool count_points(opevo_space *space)
{
    space->size = 1;
    for (size_t i = space->parameter_count; i-- > 0;) {
        space->stride[i] = space->size;
        if (!opevo_index_mul(space->size, opevo_parameter_size(space->parameters[i]), &space->size))
            return false;
    }
    return true;
}

/* Give points numbers that are hashes. */
static opevo_status widen(opevo_space *space, opevo_error *err)
{
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    space->size = OPEVO_INDEX_MAX;
    space->known = opevo_i_topology_known_create();
    OPEVO_NEED_OR_RETURN(space->known, "a space");
    status = opevo_diagram_create(space, NULL, &space->all, &why);
    if (status == OPEVO_LIMIT)
        return OPEVO_FAIL(err, status,
                          "The space has more than 2^128 - 1 points, and those of its branches "
                          "cannot be counted: %s",
                          why.message);
    return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s", why.message);
}

static opevo_status measure(opevo_space *space, opevo_error *err)
{
    size_t count = space->parameter_count;
    bool fits = true;
    opevo_status status = OPEVO_OK;

    if (space->activations)
        status = opevo_i_topology_branches_measure(space, &fits, err);
    else
        fits = count_points(space);
    if (status != OPEVO_OK)
        return status;
    if (!fits)
        return widen(space, err);
    if (space->activations || space->size > UINT64_MAX)
        return OPEVO_OK;
    space->small_sizes = opevo_malloc(count, sizeof *space->small_sizes);
    OPEVO_NEED_OR_RETURN(space->small_sizes, "a space");
    for (size_t i = 0; i < count; i++)
        space->small_sizes[i] = (uint64_t)opevo_parameter_size(space->parameters[i]);
    return OPEVO_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names, NULL-terminated; those of components follow their parameter's. */
static const char **list_names(const opevo_space *space, size_t *count)
{
    size_t room = space->parameter_count;
    const char **names = NULL;

    for (size_t i = 0; i < space->parameter_count; i++)
        room += opevo_parameter_arity(space->parameters[i]);
    names = opevo_malloc(room, sizeof *names);
    *count = 0;
    for (size_t i = 0; names && i < space->parameter_count; i++) {
        const opevo_parameter *parameter = space->parameters[i];

        names[(*count)++] = opevo_parameter_name(parameter);
        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++)
            if (opevo_parameter_component_name(parameter, k))
                names[(*count)++] = opevo_parameter_component_name(parameter, k);
    }
    return names;
}

static opevo_status check_names(const opevo_space *space, opevo_error *err)
{
    size_t count = 0;
    const char **names = list_names(space, &count);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(names, "a space");
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && status == OPEVO_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = OPEVO_FAIL(
                err, OPEVO_INVALID,
                "The name %s is used twice; parameters and components need distinct names.",
                names[i]);
    opevo_free(names);
    return status;
}

opevo_status opevo_i_topology_space_create(opevo_parameter **parameters,
                                           const opevo_activation *activations, size_t count,
                                           const opevo_i_topology_constraint_list *constraints,
                                           opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;

    if (count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A space needs at least one parameter.");
    if (count > OPEVO_SPACE_PARAMETERS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A space has at most %d parameters, not %zu.",
                          OPEVO_SPACE_PARAMETERS_MAX, count);
    OPEVO_NEW_OR_RETURN(space, 1, "a space");
    space->dialect = constraints->dialect;
    space->parameter_count = count;
    space->parameters = opevo_malloc(count, sizeof(opevo_parameter *));
    space->stride = opevo_malloc(count, sizeof *space->stride);
    space->compiled = opevo_i_topology_compiled_create();
    OPEVO_NEED(space->parameters && space->stride && space->compiled, "a space");
    memcpy(space->parameters, parameters, count * sizeof(opevo_parameter *));
    OPEVO_TRY(opevo_i_topology_branches_create(space, activations, err));
    OPEVO_TRY(measure(space, err));
    OPEVO_TRY(check_names(space, err));
    OPEVO_TRY(opevo_i_topology_constraints_create(space, constraints, err));
    *out = space;
    space = NULL;
cleanup:
    if (space)
        release(space);
    return status;
}

opevo_status opevo_space_create(opevo_parameter **parameters, size_t count,
                                const char *const *constraints, size_t constraint_count,
                                opevo_dialect dialect, const char *origin, opevo_space **out,
                                opevo_error *err)
{
    opevo_i_topology_constraint_list list = {.texts = constraints,
                                             .count = constraint_count,
                                             .dialect = dialect,
                                             .origin = origin ? origin : "the space"};

    return opevo_i_topology_space_create(parameters, NULL, count, &list, out, err);
}

opevo_status opevo_space_create_branched_sized(const opevo_space_spec *spec, size_t size,
                                               opevo_space **out, opevo_error *err)
{
    opevo_space_spec known;
    opevo_i_topology_constraint_list list;
    opevo_status status =
        opevo_struct_read(spec, size, "opevo_space_spec", &known, sizeof known, err);

    if (status != OPEVO_OK)
        return status;
    list = (opevo_i_topology_constraint_list){.texts = known.constraints,
                                              .count = known.constraint_count,
                                              .dialect = known.dialect,
                                              .origin = known.origin ? known.origin : "the space"};
    return opevo_i_topology_space_create(known.parameters, known.activations, known.count, &list,
                                         out, err);
}

void opevo_i_topology_space_join(opevo_space *space, const opevo_space *with)
{
    opevo_i_topology_known *own = space->known;

    if (!own || !with->known)
        return;
    space->known = opevo_i_topology_known_share(with->known);
    opevo_i_topology_known_release(own);
}

/* ---- Facts ---- */

size_t opevo_space_parameter_count(const opevo_space *space)
{
    return space->parameter_count;
}

const opevo_parameter *opevo_space_parameter(const opevo_space *space, size_t i)
{
    return space->parameters[i];
}

opevo_index opevo_space_size(const opevo_space *space)
{
    return space->size;
}

bool opevo_space_is_wide(const opevo_space *space)
{
    return space->known;
}

void opevo_space_print_size(const opevo_space *space, opevo_text *out)
{
    if (space->known)
        opevo_diagram_print_count(space->all, out);
    else
        opevo_text_add_index(out, space->size);
}

double opevo_space_log2_size(const opevo_space *space)
{
    return space->known ? opevo_diagram_log2_count(space->all) : log2((double)space->size);
}

size_t opevo_space_constraint_count(const opevo_space *space)
{
    return space->constraint_count;
}

const char *opevo_space_constraint(const opevo_space *space, size_t i)
{
    return space->constraints[i].text;
}

uint64_t opevo_space_signature(const opevo_space *space)
{
    uint64_t hash = OPEVO_HASH_START;
    unsigned char dialect = (unsigned char)space->dialect;

    for (size_t i = 0; i < space->parameter_count; i++)
        hash = opevo_parameter_hash(space->parameters[i], hash);
    for (size_t i = 0; space->activations && i < space->parameter_count; i++) {
        hash = opevo_hash_u64(hash, (uint64_t)space->activations[i].parent);
        hash = opevo_hash_u64(hash, (uint64_t)space->activations[i].value);
    }
    if (space->constraint_count > 0) /* without constraints there is no language */
        hash = opevo_hash_bytes(hash, &dialect, 1);
    for (size_t i = 0; i < space->constraint_count; i++) {
        const char *text = space->constraints[i].text;

        hash = opevo_hash_bytes(hash, text, strlen(text) + 1);
    }
    for (size_t i = 0; i < space->range_count; i++) {
        char first[OPEVO_INDEX_TEXT_SIZE], last[OPEVO_INDEX_TEXT_SIZE];

        opevo_index_format(space->ranges[i].first, first);
        opevo_index_format(space->ranges[i].last, last);
        hash = opevo_hash_bytes(hash, first, strlen(first) + 1);
        hash = opevo_hash_bytes(hash, last, strlen(last) + 1);
    }
    return hash;
}
