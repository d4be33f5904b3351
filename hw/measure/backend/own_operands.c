/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The buffers of a harness as operands: each is shared with the processes of kernels, between
 * margins, and gets its contents anew before an execution that is judged. */

#include "own_operands_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "own_golden_internal.h"
#include "own_verifier_internal.h"
#include "protocol_internal.h"

enum { BUFFERS = 256, REMEMBERED = 256 << 20 };

struct opevo_i_own {
    opevo_harness *harness;
    opevo_golden *golden;
    opevo_i_own_verifier *verifier; /* NULL: none */
    double error;
    bool judged;         /* error is known */
    unsigned calls;      /* executions that are judged one by one; 0: none is */
    int64_t check_every; /* checks the results of so-many-th jobs whatever they take; 0: of none */
    int sets;
    struct own_set *set; /* of them */
};

/* Of one set of operands. */
typedef struct own_set {
    opevo_i_own *own;
    size_t number; /* of the case, as `sets` go through the seeds in turn */
    opevo_case *what;
    opevo_workload_operand items[OPEVO_WORKLOAD_OPERANDS];
} own_set;

/* ---- Values --------------------------------------------------------------------------------- */

opevo_status opevo_i_own_values_read(const char *lines, opevo_i_own_values *out, opevo_error *err)
{
    size_t count = 0;
    bool good = true;

    *out = (opevo_i_own_values){.text = opevo_strdup(lines)};
    OPEVO_NEED_OR_RETURN(out->text, "the values of a kernel");
    for (char *at = out->text; *at && good; count++) {
        char *end = strchr(at, '\n');
        char *equals = strchr(at, '=');
        char *rest = NULL;

        good = end && equals && equals < end && count < OPEVO_HARNESS_VALUES;
        if (!good)
            break;
        *end = *equals = '\0';
        out->names[count] = at;
        out->numbers[count] = strtoll(equals + 1, &rest, 10);
        good = rest != equals + 1 && !*rest;
        at = end + 1;
    }
    out->values = (opevo_harness_values){.count = count, .name = out->names, .value = out->numbers};
    if (good)
        return OPEVO_OK;
    opevo_i_own_values_free(out);
    return OPEVO_FAIL(err, OPEVO_INVALID, "The values of a kernel are malformed.");
}

void opevo_i_own_values_free(opevo_i_own_values *self)
{
    opevo_free(self->text);
    *self = (opevo_i_own_values){.text = NULL};
}

/* ---- Operands ------------------------------------------------------------------------------- */

static void renew(const opevo_i_reference_operands *operands)
{
    const own_set *self = operands->context;
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(self->what, &count);

    for (size_t i = 0; i < count; i++) {
        const opevo_i_reference_guarded *memory = &operands->memory[i];

        if (buffers[i].initialised)
            memcpy(memory->data, buffers[i].data, buffers[i].size_bytes);
        else
            opevo_i_reference_guarded_fill(memory);
    }
}

static bool check(const opevo_i_reference_operands *operands, int operand, opevo_text *why)
{
    const own_set *self = operands->context;
    opevo_evaluation evaluation = {.verdict = OPEVO_VERDICT_OK};

    opevo_golden_judge(self->own->golden, OPEVO_SET_TUNE, self->number, self->what, (size_t)operand,
                       operands->memory[operand].data, &evaluation);
    opevo_i_own_note_error(self->own, evaluation.error);
    if (evaluation.verdict == OPEVO_VERDICT_OK)
        return true;
    opevo_text_add(why, evaluation.message);
    return false;
}

static void release(opevo_i_reference_operands *operands)
{
    own_set *self = operands->context;

    opevo_case_close(self->what);
    self->what = NULL;
}

static const opevo_i_reference_judge judge = {.renew = renew, .check = check, .free = release};

