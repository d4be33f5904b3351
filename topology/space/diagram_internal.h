/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of a compiled space. A group is levels of nodes, one level for each of its parameters;
 * the nodes of a level are numbered from 0, the root is the only one of level 0, and the arcs of
 * the last level lead to node 0, which is the end. No node stands for nothing: a group without a
 * root allows no point. */

#ifndef OPEVO_DIAGRAM_INTERNAL_H
#define OPEVO_DIAGRAM_INTERNAL_H

#include <opevo/diagram.h>

#include "natural.h"

enum {
    OPEVO_I_DIAGRAM_LIMBS_MAX = 256, /* of a count */
    OPEVO_I_DIAGRAM_REACH = 8        /* levels whose vertices a node knows of, roughly */
};

/* Vertices first .. first + count - 1 lead to a node of the next level. */
typedef struct opevo_i_topology_arc {
    uint32_t first, count, node;
} opevo_i_topology_arc;

/* The vertex of an arc for an inactive parameter; its count is 1. */
#define OPEVO_I_ARC_INACTIVE UINT32_MAX
static inline uint32_t opevo_i_topology_arc_label(opevo_index vertex)
{
    return vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE : (uint32_t)vertex;
}

typedef struct opevo_i_topology_level {
    size_t parameter;
    uint32_t node_count;
    size_t arc_count;
    size_t *starts;             /* of each node's arcs, and behind the last */
    opevo_i_topology_arc *arcs; /* of a node ascending by `first` */
    uint64_t *counts;           /* points below each node: limbs of the group */
    uint64_t *before;           /* points of a node ahead of each of its arcs */
    uint64_t *reach;            /* opevo_i_topology_reach for each node: bits of the vertices of
                                 * this level and of those behind it on paths from the node */
} opevo_i_topology_level;

typedef struct opevo_i_topology_group {
    size_t depth; /* parameters */
    opevo_i_topology_level *levels;
    size_t limbs;
    size_t free_parameter; /* depth 0: one that nothing is tied to, which has all its vertices */
    opevo_index free_size;
} opevo_i_topology_group;

struct opevo_diagram {
    const opevo_space *space;
    opevo_i_topology_group *groups;
    size_t group_count;
    size_t *group_of, *level_of; /* of each parameter; level SIZE_MAX: it is free */
};

/* One of 64 bits for the label of a vertex. */
static inline uint64_t opevo_i_topology_arc_bit(uint32_t label)
{
    return UINT64_C(1) << (label * UINT32_C(0x9e3779b1) >> 26);
}

/* The levels from level l on whose vertices its nodes know of. */
static inline size_t opevo_i_topology_reach(const opevo_i_topology_group *group, size_t l)
{
    return group->depth - l < OPEVO_I_DIAGRAM_REACH ? group->depth - l : OPEVO_I_DIAGRAM_REACH;
}

/* Add what an arc of a node of level l leads past to the node's opevo_i_topology_reach sets. */
void opevo_i_topology_reach_by(const opevo_i_topology_group *group, size_t l,
                               const opevo_i_topology_arc *arc, uint64_t *reach);

/* Of one of many compilations. */
#define OPEVO_I_SMALL_LIMITS                                                                       \
    {                                                                                              \
        OPEVO_DIAGRAM_WORK_MOST / 16, OPEVO_DIAGRAM_BYTES_MOST                                     \
    }

/* As opevo_diagram_create with some of the constraints; NULL: all. */
opevo_status opevo_i_topology_diagram_create(const opevo_space *space, const bool *used,
                                             const opevo_diagram_limits *limits,
                                             opevo_diagram **out, opevo_error *err);
/* Whether it allows any point. */
bool opevo_i_topology_diagram_has_points(const opevo_diagram *diagram);
/* Refuse a space whose constraints allow no point, naming a smallest group of them that conflict:
 * of all groups where they are at most three, otherwise one of which none can be left out. */
opevo_status opevo_i_topology_diagram_conflict(const opevo_space *space, const char *origin,
                                               opevo_error *err);

/* The points of a group: as many limbs as it has, at most OPEVO_I_DIAGRAM_LIMBS_MAX; two limbs of a
 * free parameter. Returns their number. */
size_t opevo_i_topology_group_count(const opevo_i_topology_group *group, uint64_t *count);

/* The arc of a node with a vertex; SIZE_MAX if it has none. */
size_t opevo_i_topology_arc_find(const opevo_i_topology_level *level, uint32_t node,
                                 uint32_t vertex);

#endif
