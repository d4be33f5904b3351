/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where the passes `block` and `winograd` have a choice, and what measured times say about it.
 *
 * A site is a place where a pass may be left out: LAYOUT, tensors that are blocked together or not
 * at all; CONVOLUTION, one that Winograd's transforms replace or not. Each step is computed by
 * tasks that depend on the sites that it touches only, so that the predicted latency of the network
 * is
 *
 *     L(on) = sum over tasks t of n_t(on) g_t
 *
 * where n_t is the number of steps that compute t with these sites on, and g_t its measured time.
 * Of two ways to compute the network the faster one is known as soon as all g_t with different n_t
 * are. */

#ifndef OPEVO_NETWORK_CHOICES_H
#define OPEVO_NETWORK_CHOICES_H

#include <opevo/network_inference.h>

#include <stdint.h>

OPEVO_BEGIN_C

typedef enum opevo_network_site_kind {
    OPEVO_NETWORK_SITE_LAYOUT,
    OPEVO_NETWORK_SITE_CONVOLUTION
} opevo_network_site_kind;

typedef struct opevo_network_site {
    opevo_network_site_kind kind;
    int value;     /* LAYOUT: the first of the tensors; CONVOLUTION: its result */
    bool on;       /* at first it is */
    bool measured; /* whether times decide: those with it on and off, as the other sites are, are
                     known */
} opevo_network_site;

/* A computation of the network with some sites on and the others off. */
typedef struct opevo_network_candidate {
    opevo_computation *computation;
    char *operation;
    int count; /* steps that compute it with the sites as they are */
} opevo_network_candidate;

typedef struct opevo_network_choices opevo_network_choices;

/* Of a network before these two passes; it is left as it is. `passes` is the mask of the passes
 * that will be run: without `block` there are no sites. Candidates are in the order of the steps,
 * first those of a network with all sites on. A layout that a step shares with more than two others
 * is not a site: it stays.
 *
 * Errors: those of the passes; NOMEM. Cost: that of the passes for each of these. */
opevo_status opevo_network_choices_create(opevo_network_inference *inference, uint32_t passes,
                                          opevo_network_choices **out, opevo_error *err);
void opevo_network_choices_destroy(opevo_network_choices *choices); /* NULL is allowed */

int opevo_network_choices_sites(const opevo_network_choices *choices);
const opevo_network_site *opevo_network_choices_site(const opevo_network_choices *choices,
                                                     int site);
int opevo_network_choices_candidates(const opevo_network_choices *choices);
const opevo_network_candidate *opevo_network_choices_candidate(const opevo_network_choices *choices,
                                                               int candidate);

/* Turn sites on and off by the times of the candidates in seconds; one that is not finite is
 * unknown. From all sites on, and from all off where that is known to be faster or slower, sites
 * are turned while a single one makes L smaller; the better end counts. It depends on the times
 * only. A site whose times are unknown stays as it was at the start. Cost: O(sites^2 x steps), and
 * less where few are turned. */
void opevo_network_choices_decide(opevo_network_choices *choices, const double *time_s);

/* The weight by which a candidate deserves further trials: count, for the tasks of the network as
 * it is. For a task that comes where one site is turned, the sum over these sites of
 *
 *     n max(0, share - (D' - D) / D')
 *
 * where n is how often it comes, D' the time of all tasks that come with it, and D that of those
 * that go: what would be gained if further trials made those that come faster by `share`. 0 where a
 * time is unknown. */
void opevo_network_choices_weigh(opevo_network_choices *choices, const double *time_s, double share,
                                 double *weight);

/* Turn a site off, as an earlier decision did. Candidates keep their counts. */
void opevo_network_choices_turn_off(opevo_network_choices *choices, int site);

/* Mark in the network before the passes what is off, for the passes to leave. */
void opevo_network_choices_apply(const opevo_network_choices *choices,
                                 opevo_network_inference *inference);

OPEVO_END_C

#endif
