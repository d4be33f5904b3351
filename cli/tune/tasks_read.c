/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a command line says of several operators, or several objectives, that share a budget. */

#include "emitted_files_internal.h"
#include "options_internal.h"
#include "store_of_call_internal.h"
#include "tune_internal.h"

#include <opevo/memory.h>
#include <opevo/objective.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIALS_OF_EACH = 500 }; /* when no limit is given */

static const opevo_option task_options[] = {OPEVO_I_TASK_OPTIONS};

/* Values of a repeatable option. */
static size_t count_given(const opevo_call *call, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < call->given_count; i++)
        count += !strcmp(call->given[i].option->name, name);
    return count;
}

/* The one of task `number`, where there is one for each or one for all; NULL without any. */
static const char *value_for(const opevo_call *call, const char *name, size_t number)
{
    size_t left = count_given(call, name) == 1 ? 0 : number;

    for (size_t i = 0; i < call->given_count; i++) {
        if (!strcmp(call->given[i].option->name, name) && left-- == 0)
            return call->given[i].value;
    }
    return NULL;
}

size_t opevo_i_cli_tasks_count(const opevo_call *call)
{
    size_t ons = count_given(call, "on");

    return call->argument_count > ons ? call->argument_count : ons;
}

opevo_status opevo_i_cli_tasks_refuse(const opevo_call *call, opevo_error *err)
{
    for (size_t i = 0; i < sizeof task_options / sizeof *task_options; i++) {
        if (opevo_i_cli_flag(call, task_options[i].name))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s applies to several operators, which share the trials.",
                              task_options[i].name);
    }
    if (count_given(call, "space") > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--space is given twice.");
    return OPEVO_OK;
}

/* Everything that the call says is said of each task, or of all. */
static opevo_status check_call(const opevo_call *call, size_t count, opevo_error *err)
{
    static const char *const of_one[][2] = {
        {"runs", "repeat the command with another --seed"},
        {"criteria", "the common budget goes by time alone"},
        {"learn", "an earlier run belongs to one space"},
        {"curve", "repeat the run of one of them from its --store"},
    };
    size_t ons = count_given(call, "on"), spaces = count_given(call, "space");

    if (ons > 1 && call->argument_count > 1 && ons != call->argument_count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%zu operators and %zu --on: give one --on for all, or one for each.",
                          call->argument_count, ons);
    if (spaces > 1 && spaces != count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%zu --space for %zu tasks: give one for all, or one for each.", spaces,
                          count);
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++) {
        if (opevo_i_cli_flag(call, of_one[i][0]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s applies to one operator, not to %zu: %s.",
                              of_one[i][0], count, of_one[i][1]);
    }
    return OPEVO_OK;
}

static opevo_status read_weights(const opevo_call *call, opevo_i_cli_tasks *self, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "weights");
    size_t count = 0;
    double sum = 0;

    for (size_t i = 0; i < self->count; i++)
        self->weights[i] = 1;
    if (!text)
        return OPEVO_OK;
    for (const char *at = text, *end = text; *end; at = end + 1, count++) {
        char number[64];

        end = at + strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)(end - at < 64 ? end - at : 63), at);
        if (count < self->count &&
            (!opevo_parse_double(number, &self->weights[count]) || self->weights[count] < 0))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--weights %s: \"%s\" is not a weight; give numbers from 0.", text,
                              number);
        sum += count < self->count ? self->weights[count] : 0;
    }
    if (count != self->count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--weights %s: give one weight for each of the %zu tasks, not %zu.", text,
                          self->count, count);
    if (!(sum > 0 && isfinite(sum)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--weights %s: the sum of the weights must be positive and finite.",
                          text);
    return OPEVO_OK;
}

