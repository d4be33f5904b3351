/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "run_digest_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <string.h>

enum { PIECE = 256 };

static opevo_status fail_memory(const opevo_i_cli_run_digest *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read run %lld.", (long long)self->run);
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* All criteria of the run, the fitness first. */
static void choose_criteria(opevo_i_cli_run_digest *self)
{
    opevo_criteria *chosen = &self->front.criteria;

    self->box = opevo_front_box_empty();
    chosen->count = self->criterion_count + 1;
    chosen->chosen[0].larger_is_better = true;
    for (size_t i = 0; i < self->criterion_count; i++) {
        chosen->chosen[i + 1].index = i + 1;
        chosen->chosen[i + 1].larger_is_better = self->criteria[i].larger_is_better;
    }
}

opevo_status opevo_i_cli_run_digest_start(opevo_store *store, const opevo_run_info *info,
                                          size_t most, opevo_i_cli_run_digest *out,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_cli_run_digest){.run = info->run, .most = most, .stride = 1};
    out->unit = opevo_strdup(info->unit);
    if (!out->unit)
        return fail_memory(out, err);
    OPEVO_TRY(opevo_store_space(store, info->run, &out->space, err));
    OPEVO_TRY(opevo_store_criteria(store, info->run, out->criteria, &out->criterion_count, err));
    choose_criteria(out);
    OPEVO_TRY(opevo_i_cli_generation_start(info->tuner, info->settings, &out->generation, err));
    OPEVO_TRY(opevo_i_cli_breeding_start(out, info->tuner, info->settings, &out->evolution, err));
cleanup:
    return status;
}

void opevo_i_cli_run_digest_free(opevo_i_cli_run_digest *self)
{
    opevo_space_destroy(self->space);
    opevo_free(self->unit);
    opevo_free(self->trials);
    opevo_front_free(&self->front);
    opevo_i_cli_generation_free(&self->generation);
    opevo_i_cli_breeding_free(&self->evolution);
    *self = (opevo_i_cli_run_digest){.run = 0};
}

bool opevo_i_cli_run_digest_is_whole(const opevo_i_cli_run_digest *self)
{
    return self->stride == 1;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Whether the trial is among the best of different points after this. */
static bool enter_top(opevo_i_cli_run_digest *self, const opevo_trial *trial)
{
    size_t rank = self->top_count, last = self->top_count;

    for (size_t i = 0; i < self->top_count; i++) {
        if (self->top[i].proposal.point == trial->proposal.point) {
            if (self->top[i].outcome.fitness >= trial->outcome.fitness)
                return false;
            last = i;
        }
    }
    while (rank > 0 && self->top[rank - 1].outcome.fitness < trial->outcome.fitness)
        rank--;
    if (rank == OPEVO_I_DIGEST_TOP)
        return false;
    if (last == self->top_count && self->top_count < OPEVO_I_DIGEST_TOP)
        self->top_count++;
    else if (last == self->top_count)
        last--;
    memmove(&self->top[rank + 1], &self->top[rank], (last - rank) * sizeof *self->top);
    self->top[rank] = *trial;
    return true;
}

static bool is_top(const opevo_i_cli_run_digest *self, uint64_t number)
{
    bool found = false;

    for (size_t i = 0; i < self->top_count; i++)
        found = found || self->top[i].number == number;
    return found;
}

/* Leave out every second of the sample. */
static void thin_out(opevo_i_cli_run_digest *self)
{
    size_t kept = 0;
    double best = 0;

    self->stride *= 2;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_trial *trial = &self->trials[i];
        bool better = trial->outcome.fitness > best;

        best = better ? trial->outcome.fitness : best;
        if ((trial->number - 1) % self->stride == 0 || better || is_top(self, trial->number))
            self->trials[kept++] = *trial;
    }
    self->count = kept;
}

static opevo_status take(opevo_i_cli_run_digest *self, const opevo_trial *trial, opevo_error *err)
{
    bool better = trial->outcome.fitness > self->best;
    bool top = trial->outcome.fitness > 0 && enter_top(self, trial);

    self->read = trial->number;
    self->best = better ? trial->outcome.fitness : self->best;
    self->recent[(trial->number - 1) % OPEVO_I_DIGEST_RECENT] = *trial;
    opevo_i_cli_generation_add(&self->generation, trial);
    if (opevo_i_cli_breeding_add(&self->evolution, trial, err) != OPEVO_OK)
        return fail_memory(self, err);
    if (self->criterion_count) {
        opevo_front_box_add(&self->box, &self->front.criteria, self->unit, &trial->outcome);
        if (opevo_front_add(&self->front, trial, NULL, err) != OPEVO_OK)
            return fail_memory(self, err);
    }
    if (!better && !top && (trial->number - 1) % self->stride != 0)
        return OPEVO_OK;
    if (!opevo_reserve((void **)&self->trials, &self->capacity, self->count + 1,
                       sizeof *self->trials))
        return fail_memory(self, err);
    self->trials[self->count++] = *trial;
    if (self->count > self->most)
        thin_out(self);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_run_digest_read(opevo_i_cli_run_digest *self, opevo_store *store,
                                         size_t pieces, bool *all, opevo_error *err)
{
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    opevo_status status = trials ? OPEVO_OK : fail_memory(self, err);
    size_t got = PIECE;

    for (size_t piece = 0; piece < pieces && got == PIECE && status == OPEVO_OK; piece++) {
        OPEVO_TRY(opevo_store_read(store, self->run, self->read, trials, PIECE, &got, err));
        for (size_t i = 0; i < got && status == OPEVO_OK; i++)
            status = take(self, &trials[i], err);
    }
    *all = got < PIECE;
cleanup:
    opevo_free(trials);
    return status;
}
