/* SPDX-License-Identifier: GPL-3.0-or-later */

/* categorical(a,b,...): any values in the order given, on the complete graph. */

#include "value_list.h"

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    return opevo_i_topology_listed_create(spec, false, out, err);
}

static const opevo_i_topology topologies[] = {OPEVO_I_COMPLETE_TOPOLOGY};

const opevo_i_topology_type opevo_i_topology_categorical_type = {
    .info = {"categorical", "categorical(a,b,...)",
             "any values, all neighbours of each other; also called choice", "complete"},
    .alias = "choice",
    .topologies = topologies,
    .topology_count = sizeof topologies / sizeof topologies[0],
    .is_list = true,
    .create = create,
    .destroy = opevo_i_topology_listed_destroy,
    .value = opevo_i_topology_listed_value,
    .find = opevo_i_topology_listed_find,
    .hash = opevo_i_topology_listed_hash,
};
