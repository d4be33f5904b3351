/* SPDX-License-Identifier: GPL-3.0-or-later */

/* All that landscape_analysis.h knows of a landscape under one topology, and the topologies that a
 * space can be put under. For reports. */

#ifndef OPEVO_LANDSCAPE_PROFILE_H
#define OPEVO_LANDSCAPE_PROFILE_H

#include <opevo/api.h>
#include <opevo/landscape_analysis.h>

OPEVO_BEGIN_C

enum { OPEVO_CENTRALITIES = 4 };
/* Local optima of at least 1 / (1 + p) of the best fitness, for these p: 0, .05, .10, .15. */
OPEVO_API extern const double opevo_centrality_slack[OPEVO_CENTRALITIES];

typedef struct opevo_profile_options {
    opevo_nodes nodes;
    double target;     /* share of the best fitness that a search is to reach, in (0, 1] */
    size_t order_max;  /* of interactions that are fitted where points are missing */
    bool interactions; /* which do not depend on the topology */
    unsigned threads;  /* 0: all processors */
} opevo_profile_options;

typedef struct opevo_landscape_profile {
    opevo_nodes nodes;
    opevo_scale scale; /* logarithm where every node's fitness is positive */
    double best, threshold;
    size_t node_count;
    double edges;
    opevo_connectedness allowed, ok; /* graphs on the allowed points, and on successful points */
    opevo_descent descent;
    double centrality[OPEVO_CENTRALITIES]; /* with the damping .85 */
    double centrality_bound;
    opevo_autocorrelation autocorrelation;
    opevo_fitness_distance distance;
    opevo_interaction interaction; /* not defined where it was not asked for */
} opevo_landscape_profile;

/* Errors: INVALID for a target outside its domain, or no point that is ok; those of the parts. */
OPEVO_API opevo_status opevo_landscape_profile_create_sized(const opevo_landscape_table *table,
                                                            const opevo_space *space,
                                                            const opevo_profile_options *options,
                                                            size_t size,
                                                            opevo_landscape_profile *out,
                                                            opevo_error *err);
static inline opevo_status opevo_landscape_profile_create(const opevo_landscape_table *table,
                                                          const opevo_space *space,
                                                          const opevo_profile_options *options,
                                                          opevo_landscape_profile *out,
                                                          opevo_error *err)
{
    return opevo_landscape_profile_create_sized(table, space, options, sizeof *options, out, err);
}
OPEVO_API void opevo_landscape_profile_release(opevo_landscape_profile *self);

/* ---- Topologies of a space ---- */

typedef struct opevo_topology_choice {
    char *name;         /* "path", or "prime-move, path" where there are two types */
    opevo_space *space; /* with that topology for every parameter of the type */
} opevo_topology_choice;

/* Every combination of one topology for each type of parameter that the space has, steps(k) with k
 * = 2; and the space as it is, named "as given", first, where it is not one of them.
 * Errors: LIMIT for more than 100 of them; NOMEM. */
OPEVO_API opevo_status opevo_topology_choices_create(const opevo_space *space,
                                                     opevo_topology_choice **out, size_t *count,
                                                     opevo_error *err);
/* The one choice in which each parameter has the first of the topologies in `names` (separated by
 * commas) that its type has, and otherwise keeps its own. Errors: INVALID for a name that no
 * parameter's type has. */
OPEVO_API opevo_status opevo_topology_choice_named(const opevo_space *space, const char *names,
                                                   opevo_topology_choice **out, opevo_error *err);
OPEVO_API void opevo_topology_choices_destroy(opevo_topology_choice *choices, size_t count);

OPEVO_END_C

#endif
