/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs that learn from earlier ones in a store, and from features of their objective. */

#include "formula.h"

#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]}}";

enum { EARLIER = 80, TRIALS = 40 };

static void note_points(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_index *points = context;

    points[trial->number - 1] = trial->proposal.point;
}

typedef struct setup {
    opevo_space *space;
    formula objective;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_run_options options;
    scratch_folder scratch;
    opevo_store *store;
} setup;

static void use_tuner(setup *self, const char *name, const char *settings)
{
    CHECK_OK(opevo_tuner_find(name, &self->options.tuner, &err));
    formula_settings(self->options.tuner, settings, self->values);
    self->options.settings = self->values;
}

static void set_up(setup *self)
{
    *self = (setup){.space = formula_space(space_text), .scratch = scratch_make()};
    self->objective = formula_on(self->space, 1, 5);
    use_tuner(self, "autotvm", "history=10 plan=16");
    self->options.seed = 1;
    self->options.budget.trials = TRIALS;
    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->store, &err));
    self->options.store = self->store;
}

static void tear_down(setup *self)
{
    opevo_store_close(self->store);
    scratch_remove(&self->scratch);
    opevo_space_destroy(self->space);
}

static opevo_run_result run(setup *self, opevo_index *points)
{
    opevo_run_result result = {0};

    self->options.observer = points ? note_points : NULL;
    self->options.observer_context = points;
    CHECK_OK(opevo_run(&self->objective.super, &self->options, &result, &err));
    return result;
}

/* Run 1 of the store: uniform trials to learn from. They are read back into `earlier`. */
static void make_earlier(setup *self, opevo_trial *earlier)
{
    opevo_run_options options = {.seed = 9, .budget = {.trials = EARLIER}, .store = self->store};
    opevo_run_result result;
    uint64_t trials = 0;
    size_t count = 0;

    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_OK(opevo_run(&self->objective.super, &options, &result, &err));
    CHECK_OK(opevo_store_find(self->store, 1, self->space, &trials, &err));
    assert_int_equal(trials, EARLIER);
    CHECK_OK(opevo_store_read(self->store, 1, 0, earlier, EARLIER, &count, &err));
    assert_int_equal(count, EARLIER);
}

/* A run that learned is another run than one that did not, or that learned something else; each
 * resumes to what it would have been. */
static void check_identity(const char *name, const char *settings)
{
    opevo_trial earlier[EARLIER];
    opevo_index plain[TRIALS], taught[TRIALS], less[TRIALS], again[TRIALS];
    opevo_run_result result;
    setup self;

    set_up(&self);
    use_tuner(&self, name, settings);
    make_earlier(&self, earlier);
    run(&self, plain);
    self.options.earlier = earlier;
    self.options.earlier_count = EARLIER;
    self.options.budget.trials = TRIALS / 2;
    run(&self, NULL);
    self.options.budget.trials = TRIALS;
    result = run(&self, taught);
    assert_int_equal(result.resumed, TRIALS / 2);
    self.options.earlier_count = EARLIER - 1;
    result = run(&self, less);
    assert_int_equal(result.resumed, 0);
    assert_memory_not_equal(plain, taught, sizeof plain);
    assert_memory_not_equal(less, taught, sizeof less);
    self.options.store = NULL;
    self.options.earlier_count = EARLIER;
    run(&self, again);
    assert_memory_equal(again, taught, sizeof again);
    tear_down(&self);
}

CHECK_TEST(test_identity)
{
    check_identity("autotvm", "history=10 plan=16");
    check_identity("qgp", "");
    check_identity("ansor", "population=300 batch=16 warmup=10 trees=20");
}

CHECK_TEST(test_refused)
{
    opevo_space *other = formula_space("{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2]}}");
    opevo_trial earlier[EARLIER];
    opevo_run_result result;
    uint64_t trials = 7;
    setup self;

    set_up(&self);
    make_earlier(&self, earlier);
    CHECK_FAILS(OPEVO_INVALID, "has no run 2; opevo runs lists",
                opevo_store_find(self.store, 2, self.space, &trials, &err));
    CHECK_FAILS(OPEVO_MISMATCH, "another search space",
                opevo_store_find(self.store, 1, other, &trials, &err));
    assert_int_equal(trials, 7);
    self.options.earlier = earlier;
    self.options.earlier_count = EARLIER;
    use_tuner(&self, "opevo", "");
    CHECK_FAILS(OPEVO_INVALID, "opevo cannot learn",
                opevo_run(&self.objective.super, &self.options, &result, &err));
    opevo_space_destroy(other);
    tear_down(&self);
}

static size_t point_itself(void *context, opevo_index point, float *features)
{
    features[0] = (float)(opevo_hash_mix((uint64_t)point) >> 40);
    return 1;
}

/* The run loop hands the objective's features to the tuner: its first plan is what it was, the
 * later ones are not. */
CHECK_TEST(test_features_reach_the_tuner)
{
    opevo_feature_source source = {.count = 1, .rows_most = 1, .features = point_itself};
    opevo_index plain[TRIALS], with[TRIALS];
    setup self;

    set_up(&self);
    self.options.store = NULL;
    run(&self, plain);
    self.objective.super.features = &source;
    run(&self, with);
    assert_memory_equal(plain, with, 16 * sizeof *plain);
    assert_memory_not_equal(plain, with, sizeof plain);
    tear_down(&self);
}
