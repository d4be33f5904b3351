/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of earlier runs for a tuner to learn from. */

#include <opevo/start_list.h>

#include <opevo/loop_tree.h>
#include <opevo/memory.h>

#include <string.h>

opevo_status opevo_earlier_add(opevo_earlier *self, opevo_store *store, int64_t run,
                               const opevo_space *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *grown = NULL;
    uint64_t count = 0;
    size_t got = 0;

    OPEVO_TRY(opevo_store_find(store, run, space, &count, err));
    grown = opevo_realloc(self->trials, self->count + (size_t)count, sizeof *grown);
    OPEVO_NEED_OR_RETURN(grown, "the trials of %s", opevo_store_path(store));
    self->trials = grown;
    OPEVO_TRY(opevo_store_read(store, run, 0, grown + self->count, (size_t)count, &got, err));
    for (size_t i = 0; i < got; i++)
        grown[self->count + i].proposal.origin = "earlier"; /* outlives the store */
    self->count += got;
cleanup:
    return status;
}

/* Append the tree of one trial, if its point has one. */
static opevo_status add_tree(opevo_earlier *self, opevo_index point, double fitness,
                             const opevo_objective *of, float *scratch, opevo_error *err)
{
    const opevo_feature_source *source = of->trees;
    size_t count = source->features(source->context, point, scratch);
    size_t size = count * OPEVO_LOOP_COLUMNS;
    float *rows = NULL;

    if (count == 0)
        return OPEVO_OK;
    rows = opevo_malloc(size, sizeof *rows);
    if (!rows || !opevo_reserve((void **)&self->trees, &self->tree_capacity, self->tree_count + 1,
                                sizeof *self->trees)) {
        opevo_free(rows);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for loop trees of earlier trials.");
    }
    memcpy(rows, scratch, size * sizeof *rows);
    self->trees[self->tree_count++] = (opevo_earlier_tree){
        .rows = rows, .row_count = count, .fitness = fitness, .run = self->runs};
    return OPEVO_OK;
}

opevo_status opevo_earlier_add_points(opevo_earlier *self, const opevo_objective *of,
                                      const opevo_index *points, const double *fitness,
                                      size_t count, opevo_error *err)
{
    float *scratch = opevo_malloc(of->trees->rows_most, OPEVO_LOOP_COLUMNS * sizeof *scratch);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(scratch, "loop trees of earlier trials");
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(add_tree(self, points[i], fitness[i], of, scratch, err));
    self->runs++;
cleanup:
    opevo_free(scratch);
    return status;
}

opevo_status opevo_earlier_add_trees(opevo_earlier *self, opevo_store *store, int64_t run,
                                     const opevo_objective *of, opevo_error *err)
{
    opevo_earlier own = {.trials = NULL};
    size_t before = self->tree_count;
    opevo_status status = OPEVO_OK;
    opevo_index *points = NULL;
    double *fitness = NULL;

    if (!of->trees)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: run %lld was made on another search space, and its objective %.200s "
                          "has no loop trees to learn from.",
                          opevo_store_path(store), (long long)run, of->name);
    OPEVO_TRY(opevo_earlier_add(&own, store, run, of->space, err));
    points = opevo_malloc(own.count, sizeof *points);
    fitness = opevo_malloc(own.count, sizeof *fitness);
    OPEVO_NEED(points && fitness, "loop trees of earlier trials");
    for (size_t i = 0; i < own.count; i++) {
        points[i] = own.trials[i].proposal.point;
        fitness[i] = own.trials[i].outcome.fitness;
    }
    OPEVO_TRY(opevo_earlier_add_points(self, of, points, fitness, own.count, err));
    if (self->tree_count == before)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: no trial of run %lld has a loop tree.",
                            opevo_store_path(store), (long long)run);
cleanup:
    opevo_earlier_free(&own);
    opevo_free(points);
    opevo_free(fitness);
    return status;
}

void opevo_earlier_free(opevo_earlier *self)
{
    for (size_t i = 0; i < self->tree_count; i++)
        opevo_free((void *)self->trees[i].rows);
    opevo_free(self->trees);
    opevo_free(self->trials);
    opevo_cost_model_destroy(self->model);
    *self = (opevo_earlier){.trials = NULL};
}
