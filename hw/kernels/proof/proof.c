/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The verdict on a case: the kernel and its definition in the field, element by element. */

#include "proof_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/simt_launcher.h>

#include <llvm-c/Core.h>

#include <stdio.h>
#include <string.h>

const char *opevo_proof_verdict_name(opevo_proof_verdict verdict)
{
    static const char *const names[] = {
#define PROOF_NAME(suffix, text) text,
        OPEVO_PROOF_VERDICT_LIST(PROOF_NAME)
#undef PROOF_NAME
    };

    return names[verdict];
}

/* ---- Buffers and tensors ---- */

static opevo_status check_tensor(const opevo_tensor *tensor, const opevo_buffer *buffer,
                                 opevo_error *err)
{
    opevo_kernel_element wanted =
        tensor->element == OPEVO_FLOAT16 ? OPEVO_KERNEL_ELEMENT_U16 : OPEVO_KERNEL_ELEMENT_F32;

    if (buffer->element != wanted)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Buffer %s is of %s, and the tensor of its name of %s, whose buffers are "
                          "of %s.",
                          buffer->name, opevo_kernel_element_name(buffer->element),
                          opevo_element_name(tensor->element), opevo_kernel_element_name(wanted));
    if (buffer->count != (size_t)opevo_tensor_elements(tensor))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Buffer %s has %zu elements, and the tensor of its name %lld.",
                          buffer->name, buffer->count, (long long)opevo_tensor_elements(tensor));
    return OPEVO_OK;
}

/* The tensor that an output is in the end. */
static opevo_status match_result(opevo_i_proving *self, size_t i, opevo_error *err)
{
    const opevo_buffer *buffer = &self->buffers[i];
    bool shared = self->options.read && strcmp(buffer->name, self->options.read) == 0;
    const opevo_tensor *result =
        shared ? opevo_computation_find(self->computation, self->options.written) : self->tensor[i];

    if (!result)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Output %s of the harness is not a tensor of the computation.",
                          buffer->name);
    if (!result->definition)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Output %s of the harness is an input of the computation.", buffer->name);
    self->result[i] = result;
    self->out->elements += buffer->count;
    return check_tensor(result, buffer, err);
}

static opevo_status match(opevo_i_proving *self, opevo_error *err)
{
    size_t inputs = 0, wanted = 0;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_buffer *buffer = &self->buffers[i];
        opevo_status status;

        self->tensor[i] = opevo_computation_find(self->computation, buffer->name);
        status = self->tensor[i] ? check_tensor(self->tensor[i], buffer, err) : OPEVO_OK;
        if (status == OPEVO_OK && buffer->output)
            status = match_result(self, i, err);
        if (status != OPEVO_OK)
            return status;
        inputs += self->tensor[i] && !self->tensor[i]->definition;
        self->has_half |= self->tensor[i] && self->tensor[i]->element == OPEVO_FLOAT16;
    }
    for (int t = 0; t < self->computation->tensors; t++)
        wanted += !self->computation->tensor[t]->definition;
    if (inputs != wanted)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The harness has %zu of the %zu inputs of the computation as buffers of "
                          "their names.",
                          inputs, wanted);
    return self->out->elements ? OPEVO_OK
                               : OPEVO_FAIL(err, OPEVO_INVALID, "The harness has no outputs.");
}

/* ---- Runs ---- */

static opevo_simt_value input(const void *context, const opevo_tensor *tensor, uint64_t element)
{
    return opevo_field_input(context, (uint64_t)tensor->number, element);
}

static opevo_status fill(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0;
             self->tensor[i] && !self->tensor[i]->definition && e < self->buffers[i].count; e++) {
            opevo_simt_value value = input(self->field, self->tensor[i], e);

            opevo_simt_write(simt, (uint32_t)i, e, opevo_i_proof_bytes(self, i), &value);
        }
    return opevo_i_proof_allow(self, simt, err);
}

/* ---- Verdicts ---- */

static void conclude(opevo_proof *out, opevo_proof_verdict verdict, const char *reason)
{
    out->verdict = verdict;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
}

static void conclude_run(opevo_proof *out, const opevo_evaluation *run)
{
    bool open = run->verdict == OPEVO_VERDICT_UNSUPPORTED || run->verdict == OPEVO_VERDICT_LIMIT;

    conclude(out, open ? OPEVO_PROOF_UNDECIDED : OPEVO_PROOF_REFUTED, run->message);
}

/* A proof keeps the largest degree of all that it compares. */
void opevo_i_proof_note_degree(opevo_proof *out, const opevo_simt_value *a,
                               const opevo_simt_value *b)
{
    uint64_t left = (uint64_t)opevo_field_numerator(a) + opevo_field_denominator(b);
    uint64_t right = (uint64_t)opevo_field_numerator(b) + opevo_field_denominator(a);
    uint64_t most = left > right ? left : right;

    out->degree = most > out->degree ? most : out->degree;
}

