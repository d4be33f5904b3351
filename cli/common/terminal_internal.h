/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The terminal: tables, numbers, and the line of progress. */

#ifndef OPEVO_CLI_TERMINAL_INTERNAL_H
#define OPEVO_CLI_TERMINAL_INTERNAL_H

#include <opevo/interrupt.h>
#include <opevo/space.h>
#include <opevo/text.h>

/* What the environment says by COLUMNS, or else the columns of the terminal on this descriptor; 0,
 * which means no limit wherever a function takes a width, if it is not a terminal: what is piped is
 * searched and cut by lines. */
unsigned opevo_i_cli_terminal_width(int descriptor);
/* "opevo VERB: sentence" on stderr; what the sentence quotes cannot steer a terminal. */
void opevo_i_cli_print_error(const char *verb, const char *sentence);
/* Append a text whose lines are broken at blanks where they are wider; the rest of a line is
 * indented by two more. Lines do not end in blanks. What a verb prints is wrapped by main.c, unless
 * it is data. */
void opevo_i_cli_text_add_wrapped(opevo_text *out, const char *text, unsigned width);

/* A table of texts. Where it is wider than the terminal, the last `below` columns stand below each
 * row, broken at blanks; where the others are too wide as well, each row is printed as a list of
 * its fields. A table whose rows are compared with each other stays one as far as it can: rows with
 * the same first cell stand under it, and columns that have no room beside the others below
 * them. */
typedef struct opevo_table {
    const char *const *heads; /* a head that starts with '<' is aligned left */
    size_t columns;
    size_t below;
    bool compared;
    char **cells; /* row after row, owned */
    size_t count;
    size_t capacity;
    bool failed;
} opevo_table;

void opevo_i_cli_table_cell(opevo_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Append to `out` and release the cells. */
opevo_status opevo_i_cli_table_print(opevo_table *table, unsigned width, opevo_text *out,
                                     opevo_error *err);
/* Release the cells of a table that is not printed. */
void opevo_i_cli_table_free(opevo_table *table);
/* 1234567 as "1,234,567". */
void opevo_i_cli_text_add_grouped(opevo_text *out, opevo_index value);
/* The same for digits: a number of any size. */
void opevo_i_cli_text_add_digits(opevo_text *out, const char *digits);
/* "1,234,567 points"; "1.234e321 points", cut, of more than 2^128 - 1. */
void opevo_i_cli_text_add_points(opevo_text *out, const opevo_space *space);
/* An upper bound, at least 0, by two significant digits, rounded up: what is printed is a bound,
 * too. */
void opevo_i_cli_text_add_bound(opevo_text *out, double bound);
/* "LOW to HIGH": bounds of a number, the lower one rounded down and the upper one up, by
 * %.<digits>f where the form is 'f', by %.<digits>g where it is 'g'. */
void opevo_i_cli_text_add_interval(opevo_text *out, char form, int digits, double low, double high);
/* The name of an objective for display: that of kernels, which may hold the whole text of a
 * computation, ends after 120 characters in "...". */
void opevo_i_cli_text_add_objective(opevo_text *out, const char *name);

/* A line on stderr that is rewritten at most ten times a second, and only on a terminal. */
typedef struct opevo_progress {
    bool active;
    bool plain; /* the terminal takes no escape sequences */
    double started_s, drawn_s;
    double given; /* share of the work that was there already, which says nothing of the pace */
    unsigned width;
} opevo_progress;

void opevo_i_cli_progress_start(opevo_progress *progress, bool quiet);
/* Whether it is time to draw; `done` in [0, 1] is for the estimate of the time left. */
bool opevo_i_cli_progress_due(opevo_progress *progress);
void opevo_i_cli_progress_draw(opevo_progress *progress, double done, const char *text);
/* Make room in its line for another message. */
void opevo_i_cli_progress_clear(const opevo_progress *progress);
void opevo_i_cli_progress_end(opevo_progress *progress);
/* Raised by SIGINT and SIGTERM once opevo_i_cli_catch_interrupts was called. */
extern opevo_interrupt opevo_i_cli_interrupted;
void opevo_i_cli_catch_interrupts(void);

#endif
