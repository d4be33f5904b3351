/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Record: measure many points of an objective once, and keep them as a recorded landscape. */

#include "reasons_internal.h"
#include "record_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/unit.h>

#include <string.h>

static const opevo_option options[] = {
    {"on", "OBJECTIVE", "cmd:PROGRAM, sim:DEVICE, cpu, cuda:N, hip:N", false},
    {"space", "FILE", "space file of a program, or a restriction of the kernels' space", false},
    {"out", "NAME", "write NAME.csv and NAME.json; the same command continues", false},
    {"all", NULL, "all allowed points", false},
    {"sample", "N", "N distinct uniform points; a larger N continues a smaller one", false},
    {"from", "STORE:RUN", "record the trials of a stored run without measuring; needs no --on",
     false},
    {"seed", "N", "seed of the order (default 1)", false},
    OPEVO_I_GIVE_UP_OPTION,
    OPEVO_I_LIVE_OPTIONS,
    OPEVO_I_KERNEL_THREADS_OPTION,
    {"quiet", NULL, "no progress line", false},
};

/* Spaces up to this many points are put into a random order as a whole. */
#define MOST_SHUFFLED ((opevo_index)1 << 26)
#define MOST_LOOKED_AT ((opevo_index)1 << 32) /* for --all: minutes */
enum { BATCH = 1024, MISSES = 1 << 26 };      /* so many draws take seconds */

typedef struct plan {
    opevo_objective *objective;
    opevo_i_record record;
    opevo_index *points;
    size_t count;
    opevo_progress progress;
    uint64_t measured;
    opevo_i_reasons reasons; /* of what was measured now */
    uint64_t give_up;
    bool gave_up;
} plan;

/* ---- Which points --------------------------------------------------------------------------- */

/* The allowed points of a space of at most MOST_LOOKED_AT; the caller frees them. */
static opevo_status list_allowed(const opevo_space *space, uint32_t **points, size_t *count,
                                 opevo_error *err)
{
    size_t size = (size_t)opevo_space_size(space);
    size_t capacity = 0;

    for (size_t i = 0; i < size; i++) {
        if (!opevo_space_allows(space, i))
            continue;
        if (*count == MOST_SHUFFLED)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "--all: more than 2^26 points are allowed; take --sample N.");
        if (!opevo_reserve((void **)points, &capacity, *count + 1, sizeof **points))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu points.", *count + 1);
        (*points)[(*count)++] = (uint32_t)i;
    }
    return OPEVO_OK;
}

/* All allowed points in a random order, the first `most` of them: what was measured when is then
 * independent of where it lies, and a larger sample contains a smaller one. */
static opevo_status shuffle(plan *self, uint64_t seed, uint64_t most, opevo_error *err)
{
    uint32_t *order = NULL;
    size_t allowed = 0;
    opevo_rng rng;
    opevo_status status = list_allowed(self->objective->space, &order, &allowed, err);

    self->count = most < allowed ? (size_t)most : allowed;
    self->points = opevo_malloc(self->count, sizeof *self->points);
    if (status == OPEVO_OK && !self->points)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu points.", self->count);
    if (status != OPEVO_OK) {
        opevo_free(order);
        return status;
    }
    opevo_rng_init(&rng, seed, "record", 0);
    opevo_rng_choose(&rng, order, allowed, self->count, sizeof *order);
    for (size_t i = 0; i < self->count; i++)
        self->points[i] = order[i];
    opevo_free(order);
    return OPEVO_OK;
}

/* Different allowed points of a space too large to list. */
static opevo_status draw(plan *self, uint64_t seed, uint64_t most, opevo_error *err)
{
    const opevo_space *space = self->objective->space;
    opevo_index_set *seen = opevo_index_set_create();
    opevo_status status = OPEVO_OK;
    opevo_rng rng;
    unsigned misses = 0;

    self->points = opevo_malloc((size_t)most, sizeof *self->points);
    if (!seen || !self->points)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
    opevo_rng_init(&rng, seed, "record", 0);
    while (status == OPEVO_OK && self->count < most) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(space));

        if (!opevo_space_allows(space, point) || opevo_index_set_has(seen, point)) {
            if (++misses > MISSES)
                status = OPEVO_FAIL(err, OPEVO_LIMIT,
                                    "Hardly any point of the space is allowed; none was found in "
                                    "%d draws.",
                                    (int)MISSES);
            continue;
        }
        misses = 0;
        if (!opevo_index_set_add(seen, point))
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for points.");
        self->points[self->count++] = point;
    }
    opevo_index_set_destroy(seen);
    return status;
}

static opevo_status choose_points(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool all = opevo_i_flag(call, "all");
    uint64_t seed = 1;
    uint64_t most = UINT64_MAX;

    OPEVO_TRY(opevo_i_option_count(call, "seed", 1, 0, UINT64_MAX, &seed, err));
    OPEVO_TRY(opevo_i_option_count(call, "sample", UINT64_MAX, 1, UINT64_MAX, &most, err));
    if (opevo_space_size(self->objective->space) <= (all ? MOST_LOOKED_AT : MOST_SHUFFLED))
        return shuffle(self, seed, most, err);
    if (all)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "--all: the space has more than 2^32 points; take --sample N.");
    if (most > (uint64_t)MOST_SHUFFLED)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "--sample: give at most 2^26.");
    return draw(self, seed, most, err);
