/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the law share: the law object, and linear systems of the walk.
 *
 * A system is (I - Q) S = (1 - q) p0 on some weighted undirected graph: the parameter's own graph
 * with weights 1, or its quotient by classes of vertices, where a class counts as one unknown that
 * carries the mass of all its vertices. With D the diagonal of weighted degrees and B the weights,
 * X = D^-1 S solves the symmetric positive definite system (D - q B) X = (1 - q) p0. */

#ifndef OPEVO_LAW_INTERNAL_H
#define OPEVO_LAW_INTERNAL_H

#include <opevo/graph.h>
#include <opevo/law.h>

/* ---- Systems ---- */

/* Rows lo .. hi - 1: outside them everything is zero. Rows up to `seen` have been asked for their
 * neighbours already. */
typedef struct opevo_i_law_range {
    size_t lo, hi;
    size_t seen_lo, seen_hi;
} opevo_i_law_range;

/* A residual and what is needed to turn it into a bound. */
typedef struct opevo_i_law_residual {
    long double norm;  /* |r|_1 as computed */
    long double terms; /* sum of the absolute values of all terms that were added up */
    double longest;    /* largest number of roundings that a term went through in its row */
} opevo_i_law_residual;

typedef struct opevo_i_law_system opevo_i_law_system;
struct opevo_i_law_system {
    size_t count;
    double q;
    const double *p0;             /* masses of the start, summing to 1 */
    const double *inverse_degree; /* D^-1; a vertex without neighbours counts as its own */
    /* out = (D - q B) z on the range, widened first to all rows that `z` reaches; returns z.out. */
    double (*apply)(const opevo_i_law_system *self, const double *z, double *out,
                    opevo_i_law_range *range);
    /* x with |rhs - (I - Q) x|_1 <= goal, as far as rounding allows. */
    opevo_status (*solve)(const opevo_i_law_system *self, const double *rhs, double goal, double *x,
                          opevo_error *err);
    /* r = (1 - q) p0 - (I - Q) law, formed in extended precision, r rounded at the end. For a
     * quotient `law` holds probabilities of single vertices and r masses of classes. */
    opevo_status (*residual)(const opevo_i_law_system *self, const double *law, double *r,
                             opevo_i_law_residual *out, opevo_error *err);
    const double *size; /* vertices in a class; NULL: 1 each */
};

/* Solve, refine with residuals in extended precision until the certificate is at most `tolerance`,
 * clamp what rounding made negative before the certificate is formed. `law` is overwritten also on
 * failure. */
opevo_status opevo_i_law_refine(const opevo_i_law_system *system, double tolerance, double *law,
                                double *bound, opevo_error *err);

/* |r|_1 / (1 - q), rounded up, with the rounding errors of forming r added: with u the unit
 * roundoff of long double, a row of m terms is off by at most (m + 8) u / (1 - (m + 8) u) times
 * their absolute sum. Source: Higham, "Accuracy and stability of numerical algorithms",
 * section 3.1. */
double opevo_i_law_bound(const opevo_i_law_residual *residual, size_t count, double q);

/* (1 + bound)(1 + more) - 1, rounded up: the bound of a product of laws, one more of which is off
 * by `more` in the 1-norm, or relatively in each entry, as by a rounding. Both are at least 0. */
double opevo_i_law_bound_join(double bound, double more);

/* TOLERANCE with its sentence, or OK. */
opevo_status opevo_i_law_judge(double bound, double tolerance, opevo_error *err);

/* `solve` of every system that has `apply`. */
opevo_status opevo_i_law_cg_solve(const opevo_i_law_system *self, const double *rhs, double goal,
                                  double *x, opevo_error *err);

/* The system of an explicit graph; with `dense` factorised by Cholesky, otherwise solved by
 * conjugate gradients. It may be used for any number of starts in turn: set p0. */
typedef struct opevo_i_law_graph_system {
    opevo_i_law_system super;
    const opevo_graph *graph;
    double *inverse_degree;
    uint64_t degree_max;
    double *factor; /* Cholesky factor of I - q D^-1/2 A D^-1/2, or NULL */
} opevo_i_law_graph_system;

opevo_status opevo_i_law_graph_system_init(const opevo_graph *graph, double q, bool dense,
                                           opevo_i_law_graph_system *out, opevo_error *err);
void opevo_i_law_graph_system_release(opevo_i_law_graph_system *self);

/* Factor of I - q D^-1/2 A D^-1/2, and the `solve` that uses it. */
opevo_status opevo_i_law_dense_factor(opevo_i_law_graph_system *self, opevo_error *err);
opevo_status opevo_i_law_dense_solve(const opevo_i_law_system *self, const double *rhs, double goal,
                                     double *x, opevo_error *err);

/* A quotient: class i has size[i] vertices, each with degree[i] neighbours, of which count[k] lie
 * in class target[k], offset[i] <= k < offset[i + 1]. Filled and owned by the caller. */
typedef struct opevo_i_law_quotient {
    size_t class_count;
    const opevo_index *size;
    const double *degree;
    const size_t *offset;
    const uint32_t *target;
    const uint64_t *count;
} opevo_i_law_quotient;

