/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of earlier runs for a tuner to learn from. */

#include <opevo/start_list.h>

#include <opevo/memory.h>

opevo_status opevo_earlier_add(opevo_earlier *self, opevo_store *store, int64_t run,
                               const opevo_space *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *grown = NULL;
    uint64_t count = 0;
    size_t got = 0;

    OPEVO_TRY(opevo_store_find(store, run, space, &count, err));
    grown = opevo_realloc(self->trials, self->count + (size_t)count, sizeof *grown);
    if (!grown)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trials of %s.",
                          opevo_store_path(store));
    self->trials = grown;
    OPEVO_TRY(opevo_store_read(store, run, 0, grown + self->count, (size_t)count, &got, err));
    for (size_t i = 0; i < got; i++)
        grown[self->count + i].proposal.origin = "earlier"; /* outlives the store */
    self->count += got;
cleanup:
    return status;
}

void opevo_earlier_free(opevo_earlier *self)
{
    opevo_free(self->trials);
    *self = (opevo_earlier){.trials = NULL};
}
