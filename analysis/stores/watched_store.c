/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Following a store. Runs are compared with the store by the number of their last trial, which is
 * an index lookup each, and trials are read once, piece by piece, so that a look costs the same
 * whatever the store holds already. */

#include <opevo/watched_store.h>

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/store_follow.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 256, PACE_S = 30 };

static opevo_status fail_memory(const opevo_watched_store *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to watch %s.", self->path);
}

/* ---- Life ----------------------------------------------------------------------------------- */

static void release_run(opevo_watched_run *run)
{
    opevo_free(run->objective);
    opevo_free(run->tuner);
    opevo_free(run->settings);
    opevo_free(run->unit);
    opevo_free(run->started);
    opevo_free(run->version);
    opevo_free(run->on);
    opevo_free(run->stop);
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++)
        opevo_free(run->failures[i].message);
    opevo_free(run->steps);
}

/* As before the first look. */
static void forget(opevo_watched_store *self)
{
    for (size_t i = 0; i < self->count; i++)
        release_run(&self->runs[i]);
    opevo_store_close(self->store);
    self->store = NULL;
    self->count = 0;
    self->trials = 0;
    self->behind = false;
    self->pace = self->pace_of_runs = (opevo_watched_pace){.then = 0};
    self->version++;
}

opevo_status opevo_watched_store_create(const char *path, opevo_watched_store **out,
                                        opevo_error *err)
{
    opevo_watched_store *self = opevo_calloc(1, sizeof *self);

    if (self)
        self->path = opevo_strdup(path);
    if (!self || !self->path) {
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to watch %s.", path);
    }
    *out = self;
    return OPEVO_OK;
}

void opevo_watched_store_destroy(opevo_watched_store *self)
{
    if (!self)
        return;
    forget(self);
    opevo_free(self->runs);
    opevo_free(self->path);
    opevo_free(self);
}

/* ---- Describing a run ----------------------------------------------------------------------- */

typedef struct describer {
    opevo_watched_run *run;
    bool failed;
} describer;

static char *copy(describer *self, const char *text)
{
    char *made = opevo_strdup(text);

    self->failed = self->failed || !made;
    return made;
}

/* The trials of "trials=500 seconds=30", the budget of a run of a study; 0 without. */
static uint64_t wanted_by_budget(const char *budget)
{
    const char *word = strstr(budget, "trials=");

    return word ? strtoull(word + strlen("trials="), NULL, 10) : 0;
}

static void describe(void *context, const opevo_run_info *info)
{
    describer *self = context;
    opevo_watched_run *run = self->run;

    run->objective = copy(self, info->objective);
    run->tuner = copy(self, info->tuner);
    run->settings = copy(self, info->settings);
    run->unit = copy(self, info->unit);
    run->started = copy(self, info->started);
    run->version = copy(self, info->version);
    run->on = copy(self, info->on);
    run->seed = info->seed;
    run->signature = info->signature;
    run->optimum = info->optimum;
    run->wanted = wanted_by_budget(info->budget);
    run->described = true;
}

/* The trials that a call asked for, from its specification; 0 if that has no such number. */
static opevo_status read_wanted(opevo_watched_store *self, opevo_watched_run *run, opevo_error *err)
{
    opevo_text call = {0};
    opevo_status status = opevo_store_call(self->store, run->run, &call, err);
    json_t *root = status == OPEVO_OK ? json_loads(opevo_text_string(&call), 0, NULL) : NULL;
    json_t *trials = json_object_get(root, "trials");

    if (json_is_integer(trials) && json_integer_value(trials) > 0)
        run->wanted = (uint64_t)json_integer_value(trials);
    run->shared = json_array_size(json_object_get(root, "what")) > 1;
    json_decref(root);
    opevo_text_free(&call);
    return status;
}

static opevo_status learn_of(opevo_watched_store *self, opevo_watched_run *run, opevo_error *err)
{
    describer visitor = {.run = run};
    opevo_status status = opevo_store_describe(self->store, run->run, describe, &visitor, err);

    if (status == OPEVO_OK && visitor.failed)
        status = fail_memory(self, err);
    if (status == OPEVO_OK && run->described && !run->wanted)
        status = read_wanted(self, run, err);
    self->version++;
    return status;
}

/* ---- Trials --------------------------------------------------------------------------------- */

