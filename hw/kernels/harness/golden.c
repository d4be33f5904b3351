/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Golden results, and the comparison of results with them. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* The outputs of a case one behind the other, in pages that a child process does not inherit. */
typedef struct record {
    unsigned char *data; /* NULL: not yet computed */
    size_t size;
} record;

struct opevo_golden {
    const opevo_harness *harness;
    opevo_launcher *reference;
    record *records[OPEVO_HARNESS_SETS];
};

opevo_status opevo_golden_create(const opevo_harness *harness, opevo_launcher *reference,
                                 opevo_golden **out, opevo_error *err)
{
    opevo_golden *golden = opevo_calloc(1, sizeof *golden);
    bool complete = golden != NULL;

    for (opevo_harness_set set = 0; complete && set < OPEVO_HARNESS_SETS; set++) {
        golden->records[set] = opevo_calloc(harness->case_count[set], sizeof(record));
        complete = golden->records[set] != NULL;
    }
    if (!complete) {
        if (golden)
            golden->harness = harness;
        opevo_golden_destroy(golden);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for golden results.");
    }
    golden->harness = harness;
    golden->reference = reference;
    *out = golden;
    return OPEVO_OK;
}

void opevo_golden_destroy(opevo_golden *golden)
{
    if (!golden)
        return;
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        for (size_t i = 0; golden->records[set] && i < golden->harness->case_count[set]; i++) {
            if (golden->records[set][i].data)
                munmap(golden->records[set][i].data, golden->records[set][i].size);
        }
        opevo_free(golden->records[set]);
    }
    opevo_free(golden);
}

/* Element i as a double; 64-bit integers are compared as bytes instead. */
static double real_of(const void *data, opevo_kernel_element element, size_t i)
{
    return element == OPEVO_KERNEL_ELEMENT_F32 ? (double)((const float *)data)[i]
                                               : ((const double *)data)[i];
}

/* The error of a float, NaN if it is not finite. */
static double error_of(const opevo_i_harness_buffer_plan *plan, double x, double golden)
{
    double distance = fabs(x - golden);

    if (!isfinite(x))
        return NAN;
    if (plan->tolerance == OPEVO_I_RELATIVE)
        distance /= fmax(fabs(golden), plan->floor);
    return distance;
}

static void reject(opevo_evaluation *out, const opevo_buffer *buffer, size_t i, const char *text)
{
    out->verdict = OPEVO_VERDICT_WRONG;
    snprintf(out->message, sizeof out->message, "Element %zu of %.60s %s.", i, buffer->name, text);
}

static void judge_reals(const opevo_i_harness_buffer_plan *plan, const opevo_buffer *buffer,
                        const unsigned char *golden, opevo_evaluation *out)
{
    double worst = 0;
    size_t place = 0;
    char text[128];

    for (size_t i = 0; i < buffer->count; i++) {
        double x = real_of(buffer->data, buffer->element, i);
        double error = error_of(plan, x, real_of(golden, buffer->element, i));

        if (isnan(error)) {
            reject(out, buffer, i, "is not finite");
            return;
        }
        if (error > worst) {
            worst = error;
            place = i;
        }
    }
    out->error = fmax(out->error, worst);
    if (worst > plan->bound) {
        snprintf(text, sizeof text, "is %.9g instead of %.9g, error %.3g above %.3g",
                 real_of(buffer->data, buffer->element, place),
                 real_of(golden, buffer->element, place), worst, plan->bound);
        reject(out, buffer, place, text);
    }
}

static void judge_integers(const opevo_buffer *buffer, const unsigned char *golden,
                           opevo_evaluation *out)
{
    size_t size = opevo_kernel_element_size(buffer->element);
    const unsigned char *data = buffer->data;

    if (!memcmp(data, golden, buffer->size_bytes))
        return;
    for (size_t i = 0; i < buffer->count; i++) {
        if (memcmp(data + i * size, golden + i * size, size) != 0) {
            reject(out, buffer, i, "differs from the golden one");
            return;
        }
    }
}

static void judge(const opevo_harness *harness, const opevo_buffer *buffers,
                  const unsigned char *golden, opevo_evaluation *out)
{
    for (size_t b = 0; b < harness->buffer_count && out->verdict == OPEVO_VERDICT_OK; b++) {
        if (!buffers[b].output)
            continue;
        if (buffers[b].element == OPEVO_KERNEL_ELEMENT_F32 ||
            buffers[b].element == OPEVO_KERNEL_ELEMENT_F64)
            judge_reals(&harness->buffers[b], &buffers[b], golden, out);
        else
            judge_integers(&buffers[b], golden, out);
        golden += (buffers[b].size_bytes + 15) / 16 * 16;
    }
}

