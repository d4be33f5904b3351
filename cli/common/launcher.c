/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the launcher of a cluster put into the environment. */

#include "launcher_internal.h"

#include <opevo/text.h>

#include <stdlib.h>

static opevo_status fail_variable(const char *name, const char *text, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s=%s in the environment is not a number that fits: give --shard I/N.", name,
                      text);
}

opevo_status opevo_i_cli_launcher_number(const char *name, uint64_t fallback, uint64_t *out,
                                         opevo_error *err)
{
    const char *text = getenv(name);

    *out = fallback;
    if (text && (!opevo_parse_u64(text, out) || *out > UINT32_MAX))
        return fail_variable(name, text, err);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_launcher_rank(uint64_t *index, uint64_t *count, const char **by,
                                       opevo_error *err)
{
    static const struct {
        const char *name, *needs, *rank, *size;
    } launchers[] = {
        {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"Slurm step", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    };
    opevo_status status = OPEVO_OK;

    *index = 0;
    *count = 1;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (!getenv(launchers[i].needs) || !getenv(launchers[i].rank) || !getenv(launchers[i].size))
            continue;
        OPEVO_TRY(opevo_i_cli_launcher_number(launchers[i].rank, 0, index, err));
        OPEVO_TRY(opevo_i_cli_launcher_number(launchers[i].size, 1, count, err));
        if (*index >= *count)
            return fail_variable(launchers[i].rank, getenv(launchers[i].rank), err);
        *by = launchers[i].name;
        break;
    }
cleanup:
    return status;
}

bool opevo_i_cli_is_one_of_several(void)
{
    uint64_t index = 0, count = 1;
    const char *by = NULL;

    return opevo_i_cli_launcher_rank(&index, &count, &by, NULL) == OPEVO_OK && count > 1;
}
