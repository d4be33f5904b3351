/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "nsga2_pool_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void opevo_i_nsga2_pool_create(size_t population, double elite_share, opevo_i_nsga2_pool *out)
{
    *out =
        (opevo_i_nsga2_pool){.individuals = opevo_malloc(2 * population, sizeof *out->individuals),
                             .population = population,
                             .elite = (size_t)ceil(elite_share * (double)population)};
}

void opevo_i_nsga2_pool_free(opevo_i_nsga2_pool *self)
{
    opevo_free(self->individuals);
    *self = (opevo_i_nsga2_pool){.individuals = NULL};
}

static opevo_i_nsga2_individual individual(opevo_i_nsga2_pool *self, const opevo_trial *trial)
{
    opevo_i_nsga2_individual born = {
        .candidate = trial->proposal.point, .outcome = trial->outcome, .number = self->born++};

    born.outcome.samples_s = NULL;
    born.outcome.sample_count = 0;
    born.outcome.message = NULL;
    return born;
}

void opevo_i_nsga2_pool_add_child(opevo_i_nsga2_pool *self, const opevo_trial *trial)
{
    self->individuals[self->kept + self->children++] = individual(self, trial);
}

void opevo_i_nsga2_pool_add_given(opevo_i_nsga2_pool *self, const opevo_trial *trial)
{
    if (self->kept + 1 < self->population)
        self->individuals[self->kept++] = individual(self, trial);
}

static int compare_fronts(const void *a, const void *b)
{
    const opevo_i_nsga2_individual *x = a;
    const opevo_i_nsga2_individual *y = b;

    if (x->front != y->front)
        return x->front < y->front ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

opevo_status opevo_i_nsga2_pool_survive(opevo_i_nsga2_pool *self, const opevo_criteria *criteria,
                                        opevo_error *err)
{
    size_t parents = self->kept < self->elite ? self->kept : self->elite;
    size_t count = parents + self->children;
    opevo_status status = OPEVO_OK;
    size_t first = 0;

    memmove(self->individuals + parents, self->individuals + self->kept,
            self->children * sizeof *self->individuals);
    status = opevo_i_nsga2_nondominated_sort(self->individuals, count, criteria, err);
    if (status != OPEVO_OK)
        return status;
    qsort(self->individuals, count, sizeof *self->individuals, compare_fronts);
    for (size_t i = 1; i <= count && first < self->population && status == OPEVO_OK; i++) {
        if (i < count && self->individuals[i].front == self->individuals[first].front)
            continue;
        status = opevo_i_nsga2_crowding(self->individuals + first, i - first, criteria, err);
        qsort(self->individuals + first, i - first, sizeof *self->individuals,
              opevo_i_nsga2_crowded_compare);
        first = i;
    }
    self->kept = first < self->population ? first : self->population;
    self->children = 0;
    return status;
}