static opevo_status make_operands(own_set *self, opevo_i_reference_operands *out, opevo_error *err)
{
    size_t count = 0;
    const opevo_buffer *buffers = NULL;
    opevo_status status =
        opevo_case_open(self->own->harness, OPEVO_SET_TUNE, self->number, &self->what, err);

    if (status != OPEVO_OK)
        return status;
    *out = (opevo_i_reference_operands){.judge = &judge, .context = self, .check_threads = 1};
    buffers = opevo_case_buffers(self->what, &count);
    if (count > OPEVO_WORKLOAD_OPERANDS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A kernel on a CPU has at most %d buffers, not %zu.",
                          OPEVO_WORKLOAD_OPERANDS, count);
    out->list = (opevo_workload_list){.count = (int)count, .item = self->items};
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        self->items[i] = (opevo_workload_operand){.name = buffers[i].name,
                                                  .role = OPEVO_ROLE_OUTPUT,
                                                  .elements = (int64_t)buffers[i].count};
        out->count[i] = buffers[i].count;
        status = opevo_i_reference_guarded_create_wide(buffers[i].size_bytes, OPEVO_I_OWN_MARGIN,
                                                       opevo_i_own_pattern(i), true,
                                                       &out->memory[i], err);
    }
    return status;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static opevo_status read_harness(opevo_i_own *self, const json_t *setup, opevo_error *err)
{
    const json_t *member = json_object_get(setup, "harness");
    const char *origin = json_string_value(json_object_get(member, "origin"));
    const char *text = json_string_value(json_object_get(member, "text"));
    const char *lines = json_string_value(json_object_get(member, "values"));
    opevo_i_own_values values = {.text = NULL};
    opevo_status status = OPEVO_OK;

    if (!origin || !text || !lines)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The harness of the setup is malformed.");
    OPEVO_TRY(opevo_i_own_values_read(lines, &values, err));
    OPEVO_TRY(
        opevo_harness_parse_with(origin, text, strlen(text), &values.values, &self->harness, err));
    if (opevo_harness_case_count(self->harness, OPEVO_SET_TUNE) < 2)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"tune\" is missing.", origin);
    else
        status = opevo_harness_remember(self->harness, REMEMBERED, err);
    if (status == OPEVO_OK)
        status = opevo_golden_create(self->harness, NULL, &self->golden, err);
cleanup:
    opevo_i_own_values_free(&values);
    return status;
}

/* What a launcher left in the buffers of a case. */
static opevo_status verify_case(void *context, const opevo_buffer *buffers, size_t count,
                                opevo_evaluation *out, opevo_error *err)
{
    const void *data[BUFFERS] = {0};

    for (size_t i = 0; i < count && i < BUFFERS; i++)
        data[i] = buffers[i].data;
    return opevo_i_own_verifier_ask(context, buffers, count, data, out, err);
}

bool opevo_i_own_verify(const opevo_i_own *own, const opevo_i_reference_operands *operands,
                        opevo_i_wire_result *result)
{
    const own_set *set = operands->context;
    opevo_evaluation evaluation = {.verdict = OPEVO_VERDICT_OK};
    opevo_error err = {OPEVO_OK, ""};
    const void *data[BUFFERS] = {0};
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(set->what, &count);

    if (!own->verifier)
        return true;
    for (size_t i = 0; i < count; i++)
        data[i] = operands->memory[i].data;
    if (opevo_i_own_verifier_ask(own->verifier, buffers, count, data, &evaluation, &err) !=
        OPEVO_OK)
        opevo_i_wire_result_fault(result, "%s", err.message);
    else if (evaluation.verdict != OPEVO_VERDICT_OK)
        opevo_i_own_fail(&evaluation, result);
    return !result->fault && evaluation.verdict == OPEVO_VERDICT_OK;
}

