/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a landscape is like under a topology, computed from all of its points: local optima and
 * their basins, the cost of restarted search, smoothness, structure of the variance, connectedness.
 * docs/landscape-analysis.md derives each number. improvement.h has the one step of OpEvo.
 *
 * A landscape graph has a node for each point of a chosen set. Two nodes are neighbours when their
 * points differ in one parameter, and there by an edge of its topology. A neighbour that is not in
 * the set is missing: it counts neither in the degree nor as a step. */

#ifndef OPEVO_LANDSCAPE_ANALYSIS_H
#define OPEVO_LANDSCAPE_ANALYSIS_H

#include <opevo/api.h>
#include <opevo/objective.h>

OPEVO_BEGIN_C

/* ---- The outcomes of all points ---- */

enum { OPEVO_LANDSCAPE_POINTS_MAX = 1 << 26 };

typedef enum opevo_point_state {
    OPEVO_POINT_FORBIDDEN, /* by a constraint */
    OPEVO_POINT_FAILED,    /* allowed, with an outcome other than ok */
    OPEVO_POINT_OK
} opevo_point_state;

typedef struct opevo_landscape_table {
    size_t size;    /* points of the space */
    size_t allowed; /* of them not forbidden */
    size_t ok;
    double best;     /* largest fitness of a successful point; NAN if none exists */
    double *fitness; /* of each point; 0 unless ok */
    unsigned char *state;
} opevo_landscape_table;

/* Evaluate every allowed point, on `threads` threads (0: all processors; one where the objective is
 * not concurrent). Errors: LIMIT above OPEVO_LANDSCAPE_POINTS_MAX points; what the objective
 * reports; NOMEM. Memory: 9 bytes a point. */
OPEVO_API opevo_status opevo_landscape_table_create(opevo_objective *objective, unsigned threads,
                                                    opevo_landscape_table **out, opevo_error *err);
OPEVO_API void opevo_landscape_table_destroy(opevo_landscape_table *table);

/* ---- The graph ---- */

/* Which points are nodes. */
typedef enum opevo_nodes {
    OPEVO_NODES_OK,      /* successful points */
    OPEVO_NODES_ALLOWED, /* failures too, with fitness 0, as a run meets them */
    OPEVO_NODES_ALL      /* forbidden points too, with fitness 0 */
} opevo_nodes;
OPEVO_API const char *opevo_nodes_name(opevo_nodes nodes); /* "ok", "allowed", "all" */
OPEVO_API bool opevo_nodes_parse(const char *name, opevo_nodes *nodes);

typedef struct opevo_landscape_graph opevo_landscape_graph;

/* `table` and `space` must outlive the graph; `space` has the points of the table's and may have
 * other topologies. Neighbours are kept in compressed rows, those of parameters under the complete
 * topology by the lines on which they lie, so that a node costs 4 bytes an edge of the former and 8
 * a parameter of the latter.
 *
 * Errors: INVALID where no point is a node, or the space has another number of points; LIMIT when
 *         the graph would take more than `limit_bytes` (0: half of opevo_memory_limit); NOMEM.
 * Cost: about 20 ns an edge, on `threads` threads (0: all processors), and sorting the nodes. */
OPEVO_API opevo_status opevo_landscape_graph_create(const opevo_landscape_table *table,
                                                    const opevo_space *space, opevo_nodes nodes,
                                                    size_t limit_bytes, unsigned threads,
                                                    opevo_landscape_graph **out, opevo_error *err);
OPEVO_API void opevo_landscape_graph_destroy(opevo_landscape_graph *graph);
OPEVO_API size_t opevo_landscape_graph_count(const opevo_landscape_graph *graph); /* nodes */
OPEVO_API double opevo_landscape_graph_edges(const opevo_landscape_graph *graph);
/* Nodes are numbered by ascending points. */
OPEVO_API opevo_index opevo_landscape_graph_point(const opevo_landscape_graph *graph, size_t node);
OPEVO_API double opevo_landscape_graph_fitness(const opevo_landscape_graph *graph, size_t node);
OPEVO_API double opevo_landscape_graph_degree(const opevo_landscape_graph *graph, size_t node);

