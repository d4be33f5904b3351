/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stores and recordings have measured, by workload and configuration. */

#include "portfolio_cli_internal.h"

#include "computation_spec_internal.h"
#include "recording_spec_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>
#include <opevo/unit.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 };
#define POINTS_MOST ((opevo_index)1 << 24)

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a portfolio.");
}

/* ---- Workloads ------------------------------------------------------------------------------ */

static bool is_known(const opevo_i_cli_portfolio *self, const char *name, size_t *workload)
{
    for (*workload = 0; *workload < self->workload_count; ++*workload) {
        if (!strcmp(self->workloads[*workload].name, name))
            return true;
    }
    return false;
}

opevo_status opevo_i_cli_portfolio_workload_of(opevo_i_cli_portfolio *self, const char *name,
                                               size_t *out, opevo_error *err)
{
    void *rows = self->workloads;

    if (is_known(self, name, out))
        return OPEVO_OK;
    if (!opevo_reserve(&rows, &self->workload_capacity, self->workload_count + 1,
                       sizeof *self->workloads))
        return fail_memory(err);
    self->workloads = rows;
    self->workloads[self->workload_count] =
        (opevo_i_cli_portfolio_workload){.name = opevo_strdup(name), .weight = 1};
    if (!self->workloads[self->workload_count].name)
        return fail_memory(err);
    self->workload_count++;
    return OPEVO_OK;
}

static opevo_status make_numbers(opevo_i_cli_portfolio_workload *row, const char *text,
                                 opevo_error *err)
{
    opevo_free(row->numbers);
    row->count = 0;
    row->numbers = opevo_malloc(strlen(text) + 1, sizeof *row->numbers);
    return row->numbers ? OPEVO_OK : fail_memory(err);
}

/* The numbers in the text of a computation, as those of the workload; the 2 in c2d is part of a
 * name. */
