/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests and replies: docs/formats/evolver.md. */

#include "evolver_program_internal.h"

#include <opevo/memory.h>
#include <opevo/objective.h>

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fill in the members of the reply. */
typedef opevo_status (*answer)(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                               opevo_error *err);

static const char *text_of(const json_t *request, const char *key)
{
    const char *text = json_string_value(json_object_get(request, key));

    return text ? text : "";
}

static void set_text(json_t *reply, const char *key, const char *value)
{
    json_object_set_new(reply, key, json_string(value));
}

static void set_hash(json_t *reply, const char *key, uint64_t hash)
{
    char text[17];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    set_text(reply, key, text);
}

static opevo_status set_edits(json_t *reply, opevo_edits *edits, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_edits_print(edits, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        set_text(reply, "edits", opevo_text_string(&text));
    opevo_text_free(&text);
    opevo_edits_destroy(edits);
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* What is compared: a time where one is measured. */
static double cost_of(const opevo_i_evolver_kernel *kernel, const opevo_evaluation *result)
{
    return kernel->machine == OPEVO_I_SIMT ? result->cost : result->time_s;
}

static opevo_status set_base(opevo_i_evolver_kernel *kernel, json_t *reply, opevo_error *err)
{
    opevo_edits *none = opevo_edits_create();
    opevo_evaluation base;
    const char *known = NULL;
    uint64_t hash = 0;
    opevo_status status = none ? opevo_i_evolver_kernel_evaluate(kernel, OPEVO_SET_SEARCH, none,
                                                                 &base, &hash, &known, err)
                               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a kernel.");

    opevo_edits_destroy(none);
    if (status != OPEVO_OK)
        return status;
    if (!(cost_of(kernel, &base) > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The kernel costs nothing on its search cases.");
    json_object_set_new(reply, "base_cost", json_real(cost_of(kernel, &base)));
    set_hash(reply, "base_hash", hash);
    return OPEVO_OK;
}

/* What variants are not checked for. */
static const char *unchecked(const opevo_i_evolver_kernel *kernel)
{
    static const char *const without[2][2] = {{"races, uninitialised values", "races"},
                                              {"uninitialised values", ""}};

    if (!kernel->harness)
        return "";
    switch (kernel->machine) {
    case OPEVO_I_SIMT:
        return without[kernel->simt.check_races][kernel->simt.check_uninitialised];
    case OPEVO_I_CPU:
        return "races, uninitialised values";
    case OPEVO_I_GPU:
        break;
    }
    return "races, uninitialised values, divergent barriers";
}

static opevo_status load(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                         opevo_error *err)
{
    static const char *const targets[] = {[OPEVO_MODULE_NVPTX] = "nvptx",
                                          [OPEVO_MODULE_AMDGPU] = "amdgpu",
                                          [OPEVO_MODULE_CPU] = "cpu"};
    opevo_status status = OPEVO_OK;
    json_t *cases = json_object();
    char version[64];
    unsigned major = 0;
    unsigned minor = 0;
    unsigned patch = 0;

    opevo_i_evolver_kernel_free(kernel);
    OPEVO_TRY(opevo_i_evolver_kernel_load(request, kernel, err));
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(version, sizeof version, "%u.%u.%u", major, minor, patch);
    set_hash(reply, "module", opevo_module_hash(kernel->module));
    set_text(reply, "target", targets[opevo_module_machine(kernel->module)]);
    set_text(reply, "llvm", version);
    set_text(reply, "unchecked", unchecked(kernel));
    set_text(reply, "unit", kernel->machine == OPEVO_I_SIMT ? "cycles" : "s");
    set_hash(reply, "signature", kernel->signature);
    json_object_set_new(reply, "instructions",
                        json_integer((json_int_t)opevo_module_instruction_count(kernel->module)));
    for (opevo_harness_set set = 0; kernel->harness && set < OPEVO_HARNESS_SETS; set++)
        json_object_set_new(
            cases, opevo_harness_set_name(set),
            json_integer((json_int_t)opevo_harness_case_count(kernel->harness, set)));
    json_object_set(reply, "cases", cases);
    if (kernel->harness)
        OPEVO_TRY(set_base(kernel, reply, err));
cleanup:
    json_decref(cases);
    return status;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static opevo_rng stream_of(const json_t *request)
{
    opevo_rng rng;

    opevo_rng_init(&rng, strtoull(text_of(request, "seed"), NULL, 16), "edits", 0);
    return rng;
}

static opevo_status sample(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                           opevo_error *err)
{
    opevo_rng rng = stream_of(request);
    size_t count = 1 + (size_t)opevo_rng_below(&rng, kernel->initial);
    opevo_edits *made = NULL;
    opevo_status status =
        opevo_edits_sample(kernel->module, &kernel->edits, count, &rng, &made, err);

    return status == OPEVO_OK ? set_edits(reply, made, err) : status;
}

static opevo_status mutate(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                           opevo_error *err)
{
    opevo_rng rng = stream_of(request);
    opevo_edits *parent = NULL;
    opevo_edits *made = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "edits"), &parent, err));
    OPEVO_TRY(opevo_edits_mutate(kernel->module, &kernel->edits, parent,
                                 json_number_value(json_object_get(request, "q")), &rng, &made,
                                 err));
    OPEVO_TRY(set_edits(reply, made, err));
cleanup:
    opevo_edits_destroy(parent);
    return status;
}

static opevo_status cross(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                          opevo_error *err)
{
    opevo_rng rng = stream_of(request);
    opevo_edits *a = NULL;
    opevo_edits *b = NULL;
    opevo_edits *made = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "a"), &a, err));
    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "b"), &b, err));
    OPEVO_TRY(opevo_edits_cross(&kernel->edits, a, b, &rng, &made, NULL, err));
    OPEVO_TRY(set_edits(reply, made, err));
