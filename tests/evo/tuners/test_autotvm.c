/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `autotvm`, `ansor-knobs` and `ansor`: what their plans are made of, learning from earlier trials,
 * features of the objective, and the diversity filter. */

#include "tuner_fixture.h"

#include <opevo/memory.h>

#include "autotvm_internal.h"

static const char large_space[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]},"
    " \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]}}";

enum { PLAN = 64, MOST = 640, WIDTH = 4 };

static const opevo_tuner_ops *find(const char *name)
{
    const opevo_tuner_ops *ops = NULL;

    CHECK_OK(opevo_tuner_find(name, &ops, &err));
    return ops;
}

/* Something to learn: the components of a good tile are near 16, 4 and 4. A ninth of all fails. */
static double fitness_of(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[WIDTH];
    opevo_value value[4];
    double badness = 0;

    if (opevo_hash_mix((uint64_t)point) % 9 == 0)
        return 0;
    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i + 1 < WIDTH; i++) {
        opevo_parameter_value(opevo_space_parameter(space, i), vertices[i], value);
        badness += fabs(log2((double)value[1].as.integer) - 4) +
                   fabs(log2((double)value[2].as.integer) - 2);
    }
    return 1000 * exp(-badness / 4);
}

typedef struct record {
    size_t count;
    opevo_proposal proposals[MOST];
    double fitness[MOST];
} record;

/* Run `wanted` trials; the objective may be told by `score` of its own. */
static void run(opevo_tuner *tuner, size_t wanted,
                double (*score)(const opevo_space *, opevo_index), record *out)
{
    out->count = 0;
    while (out->count < wanted) {
        opevo_trial trial = {0};
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        trial.outcome = (opevo_outcome){.kind = OPEVO_OUTCOME_OK};
        trial.outcome.fitness = score(tuner->space, trial.proposal.point);
        if (trial.outcome.fitness == 0)
            trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_BUILD_ERROR);
        out->proposals[out->count] = trial.proposal;
        out->fitness[out->count++] = trial.outcome.fitness;
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
}

static size_t count_origin(const record *made, size_t first, size_t count, const char *origin)
{
    size_t found = 0;

    for (size_t i = first; i < first + count; i++)
        found += !strcmp(made->proposals[i].origin, origin);
    return found;
}

static double mean_fitness(const record *made, size_t first, size_t count)
{
    double sum = 0;

    for (size_t i = first; i < first + count; i++)
        sum += made->fitness[i];
    return sum / (double)count;
}

/* The first plan is that of random search with the same seed; of each later one 61 points come from
 * the model, or fewer where it finds fewer that it scores 0 or more, and stand before the uniform
 * ones, of which there are at least 3. */
static void check_plans(const char *changes, bool full)
{
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make("autotvm", space, changes, 3);
    opevo_tuner *uniform = tuner_make("random", space, "", 3);
    record made, drawn;

    run(tuner, 5 * PLAN, fitness_of, &made);
    run(uniform, PLAN, fitness_of, &drawn);
    for (size_t i = 0; i < PLAN; i++)
        assert_true(made.proposals[i].point == drawn.proposals[i].point);
    assert_int_equal(count_origin(&made, 0, PLAN, "uniform"), PLAN);
    for (size_t plan = 1; plan < 5; plan++) {
        size_t planned = count_origin(&made, plan * PLAN, PLAN, "model");

        assert_true(full ? planned == 61 : planned <= 61 && planned > 0);
        assert_int_equal(count_origin(&made, plan * PLAN, planned, "model"), planned);
        assert_int_equal(count_origin(&made, plan * PLAN + planned, PLAN - planned, "uniform"),
                         PLAN - planned);
    }
    /* It learns: the third plan is better than the first by far. */
    assert_true(mean_fitness(&made, 2 * PLAN, PLAN) > 3 * mean_fitness(&made, 0, PLAN));
    opevo_tuner_destroy(tuner);
    opevo_tuner_destroy(uniform);
    opevo_space_destroy(space);
}

CHECK_TEST(test_plans)
{
    check_plans("", false);
    check_plans("loss=reg", true);
    check_plans("diversity=4", false);
}

static double always_fails(const opevo_space *space, opevo_index point)
{
    return 0;
}

/* Without one success there is nothing to learn from. */
CHECK_TEST(test_plans_when_all_fail)
{
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make("autotvm", space, "", 3);
    record made;

    run(tuner, 3 * PLAN, always_fails, &made);
    assert_int_equal(count_origin(&made, 0, 3 * PLAN, "uniform"), 3 * PLAN);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* A plan is not known before the one before it was told whole. */
CHECK_TEST(test_plans_wait)
{
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make("autotvm", space, "", 3);
    opevo_proposal ahead[2 * PLAN];
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, ahead, 2 * PLAN, &count, &err));
    assert_int_equal(count, PLAN);
    CHECK_OK(opevo_tuner_ask(tuner, ahead, 2 * PLAN, &count, &err));
    assert_int_equal(count, 0);
    assert_null(tuner->reason);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* ---- Earlier trials ---- */

