/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computation: definitions, shapes, operations and operands of one; without one, the names that
 * there are. */

#include "computation_spec_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/computation_access.h>
#include <opevo/computation_named.h>
#include <opevo/json.h>

#include <stdio.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"json", NULL, "print one JSON object", false},
};

static const char *role_name(opevo_role role)
{
    return role == OPEVO_ROLE_INPUT      ? "input"
           : role == OPEVO_ROLE_CONSTANT ? "constant"
           : role == OPEVO_ROLE_OUTPUT   ? "output"
                                         : "intermediate";
}

/* ---- One computation ---- */

static void add_count(opevo_table *table, double count, bool exact)
{
    opevo_text text = {0};

    opevo_text_add(&text, exact ? "" : "<= ");
    opevo_i_cli_text_add_grouped(&text, (opevo_index)count);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_text_free(&text);
}

static void add_shape(opevo_table *table, const opevo_tensor *tensor)
{
    opevo_text text = {0};

    for (int d = 0; d < tensor->dims; d++)
        opevo_text_printf(&text, "%s%lld", d ? " x " : "", (long long)tensor->extent[d]);
    opevo_i_cli_table_cell(table, "%s", tensor->dims ? opevo_text_string(&text) : "1");
    opevo_text_free(&text);
}

static opevo_status print_tensors(const opevo_computation *computation, opevo_text *out,
                                  opevo_error *err)
{
    static const char *const heads[] = {"<tensor", "<role", "<type", "<shape", "bytes", "FLOP"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        opevo_flop flop = opevo_tensor_flop(tensor);

        opevo_i_cli_table_cell(&table, "%s", tensor->name);
        opevo_i_cli_table_cell(&table, "%s", role_name(tensor->role));
        opevo_i_cli_table_cell(&table, "%s", opevo_element_name(tensor->element));
        add_shape(&table, tensor);
        add_count(&table,
                  (double)opevo_tensor_elements(tensor) * opevo_element_bytes(tensor->element),
                  true);
        if (tensor->definition)
            add_count(&table, flop.count, flop.exact);
        else
            opevo_i_cli_table_cell(&table, "-");
    }
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

static opevo_status print_text(const opevo_computation *computation, opevo_text *out,
                               opevo_error *err)
{
    opevo_flop flop = opevo_computation_flop(computation);
    opevo_status status = OPEVO_OK;

    opevo_computation_print(computation, "\n", out);
    opevo_text_add(out, "\n\n");
    status = print_tensors(computation, out, err);
    if (status != OPEVO_OK)
        return status;
    opevo_text_add(out, flop.exact ? "\n" : "\nat most ");
    opevo_i_cli_text_add_grouped(out, (opevo_index)flop.count);
    opevo_text_printf(out, " FLOP (%s), ", flop.exact ? "exact" : "bounded");
    opevo_i_cli_text_add_grouped(out, (opevo_index)opevo_computation_bytes(computation));
    opevo_text_printf(out, " bytes of operands\nsignature %016llx\n",
                      (unsigned long long)opevo_computation_signature(computation));
    return OPEVO_OK;
}

static void add_json_names(opevo_text *out, const char *key, const opevo_tensor *const *tensors,
                           int count)
{
    opevo_json_open(out, key, "[");
    for (int i = 0; i < count; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, tensors[i]->name);
    }
    opevo_text_add(out, "]");
}

static void add_json_flop(opevo_text *out, opevo_flop flop)
{
    opevo_json_double(out, "flop", flop.count);
    opevo_json_string(out, "flop_sure", flop.exact ? "exact" : "bounded");
}

