/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs on a domain that is not a space: nothing between the tuner and the store takes a candidate
 * for a point. Its texts are in the store with its trials, whatever happens to the run. */

#include "edit_domain.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "scratch_folder.h"
#include "store_content.h"

enum { TRIALS = 120, SETTINGS_MOST = 32 };

static const char *const able[] = {"climb", "nsga2", "random"};
enum { ABLE = sizeof able / sizeof *able };

typedef struct setup {
    edit_domain domain;
    edit_objective objective;
    opevo_setting_value values[SETTINGS_MOST];
    opevo_run_options options;
    scratch_folder scratch;
} setup;

static void set_up(setup *self, const char *tuner, bool concurrent)
{
    *self = (setup){.domain = edit_domain_make(), .scratch = scratch_make()};
    self->objective = edit_objective_on(&self->domain, concurrent);
    CHECK_OK(opevo_tuner_find(tuner, &self->options.tuner, &err));
    opevo_settings_default(self->options.tuner, self->values);
    if (!strcmp(tuner, "nsga2"))
        CHECK_OK(opevo_settings_set(self->options.tuner, "population=20", self->values, &err));
    self->options.settings = self->values;
    self->options.seed = 1;
    self->options.threads = 2;
    self->options.budget.trials = TRIALS;
}

/* As a new process would begin: the domain has met nothing. */
static void forget(setup *self)
{
    opevo_domain_destroy(&self->domain.super);
    self->domain = edit_domain_make();
}

static void tear_down(setup *self)
{
    scratch_remove(&self->scratch);
    opevo_domain_destroy(&self->domain.super);
}

static opevo_status run(setup *self, opevo_run_result *result, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(self->scratch.file, OPEVO_STORE_WRITE, &self->options.store, err));
    OPEVO_TRY(opevo_run(&self->objective.super, &self->options, result, err));
cleanup:
    opevo_store_close(self->options.store);
    self->options.store = NULL;
    return status;
}

CHECK_TEST(test_domain)
{
    static const char *const bad[] = {"",      "[",       "[2a",     "[2c]",  "[12a]",    "[2z]",
                                      "[02a]", "[2a 1c]", "[2a 2b]", "2a",    "[2a,3b]",  "[ 2a]",
                                      "[2a]]", "[2a ]",   "[-1a]",   "[+2a]", "[2a  3b]", "[2]"};
    edit_domain domain = edit_domain_make();
    opevo_text text = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 300; i++) {
        opevo_index candidate = 0;
        opevo_index other = 0;
        opevo_index again = 0;

        CHECK_OK(opevo_domain_sample(&domain.super, &rng, &candidate, &err));
        CHECK_OK(opevo_domain_mutate(&domain.super, candidate, 0.5, &rng, &other, &err));
        CHECK_OK(opevo_domain_cross(&domain.super, candidate, other, &rng, &candidate, &err));
        opevo_text_clear(&text);
        assert_true(opevo_domain_print(&domain.super, candidate, &text));
        CHECK_OK(opevo_domain_parse(&domain.super, opevo_text_string(&text), &again, &err));
        assert_true(again == candidate);
        assert_int_equal(opevo_domain_features(&domain.super, candidate, NULL), 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_index candidate = 77;

        CHECK_FAILS(OPEVO_INVALID, "not a list of edits",
                    opevo_domain_parse(&domain.super, bad[i], &candidate, &err));
        assert_true(candidate == 77);
    }
    opevo_text_free(&text);
    opevo_domain_destroy(&domain.super);
}

/* Each candidate of the store has its text there, which is that of its number. */
static void check_texts(const setup *self, size_t wanted)
{
    edit_domain domain = edit_domain_make();
    opevo_trial trials[TRIALS];
    opevo_store *store = NULL;
    opevo_text text = {0};
    size_t count = 0;

    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, TRIALS, &count, &err));
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++) {
        opevo_index candidate = 0;

        opevo_text_clear(&text);
        CHECK_OK(opevo_store_candidate(store, 1, trials[i].proposal.point, &text, &err));
        CHECK_OK(opevo_domain_parse(&domain.super, opevo_text_string(&text), &candidate, &err));
        assert_true(candidate == trials[i].proposal.point);
        assert_true(edit_outcome(opevo_text_string(&text)).fitness == trials[i].outcome.fitness);
    }
    opevo_text_clear(&text);
    CHECK_OK(opevo_store_candidate(store, 1, 12345, &text, &err));
    assert_int_equal(text.length, 0);
    opevo_text_free(&text);
    opevo_store_close(store);
    opevo_domain_destroy(&domain.super);
}

/* Cut into steps, and resumed by a domain that has met nothing, a run leaves the store of one that
 * was never cut. */
