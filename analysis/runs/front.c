/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fronts are short, so a trial is compared with all members. */

#include <opevo/front.h>

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdlib.h>

/* Whether both are as good in every chosen criterion; what is not known equals itself. */
static bool is_equal(const opevo_criteria *criteria, const opevo_outcome *a, const opevo_outcome *b)
{
    for (size_t i = 0; i < criteria->count; i++) {
        double x = opevo_outcome_criterion(a, criteria->chosen[i].index);
        double y = opevo_outcome_criterion(b, criteria->chosen[i].index);

        if (!(x == y || (isnan(x) && isnan(y))))
            return false;
    }
    return true;
}

opevo_status opevo_front_add(opevo_front *front, const opevo_trial *trial, bool *changed,
                             opevo_error *err)
{
    const opevo_outcome *outcome = &trial->outcome;
    void *members = front->members;
    size_t kept = 0;

    if (changed)
        *changed = false;
    if (outcome->kind != OPEVO_OUTCOME_OK)
        return OPEVO_OK;
    for (size_t i = 0; i < front->count; i++) {
        const opevo_outcome *member = &front->members[i].outcome;

        if (is_equal(&front->criteria, member, outcome) ||
            opevo_outcome_dominates(member, outcome, &front->criteria))
            return OPEVO_OK;
    }
    OPEVO_NEED_OR_RETURN(
        opevo_reserve(&members, &front->capacity, front->count + 1, sizeof *front->members),
        "a front");
    front->members = members;
    for (size_t i = 0; i < front->count; i++) {
        if (!opevo_outcome_dominates(outcome, &front->members[i].outcome, &front->criteria))
            front->members[kept++] = front->members[i];
    }
    front->members[kept] = *trial;
    front->members[kept].outcome.samples_s = NULL;
    front->members[kept].outcome.sample_count = 0;
    front->members[kept].outcome.message = NULL;
    front->count = kept + 1;
    if (changed)
        *changed = true;
    return OPEVO_OK;
}

static int compare_members(const void *a, const void *b, void *context)
{
    const opevo_criteria *criteria = context;
    const opevo_outcome *x = &((const opevo_trial *)a)->outcome;
    const opevo_outcome *y = &((const opevo_trial *)b)->outcome;

    for (size_t i = 0; i < criteria->count; i++) {
        const opevo_criteria one = {.count = 1, .chosen = {criteria->chosen[i]}};

        if (opevo_outcome_dominates(x, y, &one))
            return -1;
        if (opevo_outcome_dominates(y, x, &one))
            return 1;
    }
    return 0;
}

void opevo_front_sort(opevo_front *front)
{
    if (front->count)
        qsort_r(front->members, front->count, sizeof *front->members, compare_members,
                &front->criteria);
}

void opevo_front_free(opevo_front *front)
{
    opevo_free(front->members);
    *front = (opevo_front){.count = 0};
}

/* ---- Costs and volumes ---------------------------------------------------------------------- */

bool opevo_front_is_time(const opevo_criteria *criteria, size_t chosen, const char *unit)
{
    return criteria->chosen[chosen].index == 0 &&
           (criteria->chosen[chosen].as_time || opevo_unit_is_time(unit));
}

/* The time behind a fitness; NAN for a trial without one. */
static double time_of(const char *unit, const opevo_outcome *outcome)
{
    bool known = isfinite(outcome->time_s) && !opevo_unit_is_speedup(unit);

    if (!(outcome->fitness > 0))
        return NAN;
    return known ? outcome->time_s : 1 / outcome->fitness;
}

double opevo_front_value(const opevo_criteria *criteria, size_t chosen, const char *unit,
                         const opevo_outcome *outcome)
{
    size_t index = criteria->chosen[chosen].index;
    double value = opevo_outcome_criterion(outcome, index);

    if (index > 0)
        return value;
    return opevo_front_is_time(criteria, chosen, unit) && !opevo_unit_is_time(unit)
               ? time_of(unit, outcome)
               : opevo_unit_result(unit, value);
}

double opevo_front_cost(const opevo_criteria *criteria, size_t chosen, const char *unit,
                        const opevo_outcome *outcome)
{
    bool is_time = opevo_front_is_time(criteria, chosen, unit);
    double value = opevo_front_value(criteria, chosen, unit, outcome);

    if (isnan(value))
        return INFINITY;
    return criteria->chosen[chosen].larger_is_better && !is_time ? -value : value;
}

opevo_front_box opevo_front_box_empty(void)
{
    opevo_front_box box;

    for (size_t i = 0; i < OPEVO_CRITERIA_MOST; i++) {
        box.best[i] = INFINITY;
        box.worst[i] = -INFINITY;
    }
    return box;
}

void opevo_front_box_add(opevo_front_box *box, const opevo_criteria *criteria, const char *unit,
                         const opevo_outcome *outcome)
{
    for (size_t i = 0; i < criteria->count && outcome->kind == OPEVO_OUTCOME_OK; i++) {
        double cost = opevo_front_cost(criteria, i, unit, outcome);

        if (!isfinite(cost))
            continue;
        box->best[i] = fmin(box->best[i], cost);
        box->worst[i] = fmax(box->worst[i], cost);
    }
}

opevo_status opevo_front_volume(const opevo_front *front, const char *unit,
                                const opevo_front_box *box, double *volume, opevo_error *err)
{
    static const double ones[OPEVO_CRITERIA_MOST] = {1, 1, 1, 1};
    size_t dimensions = front->criteria.count;
    double *points = NULL;
    opevo_status status = OPEVO_OK;

    *volume = 0;
    for (size_t k = 0; k < dimensions; k++) {
        if (!(box->best[k] < box->worst[k]))
            return OPEVO_OK;
    }
    points = opevo_malloc(front->count * dimensions, sizeof *points);
    OPEVO_NEED_OR_RETURN(points, "a hypervolume");
    for (size_t i = 0; i < front->count; i++) {
        for (size_t k = 0; k < dimensions; k++) { /* halves do not overflow */
            double cost = opevo_front_cost(&front->criteria, k, unit, &front->members[i].outcome);

            points[i * dimensions + k] =
                (cost / 2 - box->best[k] / 2) / (box->worst[k] / 2 - box->best[k] / 2);
        }
    }
    status = opevo_hypervolume(points, front->count, dimensions, ones, volume, err);
    opevo_free(points);
    return status;
}
