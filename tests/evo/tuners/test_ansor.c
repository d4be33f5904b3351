/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `ansor`: how parents are drawn, what a crossing takes from whom, which programs are proposed,
 * when the model is trained, the other searches, and resuming. */

#include "tuner_fixture.h"

#include <stdlib.h>

#include <opevo/run.h>

#include "ansor_internal.h"
#include "fit.h"
#include "scratch_folder.h"

/* Three stages in the first sketch; the second has far fewer points. */
static const char sketches[] =
    "{\"sketch\": {\"_type\": \"choice\", \"_value\": [\n"
    "  {\"_name\": \"deep\",\n"
    "   \"A__i\": {\"_type\": \"factor\", \"_value\": [1024, 4]},\n"
    "   \"B__i\": {\"_type\": \"factor\", \"_value\": [512, 4]},\n"
    "   \"B__unroll\": {\"_type\": \"discrete\", \"_value\": [0, 16, 64, 512]},\n"
    "   \"C__location\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3, 4]}},\n"
    "  {\"_name\": \"flat\",\n"
    "   \"A__i\": {\"_type\": \"factor\", \"_value\": [4096, 4]}}]}}";

enum { WIDTH = 6, BATCH = 64, TRIALS = 10 * BATCH };

/* ---- Scores that the tests decide ---- */

static float (*score_of)(const opevo_index *vertices); /* NULL: as the tuner does */

opevo_status real_score(opevo_i_tvm_evolution *self, const opevo_index *points,
                        const opevo_index *vertices, size_t count, float *scores,
                        opevo_error *err) __asm__("__real_opevo_i_tvm_evolution_score");
opevo_status wrapped_score(opevo_i_tvm_evolution *self, const opevo_index *points,
                           const opevo_index *vertices, size_t count, float *scores,
                           opevo_error *err) __asm__("__wrap_opevo_i_tvm_evolution_score");
opevo_status wrapped_score(opevo_i_tvm_evolution *self, const opevo_index *points,
                           const opevo_index *vertices, size_t count, float *scores,
                           opevo_error *err)
{
    if (!score_of)
        return real_score(self, points, vertices, count, scores, err);
    for (size_t i = 0; i < count; i++)
        scores[i] = score_of(vertices + i * self->width);
    return OPEVO_OK;
}

static size_t trainings;

opevo_status real_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                        opevo_error *err) __asm__("__real_opevo_i_tvm_cost_model_train");
opevo_status wrapped_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                           opevo_error *err) __asm__("__wrap_opevo_i_tvm_cost_model_train");
opevo_status wrapped_train(opevo_i_tvm_cost_model *model, const opevo_i_model_samples *samples,
                           opevo_error *err)
{
    trainings++;
    return real_train(model, samples, err);
}

/* ---- Parents ---- */

static void check_parents(opevo_i_tvm_evolution *self, const float *scores, size_t count,
                          const double *law)
{
    enum { DRAWS = 100000 };
    uint64_t drawn[8] = {0};

    memcpy(self->scores, scores, count * sizeof *scores);
    self->now_count = count;
    opevo_i_tvm_evolution_weigh(self);
    for (int i = 0; i < DRAWS; i++)
        drawn[opevo_i_tvm_evolution_parent(self)]++;
    for (size_t i = 0; i < count; i++)
        assert_true(law[i] > 0 || drawn[i] == 0);
    assert_true(fit_p(drawn, law, count, DRAWS) > 1e-4);
}

