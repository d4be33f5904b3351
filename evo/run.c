/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run loop. Outcomes are settled one at a time in the order proposed, whatever the batch and
 * the number of threads, and the run ends exactly at the trial that reaches a limit; what was
 * evaluated beyond it is dropped, so that neither result nor store depends on how the work was cut.
 */

#include <opevo/run.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BATCH_DEFAULT = 64 };

static const char *const stop_names[] = {
    [OPEVO_STOP_TRIALS] = "trials",           [OPEVO_STOP_SECONDS] = "seconds",
    [OPEVO_STOP_TARGET] = "target",           [OPEVO_STOP_SEARCH_OVER] = "search-over",
    [OPEVO_STOP_INTERRUPTED] = "interrupted", [OPEVO_STOP_GAVE_UP] = "gave-up",
};

typedef struct runner {
    opevo_objective *objective;
    const opevo_run_options *options;
    opevo_run_result result;
    bool ended;
    opevo_tuner *tuner;
    int64_t run;        /* in the store */
    bool stored_remain; /* the store may hold trials that are not yet told */
    bool appended;      /* something was added to the store */
    size_t batch;
    opevo_proposal *proposals; /* `batch` of each of these */
    opevo_index *points;
    opevo_outcome *outcomes;
    opevo_trial *trials;
} runner;

const char *opevo_stop_name(opevo_stop stop)
{
    return stop_names[stop];
}

static void end(runner *self, opevo_stop stop)
{
    self->ended = true;
    self->result.stop = stop;
}

