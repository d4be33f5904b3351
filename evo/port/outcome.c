/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outcomes as tuners and stores may see them. */

#include "port_internal.h"

#include <math.h>

/* The number where it is positive and finite, otherwise 0. */
static double positive(double number)
{
    return number > 0 && isfinite(number) ? number : 0;
}

void opevo_i_port_outcome_clean(const opevo_objective *objective, opevo_outcome *outcome)
{
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;

    outcome->fitness = ok ? positive(outcome->fitness) : 0;
    outcome->time_s = ok ? outcome->time_s : NAN;
    outcome->build_s = positive(outcome->build_s);
    outcome->run_s = positive(outcome->run_s);
    outcome->check_s = positive(outcome->check_s);
    outcome->other_s = positive(outcome->other_s);
    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1; i++) {
        if (!ok || i >= objective->more_count || !isfinite(outcome->more[i]))
            outcome->more[i] = NAN;
    }
}