static bool compare_element(opevo_i_proving *self, const opevo_simt *simt, size_t buffer, size_t e,
                            const opevo_simt_value *defined)
{
    opevo_proof *out = self->out;
    opevo_simt_value computed = {{0}};
    char text[OPEVO_PROOF_REASON_SIZE];
    opevo_field_comparison compared;

    if (opevo_simt_read(simt, (uint32_t)buffer, e, opevo_i_proof_bytes(self, buffer), &computed) !=
        OPEVO_SIMT_ELEMENT_VALUE) {
        snprintf(text, sizeof text, "%s[%zu] is made of bits that depend on data.",
                 self->buffers[buffer].name, e);
        conclude(out, OPEVO_PROOF_UNDECIDED, text);
        return false;
    }
    compared = opevo_field_compare(&computed, defined);
    opevo_i_proof_note_degree(out, &computed, defined);
    out->compared++;
    if (compared == OPEVO_FIELD_EQUAL)
        return true;
    snprintf(text, sizeof text,
             compared == OPEVO_FIELD_OPEN
                 ? "%s[%zu] has no value in the field: a division by 0, or infinities that meet."
                 : "%s[%zu] is another function of the inputs than its definition.",
             self->result[buffer]->name, e);
    conclude(out, compared == OPEVO_FIELD_OPEN ? OPEVO_PROOF_UNDECIDED : OPEVO_PROOF_REFUTED, text);
    snprintf(out->example.tensor, sizeof out->example.tensor, "%s", self->result[buffer]->name);
    out->example.element = (int64_t)e;
    return false;
}

static void compare(opevo_i_proving *self, const opevo_simt *simt, const opevo_defined *defined)
{
    opevo_proof *out = self->out;

    out->memory = true;
    out->verdict = OPEVO_PROOF_PROVED;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; self->result[i] && e < self->buffers[i].count; e++)
            if (!compare_element(self, simt, i, e,
                                 &opevo_defined_values(defined, self->result[i]->number)[e]))
                return;
}

/* The probability that some pair of different arguments of unknown functions was taken for the
 * same is part of it. */
void opevo_i_proof_bound(const opevo_field *field, opevo_proof *out)
{
    opevo_field_uses uses = opevo_field_used(field);
    double arguments = (double)(uses.unknown + uses.exponentials + uses.maxima), degree;

    if (uses.degree > out->degree)
        out->degree = uses.degree;
    degree = out->degree ? (double)out->degree : 1;
    out->assumed = arguments > 0;
    out->probability = degree * (1 + arguments * arguments / 2) / (double)OPEVO_FIELD_Q;
    if (arguments == 0)
        out->probability = degree / (double)OPEVO_FIELD_P;
    if (out->probability > 1 || out->degree >= UINT32_MAX - 1) /* counts end there */
        out->probability = 1;
}

/* Elements of tensors of 16 bits are rounded by their definition. */
static opevo_status allow_roundings(opevo_i_proving *self, const opevo_defined *defined,
                                    opevo_error *err)
{
    for (int t = 0; t < self->computation->tensors; t++) {
        const opevo_tensor *tensor = self->computation->tensor[t];

        if (tensor->element == OPEVO_FLOAT16 &&
            !opevo_field_store(self->field, opevo_defined_values(defined, t),
                               (size_t)opevo_tensor_elements(tensor)))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a proof.");
    }
    return OPEVO_OK;
}

/* A kernel that computes in less digits than its definition is the same function, and yet not what
 * was asked for. */
static void doubt_roundings(opevo_proof *out, const opevo_simt *simt)
{
    char place[128], text[OPEVO_PROOF_REASON_SIZE];

    if (!opevo_simt_notable_rounding(simt, place, sizeof place))
        return;
    snprintf(text, sizeof text,
             "The same function of real numbers, but %s rounds to float16 what the definition does "
             "not store in it.",
             place);
    conclude(out, OPEVO_PROOF_UNDECIDED, text);
}

/* What holds of the order of threads that was run, and not of all. */
static void doubt_orders(opevo_proof *out, const opevo_simt *simt)
{
    char place[128], text[OPEVO_PROOF_REASON_SIZE];
    const char *why = opevo_simt_doubt(simt, place, sizeof place);

    if (!why)
        return;
    snprintf(text, sizeof text, "%s %s.", place, why);
    conclude(out, OPEVO_PROOF_UNDECIDED, text);
}

/* Where a linker puts something beside code and data: such as among what runs at the start. */
static bool has_section(LLVMValueRef one)
{
    size_t length = 0;
    const char *section = LLVMGetSection(one);

    return section && *section && strncmp(LLVMGetValueName2(one, &length), "llvm.", 5) != 0;
}

const char *opevo_i_proof_unseen(LLVMModuleRef module)
{
    size_t length = 0;
    bool sections = false;

    (void)LLVMGetModuleInlineAsm(module, &length);
    if (length > 0)
        return "The module has assembly outside of functions, which may be any code.";
    if (LLVMGetNamedGlobal(module, "llvm.global_ctors"))
        return "The module has functions that run before kernels are called.";
    if (LLVMGetFirstGlobalIFunc(module))
        return "The module has functions that are chosen when it is loaded.";
    for (LLVMValueRef one = LLVMGetFirstGlobal(module); one; one = LLVMGetNextGlobal(one))
        sections |= has_section(one);
    for (LLVMValueRef one = LLVMGetFirstFunction(module); one; one = LLVMGetNextFunction(one))
        sections |= has_section(one);
    return sections ? "The module has variables or functions in sections of their own, such as "
                      "those of what runs before kernels are called."
                    : NULL;
}

