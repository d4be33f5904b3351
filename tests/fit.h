/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether draws fit the law that they were drawn from. */

#ifndef OPEVO_TESTS_FIT_H
#define OPEVO_TESTS_FIT_H

#include <gsl/gsl_cdf.h>

#include <stddef.h>
#include <stdint.h>

/* p-value of Pearson's chi-square test; cells that expect fewer than 10 draws are pooled. */
static inline double fit_p(const uint64_t *drawn, const double *probability, size_t cells,
                           uint64_t draws)
{
    double statistic = 0, pooled_expected = 0, pooled_drawn = 0;
    size_t used = 0;

    for (size_t i = 0; i < cells; i++) {
        double expected = probability[i] * (double)draws;

        if (expected < 10) {
            pooled_expected += expected;
            pooled_drawn += (double)drawn[i];
        } else {
            double gap = (double)drawn[i] - expected;

            statistic += gap * gap / expected;
            used++;
        }
    }
    if (pooled_expected >= 10) {
        double gap = pooled_drawn - pooled_expected;

        statistic += gap * gap / pooled_expected;
        used++;
    } else if (pooled_drawn > 60) {
        return 0; /* far more than ten draws where fewer than ten were due */
    }
    return used > 1 ? gsl_cdf_chisq_Q(statistic, (double)(used - 1)) : 1;
}

#endif
