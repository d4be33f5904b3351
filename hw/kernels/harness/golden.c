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
    opevo_verify *verify; /* NULL: none */
    void *context;        /* of it */
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
        for (size_t i = 0; golden->records[set] && i < golden->harness->case_count[set]; i++)
            opevo_golden_drop(golden, set, i);
        opevo_free(golden->records[set]);
    }
    opevo_free(golden);
}

void opevo_golden_set_verifier(opevo_golden *golden, opevo_verify *verify, void *context)
{
    golden->verify = verify;
    golden->context = context;
}

/* The error of a float, NaN if it is not finite. */
static double error_of(const opevo_i_harness_buffer_plan *plan, double x, double golden)
{
    double distance = fabs(x - golden);

    if (!isfinite(x))
        return NAN;
    if (plan->tolerance == OPEVO_I_RELATIVE)
        distance /= fmax(fabs(golden), plan->floor);
    else if (plan->tolerance == OPEVO_I_SUMMED)
        distance /= fabs(golden) + plan->floor;
    return distance;
}

static void reject(opevo_evaluation *out, const opevo_buffer *buffer, size_t i, const char *text)
{
    out->verdict = OPEVO_VERDICT_WRONG;
    snprintf(out->message, sizeof out->message, "Element %zu of %.60s %s.", i, buffer->name, text);
}

static void judge_reals(const opevo_i_harness_buffer_plan *plan, const opevo_buffer *buffer,
                        const unsigned char *golden, const void *data, opevo_evaluation *out)
{
    double worst = 0;
    size_t place = 0;
    char text[128];

    for (size_t i = 0; i < buffer->count; i++) {
        double x = opevo_kernel_element_get(buffer->element, data, i);
        double error = error_of(plan, x, opevo_kernel_element_get(buffer->element, golden, i));

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
                 opevo_kernel_element_get(buffer->element, data, place),
                 opevo_kernel_element_get(buffer->element, golden, place), worst, plan->bound);
        reject(out, buffer, place, text);
    }
}

static void judge_integers(const opevo_buffer *buffer, const unsigned char *golden,
                           const unsigned char *data, opevo_evaluation *out)
{
    size_t size = opevo_kernel_element_size(buffer->element);

    if (!memcmp(data, golden, buffer->size_bytes))
        return;
    for (size_t i = 0; i < buffer->count; i++) {
        if (memcmp(data + i * size, golden + i * size, size) != 0) {
            reject(out, buffer, i, "differs from the golden one");
            return;
        }
    }
}

static size_t padded_size(const opevo_buffer *buffer)
{
    return (buffer->size_bytes + 15) / 16 * 16;
}

/* Output b, whose elements are at `data`. */
static void judge_one(const opevo_harness *harness, const opevo_buffer *buffer, size_t b,
                      const unsigned char *golden, const void *data, opevo_evaluation *out)
{
    if (harness->buffers[b].tolerance == OPEVO_I_ANY)
        return;
    if (opevo_kernel_element_is_real(buffer->element))
        judge_reals(&harness->buffers[b], buffer, golden, data, out);
    else
        judge_integers(buffer, golden, data, out);
}

static void judge(const opevo_harness *harness, const opevo_buffer *buffers,
                  const unsigned char *golden, opevo_evaluation *out)
{
    for (size_t b = 0; b < harness->buffer_count && out->verdict == OPEVO_VERDICT_OK; b++) {
        if (!buffers[b].output)
            continue;
        judge_one(harness, &buffers[b], b, golden, buffers[b].data, out);
        golden += padded_size(&buffers[b]);
    }
}

/* Room for the outputs of a case. */
static opevo_status allocate(const opevo_case *what, record *out, opevo_error *err)
{
    size_t size = 0;
    void *data;

    for (size_t b = 0; b < what->harness->buffer_count; b++)
        size += what->buffers[b].output ? padded_size(&what->buffers[b]) : 0;
    data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for golden results.");
    (void)madvise(data, size, MADV_DONTFORK); /* a kernel without this also fails the final set */
    *out = (record){data, size};
    return OPEVO_OK;
}

