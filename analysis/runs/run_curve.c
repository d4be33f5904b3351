/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The improvements of a run as steps over trials and over seconds, and what is read from them. */

#include <opevo/run_curve.h>

#include <opevo/memory.h>

opevo_status opevo_run_curve_add(opevo_run_curve *curve, const opevo_outcome *outcome,
                                 opevo_error *err)
{
    void *steps = curve->steps;
    double best = curve->count ? curve->steps[curve->count - 1].fitness : 0;
    bool rises = outcome->kind == OPEVO_OUTCOME_OK && outcome->fitness > best;

    if (rises && !opevo_reserve(&steps, &curve->capacity, curve->count + 1, sizeof *curve->steps))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trajectory of a run.");
    curve->steps = steps;
    curve->trials++;
    curve->failed += outcome->kind != OPEVO_OUTCOME_OK;
    curve->cost_s += opevo_outcome_cost_s(outcome);
    if (rises)
        curve->steps[curve->count++] =
            (opevo_run_step){curve->trials, curve->cost_s, outcome->fitness};
    return OPEVO_OK;
}

void opevo_run_curve_free(opevo_run_curve *curve)
{
    opevo_free(curve->steps);
    *curve = (opevo_run_curve){0};
}

double opevo_run_curve_best(const opevo_run_curve *curve, uint64_t trials)
{
    size_t low = 0, high = curve->count; /* steps before `low` are within the trials */

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (curve->steps[middle].trial <= trials)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? curve->steps[low - 1].fitness : 0;
}

double opevo_run_curve_best_by(const opevo_run_curve *curve, double cost_s)
{
    size_t low = 0, high = curve->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (curve->steps[middle].cost_s <= cost_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? curve->steps[low - 1].fitness : 0;
}

uint64_t opevo_run_curve_trials_to(const opevo_run_curve *curve, double fitness)
{
    for (size_t i = 0; i < curve->count; i++) {
        if (curve->steps[i].fitness >= fitness)
            return curve->steps[i].trial;
    }
    return 0;
}
