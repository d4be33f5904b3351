/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies: on any number of threads, in shares, and when the plan grows, the store holds in the end
 * what one process would have written, and the trials are those of the runs one by one. */

#include "study_fixture.h"

#include <opevo/tuners.h>

/* The same with more seeds, another tuner and another budget. */
static const char longer_text[] =
    "{\"study\": 1, \"objectives\": [\"small\", \"large\"], \"tuners\": [\"random\", {\"tuner\":"
    " \"opevo\", \"settings\": {\"q\": [0.2, 0.6]}}, \"kt-genetic\"], \"topologies\": {\"*factor\":"
    " [\"prime-move\", \"any-divisor\"]}, \"budget\": [{\"trials\": 40}, {\"trials\": 60,"
    " \"seconds\": 2}], \"seeds\": 9}";

/* ---- The runs ---- */

typedef struct recording {
    opevo_trial trials[64];
    size_t count;
} recording;

static void record(void *context, const opevo_trial *trial, bool resumed)
{
    recording *self = context;

    assert_true(self->count < 64);
    self->trials[self->count++] = *trial;
}

static void check_trial(const opevo_trial *stored, const opevo_trial *wanted)
{
    const opevo_outcome *a = &stored->outcome;
    const opevo_outcome *b = &wanted->outcome;

    assert_true(stored->number == wanted->number);
    assert_true(stored->proposal.point == wanted->proposal.point);
    assert_string_equal(stored->proposal.origin, wanted->proposal.origin);
    assert_true(a->kind == b->kind && a->fitness == b->fitness && a->build_s == b->build_s &&
                a->run_s == b->run_s && a->check_s == b->check_s && a->other_s == b->other_s);
    assert_true(a->time_s == b->time_s || (isnan(a->time_s) && isnan(b->time_s)));
}

/* The samples and the message that a packed run has of a trial. */
static void check_details(opevo_store *store, int64_t run, opevo_trial *stored,
                          const opevo_trial *wanted)
{
    const opevo_outcome *a = &stored->outcome;
    const opevo_outcome *b = &wanted->outcome;

    CHECK_OK(opevo_store_read_details(store, run, stored, &err));
    assert_int_equal(a->sample_count, b->sample_count);
    assert_true(!a->message == !b->message);
    if (b->message)
        assert_string_equal(a->message, b->message);
    if (b->sample_count)
        assert_memory_equal(a->samples_s, b->samples_s, b->sample_count * sizeof(double));
}

/* A run of the study alone, against what the store gives back, whole and in pieces. */
static void check_run(opevo_store *store, const opevo_study *study, uint64_t number)
{
    static recording alone;
    static opevo_trial stored[64];
    const opevo_study_line *line = &study->lines[number % study->line_count];
    opevo_run_result result;
    opevo_run_options options = {.tuner = line->tuner,
                                 .settings = line->settings,
                                 .seed = study->seeds[number / study->line_count],
                                 .budget = line->budget,
                                 .observer = record,
                                 .observer_context = &alone};
    int64_t run = (int64_t)number + 1;
    uint64_t trials = 0;
    size_t count = 0;

    alone.count = 0;
    CHECK_OK(opevo_run(line->objective, &options, &result, &err));
    CHECK_OK(opevo_store_find(store, run, line->objective->space, &trials, &err));
    assert_int_equal(trials, alone.count);
    CHECK_OK(opevo_store_read(store, run, 0, stored, 64, &count, &err));
    assert_int_equal(count, alone.count);
    for (size_t i = 0; i < count; i++)
        check_trial(&stored[i], &alone.trials[i]);
    for (uint64_t after = 1; after < alone.count; after = 2 * after + 1) {
        CHECK_OK(opevo_store_read(store, run, after, stored, 3, &count, &err));
        assert_int_equal(count, alone.count - after < 3 ? alone.count - after : 3);
        for (size_t i = 0; i < count; i++)
            check_trial(&stored[i], &alone.trials[after + i]);
        check_details(store, run, &stored[count - 1], &alone.trials[after + count - 1]);
        check_details(store, run, &stored[0], &alone.trials[after]);
    }
    CHECK_OK(opevo_store_read(store, run, trials, stored, 3, &count, &err));
    assert_int_equal(count, 0);
}

