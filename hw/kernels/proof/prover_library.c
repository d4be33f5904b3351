/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a network's library: a file begins with the computation as a comment, a statement on
 * each line, and with comments that say what a call must know:
 *
 *   scratch memory: 64 bytes, and 0 of each thread
 *   NAME packs X1 into 256 bytes
 *   Y0 may lie where X0 lies */

#include "prover_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_BYTES = 1 << 28 };

/* The statements of the first comment, divided by "; ". */
static bool read_computation(const char *text, opevo_text *out)
{
    const char *end = strstr(text, " */");

    if (strncmp(text, "/* ", 3) != 0 || !end)
        return false;
    for (text += 3; text < end;) {
        const char *line = strstr(text, "\n * ");
        const char *stop = line && line < end ? line : end;

        opevo_text_add_bytes(out, text, (size_t)(stop - text));
        opevo_text_add(out, stop < end ? "; " : "");
        text = stop + 4;
    }
    return true;
}

/* Further comments; false for one that says something else. */
static bool read_comment(const char *line, opevo_i_prover_call *call)
{
    unsigned input = 0;
    int end = -1;

    if (sscanf(line, "/* scratch memory: %lld bytes, and %lld of each thread */%n",
               (long long *)&call->scratch_bytes, (long long *)&call->thread_bytes, &end) == 2 &&
        end > 0) {
        call->has_scratch = true;
        return true;
    }
    if (call->packs < OPEVO_OPERANDS &&
        sscanf(line, "/* %95s packs %31s into %lld bytes */%n", call->pack[call->packs].function,
               call->pack[call->packs].operand, (long long *)&call->pack[call->packs].bytes,
               &end) == 3 &&
        end > 0) {
        call->packs++;
        return true;
    }
    if (sscanf(line, "/* Y0 may lie where X%u lies */%n", &input, &end) == 1 && end > 0 &&
        input < 32) {
        call->reused |= UINT32_C(1) << input;
        return true;
    }
    return false;
}

/* The function behind the last line that begins with "void opevo_computation_". */
static bool read_name(const char *text, opevo_i_prover_call *call)
{
    static const char head[] = "\nvoid opevo_";
    const char *found = NULL;

    for (const char *at = strstr(text, head); at; at = strstr(at + 1, head))
        if (!strstr(at, "_pack_") || strstr(at, "_pack_") > strchr(at, '('))
            found = at + strlen("\nvoid ");
    if (!found || strcspn(found, "(") >= sizeof call->launch[0].kernel)
        return false;
    snprintf(call->launch[0].kernel, sizeof call->launch[0].kernel, "%.*s",
             (int)strcspn(found, "("), found);
    for (int d = 0; d < 3; d++)
        call->launch[0].grid[d] = call->launch[0].block[d] = 1;
    call->launches = 1;
    return true;
}

opevo_status opevo_i_prover_library(const char *path, opevo_text *computes,
                                    opevo_i_prover_call *call, opevo_error *err)
{
    char *text = NULL;
    const char *at;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, KERNEL_BYTES, &text, &size, err);

    if (status != OPEVO_OK)
        return status;
    if (read_computation(text, computes)) {
        at = strstr(text, " */");
        while ((at = strchr(at, '\n')) && (at += strspn(at, "\n"), strncmp(at, "/* ", 3) == 0) &&
               read_comment(at, call))
            ;
    }
    if (!computes->length || !call->has_scratch || !read_name(text, call))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: how is it called? Name its harness by --harness FILE.", path);
    opevo_free(text);
    return status;
}
