/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Record: measure many points of an objective once, and keep them as a recorded landscape. */

#include "live_options_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "record_internal.h"
#include "recording_spec_internal.h"
#include "terminal_internal.h"

#include <opevo/hardware.h>
#include <opevo/memory.h>
#include <opevo/tuner.h>
#include <opevo/unit.h>

#include <string.h>

static const opevo_option options[] = {
    {"on", "OBJECTIVE", "cmd:PROGRAM, sim:DEVICE, " OPEVO_DEVICES, false},
    {"space", "FILE", "space file of a program, or a restriction of the kernels' space", false},
    {"out", "NAME", "write NAME.csv and NAME.json; the same command continues", false},
    {"all", NULL, "all allowed points", false},
    {"sample", "N", "N distinct uniform points; a larger N continues a smaller one", false},
    {"from", "STORE:RUN", "record the trials of a stored run without measuring; needs no --on",
     false},
    {"seed", "N", "seed of the order (default 1)", false},
    {"shard", "I/N", "record the I-th of N shares into NAME.I-of-N.csv", false},
    {"shards", "N", "the tasks of this job array, numbered from 1, are some of N shares", false},
    {"merge", NULL, "join shares into NAME: those named as arguments, or NAME.*-of-*.csv", false},
    OPEVO_I_GIVE_UP_OPTION,
    OPEVO_I_LIVE_OPTIONS,
    OPEVO_I_KERNEL_THREADS_OPTION,
    {"quiet", NULL, "no progress line", false},
};

enum { BATCH = 1024 };

typedef struct plan {
    opevo_objective *objective;
    opevo_i_cli_record record;
    opevo_index *points;
    size_t count;
    opevo_progress progress;
    uint64_t measured;
    opevo_i_cli_reasons reasons; /* of what was measured now */
    uint64_t give_up;
    bool gave_up;
    opevo_text by; /* who said which share it is */
} plan;

static opevo_status choose_points(const opevo_i_cli_record_share *share, plan *self,
                                  opevo_error *err)
{
    size_t count = 0;
    opevo_status status =
        opevo_i_cli_record_points(self->objective->space, share, &self->points, &count, err);

    for (size_t i = share->shard.index; status == OPEVO_OK && i < count; i += share->shard.count)
        self->points[self->count++] = self->points[i];
    return status;
}

/* ---- Recording ------------------------------------------------------------------------------ */

static void show(plan *self, size_t done)
{
    const char *unit = self->objective->unit;
    char best[64] = "none";
    char line[160];

    if (!opevo_i_cli_progress_due(&self->progress))
        return;
    if (self->record.asked.best_fitness > 0)
        snprintf(best, sizeof best, "%.6g %s",
                 opevo_unit_result(unit, self->record.asked.best_fitness), opevo_unit_name(unit));
    snprintf(line, sizeof line, "%zu of %zu points, best %s", done, self->count, best);
    opevo_i_cli_progress_draw(&self->progress, (double)done / (double)self->count, line);
}

/* Count what failed and say how at once; end where nothing was ever ok and one kind of failure came
 * too often. */
static void note_failure(plan *self, opevo_index point, const opevo_outcome *outcome)
{
    opevo_trial trial = {.number = self->measured, .proposal.point = point, .outcome = *outcome};

    if (opevo_i_cli_reasons_add(&self->reasons, &trial, false) && !self->objective->concurrent)
        opevo_i_cli_reasons_tell("record", "", &trial, &self->progress);
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

    OPEVO_NEED_OR_RETURN(outcomes, "a batch");
    OPEVO_TRY(opevo_objective_evaluate(self->objective, points, count, outcomes, err));
    OPEVO_TRY(opevo_i_cli_record_add(&self->record, points, outcomes, count, err));
    for (size_t i = 0; i < count; i++) {
        self->measured++;
        note_failure(self, points[i], &outcomes[i]);
    }
cleanup:
    opevo_free(outcomes);
    return status;
}

