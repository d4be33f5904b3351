/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An open session: what it is told, found by its number, and closed. */

#include "serve_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>

const char *const opevo_i_cli_told_names[] = {[OPEVO_I_TOLD_SCORE] = "score",
                                              [OPEVO_I_TOLD_TIME] = "time",
                                              [OPEVO_I_TOLD_GFLOPS] = "gflops",
                                              NULL};

opevo_status opevo_i_cli_serving_find(const opevo_i_cli_server *server,
                                      const opevo_i_cli_request *request, opevo_i_cli_serving **out,
                                      opevo_error *err)
{
    uint64_t number = request->session;

    if (number == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"session\" is missing: the number from create.");
    if (number > server->count || !server->sessions[number - 1])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Session %llu is not open.",
                          (unsigned long long)number);
    *out = server->sessions[number - 1];
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serving_close(opevo_i_cli_serving *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_OK;
    status = opevo_session_end(self->session, NULL, err);
    if (status == OPEVO_OK && self->run.store)
        status = opevo_store_check_place(self->run.store, err);
    opevo_store_close(self->run.store);
    opevo_objective_destroy(self->objective);
    opevo_front_free(&self->front);
    opevo_free(self->settings);
    opevo_earlier_free(&self->earlier);
    opevo_start_list_destroy(self->starts);
    opevo_free(self->requirements);
    free(self->store_path);
    free(self->identity);
    opevo_free(self->leases);
    opevo_free(self->pending);
    opevo_free(self);
    return status;
}
