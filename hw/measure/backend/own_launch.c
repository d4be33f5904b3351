/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels with a harness on devices that have a launcher: whose cases are run one by one. */

#include "own_launch_internal.h"

#include <stdio.h>
#include <string.h>

enum { BUFFERS = 256 };

static opevo_status golden_of_case(opevo_i_own *own, opevo_launcher *launcher, size_t i,
                                   opevo_error *err)
{
    opevo_evaluation evaluation = {.verdict = OPEVO_VERDICT_OK};
    const void *data[BUFFERS] = {0};
    opevo_buffer *buffers = NULL;
    opevo_case *what = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_case_open(opevo_i_own_harness(own), OPEVO_SET_TUNE, i, &what, err));
    OPEVO_TRY(launcher->ops->run(launcher, what, &evaluation, err));
    if (evaluation.verdict != OPEVO_VERDICT_OK) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel fails: %s: %s",
                            opevo_kernel_verdict_name(evaluation.verdict), evaluation.message);
        goto cleanup;
    }
    buffers = opevo_case_buffers(what, &count);
    for (size_t b = 0; b < count; b++)
        data[b] = buffers[b].data;
    status = opevo_golden_put(opevo_i_own_golden(own), OPEVO_SET_TUNE, i, what, data, err);
cleanup:
    opevo_case_close(what);
    return status;
}

opevo_status opevo_i_own_golden_by(opevo_i_own *own, opevo_launcher *launcher, opevo_error *err)
{
    size_t cases = opevo_harness_case_count(opevo_i_own_harness(own), OPEVO_SET_TUNE);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < cases && status == OPEVO_OK; i++)
        status = golden_of_case(own, launcher, i, err);
    return status;
}

/* The host's errors go back to it; all others are the kernel's. */
static void fail(const opevo_error *err, opevo_i_wire_result *result)
{
    if (err->status == OPEVO_NOMEM || err->status == OPEVO_IO || err->status == OPEVO_FAULT)
        opevo_i_wire_result_fault(result, "%s", err->message);
    else
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err->message);
}

bool opevo_i_own_run(opevo_i_own *own, opevo_launcher *launcher, const opevo_kernel *kernel,
                     opevo_evaluation *out, opevo_i_wire_result *result)
{
    opevo_i_own_values values = {.text = NULL};
    opevo_error err = {OPEVO_OK, ""};
    opevo_case *what = NULL;
    opevo_status status = OPEVO_OK;

    *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_OK};
    status = opevo_i_own_values_read(opevo_text_string(&kernel->values), &values, &err);
    if (status == OPEVO_OK)
        status = opevo_case_open_with(opevo_i_own_harness(own), OPEVO_SET_TUNE, 0, &values.values,
                                      &what, &err);
    if (status == OPEVO_OK)
        status = launcher->ops->run(launcher, what, out, &err);
    opevo_case_close(what);
    opevo_i_own_values_free(&values);
    if (status != OPEVO_OK)
        fail(&err, result);
    else if (out->verdict != OPEVO_VERDICT_OK)
        opevo_i_own_fail(out, result);
    return status == OPEVO_OK && out->verdict == OPEVO_VERDICT_OK;
}

/* What is wrong says on which contents. */
static void fail_on(const opevo_evaluation *evaluation, uint64_t seed, opevo_i_wire_result *result)
{
    opevo_evaluation named = *evaluation;

    snprintf(named.message, sizeof named.message, "on inputs of seed %llu: %.300s",
             (unsigned long long)seed, evaluation->message);
    opevo_i_own_fail(&named, result);
}

bool opevo_i_own_judge_anew(opevo_i_own *own, opevo_launcher *launcher, opevo_evaluation *out,
                            opevo_i_wire_result *result)
{
    opevo_case *what = opevo_i_own_case(own);
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);
    opevo_error err = {OPEVO_OK, ""};
    uint64_t seed = 0;
    opevo_status status = opevo_i_own_draw_contents(own, &seed, &err);

    *out = (opevo_evaluation){.verdict = OPEVO_VERDICT_OK};
    if (status == OPEVO_OK)
        status = launcher->ops->run(launcher, what, out, &err);
    for (size_t b = 0; b < count && status == OPEVO_OK && out->verdict == OPEVO_VERDICT_OK; b++)
        opevo_golden_judge(opevo_i_own_golden(own), OPEVO_SET_TUNE, 0, what, b, buffers[b].data,
                           out);
    if (status != OPEVO_OK)
        fail(&err, result);
    else if (out->verdict != OPEVO_VERDICT_OK)
        fail_on(out, seed, result);
    else
        opevo_i_own_note_error(own, out->error);
    return status == OPEVO_OK && out->verdict == OPEVO_VERDICT_OK;
}

bool opevo_i_own_judge(opevo_i_own *own, opevo_launcher *launcher, const opevo_kernel *kernel,
                       size_t from, size_t end, opevo_evaluation *first,
                       opevo_i_wire_result *result)
{
    const opevo_harness *harness = opevo_i_own_harness(own);
    opevo_golden *golden = opevo_i_own_golden(own);
    size_t cases = opevo_harness_case_count(harness, OPEVO_SET_TUNE);
    opevo_i_own_values values = {.text = NULL};
    opevo_evaluation one = {.verdict = OPEVO_VERDICT_OK};
    opevo_error err = {OPEVO_OK, ""};
    bool found = false;
    opevo_status status =
        opevo_i_own_values_read(opevo_text_string(&kernel->values), &values, &err);

    for (size_t i = from;
         i < cases && i < end && status == OPEVO_OK && one.verdict == OPEVO_VERDICT_OK; i++) {
        if (!opevo_golden_has(golden, OPEVO_SET_TUNE, i))
            continue;
        status = opevo_harness_evaluate_with(harness, OPEVO_SET_TUNE, i, &values.values, launcher,
                                             golden, &one, &err);
        if (status == OPEVO_OK && one.verdict == OPEVO_VERDICT_OK)
            opevo_i_own_note_error(own, one.error);
        if (!found)
            *first = one;
        found = true;
    }
    opevo_i_own_values_free(&values);
    if (status != OPEVO_OK)
        fail(&err, result);
    else if (one.verdict != OPEVO_VERDICT_OK)
        opevo_i_own_fail(&one, result);
    return status == OPEVO_OK && one.verdict == OPEVO_VERDICT_OK;
}
