/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "kernels_read_internal.h"

#include <opevo/live.h>

#include "objective_of_run_internal.h"

#include <string.h>

/* What cannot be opened here leaves its proofs as they were read. */
static opevo_status compare(opevo_store *store, int64_t number, const opevo_index *only,
                            opevo_i_cli_kernels *self, opevo_error *err)
{
    opevo_i_cli_objective_of_run run = {.objective = NULL};
    opevo_status status = OPEVO_OK;

    if (!opevo_i_cli_kernels_are_unchecked(self, only))
        return OPEVO_OK;
    status = opevo_i_cli_objective_of_run_open(store, number, &run, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_kernels_compare(self, run.objective, run.on, only, err);
    opevo_i_cli_objective_of_run_close(&run);
    return status == OPEVO_NOMEM ? status : OPEVO_OK;
}

opevo_status opevo_i_cli_kernels_read(opevo_store *store, const opevo_run_info *info,
                                      const opevo_index *only, opevo_i_cli_kernels *out,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    bool evolved = strncmp(info->on, "evolve:", 7) == 0; /* whose variants are not made again */

    out->any = evolved || opevo_live_is_device(info->on);
    if (!out->any)
        return OPEVO_OK;
    status = opevo_store_get_proofs(store, info->run, &out->proofs, err);
    if (!evolved)
        return status == OPEVO_OK ? compare(store, info->run, only, out, err) : status;
    out->any = out->proofs.count > 0;
    return status;
}