/* Probability of one vertex of each class for a walk that starts in class `start`, which has one
 * vertex. */
opevo_status opevo_i_law_quotient_solve(const opevo_i_law_quotient *quotient, double q,
                                        size_t start, double tolerance, double *law, double *bound,
                                        opevo_error *err);

/* Path of n vertices, any start law. */
opevo_status opevo_i_law_path_solve(size_t n, double q, const double *p0, double tolerance,
                                    double *law, double *bound, opevo_error *err);

/* By neighbours computed on the fly, any start law. */
opevo_status opevo_i_law_implicit_solve(const opevo_parameter *parameter, double q,
                                        const double *p0, double tolerance, double *law,
                                        double *bound, opevo_error *err);

/* On an explicit graph, any start law, q and tolerance already checked. */
opevo_status opevo_i_law_graph_solve(const opevo_graph *graph, double q, const double *p0,
                                     bool dense, double tolerance, double *law, double *bound,
                                     opevo_error *err);

/* ---- The law object ---- */

/* How vertices fall into classes. */
typedef struct opevo_i_law_symmetry {
    size_t (*class_of)(const opevo_law *law, opevo_index vertex);
    opevo_law_class (*class_get)(const opevo_law *law, size_t i);
} opevo_i_law_symmetry;

enum { OPEVO_I_PERMUTATION_MAX = 34 }; /* 35! exceeds 128 bits */

/* p(n, k): partitions of n into parts of at most k. */
typedef struct opevo_i_law_partition_table {
    uint32_t number[OPEVO_I_PERMUTATION_MAX + 1][OPEVO_I_PERMUTATION_MAX + 1];
} opevo_i_law_partition_table;

struct opevo_law {
    const opevo_parameter *parameter;
    opevo_law_method method;
    double q;
    opevo_index start;
    double bound;
    const opevo_i_law_symmetry *symmetry;
    size_t class_count;
    double *probability; /* of each vertex of class i */
    /* Lumped only. */
    uint32_t *class_of;       /* class of each vertex */
    uint32_t *representative; /* first vertex of each class */
    opevo_index *size;
    /* Cycle types only. */
    unsigned order; /* n of permutation(n) */
    uint8_t start_order[OPEVO_I_PERMUTATION_MAX];
    opevo_i_law_partition_table *partitions;
};

/* The files of the law, each using those before it only: law_method; law_refine; solvers (law_cg,
 * law_dense); systems (law_graph, law_path, law_implicit, law_quotient); law_object; laws by vertex
 * (law_vertices) and by class (law_closed, law_cycle_type, law_lumped); law. */

/* ---- law_method.c ---- */

/* A caller's options of `size` bytes; those of zeros for NULL. */
opevo_status opevo_i_law_options_read(const opevo_law_options *options, size_t size,
                                      opevo_law_options *out, opevo_error *err);
/* Domain checks shared by every entry point; *tolerance receives the default for 0. */
opevo_status opevo_i_law_check(double q, const opevo_law_options *options, double *tolerance,
                               opevo_error *err);
/* Whether the method is to be chosen, and the one that is. */
bool opevo_i_law_is_automatic(const opevo_law_options *options);
opevo_law_method opevo_i_law_choose(const opevo_parameter *parameter);
/* INVALID: the method is for `what`, and the parameter is not. */
opevo_status opevo_i_law_misfit(opevo_law_method method, const opevo_parameter *parameter,
                                const char *what, opevo_error *err);

/* ---- law_object.c ---- */

/* Room for one probability a class; NOMEM. */
opevo_status opevo_i_law_allocate(opevo_law *law, size_t class_count, opevo_error *err);

/* ---- Laws by class and by vertex ---- */

/* Each fills probability, class_count, symmetry, bound and what its symmetry needs. What it has
 * allocated when it fails is released with the law. */
opevo_status opevo_i_law_complete(opevo_law *law, double tolerance, opevo_error *err);
opevo_status opevo_i_law_cycle(opevo_law *law, double tolerance, opevo_error *err);
opevo_status opevo_i_law_transpositions(opevo_law *law, double tolerance, opevo_error *err);
opevo_status opevo_i_law_lumped(opevo_law *law, double tolerance, opevo_error *err);
/* By law->method, or where that is `automatic` and the graph does not fit in memory, by another. */
opevo_status opevo_i_law_by_vertex(opevo_law *law, bool automatic, double tolerance,
                                   opevo_error *err);

/* Whether solving for the law of so many vertices fits in half of opevo_memory_limit. */
bool opevo_i_law_fits(opevo_index vertex_count);

/* The law of a walk from any start law on a parameter's graph, one number a vertex, by a method
 * that solves (not by closed form or lumping). `law` is overwritten also on failure. */
opevo_status opevo_i_law_solve_parameter(const opevo_parameter *parameter, double q,
                                         const double *p0, const opevo_law_options *options,
                                         double *law, double *bound, opevo_error *err);

#endif
