/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs as objectives: from points to commands, and from what a program printed to fitness. */

#include "live_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keeper_internal.h"
#include "result_reader_internal.h"
#include "samples_internal.h"

enum {
    DEPTH = 2,      /* jobs of one worker, so that it need not wait for the next */
    BUILD_DEPTH = 4 /* the same where they are built */
};
#define FLOP_LIMIT 1e30 /* times and rates stay numbers that can be compared */

typedef struct program {
    opevo_i_engine_live live;
    opevo_space *space;
    opevo_i_process_arguments command, build; /* no words: nothing is built */
    opevo_i_wire_quantity quantity;
    const char *unit; /* of what the program prints */
    opevo_i_wire_named_reading named[OPEVO_CRITERIA_MOST - 1];
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1]; /* their words */
} program;

opevo_program_options opevo_program_defaults(void)
{
    return (opevo_program_options){.repeats = 1, .run_limit_s = 60, .build_limit_s = 120};
}

static opevo_status prepare(const opevo_i_engine_live *live, opevo_index point,
                            opevo_i_engine_measuring *task, opevo_error *err)
{
    const program *self = (const program *)live;
    opevo_status status =
        opevo_i_process_command_fill(&self->command, self->space, point, &task->job.command, err);

    if (status == OPEVO_OK && self->build.count)
        status =
            opevo_i_process_command_fill(&self->build, self->space, point, &task->job.build, err);
    return status;
}

static void value(const opevo_i_engine_live *live, opevo_i_engine_measuring *task,
                  opevo_outcome *out)
{
    const program *self = (const program *)live;
    opevo_i_wire_result *result = &task->result;
    double flop = live->super.flop;
    bool is_time = self->quantity == OPEVO_I_TIME;
    double *sorted = opevo_malloc(result->sample_count, sizeof *sorted);
    double median = 0;

    if (!sorted) /* the first sample is as honest as any */
        median = result->samples[0];
    if (self->quantity == OPEVO_I_GFLOPS && flop > 0) {
        for (size_t i = 0; i < result->sample_count; i++)
            result->samples[i] = flop / (result->samples[i] * 1e9);
        is_time = true;
    }
    if (sorted) {
        memcpy(sorted, result->samples, result->sample_count * sizeof *sorted);
        opevo_i_wire_sort(sorted, result->sample_count);
        median = opevo_i_wire_median(sorted, result->sample_count);
        opevo_free(sorted);
    }
    out->fitness = median;
    if (!is_time)
        return;
    out->time_s = opevo_i_wire_recordable_s(median);
    out->fitness = flop > 0 ? flop / out->time_s / 1e9 : 1 / out->time_s;
    out->samples_s = result->samples;
    out->sample_count = result->sample_count;
}

static void release(opevo_i_engine_live *live)
{
    program *self = (program *)live;

    opevo_space_destroy(self->space);
    opevo_i_process_arguments_clear(&self->command);
    opevo_i_process_arguments_clear(&self->build);
    for (size_t i = 0; i < live->super.more_count; i++)
        opevo_i_wire_named_reading_clear(&self->named[i]);
}

static const opevo_objective_ops program_ops = {
    .kind = "cmd",
    .measure = opevo_i_engine_live_measure,
    .measure_from = opevo_i_engine_live_measure_from,
    .destroy = opevo_i_engine_live_destroy,
    .measure_rounds = opevo_i_engine_live_measure_rounds,
    .worker = opevo_i_engine_live_worker,
};

/* ---- Opening -------------------------------------------------------------------------------- */

