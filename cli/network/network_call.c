/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a call says of device and tuning; contradictions are refused. */

#include "live_options_internal.h"
#include "network_cli_internal.h"
#include "options_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/finals.h>
#include <opevo/memory.h>

#include <string.h>

const char *const opevo_i_cli_network_of_tuning[] = {
    "trials",       "seconds",         "tuner",          "set",           "store",   "start",
    "transfer",     "give-up",         "finals",         "rounds",        "no-null", "workers",
    "workers-from", "workers-address", "worker-timeout", "mixed-devices", "timeout", NULL};

opevo_status opevo_i_cli_network_targets(const opevo_call *call, opevo_library_targets *out,
                                         opevo_network_library_options *options, opevo_error *err)
{
    const char *list = opevo_i_cli_option(call, "target");
    opevo_error inner = {OPEVO_OK, ""};

    *out = (opevo_library_targets){0};
    if (list && (opevo_library_targets_read(list, out, &inner) != OPEVO_OK ||
                 opevo_network_targets_choose(out, opevo_i_cli_network_is_tuned(call), options,
                                              &inner) != OPEVO_OK))
        return OPEVO_FAIL(err, inner.status, "--target: %s", inner.message);
    return OPEVO_OK;
}

const char *opevo_i_cli_network_name(const opevo_call *call)
{
    const char *slash = strrchr(call->arguments[0], '/');

    return slash ? slash + 1 : call->arguments[0];
}

bool opevo_i_cli_network_for_gpu(const opevo_call *call)
{
    const char *on = opevo_i_cli_option(call, "on");
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;

    return on && opevo_i_cli_device_of(on, &dialect, NULL) == OPEVO_OK && dialect != OPEVO_KERNEL_C;
}

bool opevo_i_cli_network_is_tuned(const opevo_call *call)
{
    return opevo_i_cli_option(call, "on") &&
           (!opevo_i_cli_network_for_gpu(call) || opevo_i_cli_flag(call, "trials") ||
            opevo_i_cli_flag(call, "seconds"));
}

/* Options that mean nothing on the device are refused. */
static opevo_status check_device(const opevo_call *call, opevo_error *err)
{
    const char *on = opevo_i_cli_option(call, "on");
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;

    if (on && opevo_i_cli_device_of(on, &dialect, err) != OPEVO_OK)
        return OPEVO_INVALID;
    if (dialect == OPEVO_KERNEL_C)
        return OPEVO_OK;
    if (opevo_i_cli_flag(call, "threads"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--threads is about kernels for a CPU, not for %s.",
                          on);
    if (opevo_i_cli_network_is_tuned(call))
        return OPEVO_OK;
    for (const char *const *name = opevo_i_cli_network_of_tuning; *name; name++) {
        if (opevo_i_cli_flag(call, *name))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s needs --trials N or --seconds S: without them nothing is "
                              "measured on %s.",
                              *name, on);
    }
    return OPEVO_OK;
}

/* What the call says of tuning: what it names is looked up again where it is used. */
static opevo_status check_tuning(const opevo_call *call, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_tuner_ops *tuner = NULL;
    opevo_setting_value *values = NULL;
    uint64_t count = 0;
    double seconds = 0;

    OPEVO_TRY(opevo_i_cli_tuner_of_call(call, "opevo", NULL, &tuner, &values, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "trials", 1, 1, UINT64_MAX, &count, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "finals", 0, 0, OPEVO_FINALISTS_MOST, &count, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "rounds", 30, 1, 10000, &count, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "seconds", &seconds, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "timeout", &seconds, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "worker-timeout", &seconds, err));
cleanup:
    opevo_free(values);
    return status;
}

opevo_status opevo_i_cli_network_check(const opevo_call *call, opevo_error *err)
{
    opevo_status status = check_device(call, err);

    return status == OPEVO_OK && opevo_i_cli_network_is_tuned(call) ? check_tuning(call, err)
                                                                    : status;
}
