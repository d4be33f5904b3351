/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The generation at hand of a run of `nsga2`, from the trials that its store has. The rounds are
 * cut as the tuner cuts them, which made as many candidates as it wanted unless its domain has no
 * more. */

#include "nsga2_pool_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* Words that are not settings of the tuner, such as criteria=time, are passed over. */
static void read_settings(const char *text, opevo_setting_value *values)
{
    opevo_settings_default(&opevo_i_nsga2_ops, values);
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[128];

        if (length < sizeof word) {
            memcpy(word, text, length);
            word[length] = '\0';
            (void)opevo_settings_set(&opevo_i_nsga2_ops, word, values, NULL);
        }
        text += length + (text[length] == ' ');
    }
}

/* The value of a setting by its key. */
static double value_of(const opevo_setting_value *values, const char *key)
{
    size_t i = 0;

    while (i < opevo_i_nsga2_ops.setting_count &&
           strcmp(opevo_i_nsga2_ops.settings[i].key, key) != 0)
        i++;
    return i < opevo_i_nsga2_ops.setting_count ? values[i].number : 0;
}

opevo_status opevo_i_nsga2_replay_create(const char *settings, const opevo_criteria *criteria,
                                         opevo_i_nsga2_replay *out, opevo_error *err)
{
    opevo_setting_value *values = opevo_calloc(opevo_i_nsga2_ops.setting_count, sizeof *values);

    *out = (opevo_i_nsga2_replay){.criteria = *criteria};
    if (values) {
        read_settings(settings, values);
        out->retries = (size_t)value_of(values, "retries");
        out->crossover = value_of(values, "crossover");
        out->mutation = value_of(values, "mutation");
        out->q = value_of(values, "q");
        out->by_dominance = value_of(values, "tournament") > 0;
        opevo_i_nsga2_pool_create((size_t)value_of(values, "population"), value_of(values, "elite"),
                                  &out->pool);
    }
    opevo_free(values);
    return out->pool.individuals ? OPEVO_OK
                                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a generation.");
}

void opevo_i_nsga2_replay_free(opevo_i_nsga2_replay *self)
{
    opevo_i_nsga2_pool_free(&self->pool);
}

static bool is_proposed(const opevo_trial *trial)
{
    static const char *const origins[] = {"initial", "child", "uniform"};
    bool found = false;

    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        found = found || strcmp(trial->proposal.origin, origins[i]) == 0;
    return found;
}

/* After the last trial of a round: another one for what failed, or the next generation. */
static opevo_status proceed(opevo_i_nsga2_replay *self, opevo_error *err)
{
    self->made = self->failed;
    self->told = self->failed = 0;
    if (self->made > 0) {
        self->round++;
        return OPEVO_OK;
    }
    self->round = 0;
    self->generation++;
    self->made = self->pool.population;
    return self->pool.children > 0 ? opevo_i_nsga2_pool_survive(&self->pool, &self->criteria, err)
                                   : OPEVO_OK;
}

opevo_status opevo_i_nsga2_replay_add(opevo_i_nsga2_replay *self, const opevo_trial *trial,
                                      opevo_error *err)
{
    bool replaced = self->round < self->retries && trial->outcome.kind != OPEVO_OUTCOME_OK;

    if (self->generation == 0 && !is_proposed(trial)) {
        opevo_i_nsga2_pool_add_given(&self->pool, trial);
        return OPEVO_OK;
    }
    if (self->generation == 0) {
        self->generation = 1;
        self->made = self->pool.population - self->pool.kept;
    }
    self->told++;
    self->failed += replaced;
    if (!replaced)
        opevo_i_nsga2_pool_add_child(&self->pool, trial);
    return self->told == self->made ? proceed(self, err) : OPEVO_OK;
}

/* That a wins against b: by dominance, then by crowding, then by a coin. */
static double win(const opevo_i_nsga2_replay *self, const opevo_i_nsga2_individual *a,
                  const opevo_i_nsga2_individual *b)
{
    if (opevo_outcome_dominates(&a->outcome, &b->outcome, &self->criteria))
        return 1;
    if (opevo_outcome_dominates(&b->outcome, &a->outcome, &self->criteria))
        return 0;
    return a->crowding > b->crowding ? 1 : a->crowding < b->crowding ? 0 : 0.5;
}

void opevo_i_nsga2_replay_law(const opevo_i_nsga2_replay *self, double *law)
{
    const opevo_i_nsga2_pool *pool = &self->pool;
    double n = (double)pool->kept;

    for (size_t i = 0; i < pool->kept; i++) {
        law[i] = (2 * (n - (double)i) - 1) / (n * n);
        if (!self->by_dominance || pool->kept == 1)
            continue;
        law[i] = 0;
        for (size_t k = 0; k < pool->kept; k++)
            law[i] += k == i ? 0
                             : 2 * win(self, &pool->individuals[i], &pool->individuals[k]) /
                                   (n * (n - 1));
    }
}
