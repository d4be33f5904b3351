/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One kernel: its text behind the preprocessor, of which both the proof and the measurement are, so
 * that no source shows them two faces; its proof; and the objective that measures it. */

#include "judge_internal.h"

#include <opevo/file.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/own_kernels.h>

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_of_call_internal.h"
#include "prover_of_call_internal.h"
#include "terminal_internal.h"

static void refuse(opevo_i_cli_contender *one, const char *class, const char *why)
{
    one->verdict = OPEVO_I_JUDGED_REFUSED;
    one->class = class;
    opevo_text_clear(&one->why);
    opevo_text_add(&one->why, why);
}

/* What is wrong with a kernel, unlike what is wrong here. */
static bool is_of_kernel(opevo_status status)
{
    return status == OPEVO_INVALID || status == OPEVO_LIMIT;
}

/* ---- Text ---- */

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');

    return dot ? dot : "";
}

/* In C the compiler of the text measures it as well, unless the user named another. */
static opevo_status write_text(opevo_i_cli_judgement *self, size_t i, const char *answer,
                               opevo_error *err)
{
    opevo_i_cli_contender *one = &self->contenders[i];
    size_t head = strcspn(answer, "\n");
    char *compiler = opevo_strndup(answer, head);
    const char *text = answer + head + (answer[head] == '\n');
    opevo_status status = OPEVO_OK;

    if (!getenv("OPEVO_CC"))
        self->named_compiler = compiler && setenv("OPEVO_CC", compiler, 0) == 0;
    if (!getenv("OPEVO_CC"))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a compiler.");
    opevo_free(compiler);
    opevo_text_printf(&one->text_path, "%s/kernel_%zu%s", self->folder, i, ending_of(one->path));
    if (status == OPEVO_OK)
        status = opevo_text_check(&one->text_path, err);
    return status == OPEVO_OK ? opevo_file_write(one->text_path.data, text, strlen(text), err)
                              : status;
}

static opevo_status preprocess(opevo_i_cli_judgement *self, size_t i, opevo_error *err)
{
    opevo_i_cli_contender *one = &self->contenders[i];
    const opevo_i_cli_proof_request request = {.kernel = one->path,
                                               .harness = self->request->task,
                                               .preprocess = true,
                                               .parallel = self->request->threads > 1};
    opevo_text answer = {0};
    opevo_error inner = {OPEVO_OK, ""};
    int exit_code = 0;
    opevo_status status = opevo_i_cli_proof_ask(&request, &answer, &exit_code, &inner);

    if (status == OPEVO_OK)
        status = write_text(self, i, opevo_text_string(&answer), &inner);
    if (is_of_kernel(status)) {
        refuse(one, opevo_outcome_name(OPEVO_OUTCOME_BUILD_ERROR), inner.message);
        status = OPEVO_OK;
    }
    opevo_text_free(&answer);
    return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s", inner.message);
}

/* ---- Proof ---- */

/* Of a case that differs from the timed one in its seed at most. */
static bool is_timed(const opevo_i_cli_judgement *self, const char *label)
{
    const char *wanted = opevo_text_string(&self->case_label), *seed = strrchr(label, ' ');
    size_t length = seed ? (size_t)(seed - label) : 0;

    return strlen(wanted) == length && !strncmp(wanted, label, length);
}

static void note_case(const opevo_i_cli_judgement *self, opevo_i_cli_contender *one,
                      const json_t *answer)
{
    const char *label = json_string_value(json_object_get(answer, "case"));
    const char *reason = json_string_value(json_object_get(answer, "reason"));

    if (label && is_timed(self, label))
        one->operations = json_number_value(json_object_get(answer, "operations"));
    if (reason && !one->why.length)
        opevo_text_add(&one->why, reason);
}

