/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The task: a harness with a definition, baselines and limits. */

#include "judge_internal.h"

#include <opevo/hardware.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_maker_internal.h"
#include "roof_internal.h"
#include "terminal_internal.h"

/* ---- Kernels ---- */

/* Takes the path, also on failure. */
static opevo_status add(opevo_i_cli_judgement *self, char *path, bool baseline, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(path, "a kernel");
    if (self->count == OPEVO_I_JUDGE_MOST) {
        opevo_free(path);
        return OPEVO_FAIL(err, OPEVO_INVALID, "At most %d kernels and baselines are judged.",
                          OPEVO_I_JUDGE_MOST);
    }
    self->contenders[self->count++] = (opevo_i_cli_contender){
        .path = path, .baseline = baseline, .verdict = OPEVO_I_JUDGED_TESTED, .class = ""};
    return OPEVO_OK;
}

static opevo_status add_all(opevo_i_cli_judgement *self, opevo_error *err)
{
    const opevo_i_cli_judge_request *request = self->request;
    char *path = NULL;
    opevo_status status = OPEVO_OK;

    self->contenders = opevo_calloc(OPEVO_I_JUDGE_MOST, sizeof *self->contenders);
    OPEVO_NEED_OR_RETURN(self->contenders, "the kernels of %s", request->task);
    for (size_t i = 0; i < request->kernel_count; i++)
        OPEVO_TRY(add(self, opevo_strdup(request->kernels[i]), false, err));
    for (size_t i = 0;; i++) {
        OPEVO_TRY(opevo_harness_baseline(self->harness, i, &path, err));
        if (!path)
            break;
        OPEVO_TRY(add(self, path, true, err));
    }
    for (size_t i = 0; i < request->baseline_count; i++)
        OPEVO_TRY(add(self, opevo_strdup(request->baselines[i]), true, err));
cleanup:
    return status;
}

/* ---- The task ---- */

static opevo_status note_case(opevo_i_cli_judgement *self, opevo_error *err)
{
    opevo_case *what = NULL;
    size_t count = 0;
    const opevo_buffer *buffers = NULL;
    const char *label = NULL, *seed = NULL;
    opevo_status status = opevo_case_open(self->harness, OPEVO_SET_TUNE, 0, &what, err);

    if (status != OPEVO_OK)
        return status;
    label = opevo_case_label(what);
    seed = strrchr(label, ' ');
    opevo_text_printf(&self->case_label, "%.*s", seed ? (int)(seed - label) : 0, label);
    buffers = opevo_case_buffers(what, &count);
    for (size_t i = 0; i < count; i++)
        self->output_bytes += buffers[i].output ? (double)buffers[i].size_bytes : 0;
    opevo_case_close(what);
    return opevo_text_check(&self->case_label, err);
}

/* Read the task, and name the kernels. Errors: those of the harness; INVALID for a task without a
 * computation, and for a device that is not judged on. */
static opevo_status open_task(opevo_i_cli_judgement *self, opevo_error *err)
{
    const opevo_i_cli_judge_request *request = self->request;
    opevo_harness_judging said;
    opevo_status status = OPEVO_OK;

    if (!opevo_live_is_device(request->on) || !strncmp(request->on, "simt", 4))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--on %s: kernels are judged on " OPEVO_DEVICES_OR ".", request->on);
    OPEVO_TRY(opevo_i_cli_device_of(request->on, &self->dialect, err));
    OPEVO_TRY(opevo_harness_load(request->task, &self->harness, err));
    if (opevo_harness_reference_kind_of(self->harness) != OPEVO_REFERENCE_COMPUTATION)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: what is right for any contents only a definition says: give "
                          "\"reference\": {\"computation\": TEXT}.",
                          request->task);
    if (!opevo_harness_case_count(self->harness, OPEVO_SET_TUNE))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: \"tune\" is missing: give the sizes that are timed, such as "
                          "\"tune\": {\"sizes\": {\"n\": 1024}}.",
                          request->task);
    said = opevo_harness_judging_of(self->harness);
    self->rounds = request->rounds ? request->rounds
                   : said.rounds   ? said.rounds
                                   : OPEVO_I_JUDGE_ROUNDS;
    self->calls = request->calls ? request->calls : said.calls ? said.calls : OPEVO_I_JUDGE_CALLS;
    self->timeout_s = request->timeout_s > 0 ? request->timeout_s : said.timeout;
    OPEVO_TRY(note_case(self, err));
    status = add_all(self, err);
cleanup:
    return status;
}

/* ---- All of it ---- */

static void close_judgement(opevo_i_cli_judgement *self)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_i_cli_contender *one = &self->contenders[i];

        opevo_objective_destroy(one->objective);
        opevo_free(one->path);
        opevo_text_free(&one->text_path);
        opevo_text_free(&one->proof);
        opevo_text_free(&one->why);
    }
    opevo_free(self->contenders);
    opevo_harness_destroy(self->harness);
    opevo_text_free(&self->case_label);
    opevo_text_free(&self->device);
    opevo_judge_verdict_free(&self->times);
    if (self->named_compiler)
        unsetenv("OPEVO_CC");
    if (*self->folder)
        opevo_i_cli_scratch_remove(self->folder);
}

/* By its proof, or by the definition, of which other algorithms need at least an eighth. */
static double operations_of(const opevo_i_cli_contender *one)
{
    return one->operations > 0 ? one->operations : one->objective->flop / 8;
}

static opevo_status measure(opevo_i_cli_judgement *self, opevo_error *err)
{
    opevo_judge_kernel kernels[OPEVO_I_JUDGE_MOST];
    const opevo_judge_options options = {
        .rounds = self->rounds, .seed = self->request->seed, .interrupt = &opevo_i_cli_interrupted};
    bool any = false;

    for (size_t i = 0; i < self->count; i++)
        any |= self->contenders[i].objective != NULL;
    if (any)
        self->peak = opevo_i_cli_roof_peak(self->request->on, self->request->threads);
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_cli_contender *one = &self->contenders[i];

        kernels[i] = (opevo_judge_kernel){.objective = one->objective, .baseline = one->baseline};
        if (one->objective)
            kernels[i].floor_s = self->floors_s[i] =
                opevo_judge_floor_s(operations_of(one), self->output_bytes, self->peak);
    }
    return opevo_judge(kernels, self->count, &options, &self->times, err);
}

static void note_device(opevo_i_cli_judgement *self)
{
    for (size_t i = 0; i < self->count && !self->device.length; i++) {
        if (self->contenders[i].objective)
            opevo_live_print_devices(self->contenders[i].objective, &self->device);
    }
}

opevo_status opevo_i_cli_judge(const opevo_i_cli_judge_request *request, opevo_text *out,
                               int *exit_code, opevo_error *err)
{
    opevo_i_cli_judgement self = {.request = request};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(open_task(&self, err));
    OPEVO_TRY(opevo_i_cli_judge_prepare(&self, err));
    OPEVO_TRY(measure(&self, err));
    note_device(&self);
    opevo_i_cli_judge_print(&self, out, exit_code);
cleanup:
    close_judgement(&self);
    return status;
}