CHECK_TEST(test_runs_are_stored_and_resumed)
{
    opevo_text whole = {0};
    opevo_text cut = {0};

    for (size_t t = 0; t < ABLE; t++) {
        for (int concurrent = 0; concurrent < 2; concurrent++) {
            opevo_run_result result = {.trials = 0};
            setup self;

            set_up(&self, able[t], concurrent);
            CHECK_OK(run(&self, &result, &err));
            assert_true(result.trials == TRIALS && result.failed > 0);
            check_texts(&self, TRIALS);
            store_content(self.scratch.file, &whole);
            scratch_empty(&self.scratch);
            for (size_t trials = 0; trials < TRIALS; trials += 50) {
                opevo_session *session = NULL;
                bool over = false;

                forget(&self);
                self.objective.evaluated = 0;
                CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &self.options.store,
                                          &err));
                CHECK_OK(
                    opevo_session_create(&self.objective.super, &self.options, &session, &err));
                while (!over && opevo_session_result(session)->trials < trials + 50)
                    CHECK_OK(opevo_session_step(session, 10, &over, &err));
                CHECK_OK(opevo_session_end(session, &result, &err));
                opevo_store_close(self.options.store);
                self.options.store = NULL;
                assert_int_equal(result.resumed, trials);
                assert_int_equal(self.objective.evaluated, result.trials - trials);
                check_texts(&self, result.trials);
            }
            store_content(self.scratch.file, &cut);
            assert_string_equal(opevo_text_string(&whole), opevo_text_string(&cut));
            tear_down(&self);
        }
    }
    opevo_text_free(&whole);
    opevo_text_free(&cut);
}

/* In a process of its own; killed after `after_us`. True when the run ended before that. */
static bool run_and_kill(setup *self, long after_us)
{
    struct timespec wait = {after_us / 1000000, after_us % 1000000 * 1000};
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        opevo_run_result result;

        _exit(run(self, &result, NULL) == OPEVO_OK ? 0 : 3);
    }
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return false;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return true;
}

/* 12 kills at random moments. */
CHECK_TEST(test_texts_survive_kills)
{
    opevo_text whole = {0};
    opevo_text killed = {0};
    int kills = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int round = 0; kills < 12; round++) {
        opevo_run_result result;
        setup self;

        assert_true(round < 100);
        set_up(&self, able[round % ABLE], round / ABLE % 2);
        CHECK_OK(run(&self, &result, &err));
        store_content(self.scratch.file, &whole);
        scratch_empty(&self.scratch);
        forget(&self);
        self.objective.delay_ns = 100000;
        while (!run_and_kill(&self, (long)opevo_rng_below(&rng, 40000)))
            kills++;
        check_texts(&self, TRIALS);
        store_content(self.scratch.file, &killed);
        assert_string_equal(opevo_text_string(&whole), opevo_text_string(&killed));
        tear_down(&self);
    }
    opevo_text_free(&whole);
    opevo_text_free(&killed);
}

/* With one criterion it is a plain genetic algorithm; with two it trades letters for edits. */
CHECK_TEST(test_search)
{
    const opevo_criteria both = {.count = 2,
                                 .chosen = {{.index = 0, .larger_is_better = true}, {.index = 1}}};
    opevo_run_result random = {.trials = 0};

    for (int criteria = 0; criteria < 2; criteria++) {
        opevo_run_result result = {.trials = 0};
        setup self;

        set_up(&self, "nsga2", true);
        self.options.criteria = criteria ? &both : NULL;
        self.options.budget.trials = 1500;
        CHECK_OK(opevo_run(&self.objective.super, &self.options, &result, &err));
        assert_true(result.best.outcome.fitness == 1 + EDIT_PLACES);
        tear_down(&self);
        set_up(&self, "random", true);
        self.options.budget.trials = 1500;
        CHECK_OK(opevo_run(&self.objective.super, &self.options, &random, &err));
        assert_true(random.best.outcome.fitness < 1 + EDIT_PLACES);
        tear_down(&self);
    }
}

/* Nothing is written for a tuner that needs a space. */
CHECK_TEST(test_tuners_that_need_a_space_are_refused)
{
    size_t refused = 0;

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        opevo_run_result result = {.trials = 99};
        char sentence[128];
        setup self;

        set_up(&self, ops->name, true);
        self.options.budget.trials = 5;
        if (ops->create_on) {
            CHECK_OK(run(&self, &result, &err));
        } else {
            uint64_t planned = 0;

            snprintf(sentence, sizeof sentence,
                     "The tuner %s needs a search space and does not support the edits of",
                     ops->name);
            CHECK_FAILS(OPEVO_INVALID, sentence, run(&self, &result, &err));
            assert_int_equal(result.trials, 99);
            CHECK_OK(
                opevo_store_open(self.scratch.file, OPEVO_STORE_READ, &self.options.store, &err));
            CHECK_OK(opevo_store_planned(self.options.store, &planned, &err));
            CHECK_FAILS(OPEVO_INVALID, "has no run 1",
                        opevo_store_find(self.options.store, 1, NULL, &planned, &err));
            opevo_store_close(self.options.store);
            refused++;
        }
        tear_down(&self);
    }
    assert_int_equal(refused, opevo_tuner_count() - ABLE);
}

