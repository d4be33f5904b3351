/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces whose points have loop trees, runs on them, and earlier trees of another space to learn
 * from. */

#ifndef OPEVO_TESTS_TAUGHT_FIXTURE_H
#define OPEVO_TESTS_TAUGHT_FIXTURE_H

#include "tuner_fixture.h"

#include <opevo/run.h>

#include "point_trees.h"

static const char taught_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]}}";

/* ---- Runs ---- */

static inline void note_points(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_index *points = context;

    (void)resumed;
    points[trial->number - 1] = trial->proposal.point;
}

/* The points of a run, and how many of its trials came from the store; model and store may be
 * NULL. */
static inline uint64_t taught_run(opevo_objective *objective, const char *tuner,
                                  const char *settings, const opevo_cost_model *model,
                                  opevo_store *store, uint64_t trials, opevo_index *points)
{
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options = {.settings = values,
                                 .seed = 1,
                                 .budget = {.trials = trials},
                                 .model = model,
                                 .store = store,
                                 .observer = note_points,
                                 .observer_context = points};
    opevo_run_result result = {0};

    CHECK_OK(opevo_tuner_find(tuner, &options.tuner, &err));
    formula_settings(options.tuner, settings, values);
    CHECK_OK(opevo_run(objective, &options, &result, &err));
    return result.resumed;
}

/* ---- Earlier trees ---- */

enum { EARLIER = 150, LEARNED = 64 };

static const char taught_other_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [4096, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [2048, 4]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125]}}";

/* Good tiles are near 4 on any space. */
static inline double worth(const opevo_space *space, opevo_index point)
{
    float rows[OPEVO_LOOP_TREE_ROWS][OPEVO_LOOP_COLUMNS];
    size_t count = point_trees_rows((void *)space, point, rows[0]);
    double badness = 0;

    for (size_t i = 0; i + 1 < count; i++)
        badness += fabs((double)rows[i][OPEVO_LOOP_EXTENT] - 2);
    return exp(-badness / 4);
}

/* Trees of uniform points of the other space, of two runs in different units. */
static inline void make_earlier(const opevo_space *space, opevo_earlier_tree *trees, float *rows)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    for (size_t i = 0; i < EARLIER; i++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(space));
        size_t run = i / (EARLIER / 2);

        trees[i] = (opevo_earlier_tree){.rows = rows,
                                        .row_count = point_trees_rows((void *)space, point, rows),
                                        .fitness = worth(space, point) * (run ? 1000 : 1),
                                        .run = run};
        rows += trees[i].row_count * OPEVO_LOOP_COLUMNS;
    }
}

/* The mean worth of the first plan, after trees or a stored model (NULL: none). */
static inline double first_plan(const char *name, const opevo_space *space, const char *settings,
                                const opevo_earlier_tree *trees, size_t count,
                                const opevo_cost_model *model)
{
    opevo_tuner *tuner = tuner_make(name, space, settings, 1);
    opevo_feature_source source = point_trees(space);
    opevo_proposal proposals[LEARNED];
    size_t given = 0;
    double sum = 0;

    CHECK_OK(opevo_tuner_use_trees(tuner, &source, &err));
    if (count)
        CHECK_OK(opevo_tuner_learn_trees(tuner, trees, count, &err));
    if (model)
        CHECK_OK(opevo_tuner_learn_model(tuner, model, &err));
    CHECK_OK(opevo_tuner_ask(tuner, proposals, LEARNED, &given, &err));
    assert_int_equal(given, LEARNED);
    for (size_t i = 0; i < given; i++)
        sum += worth(space, proposals[i].point);
    opevo_tuner_destroy(tuner);
    return sum / LEARNED;
}

#endif