/* One KEY=VALUE of --allocate, after its allocation. */
static opevo_status read_key(const char *text, const char *word, opevo_scheduler_options *out,
                             opevo_error *err)
{
    const struct {
        const char *name;
        bool of_gradient;
        double min, max;
        uint64_t *count; /* where it goes: one of these */
        double *real;
    } keys[] = {
        {"round", false, 1, 1e9, &out->round, NULL},
        {"epsilon", false, 0, 1, NULL, &out->epsilon},
        {"patience", false, 1, 1e9, &out->patience, NULL},
        {"alpha", true, 0, 1, NULL, &out->alpha},
        {"beta", true, 1e-6, 1e6, NULL, &out->beta},
        {"window", true, 1, 1e6, &out->window, NULL},
    };
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word), i = 0;
    double value = 0;

    while (i < sizeof keys / sizeof *keys &&
           (strlen(keys[i].name) != length || strncmp(keys[i].name, word, length) != 0))
        i++;
    if (i == sizeof keys / sizeof *keys)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--allocate %s: unknown key \"%.*s\"; use round, epsilon, patience, "
                          "alpha, beta or window.",
                          text, (int)length, word);
    if (keys[i].of_gradient && out->allocation != OPEVO_ALLOCATION_GRADIENT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--allocate %s: %s applies to gradient.", text,
                          keys[i].name);
    if (!equals || !opevo_parse_double(equals + 1, &value) ||
        !(value >= keys[i].min && value <= keys[i].max) || (keys[i].count && value != floor(value)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--allocate %s: %s must be a %snumber from %g to %g.",
                          text, keys[i].name, keys[i].count ? "whole " : "", keys[i].min,
                          keys[i].max);
    if (keys[i].count)
        *keys[i].count = (uint64_t)value;
    else
        *keys[i].real = keys[i].real == &out->alpha && value == 0 ? -1 : value; /* 0: default */
    return OPEVO_OK;
}

static opevo_status read_allocation(const opevo_call *call, opevo_scheduler_options *out,
                                    opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "allocate");
    char *copy = text ? opevo_strdup(text) : NULL;
    opevo_status status = OPEVO_OK;
    char *rest = NULL;
    const char *word = copy ? strtok_r(copy, ",", &rest) : NULL;

    if (!text)
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(copy, "--allocate");
    if (word && !strcmp(word, opevo_allocation_name(OPEVO_ALLOCATION_ROUND_ROBIN)))
        out->allocation = OPEVO_ALLOCATION_ROUND_ROBIN;
    else if (!word || strcmp(word, opevo_allocation_name(OPEVO_ALLOCATION_GRADIENT)) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--allocate %s: give gradient or round-robin, and ,KEY=VALUE after it.",
                            text);
    while (status == OPEVO_OK && (word = strtok_r(NULL, ",", &rest)) != NULL)
        status = read_key(text, word, out, err);
    opevo_free(copy);
    return status;
}

static opevo_status read_aim(const opevo_call *call, opevo_scheduler_options *out, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "aim");

    for (int i = OPEVO_AIM_SUM; text && i <= OPEVO_AIM_GEOMETRIC_MEAN; i++) {
        out->aim = (opevo_aim)i;
        if (!strcmp(text, opevo_aim_name(out->aim)))
            return OPEVO_OK;
    }
    return text ? OPEVO_FAIL(err, OPEVO_INVALID, "--aim %s: give sum or geometric-mean.", text)
                : OPEVO_OK;
}

static double optimum_s(const opevo_i_cli_tuning *tuning)
{
    return tuning->optimum.known
               ? opevo_objective_time_s(tuning->objective, tuning->optimum.fitness)
               : NAN;
}

static opevo_status read_limits(const opevo_call *call, opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_scheduler_options *out = &self->options;
    bool limited = opevo_i_cli_flag(call, "trials") || opevo_i_cli_flag(call, "seconds") ||
                   opevo_i_cli_flag(call, "target");
    opevo_status status = OPEVO_OK;
    bool share = false;

    OPEVO_TRY(opevo_i_cli_option_count(call, "trials", limited ? 0 : TRIALS_OF_EACH * self->count,
                                       1, UINT64_MAX, &out->trials, err));
    if (out->trials && out->trials < self->count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--trials %llu: give at least one for each of the %zu tasks.",
                          (unsigned long long)out->trials, self->count);
    OPEVO_TRY(opevo_i_cli_option_positive(call, "seconds", &out->seconds, err));
    OPEVO_TRY(opevo_i_cli_tune_parse_target(call, &out->target_s, &share, err));
    if (share && isnan(self->optimum_s))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: the optimum of a task is unknown; give a time in s.",
                          opevo_i_cli_option(call, "target"));
    if (share)
        out->target_s = self->optimum_s / (out->target_s / 100);
