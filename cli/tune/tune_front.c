/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The fronts of tune --criteria: one for each run, which may be observed side by side, and the
 * front of all runs together. Volumes are shares of the box of all trials of all runs,
 * as in analyze. */

#include "criteria_of_call_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/front.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

opevo_status opevo_i_cli_tune_fronts_create(opevo_i_cli_tuning *self, opevo_error *err)
{
    OPEVO_NEW_OR_RETURN(self->fronts, (size_t)self->runs, "fronts");
    for (size_t i = 0; i < self->runs; i++) {
        opevo_i_cli_run_front *row = &self->fronts[i];

        row->front.criteria = self->front.criteria;
        row->box = opevo_front_box_empty();
        snprintf(row->seed, sizeof row->seed, "%llu", (unsigned long long)(self->run.seed + i));
    }
    return OPEVO_OK;
}

void opevo_i_cli_tune_fronts_free(opevo_i_cli_tuning *self)
{
    for (size_t i = 0; self->fronts && i < self->runs; i++)
        opevo_front_free(&self->fronts[i].front);
    opevo_free(self->fronts);
    opevo_front_free(&self->front);
}

void opevo_i_cli_tune_fronts_note(opevo_i_cli_tuning *self, size_t run, const opevo_trial *trial)
{
    opevo_i_cli_run_front *row = &self->fronts[run];
    opevo_trial named = *trial;

    named.proposal.origin = row->seed;
    opevo_front_box_add(&row->box, &row->front.criteria, self->objective->unit, &trial->outcome);
    row->failed = row->failed || opevo_front_add(&row->front, &named, NULL, NULL) != OPEVO_OK;
}

opevo_status opevo_i_cli_tune_fronts_finish(opevo_i_cli_tuning *self, opevo_error *err)
{
    const char *unit = self->objective->unit;
    opevo_front_box box = opevo_front_box_empty();
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; self->fronts && i < self->runs; i++) {
        const opevo_i_cli_run_front *row = &self->fronts[i];

        if (row->failed)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a front.");
        for (size_t k = 0; k < OPEVO_CRITERIA_MOST; k++) {
            box.best[k] = fmin(box.best[k], row->box.best[k]);
            box.worst[k] = fmax(box.worst[k], row->box.worst[k]);
        }
        for (size_t k = 0; k < row->front.count; k++)
            OPEVO_TRY(opevo_front_add(&self->front, &row->front.members[k], NULL, err));
    }
    for (size_t i = 0; self->fronts && i < self->runs; i++)
        OPEVO_TRY(
            opevo_front_volume(&self->fronts[i].front, unit, &box, &self->fronts[i].volume, err));
    opevo_front_sort(&self->front);
    OPEVO_TRY(opevo_front_volume(&self->front, unit, &box, &self->volume, err));
cleanup:
    return status;
}

static opevo_i_cli_shown_front shown_front(const opevo_i_cli_tuning *self)
{
    return (opevo_i_cli_shown_front){.front = &self->front,
                                     .criteria = self->objective->criteria,
                                     .unit = self->objective->unit,
                                     .space = self->objective->space,
                                     .origins = self->runs > 1 ? OPEVO_I_ORIGIN_SEED
                                                               : OPEVO_I_ORIGIN_HIDDEN};
}

opevo_status opevo_i_cli_tune_print_front(const opevo_i_cli_tuning *self, opevo_text *out,
                                          opevo_error *err)
{
    opevo_i_cli_shown_front shown = shown_front(self);

    if (self->front.count == 0)
        return OPEVO_OK;
    opevo_text_add(out, "front of ");
    opevo_i_cli_criteria_show(self->criteria_words, out);
    opevo_text_printf(out,
                      "%s: %zu trial%s; hypervolume %.4f of the box from the best to the worst "
                      "of all trials\n",
                      self->runs > 1 ? " over all runs" : "", self->front.count,
                      self->front.count == 1 ? "" : "s", self->volume);
    return opevo_i_cli_front_print(&shown, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

void opevo_i_cli_tune_print_json_front(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_i_cli_shown_front shown = shown_front(self);

    if (!self->fronts)
        return;
    opevo_json_key(out, "front");
    opevo_i_cli_front_json(&shown, out);
    opevo_json_double(out, "hypervolume", self->volume);
}