static void make_earlier(const opevo_space *space, size_t count, opevo_trial *trials)
{
    opevo_tuner *uniform = tuner_make("random", space, "", 99);
    record made;

    run(uniform, count, fitness_of, &made);
    for (size_t i = 0; i < count; i++) {
        trials[i] = (opevo_trial){.number = i + 1, .proposal = made.proposals[i]};
        trials[i].outcome.fitness = made.fitness[i];
    }
    opevo_tuner_destroy(uniform);
}

static void run_after(const opevo_space *space, const char *changes, const opevo_trial *earlier,
                      size_t count, record *out)
{
    opevo_tuner *tuner = tuner_make("autotvm", space, changes, 3);

    CHECK_OK(opevo_tuner_learn(tuner, earlier, count, &err));
    run(tuner, 6 * PLAN, fitness_of, out);
    opevo_tuner_destroy(tuner);
}

/* From 500 earlier trials on, the first plan is the model's, and good at once; it takes their
 * points again if it likes them. Fewer change nothing. */
CHECK_TEST(test_learns_from_earlier_trials)
{
    static opevo_trial earlier[600];
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make("autotvm", space, "", 3);
    record without, few, many, shipped;

    make_earlier(space, 600, earlier);
    run(tuner, 6 * PLAN, fitness_of, &without);
    run_after(space, "", earlier, 499, &few);
    assert_memory_equal(few.fitness, without.fitness, 6 * PLAN * sizeof *few.fitness);
    run_after(space, "", earlier, 500, &many);
    assert_true(count_origin(&many, 0, PLAN, "model") > 0);
    assert_true(mean_fitness(&many, 0, PLAN) > 3 * mean_fitness(&without, 0, PLAN));
    /* The published order of the margins gives the same first plan, and others later. */
    run_after(space, "margin=shipped", earlier, 500, &shipped);
    assert_memory_equal(many.fitness, shipped.fitness, PLAN * sizeof *many.fitness);
    assert_memory_not_equal(many.fitness, shipped.fitness, 6 * PLAN * sizeof *many.fitness);
    /* Failures alone teach nothing. */
    for (size_t i = 0; i < 600; i++)
        earlier[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
    run_after(space, "", earlier, 600, &few);
    assert_int_equal(count_origin(&few, 0, PLAN, "uniform"), PLAN);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_learning_is_refused)
{
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make("autotvm", space, "", 3);
    opevo_trial earlier[1] = {{.number = 7}};
    opevo_proposal proposal;
    size_t count = 0;

    earlier[0].proposal.point = opevo_space_size(space);
    CHECK_FAILS(OPEVO_INVALID, "Earlier trial 7 is a point outside",
                opevo_tuner_learn(tuner, earlier, 1, &err));
    earlier[0].proposal.point = 0;
    CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
    CHECK_FAILS(OPEVO_INVALID, "before it is asked", opevo_tuner_learn(tuner, earlier, 1, &err));
    CHECK_FAILS(OPEVO_INVALID, "before it is asked", opevo_tuner_use_features(tuner, NULL, &err));
    opevo_tuner_destroy(tuner);
    tuner = tuner_make("random", space, "", 3);
    CHECK_FAILS(OPEVO_INVALID, "random cannot learn", opevo_tuner_learn(tuner, earlier, 1, &err));
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* Nothing stays alive, whichever allocation of learning fails. */
CHECK_TEST(test_learning_without_memory)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}}");
    opevo_trial earlier[18] = {0};
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_status status = OPEVO_NOMEM;
    int64_t live = opevo_memory_live();

    for (size_t i = 0; i < 18; i++) {
        earlier[i].proposal.point = i;
        earlier[i].outcome.fitness = (double)i;
    }
    formula_settings(find("autotvm"), "history=5 plan=8", values);
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_tuner *tuner = NULL;

        assert_true(n < 1000);
        opevo_memory_fail_at(n);
        status = opevo_tuner_create(find("autotvm"), space, values, 1, &tuner, NULL);
        if (status == OPEVO_OK)
            status = opevo_tuner_learn(tuner, earlier, 18, NULL);
        opevo_memory_fail_at(0);
        opevo_tuner_destroy(tuner);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_space_destroy(space);
}

/* ---- Features of the objective ---- */

/* A fitness that the values of the parameters say nothing about. */
static double hidden(const opevo_space *space, opevo_index point)
{
    return 1 + (double)(opevo_hash_mix((uint64_t)point) >> 40);
}

static size_t revealing_features(void *context, opevo_index point, float *features)
{
    features[0] = 1;
    features[1] = (float)hidden(context, point);
    return 1;
}

/* The sum of three numbers, of which each row has one, in an order that says nothing. */
static double hidden_sum(const opevo_space *space, opevo_index point)
{
    uint64_t bits = opevo_hash_mix((uint64_t)point);

    return 1 + (double)(bits >> 44) + (double)(bits >> 24 & 0xfffff) +
           (double)(bits >> 4 & 0xfffff);
}

