/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies that add seeds until their tuners are told apart: what they infer, by hand from the
 * trials; which runs they make, whether they are interrupted or not; what is refused. */

#include "../evo/formula.h"
#include "../evo/scratch_folder.h"

#include <opevo/memory.h>
#include <opevo/study_until.h>

enum { TRIALS = 4, FIRST = 3, LINES = 4, ROWS_MOST = 4000 };

/* random and grid are told apart, random and random with another budget would not be compared. */
static const char plan_text[] =
    "{\"study\": 1, \"objectives\": [\"one\"], \"tuners\": [\"random\", \"grid\","
    " {\"tuner\": \"opevo\", \"settings\": {\"lambda\": [2, 8]}}], \"budget\": {\"trials\": 4},"
    " \"seeds\": 3}";

typedef struct setup {
    opevo_space *space;
    formula formula;
    scratch_folder folder;
} setup;

/* A landscape whose first points, which grid search takes, are poor. */
static void set_up(setup *self)
{
    *self =
        (setup){.space = formula_space("{\"x\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, "
                                       "3, 4, 5, 6, 7, 8, 9, 10, 11]}, \"y\": {\"_type\": "
                                       "\"discrete\", \"_value\": [0, 1, 2, 3, 4]}}"),
                .folder = scratch_make()};
    for (uint64_t salt = 1; salt < 1000; salt++) {
        double best = 0;

        self->formula = formula_on(self->space, salt, 0);
        for (opevo_index point = 0; point < TRIALS; point++)
            best = fmax(best, formula_outcome(&self->formula, point).fitness);
        if (best < 6000)
            break;
    }
    self->formula.super.name = "one";
}

static void tear_down(setup *self)
{
    opevo_space_destroy(self->space);
    scratch_remove(&self->folder);
}

static opevo_study *make_study(setup *self, const char *text)
{
    opevo_study_objective objective = {.objective = &self->formula.super, .note.optimum = NAN};
    opevo_study *study = NULL;
    opevo_plan *plan = NULL;
    char path[80];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/plan.json", self->folder.path);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK_OK(opevo_plan_load(path, &plan, &err));
    CHECK_OK(opevo_study_create(plan, &objective, &study, &err));
    return study;
}

typedef struct stopper {
    opevo_interrupt interrupt;
    uint64_t left;
} stopper;

static void count_down(void *context, const opevo_study_progress *progress)
{
    stopper *self = context;

    if (progress->done && self->left && --self->left == 0)
        opevo_interrupt_raise(&self->interrupt);
}

/* A study into the store of that name; stopped after `stop` runs, unless that is 0. */
static opevo_until_result run_until(setup *self, const char *text, const char *name, size_t most,
                                    uint64_t stop)
{
    stopper stopped = {.left = stop};
    char path[80];
    opevo_study_options options = {.store = path,
                                   .threads = 1,
                                   .progress = count_down,
                                   .progress_context = &stopped,
                                   .interrupt = &stopped.interrupt};
    opevo_study *study = make_study(self, text);
    opevo_until_result result;

    snprintf(path, sizeof path, "%s/%s", self->folder.path, name);
    CHECK_OK(opevo_study_until(study, &options, 0.05, most, &result, &err));
    opevo_study_destroy(study);
    return result;
}

/* ---- What a store has ---- */

typedef struct row {
    char key[160]; /* tuner, settings and seed */
    double best;
} row;

typedef struct rows {
    row all[ROWS_MOST];
    size_t count;
} rows;

static void note_row(void *context, const opevo_run_info *info)
{
    rows *self = context;

    assert_true(self->count < ROWS_MOST);
    snprintf(self->all[self->count].key, sizeof self->all->key, "%lld %s %s %llu %llu",
             (long long)info->run, info->tuner, info->settings, (unsigned long long)info->seed,
             (unsigned long long)info->trials);
    self->all[self->count++].best = info->best_fitness;
}

