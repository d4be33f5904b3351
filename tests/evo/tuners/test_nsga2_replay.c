/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The generation of a run of NSGA-II, from its trials: children have what its parents have, and the
 * law of a parent is that of all pairs. */

#include "formula.h"

#include <opevo/run.h>

#include "nsga2_pool_internal.h"

enum { PARAMETERS = 6, POPULATION = 10, TRIALS = 400 };

static const char wide[] = "{\"A\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, "
                           "\"B\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, "
                           "\"C\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, "
                           "\"D\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, "
                           "\"E\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, "
                           "\"F\": {\"_type\": \"factor\", \"_value\": [4096, 3]}}";

typedef struct watched {
    opevo_i_nsga2_replay replay;
    const opevo_space *space;
    size_t children, foreign; /* bred; those with a value that no parent has */
    size_t generations;
    double sum; /* of the last law */
} watched;

/* Whether each value of the point is that of an individual of the pool. */
static bool is_of_parents(const watched *self, opevo_index point)
{
    const opevo_i_nsga2_pool *pool = &self->replay.pool;
    opevo_index own[PARAMETERS], other[PARAMETERS];
    bool all = true;

    opevo_space_decode(self->space, point, own);
    for (size_t p = 0; p < PARAMETERS && all; p++) {
        bool any = false;

        for (size_t i = 0; i < pool->kept && !any; i++) {
            opevo_space_decode(self->space, pool->individuals[i].candidate, other);
            any = other[p] == own[p];
        }
        all = any;
    }
    return all;
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    watched *self = context;

    (void)resumed;
    if (!strcmp(trial->proposal.origin, "child")) {
        double law[POPULATION];

        self->children++;
        self->foreign += !is_of_parents(self, trial->proposal.point);
        opevo_i_nsga2_replay_law(&self->replay, law);
        self->sum = 0;
        for (size_t i = 0; i < self->replay.pool.kept; i++)
            self->sum += law[i];
        CHECK_CLOSE(self->sum, 1, 1e-12);
    }
    CHECK_OK(opevo_i_nsga2_replay_add(&self->replay, trial, &err));
    self->generations = (size_t)self->replay.generation;
}

/* Crossovers without mutation, with failures that are replaced or not, a part of the elite, and
 * start points. A pool that is a generation behind has not what children have. */
CHECK_TEST(test_children_are_of_parents)
{
    static const char *const more[] = {"", " retries=2", " elite=0.5", " retries=3 tournament=dcd"};
    const opevo_proposal given[] = {{.point = 7, .origin = "start"},
                                    {.point = 99, .origin = "start"}};
    const opevo_starts starts = {given, 2};
    opevo_space *space = formula_space(wide);

    for (int spoilt = 0; spoilt < 2; spoilt++) {
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            formula objective = formula_on(space, 5 + i, 6);
            opevo_setting_value values[FORMULA_SETTINGS_MOST];
            opevo_criteria criteria = opevo_criteria_fitness();
            opevo_run_result result;
            watched self = {.space = space};
            char settings[128];

            snprintf(settings, sizeof settings, "population=%d crossover=1 mutation=0%s",
                     POPULATION, more[i]);
            formula_settings(&opevo_i_nsga2_ops, settings, values);
            /* Only settings are read from a store; a spoilt one gives other rounds. */
            snprintf(settings, sizeof settings, "population=%d crossover=1 mutation=0%s null=1",
                     POPULATION + 3 * spoilt, more[i]);
            CHECK_OK(opevo_i_nsga2_replay_create(settings, &criteria, &self.replay, &err));
            if (spoilt)
                self.replay.pool.population = POPULATION - 1; /* of 2 * 13 places */
            CHECK_OK(opevo_run(&objective.super,
                               &(const opevo_run_options){.tuner = &opevo_i_nsga2_ops,
                                                          .settings = values,
                                                          .seed = 3,
                                                          .budget = {.trials = TRIALS},
                                                          .starts = i % 2 ? &starts : NULL,
                                                          .observer = observe,
                                                          .observer_context = &self},
                               &result, &err));
            assert_true(self.children > 100 && self.generations > 10);
            assert_true(spoilt ? self.foreign > 0 : self.foreign == 0);
            opevo_i_nsga2_replay_free(&self.replay);
        }
    }
    opevo_space_destroy(space);
}

/* Of uniform pairs by counting all of them, of pairs by dominance by counting all of different
 * ones. */
CHECK_TEST(test_law_of_pairs)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (size_t n = 1; n <= POPULATION; n++) {
        opevo_i_nsga2_individual all[POPULATION];
        opevo_i_nsga2_replay self = {.criteria = opevo_criteria_fitness(),
                                     .pool = {.individuals = all, .kept = n}};
        double uniform[POPULATION] = {0}, dominant[POPULATION] = {0}, law[POPULATION];

        for (size_t i = 0; i < n; i++) {
            all[i] = (opevo_i_nsga2_individual){
                .outcome = opevo_outcome_of_fitness(1 + (double)opevo_rng_below(&rng, 3)),
                .crowding = (double)opevo_rng_below(&rng, 2)};
        }
        for (size_t a = 0; a < n; a++) {
            for (size_t b = 0; b < n; b++) {
                double fitness = all[a].outcome.fitness - all[b].outcome.fitness;
                double ahead = fitness != 0 ? fitness : all[a].crowding - all[b].crowding;

                uniform[a < b ? a : b] += 1 / (double)(n * n);
                if (a != b)
                    dominant[ahead > 0 ? a : b] += (ahead != 0 ? 1 : 0.5) / (double)(n * (n - 1));
                if (a != b && ahead == 0)
                    dominant[a] += 0.5 / (double)(n * (n - 1));
            }
        }
        opevo_i_nsga2_replay_law(&self, law);
        for (size_t i = 0; i < n; i++)
            CHECK_CLOSE(law[i], uniform[i], 1e-12);
        self.by_dominance = true;
        opevo_i_nsga2_replay_law(&self, law);
        for (size_t i = 0; i < n; i++)
            CHECK_CLOSE(law[i], n == 1 ? 1 : dominant[i], 1e-12);
    }
}
