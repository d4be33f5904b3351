/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule as a file, as --emit writes it: a head of comments that say what it is of, then its
 * steps. */

#include "cli_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/template.h>

#include <string.h>

enum { LIMIT = 1 << 20 };

/* ---- The head ---- */

/* The value of the first line "# KEY: value", and the number of that line, from 1. *out is NULL
 * if absent. */
static opevo_status find_line(const char *text, const char *key, char **out, int *line,
                              opevo_error *err)
{
    size_t length = strlen(key);

    *out = NULL;
    *line = 1;
    for (const char *at = text; at; (*line)++) {
        const char *end = strchr(at, '\n');

        if (!strncmp(at, "# ", 2) && !strncmp(at + 2, key, length) && at[2 + length] == ':') {
            at += length + 3;
            at += strspn(at, " ");
            *out = opevo_strndup(at, strcspn(at, "\r\n"));
            return *out ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a schedule.");
        }
        at = end ? end + 1 : NULL;
    }
    return OPEVO_OK;
}

static opevo_status compare_operators(const opevo_operator *here, const opevo_operator *wanted,
                                      const char *path, int line, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text is = {0};
    opevo_text must = {0};

    opevo_operator_print(here, &is);
    opevo_operator_print(wanted, &must);
    OPEVO_TRY(opevo_text_check(&is, err));
    OPEVO_TRY(opevo_text_check(&must, err));
    if (strcmp(is.data, must.data) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: The schedule is for %s, not for %s.", path,
                            line, is.data, must.data);
cleanup:
    opevo_text_free(&is);
    opevo_text_free(&must);
    return status;
}

/* The operator of the head, which must be `wanted` where that is given. */
static opevo_status read_operator(const char *text, const char *path, const opevo_operator *wanted,
                                  opevo_operator *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};
    char *said = NULL;
    int line = 0;

    OPEVO_TRY(find_line(text, "operator", &said, &line, err));
    if (!said && !wanted)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s does not name its operator; add a line such as \"# operator: "
                          "matmul(512,1024,1024)\", or name the operator in the command.",
                          path);
    if (!said) {
        *out = *wanted;
        return OPEVO_OK;
    }
    if (opevo_operator_parse(said, out, &inner) != OPEVO_OK) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: %s", path, line, inner.message);
        goto cleanup;
    }
    if (wanted)
        status = compare_operators(out, wanted, path, line, err);
cleanup:
    opevo_free(said);
    return status;
}

static opevo_status read_dialect(const char *text, const char *path,
                                 const opevo_kernel_dialect *wanted, opevo_i_schedule_file *out,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *said = NULL;
    int line = 0;
    int found = 0;

    OPEVO_TRY(find_line(text, "dialect", &said, &line, err));
    out->dialect = wanted ? *wanted : OPEVO_KERNEL_COUNT;
    if (!said)
        return OPEVO_OK;
    while (found < OPEVO_KERNEL_COUNT &&
           strcmp(opevo_kernel_dialect_name((opevo_kernel_dialect)found), said) != 0)
        found++;
    if (found == OPEVO_KERNEL_COUNT)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: Unknown dialect '%.40s'.", path, line, said);
    else if (wanted && (opevo_kernel_dialect)found != *wanted)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: The schedule is for %s, not for %s.", path,
                            line, said, opevo_kernel_dialect_name(*wanted));
    out->dialect = (opevo_kernel_dialect)found;
cleanup:
    opevo_free(said);
    return status;
}

/* Of a kernel with a parallel loop. */
static opevo_status read_threads(const char *text, const char *path, unsigned *out,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *said = NULL;
    uint64_t threads = 0;
    int line = 0;

    OPEVO_TRY(find_line(text, "threads", &said, &line, err));
    if (said && (!opevo_parse_u64(said, &threads) || threads < 1 || threads > OPEVO_THREADS_MOST))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s:%d: '%.40s' is not a number of threads from 1 to %d.", path, line,
                            said, OPEVO_THREADS_MOST);
    *out = (unsigned)threads;
cleanup:
    opevo_free(said);
    return status;
}

/* ---- The file ---- */

opevo_status opevo_i_schedule_file_read(const char *path, const opevo_operator *op,
                                        const opevo_kernel_dialect *dialect,
                                        opevo_i_schedule_file *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_schedule_file self = {0};
    char *text = NULL;
    size_t size = 0;
    int line = 0;

    OPEVO_TRY(opevo_file_read(path, LIMIT, &text, &size, err));
    if (strlen(text) != size) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: byte %zu is zero; this is not a text.", path,
                            strlen(text) + 1);
        goto cleanup;
    }
    OPEVO_TRY(read_operator(text, path, op, &self.op, err));
    OPEVO_TRY(read_dialect(text, path, dialect, &self, err));
    OPEVO_TRY(read_threads(text, path, &self.threads, err));
    OPEVO_TRY(find_line(text, "template", &self.template, &line, err));
    OPEVO_TRY(find_line(text, "configuration", &self.configuration, &line, err));
    OPEVO_TRY(opevo_schedule_parse(&self.op, text, path, &self.schedule, err));
    *out = self;
    self = (opevo_i_schedule_file){0};
cleanup:
    opevo_free(text);
    opevo_i_schedule_file_free(&self);
    return status;
}

void opevo_i_schedule_file_free(opevo_i_schedule_file *file)
{
    opevo_schedule_destroy(file->schedule);
    opevo_free(file->template);
    opevo_free(file->configuration);
    *file = (opevo_i_schedule_file){0};
}