cleanup:
    opevo_edits_destroy(a);
    opevo_edits_destroy(b);
    return status;
}

static opevo_status canonical(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                              opevo_error *err)
{
    opevo_edits *edits = NULL;
    opevo_status status = opevo_edits_parse(kernel->module, text_of(request, "edits"), &edits, err);

    return status == OPEVO_OK ? set_edits(reply, edits, err) : status;
}

/* ---- Evaluating ------------------------------------------------------------------------------ */

/* How stores class a verdict. What the interpreter finds without a real machine failing is "wrong":
 * the result is not determined. */
static opevo_outcome_class class_of(opevo_kernel_verdict verdict)
{
    switch (verdict) {
    case OPEVO_VERDICT_OK:
        return OPEVO_OUTCOME_OK;
    case OPEVO_VERDICT_APPLY:
    case OPEVO_VERDICT_VERIFY:
        return OPEVO_OUTCOME_BUILD_ERROR;
    case OPEVO_VERDICT_UNSUPPORTED:
        return OPEVO_OUTCOME_REJECTED;
    case OPEVO_VERDICT_LIMIT:
    case OPEVO_VERDICT_TIMEOUT:
        return OPEVO_OUTCOME_TIMEOUT;
    case OPEVO_VERDICT_OUT_OF_BOUNDS:
    case OPEVO_VERDICT_DIVERGENT_BARRIER:
    case OPEVO_VERDICT_UNDEFINED:
    case OPEVO_VERDICT_SIGNAL:
        return OPEVO_OUTCOME_CRASHED;
    case OPEVO_VERDICT_UNINITIALISED:
    case OPEVO_VERDICT_RACE:
    case OPEVO_VERDICT_WRONG:
        break;
    }
    return OPEVO_OUTCOME_WRONG;
}

static opevo_status evaluate(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                             opevo_error *err)
{
    opevo_harness_set set = OPEVO_SET_SEARCH;
    opevo_edits *edits = NULL;
    opevo_evaluation result = {.verdict = OPEVO_VERDICT_OK};
    const char *known = NULL;
    uint64_t hash = 0;
    opevo_status status = OPEVO_OK;

    if (!kernel->harness || !opevo_harness_set_of(text_of(request, "set"), &set))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Without a harness nothing is evaluated.");
    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "edits"), &edits, err));
    OPEVO_TRY(opevo_i_evolver_kernel_evaluate(kernel, set, edits, &result, &hash, &known, err));
    set_text(reply, "status", opevo_kernel_verdict_name(result.verdict));
    set_text(reply, "class", opevo_outcome_name(class_of(result.verdict)));
    set_hash(reply, "hash", hash);
    if (known)
        set_text(reply, "known", known);
    if (result.verdict == OPEVO_VERDICT_OK) {
        json_object_set_new(reply, "cost", json_real(cost_of(kernel, &result)));
        json_object_set_new(reply, "error", json_real(result.error));
    } else {
        opevo_text message = {0};

        opevo_text_printf(&message, "%s: %s", opevo_kernel_verdict_name(result.verdict),
                          result.message);
        set_text(reply, "message", opevo_text_string(&message));
        opevo_text_free(&message);
    }
cleanup:
    opevo_edits_destroy(edits);
    return status;
}

/* ---- Showing --------------------------------------------------------------------------------- */

static opevo_status set_hex(json_t *reply, const opevo_text *bytes, opevo_error *err)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = opevo_malloc(2 * bytes->length + 1, 1);

    OPEVO_NEED_OR_RETURN(hex, "a variant");
    for (size_t i = 0; i < bytes->length; i++) {
        hex[2 * i] = digits[(unsigned char)bytes->data[i] >> 4];
        hex[2 * i + 1] = digits[(unsigned char)bytes->data[i] & 15];
    }
    hex[2 * bytes->length] = '\0';
    set_text(reply, "hex", hex);
    opevo_free(hex);
    return OPEVO_OK;
}