opevo_status opevo_i_own_open(const json_t *setup, int sets, opevo_i_reference_operands *out,
                              opevo_i_own **own, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_own *self = opevo_calloc(1, sizeof *self);
    const json_t *every = json_object_get(setup, "check");
    size_t cases = 0;

    OPEVO_NEED_OR_RETURN(self, "a harness");
    *own = self; /* closed with the operands, also on failure */
    self->sets = sets;
    OPEVO_TRY(read_harness(self, setup, err));
    self->check_every = every ? json_integer_value(every) : 1;
    self->calls = (unsigned)json_integer_value(json_object_get(setup, "calls"));
    if (self->calls &&
        opevo_harness_reference_kind_of(self->harness) != OPEVO_REFERENCE_COMPUTATION)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "What is right for contents that are drawn anew only a computation says.");
    OPEVO_TRY(opevo_i_own_verifier_open(setup, &self->verifier, err));
    if (self->verifier)
        opevo_golden_set_verifier(self->golden, verify_case, self->verifier);
    /* What files say is for the inputs of one seed. */
    cases = opevo_harness_reference_kind_of(self->harness) == OPEVO_REFERENCE_FILES
                ? 1
                : opevo_harness_case_count(self->harness, OPEVO_SET_TUNE);
    OPEVO_NEW_OR_RETURN(self->set, (size_t)sets, "a harness");
    for (int set = 0; set < sets; set++) {
        self->set[set].own = self;
        self->set[set].number = (size_t)set % cases;
        OPEVO_TRY(make_operands(&self->set[set], &out[set], err));
        OPEVO_TRY(opevo_i_own_say_golden(self->golden, self->harness, self->set[set].number,
                                         self->set[set].what, err));
    }
cleanup:
    return status;
}

void opevo_i_own_close(opevo_i_own *own)
{
    if (!own)
        return;
    opevo_golden_destroy(own->golden);
    opevo_i_own_verifier_close(own->verifier);
    opevo_harness_destroy(own->harness);
    opevo_free(own->set);
    opevo_free(own);
}

const opevo_harness *opevo_i_own_harness(const opevo_i_own *own)
{
    return own->harness;
}

opevo_golden *opevo_i_own_golden(const opevo_i_own *own)
{
    return own->golden;
}

double opevo_i_own_check_below_s(const opevo_i_own *own, const opevo_i_wire_job *job)
{
    bool due = own->check_every > 0 && job->id % own->check_every == 0;

    return due || job->single_sample || !(job->best_s > 0) ? INFINITY : job->best_s;
}

unsigned opevo_i_own_calls(const opevo_i_own *own)
{
    return own->calls;
}

opevo_case *opevo_i_own_case(const opevo_i_own *own)
{
    return own->set[0].what;
}

opevo_status opevo_i_own_draw_contents(opevo_i_own *own, uint64_t *seed, opevo_error *err)
{
    own_set *set = &own->set[0];
    opevo_status status = OPEVO_OK;

    if (getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
        return OPEVO_FAIL(err, OPEVO_FAULT, "The system gives no random numbers.");
    *seed >>= 12; /* a whole number of JSON everywhere */
    opevo_golden_drop(own->golden, OPEVO_SET_TUNE, set->number);
    status = opevo_case_refill(set->what, *seed, err);
    return status == OPEVO_OK
               ? opevo_i_own_say_golden(own->golden, own->harness, set->number, set->what, err)
               : status;
}

void opevo_i_own_begin(opevo_i_own *own)
{
    own->error = 0;
    own->judged = false;
}

void opevo_i_own_note_error(opevo_i_own *own, double error)
{
    own->error = fmax(own->error, error);
    own->judged = true;
}

void opevo_i_own_tell_error(const opevo_i_own *own, opevo_i_wire_result *result)
{
    result->judged = own->judged;
    result->error = own->error;
}

/* ---- Golden results ------------------------------------------------------------------------- */

opevo_status opevo_i_own_reference(const json_t *setup, opevo_i_wire_job *out, opevo_error *err)
{
    const json_t *member = json_object_get(setup, "reference");

    if (!member || opevo_i_wire_job_from_json(member, out))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "The reference of the setup is malformed.");
}

opevo_status opevo_i_own_take_golden(opevo_i_own *own, const opevo_i_reference_operands *sets,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int set = 0; set < own->sets && status == OPEVO_OK; set++) {
        const void *data[OPEVO_WORKLOAD_OPERANDS];

        for (int i = 0; i < sets[set].list.count; i++) {
            data[i] = sets[set].memory[i].data;
            if (!opevo_i_reference_guarded_intact(&sets[set].memory[i]))
                return OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel writes outside %s.",
                                  sets[set].list.item[i].name);
        }
        status = opevo_golden_put(own->golden, OPEVO_SET_TUNE, own->set[set].number,
                                  own->set[set].what, data, err);
    }
    return status;
}