/* By positive scores; uniform without any. */
CHECK_TEST(test_law_of_parents)
{
    opevo_space *space = formula_space(sketches);
    opevo_tuner *tuner = tuner_make("ansor", space, "", 1);
    opevo_i_tvm_evolution *self = (opevo_i_tvm_evolution *)tuner;

    check_parents(self, (const float[]){0.5F, 0, 1, -2, -INFINITY, 0.25F, 2.25F, 0}, 8,
                  (const double[]){0.125, 0, 0.25, 0, 0, 0.0625, 0.5625, 0});
    check_parents(self, (const float[]){0, -1, -INFINITY, 0}, 4,
                  (const double[]){0.25, 0.25, 0.25, 0.25});
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* ---- Crossover ---- */

/* A sum over stages, with terms that say nothing of each other. */
static float stage_term(size_t stage, const opevo_index *vertices, const size_t *stages)
{
    uint64_t hash = opevo_hash_mix(stage + 1);

    for (size_t i = 0; i < WIDTH; i++) {
        if (stages[i] == stage && vertices[i] != OPEVO_INACTIVE)
            hash = opevo_hash_mix(hash ^ (uint64_t)vertices[i]);
    }
    return (float)(hash >> 44) / 1024;
}

static size_t stages_of[WIDTH];
static size_t stage_count;

static float additive(const opevo_index *vertices)
{
    float sum = 1;

    for (size_t stage = 0; stage < stage_count; stage++)
        sum += stage_term(stage, vertices, stages_of);
    return sum;
}

/* Put two random points of the first sketch into the generation. */
static void place_parents(opevo_i_tvm_ansor *self, opevo_rng *rng)
{
    opevo_i_tvm_evolution *evolution = &self->super;

    for (size_t k = 0; k < 2; k++) {
        opevo_index *row = evolution->vertices + k * WIDTH;

        row[0] = 0;
        opevo_i_tvm_genome_sample(self->genome, 1, rng, row);
        evolution->points[k] = opevo_space_encode(evolution->space, row);
        evolution->scores[k] = additive(row);
    }
    evolution->now_count = 2;
    opevo_i_tvm_evolution_weigh(evolution);
}

/* Where the model is a sum over stages, every stage of a child is from the parent that is better
 * there, and half of the draws of two parents take two different ones. */
CHECK_TEST(test_crossover_takes_the_better_stages)
{
    opevo_space *space = formula_space(sketches);
    opevo_tuner *tuner = tuner_make("ansor", space, "crossover=1 population=40", 1);
    opevo_i_tvm_ansor *self = (opevo_i_tvm_ansor *)tuner;
    size_t children = 0;
    opevo_rng rng;

    stage_count = opevo_i_tvm_genome_stage_count(self->genome);
    assert_int_equal(stage_count, 4); /* with that of the sketch */
    for (size_t i = 0; i < WIDTH; i++)
        stages_of[i] = opevo_i_tvm_genome_stage(self->genome, i);
    opevo_rng_init(&rng, 6, "test", 0);
    score_of = additive;
    for (int trial = 0; trial < 100; trial++) {
        opevo_index *rows = self->super.vertices;
        size_t made = 0;

        place_parents(self, &rng);
        CHECK_OK(opevo_i_tvm_ansor_cross(self, &made, &err));
        assert_true(made <= 40);
        for (size_t child = 0; child < made; child++) {
            for (size_t i = 1; i < WIDTH; i++) {
                size_t s = stages_of[i];
                size_t better =
                    stage_term(s, rows + WIDTH, stages_of) > stage_term(s, rows, stages_of);

                assert_true(self->super.next_vertices[child * WIDTH + i] ==
                            rows[better * WIDTH + i]);
            }
        }
        children += made;
    }
    score_of = NULL;
    assert_true(children > 1000); /* of 4000, of which at most half */
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* Parents of different sketches have no child. */
CHECK_TEST(test_crossover_within_a_sketch)
{
    opevo_space *space = formula_space(sketches);
    opevo_tuner *tuner = tuner_make("ansor", space, "crossover=1 population=40", 1);
    opevo_i_tvm_ansor *self = (opevo_i_tvm_ansor *)tuner;
    opevo_i_tvm_evolution *evolution = &self->super;
    size_t made = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    score_of = additive;
    place_parents(self, &rng);
    evolution->vertices[WIDTH] = 1;
    opevo_i_tvm_genome_sample(self->genome, 1, &rng, evolution->vertices + WIDTH);
    CHECK_OK(opevo_i_tvm_ansor_cross(self, &made, &err));
    score_of = NULL;
    assert_int_equal(made, 0);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* ---- Runs ---- */

typedef struct record {
    opevo_proposal proposals[TRIALS];
    size_t count;
    const char *reason;
} record;

/* Tiles near 16, 4 and 4 are good, other sketches bad. */
static double fitness_of(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[WIDTH];
    double badness = 0;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 1; i < WIDTH; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_value value[4];

        if (vertices[i] == OPEVO_INACTIVE || opevo_parameter_arity(parameter) != 4)
            continue;
        opevo_parameter_value(parameter, vertices[i], value);
        badness += fabs(log2((double)value[1].as.integer) - 4) +
                   fabs(log2((double)value[2].as.integer) - 2);
    }
    return 1000 * exp(-badness / 4 - (double)vertices[0]);
}

static size_t no_program = 1; /* one point in as many has no features; 1: all have */

static size_t program_features(void *context, opevo_index point, float *rows)
{
    const opevo_space *space = context;
    opevo_index vertices[WIDTH];
    size_t count = 0;

    if (no_program > 1 && opevo_hash_mix((uint64_t)point) % no_program == 0)
        return 0;
    opevo_space_decode(space, point, vertices);
    for (size_t i = 1; i < WIDTH; i++) {
        opevo_value value[4];

        if (vertices[i] == OPEVO_INACTIVE)
            continue;
        opevo_parameter_value(opevo_space_parameter(space, i), vertices[i], value);
        for (size_t k = 0; k < 4; k++)
            rows[4 * count + k] = k < opevo_parameter_arity(opevo_space_parameter(space, i))
                                      ? (float)opevo_value_number(value[k])
                                      : 0;
        count++;
    }
    return count;
}

static void run(const opevo_space *space, const char *settings, bool features, size_t wanted,
                record *out)
{
    opevo_feature_source source = {
        .count = 4, .rows_most = WIDTH - 1, .features = program_features, .context = (void *)space};
    opevo_tuner *tuner = tuner_make("ansor", space, settings, 3);

    if (features)
        CHECK_OK(opevo_tuner_use_features(tuner, &source, &err));
    for (out->count = 0; out->count < wanted;) {
        opevo_proposal *next = &out->proposals[out->count];
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, next, 1, &count, &err));
        if (count == 0)
            break;
        tuner_tell(tuner, next, fitness_of(space, next->point));
        out->count++;
    }
    out->reason = tuner->reason;
    opevo_tuner_destroy(tuner);
}

