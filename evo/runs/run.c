/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions, and the run as one session. Outcomes are settled one at a time in the order proposed,
 * whatever the step, the batch, the number of threads and the order in which they arrive, and the run
 * ends exactly at the trial that reaches a limit; what was evaluated beyond it is dropped, so that
 * neither result nor store depends on how the work was cut. What is computed is stored a batch at a
 * time, what is measured trial by trial. */

#include <opevo/run.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/struct_size.h>

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const stop_names[] = {
    [OPEVO_STOP_TRIALS] = "trials",           [OPEVO_STOP_SECONDS] = "seconds",
    [OPEVO_STOP_TARGET] = "target",           [OPEVO_STOP_SEARCH_OVER] = "search-over",
    [OPEVO_STOP_INTERRUPTED] = "interrupted", [OPEVO_STOP_GAVE_UP] = "gave-up",
};

struct opevo_session {
    opevo_objective *objective;
    opevo_run_options options;
    opevo_run_result result;
    bool ended;  /* a limit is reached, or the run was interrupted */
    bool failed; /* a step failed */
    opevo_tuner *tuner;
    bool stored_remain; /* the store may hold trials that are not yet told */
    size_t batch;
    opevo_proposal *proposals; /* `batch` of each of these */
    opevo_index *points;
    opevo_outcome *outcomes;
    opevo_trial *trials;
    bool *arrived;  /* measured outcomes, some ahead of their turn */
    size_t count;   /* trials in the batch at hand */
    size_t settled; /* of them */
    size_t first;   /* of them that is not in the store */
};

const char *opevo_stop_name(opevo_stop stop)
{
    return stop_names[stop];
}

static void end(opevo_session *self, opevo_stop stop)
{
    self->ended = true;
    self->result.stop = stop;
}

/* ---- Creating ------------------------------------------------------------------------------- */

