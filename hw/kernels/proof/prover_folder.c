/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Folders of --emit: kernel.schedule begins with the computation, and kernel.h declares the kernel,
 * with its scratch memory or its launches as macros. */

#include "prover_internal.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The text behind a word, from the i-th one on; NULL: there are fewer. */
static const char *behind(const char *text, const char *word, size_t i)
{
    const char *at = strstr(text, word);

    for (; at && i > 0; i--)
        at = strstr(at + 1, word);
    return at ? at + strlen(word) : NULL;
}

static bool read_three(const char *at, uint32_t out[3])
{
    /* NOLINTNEXTLINE(cert-err34-c): any numbers are some launch */
    return at && sscanf(at, " %u, %u, %u", &out[0], &out[1], &out[2]) == 3;
}

/* The launch of number i on a GPU; false if the kernel has fewer. */
static bool read_launch(const char *header, size_t i, opevo_i_prover_call *call)
{
    const char *name = behind(header, "__global__ void ", i);
    const char *shared = behind(header, "_SHARED_BYTES ", i);

    if (!name || !shared || i >= OPEVO_KERNEL_LAUNCHES ||
        !read_three(behind(header, "_GRID ", i), call->launch[i].grid) ||
        !read_three(behind(header, "_BLOCK ", i), call->launch[i].block))
        return false;
    snprintf(call->launch[i].kernel, sizeof call->launch[i].kernel, "%.*s", (int)strcspn(name, "("),
             name);
    call->launch[i].shared_bytes = (uint32_t)strtoul(shared, NULL, 10);
    return true;
}

/* The function of number i that packs an operand: "#define NAME_PACKED_X_B_BYTES 64LL", and
 * "void NAME_pack_b(const float *x_B, float *x_B_packed);". */
static bool read_pack(const char *header, size_t i, opevo_i_prover_call *call)
{
    const char *at = i < OPEVO_OPERANDS ? behind(header, "_PACKED_X_", i) : NULL;
    const char *name = at ? behind(at, "\nvoid ", 0) : NULL;
    const char *operand = name ? behind(name, " *x_", 0) : NULL;
    const char *bytes = at ? behind(at, "_BYTES ", 0) : NULL;

    if (!operand || !bytes)
        return false;
    snprintf(call->pack[i].function, sizeof call->pack[i].function, "%.*s", (int)strcspn(name, "("),
             name);
    snprintf(call->pack[i].operand, sizeof call->pack[i].operand, "%.*s",
             (int)strcspn(operand, ","), operand);
    call->pack[i].bytes = strtoll(bytes, NULL, 10);
    return true;
}

/* What kernel.h says of scratch memory and launches. */
static opevo_status read_call(const char *header, const char *folder, opevo_i_prover_call *out,
                              opevo_error *err)
{
    const char *name = behind(header, "\nvoid ", 0);
    const char *scratch = behind(header, "_SCRATCH_BYTES(threads) (", 0);
    const char *of_gpu = behind(header, "_SCRATCH_BYTES ", 0);

    while (read_pack(header, out->packs, out))
        out->packs++;
    if (name && scratch) {
        snprintf(out->launch[0].kernel, sizeof out->launch[0].kernel, "%.*s",
                 (int)strcspn(name, "("), name);
        for (int d = 0; d < 3; d++)
            out->launch[0].grid[d] = out->launch[0].block[d] = 1;
        out->launches = 1;
    }
    while (!scratch && read_launch(header, out->launches, out))
        out->launches++;
    out->has_scratch = scratch || of_gpu;
    out->scratch_bytes = out->has_scratch ? strtoll(scratch ? scratch : of_gpu, NULL, 10) : 0;
    if (scratch)
        out->thread_bytes = strtoll(behind(scratch, "(threads) * ", 0), NULL, 10);
    return out->launches ? OPEVO_OK
                         : OPEVO_FAIL(err, OPEVO_INVALID,
                                      "%s/kernel.h declares no kernel of --emit.", folder);
}

/* kernel.c, kernel.cu, or for HIP kernel.hip.cpp. */
static void name_kernel(const char *folder, const char *header, opevo_text *out)
{
    bool for_gpu = strstr(header, "__global__") != NULL;

    opevo_text_printf(out, "%s/kernel.%s", folder, for_gpu ? "cu" : "c");
    if (for_gpu && access(opevo_text_string(out), F_OK) != 0) {
        opevo_text_clear(out);
        opevo_text_printf(out, "%s/kernel.hip.cpp", folder);
    }
}

opevo_status opevo_i_prover_folder(const char *folder, opevo_text *kernel, opevo_text *computes,
                                   opevo_text *harness, opevo_i_prover_call *call, opevo_error *err)
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
    OPEVO_TRY(read_call(opevo_text_string(&header), folder, call, err));
    OPEVO_TRY(opevo_i_prover_harness(computation, call, harness, err));
    opevo_text_clear(kernel);
    name_kernel(folder, opevo_text_string(&header), kernel);
cleanup:
    opevo_computation_destroy(computation);
    opevo_text_free(&schedule);
    opevo_text_free(&header);
    return status;
}
