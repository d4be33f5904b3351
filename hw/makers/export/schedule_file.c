/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule as a file, as --emit writes it: a head of comments that say what it is of, then its
 * steps. Or a record of TVM. */

#include <opevo/schedule_file.h>

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/template.h>
#include <opevo/tvm_log.h>

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

static opevo_status check_wanted(const opevo_workload *here, const opevo_workload *wanted,
                                 const char *path, int line, opevo_error *err)
{
    opevo_text is = {0};
    opevo_text must = {0};
    opevo_status status = OPEVO_OK;

    if (opevo_computation_signature(here->computation) !=
        opevo_computation_signature(wanted->computation)) {
        opevo_workload_print(here, &is);
        opevo_workload_print(wanted, &must);
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: The schedule is for %.300s, not for %.300s.",
                       path, line, opevo_text_string(&is), opevo_text_string(&must));
    }
    opevo_text_free(&is);
    opevo_text_free(&must);
    return status;
}

/* What the head says that is computed, which must be `wanted` where that is given. */
static opevo_status read_workload(const char *text, const char *path, const opevo_workload *wanted,
                                  opevo_workload **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};
    char *op = NULL;
    char *computation = NULL;
    int op_line = 0;
    int line = 0;

    OPEVO_TRY(find_line(text, "operator", &op, &op_line, err));
    OPEVO_TRY(find_line(text, "computation", &computation, &line, err));
    if (!op && !computation && !wanted) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s does not name its operator; add a line such as \"# operator: "
                            "matmul(512,1024,1024)\", or name the operator in the command.",
                            path);
        goto cleanup;
    }
    if (!op && !computation) {
        status = opevo_workload_create(wanted->computation, out, err);
        goto cleanup;
    }
    line = op ? op_line : line;
    status = opevo_workload_read(op ? op : computation, out, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%s:%d: %s", path, line, inner.message);
    else if (wanted)
        status = check_wanted(*out, wanted, path, line, err);
cleanup:
    opevo_free(op);
    opevo_free(computation);
    return status;
}

static opevo_status read_dialect(const char *text, const char *path,
                                 const opevo_kernel_dialect *wanted, opevo_schedule_file *out,
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

/* ---- A record of TVM ---- */

/* Records do not name what they compute. */
static opevo_status take_workload(const opevo_workload *wanted, const char *path,
                                  opevo_workload **out, opevo_error *err)
{
    return wanted ? opevo_workload_create(wanted->computation, out, err)
                  : OPEVO_FAIL(err, OPEVO_INVALID,
                               "%s is a record of TVM, which does not name its computation: name "
                               "it in the command.",
                               path);
}

/* The only record of a file, or its list of steps; `text` begins with it, in this line. */
static opevo_status read_record(const char *text, size_t line, const char *path,
                                const opevo_workload *wanted, opevo_schedule_file *out,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_record record = {0};
    opevo_text origin = {0};
    const char *rest = text + strcspn(text, "\n");
    char *only = opevo_strndup(text, (size_t)(rest - text));
    size_t next = line;

    OPEVO_NEED_OR_RETURN(only, "a schedule");

    OPEVO_TRY(take_workload(wanted, path, &out->work, err));
    if (opevo_tvm_log_next(&rest, &next)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s has more than one record: leave only the one to use.", path);
        goto cleanup;
    }
    opevo_text_printf(&origin, "%s:%zu", path, line);
    OPEVO_TRY(opevo_text_check(&origin, err));
    OPEVO_TRY(
        opevo_record_read(out->work->computation, only, opevo_text_string(&origin), &record, err));
    out->pipeline = record.pipeline;
cleanup:
    opevo_text_free(&origin);
    opevo_free(only);
    return status;
}

/* ---- The file ---- */

/* A head and steps. */
static opevo_status read_steps(const char *text, const char *path, const opevo_workload *wanted,
                               const opevo_kernel_dialect *dialect, opevo_schedule_file *self,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int line = 0;

    OPEVO_TRY(read_workload(text, path, wanted, &self->work, err));
    OPEVO_TRY(read_dialect(text, path, dialect, self, err));
    OPEVO_TRY(read_threads(text, path, &self->threads, err));
    OPEVO_TRY(find_line(text, "template", &self->maker, &line, err));
    OPEVO_TRY(find_line(text, "configuration", &self->configuration, &line, err));
    status = opevo_pipeline_parse(self->work->computation, text, path, &self->pipeline, err);
cleanup:
    return status;
}

opevo_status opevo_schedule_file_read(const char *path, const opevo_workload *wanted,
                                      const opevo_kernel_dialect *dialect, opevo_schedule_file *out,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_schedule_file self = {0};
    opevo_tvm_log log = OPEVO_TVM_LOG_OTHER;
    char *text = NULL;
    const char *first = NULL;
    size_t size = 0, line = 1;

    OPEVO_TRY(opevo_file_read(path, LIMIT, &text, &size, err));
    if (strlen(text) != size) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: byte %zu is zero; this is not a text.", path,
                            strlen(text) + 1);
        goto cleanup;
    }
    first = text;
    opevo_tvm_log_next(&first, &line);
    log = opevo_tvm_log_of(text);
    if (log == OPEVO_TVM_LOG_AUTOTVM || log == OPEVO_TVM_LOG_META_SCHEDULE) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", path, opevo_tvm_log_advice(log));
        goto cleanup;
    }
    if (*first == '{' || *first == '[') {
        self.dialect = dialect ? *dialect : OPEVO_KERNEL_COUNT;
        OPEVO_TRY(read_record(first, line, path, wanted, &self, err));
    } else {
        OPEVO_TRY(read_steps(text, path, wanted, dialect, &self, err));
    }
    *out = self;
    self = (opevo_schedule_file){0};
cleanup:
    opevo_free(text);
    opevo_schedule_file_free(&self);
    return status;
}

void opevo_schedule_file_free(opevo_schedule_file *file)
{
    opevo_pipeline_destroy(file->pipeline);
    opevo_workload_destroy(file->work);
    opevo_free(file->maker);
    opevo_free(file->configuration);
    *file = (opevo_schedule_file){0};
}