typedef struct listing {
    const opevo_study *study;
    uint64_t count;
} listing;

static void check_listed(void *context, const opevo_run_info *info)
{
    listing *self = context;
    const opevo_study_line *line = &self->study->lines[self->count % self->study->line_count];
    opevo_run_result result;
    opevo_run_options options = {.tuner = line->tuner,
                                 .settings = line->settings,
                                 .seed = self->study->seeds[self->count / self->study->line_count],
                                 .budget = line->budget};
    opevo_text best = {0};

    CHECK_OK(opevo_run(line->objective, &options, &result, &err));
    assert_int_equal(info->run, ++self->count);
    assert_int_equal(info->seed, options.seed);
    assert_string_equal(info->objective, line->objective->name);
    assert_string_equal(info->tuner, line->tuner->name);
    assert_string_equal(info->settings, line->settings_text);
    assert_string_equal(info->budget, line->budget_text);
    assert_string_equal(info->stop, opevo_stop_name(result.stop));
    assert_string_equal(info->on, line->note.on);
    assert_string_equal(info->what, "");
    assert_string_equal(info->started, "");
    assert_true(info->optimum == line->note.optimum ||
                (isnan(info->optimum) && line->note.optimum == 0));
    assert_true(info->trials == result.trials && info->failed == result.failed &&
                info->cost_s == result.cost_s && info->best_trial == result.best.number &&
                info->best_fitness == result.best.outcome.fitness);
    opevo_space_print(line->objective->space, result.best.proposal.point, &best);
    assert_string_equal(info->best_text, opevo_text_string(&best));
    opevo_text_free(&best);
}

CHECK_TEST(test_the_runs_are_those_of_opevo_run)
{
    static setup self;
    opevo_store *store = NULL;
    listing list = {NULL, 0};
    opevo_study_result result;

    set_up(&self, PLAN_TEXT);
    list.study = self.study;
    result = fixture_run(self.study, (opevo_study_options){.store = self.store.text, .threads = 2});
    assert_int_equal(result.ran, opevo_study_run_count(self.study));
    assert_int_equal(result.present, 0);
    CHECK_OK(opevo_store_open(self.store.text, OPEVO_STORE_READ, &store, &err));
    for (uint64_t k = 0; k < opevo_study_run_count(self.study); k++)
        check_run(store, self.study, k);
    CHECK_OK(opevo_store_list(store, check_listed, &list, &err));
    assert_int_equal(list.count, opevo_study_run_count(self.study));
    opevo_store_close(store);
    tear_down(&self);
}

CHECK_TEST(test_threads_change_nothing)
{
    static setup self;
    fixture_path other;
    opevo_study_result result;

    set_up(&self, PLAN_TEXT);
    other = fixture_file(&self.fixture, "other.db");
    fixture_run(self.study, (opevo_study_options){.store = self.store.text, .threads = 1});
    fixture_run(self.study, (opevo_study_options){.store = other.text, .threads = 4});
    check_same_stores(self.store.text, other.text);
    result = fixture_run(self.study, (opevo_study_options){.store = other.text});
    assert_true(result.ran == 0 && result.present == result.runs && result.trials == 0);
    check_same_stores(self.store.text, other.text);
    tear_down(&self);
}

/* What progress has been told: nothing is done at first, and then one run after the other. */
typedef struct told {
    uint64_t calls, runs, trials;
} told;

static void note_progress(void *context, const opevo_study_progress *progress)
{
    told *self = context;

    assert_true(progress->done == self->calls++ && progress->trials >= self->trials);
    self->runs = progress->runs;
    self->trials = progress->trials;
}