static size_t revealing_rows(void *context, opevo_index point, float *rows)
{
    uint64_t bits = opevo_hash_mix((uint64_t)point);
    const float part[3] = {(float)(bits >> 44), (float)(bits >> 24 & 0xfffff),
                           (float)(bits >> 4 & 0xfffff)};

    for (size_t r = 0; r < 3; r++)
        rows[r] = part[(r + bits) % 3];
    return 3;
}

/* What the mean fitness of a plan stays below without features, and is above with them. */
typedef struct revelation {
    opevo_feature_source source;
    double (*fitness)(const opevo_space *space, opevo_index point);
    double blind, seeing;
} revelation;

static const revelation revelations[] = {
    /* Uniform on [0, 2^24): the mean of 64 has a standard error of 0.036 of that. */
    {{.count = 2, .rows_most = 1, .features = revealing_features},
     hidden,
     0.65 * 0x1p24,
     0.85 * 0x1p24},
    /* The sum of three uniform on [0, 2^20) has the mean 1.5 of that; of 64, an error of 0.063. */
    {{.count = 1, .rows_most = 3, .features = revealing_rows},
     hidden_sum,
     1.8 * 0x1p20,
     2.2 * 0x1p20},
};

/* With features that reveal it the second plan is nearly the best of what the search meets; without
 * them it is at most as good as the first. */
static void check_features(const char *name, const char *changes, size_t batch,
                           const revelation *what)
{
    opevo_space *space = formula_space(large_space);
    opevo_feature_source source = what->source;
    opevo_tuner *blind = tuner_make(name, space, changes, 3);
    opevo_tuner *seeing = tuner_make(name, space, changes, 3);
    record without, with;

    source.context = space;
    CHECK_OK(opevo_tuner_use_features(seeing, &source, &err));
    run(blind, 3 * batch, what->fitness, &without);
    run(seeing, 3 * batch, what->fitness, &with);
    for (size_t i = 0; i < batch; i++)
        assert_true(with.proposals[i].point == without.proposals[i].point);
    assert_true(mean_fitness(&without, 2 * batch, batch) < what->blind);
    assert_true(mean_fitness(&with, 2 * batch, batch) > what->seeing);
    opevo_tuner_destroy(blind);
    opevo_tuner_destroy(seeing);
    opevo_space_destroy(space);
}

CHECK_TEST(test_features_of_the_objective)
{
    for (size_t i = 0; i < sizeof revelations / sizeof *revelations; i++) {
        check_features("autotvm", "", PLAN, &revelations[i]);
        check_features("ansor-knobs", "population=512 batch=64 warmup=0", PLAN, &revelations[i]);
        check_features("ansor", "population=512 warmup=0", PLAN, &revelations[i]);
    }
}

/* ---- The diversity filter ---- */

CHECK_TEST(test_diversity)
{
    /* Two parameters: the first of all gains 2, then (1,1) gains 2, then (0,2) gains 1 for its new
     * second vertex, before (0,1), which gains none. */
    static const opevo_index vertices[] = {0, 0, 0, 1, 0, 2, 1, 1};
    static const size_t expected[] = {0, 3, 2, 1};
    size_t chosen[4], scratch[4 * 3];

    opevo_i_tvm_pick_diverse(vertices, 4, 2, 4, chosen, scratch);
    assert_memory_equal(chosen, expected, sizeof chosen);
    opevo_i_tvm_pick_diverse(vertices, 4, 2, 2, chosen, scratch);
    assert_memory_equal(chosen, expected, 2 * sizeof *chosen);
}

/* ---- Evolution ---- */

/* The batch holds 61 of the best and 3 random points; it learns. */
static void check_batches(const char *name)
{
    opevo_space *space = formula_space(large_space);
    opevo_tuner *tuner = tuner_make(name, space, "", 3);
    record made;

    run(tuner, 5 * PLAN, fitness_of, &made);
    for (size_t batch = 0; batch < 5; batch++) {
        assert_int_equal(count_origin(&made, batch * PLAN, 61, "model"), 61);
        assert_int_equal(count_origin(&made, batch * PLAN + 61, 3, "random"), 3);
    }
    /* Scores are noise up to 100 trials, and then learned. */
    assert_true(mean_fitness(&made, 2 * PLAN, PLAN) > 3 * mean_fitness(&made, 0, PLAN));
    assert_true(mean_fitness(&made, 4 * PLAN, PLAN) > 3 * mean_fitness(&made, PLAN, PLAN));
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_batches_of_evolution)
{
    check_batches("ansor-knobs");
    check_batches("ansor");
}

/* From a population of one random point, most points of a small space are met by mutation, not by
 * the draw of that point: the list of the best is then two points, those that 20 mutations met. */
CHECK_TEST(test_mutation_covers_a_space)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [60, 3]},"
                                       " \"b\": {\"_type\": \"choice\", \"_value\": [0, 1]}}");
    opevo_tuner *tuner = tuner_make("ansor-knobs", space,
                                    "population=1 generations=20 mutation=1 batch=1 random=0", 3);
    size_t count = (size_t)opevo_space_size(space);
    size_t by_mutation = 0;
    record made;

    assert_true(count <= MOST);
    run(tuner, count, hidden, &made);
    by_mutation = count_origin(&made, 0, count, "model");
    assert_true(by_mutation > count / 2);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}
