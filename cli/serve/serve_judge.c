/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a client before the judge (cli/judge): the lines of the verb as members of a reply. */

#include "serve_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>

#include <string.h>

#include "judge_internal.h"

/* Texts of a list, borrowed; release the array. */
static opevo_status read_paths(const json_t *list, const char ***out, size_t *count,
                               opevo_error *err)
{
    *count = list ? opevo_json_text_count(list) : 0;
    OPEVO_NEW_OR_RETURN(*out, *count + 1, "a request");
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = opevo_json_text_at(list, i);
    return OPEVO_OK;
}

/* All but the last line are of kernels. */
static void add_lines(const char *lines, opevo_text *out)
{
    opevo_json_open(out, "kernels", "[");
    for (bool first = true; *lines; first = false) {
        size_t length = strcspn(lines, "\n");
        bool is_last = !lines[length] || !lines[length + 1];

        if (is_last) {
            opevo_text_add(out, "]");
            opevo_json_key(out, "judgement");
        }
        opevo_text_printf(out, "%s%.*s", first || is_last ? "" : ", ", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

opevo_status opevo_i_cli_serve_judge(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                     opevo_text *out, opevo_error *err)
{
    const char **kernels = NULL, **baselines = NULL;
    opevo_i_cli_judge_request judged = {.task = request->task,
                                        .on = request->on ? request->on : "cpu",
                                        .threads =
                                            request->threads ? (unsigned)request->threads : 1,
                                        .seed = request->seed,
                                        .rounds = request->rounds,
                                        .calls = request->calls,
                                        .timeout_s = request->timeout};
    opevo_text lines = {0};
    int exit_code = 0;
    opevo_status status = OPEVO_OK;

    if (server->without_files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "This server reads no files, and a task is one.");
    OPEVO_TRY(read_paths(request->kernels, &kernels, &judged.kernel_count, err));
    OPEVO_TRY(read_paths(request->baselines, &baselines, &judged.baseline_count, err));
    judged.kernels = kernels;
    judged.baselines = baselines;
    OPEVO_TRY(opevo_i_cli_judge(&judged, &lines, &exit_code, err));
    opevo_json_index(out, "status", (opevo_index)exit_code);
    add_lines(opevo_text_string(&lines), out);
    status = opevo_text_check(&lines, err);
cleanup:
    opevo_text_free(&lines);
    opevo_free(kernels);
    opevo_free(baselines);
    return status;
}
