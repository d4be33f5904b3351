/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Units of results. A tuner maximises a fitness; a user reads results. Where a result is a time,
 * the fitness is 1 / seconds, and the unit of the objective, "ms" for instance,
 * says how to show it. */

#ifndef OPEVO_UNIT_H
#define OPEVO_UNIT_H

#include <stdbool.h>

#include <opevo/api.h>

OPEVO_BEGIN_C

/* The unit of that name, one of those that are not the fitness itself; NULL for an unknown name. */
OPEVO_API const char *opevo_unit_find(const char *name);
/* Whether results are times, of which the smaller is better: "1/s" (shown in s), "ms", "us",
 * "ns". */
OPEVO_API bool opevo_unit_is_time(const char *unit);
/* Whether results are times or follow from them, as FLOP/s and speedups do: then users may call the
 * fitness the time. */
OPEVO_API bool opevo_unit_follows_time(const char *unit);
/* What results are in: "s" for "1/s", otherwise the unit itself. */
OPEVO_API const char *opevo_unit_name(const char *unit);
/* What the fitness is in: "1/s" for a time, "GFLOP/s" for "TFLOP/s", otherwise the unit itself. */
OPEVO_API const char *opevo_unit_of_fitness(const char *unit);
/* Whether results say how many times faster than something given: "x". */
OPEVO_API bool opevo_unit_is_speedup(const char *unit);
/* "smaller" for a time, otherwise "larger". */
OPEVO_API const char *opevo_unit_better(const char *unit);

/* A fitness as a result: to 15 digits, for 1 / (1 / x) may miss x by the 17th. NAN for a time where
 * the fitness is 0. */
OPEVO_API double opevo_unit_result(const char *unit, double fitness);
/* The fitness that every result at least as good as this one reaches. */
OPEVO_API double opevo_unit_fitness(const char *unit, double result);
/* The fitness that whatever is worth `share` of the optimum reaches, 0 < share <= 1:
 * share * optimum * (1 - OPEVO_SHARE_ROUNDING). The product alone may be rounded to above a fitness
 * that is exactly that share, so that a search for it would never end. */
OPEVO_API double opevo_fitness_share(double share, double optimum);
/* Relative; far above the rounding of a product or of a sum of a thousand times, and far below what
 * can be measured. */
#define OPEVO_SHARE_ROUNDING 1e-12

/* Whether a fitness in one is a fitness in the other. */
OPEVO_API bool opevo_unit_agree(const char *a, const char *b);

OPEVO_END_C

#endif