/* What the field says, before a counterexample is looked for. */
static opevo_status decide(opevo_i_proving *self, opevo_error *err)
{
    const opevo_simt_arithmetic *field = opevo_field_arithmetic(self->field);
    opevo_simt_arithmetic of_kernel = *field;
    opevo_evaluation run;
    opevo_launcher *launcher = NULL;
    opevo_defined *defined = NULL;
    opevo_simt_counts counts;
    opevo_status status = OPEVO_OK;
    double kernel_start;

    if (self->options.spoil)
        self->options.spoil(&of_kernel);
    OPEVO_TRY(opevo_define(self->computation, field, input, self->field, &defined, err));
    OPEVO_TRY(allow_roundings(self, defined, err));
    kernel_start = opevo_clock_process_s();
    OPEVO_TRY(opevo_i_proof_run(self, &of_kernel, fill, &launcher, &run, err));
    opevo_simt_count(opevo_simt_launcher_machine(launcher), &counts);
    self->out->operations = counts.value_operations;
    self->out->kernel_time_s = opevo_clock_process_s() - kernel_start;
    if (run.verdict != OPEVO_VERDICT_OK) {
        conclude_run(self->out, &run);
        goto cleanup;
    }
    compare(self, opevo_simt_launcher_machine(launcher), defined);
    if (opevo_field_failed(self->field))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a proof.");
    opevo_i_proof_bound(self->field, self->out);
    if (self->out->verdict == OPEVO_PROOF_PROVED && self->out->probability > OPEVO_I_PROOF_DOUBT)
        conclude(self->out, OPEVO_PROOF_UNDECIDED, OPEVO_I_PROOF_HIGH);
    if (self->out->verdict == OPEVO_PROOF_PROVED)
        doubt_roundings(self->out, opevo_simt_launcher_machine(launcher));
    if (self->out->verdict == OPEVO_PROOF_PROVED)
        doubt_orders(self->out, opevo_simt_launcher_machine(launcher));
cleanup:
    opevo_defined_destroy(defined);
    opevo_launcher_destroy(launcher);
    return status;
}

/* A refutation stands only with an input: the field also tells apart functions that differ by the
 * roundings of constants, or by laws of unknown functions that it does not know. */
static opevo_status refute(opevo_i_proving *self, opevo_error *err)
{
    char text[OPEVO_PROOF_REASON_SIZE];
    opevo_status status = opevo_i_proof_confirm(self, err);

    if (status != OPEVO_OK || self->out->example.found || !self->out->memory)
        return status;
    snprintf(text, sizeof text, "%.400s No input of floats that was tried shows it.",
             self->out->reason);
    conclude(self->out, OPEVO_PROOF_UNDECIDED, text);
    return OPEVO_OK;
}

opevo_status opevo_prove(struct LLVMOpaqueModule *module, const opevo_harness *harness,
                         opevo_case *what, const opevo_computation *computation,
                         const opevo_proof_options *options, opevo_proof *out, opevo_error *err)
{
    opevo_i_proving self = {
        .module = module, .harness = harness, .what = what, .computation = computation, .out = out};
    double start = opevo_clock_process_s();
    opevo_status status = OPEVO_OK;

    *out = (opevo_proof){.verdict = OPEVO_PROOF_UNDECIDED};
    if (options)
        self.options = *options;
    self.one_lane = strncmp(LLVMGetTarget(module), "nvptx", 5) != 0;
    self.buffers = opevo_case_buffers(what, &self.count);
    OPEVO_NEW(self.tensor, self.count + 1, "a proof");
    OPEVO_NEW(self.result, self.count + 1, "a proof");
    OPEVO_TRY(match(&self, err));
    OPEVO_TRY(opevo_field_create(self.options.seed, &self.field, err));
    OPEVO_TRY(opevo_simt_costs_load(NULL, &self.costs, err));
    if (opevo_i_proof_unseen(module))
        conclude(out, OPEVO_PROOF_UNDECIDED, opevo_i_proof_unseen(module));
    else
        OPEVO_TRY(decide(&self, err));
    if (out->verdict == OPEVO_PROOF_REFUTED && out->memory)
        status = refute(&self, err);
    if (status == OPEVO_OK && out->verdict == OPEVO_PROOF_PROVED && self.options.rounding)
        status = opevo_i_proof_bound_roundings(&self, err);
    out->time_s = opevo_clock_process_s() - start;
cleanup:
    opevo_simt_costs_destroy(self.costs);
    opevo_field_destroy(self.field);
    opevo_free(self.tensor);
    opevo_free(self.result);
    return status;
}