static size_t count_origin(const record *made, size_t first, size_t count, const char *origin)
{
    size_t found = 0;

    for (size_t i = first; i < first + count; i++)
        found += !strcmp(made->proposals[i].origin, origin);
    return found;
}

static size_t count_sketch(const opevo_space *space, const record *made, size_t count,
                           opevo_index sketch)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        opevo_index vertices[WIDTH];

        opevo_space_decode(space, made->proposals[i].point, vertices);
        found += vertices[0] == sketch;
    }
    return found;
}

static double mean_fitness(const opevo_space *space, const record *made, size_t first)
{
    double sum = 0;

    for (size_t i = first; i < first + BATCH; i++)
        sum += fitness_of(space, made->proposals[i].point);
    return sum / BATCH;
}

/* As long as scores are noise, half of the trials are of each sketch, although one has 900 times as
 * many points: the number is within 6 standard deviations. */
CHECK_TEST(test_sketches_are_uniform)
{
    opevo_space *space = formula_space(sketches);
    size_t found = 0;
    record made;

    run(space, "search=random", false, 8 * BATCH, &made);
    found = count_sketch(space, &made, 8 * BATCH, 1);
    assert_true(found > 256 - 68 && found < 256 + 68);
    run(space, "warmup=1000", false, BATCH, &made);
    found = count_sketch(space, &made, BATCH, 1);
    assert_true(found > 32 - 24 && found < 32 + 24);
    opevo_space_destroy(space);
}

CHECK_TEST(test_share_of_random_trials)
{
    opevo_space *space = formula_space(sketches);
    record made;

    run(space, "random=0.3", false, 4 * BATCH, &made);
    for (size_t batch = 0; batch < 4; batch++) {
        assert_int_equal(count_origin(&made, batch * BATCH, BATCH, "random"), 19);
        assert_int_equal(count_origin(&made, batch * BATCH, 45, "model"), 45);
    }
    opevo_space_destroy(space);
}

/* It learns from the rows of programs, and from parameters where a program has none. */
static void check_learns(const char *settings, bool features, double times)
{
    opevo_space *space = formula_space(sketches);
    record made;

    run(space, settings, features, 5 * BATCH, &made);
    assert_int_equal(made.count, 5 * BATCH);
    assert_true(mean_fitness(space, &made, 4 * BATCH) > times * mean_fitness(space, &made, 0));
    opevo_space_destroy(space);
}

CHECK_TEST(test_learns)
{
    check_learns("", true, 4);
    check_learns("", false, 4);
    check_learns("crossover=0.2", true, 4);
    check_learns("search=beam", true, 3);
    check_learns("search=beam population=200", false, 1.3);
}

/* Points that cannot be lowered are not proposed, by any search. */
CHECK_TEST(test_programs_that_cannot_be_lowered)
{
    static const char *const settings[] = {"", "search=random", "search=beam", "crossover=0.5"};
    opevo_space *space = formula_space(sketches);

    no_program = 3;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        record made;

        run(space, settings[i], true, 4 * BATCH, &made);
        for (size_t k = 0; k < 4 * BATCH; k++)
            assert_true(opevo_hash_mix((uint64_t)made.proposals[k].point) % 3 != 0);
    }
    no_program = 1;
    opevo_space_destroy(space);
}

/* Anew where a fifth as many trials are new as the last training saw: at 128, 192, ..., 384 and
 * 512; or after every batch; or never. */
CHECK_TEST(test_retraining)
{
    opevo_space *space = formula_space(sketches);
    record made;

    trainings = 0;
    run(space, "trees=10", false, 9 * BATCH, &made);
    assert_int_equal(trainings, 6);
    trainings = 0;
    run(space, "trees=10 retrain=0", false, 9 * BATCH, &made);
    assert_int_equal(trainings, 7);
    trainings = 0;
    run(space, "search=random", false, 9 * BATCH, &made);
    assert_int_equal(trainings, 0);
    opevo_space_destroy(space);
}