static void look(void *context, const opevo_run_info *info)
{
    assert_int_equal(info->trials, TRIALS);
    opevo_text_add(context, info->best_text);
}

/* A listing shows the text of the best candidate; such a run has no space. */
CHECK_TEST(test_listing)
{
    opevo_run_result result = {.trials = 0};
    opevo_text best = {0};
    opevo_text right = {0};
    opevo_store *store = NULL;
    opevo_space *space = NULL;
    setup self;

    set_up(&self, "nsga2", true);
    CHECK_OK(run(&self, &result, &err));
    assert_true(opevo_domain_print(&self.domain.super, result.best.proposal.point, &right));
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_list(store, look, &best, &err));
    assert_string_equal(opevo_text_string(&best), opevo_text_string(&right));
    CHECK_OK(opevo_store_space(store, 1, &space, &err));
    assert_null(space);
    opevo_store_close(store);
    opevo_text_free(&best);
    opevo_text_free(&right);
    tear_down(&self);
}

/* A stored trial that the tuner does not propose is named by its texts. */
CHECK_TEST(test_other_trials_are_refused)
{
    opevo_run_result result = {.trials = 0};
    opevo_store *store = NULL;
    opevo_trial trial = {.number = 1, .proposal = {.origin = "uniform"}};
    int64_t id = 0;
    setup self;
    opevo_run_key key = {.objective = "edits", .tuner = "random", .settings = "", .unit = "1/s"};

    set_up(&self, "random", true);
    key.seed = 1;
    key.domain = &self.domain.super;
    key.objective_signature = self.objective.super.signature;
    CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &store, &err));
    CHECK_OK(opevo_store_begin(store, &key, &id, &err));
    CHECK_OK(opevo_domain_parse(&self.domain.super, "[0h 1h 2h 3h]", &trial.proposal.point, &err));
    CHECK_OK(opevo_store_append(store, id, &trial, 1, &err));
    opevo_store_close(store);
    CHECK_FAILS(OPEVO_MISMATCH, "is [0h 1h 2h 3h], but the tuner proposes [",
                run(&self, &result, &err));
    self.domain.super.signature++;
    CHECK_FAILS(OPEVO_MISMATCH, "search space", run(&self, &result, &err));
    tear_down(&self);
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_status status = OPEVO_NOMEM;
    opevo_run_result result = {.trials = 0};
    int64_t live = 0;
    setup self;

    set_up(&self, "nsga2", false);
    self.options.budget.trials = 8;
    forget(&self);
    opevo_domain_destroy(&self.domain.super);
    live = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        assert_true(n < 4000);
        scratch_empty(&self.scratch);
        self.domain = edit_domain_make();
        opevo_memory_fail_at(n);
        status = run(&self, &result, NULL);
        opevo_memory_fail_at(0);
        opevo_domain_destroy(&self.domain.super);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    self.domain = edit_domain_make();
    tear_down(&self);
}

/* Tell what `texts` of a domain are worth, the last first. */
static void tell_backwards(opevo_session *session, opevo_domain *domain, opevo_trial *trials,
                           size_t count)
{
    for (size_t i = count; i-- > 0;) {
        opevo_text text = {0};

        assert_true(opevo_domain_print(domain, trials[i].proposal.point, &text));
        trials[i].outcome = edit_outcome(opevo_text_string(&text));
        CHECK_OK(opevo_session_tell(session, &trials[i], 1, &err));
        opevo_text_free(&text);
    }
}

/* Outcomes that the caller tells, ahead of their turn and to a process before this one: texts come
 * with them. */
CHECK_TEST(test_outcomes_of_the_caller)
{
    enum { COUNT = 10 };
    setup self;

    set_up(&self, "nsga2", true);
    for (int life = 0; life < 2; life++) {
        edit_domain domain = edit_domain_make();
        opevo_external_options options = {
            .domain = &domain.super, .name = "edits", .unit = "score"};
        opevo_trial trials[COUNT];
        opevo_objective *objective = NULL;
        opevo_session *session = NULL;
        size_t count = 0;

        CHECK_OK(opevo_external_create(&options, &objective, &err));
        CHECK_OK(opevo_store_open(self.scratch.file, OPEVO_STORE_WRITE, &self.options.store, &err));
        CHECK_OK(opevo_session_create(objective, &self.options, &session, &err));
        CHECK_OK(opevo_session_ask(session, trials, life ? 1 : COUNT, &count, &err));
        assert_true(trials[0].number == 1 && count == (life ? 1 : COUNT));
        if (life == 0)
            tell_backwards(session, &domain.super, trials + 1, COUNT - 1);
        else
            tell_backwards(session, &domain.super, trials, 1);
        assert_int_equal(opevo_session_result(session)->trials, life ? COUNT : 0);
        CHECK_OK(opevo_session_end(session, NULL, &err));
        opevo_store_close(self.options.store);
        opevo_objective_destroy(objective);
    }
    self.options.store = NULL;
    check_texts(&self, COUNT);
    tear_down(&self);
}