static void add_json_tensor(const opevo_tensor *tensor, opevo_text *out)
{
    opevo_text text = {0};

    opevo_text_add(out, "{");
    opevo_json_string(out, "name", tensor->name);
    opevo_json_string(out, "role", role_name(tensor->role));
    opevo_json_string(out, "type", opevo_element_name(tensor->element));
    opevo_json_open(out, "shape", "[");
    for (int d = 0; d < tensor->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)tensor->extent[d]);
    opevo_text_add(out, "]");
    if (tensor->definition) {
        opevo_tensor_print(tensor, &text);
        opevo_json_string(out, "definition", opevo_text_string(&text));
        add_json_names(out, "reads", tensor->producer, tensor->producers);
        opevo_json_double(out, "points", opevo_tensor_points(tensor));
        add_json_flop(out, opevo_tensor_flop(tensor));
        opevo_json_bool(out, "strictly_inlineable", opevo_tensor_is_strictly_inlineable(tensor));
        opevo_json_bool(out, "needs_tiling", opevo_tensor_needs_tiling(tensor));
    }
    opevo_text_add(out, "}");
    out->failed |= text.failed;
    opevo_text_free(&text);
}

static void print_json(const opevo_computation *computation, opevo_text *out)
{
    opevo_text text = {0};
    char signature[20];

    opevo_computation_print(computation, "; ", &text);
    snprintf(signature, sizeof signature, "%016llx",
             (unsigned long long)opevo_computation_signature(computation));
    opevo_text_add(out, "{");
    opevo_json_string(out, "text", opevo_text_string(&text));
    opevo_json_string(out, "signature", signature);
    add_json_flop(out, opevo_computation_flop(computation));
    opevo_json_double(out, "bytes", opevo_computation_bytes(computation));
    opevo_json_open(out, "tensors", "[");
    for (int i = 0; i < computation->tensors; i++) {
        opevo_json_next(out, "\n  ");
        add_json_tensor(computation->tensor[i], out);
    }
    opevo_text_add(out, "\n]}\n");
    out->failed |= text.failed;
    opevo_text_free(&text);
}

/* ---- All names ---- */

static void print_names(opevo_text *out)
{
    for (size_t i = 0; i < opevo_computation_family_count(); i++) {
        const opevo_computation_family *family = opevo_computation_family_get(i);

        opevo_text_printf(out, "%s(%s)\n    %s", family->name, family->parameters, family->summary);
        if (family->shapes)
            opevo_text_printf(out, "; ansor-%s-1 to -4", family->name);
        opevo_text_add(out, "\n");
    }
}

static void print_names_json(opevo_text *out)
{
    opevo_text_add(out, "[");
    for (size_t i = 0; i < opevo_computation_family_count(); i++) {
        const opevo_computation_family *family = opevo_computation_family_get(i);

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_string(out, "name", family->name);
        opevo_json_string(out, "parameters", family->parameters);
        opevo_json_string(out, "summary", family->summary);
        opevo_json_string(out, "shapes", family->shapes ? family->shapes : "");
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]\n");
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;
    bool json = opevo_i_cli_flag(call, "json");

    (void)exit_code;
    if (call->argument_count == 0) {
        (json ? print_names_json : print_names)(out);
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_cli_computation_of(call->arguments[0], &computation, err));
    if (json)
        print_json(computation, out);
    else
        OPEVO_TRY(print_text(computation, out, err));
cleanup:
    opevo_computation_destroy(computation);
    return status;
}

const opevo_verb opevo_i_cli_verb_computation = {
    .name = "computation",
    .arguments = "[COMPUTATION]",
    .arguments_max = 1,
    .summary = "Describe a computation: definitions, shapes, operations, bytes of operands.",
    .details =
        "COMPUTATION is an operator (mm1, matmul(512,1024,1024)), a name with numbers\n"
        "(c2d(1,56,56,64,64,1,1,0)), a shape of Ansor's evaluation (ansor-c2d-2, with batch 16\n"
        "ansor-c2d-2(16)), a text of definitions, or a file with one (FILE or @FILE). Without it,\n"
        "the names are listed. docs/formats/computation.md has the language.\n\n"
        "  opevo computation 'softmax(512,1024)'\n"
        "  opevo computation 'C[i:64] = sum(k:32) A[i, k]*B[k]; D[i] = max(C[i], 0)'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
