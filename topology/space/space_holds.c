/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a constraint of a space holds at a point: by its table, or evaluated. */

#include "space_internal.h"

const opevo_value *opevo_i_topology_constraint_value(const opevo_space *space, size_t parameter,
                                                     opevo_index vertex, opevo_value *scratch)
{
    if (space->listed[parameter])
        return space->listed[parameter] +
               (size_t)vertex * opevo_parameter_arity(space->parameters[parameter]);
    opevo_parameter_value(space->parameters[parameter], vertex, scratch);
    return scratch;
}

size_t opevo_i_topology_constraint_scratch(const opevo_space *space, size_t parameter)
{
    return space->listed[parameter] ? 0 : opevo_parameter_arity(space->parameters[parameter]);
}

size_t opevo_i_topology_expression_row(const opevo_i_topology_expression *expression,
                                       size_t parameter)
{
    size_t row = 0;

    while (row < expression->parameter_count && expression->parameters[row] != parameter)
        row++;
    return row;
}

static bool evaluate(const opevo_space *space, const opevo_i_topology_constraint *self,
                     const opevo_index *vertices)
{
    const opevo_value *rows[OPEVO_I_ROWS_MAX];
    opevo_value scratch[OPEVO_I_SCRATCH_MAX];
    size_t used = 0;

    for (size_t row = 0; row < self->expression.parameter_count; row++) {
        size_t parameter = self->expression.parameters[row];

        rows[row] = NULL;
        if (vertices[parameter] == OPEVO_INACTIVE)
            continue;
        rows[row] = opevo_i_topology_constraint_value(space, parameter, vertices[parameter],
                                                      scratch + used);
        used += opevo_i_topology_constraint_scratch(space, parameter);
    }
    return opevo_i_topology_expression_holds(&self->expression, rows);
}

/* Where a parameter is not active its parents' rows say so, and its own place stays 0. */
static uint64_t place_in_branches(const opevo_i_topology_constraint *self,
                                  const opevo_index *vertices)
{
    uint64_t place = 0;

    for (size_t row = 0; row < self->expression.parameter_count; row++) {
        opevo_index vertex = vertices[self->expression.parameters[row]];

        place += vertex == OPEVO_INACTIVE ? 0 : (uint64_t)vertex * self->stride[row];
    }
    return place;
}

bool opevo_i_topology_constraint_holds(const opevo_space *space,
                                       const opevo_i_topology_constraint *self,
                                       const opevo_index *vertices)
{
    uint64_t place = 0;

    if (!self->table)
        return evaluate(space, self, vertices);
    if (space->activations) {
        place = place_in_branches(self, vertices);
    } else {
        for (size_t row = 0; row < self->expression.parameter_count; row++)
            place += (uint64_t)vertices[self->expression.parameters[row]] * self->stride[row];
    }
    return self->table[place >> 6] >> (place & 63) & 1;
}
