/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of one parameter: by the method that is asked for, or the one that fits its topology. */

#include "law_internal.h"

#include <opevo/memory.h>

static opevo_status create_closed_form(opevo_law *law, double tolerance, opevo_error *err)
{
    switch (opevo_parameter_family(law->parameter)) {
    case OPEVO_FAMILY_COMPLETE:
        return opevo_i_law_complete(law, tolerance, err);
    case OPEVO_FAMILY_CYCLE:
        return opevo_i_law_cycle(law, tolerance, err);
    case OPEVO_FAMILY_TRANSPOSITIONS:
        return opevo_i_law_transpositions(law, tolerance, err);
    default:
        return opevo_i_law_misfit(law->method, law->parameter,
                                  "complete graphs, cycles and transpositions", err);
    }
}

static opevo_status create_by_method(opevo_law *law, bool automatic, double tolerance,
                                     opevo_error *err)
{
    switch (law->method) {
    case OPEVO_LAW_CLOSED_FORM:
        return create_closed_form(law, tolerance, err);
    case OPEVO_LAW_LUMPED:
        return opevo_i_law_lumped(law, tolerance, err);
    case OPEVO_LAW_TRIDIAGONAL:
        if (opevo_parameter_family(law->parameter) != OPEVO_FAMILY_PATH)
            return opevo_i_law_misfit(law->method, law->parameter, "paths", err);
        return opevo_i_law_by_vertex(law, automatic, tolerance, err);
    default:
        return opevo_i_law_by_vertex(law, automatic, tolerance, err);
    }
}

opevo_status opevo_law_create_sized(const opevo_parameter *parameter, double q, opevo_index start,
                                    const opevo_law_options *options, size_t size, opevo_law **out,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_law *self = NULL;
    opevo_law_options known;
    double tolerance = 0;

    OPEVO_TRY(opevo_i_law_options_read(options, size, &known, err));
    OPEVO_TRY(opevo_i_law_check(q, &known, &tolerance, err));
    if (start >= opevo_parameter_size(parameter))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The start lies outside the values of %s.",
                          opevo_parameter_text(parameter));
    OPEVO_NEW(self, 1, "a law");
    self->parameter = parameter;
    self->q = q;
    self->start = start;
    self->method = opevo_i_law_is_automatic(&known) ? opevo_i_law_choose(parameter) : known.method;
    OPEVO_TRY(create_by_method(self, opevo_i_law_is_automatic(&known), tolerance, err));
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_law_destroy(self);
    return status;
}
