/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sites of a network, and what computes each step as they are on or off. */

#ifndef OPEVO_NETWORK_CHOICES_INTERNAL_H
#define OPEVO_NETWORK_CHOICES_INTERNAL_H

#include <opevo/network_choices.h>

enum {
    OPEVO_I_CHOICE_LAYOUTS = 3,                        /* of a step at most; others stay on */
    OPEVO_I_CHOICE_SITES = OPEVO_I_CHOICE_LAYOUTS + 1, /* and the convolution */
    OPEVO_I_CHOICE_WAYS = 1 << OPEVO_I_CHOICE_SITES
};

/* What computes a step: each candidate as often as it does. */
typedef struct opevo_i_net_choice_way {
    bool known;
    int *candidate;
    int count;
} opevo_i_net_choice_way;

typedef struct opevo_i_net_choice_step {
    int site[OPEVO_I_CHOICE_SITES], sites;
    opevo_i_net_choice_way way[OPEVO_I_CHOICE_WAYS]; /* bit i: site[i] is on */
} opevo_i_net_choice_step;

struct opevo_network_choices {
    opevo_network_site *site;
    int sites;
    opevo_network_candidate *candidate;
    int candidates;
    size_t capacity;
    opevo_i_net_choice_step *step; /* of the steps that are tasks, in order */
    int steps;
    bool *on, *other, *best; /* of each site; the latter two are scratch, and so is `change` */
    int *change;             /* of each candidate */
};

/* Memory for decisions, with all sites on. Errors: NOMEM. */
opevo_status opevo_i_net_choices_finish(opevo_network_choices *self, opevo_error *err);

#endif
