/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Running a study. First every run gets its number in the store; then the computed ones are spread
 * over the threads, each run whole on one of them, while one more thread commits; then the measured
 * ones follow, trial by trial. */

#include "study_parts_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/struct_size.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct scheduler {
    const opevo_study *study;
    const opevo_study_options *options;
    opevo_store *store;
    opevo_i_study_writer *writer;
    opevo_i_store_known **known; /* of each line; NULL: its runs keep their outcomes themselves */
    opevo_i_store_known **made;  /* those of them that are different */
    size_t made_count;
    uint64_t *numbers; /* of the shard's runs */
    opevo_i_study_slot *slots;
    size_t count;
    size_t *todo; /* places in `numbers` of the computed runs that are not there */
    size_t todo_count;
    atomic_bool interrupted;
    pthread_mutex_t lock; /* guards what follows */
    opevo_study_progress progress;
    double busy_s;
    opevo_study_result result;
} scheduler;

/* ---- Preparing ------------------------------------------------------------------------------ */

/* What another store has need not be done here. */
static opevo_status leave_known(scheduler *self, opevo_store *known, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_study_slot *slots = NULL;
    size_t kept = 0;

    OPEVO_NEW(slots, self->count, "the runs of a study");
    OPEVO_TRY(
        opevo_i_study_slots(known, self->study, self->numbers, self->count, false, slots, err));
    for (size_t i = 0; i < self->count; i++) {
        if (!slots[i].ended)
            self->numbers[kept++] = self->numbers[i];
    }
    self->result.present = self->count - kept;
    self->count = kept;
cleanup:
    opevo_free(slots);
    return status;
}

static const opevo_study_line *line_of(const scheduler *self, size_t place)
{
    return &self->study->lines[self->numbers[place] % self->study->line_count];
}

static uint64_t seed_of(const scheduler *self, size_t place)
{
    return opevo_study_seed(self->study, self->numbers[place]);
}

/* Keep only the runs of the first seeds of each line. */
static void leave_seeds(scheduler *self, const size_t *line_seeds)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++) {
        uint64_t number = self->numbers[i];

        if (number / self->study->line_count < line_seeds[number % self->study->line_count])
            self->numbers[kept++] = number;
    }
    self->count = kept;
}

static opevo_status prepare(scheduler *self, opevo_error *err)
{
    const opevo_study_options *options = self->options;
    opevo_status status = OPEVO_OK;
    opevo_store *known = NULL;

    OPEVO_TRY(opevo_i_study_shard_numbers(self->study, options->shard, &self->numbers, &self->count,
                                          err));
    if (options->line_seeds)
        leave_seeds(self, options->line_seeds);
    self->result.runs = self->count;
    if (options->known)
        OPEVO_TRY(opevo_i_store_open_begun(options->known, &known, err));
    if (known)
        OPEVO_TRY(leave_known(self, known, err));
    OPEVO_TRY(opevo_store_open(options->store, OPEVO_STORE_ALONE, &self->store, err));
    OPEVO_NEW(self->slots, self->count, "the runs of a study");
    OPEVO_NEW(self->todo, self->count, "the runs of a study");
    OPEVO_TRY(opevo_i_study_slots(self->store, self->study, self->numbers, self->count, true,
                                  self->slots, err));
    OPEVO_TRY(opevo_i_study_register(self->store, known, self->study, self->numbers, self->count,
                                     self->slots, err));
    for (size_t i = 0; i < self->count; i++) {
        if (self->slots[i].ended)
            self->result.present++;
        else if (opevo_i_study_is_stored_whole(line_of(self, i)->objective))
            self->todo[self->todo_count++] = i;
    }
    self->progress.runs = self->result.runs - self->result.present;
cleanup:
    opevo_store_close(known);
    return status;
}

/* ---- Computed runs -------------------------------------------------------------------------- */

static void show_progress(scheduler *self)
{
    if (self->options->progress)
        self->options->progress(self->options->progress_context, &self->progress);
}

static void report(scheduler *self, uint64_t trials, uint64_t unrecorded, double busy_s)
{
    pthread_mutex_lock(&self->lock);
    self->busy_s += busy_s;
    self->progress.done++;
    self->progress.trials += trials;
    self->result.unrecorded += unrecorded;
    show_progress(self);
    pthread_mutex_unlock(&self->lock);
}

/* The trials of a run as it goes. What an outcome points to lives as long as its objective, for
 * that is concurrent. */
typedef struct recorder {
    void *trials; /* opevo_trial */
    size_t count, capacity;
    bool failed;
} recorder;

static void record(void *context, const opevo_trial *trial, bool resumed)
{
    recorder *self = context;

    (void)resumed;
    if (!opevo_reserve(&self->trials, &self->capacity, self->count + 1, sizeof *trial)) {
        self->failed = true;
        return;
    }
    ((opevo_trial *)self->trials)[self->count++] = *trial;
}

