/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation by what a user writes: a text, a name, an operator or a file. */

#include "cli_internal.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <string.h>
#include <unistd.h>

static opevo_status read_file(const char *path, opevo_computation **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *text = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(path, OPEVO_COMPUTATION_TEXT, &text, &size, err));
    if (strlen(text) != size)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: byte %zu is zero; this is not a text.", path,
                            strlen(text) + 1);
    else
        status = opevo_computation_parse(text, path, NULL, 0, out, err);
cleanup:
    opevo_free(text);
    return status;
}

opevo_status opevo_i_computation_of(const char *what, opevo_computation **out, opevo_error *err)
{
    bool is_file = !strchr(what, '[') && (opevo_i_looks_like_path(what) || !access(what, F_OK));

    return is_file ? read_file(what, out, err) : opevo_computation_read(what, out, err);
}
