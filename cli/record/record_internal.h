/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A recording being made: NAME.csv, to which a row is added for each point, and NAME.json, which
 * describes it. docs/formats/landscape.md defines both. */

#ifndef OPEVO_RECORD_INTERNAL_H
#define OPEVO_RECORD_INTERNAL_H

#include "shard_internal.h"

#include <opevo/hash.h>
#include <opevo/store.h>

#include <jansson.h>

typedef struct opevo_i_cli_record_totals {
    uint64_t rows;
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT];
    double best_fitness, best_time_s;
} opevo_i_cli_record_totals;

/* Which points a recording is of, and which of them it has: each N-th in the order of the seed. */
typedef struct opevo_i_cli_record_share {
    opevo_shard shard; /* {0, 1}: all */
    uint64_t seed;
    uint64_t sample; /* 0: all allowed points */
} opevo_i_cli_record_share;

typedef struct opevo_i_cli_record {
    const opevo_objective *objective;
    opevo_text csv_path, json_path, name; /* name: without folders */
    int file;                             /* NAME.csv, open to append, locked; -1: none */
    uint64_t bytes;                       /* that it has */
    opevo_objective *earlier;             /* what was there before; NULL: nothing */
    opevo_text devices;                   /* what measured it */
    uint64_t program;                     /* that was measured before; 0: not known */
    opevo_i_cli_record_share share;
    opevo_i_cli_record_totals asked; /* of the points that this call is about */
    opevo_i_cli_record_totals table; /* of all rows, which may be more */
} opevo_i_cli_record;

/* Start the recording `path`, or go on with it: a last row that was cut is taken away. Errors:
 * INVALID, with nothing written, for files of these names that are not a recording of this
 * objective, or of another share, for a path with an ending, and for a space that could not be read
 * back; IO, also while another process records there. */
opevo_status opevo_i_cli_record_open(const char *path, const opevo_objective *objective,
                                     const opevo_i_cli_record_share *share, opevo_i_cli_record *out,
                                     opevo_error *err);
/* Whether the point is there already; it then counts as one that was asked for. */
opevo_status opevo_i_cli_record_has(opevo_i_cli_record *record, opevo_index point, bool *has,
                                    opevo_error *err);
/* Append rows and flush them to the disk. Errors: those of opevo_i_cli_record_check_place. */
opevo_status opevo_i_cli_record_add(opevo_i_cli_record *record, const opevo_index *points,
                                    const opevo_outcome *outcomes, size_t count, opevo_error *err);
void opevo_i_cli_record_close(opevo_i_cli_record *record);
/* Errors: LOST when the table is not where it was opened, or has other rows than were written to
 * it, with where its rows are; if it was removed or replaced, they are saved beside it. */
opevo_status opevo_i_cli_record_check_place(const opevo_i_cli_record *record, opevo_error *err);

/* One more row of the table has this outcome. */
void opevo_i_cli_record_count(opevo_i_cli_record_totals *totals, const opevo_outcome *outcome);
/* The paths of a recording; start from {.file = -1}. Errors: INVALID for a name with an ending;
 * NOMEM. */
opevo_status opevo_i_cli_record_name(opevo_i_cli_record *record, const char *path,
                                     opevo_error *err);

/* ---- NAME.json (record_describe.c) ---- */

/* Write the description; with the totals when `finished`. */
opevo_status opevo_i_cli_record_describe(const opevo_i_cli_record *record, bool finished,
                                         opevo_error *err);
/* Add devices, separated as a description has them, that are not yet there. */
void opevo_i_cli_record_add_devices(opevo_i_cli_record *record, const char *devices);
/* Errors: INVALID for a file that describes no recording. */
opevo_status opevo_i_cli_record_read_description(const char *path, json_t **out, opevo_error *err);
/* A signature or hash as descriptions have it. */
void opevo_i_cli_record_print_signature(uint64_t signature, char out[20]);
/* The hash of the program that a description names; 0 where it names none. */
uint64_t opevo_i_cli_record_program(const json_t *described);
/* The share that a description is of; {0, 1} of no seed where it is of none. */
opevo_i_cli_record_share opevo_i_cli_record_share_of(const json_t *described);

/* ---- Which points (record_points.c) ---- */

/* The points of all shares in their order, in which a larger sample contains a smaller one; the
 * caller frees them. Errors: LIMIT; NOMEM. */
opevo_status opevo_i_cli_record_points(const opevo_space *space,
                                       const opevo_i_cli_record_share *share, opevo_index **points,
                                       size_t *count, opevo_error *err);

/* ---- Shares (record_shares.c) ---- */

/* "NAME" as "NAME.2-of-8". */
opevo_status opevo_i_cli_record_share_name(const char *path, opevo_shard shard, opevo_text *out,
                                           opevo_error *err);
typedef struct opevo_i_cli_record_merged {
    opevo_text name; /* of the objective */
    size_t shares, points, present;
    opevo_i_cli_record_totals totals;
    opevo_shard missing; /* of the first point that is missing */
} opevo_i_cli_record_merged;

/* Join the rows of the shares of NAME, or those beside it where `count` is 0, with what NAME has,
 * in the order in which one process would have recorded them. Errors: INVALID for shares of
 * different recordings; IO; NOMEM. */
opevo_status opevo_i_cli_record_merge(const char *path, const char *const *shares, size_t count,
                                      opevo_i_cli_record_merged *out, opevo_error *err);

/* ---- A run in a store (record_run.c) ---- */

typedef struct opevo_i_cli_stored_run {
    opevo_store *store;
    int64_t run;
    uint64_t trials;
    /* What measured it: name, unit, space, signature and operations of one execution. It cannot be
     * evaluated and has no device. */
    opevo_objective objective;
    opevo_space *space;
    opevo_text name, unit;
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    bool has_flop; /* a trial has said how many operations there are */
    opevo_i_cli_record *record;
    opevo_index_set *seen;
    size_t points;   /* different ones with an outcome */
    uint64_t copied; /* of them, into the recording */
} opevo_i_cli_stored_run;

/* Open STORE:RUN; start from {0}, and close in any case. Errors: INVALID for no such run, for one
 * whose space cannot be made here, and for one whose trials have no times; IO. */
opevo_status opevo_i_cli_stored_run_open(const char *text, opevo_i_cli_stored_run *self,
                                         opevo_error *err);
/* Errors: INVALID, saying what differs, unless the run is of this objective. */
opevo_status opevo_i_cli_stored_run_check(const opevo_i_cli_stored_run *self,
                                          const opevo_objective *objective, opevo_error *err);
/* Add the points of the run that the recording of its objective does not have. */
opevo_status opevo_i_cli_stored_run_copy(opevo_i_cli_stored_run *self, opevo_i_cli_record *record,
                                         opevo_error *err);
void opevo_i_cli_stored_run_close(opevo_i_cli_stored_run *self);

/* ---- What is there already (record_check.c) ---- */

/* Whether the objective can be recorded into a description `path`. Errors: INVALID, saying what
 * differs, for a file that describes another recording or none; and for a space that could not be
 * read back from there. */
opevo_status opevo_i_cli_record_check(const char *path, const opevo_objective *objective,
                                      const opevo_i_cli_record_share *share, opevo_error *err);

#endif
