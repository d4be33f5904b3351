/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lumping: on the coarsest equitable partition that isolates the start, every vertex of a class has
 * equally many neighbours in each class, so the law is constant on classes and follows from the
 * quotient. Nothing rests on the partition being equitable, though: the certificate is formed from
 * the law spread over all vertices of the graph.
 *
 * Finding the partition takes longer than solving without it (docs/mathematics.md has figures), so
 * it is never chosen automatically: its use is the classes themselves. */

#include "equitable_internal.h"
#include "law_internal.h"

#include <opevo/memory.h>

/* ---- The quotient ---- */

typedef struct quotient_arrays {
    opevo_i_law_quotient quotient;
    double *degree;
    size_t *offset;
    uint32_t *target;
    uint64_t *count;
    uint32_t *slot; /* where a class stands in the row that is being made, plus 1 */
} quotient_arrays;

static void quotient_release(quotient_arrays *self)
{
    opevo_free(self->degree);
    opevo_free(self->offset);
    opevo_free(self->target);
    opevo_free(self->count);
    opevo_free(self->slot);
}

/* The row of one class, counted at its representative. */
static size_t add_row(quotient_arrays *self, const opevo_law *law, const opevo_graph *graph,
                      size_t a, size_t length)
{
    size_t v = law->representative[a], first = length;

    self->offset[a] = first;
    self->degree[a] = (double)opevo_graph_degree(graph, v);
    for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++) {
        uint32_t b = law->class_of[graph->target[k]];

        if (self->slot[b] == 0) {
            self->slot[b] = (uint32_t)(length - first) + 1;
            self->target[length] = b;
            self->count[length++] = 0;
        }
        self->count[first + self->slot[b] - 1]++;
    }
    for (size_t k = first; k < length; k++)
        self->slot[self->target[k]] = 0;
    return length;
}

static opevo_status quotient_init(quotient_arrays *self, const opevo_law *law,
                                  const opevo_graph *graph, opevo_error *err)
{
    size_t most = 0, length = 0, class_count = law->class_count;

    for (size_t a = 0; a < class_count; a++)
        most += opevo_graph_degree(graph, law->representative[a]);
    self->degree = opevo_malloc(class_count, sizeof *self->degree);
    self->offset = opevo_malloc(class_count + 1, sizeof *self->offset);
    self->target = opevo_malloc(most, sizeof *self->target);
    self->count = opevo_malloc(most, sizeof *self->count);
    self->slot = opevo_calloc(class_count, sizeof *self->slot);
    OPEVO_NEED_OR_RETURN(self->degree && self->offset && self->target && self->count && self->slot,
                         "a quotient of %zu classes", class_count);
    for (size_t a = 0; a < class_count; a++)
        length = add_row(self, law, graph, a, length);
    self->offset[class_count] = length;
    self->quotient = (opevo_i_law_quotient){class_count,  law->size,    self->degree,
                                            self->offset, self->target, self->count};
    return OPEVO_OK;
}

/* ---- The law ---- */

static size_t class_of(const opevo_law *law, opevo_index vertex)
{
    return law->class_of[(size_t)vertex];
}

static opevo_law_class class_get(const opevo_law *law, size_t i)
{
    return (opevo_law_class){law->representative[i], law->size[i], law->probability[i]};
}

static const opevo_i_law_symmetry symmetry = {class_of, class_get};

/* Sizes and first vertices of the classes. */
static opevo_status describe(opevo_law *law, size_t n, opevo_error *err)
{
    law->representative = opevo_malloc(law->class_count, sizeof *law->representative);
    law->size = opevo_calloc(law->class_count, sizeof *law->size);
    OPEVO_NEED_OR_RETURN(law->representative && law->size, "%zu classes", law->class_count);
    for (size_t v = n; v-- > 0;) {
        law->size[law->class_of[v]]++;
        law->representative[law->class_of[v]] = (uint32_t)v;
    }
    return OPEVO_OK;
}

/* The certificate on the whole graph. */
static opevo_status certify(opevo_law *law, const opevo_graph *graph, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_law_graph_system system = {0};
    opevo_i_law_residual residual = {0};
    double *whole = opevo_malloc(graph->vertex_count, sizeof *whole);
    double *r = opevo_malloc(graph->vertex_count, sizeof *r);
    double *p0 = opevo_calloc(graph->vertex_count, sizeof *p0);

    OPEVO_NEED(whole && r && p0, "certifying the law of %zu vertices", graph->vertex_count);
    for (size_t v = 0; v < graph->vertex_count; v++)
        whole[v] = law->probability[law->class_of[v]];
    p0[(size_t)law->start] = 1;
    OPEVO_TRY(opevo_i_law_graph_system_init(graph, law->q, false, &system, err));
    system.super.p0 = p0;
    OPEVO_TRY(system.super.residual(&system.super, whole, r, &residual, err));
    law->bound = opevo_i_law_bound(&residual, graph->vertex_count, law->q);
cleanup:
    opevo_i_law_graph_system_release(&system);
    opevo_free(whole);
    opevo_free(r);
    opevo_free(p0);
    return status;
}

opevo_status opevo_i_law_lumped(opevo_law *law, double tolerance, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *graph = NULL;
    quotient_arrays quotient = {.degree = NULL};
    double quotient_bound = 0;

    law->symmetry = &symmetry;
    OPEVO_TRY(opevo_graph_create(law->parameter, 0, &graph, err));
    OPEVO_TRY(opevo_i_law_equitable_partition(graph, (size_t)law->start, &law->class_of,
                                              &law->class_count, err));
    OPEVO_TRY(describe(law, graph->vertex_count, err));
    OPEVO_TRY(quotient_init(&quotient, law, graph, err));
    OPEVO_TRY(opevo_i_law_allocate(law, law->class_count, err));
    OPEVO_TRY(opevo_i_law_quotient_solve(&quotient.quotient, law->q,
                                         law->class_of[(size_t)law->start], tolerance,
                                         law->probability, &quotient_bound, err));
    OPEVO_TRY(certify(law, graph, err));
    status = opevo_i_law_judge(law->bound, tolerance, err);
cleanup:
    quotient_release(&quotient);
    opevo_graph_destroy(graph);
    return status;
}
