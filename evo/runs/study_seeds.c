/* SPDX-License-Identifier: GPL-3.0-or-later */

/* More seeds for a study, and what came of them. */

#include "study_parts_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum { PIECE = 512, MOST_RUNS_BITS = 40 };

/* ---- More seeds ---- */

opevo_status opevo_study_extend(opevo_study *study, size_t count, opevo_error *err)
{
    opevo_plan *plan = study->plan;
    uint64_t first = plan->seeds[0], end = plan->twins ? OPEVO_TWIN_SEEDS : INT64_MAX;
    uint64_t *grown = NULL;

    for (size_t i = 1; i < plan->seed_count; i++) {
        if (plan->seeds[i] != first + i)
            return opevo_i_study_plan_fail(err, plan->path, "seeds",
                                           "more of them can be added only to a count or to "
                                           "{\"from\": 1, \"count\": 20}.");
    }
    if (count <= plan->seed_count)
        return OPEVO_OK;
    if (count > end - first)
        return opevo_i_study_plan_fail(err, plan->path, "seeds",
                                       "%zu of them from %llu on go beyond the largest.", count,
                                       (unsigned long long)first);
    if (count > (UINT64_C(1) << MOST_RUNS_BITS) / study->line_count)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s with %zu seeds has more than 2^40 runs.",
                          plan->path, count);
    grown = opevo_realloc(plan->seeds, count, sizeof *grown);
    OPEVO_NEED_OR_RETURN(grown, "the seeds of %s", plan->path);
    for (size_t i = plan->seed_count; i < count; i++)
        grown[i] = first + i;
    plan->seeds = study->seeds = grown;
    plan->seed_count = study->seed_count = count;
    return OPEVO_OK;
}

/* ---- What came of them ---- */

/* Trials beyond the budget are of a run that another command continued. */
static opevo_status read_best(opevo_store *store, int64_t run, uint64_t budget, opevo_trial *trials,
                              double *best, opevo_error *err)
{
    uint64_t after = 0;
    size_t count = PIECE;

    *best = 0;
    while (count == PIECE && (!budget || after < budget)) {
        opevo_status status = opevo_store_read(store, run, after, trials, PIECE, &count, err);

        if (status != OPEVO_OK)
            return status;
        for (size_t i = 0; i < count && (!budget || after + i < budget); i++)
            *best = fmax(*best, trials[i].outcome.fitness);
        after += count;
    }
    return OPEVO_OK;
}

opevo_status opevo_study_best(const opevo_study *study, opevo_store *store, const uint64_t *numbers,
                              size_t count, double *best, opevo_error *err)
{
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    opevo_i_study_slot *slots = opevo_malloc(count, sizeof *slots);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(trials && slots, "reading %zu runs", count);
    OPEVO_TRY(opevo_i_study_slots(store, study, numbers, count, false, slots, err));
    for (size_t i = 0; i < count; i++) {
        best[i] = NAN;
        if (slots[i].ended)
            OPEVO_TRY(read_best(store, slots[i].run,
                                study->lines[numbers[i] % study->line_count].budget.trials, trials,
                                &best[i], err));
    }
cleanup:
    opevo_free(trials);
    opevo_free(slots);
    return status;
}
