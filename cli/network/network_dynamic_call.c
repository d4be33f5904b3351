/* SPDX-License-Identifier: GPL-3.0-or-later */

/* --dynamic: one library for all sizes of a range. */

#include "network_cli_internal.h"
#include "options_internal.h"

#include <opevo/network_dynamic.h>

static opevo_status read_ranges(const opevo_call *call, opevo_network_ranges *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status =
        opevo_network_ranges_read(opevo_i_cli_option(call, "dynamic"), out, &inner);

    return status == OPEVO_OK ? OPEVO_OK : OPEVO_FAIL(err, status, "--dynamic %s", inner.message);
}

/* *out: whether sizes for kernels are given. */
static opevo_status read_tuned(const opevo_call *call, const opevo_network_ranges *ranges,
                               int64_t *sizes, bool *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    *out = opevo_i_cli_flag(call, "tune-at");
    if (*out && opevo_network_ranges_sizes(ranges, opevo_i_cli_option(call, "tune-at"), sizes,
                                           &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "--tune-at %s", inner.message);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_network_check_dynamic(const opevo_call *call, opevo_error *err)
{
    static const char *const others[] = {"freestanding", "check-input", "error", "prove", "run"};
    opevo_network_ranges ranges;
    int64_t sizes[OPEVO_NETWORK_SIZES];
    opevo_status status = OPEVO_OK;
    bool given = false;

    if (!opevo_i_cli_flag(call, "dynamic"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--tune-at needs --dynamic with the ranges.");
    if (!opevo_i_cli_flag(call, "-o"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--dynamic needs -o with a folder for the library.");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (opevo_i_cli_flag(call, others[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--dynamic excludes --%s; leave one of them out.",
                              others[i]);
    }
    if (opevo_i_cli_network_for_gpu(call))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--dynamic is for libraries in C: use --on cpu, or leave --on out.");
    OPEVO_TRY(read_ranges(call, &ranges, err));
    status = read_tuned(call, &ranges, sizes, &given, err);
cleanup:
    return status;
}

opevo_status opevo_i_cli_network_emit_dynamic(const opevo_call *call,
                                              const opevo_network_given *given, uint32_t mask,
                                              opevo_text *out, int *exit_code, opevo_error *err)
{
    const opevo_i_cli_arrays drawn = {0};
    opevo_network_ranges ranges;
    int64_t tuned[OPEVO_NETWORK_SIZES];
    opevo_network_dynamic *dynamic = NULL;
    opevo_network_plan *plan = NULL;
    opevo_status status = OPEVO_OK;
    bool has_tuned = false;

    OPEVO_TRY(read_ranges(call, &ranges, err));
    OPEVO_TRY(read_tuned(call, &ranges, tuned, &has_tuned, err));
    OPEVO_TRY(opevo_network_dynamic_read(call->arguments[0], given, &ranges,
                                         has_tuned ? tuned : NULL, mask, &dynamic, err));
    opevo_i_cli_network_say(call, "");
    opevo_i_cli_network_warn(call, dynamic->network[0]);
    OPEVO_TRY(
        opevo_network_plan_of(dynamic->at[0], opevo_i_cli_network_is_tuned(call), &plan, err));
    status =
        opevo_i_cli_library_emit(call, plan, &(const opevo_network_plan_options){.passes = mask},
                                 &drawn, out, exit_code, err);
cleanup:
    opevo_network_plan_destroy(plan);
    opevo_network_dynamic_destroy(dynamic);
    return status;
}
