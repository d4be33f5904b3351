/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Breadth-first search, one level a round: bfs_expand visits the neighbours of the front, and
 * bfs_advance makes those that were reached the next front, and sets the flag if there are any.
 * Several work items may write the same level to a node at once, and the same 1. */

#include "kernel_dialect.h"

KERNEL bfs_expand(const GLOBAL int *offsets, const GLOBAL int *targets, GLOBAL int *front,
                  GLOBAL int *reached, const GLOBAL int *visited, GLOBAL int *level, int nodes)
{
    const int node = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);

    if (node >= nodes || !front[node])
        return;
    front[node] = 0;
    for (int edge = offsets[node]; edge < offsets[node + 1]; edge++) {
        const int next = targets[edge];

        if (!visited[next]) {
            level[next] = level[node] + 1;
            reached[next] = 1;
        }
    }
}

KERNEL bfs_advance(GLOBAL int *front, GLOBAL int *reached, GLOBAL int *visited, GLOBAL int *more,
                   int nodes)
{
    const int node = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);

    if (node >= nodes || !reached[node])
        return;
    reached[node] = 0;
    front[node] = 1;
    visited[node] = 1;
    *more = 1;
}