CHECK_TEST(test_progress)
{
    static setup self;
    told heard = {0, 0, 0};
    opevo_study_result result;

    set_up(&self, PLAN_TEXT);
    result = fixture_run(self.study, (opevo_study_options){.store = self.store.text,
                                                           .threads = 2,
                                                           .progress = note_progress,
                                                           .progress_context = &heard});
    assert_true(heard.calls == result.ran + 1 && heard.runs == result.ran);
    assert_true(heard.trials == result.trials);
    tear_down(&self);
}

/* ---- Shares ---- */

CHECK_TEST(test_shares_joined)
{
    static setup self;
    fixture_path parts[3];
    fixture_path joined;
    /* cppcheck-suppress uninitvar ; addresses */
    const char *sources[3] = {parts[2].text, parts[0].text, parts[1].text};
    opevo_merge_result result;
    uint64_t first = 0;

    set_up(&self, PLAN_TEXT);
    joined = fixture_file(&self.fixture, "joined.db");
    fixture_run(self.study, (opevo_study_options){.store = self.store.text, .threads = 2});
    for (uint32_t i = 0; i < 3; i++) {
        char name[16];

        snprintf(name, sizeof name, "part%u.db", i);
        parts[i] = fixture_file(&self.fixture, name);
        fixture_run(self.study,
                    (opevo_study_options){.store = parts[i].text, .shard = {i, 3}, .threads = 2});
    }
    result = merge(&self, joined.text, sources, 2);
    while (!opevo_shard_has((opevo_shard){1, 3}, self.study, first))
        first++;
    assert_int_equal(result.first_missing, first);
    assert_int_equal(result.present, result.added);
    assert_true(result.present < result.runs);
    result = merge(&self, joined.text, sources, 3);
    assert_true(result.present == result.runs && result.added < result.runs && result.added > 0);
    check_same_stores(self.store.text, joined.text);
    result = merge(&self, joined.text, sources, 3);
    assert_true(result.present == result.runs && result.added == 0);
    check_same_stores(self.store.text, joined.text);
    /* A store that goes on where the joined one is needs nothing any more. */
    assert_int_equal(fixture_run(self.study, (opevo_study_options){.store = joined.text}).present,
                     result.runs);
    tear_down(&self);
}

/* ---- A plan that grows ---- */

typedef struct identities {
    char text[1024][256];
    size_t count;
} identities;

static void note_identity(void *context, const opevo_run_info *info)
{
    identities *self = context;

    assert_true(self->count < 1024 && info->run > 0 && info->run < 1024);
    snprintf(self->text[info->run], 256, "%s %s %s %llu %s %.17g", info->objective, info->tuner,
             info->settings, (unsigned long long)info->seed, info->budget, info->best_fitness);
    self->count++;
}

static void list_identities(const char *path, identities *out)
{
    opevo_store *store = NULL;

    memset(out, 0, sizeof *out);
    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_list(store, note_identity, out, &err));
    opevo_store_close(store);
}