CHECK_TEST(test_patience)
{
    opevo_space *space = formula_space(sketches);
    size_t best = 0;
    record made;

    run(space, "patience=100 search=random", false, TRIALS, &made);
    assert_true(made.count < TRIALS);
    assert_string_equal(made.reason, "no trial of the last `patience` ones was the best");
    for (size_t i = 0; i < made.count; i++) {
        if (fitness_of(space, made.proposals[i].point) >
            fitness_of(space, made.proposals[best].point))
            best = i;
    }
    assert_true(made.count - 1 - best > 100 && made.count - 1 - best <= 100 + BATCH);
    opevo_space_destroy(space);
}

/* ---- Earlier trials ---- */

/* Two runs on devices of other speeds: the second is ten times faster. The first batch is better
 * than that of the search without them by far, and the earlier points may come again. */
CHECK_TEST(test_learns_from_earlier_runs)
{
    enum { EARLIER = 300 };
    static opevo_trial earlier[EARLIER];
    opevo_space *space = formula_space(sketches);
    opevo_tuner *tuner = tuner_make("ansor", space, "", 3);
    opevo_proposal next[BATCH];
    record drawn;
    double sum = 0;
    size_t count = 0, repeated = 0;

    run(space, "search=random", false, EARLIER, &drawn);
    for (size_t i = 0; i < EARLIER; i++) {
        earlier[i] = (opevo_trial){.number = 1 + i % 150, .proposal = drawn.proposals[i]};
        earlier[i].outcome.fitness =
            fitness_of(space, drawn.proposals[i].point) * (i < 150 ? 1 : 10);
    }
    CHECK_OK(opevo_tuner_learn(tuner, earlier, EARLIER, &err));
    CHECK_OK(opevo_tuner_ask(tuner, next, BATCH, &count, &err));
    assert_int_equal(count, BATCH);
    for (size_t i = 0; i < BATCH; i++) {
        sum += fitness_of(space, next[i].point);
        for (size_t k = 0; k < EARLIER; k++)
            repeated += next[i].point == earlier[k].proposal.point;
    }
    assert_true(sum / BATCH > 3 * mean_fitness(space, &drawn, 0));
    assert_true(repeated < BATCH);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* Failures alone teach nothing. */
CHECK_TEST(test_learns_nothing_from_failures)
{
    opevo_trial earlier[BATCH] = {0};
    opevo_space *space = formula_space(sketches);
    opevo_tuner *plain = tuner_make("ansor", space, "", 3);
    opevo_tuner *taught = tuner_make("ansor", space, "", 3);
    opevo_proposal first[BATCH], second[BATCH];
    size_t count = 0;

    for (size_t i = 0; i < BATCH; i++)
        earlier[i] = (opevo_trial){.number = i + 1,
                                   .proposal.point = i,
                                   .outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT)};
    CHECK_OK(opevo_tuner_learn(taught, earlier, BATCH, &err));
    CHECK_OK(opevo_tuner_ask(plain, first, BATCH, &count, &err));
    CHECK_OK(opevo_tuner_ask(taught, second, BATCH, &count, &err));
    for (size_t i = 0; i < BATCH; i++)
        assert_true(first[i].point == second[i].point);
    opevo_tuner_destroy(plain);
    opevo_tuner_destroy(taught);
    opevo_space_destroy(space);
}

/* ---- Resuming ---- */

static void note_points(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_index *points = context;

    points[trial->number - 1] = trial->proposal.point;
}

/* A run that was cut in the middle of a batch and read back proposes what it would have proposed;
 * so it does in a batch of any size and on several threads. */
CHECK_TEST(test_resumes)
{
    static opevo_index whole[TRIALS], cut[TRIALS];
    opevo_space *space = formula_space(sketches);
    formula objective = formula_on(space, 1, 5);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options = {.seed = 1, .budget = {.trials = 300}};
    scratch_folder scratch = scratch_make();
    opevo_run_result result;

    CHECK_OK(opevo_tuner_find("ansor", &options.tuner, &err));
    formula_settings(options.tuner, "population=300 crossover=0.1 trees=20", values);
    options.settings = values;
    options.observer = note_points;
    options.observer_context = whole;
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
    CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &options.store, &err));
    options.observer_context = cut;
    options.budget.trials = 170;
    options.threads = 3;
    options.batch = 7;
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
    options.budget.trials = 300;
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
    assert_int_equal(result.resumed, 170);
    assert_memory_equal(whole, cut, 300 * sizeof *whole);
    opevo_store_close(options.store);
    scratch_remove(&scratch);
    opevo_space_destroy(space);
}
