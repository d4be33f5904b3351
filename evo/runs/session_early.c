/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outcomes that are known ahead of their turn: a session owns what they point to, and the store
 * keeps them, so that none is measured again. */

#include "session_internal.h"

#include <opevo/memory.h>

#include "store_internal.h"

static opevo_status keep_early(void *context, const opevo_trial *trial, opevo_error *err)
{
    opevo_session *self = context;
    opevo_i_session_slot *slot = NULL;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->early, &self->early_capacity,
                                       self->early_count + 1, sizeof *self->early) &&
                             opevo_reserve((void **)&self->early_slots, &self->early_slot_capacity,
                                           self->early_count + 1, sizeof *self->early_slots),
                         "stored outcomes");
    slot = &self->early_slots[self->early_count];
    *slot = (opevo_i_session_slot){.known = true, .resumed = true};
    self->early[self->early_count] = *trial;
    OPEVO_NEED_OR_RETURN(opevo_i_session_slot_keep(slot, &self->early[self->early_count].outcome),
                         "stored outcomes");
    self->early_count++;
    return OPEVO_OK;
}

opevo_status opevo_i_session_read_early(opevo_session *self, opevo_error *err)
{
    return opevo_i_store_read_early(self->options.store, self->result.run, self->result.trials,
                                    keep_early, self, err);
}

opevo_status opevo_i_session_recall_early(opevo_session *self, size_t from, opevo_error *err)
{
    for (size_t i = from; i < self->end && self->early_next < self->early_count; i++) {
        const opevo_trial *early = &self->early[self->early_next];

        if (early->number != self->trials[i].number)
            continue;
        if (early->proposal.point != self->trials[i].proposal.point)
            return opevo_i_session_fail_mismatch(self, early, &self->trials[i], err);
        self->trials[i].outcome = early->outcome;
        self->slots[i] = self->early_slots[self->early_next++]; /* with what it owns */
    }
    return OPEVO_OK;
}

void opevo_i_session_free_early(opevo_session *self)
{
    for (size_t i = self->early_next; i < self->early_count; i++)
        opevo_i_session_slot_clear(&self->early_slots[i]);
    opevo_free(self->early);
    opevo_free(self->early_slots);
}
