/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A recording being made: NAME.csv, to which a row is added for each point, and NAME.json, which
 * describes it. docs/formats/landscape.md defines both. */

#ifndef OPEVO_RECORD_INTERNAL_H
#define OPEVO_RECORD_INTERNAL_H

#include "cli_internal.h"

typedef struct opevo_i_record {
    const opevo_objective *objective;
    opevo_text csv_path, json_path, name; /* name: without folders */
    int file;                             /* NAME.csv, open to append, locked; -1: none */
    opevo_objective *earlier;             /* what was there before; NULL: nothing */
    opevo_text devices;                   /* what measured it */
    uint64_t rows;
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT];
    double best_fitness, best_time_s;
} opevo_i_record;

/* Start the recording `path`, or go on with it: a last line that was cut is taken away. Errors:
 * INVALID for a recording of another objective or space, for a path with an ending, and for
 * objectives whose outcomes have no time; IO, also while another process records there. */
opevo_status opevo_i_record_open(const char *path, const opevo_objective *objective,
                                 opevo_i_record *out, opevo_error *err);
/* Whether the point is there already; it then counts into the totals. */
opevo_status opevo_i_record_has(opevo_i_record *record, opevo_index point, bool *has,
                                opevo_error *err);
/* Append rows and flush them to the disk. */
opevo_status opevo_i_record_add(opevo_i_record *record, const opevo_index *points,
                                const opevo_outcome *outcomes, size_t count, opevo_error *err);
/* Write the description; with the totals when `finished`. */
opevo_status opevo_i_record_describe(const opevo_i_record *record, bool finished, opevo_error *err);
void opevo_i_record_close(opevo_i_record *record);

#endif