static opevo_status create_variant(opevo_i_evolver_kernel *kernel, const json_t *request,
                                   opevo_edits **edits, opevo_variant **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "edits"), edits, err));
    OPEVO_TRY(opevo_variant_create(kernel->module, *edits, out, err));
    if (opevo_variant_fault(*out))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "LLVM refuses the variant: %.800s",
                            opevo_variant_fault(*out));
cleanup:
    return status;
}

static opevo_status emit(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                         opevo_error *err)
{
    const char *form = text_of(request, "form");
    const char *machine = text_of(request, "machine");
    opevo_variant_form which = OPEVO_FORM_LL;
    opevo_edits *edits = NULL;
    opevo_variant *variant = NULL;
    opevo_text bytes = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(create_variant(kernel, request, &edits, &variant, err));
    if (!strcmp(form, "diff"))
        opevo_variant_diff(variant, &bytes);
    else if (opevo_variant_form_of(form, &which))
        OPEVO_TRY(opevo_variant_emit(variant, which, *machine ? machine : NULL, 0, &bytes, err));
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "Unknown form %.100s; use ll, ptx, amdgcn-ll, amdgcn, cpu-ll, "
                            "cpu-object, opencl or diff.",
                            form);
    if (status == OPEVO_OK)
        status = opevo_text_check(&bytes, err);
    if (status == OPEVO_OK)
        status = set_hex(reply, &bytes, err);
cleanup:
    opevo_text_free(&bytes);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(edits);
    return status;
}

/* "delete U82 (planted.c:31)", with every instruction of the text that has a source line. */
static void describe_edit(const opevo_i_evolver_kernel *kernel, const char *text, bool skipped,
                          opevo_text *out)
{
    const char *separator = "  [";

    opevo_text_add(out, text);
    for (const char *at = strchr(text, 'U'); at; at = strchr(at + 1, 'U')) {
        uint64_t number = strtoull(at + 1, NULL, 10);
        const char *file = "";
        unsigned line = 0;

        if (number >= 1 && number <= opevo_module_instruction_count(kernel->module))
            line = opevo_module_source_line(kernel->module, (size_t)number, &file);
        if (!line)
            continue;
        opevo_text_printf(out, "%sU%llu %s:%u", separator, (unsigned long long)number, file, line);
        separator = ", ";
    }
    opevo_text_add(out, separator[0] == ',' ? "]" : "");
    opevo_text_add(out, skipped ? "  (skipped: its target is gone)" : "");
}

static opevo_status describe(opevo_i_evolver_kernel *kernel, const json_t *request, json_t *reply,
                             opevo_error *err)
{
    opevo_edits *edits = NULL;
    opevo_variant *variant = NULL;
    json_t *lines = json_array();
    opevo_text one = {0};
    opevo_text line = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_edits_parse(kernel->module, text_of(request, "edits"), &edits, err));
    OPEVO_TRY(opevo_variant_create(kernel->module, edits, &variant, err));
    for (size_t i = 0; i < opevo_edits_count(edits); i++) {
        opevo_text_clear(&one);
        opevo_text_clear(&line);
        opevo_edits_print_one(edits, i, &one);
        describe_edit(kernel, opevo_text_string(&one), opevo_variant_skipped(variant, i), &line);
        json_array_append_new(lines, json_string(opevo_text_string(&line)));
    }
    json_object_set(reply, "lines", lines);
    set_hash(reply, "hash", opevo_variant_hash(variant));
    if (opevo_variant_fault(variant))
        set_text(reply, "fault", opevo_variant_fault(variant));
cleanup:
    json_decref(lines);
    opevo_text_free(&one);
    opevo_text_free(&line);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(edits);
    return status;
}

json_t *opevo_i_evolver_kernel_answer(opevo_i_evolver_kernel *kernel, const json_t *request)
{
    static const struct {
        const char *name;
        answer function;
    } answers[] = {{"load", load},   {"sample", sample},       {"mutate", mutate},
                   {"cross", cross}, {"canonical", canonical}, {"evaluate", evaluate},
                   {"emit", emit},   {"describe", describe}};
    const char *what = text_of(request, "do");
    opevo_error err = {OPEVO_INVALID, "The request is unknown."};
    opevo_status status = OPEVO_INVALID;
    json_t *reply = json_object();

    for (size_t i = 0; reply && i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(what, answers[i].name) != 0)
            continue;
        if (kernel->module || !strcmp(what, "load"))
            status = answers[i].function(kernel, request, reply, &err);
        else
            opevo_error_set(&err, OPEVO_INVALID, "No kernel is loaded.");
    }
    if (status == OPEVO_OK || !reply)
        return reply;
    json_object_clear(reply);
    set_text(reply, "error", opevo_status_name(status));
    set_text(reply, "message", err.message);
    return reply;
}
