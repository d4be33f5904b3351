/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of the vertex where a q-random walk ends:
 *
 *     S = (1 - q) (I - Q)^-1 p0,   Q = q A D^-1,
 *
 * with A the adjacency matrix, D the degrees, p0 the start distribution. Before each step the walk
 * continues with probability q; at a vertex without neighbours the walk stays (then S = p0 there).
 *
 *   q  probability of one more step, 0 <= q < 1 (dimensionless)
 *
 * Certificate: for the returned T and r = (1 - q) p0 - (I - Q) T, the exact law lies within
 * |r|_1 / (1 - q) of T in the 1-norm. The residual is formed in extended precision from the T that
 * is returned, so the bound holds for the numbers that the caller sees, rounding included.
 *
 * Source: Gao et al., "OpEvo", AAAI 2021, equation 3 and appendix A. */

#ifndef OPEVO_LAW_H
#define OPEVO_LAW_H

#include <opevo/api.h>
#include <opevo/graph.h>
#include <opevo/parameter.h>

OPEVO_BEGIN_C

typedef enum opevo_law_method {
    OPEVO_LAW_AUTO,
    OPEVO_LAW_CLOSED_FORM, /* complete graph, cycle; transpositions through cycle types */
    OPEVO_LAW_TRIDIAGONAL, /* path: LAPACK dptsv */
    OPEVO_LAW_CHOLESKY,    /* dense, LAPACK dpotrf: the reference, n <= 20000 */
    OPEVO_LAW_CG,          /* conjugate gradients on the explicit graph */
    OPEVO_LAW_CG_IMPLICIT, /* the same with neighbours computed on the fly: least memory */
    OPEVO_LAW_LUMPED       /* on the coarsest equitable partition that isolates the start */
} opevo_law_method;

/* "auto", "closed-form", "tridiagonal", "cholesky", "cg", "cg-implicit", "lumped". */
OPEVO_API const char *opevo_law_method_name(opevo_law_method method);
OPEVO_API bool opevo_law_method_parse(const char *name, opevo_law_method *method);

typedef struct opevo_law_options {
    opevo_law_method method;
    double tolerance; /* largest accepted bound; 0: 1e-12 */
} opevo_law_options;

typedef struct opevo_law opevo_law;

/* Law of the walk on the parameter's graph from one vertex. `parameter` must outlive the law; no
 * options, NULL, are those of zeros.
 *
 * AUTO takes the closed form or the tridiagonal solve where the parameter's family has one, and
 * otherwise conjugate gradients, on the fly if the graph does not fit in memory. CHOLESKY, CG,
 * CG_IMPLICIT and LUMPED work on every graph that fits; LUMPED is never faster than CG, but gives
 * the classes.
 *
 * Errors: INVALID if q, start or the tolerance is outside its domain or the method does not fit the
 *         graph; LIMIT if the graph does not fit in memory; TOLERANCE if the bound stays above the
 *         tolerance (nothing is returned then); NOMEM.
 * Cost:   closed form O(classes^2) at most; tridiagonal O(n); Cholesky O(n^3); conjugate gradients
 * about sqrt((1+q)/(1-q)) ln(1/tolerance) / 2 products of 2 * edges multiply-adds. */
OPEVO_API opevo_status opevo_law_create_sized(const opevo_parameter *parameter, double q,
                                              opevo_index start, const opevo_law_options *options,
                                              size_t size, opevo_law **out, opevo_error *err);
static inline opevo_status opevo_law_create(const opevo_parameter *parameter, double q,
                                            opevo_index start, const opevo_law_options *options,
                                            opevo_law **out, opevo_error *err)
{
    return opevo_law_create_sized(parameter, q, start, options, sizeof *options, out, err);
}
OPEVO_API void opevo_law_destroy(opevo_law *law);

OPEVO_API opevo_law_method opevo_law_get_method(const opevo_law *law); /* never AUTO */
OPEVO_API double opevo_law_bound(const opevo_law *law);                /* the certificate, 1-norm */
OPEVO_API double opevo_law_q(const opevo_law *law);
OPEVO_API opevo_index opevo_law_start(const opevo_law *law);
OPEVO_API const opevo_parameter *opevo_law_parameter(const opevo_law *law);

/* Probability of one vertex. O(1), for transpositions O(n). */
OPEVO_API double opevo_law_probability(const opevo_law *law, opevo_index vertex);

/* The classes of vertices on which the law is constant by symmetry: one a vertex where the method
 * knows no symmetry. Sum of size * probability is 1 within the bound. */
typedef struct opevo_law_class {
    opevo_index representative;
    opevo_index size;
    double probability; /* of each vertex of the class */
} opevo_law_class;
OPEVO_API size_t opevo_law_class_count(const opevo_law *law);
OPEVO_API opevo_law_class opevo_law_class_get(const opevo_law *law, size_t i);

/* One solve on an explicit graph, for any start law.
 *
 *   p0     vertex_count non-negative numbers summing to 1
 *   law    out: vertex_count probabilities; untouched on failure
 *   bound  out: the certificate; may be NULL
 *
 * method: CHOLESKY or CG (AUTO: CG). Errors and cost as above. */
OPEVO_API opevo_status opevo_law_solve_sized(const opevo_graph *graph, double q, const double *p0,
                                             const opevo_law_options *options, size_t size,
                                             double *law, double *bound, opevo_error *err);
static inline opevo_status opevo_law_solve(const opevo_graph *graph, double q, const double *p0,
                                           const opevo_law_options *options, double *law,
                                           double *bound, opevo_error *err)
{
    return opevo_law_solve_sized(graph, q, p0, options, sizeof *options, law, bound, err);
}

OPEVO_END_C

#endif