static void read_rows(const setup *self, const char *name, rows *out)
{
    opevo_store *store = NULL;
    bool looked = false;
    char path[80];

    out->count = 0;
    snprintf(path, sizeof path, "%s/%s", self->folder.path, name);
    CHECK_OK(opevo_store_open(path, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_list(store, note_row, out, &err));
    CHECK_OK(opevo_store_is_looked(store, &looked, &err));
    assert_true(looked);
    opevo_store_close(store);
}

/* The best of the runs of a line, by their seeds, and how many there are. */
static size_t best_of(const rows *stored, const opevo_study_line *line, double *best)
{
    size_t count = 0;

    for (size_t i = 0; i < stored->count; i++) {
        char name[160];

        snprintf(name, sizeof name, " %s %s %zu %d", line->tuner->name, line->settings_text,
                 count + 1, TRIALS);
        for (size_t k = 0; k < stored->count; k++) {
            if (strcmp(strchr(stored->all[k].key, ' '), name) != 0)
                continue;
            best[count++] = stored->all[k].best;
            break;
        }
    }
    return count;
}

/* Each pair's p is that of the seeds that both lines have, Holm's that of all pairs, a pair is
 * resolved if it is at most alpha, and whose pairs are all resolved gets no more seeds. */
CHECK_TEST(test_what_is_inferred)
{
    enum { MOST = 60, COUNT = LINES * (LINES - 1) / 2 };
    static rows stored;
    double best[LINES][ROWS_MOST], p[COUNT], adjusted[COUNT];
    size_t seeds[LINES], resolved = 0, least = MOST;
    opevo_until_result result;
    opevo_study *study = NULL;
    setup self;

    set_up(&self);
    result = run_until(&self, plan_text, "a.db", MOST, 0);
    study = make_study(&self, plan_text);
    read_rows(&self, "a.db", &stored);
    for (size_t i = 0; i < LINES; i++) {
        seeds[i] = best_of(&stored, &study->lines[i], best[i]);
        least = seeds[i] < least ? seeds[i] : least;
    }
    assert_int_equal(result.pair_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const opevo_until_pair *pair = &result.pairs[i];
        size_t both = seeds[pair->a] < seeds[pair->b] ? seeds[pair->a] : seeds[pair->b];
        opevo_anytime test;

        assert_int_equal(pair->test.pairs, both);
        CHECK_OK(opevo_anytime_test(best[pair->a], best[pair->b], both, &test, &err));
        assert_true(test.p == pair->test.p);
        p[i] = test.p;
    }
    CHECK_OK(opevo_holm_adjust(p, COUNT, adjusted, &err));
    for (size_t i = 0; i < COUNT; i++) {
        const opevo_until_pair *pair = &result.pairs[i];
        bool with_grid = pair->a == 1 || pair->b == 1;

        assert_true(adjusted[i] == pair->p_adjusted);
        assert_int_equal(pair->verdict != OPEVO_VERDICT_UNRESOLVED, adjusted[i] <= 0.05);
        assert_true(with_grid == (pair->verdict != OPEVO_VERDICT_UNRESOLVED));
        if (with_grid)
            assert_int_equal(pair->verdict,
                             pair->a == 1 ? OPEVO_VERDICT_WORSE : OPEVO_VERDICT_BETTER);
        else
            assert_true(seeds[pair->a] == MOST && seeds[pair->b] == MOST);
        resolved += pair->verdict != OPEVO_VERDICT_UNRESOLVED;
    }
    assert_int_equal(result.resolved, resolved);
    assert_true(seeds[1] < MOST && seeds[1] == least && result.seeds == MOST);
    assert_int_equal(result.runs.runs, stored.count);
    opevo_until_result_free(&result);
    opevo_study_destroy(study);
    tear_down(&self);
}

/* However often a study is stopped, and whether its limit is raised, its store has the runs of one
 * that was not, with the same numbers; once more adds none. */
CHECK_TEST(test_resumes)
{
    static rows whole, parts;
    opevo_until_result result;
    bool over = false;
    setup self;

    set_up(&self);
    result = run_until(&self, plan_text, "whole.db", 30, 0);
    opevo_until_result_free(&result);
    read_rows(&self, "whole.db", &whole);
    for (size_t call = 0; !over && call < 100; call++) {
        result = run_until(&self, plan_text, "parts.db", call < 3 ? 8 : 30, 7);
        over = call >= 3 && !result.runs.interrupted;
        opevo_until_result_free(&result);
    }
    assert_true(over);
    result = run_until(&self, plan_text, "parts.db", 30, 0);
    assert_int_equal(result.runs.ran, 0);
    assert_int_equal(result.runs.present, whole.count);
    opevo_until_result_free(&result);
    read_rows(&self, "parts.db", &parts);
    assert_int_equal(parts.count, whole.count);
    for (size_t i = 0; i < whole.count; i++) {
        assert_string_equal(parts.all[i].key, whole.all[i].key);
        assert_true(parts.all[i].best == whole.all[i].best);
    }
    tear_down(&self);
}

/* Twins have the seeds of their lines, and are in no pair. */
CHECK_TEST(test_twins_follow)
{
    static const char text[] =
        "{\"study\": 1, \"objectives\": [\"one\"], \"tuners\": [\"random\", \"grid\"],"
        " \"budget\": {\"trials\": 4}, \"seeds\": 3, \"null\": true}";
    static rows stored;
    opevo_until_result result;
    size_t twins = 0;
    setup self;

    set_up(&self);
    result = run_until(&self, text, "a.db", 60, 0);
    read_rows(&self, "a.db", &stored);
    for (size_t i = 0; i < stored.count; i++)
        twins += strstr(stored.all[i].key, OPEVO_TWIN_WORD) != NULL;
    assert_true(result.pair_count == 1 && result.resolved == 1 && result.seeds < 60);
    assert_int_equal(stored.count, 4 * result.seeds);
    assert_int_equal(twins, 2 * result.seeds);
    opevo_until_result_free(&result);
    tear_down(&self);
}

CHECK_TEST(test_refusals)
{
    static const struct {
        const char *budget, *seeds, *words;
    } cases[] = {{"{\"seconds\": 1}", "3", "give trials, and no seconds"},
                 {"{\"trials\": 4, \"seconds\": 1}", "3", "give trials, and no seconds"},
                 {"[{\"trials\": 4}, {\"trials\": 5}]", "3", "have one budget"},
                 {"{\"trials\": 4}", "[1, 3]", "seeds: more of them can be added only"}};
    setup self;

    set_up(&self);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        opevo_study_options options = {.store = self.folder.file};
        opevo_until_result result;
        opevo_study *study = NULL;

        snprintf(text, sizeof text,
                 "{\"study\": 1, \"objectives\": [\"one\"], \"tuners\": [\"random\", \"grid\"],"
                 " \"budget\": %s, \"seeds\": %s}",
                 cases[i].budget, cases[i].seeds);
        study = make_study(&self, text);
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_study_until(study, &options, 0.05, 20, &result, &err));
        opevo_until_result_free(&result);
        opevo_study_destroy(study);
    }
    assert_int_equal(access(self.folder.file, F_OK), -1); /* nothing is written */
    tear_down(&self);
}