/* y = A x with A the adjacency matrix; on `threads` threads, the result independent of them.
 * Errors: NOMEM. */
OPEVO_API opevo_status opevo_landscape_graph_multiply(const opevo_landscape_graph *graph,
                                                      const double *x, double *y, unsigned threads,
                                                      opevo_error *err);

typedef struct opevo_connectedness {
    size_t components;
    size_t isolated; /* nodes without neighbours */
    size_t largest;  /* nodes of the largest component */
    size_t optimum;  /* and of the one that holds the best node (the first of equals) */
} opevo_connectedness;
/* Errors: NOMEM. Cost: one visit of each edge. */
OPEVO_API opevo_status opevo_landscape_connectedness(const opevo_landscape_graph *graph,
                                                     opevo_connectedness *out, opevo_error *err);

/* ---- Descent and restarted search: local_optima.c ---- */

/* A search starts at a uniform node and looks at the neighbours one by one in random order without
 * repetition; it moves to the first that is better. At a node without better neighbours (a local
 * optimum) it has looked at all of them, and starts again. It ends at a target. Every look and
 * every start is a trial, repeated points included. Better means strictly larger fitness. */
typedef struct opevo_local_optimum {
    opevo_index point;
    double fitness;
    double basin; /* probability that a search started once ends here */
    bool failed;  /* of a point that is not ok */
} opevo_local_optimum;

typedef struct opevo_descent {
    size_t targets;       /* nodes of fitness >= threshold */
    double reach;         /* probability that one search ends in a target: the mean committor */
    double cost;          /* expected trials of restarted search; INFINITY when reach is 0 */
    double cost_sd;       /* their standard deviation */
    double random_cost;   /* (n + 1) / (targets + 1): uniform search without repetition */
    double length;        /* expected moves of one search to a local optimum, targets passed */
    double neutral;       /* share of the edges between successful points with equal fitness */
    size_t optimum_count; /* nodes without a better neighbour */
    size_t strict_count;  /* of them those without an equal one either */
    size_t failed_count;  /* of them those that are not ok */
    opevo_local_optimum *optima; /* by descending basin, then ascending point */
} opevo_descent;

/* threshold > 0: fitness of a target. Exact up to rounding: relative errors near 1e-13.
 * Cost: two visits of each edge. Memory: 60 bytes a node. */
OPEVO_API opevo_status opevo_landscape_descend(const opevo_landscape_graph *graph, double threshold,
                                               opevo_descent *out, opevo_error *err);
OPEVO_API void opevo_descent_release(opevo_descent *self);
/* Committor of each node, the probability that a search from it ends in a target, and the expected
 * trials of one attempt from it, the start not counted; each may be NULL. */
OPEVO_API opevo_status opevo_landscape_committor(const opevo_landscape_graph *graph,
                                                 double threshold, double *committor,
                                                 double *trials, opevo_error *err);

/* Centrality of the local optima in the fitness flow graph, whose edges lead to neighbours that are
 * not worse: pi = damping W^T pi + (1 - damping) / n, nodes without such neighbours jumping to a
 * uniform node. share[i] is the sum of pi over the local optima of fitness >= threshold[i], divided
 * by that over all; failures count among neither, and without any other it is NAN. `pagerank` (may
 * be NULL) receives pi. `bound` is the largest error of a share.
 * Errors: INVALID unless 0 <= damping < 1; NOMEM.
 * Source: Schoonhoven, van Werkhoven, Batenburg, IEEE TEVC 2022, "proportion of centrality". */
OPEVO_API opevo_status opevo_landscape_centrality(const opevo_landscape_graph *graph,
                                                  double damping, const double *threshold,
                                                  size_t count, double *share, double *bound,
                                                  double *pagerank, opevo_error *err);

/* ---- Smoothness: autocorrelation.c, distance.c ---- */

typedef enum opevo_scale {
    OPEVO_SCALE_LINEAR,
    OPEVO_SCALE_LOG /* of the fitness, which must be positive at every node */
} opevo_scale;

enum { OPEVO_LAGS = 10 };

