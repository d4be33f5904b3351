/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a number is read from what a program printed: "ms:/took ([0-9.]+)/", "gflops:json:a.b",
 * "s:wall". Before the colon the quantity, behind it where it is found; of a criterion its name. */

#ifndef OPEVO_RESULT_READER_INTERNAL_H
#define OPEVO_RESULT_READER_INTERNAL_H

#include <regex.h>

#include <opevo/status.h>
#include <opevo/text.h>

#include "protocol_internal.h"

/* What a number of each quantity lies between, in its unit: no clock resolves less than a
 * picosecond, nobody waits for 30 years, and squares and ratios of scores stay numbers. */
typedef struct opevo_i_wire_range {
    double least, most;
    const char *unit; /* with a blank before it, or "" */
} opevo_i_wire_range;
#define OPEVO_I_TIME_RANGE ((opevo_i_wire_range){1e-12, 1e9, " s"})
#define OPEVO_I_GFLOPS_RANGE ((opevo_i_wire_range){1e-12, 1e12, " GFLOP/s"})
#define OPEVO_I_SCORE_RANGE ((opevo_i_wire_range){1e-100, 1e100, ""})
bool opevo_i_wire_range_has(opevo_i_wire_range range, double value);

/* Seconds of processor time for a regular expression on one output. */
enum { OPEVO_I_RESULT_READER_S = 2 };

typedef enum opevo_i_wire_quantity {
    OPEVO_I_TIME,   /* in seconds */
    OPEVO_I_GFLOPS, /* in GFLOP/s */
    OPEVO_I_SCORE,  /* in the program's own unit, larger is better */
    OPEVO_I_PLAIN   /* of a criterion: any finite number */
} opevo_i_wire_quantity;

typedef enum opevo_i_wire_place { OPEVO_I_WALL, OPEVO_I_REGEX, OPEVO_I_JSON } opevo_i_wire_place;

typedef struct opevo_i_wire_result_reader {
    opevo_i_wire_quantity quantity;
    double divisor;   /* from the printed number to the unit of the quantity */
    const char *unit; /* that it is printed in: opevo/unit.h */
    opevo_i_wire_place place;
    regex_t regex;
    size_t copies; /* more than the characters of the expression with its repetitions written out */
    char *path;    /* JSON: members and places, separated by dots */
} opevo_i_wire_result_reader;

/* Errors: INVALID with the reason; NOMEM. Release with opevo_i_wire_result_reader_clear. */
opevo_status opevo_i_wire_result_reader_parse(const char *text, opevo_i_wire_result_reader *out,
                                              opevo_error *err);
void opevo_i_wire_result_reader_clear(opevo_i_wire_result_reader *reading);

/* A criterion that a program reports: "error:json:err", "energy,J:/used ([0-9.]+) J/". */
typedef struct opevo_i_wire_named_reading {
    char *name; /* a letter, then letters, digits, '_', '.' and '-'; not "fitness" */
    char *unit; /* "" without one */
    bool larger_is_better;
    opevo_i_wire_result_reader reading;
} opevo_i_wire_named_reading;

/* NAME[,UNIT][,larger]:WHERE. Errors: INVALID with the reason; NOMEM. Release with
 * opevo_i_wire_named_reading_clear. */
opevo_status opevo_i_wire_named_reading_parse(const char *text, opevo_i_wire_named_reading *out,
                                              opevo_error *err);
void opevo_i_wire_named_reading_clear(opevo_i_wire_named_reading *reading);

/* Append every number found in the output of a program that took `elapsed_s` to *values. False,
 * with `why`, if none exists, one that is not positive (of a criterion: not finite) or out of its
 * range, or more than OPEVO_I_SAMPLES_LIMIT in all, or when the expression takes longer than
 * OPEVO_I_RESULT_READER_S. False with errno when the host failed. A match of more than 1024 bytes
 * may be missed. Where the time is not bounded by the size of expression and output, they are
 * searched in a child process. */
bool opevo_i_wire_result_reader_apply(const opevo_i_wire_result_reader *reading, const char *output,
                                      double elapsed_s, double **values, size_t *count,
                                      size_t *capacity, opevo_text *why);

#endif