static opevo_status check_budget(const opevo_budget *budget, opevo_error *err)
{
    if (!(budget->seconds >= 0 && isfinite(budget->seconds)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The budget in seconds must be positive, or 0 for no such limit.");
    if (!(budget->target >= 0 && isfinite(budget->target)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The target must be a positive fitness, or 0 for no such limit.");
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

/* Whether the tuner searches by anything else than the fitness. */
static bool sees_criteria(const opevo_run_options *options)
{
    const opevo_criteria *criteria = options->criteria;

    return criteria && options->tuner->by_criteria &&
           (criteria->count > 1 || criteria->chosen[0].index > 0);
}

static void print_settings(const opevo_objective *objective, const opevo_run_options *options,
                           opevo_text *out)
{
    opevo_settings_print(options->tuner, options->settings, out);
    if (sees_criteria(options)) {
        opevo_text_add(out, out->length ? " criteria=" : "criteria=");
        opevo_criteria_print(objective, options->criteria, out);
    }
    for (size_t i = 0; i < options->requirement_count; i++) {
        opevo_text_add(out, i ? "," : out->length ? " require=" : "require=");
        opevo_requirement_print(&options->requirements[i], out);
    }
}

void opevo_run_print_settings_sized(const opevo_objective *objective,
                                    const opevo_run_options *options, size_t size, opevo_text *out)
{
    opevo_run_options known;

    if (opevo_struct_read(options, size, "opevo_run_options", &known, sizeof known, NULL) ==
        OPEVO_OK)
        print_settings(objective, &known, out);
}

static opevo_status begin_stored_run(opevo_session *self, opevo_error *err)
{
    const opevo_run_options *options = &self->options;
    opevo_status status = OPEVO_OK;
    opevo_text settings = {0};
    opevo_run_key key = {
        .objective = self->objective->name,
        .tuner = options->tuner->name,
        .seed = options->seed,
        .objective_signature = self->objective->signature,
        .program = self->objective->program,
        .space = self->objective->space,
        .domain = self->objective->domain,
        .unit = self->objective->unit,
        .criteria = self->objective->criteria,
        .more_count = self->objective->more_count,
        .has_requirements = options->requirement_count > 0,
        .note = options->note,
    };

    print_settings(self->objective, options, &settings);
    opevo_text_add(&settings, options->settings_more ? options->settings_more : "");
    if (options->earlier_count > 0)
        print_earlier(options, &settings);
    OPEVO_TRY(opevo_text_check(&settings, err));
    key.settings = opevo_text_string(&settings);
    OPEVO_TRY(opevo_store_begin(options->store, &key, &self->result.run, err));
    self->stored_remain = true;
cleanup:
    opevo_text_free(&settings);
    return status;
}

static opevo_status allocate(opevo_session *self, opevo_error *err)
{
    const opevo_run_options *options = &self->options;

    self->batch = options->batch ? options->batch : opevo_objective_wanted(self->objective);
    if (options->budget.trials && options->budget.trials < self->batch)
        self->batch = (size_t)options->budget.trials;
    self->proposals = opevo_malloc(self->batch, sizeof *self->proposals);
    self->points = opevo_malloc(self->batch, sizeof *self->points);
    self->outcomes = opevo_malloc(self->batch, sizeof *self->outcomes);
    self->trials = opevo_malloc(self->batch, sizeof *self->trials);
    self->arrived = opevo_malloc(self->batch, sizeof *self->arrived);
    if (!self->proposals || !self->points || !self->outcomes || !self->trials || !self->arrived)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for batches of %zu trials.", self->batch);
    return OPEVO_OK;
}

static void destroy(opevo_session *self)
{
    if (!self)
        return;
    opevo_tuner_destroy(self->tuner);
    opevo_free(self->proposals);
    opevo_free(self->points);
    opevo_free(self->outcomes);
    opevo_free(self->trials);
    opevo_free(self->arrived);
    opevo_free(self);
}

opevo_status opevo_session_create_sized(opevo_objective *objective,
                                        const opevo_run_options *options, size_t size,
                                        opevo_session **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_session *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a run.");
    OPEVO_TRY(opevo_struct_read(options, size, "opevo_run_options", &self->options,
                                sizeof self->options, err));
    options = &self->options;
    OPEVO_TRY(check_budget(&options->budget, err));
    OPEVO_TRY(opevo_objective_check(objective, err));
    self->objective = objective;
    self->result.stop = OPEVO_STOP_INTERRUPTED; /* as long as nothing else ends it */
    OPEVO_TRY(allocate(self, err));
    if (objective->space)
        OPEVO_TRY(opevo_tuner_create(options->tuner, objective->space, options->settings,
                                     options->seed, &self->tuner, err));
    else
        OPEVO_TRY(opevo_tuner_create_on(options->tuner, objective->domain, options->settings,
                                        options->seed, &self->tuner, err));
    if (options->criteria)
        OPEVO_TRY(opevo_tuner_use_criteria(self->tuner, options->criteria, err));
    OPEVO_TRY(opevo_tuner_use_features(self->tuner, objective->features, err));
    if (options->earlier_count > 0)
        OPEVO_TRY(opevo_tuner_learn(self->tuner, options->earlier, options->earlier_count, err));
    if (options->store)
        OPEVO_TRY(begin_stored_run(self, err));
    *out = self;
    self = NULL;
cleanup:
    destroy(self);
    return status;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Ask for the next batch, of at most so many trials, and number it. */
static opevo_status ask(opevo_session *self, uint64_t most, opevo_error *err)
{
    size_t capacity = most < self->batch ? (size_t)most : self->batch;
    opevo_status status =
        opevo_tuner_ask(self->tuner, self->proposals, capacity, &self->count, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < self->count; i++) {
        self->points[i] = self->proposals[i].point;
        self->trials[i].number = self->result.trials + 1 + i;
        self->trials[i].proposal = self->proposals[i];
    }
    return OPEVO_OK;
}

/* As a person reads it. */
static void print_candidate(const opevo_session *self, opevo_index candidate, opevo_text *out)
{
    const opevo_space *space = self->objective->space;

    if (space && candidate < opevo_space_size(space))
        opevo_space_print(space, candidate, out);
    else if (space)
        opevo_text_add(out, "a point outside the space");
    else if (!opevo_domain_print(self->objective->domain, candidate, out))
        opevo_text_add(out, "a candidate that is not known");
}

static opevo_status fail_mismatch(const opevo_session *self, const opevo_trial *stored,
                                  const opevo_trial *expected, opevo_error *err)
{
    opevo_text was = {0};
    opevo_text is = {0};

    print_candidate(self, stored->proposal.point, &was);
    print_candidate(self, expected->proposal.point, &is);
    OPEVO_FAIL(
        err, OPEVO_MISMATCH,
        "%s: trial %llu of run %lld is %s, but the tuner proposes %s as trial %llu: the store "
        "is damaged or of another program; use another store.",
        opevo_store_path(self->options.store), (unsigned long long)stored->number,
        (long long)self->result.run, opevo_text_string(&was), opevo_text_string(&is),
        (unsigned long long)expected->number);
    opevo_text_free(&was);
    opevo_text_free(&is);
    return OPEVO_MISMATCH;
}

/* Take the outcomes of the first trials of the batch from the store, and leave the rest from
 * self->first on. */
static opevo_status recall(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *found = NULL;

    self->first = 0;
    if (!self->stored_remain)
        return OPEVO_OK;
    found = opevo_malloc(self->count, sizeof *found);
    if (!found)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read stored trials.");
    OPEVO_TRY(opevo_store_read(self->options.store, self->result.run, self->result.trials, found,
                               self->count, &self->first, err));
    for (size_t i = 0; i < self->first; i++) {
        if (found[i].number != self->trials[i].number ||
            found[i].proposal.point != self->trials[i].proposal.point) {
            status = fail_mismatch(self, &found[i], &self->trials[i], err);
            goto cleanup;
        }
        self->trials[i].outcome = found[i].outcome;
    }
    self->stored_remain = self->first == self->count;
cleanup:
    opevo_free(found);
    return status;
}

/* Whether the run has failed so often in the way of this trial, without a success, that it gives up. */
static bool is_hopeless(const opevo_session *self, opevo_outcome_class kind)
{
    uint64_t most = self->options.give_up;

    return most > 0 && kind != OPEVO_OUTCOME_REJECTED && kind != OPEVO_OUTCOME_INFEASIBLE &&
           self->result.failed == self->result.trials && self->result.failed_by_class[kind] >= most;
}

/* Judge one trial by the requirements, count it, and end the run if it reaches a limit. */
static void settle(opevo_session *self, opevo_trial *trial)
{
    const opevo_run_options *options = &self->options;
    const opevo_budget *budget = &options->budget;
    const opevo_outcome *outcome = &trial->outcome;
    opevo_run_result *result = &self->result;
    bool ok = false;

    opevo_requirements_apply(options->requirements, options->requirement_count,
                             self->objective->unit, &trial->outcome);
    ok = outcome->kind == OPEVO_OUTCOME_OK;
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

/* Settle the trials of the batch from where that stands to `until`, up to one that ends the run:
 * count them, store those that are not there yet, and show them. */
static opevo_status settle_until(opevo_session *self, size_t until, bool resumed, opevo_error *err)
{
    const opevo_run_options *options = &self->options;
    opevo_status status = OPEVO_OK;
    size_t from = self->settled;

    while (self->settled < until && !self->ended)
        settle(self, &self->trials[self->settled++]);
    if (resumed)
        self->result.resumed += self->settled - from;
    else if (options->store && from < self->settled)
        OPEVO_TRY(opevo_store_append(options->store, self->result.run, self->trials + from,
                                     self->settled - from, err));
    for (size_t i = from; options->observer && i < self->settled; i++)
        options->observer(options->observer_context, &self->trials[i], resumed);
cleanup:
    return status;
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

static opevo_status compute_one(void *context, size_t index, unsigned worker, opevo_error *err)
{
    opevo_session *self = context;
    size_t i = self->first + index;

    (void)worker;
    return opevo_objective_evaluate(self->objective, &self->points[i], 1, &self->outcomes[i], err);
}

/* Compute the rest of the batch, and settle it together. */
static opevo_status compute(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t fresh = self->count - self->first;

    if (self->options.threads > 1 && fresh > 1)
        status = opevo_parallel_for(fresh, self->options.threads, compute_one, self, err);
    else
        status = opevo_objective_evaluate(self->objective, self->points + self->first, fresh,
                                          self->outcomes + self->first, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = self->first; i < self->count; i++)
        self->trials[i].outcome = self->outcomes[i];
    return settle_until(self, self->count, false, err);
}

/* Keep the outcome, and settle what now has all its predecessors, each trial by itself. */
static opevo_status arrive(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    opevo_session *self = context;
    opevo_status status = OPEVO_OK;

    self->trials[self->first + i].outcome = *outcome;
    self->arrived[self->first + i] = true;
    while (status == OPEVO_OK && !self->ended && self->settled < self->count &&
           self->arrived[self->settled]) {
        opevo_outcome *settled = &self->trials[self->settled].outcome;

        status = settle_until(self, self->settled + 1, false, err);
        settled->samples_s = NULL; /* may go with the next measurement */
        settled->sample_count = 0;
        settled->message = NULL;
    }
    return status;
}

/* Measure the rest of the batch, and settle each trial as soon as it and all before it are there. */
static opevo_status measure(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    memset(self->arrived, 0, self->count * sizeof *self->arrived);
    status = opevo_objective_measure(self->objective, self->points + self->first,
                                     self->count - self->first, self->options.interrupt, arrive,
                                     self, err);
    if (status != OPEVO_INTERRUPTED)
        return status;
    if (!self->ended)
        end(self, OPEVO_STOP_INTERRUPTED);
    return OPEVO_OK;
}

/* ---- Stepping ------------------------------------------------------------------------------- */

/* Ask, recall or evaluate, store, tell: one batch, of at most so many trials. */
static opevo_status turn(opevo_session *self, uint64_t most, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(ask(self, most, err));
    if (self->count == 0) {
        assert(self->tuner->pending == 0);
        self->result.reason = self->tuner->reason;
        end(self, OPEVO_STOP_SEARCH_OVER);
        return OPEVO_OK;
    }
    self->settled = 0;
    OPEVO_TRY(recall(self, err));
    OPEVO_TRY(settle_until(self, self->first, true, err));
    if (!self->ended && self->first < self->count)
        OPEVO_TRY(self->objective->concurrent ? compute(self, err) : measure(self, err));
    OPEVO_TRY(opevo_tuner_tell(self->tuner, self->trials, self->settled, err));
cleanup:
    return status;
}

/* At which trial the step ends, if nothing ends the run before. */
static uint64_t end_of_step(const opevo_session *self, uint64_t trials)
{
    uint64_t budget = self->options.budget.trials ? self->options.budget.trials : UINT64_MAX;

    return trials < budget - self->result.trials ? self->result.trials + trials : budget;
}

opevo_status opevo_session_step(opevo_session *session, uint64_t trials, bool *over,
                                opevo_error *err)
{
    opevo_session *self = session;
    uint64_t last = end_of_step(self, trials);
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A run with a failed step can only be ended.");
    while (!self->ended && self->result.trials < last && status == OPEVO_OK) {
        if (opevo_interrupt_is_raised(self->options.interrupt))
            end(self, OPEVO_STOP_INTERRUPTED);
        else
            status = turn(self, last - self->result.trials, err);
    }
    self->failed = status != OPEVO_OK;
    if (!self->failed)
        *over = self->ended;
    return status;
}

const opevo_run_result *opevo_session_result(const opevo_session *session)
{
    return &session->result;
}

/* Say in the store why the run ended, unless the store holds more of it than this budget asked for. */
static opevo_status note_end(const opevo_session *self, opevo_error *err)
{
    opevo_store *store = self->options.store;
    const opevo_run_result *result = &self->result;
    opevo_status status = OPEVO_OK;
    opevo_trial next;
    size_t more = 0;

    OPEVO_TRY(opevo_store_read(store, result->run, result->trials, &next, 1, &more, err));
    if (more == 0)
        OPEVO_TRY(opevo_store_end(store, result->run, opevo_stop_name(result->stop), err));
cleanup:
    return status;
}

opevo_status opevo_session_end(opevo_session *session, opevo_run_result *result, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!session)
        return OPEVO_OK;
    if (session->options.store && !session->failed &&
        session->result.stop != OPEVO_STOP_INTERRUPTED)
        status = note_end(session, err);
    if (result && status == OPEVO_OK)
        *result = session->result;
    destroy(session);
    return status;
}

opevo_status opevo_run_sized(opevo_objective *objective, const opevo_run_options *options,
                             size_t size, opevo_run_result *result, opevo_error *err)
{
    opevo_session *session = NULL;
    opevo_status status = opevo_session_create_sized(objective, options, size, &session, err);
    bool over = false;

    while (status == OPEVO_OK && !over)
        status = opevo_session_step(session, UINT64_MAX, &over, err);
    if (status == OPEVO_OK)
        return opevo_session_end(session, result, err);
    opevo_session_end(session, NULL, NULL);
    return status;
}