/* Without a proof nothing is known of how much it computes. */
static void read_proof(const opevo_i_cli_judgement *self, opevo_i_cli_contender *one, int exit_code)
{
    for (const char *at = opevo_text_string(&one->proof); *at;) {
        size_t length = strcspn(at, "\n");
        json_t *answer = json_loadb(at, length, 0, NULL);

        note_case(self, one, answer);
        json_decref(answer);
        at += length + (at[length] == '\n');
    }
    if (exit_code == OPEVO_I_CLI_PROVED)
        one->verdict = OPEVO_I_JUDGED_PROVED;
    else
        one->operations = 0;
    if (exit_code == OPEVO_I_CLI_REFUTED) {
        one->verdict = OPEVO_I_JUDGED_REFUSED;
        one->class = "refuted";
    }
}

static opevo_status prove(opevo_i_cli_judgement *self, opevo_i_cli_contender *one, opevo_error *err)
{
    const opevo_i_cli_proof_request request = {.kernel = opevo_text_string(&one->text_path),
                                               .harness = self->request->task,
                                               .seed = self->request->seed,
                                               .json = true};
    opevo_error inner = {OPEVO_OK, ""};
    int exit_code = 0;
    opevo_status status = opevo_i_cli_proof_ask(&request, &one->proof, &exit_code, &inner);

    if (status == OPEVO_OK)
        read_proof(self, one, exit_code);
    else if (!is_of_kernel(status))
        return OPEVO_FAIL(err, status, "%s", inner.message);
    else
        opevo_text_add(&one->why, inner.message);
    return OPEVO_OK;
}

/* ---- Measurement ---- */

static opevo_status open_objective(const opevo_i_cli_judgement *self, opevo_i_cli_contender *one,
                                   opevo_error *err)
{
    static const char nothing[] = "{\"opevo_judged\": {\"_type\": \"discrete\", \"_value\": [1]}}";
    const opevo_i_cli_judge_request *request = self->request;
    const opevo_own_files files = {.source = opevo_text_string(&one->text_path),
                                   .harness = request->task};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;
    opevo_status status = opevo_space_parse(nothing, "judge", "", &space, err);

    options.device = request->on;
    options.calls = (unsigned)self->calls;
    options.slower = 0;
    options.interrupt = &opevo_i_cli_interrupted;
    if (self->timeout_s > 0)
        options.run_limit_s = self->timeout_s;
    if (status == OPEVO_OK)
        status = opevo_own_kernels_open(&files, self->dialect, self->dialect == OPEVO_KERNEL_C,
                                        request->threads, space, &maker, err);
    return status == OPEVO_OK ? opevo_live_open(maker, &options, &one->objective, err) : status;
}

static opevo_status check_language(const opevo_i_cli_judgement *self,
                                   const opevo_i_cli_contender *one, opevo_error *err)
{
    opevo_kernel_dialect language = OPEVO_KERNEL_C;
    bool known = opevo_own_language(one->path, &language);

    if (known && language == OPEVO_KERNEL_CUDA && self->dialect == OPEVO_KERNEL_HIP)
        language = OPEVO_KERNEL_HIP; /* one source for both */
    if (known && language == self->dialect)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: --on %s takes kernels in %s.", one->path,
                      self->request->on, opevo_kernel_dialect_name(self->dialect));
}

opevo_status opevo_i_cli_judge_prepare(opevo_i_cli_judgement *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count; i++)
        OPEVO_TRY(check_language(self, &self->contenders[i], err));
    OPEVO_TRY(opevo_i_cli_scratch_make("judge", self->folder, err));
    for (size_t i = 0; i < self->count; i++) {
        opevo_i_cli_contender *one = &self->contenders[i];

        OPEVO_TRY(preprocess(self, i, err));
        if (one->verdict != OPEVO_I_JUDGED_REFUSED)
            OPEVO_TRY(prove(self, one, err));
        if (one->verdict != OPEVO_I_JUDGED_REFUSED)
            OPEVO_TRY(open_objective(self, one, err));
    }
cleanup:
    return status;
}
