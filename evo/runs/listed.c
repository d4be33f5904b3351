/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A session whose tuner proposes what its owner puts there: it is never asked for more, so that the
 * search is not over before the owner says so. */

#include <opevo/listed.h>

#include "session_internal.h"

#include <opevo/memory.h>

#include <stdint.h>

typedef struct listed {
    opevo_tuner super;
    opevo_index next; /* the point to propose */
    bool waits;       /* it was not proposed yet */
    opevo_trial told; /* the last trial, without samples and message */
} listed;

struct opevo_listed {
    opevo_session *session;
    opevo_objective *objective;
    opevo_store *store; /* NULL: none */
    uint64_t done;
};

/* ---- The tuner ---- */

static void destroy(opevo_tuner *tuner)
{
    opevo_free(tuner);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    listed *self = opevo_calloc(1, sizeof *self);

    (void)space, (void)settings, (void)rng;
    OPEVO_NEED_OR_RETURN(self, "a list of points");
    *out = &self->super;
    return OPEVO_OK;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    listed *self = (listed *)tuner;

    (void)capacity, (void)err;
    *count = self->waits;
    if (self->waits)
        proposals[0] = (opevo_proposal){.point = self->next, .origin = "listed"};
    self->waits = false;
    tuner->reason = *count || tuner->pending ? NULL : "no more points are listed";
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    listed *self = (listed *)tuner;

    (void)err;
    if (count == 0)
        return OPEVO_OK;
    self->told = trials[count - 1];
    self->told.outcome.samples_s = NULL;
    self->told.outcome.sample_count = 0;
    self->told.outcome.message = NULL;
    return OPEVO_OK;
}

static const opevo_tuner_ops ops = {
    .name = "listed",
    .summary = "points that the owner of the run names",
    .source = "opevo",
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};

/* ---- The run ---- */

opevo_status opevo_listed_create(opevo_objective *objective, const opevo_run_options *options,
                                 opevo_listed **out, opevo_error *err)
{
    static const opevo_starts none = {.count = 0};
    const opevo_run_options own = {.tuner = &ops,
                                   .seed = options->seed,
                                   .requirements = options->requirements,
                                   .requirement_count = options->requirement_count,
                                   .budget = {.trials = UINT64_MAX},
                                   .batch = 1,
                                   .threads = options->threads,
                                   .store = options->store,
                                   .note = options->note,
                                   .settings_more = options->settings_more,
                                   .interrupt = options->interrupt,
                                   .starts = &none};
    opevo_listed *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a run");
    self->objective = objective;
    self->store = options->store;
    if (opevo_objective_is_external(objective) || !objective->space) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%.200s: its points cannot be listed.", objective->name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_session_create(objective, &own, &self->session, err));
    *out = self;
    self = NULL;
cleanup:
    (void)opevo_listed_end(self, OPEVO_STOP_INTERRUPTED, NULL);
    return status;
}

opevo_status opevo_listed_stored(opevo_listed *self, bool *any, opevo_index *point,
                                 opevo_error *err)
{
    opevo_trial stored;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    if (self->store)
        status = opevo_store_read(self->store, opevo_session_result(self->session)->run, self->done,
                                  &stored, 1, &count, err);
    *any = count > 0;
    if (count > 0)
        *point = stored.proposal.point;
    return status;
}

opevo_status opevo_listed_evaluate(opevo_listed *self, opevo_index point, opevo_trial *out,
                                   bool *recalled, opevo_error *err)
{
    const opevo_space *space = self->objective->space;
    listed *tuner = (listed *)self->session->tuner;
    uint64_t before = opevo_session_result(self->session)->resumed;
    opevo_status status = OPEVO_OK;
    bool over = false;

    if (!opevo_space_has(space, point) || !opevo_space_allows(space, point))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A listed point of %.200s is not an allowed point of its space.",
                          self->objective->name);
    tuner->next = point;
    tuner->waits = true;
    tuner->told.number = 0;
    status = opevo_session_step(self->session, 1, &over, err);
    if (status != OPEVO_OK)
        return status;
    self->done += tuner->told.number > 0;
    *recalled = opevo_session_result(self->session)->resumed > before;
    *out = tuner->told;
    return OPEVO_OK;
}

opevo_status opevo_listed_end(opevo_listed *self, opevo_stop why, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_OK;
    if (self->session && !self->session->ended && !self->session->failed)
        opevo_i_session_stop(self->session, why);
    status = opevo_session_end(self->session, NULL, err);
    opevo_free(self);
    return status;
}
