/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table that has a description, while it is read. */

#ifndef OPEVO_DESCRIBED_TABLE_INTERNAL_H
#define OPEVO_DESCRIBED_TABLE_INTERNAL_H

#include "recorded_internal.h"

/* Largest relative difference between numbers that ought to be equal up to rounding to six digits.
 */
#define OPEVO_I_LANDSCAPE_ROUNDING 1e-4

/* The states of a row, as the table spells them. */
enum { OPEVO_I_LANDSCAPE_STATES = 7 };
typedef struct opevo_i_landscape_state {
    const char *name;
    const char *rows; /* for messages */
    opevo_outcome_class kind;
} opevo_i_landscape_state;
extern const opevo_i_landscape_state opevo_i_landscape_states[OPEVO_I_LANDSCAPE_STATES];

/* Columns of results, SIZE_MAX where the table has none. */
typedef struct opevo_i_landscape_result_columns {
    size_t time, status, gflops, runs, compile, cost;
} opevo_i_landscape_result_columns;

/* What is known of rows together. */
typedef struct opevo_i_landscape_tally {
    size_t states[OPEVO_I_LANDSCAPE_STATES]; /* rows of each */
    double best_gflops, best_time_s;         /* of the ok rows; NAN before the first */
} opevo_i_landscape_tally;

typedef struct opevo_i_landscape_described_table {
    opevo_i_landscape_recording *recording;
    opevo_i_landscape_table *table;
    const json_t *root;
    const char *description; /* its path */
    opevo_i_landscape_table_facts facts;
    opevo_i_landscape_result_columns columns;
    opevo_i_landscape_tally tally;
} opevo_i_landscape_described_table;

/* Add all rows to the recording and the tally, on all processors (described_rows.c). Errors:
 * INVALID, of the first row that is malformed; NOMEM. */
opevo_status opevo_i_landscape_described_rows_read(opevo_i_landscape_described_table *self,
                                                   opevo_error *err);

#endif