/* Keep the outputs that the buffers hold. */
static opevo_status keep(const opevo_case *what, record *out, opevo_error *err)
{
    const opevo_harness *harness = what->harness;
    size_t size = 0, at = 0;
    void *data;

    for (size_t b = 0; b < harness->buffer_count; b++)
        size += what->buffers[b].output ? (what->buffers[b].size_bytes + 15) / 16 * 16 : 0;
    data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for golden results.");
    (void)madvise(data, size, MADV_DONTFORK); /* a kernel without this also fails the final set */
    for (size_t b = 0; b < harness->buffer_count; b++) {
        const opevo_buffer *buffer = &what->buffers[b];

        if (!buffer->output)
            continue;
        memcpy((char *)data + at, buffer->data, buffer->size_bytes);
        at += (buffer->size_bytes + 15) / 16 * 16;
    }
    *out = (record){data, size};
    return OPEVO_OK;
}

/* Sentences of launchers begin with the file that says what is launched. */
static opevo_status run(const opevo_harness *harness, opevo_launcher *launcher, opevo_case *what,
                        opevo_evaluation *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = launcher->ops->run(launcher, what, out, &inner);

    if (status == OPEVO_OK)
        return OPEVO_OK;
    return status == OPEVO_INVALID ? OPEVO_FAIL(err, status, "%s: %s", harness->path, inner.message)
                                   : OPEVO_FAIL(err, status, "%s", inner.message);
}

static opevo_status compute(opevo_golden *golden, opevo_harness_set set, size_t i, record *out,
                            opevo_error *err)
{
    const char *path = golden->harness->path;
    opevo_evaluation evaluation = {0};
    opevo_status status = OPEVO_OK;
    opevo_case *what = NULL;
    record result = {NULL, 0};

    OPEVO_TRY(opevo_case_open(golden->harness, set, i, &what, err));
    OPEVO_TRY(run(golden->harness, golden->reference, what, &evaluation, err));
    if (evaluation.verdict == OPEVO_VERDICT_OK) {
        OPEVO_TRY(keep(what, &result, err));
        judge(golden->harness, what->buffers, result.data,
              &evaluation); /* finds what is not finite */
    }
    if (evaluation.verdict != OPEVO_VERDICT_OK) {
        if (result.data)
            munmap(result.data, result.size);
        status = OPEVO_FAIL(err, OPEVO_MISMATCH,
                            "%s: The reference kernel fails in case %s of the set \"%s\": %s: %s",
                            path, what->label, opevo_harness_set_name(set),
                            opevo_kernel_verdict_name(evaluation.verdict), evaluation.message);
        goto cleanup;
    }
    *out = result;
cleanup:
    opevo_case_close(what);
    return status;
}

opevo_status opevo_harness_evaluate_case(const opevo_harness *harness, opevo_harness_set set,
                                         size_t i, opevo_launcher *launcher, opevo_golden *golden,
                                         opevo_evaluation *out, opevo_error *err)
{
    record *kept = &golden->records[set][i];
    opevo_evaluation evaluation = {.cases = 1};
    opevo_status status = OPEVO_OK;
    opevo_case *what = NULL;
    size_t length;

    if (!kept->data)
        OPEVO_TRY(compute(golden, set, i, kept, err));
    OPEVO_TRY(opevo_case_open(harness, set, i, &what, err));
    OPEVO_TRY(run(harness, launcher, what, &evaluation, err));
    if (evaluation.verdict == OPEVO_VERDICT_OK)
        judge(harness, what->buffers, kept->data, &evaluation);
    if (evaluation.verdict != OPEVO_VERDICT_OK) {
        length = strlen(evaluation.message);
        snprintf(evaluation.message + length, sizeof evaluation.message - length,
                 " (case %s of the set %s)", what->label, opevo_harness_set_name(set));
    }
    *out = evaluation;
cleanup:
    opevo_case_close(what);
    return status;
}

opevo_status opevo_harness_evaluate(const opevo_harness *harness, opevo_harness_set set,
                                    opevo_launcher *launcher, opevo_golden *golden,
                                    opevo_evaluation *out, opevo_error *err)
{
    opevo_evaluation whole = {0}, part;

    for (size_t i = 0; i < harness->case_count[set] && whole.verdict == OPEVO_VERDICT_OK; i++) {
        opevo_status status =
            opevo_harness_evaluate_case(harness, set, i, launcher, golden, &part, err);

        if (status != OPEVO_OK)
            return status;
        whole.verdict = part.verdict;
        whole.cost += part.cost;
        whole.time_s += part.time_s;
        whole.error = fmax(whole.error, part.error);
        whole.cases++;
        memcpy(whole.message, part.message, sizeof whole.message);
    }
    *out = whole;
    return OPEVO_OK;
}
