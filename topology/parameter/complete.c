/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The complete graph on the values of any type, and the metrics that regular graphs share. */

#include "parameter_internal.h"

opevo_family opevo_i_topology_complete_family(const opevo_parameter *self)
{
    (void)self;
    return OPEVO_FAMILY_COMPLETE;
}

opevo_index opevo_i_topology_complete_degree(const opevo_parameter *self, opevo_index vertex)
{
    (void)vertex;
    return self->size - 1;
}

opevo_index opevo_i_topology_complete_neighbour(const opevo_parameter *self, opevo_index vertex,
                                                opevo_index k)
{
    (void)self;
    return k < vertex ? k : k + 1;
}

void opevo_i_topology_regular_measure(const opevo_parameter *self, opevo_index degree,
                                      opevo_index diameter, opevo_parameter_metrics *metrics)
{
    bool size_is_even = self->size % 2 == 0;
    opevo_index size = size_is_even ? self->size / 2 : self->size;

    metrics->degree_min = metrics->degree_max = degree;
    metrics->degree_mean = (double)degree;
    metrics->diameter = diameter;
    metrics->components = 1;
    metrics->known |= OPEVO_METRIC_DEGREES | OPEVO_METRIC_DIAMETER | OPEVO_METRIC_COMPONENTS;
    if (opevo_index_mul(size, size_is_even ? degree : degree / 2, &metrics->edges))
        metrics->known |= OPEVO_METRIC_EDGES;
}

void opevo_i_topology_complete_measure(const opevo_parameter *self,
                                       opevo_parameter_metrics *metrics)
{
    opevo_i_topology_regular_measure(self, self->size - 1, self->size > 1 ? 1 : 0, metrics);
}
