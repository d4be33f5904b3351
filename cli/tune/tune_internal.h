/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verb tune is asked to do and has done, and how it is said. */

#ifndef OPEVO_CLI_TUNE_INTERNAL_H
#define OPEVO_CLI_TUNE_INTERNAL_H

#include "reasons_internal.h"

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
    opevo_trial *earlier;      /* to learn from */
    opevo_run_result *results; /* one for each run */
    opevo_progress progress;
    opevo_i_finals finals;
    opevo_i_reasons *reasons; /* one for each run where it is observed: it is alone, or measured */
    size_t current;           /* which run is observed */
    uint64_t failed;          /* what the progress line of a single run shows */
    double best, cost_s;
    opevo_run_curve curve;
    opevo_requirement *requirements;
    opevo_front
        front; /* of a single run with --criteria, and its volume in the box of its trials */
    opevo_front_box box;
    double volume;
    bool front_failed; /* no memory */
} opevo_i_tuning;

void opevo_i_tune_print_settings(const opevo_i_tuning *self, opevo_text *out);
void opevo_i_tune_print_json(const opevo_i_tuning *self, opevo_text *out);
/* Of a single run; `store` may be NULL. */
void opevo_i_tune_print_result(const opevo_i_tuning *self, const char *store, opevo_text *out);
/* The front of a single run, where there is one. Errors: NOMEM. */
opevo_status opevo_i_tune_print_front(const opevo_i_tuning *self, opevo_text *out,
                                      opevo_error *err);
/* Of several. Errors: NOMEM. */
opevo_status opevo_i_tune_print_results(const opevo_i_tuning *self, opevo_text *out,
                                        opevo_error *err);

#endif
