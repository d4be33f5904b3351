/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `random`: the allowed points in uniformly random order, none twice. It learns nothing, which
 * makes it the control that every other tuner has to beat. */

#include <opevo/memory.h>
#include <opevo/tuner.h>

#include "untried_internal.h"

typedef struct random_search {
    opevo_tuner super;
    opevo_rng rng;
    opevo_i_untried *fresh;
} random_search;

static void destroy(opevo_tuner *tuner)
{
    random_search *self = (random_search *)tuner;

    opevo_i_untried_destroy(self->fresh);
    opevo_free(self);
}

static opevo_status create_on(opevo_domain *domain, const opevo_setting_value *settings,
                              const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    random_search *self = opevo_calloc(1, sizeof *self);

    (void)settings;
    OPEVO_NEED_OR_RETURN(self, "the tuner random");
    self->rng = *rng;
    self->fresh = opevo_i_untried_create_on(domain);
    if (!self->fresh) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner random.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    random_search *self = (random_search *)tuner;
    size_t given = 0;

    while (given < capacity && !tuner->reason) {
        opevo_status status = opevo_i_untried_draw(self->fresh, NULL, &self->rng,
                                                   &proposals[given].point, &tuner->reason, err);

        if (status != OPEVO_OK)
            return status;
        proposals[given].origin = "uniform";
        given += !tuner->reason;
    }
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    (void)tuner;
    (void)trials;
    (void)count;
    (void)err;
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_random_search_ops = {
    .name = "random",
    .summary = "uniform random search without repetition: the control",
    .source = "Fisher and Yates, \"Statistical Tables\", 1938, kept sparse",
    .works_on_branches = true,
    .create_on = create_on,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .any_batch = true,
};