static opevo_status add_failure(opevo_watched_store *self, opevo_watched_run *run,
                                opevo_trial *trial, opevo_error *err)
{
    opevo_watched_failure *failure = &run->failures[trial->outcome.kind];
    opevo_status status = OPEVO_OK;

    run->failed++;
    if (failure->count++)
        return OPEVO_OK;
    failure->trial = trial->number;
    OPEVO_TRY(opevo_store_read_details(self->store, run->run, trial, err));
    if (trial->outcome.message) {
        failure->message = opevo_strdup(trial->outcome.message);
        if (!failure->message)
            status = fail_memory(self, err);
    }
cleanup:
    return status;
}

static opevo_status add_trial(opevo_watched_store *self, opevo_watched_run *run, opevo_trial *trial,
                              opevo_error *err)
{
    const opevo_outcome *outcome = &trial->outcome;

    run->cost_s += outcome->build_s + outcome->run_s + outcome->check_s + outcome->other_s;
    if (outcome->kind != OPEVO_OUTCOME_OK)
        return add_failure(self, run, trial, err);
    if (run->step_count && !(outcome->fitness > run->steps[run->step_count - 1].fitness))
        return OPEVO_OK;
    if (!opevo_reserve((void **)&run->steps, &run->step_capacity, run->step_count + 1,
                       sizeof *run->steps))
        return fail_memory(self, err);
    run->steps[run->step_count++] = (opevo_watched_step){trial->number, outcome->fitness};
    run->best_point = trial->proposal.point;
    return OPEVO_OK;
}

/* One piece of the run's new trials. */
static opevo_status read_piece(opevo_watched_store *self, opevo_watched_run *run,
                               opevo_trial *trials, opevo_error *err)
{
    size_t got = 0;
    opevo_status status =
        opevo_store_read(self->store, run->run, run->trials, trials, PIECE, &got, err);

    if (status == OPEVO_OK && got == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: run %lld has fewer trials than it says.",
                          self->path, (long long)run->run);
    for (size_t i = 0; i < got && status == OPEVO_OK; i++) {
        run->trials = trials[i].number;
        self->trials++;
        status = add_trial(self, run, &trials[i], err);
    }
    if (status == OPEVO_OK && run->wanted && run->trials > run->wanted)
        status = read_wanted(self, run, err); /* another call continued it */
    self->version++;
    return status;
}

/* ---- A look --------------------------------------------------------------------------------- */

typedef struct comparison {
    opevo_watched_store *self;
    size_t next; /* of the runs that are known */
    bool fewer;  /* the store is not the one that was read */
    bool failed;
} comparison;

static bool insert(opevo_watched_store *self, size_t place, int64_t run)
{
    if (!opevo_reserve((void **)&self->runs, &self->capacity, self->count + 1, sizeof *self->runs))
        return false;
    memmove(&self->runs[place + 1], &self->runs[place], (self->count - place) * sizeof *self->runs);
    self->runs[place] = (opevo_watched_run){.run = run};
    self->count++;
    return true;
}

static void compare(void *context, const opevo_run_state *state)
{
    comparison *at = context;
    opevo_watched_store *self = at->self;
    opevo_watched_run *run = NULL;

    if (at->fewer || at->failed)
        return;
    if (at->next == self->count || self->runs[at->next].run > state->run)
        at->failed = !insert(self, at->next, state->run);
    if (at->failed)
        return;
    run = &self->runs[at->next++];
    at->fewer = run->run != state->run || state->trials < run->trials;
    run->stored = state->trials;
    if (!run->stop || strcmp(run->stop, state->stop) != 0 || run->planned != state->planned) {
        opevo_free(run->stop);
        run->stop = opevo_strdup(state->stop);
        run->planned = state->planned;
        at->failed = !run->stop;
        self->version++;
    }
}

static opevo_status read_new(opevo_watched_store *self, double until_s, opevo_error *err)
{
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    opevo_status status = trials ? OPEVO_OK : fail_memory(self, err);

    self->behind = false;
    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        opevo_watched_run *run = &self->runs[i];

        while (status == OPEVO_OK && (!run->described || run->trials < run->stored)) {
            if (opevo_clock_monotonic_s() > until_s) {
                self->behind = true;
                goto cleanup;
            }
            status = run->described ? read_piece(self, run, trials, err) : learn_of(self, run, err);
        }
    }