CHECK_TEST(test_a_plan_that_grows)
{
    static setup self;
    static identities before;
    static identities after;
    fixture_path part;
    fixture_path joined;
    opevo_study *longer = NULL;
    opevo_study_result result;
    opevo_merge_result merged;
    const char *sources[2] = {NULL, NULL};

    set_up(&self, PLAN_TEXT);
    CHECK_OK(fixture_study(&self.fixture, longer_text, &longer, &err));
    part = fixture_file(&self.fixture, "part.db");
    joined = fixture_file(&self.fixture, "joined.db");
    fixture_run(self.study, (opevo_study_options){.store = self.store.text, .threads = 2});
    fixture_run(self.study, (opevo_study_options){.store = joined.text, .threads = 2});
    list_identities(self.store.text, &before);
    /* A share does not do again what the store before has. */
    result = fixture_run(
        longer, (opevo_study_options){.store = part.text, .known = joined.text, .shard = {1, 2}});
    assert_true(result.present > 0 && result.ran == result.runs - result.present);
    result = fixture_run(longer, (opevo_study_options){.store = self.store.text, .threads = 2});
    assert_int_equal(result.present, before.count);
    assert_int_equal(result.ran, opevo_study_run_count(longer) - before.count);
    list_identities(self.store.text, &after);
    assert_int_equal(after.count, opevo_study_run_count(longer));
    for (size_t run = 1; run <= before.count; run++)
        assert_string_equal(before.text[run], after.text[run]);
    /* The other half, then together: as if one process had done it. */
    fixture_run(longer, (opevo_study_options){.store = self.store.text});
    sources[0] = part.text;
    sources[1] = self.store.text;
    CHECK_OK(opevo_study_merge(longer, joined.text, sources, 2, &merged, &err));
    assert_int_equal(merged.present, merged.runs);
    check_same_stores(self.store.text, joined.text);
    opevo_study_destroy(longer);
    tear_down(&self);
}

/* ---- Measured objectives ---- */

CHECK_TEST(test_measured_runs)
{
    static const char text[] =
        "{\"study\": 1, \"objectives\": [\"device\", \"small\"], \"tuners\": [\"random\","
        " \"opevo\"], \"budget\": {\"trials\": 30}, \"seeds\": 3}";
    static const char more_text[] =
        "{\"study\": 1, \"objectives\": [\"device\", \"small\"], \"tuners\": [\"random\","
        " \"opevo\"], \"budget\": {\"trials\": 40}, \"seeds\": 3}";
    static setup self;
    static identities list;
    opevo_study *more = NULL;
    formula *device = &self.fixture.formulas[2];
    opevo_study_options options = {.threads = 1};
    opevo_study_result result;

    set_up(&self, text);
    options.store = self.store.text;
    CHECK_OK(fixture_study(&self.fixture, more_text, &more, &err));
    device->error_after = 75;
    CHECK_FAILS(OPEVO_IO, "The formula broke.",
                opevo_study_run(self.study, &options, &result, &err));
    device->error_after = 0;
    device->evaluated = 0;
    result = fixture_run(self.study, (opevo_study_options){.store = self.store.text});
    assert_int_equal(device->evaluated, 6 * 30 - 75); /* none was measured twice */
    assert_true(result.present == 6 + 2 && result.ran == 4);
    device->evaluated = 0;
    result = fixture_run(self.study, (opevo_study_options){.store = self.store.text});
    assert_true(result.present == 12 && result.ran == 0 && device->evaluated == 0);
    /* A larger budget goes on with what was measured, and computes the others anew. */
    result = fixture_run(more, (opevo_study_options){.store = self.store.text});
    assert_int_equal(device->evaluated, 6 * 10);
    assert_true(result.ran == 12 && result.present == 0);
    list_identities(self.store.text, &list);
    assert_int_equal(list.count, 6 + 6 + 6);
    opevo_study_destroy(more);
    tear_down(&self);
}

CHECK_TEST(test_estimate)
{
    static setup self;
    opevo_study_estimate estimate;
    opevo_study_options options = {.threads = 2};

    set_up(&self, PLAN_TEXT);
    CHECK_OK(opevo_study_estimate_time(self.study, &options, .01, &estimate, &err));
    assert_int_equal(estimate.runs, opevo_study_run_count(self.study));
    assert_true(estimate.present == 0 && estimate.measured == 0 && estimate.sampled >= 3);
    assert_true(estimate.low >= 0 && estimate.low <= estimate.seconds &&
                estimate.seconds <= estimate.high && estimate.seconds > 0);
    options.store = self.store.text;
    fixture_run(self.study, options);
    CHECK_OK(opevo_study_estimate_time(self.study, &options, .01, &estimate, &err));
    assert_true(estimate.present == estimate.runs && estimate.seconds == 0 && estimate.high == 0);
    tear_down(&self);
}