static opevo_status take_numbers(opevo_i_cli_portfolio_workload *row, const char *text,
                                 opevo_error *err)
{
    bool in_word = false;

    if (make_numbers(row, text, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    while (*text) {
        bool is_digit = *text >= '0' && *text <= '9';
        char *end = NULL;

        if (is_digit && !in_word) {
            row->numbers[row->count++] = strtod(text, &end);
            text = end;
        } else {
            in_word = isalpha((unsigned char)*text) || *text == '_' || (in_word && is_digit);
            text++;
        }
    }
    return OPEVO_OK;
}

/* Those of an option, separated by commas. */
static opevo_status read_numbers(opevo_i_cli_portfolio_workload *row, const char *option,
                                 const char *text, opevo_error *err)
{
    opevo_status status = make_numbers(row, text, err);
    bool good = status == OPEVO_OK;

    for (const char *comma = ","; good && comma; text = comma ? comma + 1 : text) {
        char *one = NULL;

        comma = strchr(text, ',');
        one = opevo_strndup(text, comma ? (size_t)(comma - text) : strlen(text));
        good = one && opevo_parse_double(one, &row->numbers[row->count++]);
        if (!one)
            status = fail_memory(err);
        opevo_free(one);
    }
    if (status == OPEVO_OK && !good)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--numbers %.200s: give numbers, separated by commas.", option);
    return status;
}

/* Those of the shape, where a run says what it computes. */
opevo_status opevo_i_cli_portfolio_name_numbers(opevo_i_cli_portfolio_workload *row,
                                                const char *what, opevo_error *err)
{
    opevo_workload *work = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (row->numbers || !what || !*what || opevo_i_cli_workload_of(what, &work, NULL) != OPEVO_OK)
        return OPEVO_OK;
    opevo_workload_print(work, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = take_numbers(row, opevo_text_string(&text), err);
    opevo_text_free(&text);
    opevo_workload_destroy(work);
    return status;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static opevo_status add_cell(opevo_i_cli_portfolio *self, size_t workload, const opevo_space *space,
                             opevo_index point, const opevo_outcome *outcome, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (outcome->kind == OPEVO_OUTCOME_UNRECORDED)
        return OPEVO_OK;
    opevo_space_print(space, point, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_portfolio_add(self, workload, opevo_text_string(&text), NULL,
                                           outcome->kind == OPEVO_OUTCOME_OK ? outcome->fitness : 0,
                                           err);
    opevo_text_free(&text);
    return status;
}

typedef struct store_reader {
    opevo_i_cli_portfolio *self;
    opevo_store *store;
    opevo_status status;
    opevo_error *err;
} store_reader;

/* What the first run of a workload says of it; false without memory. */
static bool note_run(opevo_i_cli_portfolio_workload *row, const opevo_run_info *info)
{
    row->unit = opevo_strdup(info->unit);
    row->on = opevo_strdup(info->on);
    row->what = opevo_strdup(info->what);
    row->space = opevo_strdup(info->space);
    return row->unit && row->on && row->what && row->space;
}

/* Results in other units say nothing of each other, and belong to a workload of their own. */
static opevo_status find_workload_of(opevo_i_cli_portfolio *self, const opevo_run_info *info,
                                     size_t *out, opevo_error *err)
{
    opevo_text name = {0};
    opevo_status status = opevo_i_cli_portfolio_workload_of(self, info->objective, out, err);
    opevo_i_cli_portfolio_workload *row = NULL;

    OPEVO_TRY(status);
    row = &self->workloads[*out];
    if (!row->unit && !note_run(row, info))
        return fail_memory(err);
    if (opevo_unit_agree(row->unit, info->unit))
        return OPEVO_OK;
    opevo_text_printf(&name, "%s in %s", info->objective, opevo_unit_name(info->unit));
    OPEVO_TRY(opevo_text_check(&name, err));
    status = opevo_i_cli_portfolio_workload_of(self, opevo_text_string(&name), out, err);
cleanup:
    opevo_text_free(&name);
    return status;
}

static opevo_status read_run(store_reader *from, const opevo_run_info *info)
{
    opevo_i_cli_portfolio *self = from->self;
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    opevo_space *space = NULL;
    opevo_status status = trials ? OPEVO_OK : fail_memory(from->err);
    size_t workload = 0, count = PIECE;

    OPEVO_TRY(status);
    OPEVO_TRY(find_workload_of(self, info, &workload, from->err));
    OPEVO_TRY(
        opevo_i_cli_portfolio_name_numbers(&self->workloads[workload], info->what, from->err));
    OPEVO_TRY(opevo_store_space(from->store, info->run, &space, from->err));
    for (uint64_t after = 0; space && count == PIECE; after += count) {
        OPEVO_TRY(
            opevo_store_read(from->store, info->run, after, trials, PIECE, &count, from->err));
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(add_cell(self, workload, space, trials[i].proposal.point, &trials[i].outcome,
                               from->err));
    }
    if (!self->workloads[workload].points) {
        self->workloads[workload].points = space;
        space = NULL; /* handed over */
    }
cleanup:
    opevo_free(trials);
    opevo_space_destroy(space);
    return status;
}

static void visit(void *context, const opevo_run_info *info)
{
    store_reader *self = context;

    if (self->status == OPEVO_OK && info->trials)
        self->status = read_run(self, info);
}

static opevo_status read_store(opevo_i_cli_portfolio *self, const char *path, opevo_error *err)
{
    store_reader reader = {.self = self, .err = err};
    opevo_store *listed = NULL;
    opevo_status status = opevo_store_open(path, OPEVO_STORE_READ, &reader.store, err);

    OPEVO_TRY(status);
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &listed, err));
    OPEVO_TRY(opevo_store_list(listed, visit, &reader, err));
    status = reader.status;
cleanup:
    opevo_store_close(reader.store);
    opevo_store_close(listed);
    return status;
}

static opevo_status read_points(opevo_i_cli_portfolio *self, size_t workload,
                                opevo_objective *objective, opevo_error *err)
{
    opevo_index size = opevo_space_size(objective->space);
    opevo_status status = OPEVO_OK;

    if (size > POINTS_MOST)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s has more than 2^24 points.", objective->name);
    for (opevo_index point = 0; point < size; point++) {
        opevo_outcome outcome;

        if (!opevo_space_has(objective->space, point))
            continue;
        OPEVO_TRY(opevo_objective_evaluate(objective, &point, 1, &outcome, err));
        OPEVO_TRY(add_cell(self, workload, objective->space, point, &outcome, err));
    }
cleanup:
    return status;
}

/* Its rows are all that was measured. */
static opevo_status read_recording(opevo_i_cli_portfolio *self, const char *path, opevo_error *err)
{
    static const char prefix[] = "recorded:";
    size_t length = strncmp(path, prefix, strlen(prefix)) ? 0 : strlen(prefix), workload = 0;
    opevo_objective *objective = NULL;
    opevo_status status = opevo_i_cli_recording_open(path + length, NULL, true, &objective, err);
    const char *name = NULL;

    OPEVO_TRY(status);
    name = strchr(objective->name, ':') ? strchr(objective->name, ':') + 1 : objective->name;
    if (is_known(self, name, &workload)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: a workload is called %s already; give each recording a name of "
                            "its own, as \"name\" in its description.",
                            path, name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_cli_portfolio_workload_of(self, name, &workload, err));
    OPEVO_TRY(read_points(self, workload, objective, err));
cleanup:
    opevo_objective_destroy(objective);
    return status;
}

/* ---- What the call says of workloads -------------------------------------------------------- */

/* NAME=VALUE, where the name may have the character in it. */
static opevo_status name_of(opevo_i_cli_portfolio *self, const char *option, const char *text,
                            size_t *workload, const char **value, opevo_error *err)
{
    const char *equals = strrchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;

    for (*workload = 0; equals && *workload < self->workload_count; ++*workload) {
        const char *name = self->workloads[*workload].name;

        *value = equals + 1;
        if (strlen(name) == length && !strncmp(name, text, length))
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "--%s %.200s: give NAME=%s with the name of a workload, such as %s.", option,
                      text, strcmp(option, "weight") ? "N,N,..." : "W", self->workloads[0].name);
}

static opevo_status read_said(const opevo_call *call, opevo_i_cli_portfolio *self, opevo_error *err)
{
    static const char *const options[] = {"numbers", "weight"};
    opevo_status status = OPEVO_OK;
    const char **texts = NULL;
    double sum = 0;

    for (size_t k = 0; k < 2; k++) {
        size_t count = 0;

        OPEVO_TRY(opevo_i_cli_option_all(call, options[k], &texts, &count, err));
        for (size_t i = 0; i < count; i++) {
            const char *value = "";
            size_t workload = 0;

            OPEVO_TRY(name_of(self, options[k], texts[i], &workload, &value, err));
            if (k == 0) {
                OPEVO_TRY(read_numbers(&self->workloads[workload], texts[i], value, err));
            } else if (!opevo_parse_double(value, &self->workloads[workload].weight) ||
                       !(self->workloads[workload].weight >= 0)) {
                status = OPEVO_FAIL(err, OPEVO_INVALID,
                                    "--weight %.200s: give a number of at least 0.", texts[i]);
                goto cleanup;
            }
        }
        opevo_free(texts);
        texts = NULL;
    }
    for (size_t w = 0; w < self->workload_count; w++)
        sum += self->workloads[w].weight;
    if (!(sum > 0) || isinf(sum))
        status = OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--weight: the weights sum to %g; give a workload a finite one above 0.", sum);
cleanup:
    opevo_free(texts);
    return status;
}

opevo_status opevo_i_cli_portfolio_read(const opevo_call *call, opevo_i_cli_portfolio *out,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < call->argument_count; i++) {
        const char *path = call->arguments[i];

        OPEVO_TRY(opevo_store_is(path) ? read_store(out, path, err)
                                       : read_recording(out, path, err));
    }
    OPEVO_TRY(opevo_i_cli_portfolio_make_matrix(out, err));
    OPEVO_TRY(read_said(call, out, err));
    OPEVO_TRY(opevo_i_cli_portfolio_join_numbers(out, err));
cleanup:
    return status;
}
