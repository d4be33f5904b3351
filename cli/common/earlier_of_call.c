/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of earlier runs for a tuner to learn from. */

#include "earlier_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/start_list.h>
#include <opevo/tuners.h>

#include "live_options_internal.h"
#include "objective_spec_internal.h"
#include "recording_spec_internal.h"

#include <opevo/landscape.h>

#include <string.h>

/* Names the tuners that could. */
static opevo_status refuse(const char *named, const opevo_tuner_ops *tuner, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text able = {0};

    for (size_t i = 0; i < opevo_tuner_count(); i++) {
        if (opevo_tuner_get(i)->learn)
            opevo_text_printf(&able, "%s%s", able.length ? " or " : "", opevo_tuner_get(i)->name);
    }
    status = OPEVO_FAIL(err, OPEVO_INVALID,
                        "%s: the tuner %s cannot learn from earlier trials; use %stuner %s.", named,
                        tuner->name, *named == '-' ? "--" : "", opevo_text_string(&able));
    opevo_text_free(&able);
    return status;
}

/* The objective of a run, as the store says where it is. */
typedef struct origin {
    char *objective, *what, *on, *space;
    bool failed;
} origin;

static void note_origin(void *context, const opevo_run_info *info)
{
    origin *self = context;

    self->objective = opevo_strdup(info->objective);
    self->what = opevo_strdup(info->what);
    self->on = opevo_strdup(info->on);
    self->space = opevo_strdup(info->space);
    self->failed = !self->objective || !self->what || !self->on || !self->space;
}

static opevo_status open_origin(const origin *self, const char *text, opevo_objective **out,
                                opevo_error *err)
{
    const char *space = self->space && *self->space ? self->space : NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", text);
    if (!*self->on)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: the store does not say where the objective of this run is, so its "
                          "loop trees are not known.",
                          text);
    /* The name says which template or sketches a run took, the note does not. */
    status = opevo_i_cli_kernels_named(self->objective, space, out, &inner);
    if (status == OPEVO_MISMATCH)
        status =
            opevo_i_cli_objective_of(*self->what ? self->what : NULL, self->on, space, out, &inner);
    return status == OPEVO_OK
               ? OPEVO_OK
               : OPEVO_FAIL(err, status, "The objective of %s: %.700s", text, inner.message);
}

/* A run on another space, by the loop trees of its trials. */
static opevo_status add_trees(opevo_earlier *self, opevo_store *store, int64_t run,
                              const char *text, opevo_error *err)
{
    origin from = {.what = NULL};
    opevo_objective *objective = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_visit(store, run, note_origin, &from, err));
    OPEVO_TRY(open_origin(&from, text, &objective, err));
    OPEVO_TRY(opevo_earlier_add_trees(self, store, run, objective, err));
cleanup:
    opevo_objective_destroy(objective);
    opevo_free(from.objective);
    opevo_free(from.what);
    opevo_free(from.on);
    opevo_free(from.space);
    return status;
}

/* All rows of a recording. */
static opevo_status add_recorded(opevo_earlier *self, const char *text, opevo_error *err)
{
    opevo_objective *recorded = NULL;
    opevo_outcome *outcomes = NULL;
    opevo_index *points = NULL;
    double *fitness = NULL;
    size_t count = 0;
    opevo_status status =
        opevo_i_cli_recording_open(strchr(text, ':') + 1, NULL, true, &recorded, err);

    if (status != OPEVO_OK)
        return status;
    if (!recorded->trees) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: its programs are not known, so it has no loop trees to learn "
                            "from; recordings of kernels by opevo record have.",
                            text);
        goto cleanup;
    }
    count = opevo_recorded_rows(recorded);
    points = opevo_malloc(count, sizeof *points);
    fitness = opevo_malloc(count, sizeof *fitness);
    outcomes = opevo_malloc(count, sizeof *outcomes);
    OPEVO_NEED(points && fitness && outcomes, "learning from %s", text);
    for (size_t i = 0; i < count; i++)
        points[i] = opevo_recorded_point(recorded, i);
    OPEVO_TRY(opevo_objective_evaluate(recorded, points, count, outcomes, err));
    for (size_t i = 0; i < count; i++)
        fitness[i] = outcomes[i].fitness;
    OPEVO_TRY(opevo_earlier_add_points(self, recorded, points, fitness, count, err));
cleanup:
    opevo_objective_destroy(recorded);
    opevo_free(points);
    opevo_free(fitness);
    opevo_free(outcomes);
    return status;
}

opevo_status opevo_i_cli_earlier_add_trees(opevo_earlier *self, const char *text, opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;
    int64_t run = 0;
    char *path = NULL;

    if (opevo_i_cli_is_recorded(text))
        return add_recorded(self, text, err);
    path = opevo_store_split(text, &run);
    OPEVO_NEED_OR_RETURN(path, "reading %s", text);
    if (!run) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: give a store and the number of a run in it, such as runs.db:1, or "
                            "recorded:FILE.",
                            text);
        goto cleanup;
    }
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    OPEVO_TRY(add_trees(self, store, run, text, err));
cleanup:
    opevo_store_close(store);
    opevo_free(path);
    return status;
}

/* What is not STORE:RUN. */
static opevo_status add_model(opevo_earlier *self, const char *named, const char *text,
                              opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (self->model)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s %.200s: a run starts from one stored model, and this is a second.",
                          named, text);
    status = opevo_cost_model_read(text, &self->model, &inner);
    if (status == OPEVO_IO || status == OPEVO_MISMATCH)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s %s: give a store and the number of a run in it, such as runs.db:1, a "
                          "model that opevo learn wrote, or none.",
                          named, text);
    return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s %s", named, inner.message);
}

void opevo_i_cli_earlier_use(const opevo_earlier *self, opevo_run_options *run)
{
    run->earlier = self->trials;
    run->earlier_count = self->count;
    run->earlier_trees = self->trees;
    run->earlier_tree_count = self->tree_count;
    run->model = self->model;
}

opevo_status opevo_i_cli_earlier_add(opevo_earlier *self, const char *named, const char *text,
                                     const opevo_tuner_ops *tuner, const opevo_space *space,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t run = 0;
    char *path = NULL;
    opevo_store *store = NULL;

    if (!strcmp(text, "none"))
        return OPEVO_OK;
    if (!tuner->learn)
        return refuse(named, tuner, err);
    path = opevo_store_split(text, &run);
    OPEVO_NEED_OR_RETURN(path, "reading %s", named);
    if (!run) {
        status = add_model(self, named, text, err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    status = opevo_earlier_add(self, store, run, space, err);
    if (status == OPEVO_MISMATCH && tuner->learn_trees)
        status = add_trees(self, store, run, text, err);
cleanup:
    opevo_store_close(store);
    opevo_free(path);
    return status;
}