static opevo_status check_options(const opevo_run_options *options, opevo_error *err)
{
    const opevo_budget *budget = &options->budget;

    if (!(budget->seconds >= 0 && isfinite(budget->seconds)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The budget in seconds is a positive number, or 0 for no such limit.");
    if (!(budget->target >= 0 && isfinite(budget->target)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The target is a positive fitness, or 0 for no such limit.");
    if (budget->trials == 0 && budget->seconds == 0 && budget->target == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A run needs a limit: a number of trials, seconds or a target.");
    return OPEVO_OK;
}

/* What identifies the earlier trials: how many they are, and a signature of their numbers, points and
 * fitness. */
static void print_earlier(const opevo_run_options *options, opevo_text *out)
{
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < options->earlier_count; i++) {
        const opevo_trial *trial = &options->earlier[i];
        uint64_t words[4] = {trial->number, (uint64_t)(trial->proposal.point >> 64),
                             (uint64_t)trial->proposal.point, 0};

        memcpy(&words[3], &trial->outcome.fitness, sizeof words[3]);
        hash = opevo_hash_bytes(hash, words, sizeof words);
    }
    opevo_text_printf(out, "%searlier=%zu:%016llx", out->length ? " " : "", options->earlier_count,
                      (unsigned long long)hash);
}

static opevo_status begin_stored_run(runner *self, opevo_error *err)
{
    const opevo_run_options *options = self->options;
    opevo_status status = OPEVO_OK;
    opevo_text settings = {0};
    opevo_run_key key = {
        .objective = self->objective->name,
        .tuner = options->tuner->name,
        .seed = options->seed,
        .objective_signature = self->objective->signature,
        .space = self->objective->space,
        .unit = self->objective->unit,
        .note = options->note,
    };

    opevo_settings_print(options->tuner, options->settings, &settings);
    opevo_text_add(&settings, options->settings_more ? options->settings_more : "");
    if (options->earlier_count > 0)
        print_earlier(options, &settings);
    OPEVO_TRY(opevo_text_check(&settings, err));
    key.settings = opevo_text_string(&settings);
    OPEVO_TRY(opevo_store_begin(options->store, &key, &self->run, err));
    self->stored_remain = true;
cleanup:
    opevo_text_free(&settings);
    return status;
}

static bool allocate(runner *self)
{
    self->proposals = opevo_malloc(self->batch, sizeof *self->proposals);
    self->points = opevo_malloc(self->batch, sizeof *self->points);
    self->outcomes = opevo_malloc(self->batch, sizeof *self->outcomes);
    self->trials = opevo_malloc(self->batch, sizeof *self->trials);
    return self->proposals && self->points && self->outcomes && self->trials;
}

static opevo_status prepare(runner *self, opevo_error *err)
{
    const opevo_run_options *options = self->options;
    opevo_status status = check_options(options, err);

    if (status != OPEVO_OK)
        return status;
    self->batch = options->batch ? options->batch : BATCH_DEFAULT;
    if (options->budget.trials && options->budget.trials < self->batch)
        self->batch = (size_t)options->budget.trials;
    if (!allocate(self)) {
        OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for batches of %zu trials.", self->batch);
        return OPEVO_NOMEM;
    }
    OPEVO_TRY(opevo_tuner_create(options->tuner, self->objective->space, options->settings,
                                 options->seed, &self->tuner, err));
    OPEVO_TRY(opevo_tuner_use_features(self->tuner, self->objective->features, err));
    if (options->earlier_count > 0)
        OPEVO_TRY(opevo_tuner_learn(self->tuner, options->earlier, options->earlier_count, err));
    if (options->store)
        OPEVO_TRY(begin_stored_run(self, err));
cleanup:
    return status;
}

static void release(runner *self)
{
    opevo_tuner_destroy(self->tuner);
    opevo_free(self->proposals);
    opevo_free(self->points);
    opevo_free(self->outcomes);
    opevo_free(self->trials);
}

/* Ask for the next batch, and number it. */
static opevo_status ask(runner *self, size_t *count, opevo_error *err)
{
    uint64_t budget = self->options->budget.trials;
    uint64_t left = budget ? budget - self->result.trials : UINT64_MAX;
    size_t capacity = left < self->batch ? (size_t)left : self->batch;
    opevo_status status = opevo_tuner_ask(self->tuner, self->proposals, capacity, count, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < *count; i++) {
        self->points[i] = self->proposals[i].point;
        self->trials[i].number = self->result.trials + 1 + i;
        self->trials[i].proposal = self->proposals[i];
    }
    return OPEVO_OK;
}

static opevo_status fail_mismatch(const runner *self, const opevo_trial *stored,
                                  const opevo_trial *expected, opevo_error *err)
{
    const opevo_space *space = self->objective->space;
    opevo_text was = {0};
    opevo_text is = {0};

    if (stored->proposal.point < opevo_space_size(space))
        opevo_space_print(space, stored->proposal.point, &was);
    else
        opevo_text_add(&was, "a point outside the space");
    opevo_space_print(space, expected->proposal.point, &is);
    OPEVO_FAIL(
        err, OPEVO_MISMATCH,
        "%s: trial %llu of run %lld is %s, but the tuner proposes %s as trial %llu: the store "
        "is damaged or of another program; use another store.",
        opevo_store_path(self->options->store), (unsigned long long)stored->number,
        (long long)self->run, opevo_text_string(&was), opevo_text_string(&is),
        (unsigned long long)expected->number);
    opevo_text_free(&was);
    opevo_text_free(&is);
    return OPEVO_MISMATCH;
}

/* Take the outcomes of the first *stored trials of the batch from the store. */
static opevo_status recall(runner *self, size_t count, size_t *stored, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *found = NULL;
    size_t got = 0;

    *stored = 0;
    if (!self->stored_remain)
        return OPEVO_OK;
    found = opevo_malloc(count, sizeof *found);
    if (!found)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read stored trials.");
    OPEVO_TRY(opevo_store_read(self->options->store, self->run, self->result.trials, found, count,
                               &got, err));
    for (size_t i = 0; i < got; i++) {
        if (found[i].number != self->trials[i].number ||
            found[i].proposal.point != self->trials[i].proposal.point) {
            status = fail_mismatch(self, &found[i], &self->trials[i], err);
            goto cleanup;
        }
        self->trials[i].outcome = found[i].outcome;
    }
    self->stored_remain = got == count;
    *stored = got;
cleanup:
    opevo_free(found);
    return status;
}

static opevo_status evaluate_one(void *context, size_t index, unsigned worker, opevo_error *err)
{
    runner *self = context;

    (void)worker;
    return opevo_objective_evaluate(self->objective, &self->points[index], 1,
                                    &self->outcomes[index], err);
}

/* Evaluate the trials [first, count) of the batch. */
static opevo_status evaluate(runner *self, size_t first, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t fresh = count - first;

    if (self->objective->concurrent && self->options->threads > 1 && fresh > 1) {
        for (size_t i = 0; i < fresh; i++)
            self->points[i] = self->points[first + i];
        status = opevo_parallel_for(fresh, self->options->threads, evaluate_one, self, err);
    } else {
        status = opevo_objective_evaluate(self->objective, self->points + first, fresh,
                                          self->outcomes, err);
    }
    for (size_t i = 0; status == OPEVO_OK && i < fresh; i++)
        self->trials[first + i].outcome = self->outcomes[i];
    return status;
}

/* Whether the run has failed so often in the way of this trial, without a success, that it gives up. */
static bool is_hopeless(const runner *self, opevo_outcome_class kind)
{
    uint64_t most = self->options->give_up;

    return most > 0 && kind != OPEVO_OUTCOME_REJECTED &&
           self->result.failed == self->result.trials && self->result.failed_by_class[kind] >= most;
}

/* Count one trial, and end the run if it reaches a limit. */
static void settle(runner *self, const opevo_trial *trial)
{
    const opevo_budget *budget = &self->options->budget;
    const opevo_outcome *outcome = &trial->outcome;
    opevo_run_result *result = &self->result;
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;

    result->trials++;
    result->failed += !ok;
    result->failed_by_class[outcome->kind] += !ok;
    result->cost_s += opevo_outcome_cost_s(outcome);
    if (ok && (result->best.number == 0 || outcome->fitness > result->best.outcome.fitness)) {
        result->best = *trial;
        result->best.outcome.samples_s = NULL;
        result->best.outcome.sample_count = 0;
        result->best.outcome.message = NULL;
    }
    if (budget->target > 0 && outcome->fitness >= budget->target)
        end(self, OPEVO_STOP_TARGET);
    else if (budget->seconds > 0 && result->cost_s >= budget->seconds)
        end(self, OPEVO_STOP_SECONDS);
    else if (budget->trials > 0 && result->trials >= budget->trials)
        end(self, OPEVO_STOP_TRIALS);
    else if (is_hopeless(self, outcome->kind))
        end(self, OPEVO_STOP_GAVE_UP);
}

/* A run that ended once and is continued has not ended. */
static opevo_status store_trials(runner *self, const opevo_trial *trials, size_t count,
                                 opevo_error *err)
{
    opevo_store *store = self->options->store;
    opevo_status status = OPEVO_OK;

    if (!self->appended)
        OPEVO_TRY(opevo_store_end(store, self->run, "", err));
    self->appended = true;
    OPEVO_TRY(opevo_store_append(store, self->run, trials, count, err));
cleanup:
    return status;
}

/* One turn of the loop. */
static opevo_status turn(runner *self, opevo_error *err)
{
    const opevo_run_options *options = self->options;
    opevo_status status = OPEVO_OK;
    size_t count = 0;
    size_t stored = 0;
    size_t settled = 0;

    OPEVO_TRY(ask(self, &count, err));
    if (count == 0) {
        assert(self->tuner->pending == 0);
        self->result.reason = self->tuner->reason;
        end(self, OPEVO_STOP_SEARCH_OVER);
        return OPEVO_OK;
    }
    OPEVO_TRY(recall(self, count, &stored, err));
    OPEVO_TRY(evaluate(self, stored, count, err));
    while (settled < count && !self->ended)
        settle(self, &self->trials[settled++]);
    self->result.resumed += stored < settled ? stored : settled;
    if (options->store && stored < settled)
        OPEVO_TRY(store_trials(self, self->trials + stored, settled - stored, err));
    for (size_t i = 0; options->observer && i < settled; i++)
        options->observer(options->observer_context, &self->trials[i], i < stored);
    OPEVO_TRY(opevo_tuner_tell(self->tuner, self->trials, settled, err));
cleanup:
    return status;
}

/* Say in the store why the run ended, unless it has not: it was interrupted, or the store holds
 * more of it than this budget asked for. */
static opevo_status note_end(runner *self, opevo_error *err)
{
    opevo_store *store = self->options->store;
    opevo_status status = OPEVO_OK;
    opevo_trial next;
    size_t more = 0;

    if (self->result.stop == OPEVO_STOP_INTERRUPTED)
        return OPEVO_OK;
    if (!self->appended)
        OPEVO_TRY(opevo_store_read(store, self->run, self->result.trials, &next, 1, &more, err));
    if (more == 0)
        OPEVO_TRY(opevo_store_end(store, self->run, opevo_stop_name(self->result.stop), err));
cleanup:
    return status;
}

opevo_status opevo_run(opevo_objective *objective, const opevo_run_options *options,
                       opevo_run_result *result, opevo_error *err)
{
    runner self = {.objective = objective, .options = options};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(prepare(&self, err));
    while (!self.ended) {
        if (options->interrupt && *options->interrupt)
            end(&self, OPEVO_STOP_INTERRUPTED);
        else
            OPEVO_TRY(turn(&self, err));
    }
    if (options->store)
        OPEVO_TRY(note_end(&self, err));
    self.result.run = self.run;
    *result = self.result;
cleanup:
    release(&self);
    return status;
}
