/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run in a store as something that was measured: its objective as far as the store knows it, and
 * its trials, each point once. Nothing else says what the trials are of. */

#include "record_internal.h"

#include <opevo/hash.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/store.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

/* Two trials may round their time and fitness, but not their operations. */
static const double rounding = 1e-6;

/* ---- What the store says -------------------------------------------------------------------- */

static void note_run(void *context, const opevo_run_info *info)
{
    opevo_i_cli_stored_run *self = context;

    opevo_text_add(&self->name, info->objective);
    opevo_text_add(&self->unit, info->unit);
    self->objective.signature = info->signature;
}

/* The operations of one execution that a trial with a time and a rate implies, whole where rounding
 * is all that keeps them from it. */
static double implied_flop(const opevo_outcome *outcome)
{
    double flop = outcome->fitness * outcome->time_s * 1e9;

    return fabs(flop - nearbyint(flop)) <= 1e-12 * flop ? nearbyint(flop) : flop;
}

/* Check that whatever succeeded has a time, and learn the operations of one execution. */
static opevo_status look_at(opevo_i_cli_stored_run *self, const opevo_trial *trial,
                            opevo_error *err)
{
    const opevo_outcome *outcome = &trial->outcome;
    double flop = 0;

    if (outcome->kind != OPEVO_OUTCOME_OK)
        return OPEVO_OK;
    if (!(outcome->time_s > 0) || !strcmp(self->objective.unit, "score"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "run %lld of %s has no times, which a recording needs.",
                          (long long)self->run, opevo_store_path(self->store));
    if (strcmp(opevo_unit_of_fitness(self->objective.unit), "GFLOP/s") != 0)
        return OPEVO_OK;
    flop = implied_flop(outcome);
    if (!self->has_flop)
        self->objective.flop = flop;
    else if (fabs(flop - self->objective.flop) > rounding * flop)
        self->objective.flop = 0; /* the rates have another origin */
    self->has_flop = true;
    return OPEVO_OK;
}

/* Call `visit` for each trial with its samples and message, one at a time: the store has those of
 * the trial that it read last at hand. */
static opevo_status each_trial(opevo_i_cli_stored_run *self,
                               opevo_status (*visit)(opevo_i_cli_stored_run *self,
                                                     const opevo_trial *trial, opevo_error *err),
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial trial;
    size_t got = 1;

    for (uint64_t after = 0; after < self->trials; after++) {
        OPEVO_TRY(opevo_store_read(self->store, self->run, after, &trial, 1, &got, err));
        if (!got)
            break;
        OPEVO_TRY(opevo_store_read_details(self->store, self->run, &trial, err));
        OPEVO_TRY(visit(self, &trial, err));
    }
cleanup:
    return status;
}

static opevo_status open_store(opevo_i_cli_stored_run *self, const char *text, opevo_error *err)
{
    char *path = opevo_store_split(text, &self->run);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(path, "reading --from");
    if (!self->run)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--from %s: give a store and the number of a run in it, such as "
                            "runs.db:1.",
                            text);
    else
        status = opevo_store_open(path, OPEVO_STORE_READ, &self->store, err);
    opevo_free(path);
    return status;
}

opevo_status opevo_i_cli_stored_run_open(const char *text, opevo_i_cli_stored_run *self,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(open_store(self, text, err));
    OPEVO_TRY(opevo_store_visit(self->store, self->run, note_run, self, err));
    OPEVO_TRY(opevo_text_check(&self->name, err));
    OPEVO_TRY(opevo_text_check(&self->unit, err));
    OPEVO_TRY(opevo_store_space(self->store, self->run, &self->space, err));
    if (!self->space) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: the search space of run %lld cannot be created here; a graph file "
                            "that it names may be missing.",
                            opevo_store_path(self->store), (long long)self->run);
        goto cleanup;
    }
    self->objective.name = opevo_text_string(&self->name);
    self->objective.unit = opevo_text_string(&self->unit);
    self->objective.space = self->space;
    OPEVO_TRY(opevo_store_find(self->store, self->run, self->space, &self->trials, err));
    OPEVO_TRY(opevo_store_criteria(self->store, self->run, self->criteria,
                                   &self->objective.more_count, err));
    self->objective.criteria = self->criteria;
    OPEVO_TRY(opevo_store_program(self->store, self->run, &self->objective.program, err));
    OPEVO_TRY(each_trial(self, look_at, err));
cleanup:
    return status;
}

opevo_status opevo_i_cli_stored_run_check(const opevo_i_cli_stored_run *self,
                                          const opevo_objective *objective, opevo_error *err)
{
    const opevo_objective *own = &self->objective;
    const char *what = NULL;

    if (strcmp(own->name, objective->name) != 0)
        return OPEVO_FAIL(
            err, OPEVO_INVALID, "run %lld of %s is of %.200s, not of %.200s; omit --on.",
            (long long)self->run, opevo_store_path(self->store), own->name, objective->name);
    if (!opevo_unit_agree(own->unit, objective->unit))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "run %lld of %s is of %.200s in %s, not in %s; omit --on.",
                          (long long)self->run, opevo_store_path(self->store), own->name, own->unit,
                          objective->unit);
    if (opevo_space_signature(own->space) != opevo_space_signature(objective->space))
        what = "another space";
    else if (own->signature != objective->signature)
        what = "other options or another version of it";
    else if (own->program && objective->program && own->program != objective->program)
        what = "another version of the program";
    if (!what)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "run %lld of %s is of %.200s with %s; omit --on.",
                      (long long)self->run, opevo_store_path(self->store), own->name, what);
}

/* ---- Into a recording ----------------------------------------------------------------------- */

/* Append the trial unless its point is there. */
static opevo_status copy_trial(opevo_i_cli_stored_run *self, const opevo_trial *trial,
                               opevo_error *err)
{
    opevo_index point = trial->proposal.point;
    bool has = opevo_index_set_has(self->seen, point);
    opevo_status status = OPEVO_OK;

    if (has || !opevo_recorded_status(trial->outcome.kind))
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, point), "points");
    OPEVO_TRY(opevo_i_cli_record_has(self->record, point, &has, err));
    if (!has) {
        OPEVO_TRY(opevo_i_cli_record_add(self->record, &point, &trial->outcome, 1, err));
        self->copied++;
    }
    self->points++;
cleanup:
    return status;
}

opevo_status opevo_i_cli_stored_run_copy(opevo_i_cli_stored_run *self, opevo_i_cli_record *record,
                                         opevo_error *err)
{
    self->record = record;
    self->seen = opevo_index_set_create();
    OPEVO_NEED_OR_RETURN(self->seen, "reading --from");
    return each_trial(self, copy_trial, err);
}

void opevo_i_cli_stored_run_close(opevo_i_cli_stored_run *self)
{
    opevo_store_close(self->store);
    opevo_space_destroy(self->space);
    opevo_index_set_destroy(self->seen);
    opevo_text_free(&self->name);
    opevo_text_free(&self->unit);
    *self = (opevo_i_cli_stored_run){.store = NULL};
}
