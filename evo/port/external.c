/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Objectives whose outcomes come from the caller of a session: they have a space or a domain, a
 * unit and criteria, and nothing to evaluate. */

#include <opevo/objective.h>

#include "port_internal.h"

#include <math.h>
#include <string.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/struct_size.h>

typedef struct external {
    opevo_objective super;
    opevo_space *space;
    char *name;
    char *unit;
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    char *words[2 * (OPEVO_CRITERIA_MOST - 1)]; /* their names and units */
} external;

static void release(external *self)
{
    opevo_free(self->name);
    opevo_free(self->unit);
    for (size_t i = 0; i < sizeof self->words / sizeof *self->words; i++)
        opevo_free(self->words[i]);
    opevo_free(self);
}

static void destroy(opevo_objective *objective)
{
    external *self = (external *)objective;

    opevo_space_destroy(self->space);
    opevo_domain_destroy(self->super.domain);
    release(self);
}

static const opevo_objective_ops external_ops = {.kind = "external", .destroy = destroy};

static opevo_status check_criteria(const opevo_external_options *options, opevo_error *err)
{
    if (options->criterion_count > OPEVO_CRITERIA_MOST - 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "An objective has at most %d criteria after the fitness.",
                          OPEVO_CRITERIA_MOST - 1);
    for (size_t i = 0; i < options->criterion_count; i++) {
        const char *name = options->criteria[i].name;

        if (!name || !options->criteria[i].unit)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Criterion %zu needs a name and a unit, \"\" where it has none.",
                              i + 1);
        if (!opevo_criterion_name_is_valid(name))
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "The criterion \"%.60s\" needs a name of at most %d letters, digits, '_', "
                "'.' and '-', a letter first and not \"fitness\".",
                name, OPEVO_CRITERION_NAME_MAX);
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(options->criteria[k].name, name))
                return OPEVO_FAIL(err, OPEVO_INVALID, "The criterion %s is given twice.", name);
        }
    }
    return OPEVO_OK;
}

/* False without memory. */
static bool copy_words(external *self, const opevo_external_options *options)
{
    self->name = opevo_strdup(options->name);
    self->unit = opevo_strdup(options->unit);
    for (size_t i = 0; i < options->criterion_count; i++) {
        const opevo_criterion *from = &options->criteria[i];

        self->words[2 * i] = opevo_strdup(from->name);
        self->words[2 * i + 1] = opevo_strdup(from->unit);
        if (!self->words[2 * i] || !self->words[2 * i + 1])
            return false;
        self->criteria[i] =
            (opevo_criterion){self->words[2 * i], self->words[2 * i + 1], from->larger_is_better};
    }
    return self->name && self->unit;
}

/* Of the space or domain and of what the caller adds; a store compares unit and criteria itself. */
static uint64_t sign(const opevo_external_options *options)
{
    uint64_t words[2] = {options->space ? opevo_space_signature(options->space)
                                        : options->domain->signature,
                         options->signature};

    return opevo_hash_bytes(OPEVO_HASH_START, words, sizeof words);
}

opevo_status opevo_external_create_sized(const opevo_external_options *given, size_t size,
                                         opevo_objective **out, opevo_error *err)
{
    opevo_external_options known;
    const opevo_external_options *options = &known;
    opevo_status status =
        opevo_struct_read(given, size, "opevo_external_options", &known, sizeof known, err);
    external *self = NULL;

    if (status == OPEVO_OK)
        status = check_criteria(options, err);
    if (status != OPEVO_OK)
        return status;
    if (!options->space == !options->domain)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An objective needs a space or a domain, not both.");
    if (!options->name || !*options->name || !options->unit)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An objective needs a name and a unit.");
    self = opevo_calloc(1, sizeof *self);
    if (!self || !copy_words(self, options)) {
        if (self)
            release(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the objective %.200s.", options->name);
    }
    self->space = options->space;
    self->super = (opevo_objective){
        .ops = &external_ops,
        .space = options->space,
        .domain = options->domain,
        .name = self->name,
        .unit = self->unit,
        .signature = sign(options),
        .criteria = self->criteria,
        .more_count = options->criterion_count,
    };
    *out = &self->super;
    return OPEVO_OK;
}

bool opevo_objective_is_external(const opevo_objective *objective)
{
    return !objective->ops->evaluate && !objective->ops->measure;
}

static bool is_amount(double number)
{
    return number >= 0 && isfinite(number);
}

opevo_status opevo_external_check(const opevo_objective *objective, opevo_outcome *outcome,
                                  opevo_error *err)
{
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;

    if ((int)outcome->kind < 0 || outcome->kind >= OPEVO_OUTCOME_CLASS_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "the class of its outcome is unknown.");
    if (ok && !is_amount(outcome->fitness))
        return OPEVO_FAIL(err, OPEVO_INVALID, "its fitness must be finite and not negative.");
    if (ok && isinf(outcome->time_s))
        return OPEVO_FAIL(err, OPEVO_INVALID, "its time must be finite.");
    if (!is_amount(outcome->build_s) || !is_amount(outcome->run_s) ||
        !is_amount(outcome->check_s) || !is_amount(outcome->other_s))
        return OPEVO_FAIL(err, OPEVO_INVALID, "its costs must be finite and not negative.");
    for (size_t i = 0; ok && i < objective->more_count; i++) {
        if (isinf(outcome->more[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "its %s must be finite.",
                              objective->criteria[i].name);
    }
    opevo_i_port_outcome_clean(objective, outcome);
    return OPEVO_OK;
}
