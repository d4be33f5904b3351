/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "run_trials_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>
#include <opevo/unit.h>

#include <math.h>

static opevo_status read_trials(opevo_store *store, int64_t run, opevo_i_cli_run_trials *out,
                                opevo_error *err)
{
    enum { PIECE = 1024 };
    opevo_status status = OPEVO_OK;
    size_t capacity = 0, got = PIECE;

    while (got == PIECE) {
        OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&out->trials, &capacity, out->count + PIECE,
                                           sizeof *out->trials),
                             "reading run %lld", (long long)run);
        OPEVO_TRY(
            opevo_store_read(store, run, out->count, out->trials + out->count, PIECE, &got, err));
        out->count += got;
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_effects_of_trials(const opevo_space *space, const opevo_trial *trials,
                                           size_t count, opevo_effects **out, opevo_error *err)
{
    opevo_index *points = opevo_malloc(count + 1, sizeof *points);
    double *fitness = opevo_malloc(count + 1, sizeof *fitness);
    opevo_status status = OPEVO_OK;
    size_t successes = 0;

    if (!points || !fitness)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the effects of parameters.");
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (!(trials[i].outcome.fitness > 0))
            continue;
        points[successes] = trials[i].proposal.point;
        fitness[successes++] = trials[i].outcome.fitness;
    }
    if (status == OPEVO_OK && successes)
        status = opevo_effects_create(space, points, fitness, successes, out, err);
    opevo_free(points);
    opevo_free(fitness);
    return status;
}

opevo_status opevo_i_cli_run_trials_read(opevo_store *store, int64_t run,
                                         opevo_i_cli_run_trials *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_cli_run_trials){.count = 0};
    OPEVO_TRY(read_trials(store, run, out, err));
    OPEVO_TRY(opevo_store_space(store, run, &out->space, err));
    if (out->space)
        OPEVO_TRY(
            opevo_i_cli_effects_of_trials(out->space, out->trials, out->count, &out->effects, err));
cleanup:
    return status;
}

void opevo_i_cli_run_trials_free(opevo_i_cli_run_trials *self)
{
    opevo_effects_destroy(self->effects);
    opevo_space_destroy(self->space);
    opevo_free(self->trials);
    *self = (opevo_i_cli_run_trials){.count = 0};
}

double opevo_i_cli_effect_factor(const char *unit, double effect)
{
    return exp(opevo_unit_is_time(unit) ? -effect : effect);
}
