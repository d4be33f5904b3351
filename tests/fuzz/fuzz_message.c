/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The messages between engine and worker: a job or a result that is understood is written as one
 * that is understood alike; a setup is taken or refused. */

#include "fuzz.h"

#include "backend_internal.h"
#include "protocol_internal.h"

#include <stdlib.h>
#include <string.h>

static void check_job(const json_t *message)
{
    opevo_i_wire_job job = {0};
    opevo_i_wire_job again = {0};
    json_t *written = NULL;

    if (!opevo_i_wire_job_from_json(message, &job))
        return;
    written = opevo_i_wire_job_to_json(&job);
    FUZZ_CHECK(opevo_i_wire_job_from_json(written, &again));
    FUZZ_CHECK(again.id == job.id && again.single_sample == job.single_sample);
    FUZZ_CHECK(again.command.count == job.command.count);
    for (size_t i = 0; i < job.command.count; i++)
        FUZZ_CHECK(strcmp(again.command.items[i], job.command.items[i]) == 0);
    FUZZ_CHECK(strcmp(opevo_text_string(&again.kernel.source),
                      opevo_text_string(&job.kernel.source)) == 0);
    json_decref(written);
    opevo_i_wire_job_clear(&job);
    opevo_i_wire_job_clear(&again);
}

static void check_result(const json_t *message)
{
    opevo_i_wire_result result = {0};
    opevo_i_wire_result again = {0};
    json_t *written = NULL;

    if (!opevo_i_wire_result_from_json(message, &result))
        return;
    written = opevo_i_wire_result_to_json(&result);
    FUZZ_CHECK(opevo_i_wire_result_from_json(written, &again));
    FUZZ_CHECK(again.id == result.id && again.kind == result.kind);
    FUZZ_CHECK(again.sample_count == result.sample_count &&
               again.context_lost == result.context_lost);
    for (size_t i = 0; i < result.sample_count; i++)
        FUZZ_CHECK(again.samples[i] == result.samples[i] &&
                   (!result.processor_s || again.processor_s[i] == result.processor_s[i]));
    FUZZ_CHECK(again.build_s == result.build_s && again.other_s == result.other_s);
    json_decref(written);
    opevo_i_wire_result_clear(&result);
    opevo_i_wire_result_clear(&again);
}

static void check_setup(const json_t *message)
{
    const opevo_i_backend_ops *cmd = NULL;
    opevo_i_backend *backend = NULL;
    opevo_error err = {OPEVO_OK, ""};
    const char *which = NULL;

    FUZZ_CHECK(opevo_i_backend_find("cmd", &cmd, &which, &err) == OPEVO_OK);
    FUZZ_CHECK(cmd->open(which, &backend, &err) == OPEVO_OK);
    fuzz_accepts(cmd->setup(backend, message, &err), &err);
    cmd->close(backend);
}

static void check_workload(const json_t *message)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_workload *work = NULL, *again = NULL;
    json_t *written = NULL;

    if (!fuzz_accepts(opevo_i_wire_setup_workload(message, &work, &err), &err))
        return;
    written = json_object();
    FUZZ_CHECK(opevo_i_wire_setup_add_workload(written, work) == 0);
    FUZZ_CHECK(opevo_i_wire_setup_workload(written, &again, &err) == OPEVO_OK);
    FUZZ_CHECK(again->list.count == work->list.count && again->flop == work->flop);
    FUZZ_CHECK(!again->library == !work->library);
    json_decref(written);
    opevo_workload_destroy(work);
    opevo_workload_destroy(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    json_t *message = json_loads(text, 0, NULL);

    if (message) {
        check_job(message);
        check_result(message);
        check_setup(message);
        check_workload(message);
        free(opevo_i_wire_message_line(message)); /* takes it */
    }
    free(text);
}