cleanup:
    return status;
}

static opevo_status read_task(const opevo_call *call, opevo_i_cli_tasks *self, size_t number,
                              opevo_error *err)
{
    opevo_i_cli_tuning *tuning = &self->tunings[number];
    const char *what =
        call->argument_count == 0 ? NULL : call->arguments[call->argument_count > 1 ? number : 0];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_tune_read(call, what, value_for(call, "on", number),
                                    value_for(call, "space", number), tuning, err));
    self->names[number] = call->argument_count > 1 ? what : tuning->objective->name;
    if (isnan(opevo_objective_time_s(tuning->objective, 1)))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%.300s is measured in %.60s and its FLOP are unknown, so that it has "
                            "no time to share a budget by; tune it alone, or give a program's "
                            "--flop N.",
                            tuning->objective->name, opevo_unit_name(tuning->objective->unit));
    for (size_t i = 0; i < number && status == OPEVO_OK; i++) {
        if (!strcmp(tuning->objective->name, self->tunings[i].objective->name))
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%.300s is given twice; give it once, with the sum of the weights.",
                                tuning->objective->name);
    }
cleanup:
    return status;
}

static opevo_status prepare_folders(const opevo_call *call, const opevo_i_cli_tasks *self,
                                    opevo_error *err)
{
    const char *parent = opevo_i_cli_option(call, "emit");
    opevo_status status = OPEVO_OK;
    opevo_text folder = {0};
    bool made = false;
    size_t i = 0;

    if (!parent)
        return OPEVO_OK;
    if (!opevo_i_cli_flag(call, "dry-run"))
        made = mkdir(parent, 0777) == 0; /* a failure shows with the folders inside */
    for (; i < self->count && status == OPEVO_OK; i++) {
        opevo_i_cli_tasks_folder(call, self, i, &folder);
        status = opevo_text_check(&folder, err);
        if (status == OPEVO_OK)
            status = opevo_i_cli_kernel_files_prepare(call, opevo_text_string(&folder),
                                                      self->tunings[i].objective, err);
    }
    while (status != OPEVO_OK && made && i-- > 0) {
        opevo_i_cli_tasks_folder(call, self, i, &folder);
        rmdir(opevo_text_string(&folder));
    }
    if (status != OPEVO_OK && made)
        rmdir(parent);
    opevo_text_free(&folder);
    return status;
}

opevo_status opevo_i_cli_tasks_read(const opevo_call *call, opevo_i_cli_tasks *self,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->count = opevo_i_cli_tasks_count(call);
    OPEVO_TRY(check_call(call, self->count, err));
    self->tunings = opevo_calloc(self->count, sizeof *self->tunings);
    self->names = opevo_calloc(self->count, sizeof *self->names);
    self->weights = opevo_calloc(self->count, sizeof *self->weights);
    self->tasks = opevo_calloc(self->count, sizeof *self->tasks);
    self->times_s = opevo_calloc(self->count, sizeof *self->times_s);
    OPEVO_NEED_OR_RETURN(self->tunings && self->names && self->weights && self->tasks &&
                             self->times_s,
                         "%zu tasks", self->count);
    OPEVO_TRY(read_weights(call, self, err));
    OPEVO_TRY(read_allocation(call, &self->options, err));
    OPEVO_TRY(read_aim(call, &self->options, err));
    for (size_t i = 0; i < self->count; i++)
        OPEVO_TRY(read_task(call, self, i, err));
    self->options.seed = self->tunings[0].run.seed;
    self->optimum_s = opevo_i_cli_tasks_value(self, self->options.aim, optimum_s);
    OPEVO_TRY(read_limits(call, self, err));
    OPEVO_TRY(opevo_i_cli_tasks_portfolio_read(call, self, err));
    OPEVO_TRY(prepare_folders(call, self, err));
    OPEVO_TRY(opevo_i_cli_store_of_call(call, &self->store, err));
cleanup:
    return status;
}