/* What is measured, point by point as workers come free. */
typedef struct measuring {
    plan *plan;
    size_t next;        /* of the plan */
    opevo_index *given; /* to the objective, in order */
    size_t capacity, count;
} measuring;

/* The next points that have no row. */
static opevo_status next_points(void *context, opevo_index *points, size_t capacity, size_t *count,
                                bool *over, opevo_error *err)
{
    measuring *self = context;
    opevo_status status = OPEVO_OK;

    *over = self->plan->gave_up;
    for (*count = 0; *count < capacity && self->next < self->plan->count && !*over;) {
        opevo_index point = self->plan->points[self->next++];
        bool has = false;

        OPEVO_TRY(opevo_i_cli_record_has(&self->plan->record, point, &has, err));
        if (has)
            continue;
        OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->given, &self->capacity, self->count + 1,
                                           sizeof *self->given),
                             "another point");
        points[(*count)++] = self->given[self->count++] = point;
    }
cleanup:
    return status;
}

static opevo_status keep(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    const measuring *self = context;
    opevo_status status =
        opevo_i_cli_record_add(&self->plan->record, &self->given[i], outcome, 1, err);

    if (status != OPEVO_OK)
        return status;
    self->plan->measured++;
    note_failure(self->plan, self->given[i], outcome);
    show(self->plan, self->next);
    return OPEVO_OK;
}

/* Each row is on the disk as soon as it is measured; an interrupt loses what is being measured. */
static opevo_status measure_points(plan *self, opevo_error *err)
{
    measuring now = {.plan = self};
    const opevo_point_source source = {.next = next_points, .context = &now};
    opevo_status status = opevo_objective_measure_from(self->objective, &source,
                                                       &opevo_i_cli_interrupted, keep, &now, err);

    opevo_free(now.given);
    return status == OPEVO_INTERRUPTED ? OPEVO_OK : status;
}

static opevo_status compute_all(plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index points[BATCH];
    size_t at = 0;

    while (at < self->count && !opevo_interrupt_is_raised(&opevo_i_cli_interrupted) &&
           !self->gave_up) {
        size_t count = 0;

        while (at < self->count && count < BATCH) {
            bool has = false;

            points[count] = self->points[at++];
            OPEVO_TRY(opevo_i_cli_record_has(&self->record, points[count], &has, err));
            count += !has;
        }
        if (count > 0)
            OPEVO_TRY(compute_points(self, points, count, err));
        show(self, at);
    }
cleanup:
    return status;
}

/* The files of shares take the place of everything that says what is recorded. */
static opevo_status check_merge(const opevo_call *call, opevo_error *err)
{
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].option->name;

        if (strcmp(name, "merge") != 0 && strcmp(name, "out") != 0 && strcmp(name, "quiet") != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--merge cannot be combined with --%s: the shares say what they are "
                              "of.",
                              name);
    }
    return opevo_i_cli_option(call, "out")
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "--out is missing: give --out NAME.");
}

