/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The calls of a tuner through its table of functions, with the promises of both sides checked. */

#include <opevo/tuner.h>

#include "port_internal.h"

#include <opevo/memory.h>

#include <assert.h>

opevo_status opevo_tuner_suits(const opevo_tuner_ops *ops, const opevo_space *space,
                               opevo_error *err)
{
    opevo_status status = opevo_i_port_reserved_check(
        ops->reserved, sizeof ops->reserved / sizeof *ops->reserved, "tuner", ops->name, err);

    if (status != OPEVO_OK)
        return status;
    if (space && opevo_space_has_branches(space) && !ops->works_on_branches)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "The tuner %s does not support spaces with branches; opevo tuners lists those that do.",
            ops->name);
    return OPEVO_OK;
}

/* What every tuner begins with, whoever made it. */
static void begin(opevo_tuner *tuner, const opevo_tuner_ops *ops, const opevo_space *space,
                  opevo_domain *own)
{
    tuner->ops = ops;
    tuner->space = space;
    tuner->own = own;
    tuner->features = NULL;
    tuner->trees = NULL;
    tuner->criteria = opevo_criteria_fitness();
    tuner->pending = 0;
    tuner->asked = false;
    tuner->observed = NULL;
}

/* Let the table's function make it; settings NULL: the defaults. */
static opevo_status make(const opevo_tuner_ops *ops, const opevo_space *space, opevo_domain *domain,
                         const opevo_setting_value *settings, const opevo_rng *rng,
                         opevo_tuner **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_setting_value *defaults = NULL;

    if (!settings && ops->setting_count > 0) {
        defaults = opevo_malloc(ops->setting_count, sizeof *defaults);
        OPEVO_NEED_OR_RETURN(defaults, "the tuner %s", ops->name);
        opevo_settings_default(ops, defaults);
        settings = defaults;
    }
    status = ops->create_on ? ops->create_on(domain, settings, rng, out, err)
                            : ops->create(space, settings, rng, out, err);
    opevo_free(defaults);
    return status;
}

opevo_status opevo_tuner_create(const opevo_tuner_ops *ops, const opevo_space *space,
                                const opevo_setting_value *settings, uint64_t seed,
                                opevo_tuner **out, opevo_error *err)
{
    opevo_domain *own = NULL;
    opevo_status status = OPEVO_OK;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "tuner", 0);
    OPEVO_TRY(opevo_i_port_settings_check(ops, settings, err));
    OPEVO_TRY(opevo_tuner_suits(ops, space, err));
    if (ops->create_on)
        OPEVO_TRY(opevo_domain_of_space(space, &own, err));
    OPEVO_TRY(make(ops, space, own, settings, &rng, out, err));
    begin(*out, ops, space, own);
    return OPEVO_OK;
cleanup:
    opevo_domain_destroy(own);
    return status;
}

opevo_status opevo_tuner_create_on(const opevo_tuner_ops *ops, opevo_domain *domain,
                                   const opevo_setting_value *settings, uint64_t seed,
                                   opevo_tuner **out, opevo_error *err)
{
    opevo_status status = opevo_i_port_settings_check(ops, settings, err);
    opevo_rng rng;

    if (status == OPEVO_OK)
        status = opevo_tuner_suits(ops, domain->space, err);
    if (status != OPEVO_OK)
        return status;
    if (!ops->create_on && !domain->space)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The tuner %s needs a search space and does not support %s; use a tuner "
                          "for any candidates, such as random or nsga2.",
                          ops->name, domain->name);
    opevo_rng_init(&rng, seed, "tuner", 0);
    status = make(ops, domain->space, domain, settings, &rng, out, err);
    if (status == OPEVO_OK)
        begin(*out, ops, domain->space, NULL);
    return status;
}

static opevo_status check_not_asked(const opevo_tuner *tuner, opevo_error *err)
{
    if (tuner->asked)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "A tuner must be given criteria, features and trials of others before it is asked.");
    return OPEVO_OK;
}

opevo_status opevo_tuner_use_criteria(opevo_tuner *tuner, const opevo_criteria *criteria,
                                      opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status == OPEVO_OK && tuner->ops->by_criteria)
        tuner->criteria = *criteria;
    return status;
}

