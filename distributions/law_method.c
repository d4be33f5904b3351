/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The methods by which a law is computed: their names, what they are for, which one AUTO stands
 * for, and the checks that all entry points share. */

#include "law_internal.h"

#include <opevo/struct_size.h>

#include <string.h>

static const char *const method_names[] = {
    [OPEVO_LAW_AUTO] = "auto",
    [OPEVO_LAW_CLOSED_FORM] = "closed-form",
    [OPEVO_LAW_TRIDIAGONAL] = "tridiagonal",
    [OPEVO_LAW_CHOLESKY] = "cholesky",
    [OPEVO_LAW_CG] = "cg",
    [OPEVO_LAW_CG_IMPLICIT] = "cg-implicit",
    [OPEVO_LAW_LUMPED] = "lumped",
};

enum { METHOD_COUNT = sizeof method_names / sizeof *method_names };

const char *opevo_law_method_name(opevo_law_method method)
{
    return (unsigned)method < METHOD_COUNT ? method_names[method] : "unknown";
}

bool opevo_law_method_parse(const char *name, opevo_law_method *method)
{
    for (unsigned i = 0; i < METHOD_COUNT; i++) {
        if (strcmp(name, method_names[i]) == 0) {
            *method = (opevo_law_method)i;
            return true;
        }
    }
    return false;
}

opevo_status opevo_i_law_options_read(const opevo_law_options *options, size_t size,
                                      opevo_law_options *out, opevo_error *err)
{
    if (options)
        return opevo_struct_read(options, size, "opevo_law_options", out, sizeof *out, err);
    *out = (opevo_law_options){.method = OPEVO_LAW_AUTO};
    return OPEVO_OK;
}

opevo_status opevo_i_law_check(double q, const opevo_law_options *options, double *tolerance,
                               opevo_error *err)
{
    double asked = options ? options->tolerance : 0;

    if (!(q >= 0.0 && q < 1.0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q is %g; it must be at least 0 and below 1.", q);
    if (!(asked >= 0.0 && asked < 1.0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The tolerance is %g; it must be positive and below 1, or 0 for 1e-12.",
                          asked);
    if (options && (unsigned)options->method >= METHOD_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown method number %d.", (int)options->method);
    *tolerance = asked > 0 ? asked : 1e-12;
    return OPEVO_OK;
}

opevo_law_method opevo_i_law_choose(const opevo_parameter *parameter)
{
    switch (opevo_parameter_family(parameter)) {
    case OPEVO_FAMILY_COMPLETE:
    case OPEVO_FAMILY_CYCLE:
    case OPEVO_FAMILY_TRANSPOSITIONS:
        return OPEVO_LAW_CLOSED_FORM;
    case OPEVO_FAMILY_PATH:
        return OPEVO_LAW_TRIDIAGONAL;
    case OPEVO_FAMILY_GENERAL:
        break;
    }
    return OPEVO_LAW_CG;
}

bool opevo_i_law_is_automatic(const opevo_law_options *options)
{
    return !options || options->method == OPEVO_LAW_AUTO;
}

opevo_status opevo_i_law_misfit(opevo_law_method method, const opevo_parameter *parameter,
                                const char *what, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The method %s is for %s, which the topology %s of %s is not; use auto.",
                      opevo_law_method_name(method), what, opevo_parameter_topology(parameter),
                      opevo_parameter_text(parameter));
}
