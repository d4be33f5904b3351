/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The criteria of outcomes: their values, which outcome dominates another,
 * and names of criteria. */

#include <opevo/objective.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <opevo/memory.h>
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

opevo_status opevo_criterion_parse(const char *text, size_t length, char **name, char **unit,
                                   bool *larger_is_better, opevo_error *err)
{
    const char *comma = memchr(text, ',', length);
    size_t name_length = comma ? (size_t)(comma - text) : length;
    size_t left = length - name_length;
    const char *rest = text + name_length;
    bool larger = left >= 7 && !strncmp(rest + left - 7, ",larger", 7);
    char *found = opevo_strndup(text, name_length);
    opevo_status status = OPEVO_OK;

    left -= larger ? 7 : 0;
    OPEVO_NEED_OR_RETURN(found, "a criterion");
    if (!opevo_criterion_name_is_valid(found)) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "it begins with a name of at most %d letters, digits, '_', '.' and '-', "
                       "a letter first and not \"fitness\", such as error%s.",
                       OPEVO_CRITERION_NAME_MAX, text[length] ? ":json:err" : "");
        goto cleanup;
    }
    if (left == 1 || memchr(rest + (left > 0), ',', left - (left > 0))) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "expected NAME, NAME,UNIT, NAME,larger or NAME,UNIT,larger%s.",
                            text[length] ? " before the colon" : "");
        goto cleanup;
    }
    *unit = opevo_strndup(rest + (left > 0), left - (left > 0));
    OPEVO_NEED(*unit, "a criterion");
    *name = found;
    *larger_is_better = larger;
    return OPEVO_OK;
cleanup:
    opevo_free(found);
    return status;
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

/* The criterion of that name; their number if none exists. */
static size_t find(const opevo_objective *objective, const char *name, size_t length)
{
    size_t count = opevo_objective_criterion_count(objective);
    size_t i = 0;

    for (i = 0; i < count; i++) {
        const char *known = opevo_objective_criterion(objective, i).name;

        if (strlen(known) == length && !strncmp(known, name, length))
            return i;
    }
    if (length == 4 && !strncmp(name, "time", 4) && opevo_unit_follows_time(objective->unit))
        return 0;
    return count;
}

static opevo_status fail_name(const opevo_objective *objective, const char *name, size_t length,
                              opevo_error *err)
{
    opevo_text known = {0};
    size_t count = opevo_objective_criterion_count(objective);

    /* Of a speedup users know the time, which it is the inverse of. */
    for (size_t i = 0; i < count; i++)
        opevo_text_printf(&known, "%s%s", i ? ", " : "",
                          i == 0 && opevo_unit_is_speedup(objective->unit)
                              ? "time"
                              : opevo_objective_criterion(objective, i).name);
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
        criteria.chosen[criteria.count].as_time = index == 0 && !strncmp(at, "time", length);
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

/* ---- Requirements --------------------------------------------------------------------------- */

static const char *const relations[] = {
    [OPEVO_AT_MOST] = "<=", [OPEVO_AT_LEAST] = ">=", [OPEVO_BELOW] = "<", [OPEVO_ABOVE] = ">"};

opevo_status opevo_requirement_parse(const opevo_objective *objective, const char *text,
                                     opevo_requirement *out, opevo_error *err)
{
    size_t length = strcspn(text, "<>=");
    const char *at = text + length;
    opevo_requirement requirement = {.index = find(objective, text, length)};
    size_t relation = 0;

    while (relation < 4 && strncmp(at, relations[relation], strlen(relations[relation])) != 0)
        relation++;
    if (relation == 4 || strlen(text) + sizeof " does not hold" > sizeof requirement.message ||
        !opevo_parse_double(at + strlen(relations[relation]), &requirement.bound))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "'%.100s' is not a requirement: give a criterion, one of <=, >=, < and >, "
            "and a number, such as error<=0.01.",
            text);
    if (requirement.index == opevo_objective_criterion_count(objective))
        return fail_name(objective, text, length, err);
    requirement.as_time = requirement.index == 0 && !strncmp(text, "time", length);
    requirement.relation = (opevo_relation)relation;
    snprintf(requirement.message, sizeof requirement.message, "%s does not hold", text);
    *out = requirement;
    return OPEVO_OK;
}

void opevo_requirement_print(const opevo_requirement *requirement, opevo_text *out)
{
    opevo_text_add_bytes(out, requirement->message, strcspn(requirement->message, " "));
}

static bool holds(const opevo_requirement *self, const char *unit, const opevo_outcome *outcome)
{
    double value = opevo_outcome_criterion(outcome, self->index);

    if (self->as_time)
        value = opevo_unit_is_time(unit)      ? opevo_unit_result(unit, value)
                : opevo_unit_is_speedup(unit) ? 1 / value
                                              : outcome->time_s;
    switch (self->relation) {
    case OPEVO_AT_MOST:
        return value <= self->bound;
    case OPEVO_AT_LEAST:
        return value >= self->bound;
    case OPEVO_BELOW:
        return value < self->bound;
    default:
        return value > self->bound;
    }
}

void opevo_requirements_apply(const opevo_requirement *requirements, size_t count, const char *unit,
                              opevo_outcome *outcome)
{
    for (size_t i = 0; i < count && outcome->kind == OPEVO_OUTCOME_OK; i++) {
        if (holds(&requirements[i], unit, outcome))
            continue;
        outcome->kind = OPEVO_OUTCOME_INFEASIBLE;
        outcome->fitness = 0;
        outcome->time_s = NAN;
        outcome->message = requirements[i].message;
    }
}
