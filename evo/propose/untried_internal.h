/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uniform draws of points that the constraints allow and that were never proposed: each draw is
 * uniform over exactly those, and they are exhausted without being listed. */

#ifndef OPEVO_UNTRIED_INTERNAL_H
#define OPEVO_UNTRIED_INTERNAL_H

#include <opevo/domain.h>
#include <opevo/hash.h>

typedef struct opevo_i_untried opevo_i_untried;

/* `space` must outlive it; NULL without memory. */
opevo_i_untried *opevo_i_untried_create(const opevo_space *space);
/* The same on any domain. Where that is not a space there is nothing to shuffle: candidates are
 * drawn until one is new, and the search is over after 10000 draws in a row that were not, or where
 * the domain finds nothing allowed. */
opevo_i_untried *opevo_i_untried_create_on(opevo_domain *domain);
void opevo_i_untried_destroy(opevo_i_untried *untried);

/* One point, uniform over the allowed points (elsewhere: as the domain samples) that were neither
 * drawn here before nor are in `seen` (NULL: no such points).
 *
 *   point   out: the point; untouched if none exists
 *   reason  out: NULL when there is a point, otherwise the sentence that says why there is none, a
 *           static string
 *
 * Errors: NOMEM, and what the domain reports but LIMIT. Cost: 1 / (share of such points among those
 * not yet drawn) draws on average; at most 24 bytes for each point drawn and each point of `seen`
 * met, times 8/3. */
opevo_status opevo_i_untried_draw(opevo_i_untried *untried, const opevo_index_set *seen,
                                  opevo_rng *rng, opevo_index *point, const char **reason,
                                  opevo_error *err);

#endif