cleanup:
    opevo_free(trials);
    return status;
}

static opevo_status read_store(opevo_watched_store *self, double until_s, opevo_error *err)
{
    comparison at = {.self = self};
    int64_t changes = 0;
    opevo_status status = opevo_store_changes(self->store, &changes, err);

    if (status != OPEVO_OK)
        return status;
    if (changes != self->changes) {
        OPEVO_TRY(opevo_store_states(self->store, compare, &at, err));
        if (at.failed)
            OPEVO_TRY(fail_memory(self, err));
        if (at.fewer || at.next < self->count) {
            forget(self);
            return OPEVO_OK;
        }
        self->changes = changes;
        self->behind = true;
    }
    if (self->behind)
        OPEVO_TRY(read_new(self, until_s, err));
cleanup:
    return status;
}

/* Whether the path names the file that was opened; before that note which one it names. */
static bool is_same_file(opevo_watched_store *self)
{
    struct stat info;

    if (stat(self->path, &info) != 0)
        return !self->store; /* opening says why */
    if (self->store)
        return self->device == info.st_dev && self->inode == info.st_ino;
    self->device = info.st_dev;
    self->inode = info.st_ino;
    return true;
}

static void note_pace(opevo_watched_pace *pace, uint64_t done, double now_s)
{
    if (pace->last_s != 0 && now_s - pace->last_s < (double)PACE_S)
        return;
    pace->then_s = pace->last_s;
    pace->then = pace->last;
    pace->last_s = now_s;
    pace->last = done;
}

static void note_paces(opevo_watched_store *self)
{
    double now_s = opevo_clock_monotonic_s();
    uint64_t ended = 0;

    for (size_t i = 0; i < self->count; i++) {
        ended += *self->runs[i].stop != '\0';
        if (opevo_watched_run_is_open(&self->runs[i]))
            note_pace(&self->runs[i].pace, self->runs[i].trials, now_s);
    }
    note_pace(&self->pace, self->trials, now_s);
    note_pace(&self->pace_of_runs, ended, now_s);
}

opevo_status opevo_watched_store_look(opevo_watched_store *self, double seconds, opevo_error *err)
{
    double until_s = opevo_clock_monotonic_s() + seconds;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (!is_same_file(self))
        forget(self);
    if (!self->store) {
        (void)is_same_file(self);
        self->changes = -1;
        self->opened++;
        status = opevo_store_open(self->path, OPEVO_STORE_READ, &self->store, &inner);
    }
    if (status == OPEVO_OK)
        status = read_store(self, until_s, &inner);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message);
    if (strcmp(self->trouble.message, inner.message) != 0)
        self->version++;
    self->trouble = inner;
    if (status != OPEVO_OK && self->store) {
        opevo_store_close(self->store);
        self->store = NULL;
    }
    if (!self->behind)
        note_paces(self);
    return OPEVO_OK;
}

/* ---- What it has come to -------------------------------------------------------------------- */

const opevo_watched_run *opevo_watched_store_find(const opevo_watched_store *self, int64_t run)
{
    size_t low = 0, high = self->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->runs[middle].run < run)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->count && self->runs[low].run == run ? &self->runs[low] : NULL;
}

double opevo_watched_run_best(const opevo_watched_run *run, uint64_t trials)
{
    double best = 0;

    for (size_t i = 0; i < run->step_count && run->steps[i].trial <= trials; i++)
        best = run->steps[i].fitness;
    return best;
}

bool opevo_watched_run_is_open(const opevo_watched_run *run)
{
    return !run->planned && run->stop && !*run->stop;
}

double opevo_watched_pace_of(const opevo_watched_pace *pace, uint64_t done)
{
    double since_s = pace->then_s != 0 ? pace->then_s : pace->last_s;
    uint64_t since = pace->then_s != 0 ? pace->then : pace->last;
    double passed_s = opevo_clock_monotonic_s() - since_s;

    return since_s == 0 || done <= since || passed_s < 1 ? NAN : (double)(done - since) / passed_s;
}

double opevo_watched_left_s(const opevo_watched_pace *pace, uint64_t done, uint64_t wanted)
{
    return wanted < done ? 0 : (double)(wanted - done) / opevo_watched_pace_of(pace, done);
}