static opevo_status hand_over(scheduler *self, int64_t run, opevo_i_store_known *known,
                              const recorder *recorded, opevo_stop stop, opevo_error *err)
{
    opevo_i_study_done *done = opevo_calloc(1, sizeof *done);

    if (!done || recorded->failed) {
        opevo_i_study_done_free(done);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trials of a run.");
    }
    done->run = run;
    opevo_i_store_pack(recorded->trials, recorded->count, known, &done->packed);
    done->packed.stop = opevo_stop_name(stop);
    if (opevo_text_check(&done->packed.data, err) != OPEVO_OK) {
        opevo_i_study_done_free(done);
        return OPEVO_NOMEM;
    }
    if (!opevo_i_study_writer_put(self->writer, done))
        return OPEVO_FAIL(err, OPEVO_IO, "The store cannot be written."); /* the writer says why */
    return OPEVO_OK;
}

static opevo_status compute(void *context, size_t index, unsigned worker, opevo_error *err)
{
    scheduler *self = context;
    size_t place = self->todo[index];
    const opevo_study_line *line = line_of(self, place);
    recorder recorded = {.trials = NULL};
    opevo_run_result result;
    double begun = opevo_clock_thread_s();
    opevo_status status = OPEVO_OK;
    opevo_run_options options = {.tuner = line->tuner,
                                 .settings = line->settings,
                                 .criteria = &line->criteria,
                                 .requirements = line->requirements,
                                 .requirement_count = line->requirement_count,
                                 .seed = seed_of(self, place),
                                 .budget = line->budget,
                                 .starts =
                                     self->study->plan->line_starts[line - self->study->lines],
                                 .observer = record,
                                 .observer_context = &recorded,
                                 .interrupt = self->options->interrupt};

    (void)worker;
    if (atomic_load(&self->interrupted))
        return OPEVO_OK;
    OPEVO_TRY(opevo_run(line->objective, &options, &result, err));
    if (result.stop == OPEVO_STOP_INTERRUPTED) {
        atomic_store(&self->interrupted, true);
        goto cleanup;
    }
    OPEVO_TRY(hand_over(self, self->slots[place].run, self->known[line - self->study->lines],
                        &recorded, result.stop, err));
    report(self, result.trials, result.failed_by_class[OPEVO_OUTCOME_UNRECORDED],
           opevo_clock_thread_s() - begun);
cleanup:
    opevo_free(recorded.trials);
    return status;
}

/* One for each objective that it suits, shared by the lines of it. */
static opevo_status make_known(scheduler *self, opevo_error *err)
{
    const opevo_study *study = self->study;

    self->known = opevo_calloc(study->line_count, sizeof(void *));
    self->made = opevo_calloc(study->line_count, sizeof(void *));
    OPEVO_NEED_OR_RETURN(self->known && self->made, "the runs of a study");
    for (size_t i = 0; i < study->line_count; i++) {
        const opevo_objective *objective = study->lines[i].objective;
        size_t k = 0;

        /* What breaks a requirement is not an outcome of the objective. */
        if (!opevo_i_store_known_suits(objective) || study->lines[i].requirement_count > 0)
            continue;
        while (k < self->made_count && self->made[k]->signature != objective->signature)
            k++;
        if (k == self->made_count) {
            opevo_status status = opevo_i_store_known_create(objective, &self->made[k], err);

            if (status != OPEVO_OK)
                return status;
            self->made_count++;
        }
        self->known[i] = self->made[k];
    }
    return OPEVO_OK;
}

static opevo_status compute_all(scheduler *self, opevo_error *err)
{
    opevo_error of_writer = {OPEVO_OK, ""};
    double begun = opevo_clock_monotonic_s();
    opevo_status status = OPEVO_OK;
    opevo_status written = OPEVO_OK;

    self->result.threads =
        self->options->threads ? self->options->threads : opevo_processor_count();
    if (self->todo_count == 0)
        return OPEVO_OK;
    status = make_known(self, err);
    if (status == OPEVO_OK)
        status = opevo_i_study_writer_create(self->store, &self->writer, err);
    if (status != OPEVO_OK)
        return status;
    status = opevo_parallel_for(self->todo_count, self->result.threads, compute, self, err);
    written = opevo_i_study_writer_finish(self->writer, &of_writer);
    self->result.wall_s = opevo_clock_monotonic_s() - begun;
    self->result.busy_s = self->busy_s;
    if (written == OPEVO_OK)
        return status;
    if (err)
        *err = of_writer;
    return written;
}

/* ---- Measured runs -------------------------------------------------------------------------- */

typedef struct watched_run {
    const opevo_study_options *options;
    const opevo_study_line *line;
    uint64_t seed;
} watched_run;

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    const watched_run *self = context;

    self->options->observer(self->options->observer_context, self->line, self->seed, trial,
                            resumed);
}