/* ---- A kernel ------------------------------------------------------------------------------- */

/* Buffer i gets the size of `wanted`; false where it may not. */
static bool fit_buffer(own_set *self, opevo_i_reference_operands *operands, size_t i,
                       const opevo_buffer *wanted, opevo_error *err)
{
    size_t count = 0;
    opevo_buffer *buffer = &opevo_case_buffers(self->what, &count)[i];
    opevo_i_reference_guarded fresh;

    if (buffer->size_bytes == wanted->size_bytes)
        return true;
    if (buffer->output || buffer->initialised) {
        OPEVO_FAIL(err, OPEVO_INVALID,
                   "the size of the buffer %.60s depends on parameters, and it is filled or "
                   "compared",
                   buffer->name);
        return false;
    }
    if (opevo_i_reference_guarded_create_wide(wanted->size_bytes, OPEVO_I_OWN_MARGIN,
                                              opevo_i_own_pattern(i), true, &fresh,
                                              err) != OPEVO_OK)
        return false;
    opevo_i_reference_guarded_free(&operands->memory[i]);
    operands->memory[i] = fresh;
    operands->count[i] = wanted->count;
    buffer->count = wanted->count;
    buffer->size_bytes = wanted->size_bytes;
    return true;
}

bool opevo_i_own_fit(opevo_i_own *own, opevo_i_reference_operands *sets, const opevo_kernel *kernel,
                     opevo_i_wire_result *result)
{
    opevo_i_own_values values = {.text = NULL};
    opevo_error err = {OPEVO_OK, ""};
    opevo_buffer buffers[OPEVO_WORKLOAD_OPERANDS];
    bool good =
        opevo_i_own_values_read(opevo_text_string(&kernel->values), &values, &err) == OPEVO_OK &&
        opevo_harness_buffers_at(own->harness, &values.values, buffers, &err) == OPEVO_OK;

    for (int set = 0; set < own->sets && good; set++) {
        for (int i = 0; i < sets[set].list.count && good; i++)
            good = fit_buffer(&own->set[set], &sets[set], (size_t)i, &buffers[i], &err);
    }
    opevo_i_own_values_free(&values);
    if (!good && (err.status == OPEVO_NOMEM || err.status == OPEVO_FAULT))
        opevo_i_wire_result_fault(result, "%s", err.message);
    else if (!good)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err.message);
    return good;
}

opevo_status opevo_i_own_add_options(const opevo_kernel *kernel, bool names,
                                     opevo_i_process_arguments *out, opevo_error *err)
{
    for (const char *at = opevo_text_string(&kernel->options); *at;) {
        size_t length = strcspn(at, "\n");

        bool is_name = !strncmp(at, OPEVO_NAME_EXPRESSION, strlen(OPEVO_NAME_EXPRESSION));

        if ((names || !is_name) && !opevo_i_process_arguments_add(out, at, length))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
        at += length + (at[length] != '\0');
    }
    return OPEVO_OK;
}

void opevo_i_own_fail(const opevo_evaluation *evaluation, opevo_i_wire_result *result)
{
    opevo_outcome_class kind = OPEVO_OUTCOME_WRONG;

    if (evaluation->verdict == OPEVO_VERDICT_UNSUPPORTED)
        kind = OPEVO_OUTCOME_LAUNCH_ERROR;
    else if (evaluation->verdict == OPEVO_VERDICT_SIGNAL)
        kind = OPEVO_OUTCOME_CRASHED;
    else if (evaluation->verdict == OPEVO_VERDICT_TIMEOUT ||
             evaluation->verdict == OPEVO_VERDICT_LIMIT)
        kind = OPEVO_OUTCOME_TIMEOUT;
    if (evaluation->verdict == OPEVO_VERDICT_WRONG || evaluation->verdict == OPEVO_VERDICT_TIMEOUT)
        opevo_i_wire_result_fail(result, kind, "%s", evaluation->message);
    else
        opevo_i_wire_result_fail(result, kind, "%s: %s",
                                 opevo_kernel_verdict_name(evaluation->verdict),
                                 evaluation->message);
}
