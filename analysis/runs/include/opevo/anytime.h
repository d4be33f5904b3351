/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements about pairs of runs that hold however often one looks at them, and whenever one stops:
 * the signed-rank test as a bet, and confidence sequences of means. docs/mathematics.md has the
 * theorems. */

#ifndef OPEVO_ANYTIME_H
#define OPEVO_ANYTIME_H

#include <opevo/api.h>
#include <opevo/bootstrap.h>
#include <opevo/status.h>

#include <stddef.h>

OPEVO_BEGIN_C

typedef struct opevo_anytime {
    size_t pairs;
    /* ln of the largest capital so far of who bets that a is better, and that a is worse */
    double log_better, log_worse;
    double p; /* min(1, 2 exp(-max(log_better, log_worse))) */
} opevo_anytime;

/* Bet on the signs of the differences d_i = a[i] - b[i], one after the other. With |d_i| of midrank
 * r_i among |d_1|, ..., |d_i| and s_i the sign of d_i, the capital of who bets the share x is
 *
 *     prod_{i <= n} (1 +- x s_i r_i / i),    s_i = 0 for d_i = 0,
 *
 * and the two bettors divide theirs evenly among seven shares from 1/8 to .95. If each sign is an
 * even chance, whatever came before and however large the difference, as when the runs of a pair
 * are exchangeable, each capital is a nonnegative martingale from 1, and by Ville's inequality
 * P(p <= alpha at any n) <= alpha. A difference of at most e_i = OPEVO_ROUNDING (|a[i]| + |b[i]|)
 * is 0, and sizes whose intervals |d_i| -+ e_i meet are tied. Errors: INVALID for a number that is
 * not finite; NOMEM. Cost: O(count^2).
 * Source: Ville, "Etude critique de la notion de collectif" (1939); Vovk, Wang, "Nonparametric
 * e-tests of symmetry", N. Engl. J. Stat. Data Sci. 2 (2024); sequential ranks: Reynolds, Ann.
 * Statist. 3 (1975). */
OPEVO_API opevo_status opevo_anytime_test(const double *a, const double *b, size_t count,
                                          opevo_anytime *out, opevo_error *err);

/* A confidence sequence of the mean of values in `range`, low < high, one after the other, whose
 * mean given those before is the same for all: the interval of `count` of them. With the
 * probability `confidence`, 0 < confidence < 1, the mean is in the intervals of all counts at once;
 * `out` is their intersection. It is the hedged capital interval with predictable plug-in bets,
 * c = 1/2, theta = 1/2. Errors: INVALID for a value outside the range; NOMEM. Cost: O(count).
 * Source: Waudby-Smith, Ramdas, "Estimating means of bounded random variables by betting", J. R.
 * Stat. Soc. B 86 (2024), section 4.3. */
OPEVO_API opevo_status opevo_confidence_sequence(const double *values, size_t count,
                                                 opevo_interval range, double confidence,
                                                 opevo_interval *out, opevo_error *err);

OPEVO_END_C

#endif
