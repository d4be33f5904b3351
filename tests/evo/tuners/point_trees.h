/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loop trees of the points of a space: a loop for each component of each parameter, those of the
 * first parameter around each other, and those of the others in the innermost of them. The source's
 * context is the space. */

#ifndef OPEVO_TESTS_POINT_TREES_H
#define OPEVO_TESTS_POINT_TREES_H

#include <math.h>
#include <stdint.h>

#include <opevo/loop_tree.h>
#include <opevo/space.h>

enum { POINT_TREES_PARAMETERS = 8, POINT_TREES_PARTS = 8 };

static inline size_t point_trees_rows(void *context, opevo_index point, float *rows)
{
    const opevo_space *space = context;
    opevo_index vertices[POINT_TREES_PARAMETERS];
    size_t count = 0, inner = SIZE_MAX;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_value value[POINT_TREES_PARTS];
        size_t parent = inner;
        double product = 1;

        opevo_parameter_value(parameter, vertices[i], value);
        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++, count++) {
            double extent = 1 + fabs(opevo_value_number(value[k]));
            opevo_loop_node node = {.parent = parent,
                                    .name = (unsigned)count,
                                    .extent = extent,
                                    .top_down = product * extent,
                                    .bottom_up = extent};

            product *= extent;
            node.touches[0] = (opevo_loop_touch){extent, 1, 1};
            opevo_loop_node_write(&node, count, rows + count * OPEVO_LOOP_COLUMNS);
            parent = count;
        }
        inner = i == 0 ? parent : inner;
    }
    return count;
}

static inline opevo_feature_source point_trees(const opevo_space *space)
{
    return (opevo_feature_source){.count = OPEVO_LOOP_COLUMNS,
                                  .rows_most = OPEVO_LOOP_TREE_ROWS,
                                  .features = point_trees_rows,
                                  .context = (void *)space};
}

#endif