/* Keep the outputs that the buffers hold. */
static opevo_status keep(const opevo_case *what, record *out, opevo_error *err)
{
    size_t at = 0;
    opevo_status status = allocate(what, out, err);

    for (size_t b = 0; status == OPEVO_OK && b < what->harness->buffer_count; b++) {
        const opevo_buffer *buffer = &what->buffers[b];

        if (!buffer->output)
            continue;
        memcpy(out->data + at, buffer->data, buffer->size_bytes);
        at += padded_size(buffer);
    }
    return status;
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

opevo_status opevo_golden_put(opevo_golden *golden, opevo_harness_set set, size_t i,
                              const opevo_case *what, const void *const *data, opevo_error *err)
{
    opevo_evaluation evaluation = {0};
    record result = {NULL, 0};
    opevo_status status = allocate(what, &result, err);
    unsigned char *at = result.data;

    for (size_t b = 0; status == OPEVO_OK && b < what->harness->buffer_count; b++) {
        if (!what->buffers[b].output)
            continue;
        memcpy(at, data[b], what->buffers[b].size_bytes);
        judge_one(what->harness, &what->buffers[b], b, at, data[b], &evaluation);
        at += padded_size(&what->buffers[b]);
    }
    if (status == OPEVO_OK && evaluation.verdict != OPEVO_VERDICT_OK)
        status = OPEVO_FAIL(err, OPEVO_MISMATCH, "%s: The reference fails in case %s: %s",
                            what->harness->path, what->label, evaluation.message);
    if (status == OPEVO_OK)
        golden->records[set][i] = result;
    else if (result.data)
        munmap(result.data, result.size);
    return status;
}

bool opevo_golden_has(const opevo_golden *golden, opevo_harness_set set, size_t i)
{
    return golden->records[set][i].data != NULL;
}

void opevo_golden_drop(opevo_golden *golden, opevo_harness_set set, size_t i)
{
    record *result = &golden->records[set][i];

    if (result->data)
        munmap(result->data, result->size);
    *result = (record){NULL, 0};
}

void opevo_golden_judge(const opevo_golden *golden, opevo_harness_set set, size_t i,
                        const opevo_case *what, size_t buffer, const void *data,
                        opevo_evaluation *out)
{
    const unsigned char *at = golden->records[set][i].data;

    for (size_t b = 0; b < buffer; b++)
        at += what->buffers[b].output ? padded_size(&what->buffers[b]) : 0;
    if (what->buffers[buffer].output)
        judge_one(golden->harness, &what->buffers[buffer], buffer, at, data, out);
}

opevo_status opevo_harness_evaluate_case(const opevo_harness *harness, opevo_harness_set set,
                                         size_t i, opevo_launcher *launcher, opevo_golden *golden,
                                         opevo_evaluation *out, opevo_error *err)
{
    return opevo_harness_evaluate_with(harness, set, i, NULL, launcher, golden, out, err);
}

opevo_status opevo_harness_evaluate_with(const opevo_harness *harness, opevo_harness_set set,
                                         size_t i, const opevo_harness_values *values,
                                         opevo_launcher *launcher, opevo_golden *golden,
                                         opevo_evaluation *out, opevo_error *err)
{
    record *kept = &golden->records[set][i];
    opevo_evaluation evaluation = {.cases = 1};
    opevo_status status = OPEVO_OK;
    opevo_case *what = NULL;
    size_t length;

    if (!kept->data)
        OPEVO_TRY(compute(golden, set, i, kept, err));
    OPEVO_TRY(opevo_case_open_with(harness, set, i, values, &what, err));
    OPEVO_TRY(run(harness, launcher, what, &evaluation, err));
    if (evaluation.verdict == OPEVO_VERDICT_OK)
        judge(harness, what->buffers, kept->data, &evaluation);
    if (evaluation.verdict == OPEVO_VERDICT_OK && golden->verify)
        OPEVO_TRY(golden->verify(golden->context, what->buffers, harness->buffer_count, &evaluation,
                                 err));
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