static opevo_status read_exits(const opevo_program_options *options, json_t *out, opevo_error *err)
{
    for (size_t i = 0; i < options->exit_count; i++) {
        const char *text = options->exits[i];
        const char *equals = strchr(text, '=');
        char code[8];
        uint64_t number = 0;
        opevo_outcome_class kind = OPEVO_OUTCOME_OK;

        snprintf(code, sizeof code, "%.*s", equals ? (int)(equals - text) : 0, text);
        if (!equals || !opevo_parse_u64(code, &number) || number > 255 ||
            !opevo_outcome_parse(equals + 1, &kind) || kind == OPEVO_OUTCOME_UNRECORDED ||
            kind == OPEVO_OUTCOME_INFEASIBLE)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--exit %.100s: give an exit status from 0 to 255 and what it means, "
                              "one of ok, rejected, build-error, launch-error, wrong, timeout and "
                              "crashed, such as 3=rejected.",
                              text);
        json_object_set_new(out, code, json_string(opevo_outcome_name(kind)));
    }
    return OPEVO_OK;
}

static opevo_status check_numbers(const opevo_program_options *options, opevo_error *err)
{
    if (!(options->run_limit_s > 0 && isfinite(options->run_limit_s)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The time limit of a program must be above 0 seconds.");
    if (!(options->build_limit_s > 0 && isfinite(options->build_limit_s)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The time limit of a build must be above 0 seconds.");
    if (options->name && !*options->name)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--name is empty: name the objective.");
    if (options->flop != 0 && !(options->flop >= 1 && options->flop <= FLOP_LIMIT))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--flop must be a number from 1 to %g.", FLOP_LIMIT);
    if (options->repeats == 0 || options->repeats > OPEVO_I_SAMPLES_LIMIT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--repeats must be a number from 1 to %d.",
                          (int)OPEVO_I_SAMPLES_LIMIT);
    return OPEVO_OK;
}

static opevo_status read_criteria(program *self, const opevo_program_options *options,
                                  opevo_error *err)
{
    opevo_objective *objective = &self->live.super;

    if (options->criterion_count > OPEVO_CRITERIA_MOST - 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--criterion may be given at most %d times.",
                          OPEVO_CRITERIA_MOST - 1);
    objective->criteria = self->criteria;
    for (size_t i = 0; i < options->criterion_count; i++) {
        opevo_i_wire_named_reading *named = &self->named[i];
        opevo_error inner = {OPEVO_OK, ""};
        opevo_status status = opevo_i_wire_named_reading_parse(options->criteria[i], named, &inner);

        if (status != OPEVO_OK)
            return OPEVO_FAIL(err, status, "--criterion %.200s: %.700s", options->criteria[i],
                              inner.message);
        self->criteria[i] = (opevo_criterion){named->name, named->unit, named->larger_is_better};
        objective->more_count++;
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(self->criteria[k].name, named->name))
                return OPEVO_FAIL(err, OPEVO_INVALID, "--criterion %s is given twice.",
                                  named->name);
        }
    }
    return OPEVO_OK;
}

/* The texts of the criteria, for the worker and into the hash; nothing without them. */
static int add_criteria(const opevo_program_options *options, json_t *setup, uint64_t *hash)
{
    json_t *criteria = options->criterion_count ? json_array() : NULL;
    int failed = options->criterion_count && !criteria;

    for (size_t i = 0; i < options->criterion_count; i++) {
        const char *text = options->criteria[i];

        failed |= json_array_append_new(criteria, opevo_i_wire_json_text(text));
        *hash = opevo_hash_bytes(*hash, text, strlen(text) + 1);
    }
    return failed | (criteria ? json_object_set_new(setup, "criteria", criteria) : 0);
}

/* The limits of builds and the processors of the program, likewise. */
static int add_build(const opevo_program_options *options, json_t *setup, uint64_t *hash)
{
    int failed = 0;

    if (options->threads) {
        failed |= json_object_set_new(setup, "threads", json_integer(options->threads));
        *hash = opevo_hash_bytes(*hash, &options->threads, sizeof options->threads);
    }
    if (options->build) {
        failed |= json_object_set_new(setup, "build_limit_s", json_real(options->build_limit_s));
        *hash = opevo_hash_bytes(*hash, options->build, strlen(options->build) + 1);
        *hash = opevo_hash_bytes(*hash, &options->build_limit_s, sizeof options->build_limit_s);
    }
    return failed;
}

/* Where the commands run, and the program if it is the same for all configurations: a host must
 * have both. */
static int add_program(const program *self, json_t *setup)
{
    const char *word = self->command.items[0];
    char *folder = getcwd(NULL, 0);
    int failed = folder ? json_object_set_new(setup, "folder", opevo_i_wire_json_text(folder)) : 0;

    free(folder);
    if (!strchr(word, '{') && !strchr(word, OPEVO_I_OUTPUT_PLACE))
        failed |= json_object_set_new(setup, "program", opevo_i_wire_json_text(word));
    return failed;
}

/* The setup line, and all that decides outcomes in it into the signature. */
static opevo_status make_setup(program *self, const opevo_program_options *options, json_t *exits,
                               opevo_error *err)
{
    const char *result = options->result ? options->result : "s:wall";
    uint64_t hash = opevo_space_signature(self->space);
    char *dumped = json_dumps(exits, JSON_SORT_KEYS);
    json_t *setup = json_pack("{s:s, s:o, s:f, s:I, s:O}", "type", "setup", "result",
                              opevo_i_wire_json_text(result), "run_limit_s", options->run_limit_s,
                              "repeats", (json_int_t)options->repeats, "exits", exits);

    if (setup && !add_criteria(options, setup, &hash) && !add_build(options, setup, &hash) &&
        !add_program(self, setup))
        self->live.pool.setup = opevo_i_wire_message_line(json_incref(setup));
    json_decref(setup);
    if (!self->live.pool.setup || !dumped) {
        free(dumped);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a setup.");
    }
    hash = opevo_hash_bytes(hash, options->command, strlen(options->command) + 1);
    hash = opevo_hash_bytes(hash, result, strlen(result) + 1);
    hash = opevo_hash_bytes(hash, dumped, strlen(dumped) + 1);
    hash = opevo_hash_bytes(hash, &options->flop, sizeof options->flop);
    hash = opevo_hash_bytes(hash, &options->repeats, sizeof options->repeats);
    self->live.super.signature =
        opevo_hash_bytes(hash, &options->run_limit_s, sizeof options->run_limit_s);
    free(dumped);
    return OPEVO_OK;
}

/* Whether a value has the character that stands for the path of what is built. */
static bool has_output_place(const opevo_space *space)
{
    opevo_text text = {0};
    bool has = false;

    opevo_space_write_json(space, &text);
    has = text.failed || strstr(opevo_text_string(&text), "\\u001a");
    opevo_text_free(&text);
    return has;
}

/* The build, and that both commands have the place of what it makes. */
static opevo_status parse_build(program *self, const opevo_program_options *options,
                                opevo_error *err)
{
    opevo_status status = opevo_i_process_command_split(options->build, &self->build, err);
    size_t made = 0, run = 0;

    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++) {
        if (!strcmp(opevo_parameter_name(opevo_space_parameter(self->space, i)), "out"))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "{out} is the path of what is built; rename the parameter out.");
    }
    if (status == OPEVO_OK && has_output_place(self->space))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "a value of the space has the control character U+001A.");
    if (status == OPEVO_OK)
        status = opevo_i_process_command_mark_output(&self->build, &made, err);
    if (status == OPEVO_OK)
        status = opevo_i_process_command_mark_output(&self->command, &run, err);
    if (status == OPEVO_OK && (!made || !run))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "the %s has no {out}, the path of what is built; such as --on "
                            "'cmd:{out}' --build 'cc -O3 -DX={X} s.c -o {out}'.",
                            made ? "command" : "build");
    return status;
}

