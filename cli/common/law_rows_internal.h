/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A law as it is printed. */

#ifndef OPEVO_CLI_LAW_ROWS_INTERNAL_H
#define OPEVO_CLI_LAW_ROWS_INTERNAL_H

#include <opevo/law.h>

/* One row: a vertex, or all vertices that a symmetry makes equal. */
typedef struct opevo_i_cli_law_row {
    opevo_law_class class;
    size_t place; /* in the order of the law, to sort ties */
} opevo_i_cli_law_row;

/* Rows by value, or by class for a set too large to list; the caller's. */
opevo_status opevo_i_cli_law_rows_make(const opevo_law *law, opevo_i_cli_law_row **out,
                                       size_t *count, bool *by_class, opevo_error *err);
/* Upper bound of the 1-norm between the exact law and the decimals in which --csv and JSON have it,
 * itself as it is printed by opevo_text_add_double. */
double opevo_i_cli_law_printed_bound(const opevo_law *law);
/* The members of the JSON object being written that say what a law is; each row in its own line
 * where `line_end` is a line feed, all in one where it is "". */
void opevo_i_cli_law_json(const opevo_law *law, const opevo_i_cli_law_row *rows, size_t count,
                          bool by_class, const char *line_end, opevo_text *out);

#endif
