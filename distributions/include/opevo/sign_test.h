/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sign test, which a study compares runs by and finals compare kernels by. */

#ifndef OPEVO_SIGN_TEST_H
#define OPEVO_SIGN_TEST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two-sided p of so uneven a split, without ties: 2 P(X <= min(wins, losses)), at most 1,
 * X binomial (wins + losses, 1/2); by the normal law, with its continuity correction, from 2^32 on.
 * 1 where there is neither. */
double opevo_sign_test(uint64_t wins, uint64_t losses);

#ifdef __cplusplus
}
#endif

#endif