static opevo_status check_call(const opevo_call *call, opevo_error *err)
{
    int ways = opevo_i_cli_flag(call, "all") + opevo_i_cli_flag(call, "sample") +
               opevo_i_cli_flag(call, "from");
    const char *on = opevo_i_cli_option(call, "on");

    if (opevo_i_cli_flag(call, "merge"))
        return check_merge(call, err);
    if (ways != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Give one of --all, --sample N and --from STORE:RUN.");
    if (call->argument_count > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: give one operator.", call->arguments[1]);
    if (opevo_i_cli_flag(call, "from") && opevo_i_cli_flag(call, "shard"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--shard is for what is measured; omit it.");
    if (!opevo_i_cli_option(call, "out"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--out is missing: give --out NAME.");
    if (opevo_i_cli_flag(call, "from") && !on &&
        (call->argument_count || opevo_i_cli_flag(call, "space")))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Omit %s: the store knows the run's objective.",
                          call->argument_count ? call->arguments[0] : "--space");
    if (on && opevo_i_cli_is_recorded(on) && !opevo_i_cli_flag(call, "from"))
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
    const opevo_i_cli_record *record = &self->record;
    const opevo_i_cli_record_totals *asked = &record->asked;
    const char *unit = record->objective->unit;
    uint64_t failed = asked->rows - asked->by_class[OPEVO_OUTCOME_OK];

    opevo_i_cli_text_add_objective(out, record->objective->name);
    if (record->share.shard.count > 1)
        opevo_text_printf(out, ", share %u/%u%s%s%s", (unsigned)record->share.shard.index + 1,
                          (unsigned)record->share.shard.count, self->by.length ? " (" : "",
                          opevo_text_string(&self->by), self->by.length ? ")" : "");
    opevo_text_printf(out, ": %llu of %zu points recorded, %llu of them now, %llu failed\n",
                      (unsigned long long)asked->rows, self->count,
                      (unsigned long long)self->measured, (unsigned long long)failed);
    opevo_i_cli_reasons_print(&self->reasons, out);
    if (self->gave_up)
        opevo_i_cli_give_up_print(self->give_up, out);
    if (asked->best_fitness > 0)
        opevo_text_printf(out, "best %.8g %s%s\n", opevo_unit_result(unit, asked->best_fitness),
                          opevo_unit_name(unit),
                          opevo_unit_is_time(unit) ? " (smaller is better)" : "");
    opevo_text_printf(out, "written to %s and %s\n", opevo_text_string(&record->csv_path),
                      opevo_text_string(&record->json_path));
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        opevo_text_add(out, "interrupted; the same command continues\n");
}

/* Which share, and what its files are called. */
static opevo_status read_share(const opevo_call *call, opevo_i_cli_record_share *share,
                               opevo_text *by, opevo_text *name, opevo_error *err)
{
    const char *out = opevo_i_cli_option(call, "out");
    opevo_text table = {0};
    uint64_t shares = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &share->seed, err));
    if (opevo_i_cli_flag(call, "sample"))
        OPEVO_TRY(opevo_i_cli_option_count(call, "sample", 0, 1, INT64_MAX, &share->sample, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "shards", 0, 1, OPEVO_I_SHARDS_MAX, &shares, err));
    OPEVO_TRY(
        opevo_i_cli_shard_of(opevo_i_cli_option(call, "shard"), shares, &share->shard, by, err));
    opevo_text_printf(&table, "%s.csv", out);
    OPEVO_TRY(opevo_text_check(&table, err));
    if (by->length)
        OPEVO_TRY(opevo_i_cli_shards_check(table.data, share->shard, err));
    OPEVO_TRY(opevo_i_cli_record_share_name(out, share->shard, name, err));
cleanup:
    opevo_text_free(&table);
    return status;
}

static opevo_status measure(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_record_share share = {.seed = 1};
    opevo_text name = {0};

    OPEVO_TRY(check_times(self->objective, err));
    OPEVO_TRY(read_share(call, &share, &self->by, &name, err));
    OPEVO_TRY(choose_points(&share, self, err));
    OPEVO_TRY(opevo_i_cli_record_open(opevo_text_string(&name), self->objective, &share,
                                      &self->record, err));
    opevo_i_cli_catch_interrupts();
    opevo_i_cli_progress_start(&self->progress, opevo_i_cli_flag(call, "quiet"));
    status = self->objective->concurrent ? compute_all(self, err) : measure_points(self, err);
    opevo_i_cli_progress_end(&self->progress);
cleanup:
    opevo_text_free(&name);
    return status;
}

/* The trials of a run, of the objective that its store names; another one may not be given. */
static opevo_status copy(const opevo_call *call, plan *self, opevo_i_cli_stored_run *from,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_stored_run_open(opevo_i_cli_option(call, "from"), from, err));
    if (self->objective)
        OPEVO_TRY(opevo_i_cli_stored_run_check(from, self->objective, err));
    OPEVO_TRY(opevo_i_cli_record_open(opevo_i_cli_option(call, "out"), &from->objective,
                                      &(opevo_i_cli_record_share){.shard = {0, 1}}, &self->record,
                                      err));
    OPEVO_TRY(opevo_i_cli_stored_run_copy(from, &self->record, err));
    self->count = from->points;
    self->measured = from->copied;
cleanup:
    return status;
}

static opevo_status merge(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *path = opevo_i_cli_option(call, "out");
    opevo_i_cli_record_merged merged = {.shares = 0};
    opevo_status status =
        opevo_i_cli_record_merge(path, call->arguments, call->argument_count, &merged, err);

    if (status == OPEVO_OK) {
        opevo_i_cli_text_add_objective(out, opevo_text_string(&merged.name));
        opevo_text_printf(
            out, ": %zu of %zu points recorded, by %zu shares, %llu failed\n", merged.present,
            merged.points, merged.shares,
            (unsigned long long)(merged.totals.rows - merged.totals.by_class[OPEVO_OUTCOME_OK]));
        opevo_text_printf(out, "written to %s.csv and %s.json\n", path, path);
    }
    if (status == OPEVO_OK && !merged.totals.by_class[OPEVO_OUTCOME_OK])
        *exit_code = OPEVO_EXIT_FAILED;
    if (status == OPEVO_OK && merged.present < merged.points) {
        opevo_text_printf(out,
                          "%zu points are missing; the first is one of share %u/%u, whose command "
                          "continues\n",
                          merged.points - merged.present, (unsigned)merged.missing.index + 1,
                          (unsigned)merged.missing.count);
        *exit_code = OPEVO_EXIT_FAILED;
    }
    opevo_text_free(&merged.name);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    plan self = {.record = {.file = -1}};
    opevo_i_cli_stored_run from = {.store = NULL};
    bool copies = opevo_i_cli_flag(call, "from");

    OPEVO_TRY(check_call(call, err));
    if (opevo_i_cli_flag(call, "merge")) {
        status = merge(call, out, exit_code, err);
        goto cleanup;
    }
    if (!copies || opevo_i_cli_option(call, "on"))
        OPEVO_TRY(opevo_i_cli_objective_of_call(
            call, call->argument_count ? call->arguments[0] : NULL, opevo_i_cli_option(call, "on"),
            opevo_i_cli_option(call, "space"), &self.objective, err));
    if (!copies)
        OPEVO_TRY(opevo_i_cli_give_up_read(call, !self.objective->concurrent, &self.give_up, err));
    OPEVO_TRY(copies ? copy(call, &self, &from, err) : measure(call, &self, err));
    OPEVO_TRY(opevo_i_cli_record_check_place(&self.record, err));
    OPEVO_TRY(opevo_i_cli_record_describe(
        &self.record, !opevo_interrupt_is_raised(&opevo_i_cli_interrupted) && !self.gave_up, err));
    print_result(&self, out);
    /* A share has done its work; the whole is judged when it is merged. */
    if (!self.record.asked.by_class[OPEVO_OUTCOME_OK] &&
        (self.record.share.shard.count < 2 || self.gave_up))
        *exit_code = OPEVO_EXIT_FAILED;
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
cleanup:
    opevo_i_cli_reasons_free(&self.reasons);
    opevo_i_cli_record_close(&self.record);
    opevo_i_cli_stored_run_close(&from);
    opevo_objective_destroy(self.objective);
    opevo_text_free(&self.by);
    opevo_free(self.points);
    return status;
}

const opevo_verb opevo_i_cli_verb_record = {
    .name = "record",
    .arguments = "[OPERATOR]",
    .arguments_max = 4096,
    .summary = "Measure a landscape, or a sample of it, into a table that can be replayed.",
    .details =
        "  opevo record --on 'cmd:./bench {X}' --space space.json --all --out bench\n"
        "  opevo tune --on recorded:bench\n"
        "  opevo record --from runs.db:1 --out bench\n"
        "  opevo record mm1 --on cpu --sample 5000 --out mm1 --shard 2/8\n"
        "  opevo record --merge --out mm1\n\n"
        "Each row is on disk as soon as it is measured. After a kill at any moment the same\n"
        "command continues. Points are measured in a random order.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
