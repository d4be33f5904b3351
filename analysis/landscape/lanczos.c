/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Gauss rules by the Lanczos process with full reorthogonalisation. */

#include "lanczos_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>
#undef I /* of complex.h */

/* Nodes nearer than this are one; weights below that are rounding. */
static const double one_node = 1e-8, no_weight = 1e-14;

typedef struct process {
    size_t n, steps;
    double *basis;    /* steps rows of n numbers */
    double *diagonal; /* of the tridiagonal matrix */
    double *beside;
    double *next;
    double *overlap; /* scratch: `steps` */
} process;

static void release(process *self)
{
    opevo_free(self->basis);
    opevo_free(self->diagonal);
    opevo_free(self->beside);
    opevo_free(self->next);
    opevo_free(self->overlap);
}

static opevo_status allocate(process *self, opevo_error *err)
{
    self->basis = opevo_malloc(self->steps * self->n, sizeof *self->basis);
    self->diagonal = opevo_malloc(self->steps, sizeof *self->diagonal);
    self->beside = opevo_malloc(self->steps, sizeof *self->beside);
    self->next = opevo_malloc(self->n, sizeof *self->next);
    self->overlap = opevo_malloc(self->steps, sizeof *self->overlap);
    OPEVO_NEED_OR_RETURN(self->basis && self->diagonal && self->beside && self->next &&
                             self->overlap,
                         "%zu Lanczos vectors of %zu numbers", self->steps, self->n);
    return OPEVO_OK;
}

/* Take from `next` its parts along the first `count` vectors of the basis. */
static void orthogonalise(process *self, size_t count)
{
    int n = (int)self->n, m = (int)count;

    for (int round = 0; round < 2; round++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, self->basis, n, self->next, 1, 0,
                    self->overlap, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, m, n, -1, self->basis, n, self->overlap, 1, 1,
                    self->next, 1);
    }
}

/* Rounding hides where the vectors span an invariant space, and the process then goes on with what
 * is left of it: nodes that copy others, and nodes without weight. The copies become one node where
 * their weights balance, those without weight go, which changes no moment by more than rounding. */
static void tidy(opevo_i_analysis_gauss_rule *rule)
{
    size_t kept = 0;

    for (size_t i = 0; i < rule->count; i++) {
        double both = kept ? rule->weight[kept - 1] + rule->weight[i] : 0;

        if (rule->weight[i] < no_weight)
            continue;
        if (kept && rule->node[i] - rule->node[kept - 1] < one_node) {
            rule->node[kept - 1] += rule->weight[i] / both * (rule->node[i] - rule->node[kept - 1]);
            rule->weight[kept - 1] = both;
        } else {
            rule->node[kept] = rule->node[i];
            rule->weight[kept++] = rule->weight[i];
        }
    }
    rule->count = kept;
}

/* Eigenvalues ascending, and the squares of the eigenvectors' first components. With b the length
 * of what is left, an eigenvalue of the operator lies within b times the last component of each. */
static opevo_status find_rule(process *self, size_t count, double left,
                              opevo_i_analysis_gauss_rule *rule, opevo_error *err)
{
    lapack_int m = (lapack_int)count;
    double *vectors = opevo_malloc(count * count, sizeof *vectors);
    double *node = rule->node, *weight = rule->weight;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(vectors, "a Gauss rule of %zu nodes", count);
    memcpy(node, self->diagonal, count * sizeof *node);
    if (LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', m, node, self->beside, vectors, m) != 0)
        status = OPEVO_FAIL(err, OPEVO_TOLERANCE,
                            "LAPACK's dstev found no eigenvalues of a tridiagonal matrix of %zu "
                            "rows.",
                            count);
    rule->complete = true;
    for (size_t i = 0; i < count; i++) {
        weight[i] = vectors[i * count] * vectors[i * count];
        rule->complete = rule->complete && (weight[i] < no_weight ||
                                            left * fabs(vectors[(i + 1) * count - 1]) < one_node);
    }
    rule->count = count;
    tidy(rule);
    opevo_free(vectors);
    return status;
}

opevo_status opevo_i_analysis_lanczos(opevo_i_analysis_product product, void *context,
                                      const double *start, size_t n, size_t steps,
                                      opevo_i_analysis_gauss_rule *rule, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    process self = {.n = n, .steps = steps};
    double left = 0;
    size_t k = 0;

    OPEVO_TRY(allocate(&self, err));
    memcpy(self.basis, start, n * sizeof *start);
    while (k < steps) {
        OPEVO_TRY(product(context, self.basis + k * n, self.next, err));
        self.diagonal[k] = cblas_ddot((int)n, self.basis + k * n, 1, self.next, 1);
        orthogonalise(&self, ++k);
        left = cblas_dnrm2((int)n, self.next, 1);
        if (left < 1e-12) /* rounding: the vectors so far span an invariant space */
            break;
        self.beside[k - 1] = left;
        for (size_t i = 0; i < n && k < steps; i++)
            self.basis[k * n + i] = self.next[i] / left;
    }
    OPEVO_TRY(find_rule(&self, k, left, rule, err));
cleanup:
    release(&self);
    return status;
}