cleanup:
    return status;
}

/* ---- Recording ------------------------------------------------------------------------------ */

static void show(plan *self, size_t done)
{
    const char *unit = self->objective->unit;
    char best[64] = "none";
    char line[160];

    if (!opevo_i_progress_due(&self->progress))
        return;
    if (self->record.asked.best_fitness > 0)
        snprintf(best, sizeof best, "%.6g %s",
                 opevo_unit_result(unit, self->record.asked.best_fitness), opevo_unit_name(unit));
    snprintf(line, sizeof line, "%zu of %zu points, best %s", done, self->count, best);
    opevo_i_progress_draw(&self->progress, (double)done / (double)self->count, line);
}

/* Count what failed and say how at once; end where nothing was ever ok and one kind of failure came
 * too often. */
static void note_failure(plan *self, opevo_index point, const opevo_outcome *outcome)
{
    opevo_trial trial = {.number = self->measured, .proposal.point = point, .outcome = *outcome};

    if (opevo_i_reasons_add(&self->reasons, &trial, false) && !self->objective->concurrent)
        opevo_i_reasons_tell("record", "", &trial, &self->progress);
    if (self->give_up && outcome->kind != OPEVO_OUTCOME_OK &&
        outcome->kind != OPEVO_OUTCOME_REJECTED && !self->record.asked.by_class[OPEVO_OUTCOME_OK] &&
        self->reasons.of[outcome->kind].count >= self->give_up)
        self->gave_up = true;
}

static opevo_status compute_points(plan *self, const opevo_index *points, size_t count,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_outcome *outcomes = opevo_malloc(count, sizeof *outcomes);

    if (!outcomes)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a batch.");
    OPEVO_TRY(opevo_objective_evaluate(self->objective, points, count, outcomes, err));
    OPEVO_TRY(opevo_i_record_add(&self->record, points, outcomes, count, err));
    for (size_t i = 0; i < count; i++) {
        self->measured++;
        note_failure(self, points[i], &outcomes[i]);
    }
cleanup:
    opevo_free(outcomes);
    return status;
}

typedef struct measuring {
    plan *plan;
    const opevo_index *points;
} measuring;

static opevo_status keep(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    const measuring *self = context;
    opevo_status status =
        opevo_i_record_add(&self->plan->record, &self->points[i], outcome, 1, err);

    if (status != OPEVO_OK)
        return status;
    self->plan->measured++;
    note_failure(self->plan, self->points[i], outcome);
    return OPEVO_OK;
}

/* Each row is on the disk as soon as it is measured; an interrupt loses what is being measured. */
static opevo_status measure_points(plan *self, const opevo_index *points, size_t count,
                                   opevo_error *err)
{
    measuring now = {.plan = self, .points = points};
    opevo_status status = opevo_objective_measure(self->objective, points, count,
                                                  &opevo_i_interrupted, keep, &now, err);

    return status == OPEVO_INTERRUPTED ? OPEVO_OK : status;
}

static opevo_status measure_all(plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool computed = self->objective->concurrent;
    size_t wanted = opevo_objective_wanted(self->objective);
    size_t batch = computed || wanted > BATCH ? BATCH : wanted;
    opevo_index points[BATCH];
    size_t at = 0;

    while (at < self->count && !opevo_interrupt_is_raised(&opevo_i_interrupted) && !self->gave_up) {
        size_t count = 0;

        while (at < self->count && count < batch) {
            bool has = false;

            points[count] = self->points[at++];
            OPEVO_TRY(opevo_i_record_has(&self->record, points[count], &has, err));
            count += !has;
        }
        if (count > 0)
            OPEVO_TRY(computed ? compute_points(self, points, count, err)
                               : measure_points(self, points, count, err));
        show(self, at);
    }
cleanup:
    return status;
}

