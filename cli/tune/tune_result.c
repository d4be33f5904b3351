/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What comes of a tuning beside its trials: failures that are told, the best kernel as a folder,
 * and a store that still holds everything. */

#include "emitted_files_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/finals.h>
#include <opevo/store.h>

void opevo_i_cli_tune_note_failure(opevo_i_cli_tuning *self, size_t run, const char *which,
                                   const opevo_trial *trial, bool resumed)
{
    if (opevo_i_cli_reasons_add(&self->reasons[run], trial, resumed) && !resumed && self->live)
        opevo_i_cli_reasons_tell(self->verb, which, trial, &self->progress);
}

/* The winner of the finals, or else the best trial of all runs; false without a success. */
static bool find_best(const opevo_i_cli_tuning *self, opevo_index *point, double *fitness)
{
    const opevo_trial *best = &self->results[0].best;

    for (uint64_t i = 1; i < self->runs; i++) {
        if (self->results[i].best.outcome.fitness > best->outcome.fitness)
            best = &self->results[i].best;
    }
    return opevo_finals_best(self->finals, best, point, fitness);
}

void opevo_i_cli_tune_emit(const opevo_i_cli_tuning *self, const char *folder, int *exit_code)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_index point = 0;
    double fitness = 0;

    if (!find_best(self, &point, &fitness))
        return;
    if (opevo_i_cli_kernel_files_write(folder, self->on, self->objective, point, fitness, &err) ==
        OPEVO_OK)
        (void)opevo_i_cli_tune_write_proof(self, folder, point, &err);
    if (err.status == OPEVO_OK)
        return;
    opevo_i_cli_print_error("tune: The kernel was not written", err.message);
    *exit_code = OPEVO_EXIT_FAILED;
}

void opevo_i_cli_tune_check_store(const char *verb, opevo_store *store, int *exit_code)
{
    opevo_error err = {OPEVO_OK, ""};

    if (!store || opevo_store_check_place(store, &err) == OPEVO_OK)
        return;
    opevo_i_cli_print_error(verb, err.message);
    *exit_code = OPEVO_EXIT_FAILED;
}
