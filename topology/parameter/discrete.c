/* SPDX-License-Identifier: GPL-3.0-or-later */

/* discrete(a,b,...): different numbers in increasing order. Vertex i is the i-th smallest, and the
 * topologies join vertices by their distance in that order. */

#include "value_list.h"
#include "value_text.h"

#include <math.h>

static opevo_status refuse_non_numbers(const opevo_parameter_spec *spec, opevo_error *err)
{
    for (size_t i = 0; i < spec->value_count; i++) {
        opevo_value value = spec->values[i];
        opevo_text text = {0};

        if (value.kind == OPEVO_VALUE_INTEGER ||
            (value.kind == OPEVO_VALUE_REAL && isfinite(value.as.real)))
            continue;
        opevo_i_topology_value_print(&text, value);
        opevo_error_set(err, OPEVO_INVALID,
                        "Parameter %s: %s is not a finite number; discrete takes numbers only, "
                        "categorical any values.",
                        spec->name, OPEVO_I_EXCERPT(opevo_text_string(&text)));
        opevo_text_free(&text);
        return OPEVO_INVALID;
    }
    return OPEVO_OK;
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    opevo_status status = refuse_non_numbers(spec, err);

    return status == OPEVO_OK ? opevo_i_topology_listed_create(spec, true, out, err) : status;
}

/* path is steps(1). */
static opevo_index reach(const opevo_parameter *self)
{
    return self->step ? (opevo_index)self->step : 1;
}

static opevo_index smaller(opevo_index a, opevo_index b)
{
    return a < b ? a : b;
}

static opevo_family steps_family(const opevo_parameter *self)
{
    if (reach(self) == 1)
        return OPEVO_FAMILY_PATH;
    return reach(self) >= self->size - 1 ? OPEVO_FAMILY_COMPLETE : OPEVO_FAMILY_GENERAL;
}

static opevo_index steps_degree(const opevo_parameter *self, opevo_index vertex)
{
    return smaller(vertex, reach(self)) + smaller(self->size - 1 - vertex, reach(self));
}

/* The neighbours ascend, with a gap at the vertex itself. */
static opevo_index steps_neighbour(const opevo_parameter *self, opevo_index vertex, opevo_index k)
{
    opevo_index below = smaller(vertex, reach(self));

    return vertex - below + k + (k >= below ? 1 : 0);
}

static void steps_measure(const opevo_parameter *self, opevo_parameter_metrics *metrics)
{
    opevo_index longest = self->size - 1;
    opevo_index k = smaller(reach(self), longest);

    metrics->edges = k * self->size - k * (k + 1) / 2;
    metrics->degree_min = k;
    metrics->degree_max = smaller(2 * k, longest);
    metrics->degree_mean = 2 * (double)metrics->edges / (double)self->size;
    metrics->diameter = k ? (longest + k - 1) / k : 0;
    metrics->components = 1;
    metrics->known =
        OPEVO_METRIC_DEGREES | OPEVO_METRIC_DIAMETER | OPEVO_METRIC_COMPONENTS | OPEVO_METRIC_EDGES;
}

/* Fewer than three vertices have no cycle; their graph is the path. */
static opevo_family cycle_family(const opevo_parameter *self)
{
    return self->size < 3 ? OPEVO_FAMILY_PATH : OPEVO_FAMILY_CYCLE;
}

static opevo_index cycle_degree(const opevo_parameter *self, opevo_index vertex)
{
    (void)vertex;
    return smaller(self->size - 1, 2);
}

static opevo_index cycle_neighbour(const opevo_parameter *self, opevo_index vertex, opevo_index k)
{
    return (vertex + (k == 0 ? self->size - 1 : 1)) % self->size;
}

static void cycle_measure(const opevo_parameter *self, opevo_parameter_metrics *metrics)
{
    opevo_i_topology_regular_measure(self, smaller(self->size - 1, 2), self->size / 2, metrics);
}

static const opevo_i_topology topologies[] = {
    {.name = "path",
     .family = steps_family,
     .degree = steps_degree,
     .neighbour = steps_neighbour,
     .measure = steps_measure},
    {.name = "steps",
     .has_step = true,
     .family = steps_family,
     .degree = steps_degree,
     .neighbour = steps_neighbour,
     .measure = steps_measure},
    {.name = "cycle",
     .family = cycle_family,
     .degree = cycle_degree,
     .neighbour = cycle_neighbour,
     .measure = cycle_measure},
    OPEVO_I_COMPLETE_TOPOLOGY,
};

const opevo_i_topology_type opevo_i_topology_discrete_type = {
    .info = {"discrete", "discrete(a,b,...)",
             "numbers in increasing order; neighbours are adjacent values",
             "path steps(k) cycle complete"},
    .topologies = topologies,
    .topology_count = sizeof topologies / sizeof topologies[0],
    .is_list = true,
    .create = create,
    .destroy = opevo_i_topology_listed_destroy,
    .value = opevo_i_topology_listed_value,
    .find = opevo_i_topology_listed_find,
    .hash = opevo_i_topology_listed_hash,
};
