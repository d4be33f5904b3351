/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a search lost, and where. */

#ifndef OPEVO_REGRET_H
#define OPEVO_REGRET_H

#include <opevo/api.h>

#include <stddef.h>

OPEVO_BEGIN_C

/* Of a search that reports a fitness, its distance from the optimum, in parts that sum to it. */
typedef struct opevo_regret {
    double exploration; /* optimum - best that was tried: it was never tried; at least 0 */
    double selection;   /* best that was tried - chosen: it was tried, and not chosen; at least 0 */
    double noise;       /* chosen - reported: below 0 where the measurement flattered it */
} opevo_regret;

/* `tried` and `chosen` are true values, `reported` is what was measured of the chosen one. */
static inline opevo_regret opevo_regret_split(double optimum, double tried, double chosen,
                                              double reported)
{
    opevo_regret out;

    out.exploration = optimum - tried;
    out.selection = tried - chosen;
    out.noise = chosen - reported;
    return out;
}

/* The same of trials: of each the true value and what was measured. The first with the greatest
 * measurement is chosen. Without trials, or if nothing above 0 was measured, all is exploration. */
OPEVO_API opevo_regret opevo_regret_of_trials(const double *truth, const double *measured,
                                              size_t count, double optimum);

OPEVO_END_C

#endif
