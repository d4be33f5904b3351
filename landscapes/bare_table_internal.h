/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table without a description while it is read. */

#ifndef OPEVO_BARE_TABLE_INTERNAL_H
#define OPEVO_BARE_TABLE_INTERNAL_H

#include "recorded_internal.h"

/* The unit of a result. */
typedef struct opevo_i_landscape_bare_unit {
    const char *name, *unit; /* as --result says it, and of opevo/unit.h */
    double divisor;          /* from the cell to seconds or to the fitness */
    bool is_time;
} opevo_i_landscape_bare_unit;

typedef struct opevo_i_landscape_bare_column {
    bool parameter, optional; /* some cells are empty */
    opevo_value *values;      /* those that occur, ascending */
    size_t count;
    char *name; /* of the parameter */
} opevo_i_landscape_bare_column;

typedef struct opevo_i_landscape_bare_table {
    opevo_i_landscape_recording *recording;
    opevo_i_landscape_table *table;
    const char **cells; /* of all rows */
    size_t *lines;      /* of each row */
    size_t cell_capacity, line_capacity, rows;
    size_t result, state;                    /* columns; SIZE_MAX: none */
    const opevo_i_landscape_bare_unit *unit; /* of the result */
    bool averages;
    opevo_i_landscape_bare_column *columns;
    opevo_value *values; /* of one row */
} opevo_i_landscape_bare_table;

static inline opevo_status
opevo_i_landscape_bare_no_memory(const opevo_i_landscape_bare_table *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", self->table->path);
}

static inline const char *opevo_i_landscape_bare_cell(const opevo_i_landscape_bare_table *self,
                                                      size_t row, size_t i)
{
    return self->cells[row * self->table->column_count + i];
}

static inline bool opevo_i_landscape_bare_is_number(opevo_value value)
{
    return value.kind == OPEVO_VALUE_INTEGER || value.kind == OPEVO_VALUE_REAL;
}

/* Add the rows to the recording (bare_table_rows.c). Errors: INVALID for an unknown status
 * or a malformed number; NOMEM. */
opevo_status opevo_i_landscape_bare_rows_add(opevo_i_landscape_bare_table *self, opevo_error *err);

#endif