/* opevo_run knows what is there already: a run that has ended is only told its trials again. */
static opevo_status measure(scheduler *self, size_t place, opevo_error *err)
{
    const opevo_study_line *line = line_of(self, place);
    opevo_run_result result;
    watched_run watched = {self->options, line, seed_of(self, place)};
    opevo_run_options options = {.tuner = line->tuner,
                                 .settings = line->settings,
                                 .criteria = &line->criteria,
                                 .requirements = line->requirements,
                                 .requirement_count = line->requirement_count,
                                 .seed = watched.seed,
                                 .budget = line->budget,
                                 .starts =
                                     self->study->plan->line_starts[line - self->study->lines],
                                 .give_up = self->options->give_up,
                                 .observer = self->options->observer ? observe : NULL,
                                 .observer_context = &watched,
                                 .store = self->store,
                                 .note = line->note,
                                 .settings_more = line->settings_more,
                                 .interrupt = self->options->interrupt};
    opevo_status status = opevo_run(line->objective, &options, &result, err);

    if (status != OPEVO_OK)
        return status;
    if (result.stop == OPEVO_STOP_INTERRUPTED) {
        atomic_store(&self->interrupted, true);
        return OPEVO_OK;
    }
    self->result.fruitless += result.best.number == 0;
    self->result.gave_up += result.stop == OPEVO_STOP_GAVE_UP;
    if (self->slots[place].ended && result.trials > result.resumed)
        self->result.present--; /* a larger budget continued it */
    if (!self->slots[place].ended || result.trials > result.resumed)
        report(self, result.trials - result.resumed, 0, 0);
    return OPEVO_OK;
}

static opevo_status measure_all(scheduler *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK && !self->interrupted; i++) {
        if (!opevo_i_study_is_stored_whole(line_of(self, i)->objective))
            status = measure(self, i, err);
    }
    return status;
}

opevo_status opevo_study_run_sized(const opevo_study *study, const opevo_study_options *options,
                                   size_t size, opevo_study_result *result, opevo_error *err)
{
    opevo_study_options known;
    scheduler self = {.study = study, .options = &known};
    opevo_status status =
        opevo_struct_read(options, size, "opevo_study_options", &known, sizeof known, err);

    if (status != OPEVO_OK)
        return status;
    pthread_mutex_init(&self.lock, NULL);
    OPEVO_TRY(prepare(&self, err));
    show_progress(&self);
    OPEVO_TRY(compute_all(&self, err));
    OPEVO_TRY(measure_all(&self, err));
    OPEVO_TRY(opevo_store_check_place(self.store, err));
    self.result.ran = self.progress.done;
    self.result.trials = self.progress.trials;
    self.result.interrupted = self.interrupted;
    *result = self.result;
cleanup:
    opevo_store_close(self.store);
    opevo_free(self.numbers);
    opevo_free(self.slots);
    opevo_free(self.todo);
    for (size_t i = 0; i < self.made_count; i++)
        opevo_free(self.made[i]);
    opevo_free(self.made);
    opevo_free(self.known);
    pthread_mutex_destroy(&self.lock);
    return status;
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Join one source; without a store, only see whether it could be. */
static opevo_status merge_source(opevo_store *store, const char *path, const opevo_study *study,
                                 const uint64_t *numbers, size_t count, opevo_i_study_slot *slots,
                                 opevo_merge_result *result, opevo_error *err)
{
    opevo_store *source = NULL;
    opevo_status status = opevo_i_store_open_begun(path, &source, err);

    if (status != OPEVO_OK)
        return status;
    if (store && source)
        status = opevo_i_study_store_copy(store, source, study, numbers, count, slots,
                                          &result->added, err);
    else if (store)
        result->empty++;
    opevo_store_close(source);
    return status;
}

opevo_status opevo_study_merge(const opevo_study *study, const char *path,
                               const char *const *sources, size_t source_count,
                               opevo_merge_result *result, opevo_error *err)
{
    opevo_merge_result self = {.runs = opevo_study_run_count(study)};
    opevo_status status = OPEVO_OK;
    opevo_store *store = NULL;
    opevo_i_study_slot *slots = NULL;
    uint64_t *numbers = NULL;
    size_t count = 0;

    OPEVO_TRY(opevo_i_study_shard_numbers(study, (opevo_shard){0, 1}, &numbers, &count, err));
    OPEVO_NEW(slots, count, "the runs of a study");
    for (size_t i = 0; i < source_count; i++)
        OPEVO_TRY(merge_source(NULL, sources[i], study, numbers, count, slots, NULL, err));
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_ALONE, &store, err));
    OPEVO_TRY(opevo_i_study_slots(store, study, numbers, count, true, slots, err));
    for (size_t i = 0; i < source_count; i++)
        OPEVO_TRY(merge_source(store, sources[i], study, numbers, count, slots, &self, err));
    OPEVO_TRY(opevo_store_check_place(store, err));
    self.first_missing = self.runs;
    for (size_t i = count; i-- > 0;) {
        self.present += slots[i].ended;
        if (!slots[i].ended)
            self.first_missing = i;
    }
    *result = self;
cleanup:
    opevo_store_close(store);
    opevo_free(slots);
    opevo_free(numbers);
    return status;
}
