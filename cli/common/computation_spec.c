/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations and operators by what a user writes: a text, a name, a form or a file. */

#include "computation_spec_internal.h"
#include "named_path_internal.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/workload.h>

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

/* The path that is meant, or NULL for another argument. */
static const char *file_of(const char *what)
{
    if (*what == '@')
        return what + 1;
    return !strchr(what, '[') && (opevo_i_cli_looks_like_path(what) || !access(what, F_OK)) ? what
                                                                                            : NULL;
}

opevo_status opevo_i_cli_computation_of(const char *what, opevo_computation **out, opevo_error *err)
{
    const char *file = file_of(what);

    return file ? read_file(file, out, err) : opevo_computation_read(what, out, err);
}

const char *opevo_i_cli_workload_file(const char *what)
{
    opevo_operator op;

    return opevo_operator_parse(what, &op, NULL) == OPEVO_OK ? NULL : file_of(what);
}

opevo_status opevo_i_cli_workload_of(const char *what, opevo_workload **out, opevo_error *err)
{
    const char *file = opevo_i_cli_workload_file(what);
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    if (!file)
        return opevo_workload_read(what, out, err);
    status = read_file(file, &computation, err);
    return status == OPEVO_OK ? opevo_workload_adopt(computation, out, err) : status;
}

opevo_status opevo_i_cli_operator_of(const char *what, const char *user, opevo_operator *out,
                                     opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_workload *work = NULL;

    if (opevo_operator_parse(what, out, &inner) == OPEVO_OK)
        return OPEVO_OK;
    if (opevo_i_cli_workload_of(what, &work, NULL) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "%s", inner.message);
    opevo_workload_destroy(work);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s takes an operator such as mm1 or matmul(512,1024,1024), not the "
                      "computation '%.200s'.",
                      user, what);
}
