/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verb tune is asked to do and has done, and how it is said. */

#ifndef OPEVO_CLI_TUNE_INTERNAL_H
#define OPEVO_CLI_TUNE_INTERNAL_H

#include "reasons_internal.h"

/* Of one run with --criteria. */
typedef struct opevo_i_run_front {
    opevo_front front; /* the origins of its members are the seed */
    opevo_front_box box;
    double volume; /* in the box of all runs */
    bool failed;   /* no memory */
    char seed[24];
} opevo_i_run_front;

typedef struct opevo_i_tuning {
    opevo_objective *objective;
    opevo_optimum optimum;
    opevo_run_options run;
    opevo_setting_value *settings;
    opevo_text settings_text;
    uint64_t runs;
    unsigned threads;
    bool live;
    bool draws_curve; /* and has `curve` whole: false once there was no memory for it */
    const char *on;
    opevo_text on_text;
    opevo_note_texts note;
    opevo_i_earlier earlier;   /* to learn from */
    opevo_run_result *results; /* one for each run */
    opevo_progress progress;
    opevo_i_finals finals;
    opevo_i_reasons *reasons; /* one for each run where it is observed: it is alone, or measured */
    uint64_t failed;          /* what the progress line of a single run shows */
    double best, cost_s;
    opevo_run_curve curve;
    opevo_requirement *requirements;
    const char *criteria_words; /* of --criteria; NULL without it */
    opevo_i_run_front *fronts;  /* one for each run; NULL without --criteria */
    opevo_front front;          /* of all runs, and its volume in the box of their trials */
    double volume;
} opevo_i_tuning;

void opevo_i_tune_print_settings(const opevo_i_tuning *self, opevo_text *out);
void opevo_i_tune_print_json(const opevo_i_tuning *self, opevo_text *out);
/* Of a single run; `store` may be NULL. */
void opevo_i_tune_print_result(const opevo_i_tuning *self, const char *store, opevo_text *out);
/* Of several. Errors: NOMEM. */
opevo_status opevo_i_tune_print_results(const opevo_i_tuning *self, opevo_text *out,
                                        opevo_error *err);

/* ---- Fronts (tune_front.c) ---- */

/* Empty fronts for --criteria, with the criteria of `front`. Errors: NOMEM. */
opevo_status opevo_i_tune_fronts_create(opevo_i_tuning *self, opevo_error *err);
void opevo_i_tune_fronts_free(opevo_i_tuning *self);
/* Different runs may be noted at the same time. */
void opevo_i_tune_fronts_note(opevo_i_tuning *self, size_t run, const opevo_trial *trial);
/* Join the fronts and compute the volumes. Nothing without --criteria. Errors: NOMEM. */
opevo_status opevo_i_tune_fronts_finish(opevo_i_tuning *self, opevo_error *err);
/* The front of all runs. Errors: NOMEM. */
opevo_status opevo_i_tune_print_front(const opevo_i_tuning *self, opevo_text *out,
                                      opevo_error *err);
void opevo_i_tune_print_json_front(const opevo_i_tuning *self, opevo_text *out);

#endif