/* With mu proportional to the degree and f the fitness less its mean under mu,
 * r(s) = sum mu f (W^s f) / sum mu f^2. The spectral measure of f says which share of its variance
 * lies at which eigenvalues of W; the Gauss rule of Lanczos has its first 2 m - 1 moments, which
 * are the r(s). */
typedef struct opevo_autocorrelation {
    bool defined;             /* false for no edges or constant fitness */
    double r[OPEVO_LAGS + 1]; /* r[0] = 1 */
    double length;            /* -1 / ln |r(1)| */
    size_t node_count;        /* of the Gauss rule */
    bool complete;            /* the rule is the measure itself, nodes to 1e-8 */
    double *eigenvalue;       /* nodes, ascending: the eigenvalues if complete, or between them */
    double *share;            /* of each; their sum is 1 */
} opevo_autocorrelation;
/* steps: products with W, 0 for the default of 48 or what 1 GiB holds.
 * Errors: INVALID for the logarithm of a fitness of 0; NOMEM. */
OPEVO_API opevo_status opevo_landscape_autocorrelation(const opevo_landscape_graph *graph,
                                                       opevo_scale scale, size_t steps,
                                                       unsigned threads, opevo_autocorrelation *out,
                                                       opevo_error *err);
OPEVO_API void opevo_autocorrelation_release(opevo_autocorrelation *self);
/* Bounds of the share of the variance at eigenvalues >= x, by the inequalities of Chebyshev, Markov
 * and Stieltjes. Source: Szego, "Orthogonal Polynomials", section 3.41. */
OPEVO_API void opevo_autocorrelation_above(const opevo_autocorrelation *self, double x, double *low,
                                           double *high);

typedef struct opevo_distance_shell {
    size_t nodes;
    double mean, sd; /* of the fitness; divisor n - 1 */
} opevo_distance_shell;
/* Distance is the smallest number of steps to a node of the largest fitness. */
typedef struct opevo_fitness_distance {
    double pearson, spearman; /* NAN where one of the two does not vary */
    size_t unreachable;       /* nodes without a path to it, left out */
    size_t shell_count;       /* distances 0 .. shell_count - 1 occur */
    opevo_distance_shell *shell;
} opevo_fitness_distance;
/* Errors: INVALID for the logarithm of a fitness of 0; NOMEM.
 * Source: Jones, Forrest, "Fitness distance correlation", ICGA 1995. */
OPEVO_API opevo_status opevo_landscape_fitness_distance(const opevo_landscape_graph *graph,
                                                        opevo_scale scale,
                                                        opevo_fitness_distance *out,
                                                        opevo_error *err);
OPEVO_API void opevo_fitness_distance_release(opevo_fitness_distance *self);

/* ---- Structure of the variance: interaction.c, under the uniform law on the nodes ---- */

typedef struct opevo_interaction {
    bool defined; /* false for constant fitness */
    bool exact;   /* every point is a node: the functional ANOVA */
    double bound; /* otherwise: what the last rounds of the fits still gained */
    size_t order_count;
    double *order; /* order[k]: share of the variance that models of k-fold interactions add;
                       order[0] = 0; all that is not covered is in `rest` */
    double rest;
    size_t parameter_count;
    double *first; /* Var E[f | x_i] / Var f */
    double *total; /* E Var[f | all but x_i] / Var f */
} opevo_interaction;
/* Where every point is a node, all orders by products of averages; otherwise least squares up to
 * order_max on the nodes, where the orders depend on the sequence in which they are added.
 * Errors: INVALID for the logarithm of a fitness of 0; LIMIT where least squares would have more
 * than 2^28 pairs of a node and a set of parameters; NOMEM.
 * Sources: Hoeffding 1948; Sobol', Math. Comput. Simul. 55 (2001); Saltelli et al. 2008. */
OPEVO_API opevo_status opevo_landscape_interaction(const opevo_landscape_graph *graph,
                                                   opevo_scale scale, size_t order_max,
                                                   opevo_interaction *out, opevo_error *err);
OPEVO_API void opevo_interaction_release(opevo_interaction *self);

OPEVO_END_C

#endif