/* The words of both commands; borrowed, but for the array. */
static opevo_status check_words(const program *self, opevo_error *err)
{
    size_t count = self->command.count + self->build.count;
    opevo_i_process_arguments all = {.items = opevo_calloc(count, sizeof(char *)), .count = count};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(all.items, "a command");
    for (size_t i = 0; i < count; i++)
        all.items[i] = i < self->command.count ? self->command.items[i]
                                               : self->build.items[i - self->command.count];
    status = opevo_i_process_command_check(&all, self->space, err);
    opevo_free(all.items);
    return status;
}

/* What is built and what runs it, where each is known and no place of the other. */
static uint64_t hash_programs(const program *self)
{
    uint64_t built = self->build.count ? opevo_i_process_build_hash(&self->build) : 0;
    uint64_t run = strchr(self->command.items[0], OPEVO_I_OUTPUT_PLACE)
                       ? 0
                       : opevo_i_process_program_hash(&self->command);

    return built && run ? opevo_hash_bytes(built, &run, sizeof run) : built | run;
}

static opevo_status parse(program *self, const opevo_program_options *options, opevo_error *err)
{
    opevo_i_wire_result_reader reading = {.place = OPEVO_I_WALL};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_process_command_split(options->command, &self->command, &inner);

    if (status == OPEVO_OK && options->build) {
        status = parse_build(self, options, &inner);
        if (status != OPEVO_OK)
            return OPEVO_FAIL(err, status, "--build: %.900s", inner.message);
    }
    if (status == OPEVO_OK)
        status = check_words(self, &inner);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "--on cmd: %.900s", inner.message);
    status = opevo_i_wire_result_reader_parse(options->result ? options->result : "s:wall",
                                              &reading, &inner);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "--result %.200s: %.700s", options->result, inner.message);
    self->quantity = reading.quantity;
    self->unit = reading.unit;
    self->live.super.program = hash_programs(self);
    opevo_i_wire_result_reader_clear(&reading);
    return OPEVO_OK;
}