opevo_status opevo_tuner_use_features(opevo_tuner *tuner, const opevo_feature_source *source,
                                      opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status == OPEVO_OK)
        tuner->features = source;
    return status;
}

opevo_status opevo_tuner_use_trees(opevo_tuner *tuner, const opevo_feature_source *source,
                                   opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status != OPEVO_OK || !tuner->ops->use_trees)
        return status;
    tuner->trees = source;
    return tuner->ops->use_trees(tuner, source, err);
}

opevo_status opevo_tuner_learn(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                               opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status != OPEVO_OK)
        return status;
    if (!tuner->ops->learn)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The tuner %s cannot learn from earlier trials.",
                          tuner->ops->name);
    for (size_t i = 0; i < count; i++) {
        if (tuner->space && !opevo_space_has(tuner->space, trials[i].proposal.point))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Earlier trial %llu is a point outside the space.",
                              (unsigned long long)trials[i].number);
    }
    return tuner->ops->learn(tuner, trials, count, err);
}

opevo_status opevo_tuner_learn_trees(opevo_tuner *tuner, const opevo_earlier_tree *trees,
                                     size_t count, opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status != OPEVO_OK)
        return status;
    if (!tuner->ops->learn_trees)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The tuner %s cannot learn from runs on other search spaces.",
                          tuner->ops->name);
    return tuner->ops->learn_trees(tuner, trees, count, err);
}

opevo_status opevo_tuner_learn_model(opevo_tuner *tuner, const opevo_cost_model *model,
                                     opevo_error *err)
{
    opevo_status status = check_not_asked(tuner, err);

    if (status != OPEVO_OK)
        return status;
    if (!tuner->ops->learn_model)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The tuner %s cannot start from a stored model.",
                          tuner->ops->name);
    return tuner->ops->learn_model(tuner, model, err);
}

opevo_status opevo_tuner_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                 opevo_error *err)
{
    const opevo_space *space = tuner->space;
    opevo_status status = check_not_asked(tuner, err);

    for (size_t i = 0; i < count && space && status == OPEVO_OK; i++) {
        opevo_index point = trials[i].proposal.point;

        if (!opevo_space_has(space, point) || !opevo_space_allows(space, point))
            status =
                OPEVO_FAIL(err, OPEVO_INVALID, "Trial %llu is not an allowed point of the space.",
                           (unsigned long long)trials[i].number);
    }
    if (status == OPEVO_OK)
        status = opevo_i_port_observed_add(tuner, trials, count, err);
    if (status == OPEVO_OK && tuner->ops->observe)
        status = tuner->ops->observe(tuner, trials, count, err);
    return status;
}

/* Ask the table's function once; *given counts also what it is answered here. */
static opevo_status ask_once(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                             size_t *given, size_t *count, opevo_error *err)
{
    opevo_status status = tuner->ops->ask(tuner, proposals, capacity, given, err);

    if (status != OPEVO_OK)
        return status;
    assert(*given <= capacity);
    assert(*given || tuner->pending || tuner->reason);
    for (size_t i = 0; tuner->space && i < *given; i++) {
        assert(opevo_space_has(tuner->space, proposals[i].point));
        assert(opevo_space_allows(tuner->space, proposals[i].point));
    }
    *count = *given;
    status = opevo_i_port_observed_ask(tuner, proposals, count, err);
    tuner->pending += *count;
    return status;
}

opevo_status opevo_tuner_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                             size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t given = 0;
    size_t left = 0;

    if (capacity == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A tuner must be asked for at least one point.");
    tuner->asked = true;
    do
        status = ask_once(tuner, proposals, capacity, &given, &left, err);
    while (status == OPEVO_OK && given > 0 && left == 0);
    if (status == OPEVO_OK)
        *count = left;
    return status;
}

opevo_status opevo_tuner_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                              opevo_error *err)
{
    if (count > tuner->pending)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A tuner was told %zu trials, but only %zu proposals are pending.", count,
                          tuner->pending);
    return opevo_i_port_observed_tell(tuner, trials, count, err);
}

void opevo_tuner_destroy(opevo_tuner *tuner)
{
    opevo_domain *own = tuner ? tuner->own : NULL;

    if (tuner) {
        opevo_i_port_observed_free(tuner);
        tuner->ops->destroy(tuner);
    }
    opevo_domain_destroy(own);
}
