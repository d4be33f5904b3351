/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria and fronts as they are printed. */

#ifndef OPEVO_CLI_CRITERIA_OF_CALL_INTERNAL_H
#define OPEVO_CLI_CRITERIA_OF_CALL_INTERNAL_H

#include <opevo/front.h>
#include <opevo/store.h>

/* What the origins of the members of a front are: words of no interest here, labels of contenders,
 * or seeds. */
typedef enum opevo_i_cli_origin {
    OPEVO_I_ORIGIN_HIDDEN,
    OPEVO_I_ORIGIN_TUNER,
    OPEVO_I_ORIGIN_SEED
} opevo_i_cli_origin;

/* A front with the words of its criteria. */
typedef struct opevo_i_cli_shown_front {
    const opevo_front *front;        /* sorted */
    const opevo_criterion *criteria; /* of the objective after the fitness */
    const char *unit;                /* of results */
    const opevo_space *space;        /* NULL where it cannot be made here */
    opevo_store *store; /* of run `run`, for the texts of candidates; NULL: they have numbers */
    int64_t run;
    opevo_i_cli_origin origins; /* what the origins of the members are */
} opevo_i_cli_shown_front;

/* A table of the members; a list of objects in JSON. */
opevo_status opevo_i_cli_front_print(const opevo_i_cli_shown_front *self, unsigned width,
                                     opevo_text *out, opevo_error *err);
void opevo_i_cli_front_json(const opevo_i_cli_shown_front *self, opevo_text *out);
/* The chosen criteria, each with the best value and the worst, which is the reference point. */
void opevo_i_cli_front_json_criteria(const opevo_i_cli_shown_front *self,
                                     const opevo_front_box *box, opevo_text *out);
/* The criteria that a user chose, "time,energy", as "time, energy". */
void opevo_i_cli_criteria_show(const char *names, opevo_text *out);
/* A list of them in JSON: [{"name": "energy", "unit": "J", "better": "smaller"}]. */
void opevo_i_cli_json_criteria(const opevo_criterion *criteria, size_t count, opevo_text *out);

#endif
