/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Folders of --emit. kernel.schedule begins with the computation, and kernel.h declares the kernel:
 * a pointer to each tensor, named x_TENSOR, and one to scratch memory. */

#include "prover_internal.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opevo_status read_text(const char *folder, const char *name, opevo_text *path,
                              opevo_text *out, opevo_error *err)
{
    char *data = NULL;
    size_t size = 0;
    opevo_status status;

    opevo_text_clear(path);
    opevo_text_printf(path, "%s/%s", folder, name);
    status = opevo_file_read(opevo_text_string(path), OPEVO_COMPUTATION_TEXT, &data, &size, err);
    if (status == OPEVO_OK)
        opevo_text_add_bytes(out, data, size);
    opevo_free(data);
    return status;
}

/* The rest of the line behind a word; false: no line begins with it. */
static bool line_behind(const char *text, const char *word, opevo_text *out)
{
    const char *at = strncmp(text, word, strlen(word)) == 0 ? text : NULL;

    for (const char *line = text; !at && line; line = strchr(line, '\n')) {
        line += *line == '\n';
        at = strncmp(line, word, strlen(word)) == 0 ? line : NULL;
        if (!at && !*line)
            break;
    }
    if (!at)
        return false;
    at += strlen(word);
    opevo_text_add_bytes(out, at, strcspn(at, "\n"));
    return true;
}

/* "a, b)" behind the opening parenthesis of the declaration: each name that ends a parameter. */
static void add_parameters(const char *at, const opevo_computation *computation, int64_t scratch,
                           opevo_text *buffers, opevo_text *arguments, opevo_text *outputs)
{
    while (*at && *at != ')') {
        size_t length = strcspn(at, ",)"), start = length;
        const opevo_tensor *tensor = NULL;
        char name[OPEVO_COMPUTATION_NAME + 3];

        while (start > 0 && (isalnum((unsigned char)at[start - 1]) || at[start - 1] == '_'))
            start--;
        snprintf(name, sizeof name, "%.*s", (int)(length - start), at + start);
        at += length + (at[length] == ',');
        if (strncmp(name, "x_", 2) == 0)
            tensor = opevo_computation_find(computation, name + 2);
        opevo_text_printf(arguments, "%s\"%s\"", arguments->length ? ", " : "",
                          tensor ? tensor->name : name);
        opevo_text_printf(buffers, "%s\"%s\": {\"type\": \"f32\", \"count\": %lld%s}",
                          buffers->length ? ", " : "", tensor ? tensor->name : name,
                          tensor ? (long long)opevo_tensor_elements(tensor)
                                 : (long long)(scratch / 4 + 1),
                          tensor && !tensor->definition ? ", \"fill\": \"zero\"" : "");
        if (tensor && tensor->definition)
            opevo_text_printf(outputs, "%s\"%s\": {\"absolute\": 0}", outputs->length ? ", " : "",
                              tensor->name);
    }
}

static opevo_status write_harness(const char *header, const opevo_computation *computation,
                                  const char *path, opevo_text *out, opevo_error *err)
{
    const char *at = strstr(header, "\nvoid "), *open = at ? strchr(at, '(') : NULL;
    const char *bytes = strstr(header, "_SCRATCH_BYTES(threads) (");
    opevo_text buffers = {0}, arguments = {0}, outputs = {0};

    if (!open || !bytes)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s/kernel.h declares no kernel in C of --emit.",
                          path);
    bytes += strlen("_SCRATCH_BYTES(threads) (");
    add_parameters(open + 1, computation, strtoll(bytes, NULL, 10), &buffers, &arguments, &outputs);
    opevo_text_printf(out,
                      "{\"buffers\": {%s}, \"steps\": [{\"launch\": \"%.*s\", \"grid\": 1, "
                      "\"block\": 1, \"arguments\": [%s]}], \"outputs\": {%s}, \"tune\": "
                      "{\"sizes\": {}}}",
                      opevo_text_string(&buffers), (int)(open - at - 6), at + 6,
                      opevo_text_string(&arguments), opevo_text_string(&outputs));
    opevo_text_free(&buffers);
    opevo_text_free(&arguments);
    opevo_text_free(&outputs);
    return OPEVO_OK;
}

opevo_status opevo_i_prover_folder(const char *folder, opevo_text *kernel, opevo_text *computes,
                                   opevo_text *harness, opevo_error *err)
{
    opevo_text schedule = {0}, header = {0};
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_text(folder, "kernel.schedule", kernel, &schedule, err));
    OPEVO_TRY(read_text(folder, "kernel.h", kernel, &header, err));
    if (!line_behind(opevo_text_string(&schedule), "# computation: ", computes) &&
        !line_behind(opevo_text_string(&schedule), "# operator: ", computes)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s/kernel.schedule names no computation.", folder);
        goto cleanup;
    }
    OPEVO_TRY(opevo_computation_read(opevo_text_string(computes), &computation, err));
    OPEVO_TRY(write_harness(opevo_text_string(&header), computation, folder, harness, err));
    opevo_text_clear(kernel);
    opevo_text_printf(kernel, "%s/kernel.c", folder);
cleanup:
    opevo_computation_destroy(computation);
    opevo_text_free(&schedule);
    opevo_text_free(&header);
    return status;
}
