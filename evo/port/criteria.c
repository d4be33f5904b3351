/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The criteria of outcomes: their values, which outcome dominates another, and names of criteria. */

#include <opevo/objective.h>

#include <math.h>
#include <string.h>

#include <opevo/unit.h>

bool opevo_criterion_name_is_valid(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "0123456789_.-";
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++) {
        if (!strchr(letters, name[i]) && (i == 0 || !strchr(others, name[i])))
            return false;
    }
    return length > 0 && length <= OPEVO_CRITERION_NAME_MAX && strcmp(name, "fitness") != 0;
}

double opevo_outcome_criterion(const opevo_outcome *outcome, size_t index)
{
    return index == 0 ? outcome->fitness : outcome->more[index - 1];
}

/* 1 if a is better than b, -1 if it is worse, otherwise 0. */
static int compare(double a, double b, bool larger_is_better)
{
    if (isnan(a) || isnan(b))
        return isnan(b) - isnan(a);
    return larger_is_better ? (a > b) - (a < b) : (a < b) - (a > b);
}

bool opevo_outcome_dominates(const opevo_outcome *a, const opevo_outcome *b,
                             const opevo_criteria *criteria)
{
    bool better = false;

    if (a->kind != OPEVO_OUTCOME_OK || b->kind != OPEVO_OUTCOME_OK)
        return a->kind == OPEVO_OUTCOME_OK && b->kind != OPEVO_OUTCOME_OK;
    for (size_t i = 0; i < criteria->count; i++) {
        size_t index = criteria->chosen[i].index;
        int sign = compare(opevo_outcome_criterion(a, index), opevo_outcome_criterion(b, index),
                           criteria->chosen[i].larger_is_better);

        if (sign < 0)
            return false;
        better = better || sign > 0;
    }
    return better;
}

size_t opevo_objective_criterion_count(const opevo_objective *objective)
{
    return 1 + objective->more_count;
}

opevo_criterion opevo_objective_criterion(const opevo_objective *objective, size_t index)
{
    if (index > 0)
        return objective->criteria[index - 1];
    return (opevo_criterion){"fitness", opevo_unit_of_fitness(objective->unit), true};
}

opevo_criteria opevo_criteria_fitness(void)
{
    return (opevo_criteria){.count = 1, .chosen = {{.index = 0, .larger_is_better = true}}};
}

/* The criterion of that name; their number where there is none. */
static size_t find(const opevo_objective *objective, const char *name, size_t length)
{
    size_t count = opevo_objective_criterion_count(objective);
    size_t i = 0;

    for (i = 0; i < count; i++) {
        const char *known = opevo_objective_criterion(objective, i).name;

        if (strlen(known) == length && !strncmp(known, name, length))
            return i;
    }
    if (length == 4 && !strncmp(name, "time", 4) &&
        (opevo_unit_is_time(objective->unit) || objective->flop > 0))
        return 0;
    return count;
}

static opevo_status fail_name(const opevo_objective *objective, const char *name, size_t length,
                              opevo_error *err)
{
    opevo_text known = {0};
    size_t count = opevo_objective_criterion_count(objective);

    for (size_t i = 0; i < count; i++)
        opevo_text_printf(&known, "%s%s", i ? ", " : "",
                          opevo_objective_criterion(objective, i).name);
    OPEVO_FAIL(err, OPEVO_INVALID, "%s has no criterion '%.*s'; it has: %s.", objective->name,
               (int)length, name, opevo_text_string(&known));
    opevo_text_free(&known);
    return OPEVO_INVALID;
}

opevo_status opevo_criteria_parse(const opevo_objective *objective, const char *names,
                                  opevo_criteria *out, opevo_error *err)
{
    opevo_criteria criteria = {0};
    bool seen[OPEVO_CRITERIA_MOST] = {false};
    bool last = false;

    for (const char *at = names; !last; at++) {
        size_t length = strcspn(at, ",");
        size_t index = find(objective, at, length);

        if (index == opevo_objective_criterion_count(objective))
            return fail_name(objective, at, length, err);
        if (seen[index])
            return OPEVO_FAIL(err, OPEVO_INVALID, "The criterion '%.*s' is given twice.",
                              (int)length, at);
        seen[index] = true;
        criteria.chosen[criteria.count].index = index;
        criteria.chosen[criteria.count++].larger_is_better =
            opevo_objective_criterion(objective, index).larger_is_better;
        at += length;
        last = !*at;
    }
    *out = criteria;
    return OPEVO_OK;
}

void opevo_criteria_print(const opevo_objective *objective, const opevo_criteria *criteria,
                          opevo_text *out)
{
    for (size_t i = 0; i < criteria->count; i++)
        opevo_text_printf(out, "%s%s", i ? "," : "",
                          opevo_objective_criterion(objective, criteria->chosen[i].index).name);
}