static opevo_status fill(program *self, const opevo_program_options *options, opevo_error *err)
{
    opevo_i_engine_live *live = &self->live;
    opevo_text name = {0};
    bool computed = self->quantity == OPEVO_I_TIME && options->flop > 0;

    opevo_text_printf(&name, "cmd:%s", options->name ? options->name : options->command);
    if (options->build && !options->name)
        opevo_text_printf(&name, " built by %s", options->build);
    if (name.failed)
        return opevo_text_check(&name, err);
    live->name = name.data;
    live->super.space = self->space;
    live->super.name = live->name;
    live->super.unit = computed ? "GFLOP/s" : self->unit;
    live->super.flop = options->flop;
    live->prepare = prepare;
    live->value = value;
    live->release = release;
    live->pool.kind = "cmd";
    live->pool.builds = self->build.count > 0;
    live->pool.depth = self->build.count ? BUILD_DEPTH : DEPTH;
    live->pool.start_limit_s = opevo_i_engine_live_start_s(&options->workers);
    live->pool.job_limit_s =
        (options->run_limit_s + 2 * OPEVO_I_RESULT_READER_S) * (double)options->repeats + 30;
    live->pool.silence_s = live->pool.job_limit_s + 30;
    if (self->build.count)
        live->pool.silence_s += BUILD_DEPTH * OPEVO_I_STARVED * options->build_limit_s;
    live->each = self->build.count ? BUILD_DEPTH : 1;
    opevo_i_engine_live_note_workers(live);
    return OPEVO_OK;
}

opevo_status opevo_program_open(opevo_space *space, const opevo_program_options *options,
                                opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    program *self = opevo_calloc(1, sizeof *self);
    json_t *exits = json_object();

    OPEVO_NEED(self && exits, "an objective");
    self->live.super.ops = &program_ops;
    self->live.release = release;
    self->space = space;
    OPEVO_TRY(check_numbers(options, err));
    OPEVO_TRY(read_exits(options, exits, err));
    OPEVO_TRY(parse(self, options, err));
    OPEVO_TRY(read_criteria(self, options, err));
    OPEVO_TRY(make_setup(self, options, exits, err));
    OPEVO_TRY(opevo_i_engine_live_workers(&self->live.pool, &options->workers, "cmd", err));
    self->live.mixed = options->workers.mixed;
    self->live.super.measurer = &self->live.by;
    OPEVO_TRY(fill(self, options, err));
    *out = &self->live.super;
cleanup:
    json_decref(exits);
    if (status != OPEVO_OK && self) {
        self->space = NULL; /* still the caller's */
        opevo_i_engine_live_destroy(&self->live.super);
    }
    return status;
}
