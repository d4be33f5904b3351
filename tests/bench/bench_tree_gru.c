/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TreeGRU on trees of 12 loops: candidates predicted and samples trained on in a second of
 * processor time. The goal is 10,000 predictions. And the share of searches on a simulated GPU that
 * is the tuner's, if a trial takes 0.1 s; the goal is at most 10 %. */

#include <stdio.h>
#include <time.h>

#include <cblas.h>

#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "tree_gru_internal.h"

enum { CANDIDATES = 2048, LOOPS = 12, STEPS = 40, TRIALS = 384 };

#define TRIAL_S 0.1

static double processor_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ten loops around each other, of which the fourth also has a copy of two loops. */
static void plant(float *rows, opevo_rng *rng)
{
    for (size_t i = 0; i < LOOPS; i++, rows += OPEVO_LOOP_COLUMNS) {
        size_t parent = i == LOOPS - 2 ? 3 : i - 1;

        rows[OPEVO_LOOP_PARENT] = i ? (float)(i - parent) : 0;
        rows[OPEVO_LOOP_NAME] = (float)i;
        rows[OPEVO_LOOP_KIND] = (float)opevo_rng_below(rng, OPEVO_LOOP_KIND_COUNT);
        for (size_t k = OPEVO_LOOP_EXTENT; k < OPEVO_LOOP_COLUMNS; k++)
            rows[k] = (float)(10 * opevo_rng_unit(rng));
    }
}

static int measure(const char *name, size_t slots, const opevo_i_model_samples *samples)
{
    const opevo_i_tree_gru_shape shape = {.hidden = OPEVO_I_TREE_GRU_HIDDEN,
                                          .slots = slots,
                                          .batch = OPEVO_I_MODEL_BATCH,
                                          .updates = STEPS,
                                          .rate = 1e-3};
    static float scores[CANDIDATES];
    opevo_i_tree_gru *network = NULL;
    double began = 0, trained = 0, predicted = 0;
    opevo_rng rng;
    opevo_status status = OPEVO_OK;

    opevo_rng_init(&rng, 1, "bench", 0);
    status = opevo_i_tree_gru_create(&shape, OPEVO_I_LOSS_RANK, &rng, &network, NULL);
    began = processor_s();
    if (status == OPEVO_OK)
        status = opevo_i_tree_gru_train(network, samples, NULL);
    trained = processor_s();
    for (int i = 0; i < 5 && status == OPEVO_OK; i++)
        status = opevo_i_tree_gru_predict(network, samples->features, samples->rows, CANDIDATES,
                                          scores, NULL);
    predicted = processor_s();
    opevo_i_tree_gru_destroy(network);
    if (status != OPEVO_OK)
        return 1;
    printf("%-16s %8.0f candidates predicted in a second, %7.0f samples trained on, %.2f ms a step "
           "of Adam on %d\n",
           name, 5 * CANDIDATES / (predicted - trained),
           STEPS * OPEVO_I_MODEL_BATCH / (trained - began), 1e3 * (trained - began) / STEPS,
           OPEVO_I_MODEL_BATCH);
    return 0;
}

/* A search by a tuner with its defaults and this model. */
static int search(opevo_objective *objective, const char *name, const char *model)
{
    opevo_setting_value values[32];
    opevo_run_options options = {.settings = values, .seed = 1, .budget = {.trials = TRIALS}};
    opevo_run_result result = {0};
    opevo_status status = opevo_tuner_find(name, &options.tuner, NULL);
    double began = processor_s(), spent = 0;

    if (status != OPEVO_OK || options.tuner->setting_count > sizeof values / sizeof *values)
        return 1;
    opevo_settings_default(options.tuner, values);
    if (opevo_settings_set(options.tuner, model, values, NULL) != OPEVO_OK ||
        opevo_run(objective, &options, &result, NULL) != OPEVO_OK)
        return 1;
    spent = processor_s() - began;
    printf("%-8s %-22s %5.2f s for %d trials, %4.1f %% of the wall time if each takes %g s\n", name,
           model, spent, TRIALS, 100 * spent / (spent + TRIAL_S * TRIALS), TRIAL_S);
    return 0;
}

static int search_all(void)
{
    static const char *const tuners[] = {"autotvm", "ansor"};
    static const char *const models[] = {"model=treegru", "model=treegru-context"};
    opevo_objective *objective = NULL;
    opevo_operator op;
    int failed = opevo_operator_parse("mm1", &op, NULL) != OPEVO_OK ||
                 opevo_simulated_open(&op, "v100", &objective, NULL) != OPEVO_OK;

    for (int i = 0; i < 4 && !failed; i++)
        failed = search(objective, tuners[i / 2], models[i % 2]);
    opevo_objective_destroy(objective);
    return failed;
}

int main(void)
{
    static size_t rows[CANDIDATES];
    static float labels[CANDIDATES];
    float *features = opevo_calloc(CANDIDATES * LOOPS, OPEVO_LOOP_COLUMNS * sizeof *features);
    opevo_i_model_samples samples = {
        .count = CANDIDATES, .features = features, .rows = rows, .labels = labels};
    opevo_rng rng;
    int failed = 0;

    if (!features)
        return 1;
    openblas_set_num_threads(1);
    opevo_rng_init(&rng, 1, "bench", 1);
    for (size_t i = 0; i < CANDIDATES; i++) {
        plant(features + i * LOOPS * OPEVO_LOOP_COLUMNS, &rng);
        rows[i] = LOOPS;
        labels[i] = (float)opevo_rng_unit(&rng);
    }
    printf("trees of %d loops\n", LOOPS);
    failed = measure("treegru", 0, &samples) ||
             measure("treegru-context", OPEVO_I_TREE_GRU_SLOTS, &samples) || search_all();
    opevo_free(features);
    return failed;
}