static opevo_status check_call(const opevo_call *call, opevo_error *err)
{
    int ways =
        opevo_i_flag(call, "all") + opevo_i_flag(call, "sample") + opevo_i_flag(call, "from");
    const char *on = opevo_i_option(call, "on");

    if (ways != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Give one of --all, --sample N and --from STORE:RUN.");
    if (!opevo_i_option(call, "out"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--out is missing: give --out NAME.");
    if (opevo_i_flag(call, "from") && !on && (call->argument_count || opevo_i_flag(call, "space")))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Omit %s: the store knows the run's objective.",
                          call->argument_count ? call->arguments[0] : "--space");
    if (on && opevo_i_is_recorded(on) && !opevo_i_flag(call, "from"))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--on %s is already a recording; use --from STORE:RUN to record the trials of a run.",
            on);
    return OPEVO_OK;
}

static opevo_status check_times(const opevo_objective *objective, opevo_error *err)
{
    if (!strcmp(objective->unit, "score") ||
        (!strcmp(opevo_unit_of_fitness(objective->unit), "GFLOP/s") && !(objective->flop > 0)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s gives no times, which a recording needs: read a time with --result, "
                          "or give --flop.",
                          objective->name);
    return OPEVO_OK;
}

static void print_result(const plan *self, opevo_text *out)
{
    const opevo_i_record *record = &self->record;
    const opevo_i_record_totals *asked = &record->asked;
    const char *unit = record->objective->unit;
    uint64_t failed = asked->rows - asked->by_class[OPEVO_OUTCOME_OK];

    opevo_i_text_add_objective(out, record->objective->name);
    opevo_text_printf(out, ": %llu of %zu points recorded, %llu of them now, %llu failed\n",
                      (unsigned long long)asked->rows, self->count,
                      (unsigned long long)self->measured, (unsigned long long)failed);
    opevo_i_reasons_print(&self->reasons, out);
    if (self->gave_up)
        opevo_text_printf(out,
                          "gave up after %llu failures of one class: fix their cause, or raise the "
                          "limit with --give-up N\n",
                          (unsigned long long)self->give_up);
    if (asked->best_fitness > 0)
        opevo_text_printf(out, "best %.8g %s%s\n", opevo_unit_result(unit, asked->best_fitness),
                          opevo_unit_name(unit),
                          opevo_unit_is_time(unit) ? " (smaller is better)" : "");
    opevo_text_printf(out, "written to %s and %s\n", opevo_text_string(&record->csv_path),
                      opevo_text_string(&record->json_path));
    if (opevo_interrupt_is_raised(&opevo_i_interrupted))
        opevo_text_add(out, "interrupted; the same command continues\n");
}

static opevo_status measure(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_times(self->objective, err));
    OPEVO_TRY(choose_points(call, self, err));
    OPEVO_TRY(
        opevo_i_record_open(opevo_i_option(call, "out"), self->objective, &self->record, err));
    opevo_i_catch_interrupts();
    opevo_i_progress_start(&self->progress, opevo_i_flag(call, "quiet"));
    status = measure_all(self, err);
    opevo_i_progress_end(&self->progress);
cleanup:
    return status;
}

/* The trials of a run, of the objective that its store names; another one may not be given. */
static opevo_status copy(const opevo_call *call, plan *self, opevo_i_stored_run *from,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_stored_run_open(opevo_i_option(call, "from"), from, err));
    if (self->objective)
        OPEVO_TRY(opevo_i_stored_run_check(from, self->objective, err));
    OPEVO_TRY(
        opevo_i_record_open(opevo_i_option(call, "out"), &from->objective, &self->record, err));
    OPEVO_TRY(opevo_i_stored_run_copy(from, &self->record, err));
    self->count = from->points;
    self->measured = from->copied;
cleanup:
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    plan self = {.record = {.file = -1}};
    opevo_i_stored_run from = {.store = NULL};
    bool copies = opevo_i_flag(call, "from");

    OPEVO_TRY(check_call(call, err));
    if (!copies || opevo_i_option(call, "on"))
        OPEVO_TRY(opevo_i_objective_of_call(call, call->argument_count ? call->arguments[0] : NULL,
                                            opevo_i_option(call, "on"),
                                            opevo_i_option(call, "space"), &self.objective, err));
    if (!copies)
        OPEVO_TRY(opevo_i_give_up_read(call, !self.objective->concurrent, &self.give_up, err));
    OPEVO_TRY(copies ? copy(call, &self, &from, err) : measure(call, &self, err));
    OPEVO_TRY(opevo_i_record_check_place(&self.record, err));
    OPEVO_TRY(opevo_i_record_describe(
        &self.record, !opevo_interrupt_is_raised(&opevo_i_interrupted) && !self.gave_up, err));
    print_result(&self, out);
    if (!self.record.asked.by_class[OPEVO_OUTCOME_OK])
        *exit_code = OPEVO_EXIT_FAILED;
    if (opevo_interrupt_is_raised(&opevo_i_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
cleanup:
    opevo_i_reasons_free(&self.reasons);
    opevo_i_record_close(&self.record);
    opevo_i_stored_run_close(&from);
    opevo_objective_destroy(self.objective);
    opevo_free(self.points);
    return status;
}

const opevo_verb opevo_i_verb_record = {
    .name = "record",
    .arguments = "[OPERATOR]",
    .arguments_max = 1,
    .summary = "Measure a landscape, or a sample of it, into a table that can be replayed.",
    .details =
        "  opevo record --on 'cmd:./bench {X}' --space space.json --all --out bench\n"
        "  opevo tune --on recorded:bench\n"
        "  opevo record --from runs.db:1 --out bench\n\n"
        "Each row is on disk as soon as it is measured. After a kill at any moment the same\n"
        "command continues. Points are measured in a random order.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
