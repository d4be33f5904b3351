/* SPDX-License-Identifier: GPL-3.0-or-later */

/* categorical(a,b,...): any values in the order given, on the complete graph. */

#include <opevo/memory.h>

#include "value_list.h"

typedef struct categorical {
    opevo_parameter super;
    opevo_i_value_list list;
} categorical;

static void destroy(opevo_parameter *self)
{
    opevo_i_value_list_release(&((categorical *)self)->list);
    opevo_free(self);
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    categorical *self = NULL;

    if (spec->value_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: %s needs at least one value.",
                          spec->name, spec->type);
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
    OPEVO_TRY(opevo_i_value_list_init(&self->list, spec->values, spec->value_count, false,
                                      spec->name, err));
    self->super.size = spec->value_count;
    self->super.arity = 1;
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        destroy(&self->super);
    return status;
}

static void value(const opevo_parameter *self, opevo_index vertex, opevo_value *components)
{
    components[0] = ((const categorical *)self)->list.values[(size_t)vertex];
}

static bool find(const opevo_parameter *self, const opevo_value *components, opevo_index *vertex)
{
    size_t at = 0;

    if (!opevo_i_value_list_find(&((const categorical *)self)->list, components[0], &at))
        return false;
    *vertex = at;
    return true;
}

static uint64_t hash(const opevo_parameter *self, uint64_t start)
{
    return opevo_i_value_list_hash(&((const categorical *)self)->list, start);
}

static const opevo_i_topology topologies[] = {OPEVO_I_COMPLETE_TOPOLOGY};

const opevo_i_type opevo_i_categorical_type = {
    .info = {"categorical", "categorical(a,b,...)",
             "any values, every one a neighbour of every other; also called choice", "complete"},
    .alias = "choice",
    .topologies = topologies,
    .topology_count = sizeof topologies / sizeof topologies[0],
    .is_list = true,
    .create = create,
    .destroy = destroy,
    .value = value,
    .find = find,
    .hash = hash,
};
