/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of a loop tree. */

#include <opevo/loop_tree.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

void opevo_loop_node_write(const opevo_loop_node *node, size_t row, float *out)
{
    memset(out, 0, OPEVO_LOOP_COLUMNS * sizeof *out);
    out[OPEVO_LOOP_PARENT] = node->parent == SIZE_MAX ? 0 : (float)(row - node->parent);
    out[OPEVO_LOOP_NAME] = (float)(node->name % OPEVO_LOOP_NAMES);
    out[OPEVO_LOOP_KIND] = (float)node->kind;
    out[OPEVO_LOOP_EXTENT] = (float)log2(node->extent);
    out[OPEVO_LOOP_TOP_DOWN] = (float)log2(node->top_down);
    out[OPEVO_LOOP_BOTTOM_UP] = (float)log2(node->bottom_up);
    for (size_t i = 0; i < OPEVO_LOOP_BUFFERS; i++) {
        float *touch = out + OPEVO_LOOP_TOUCHES + 3 * i;

        touch[0] = (float)log2(1 + node->touches[i].elements);
        touch[1] = (float)log2(1 + node->touches[i].reuse);
        touch[2] = (float)log2(1 + node->touches[i].stride);
    }
}
