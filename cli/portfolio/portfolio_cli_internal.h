/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of `opevo portfolio` share. */

#ifndef OPEVO_PORTFOLIO_CLI_INTERNAL_H
#define OPEVO_PORTFOLIO_CLI_INTERNAL_H

#include "options_internal.h"

#include <opevo/bootstrap.h>
#include <opevo/portfolio.h>
#include <opevo/space.h>

/* What one workload measured of one configuration. */
typedef struct opevo_i_cli_portfolio_cell {
    char *configuration;
    char *measured; /* what it is on the workload; NULL: the same text */
    size_t workload;
    double fitness; /* 0: it failed */
} opevo_i_cli_portfolio_cell;

typedef struct opevo_i_cli_portfolio_workload {
    char *name;
    double *numbers; /* `count` of them; NULL: none */
    size_t count;
    double weight;
    char *unit;              /* of the first of its runs; NULL: a recording */
    char *on, *what, *space; /* likewise; as in opevo_objective_note, "" if unknown */
    opevo_space *points;     /* likewise; NULL: texts have no counterparts there */
} opevo_i_cli_portfolio_workload;

/* Starts as zeros. */
typedef struct opevo_i_cli_portfolio {
    opevo_i_cli_portfolio_cell *cells;
    opevo_i_cli_portfolio_workload *workloads;
    size_t cell_count, cell_capacity, workload_count, workload_capacity;
    /* Once read: the matrix and its names, and the numbers of all workloads (NULL: not all have as
     * many). */
    double *regret, *numbers, *weights;
    const char **configurations, **names;
    size_t features, measured;
    /* Names of workloads of which nothing succeeded, separated by commas. */
    opevo_text dropped, dropped_json;
    opevo_portfolio_matrix matrix;
    /* What is found. */
    opevo_portfolio_options options;
    opevo_portfolio portfolio;
    opevo_portfolio_tree tree;
    bool has_tree;
    double *by_best, *by_tree; /* left out, of each workload; NULL: a single workload */
} opevo_i_cli_portfolio;

/* Read the stores and recordings of the call, and make the matrix (portfolio_read.c). Errors:
 * INVALID for fewer configurations than one, or an option that names no workload. */
opevo_status opevo_i_cli_portfolio_read(const opevo_call *call, opevo_i_cli_portfolio *out,
                                        opevo_error *err);
/* The workload of this name, which is added if it is missing (portfolio_read.c). Errors: NOMEM. */
opevo_status opevo_i_cli_portfolio_workload_of(opevo_i_cli_portfolio *self, const char *name,
                                               size_t *out, opevo_error *err);
/* The numbers in the text of what a run computes; NULL: none. Errors: NOMEM. */
opevo_status opevo_i_cli_portfolio_name_numbers(opevo_i_cli_portfolio_workload *row,
                                                const char *what, opevo_error *err);
/* Add a cell (portfolio_matrix.c); the texts are copied, and `measured` may be NULL. Errors:
 * NOMEM. */
opevo_status opevo_i_cli_portfolio_add(opevo_i_cli_portfolio *self, size_t workload,
                                       const char *configuration, const char *measured,
                                       double fitness, opevo_error *err);
/* The matrix of all cells, and numbers and weights of its workloads. Errors: INVALID where nothing
 * succeeded; NOMEM. */
opevo_status opevo_i_cli_portfolio_make_matrix(opevo_i_cli_portfolio *self, opevo_error *err);
opevo_status opevo_i_cli_portfolio_join_numbers(opevo_i_cli_portfolio *self, opevo_error *err);
/* What a configuration is on a workload, once there is a matrix. */
const char *opevo_i_cli_portfolio_text_on(const opevo_i_cli_portfolio *self, size_t workload,
                                          const char *configuration);
/* From the matrix to portfolio, tree and what is left out (portfolio_find.c). Errors: those of
 * opevo_portfolio_find. */
opevo_status opevo_i_cli_portfolio_find(opevo_i_cli_portfolio *self, size_t depth,
                                        opevo_error *err);
void opevo_i_cli_portfolio_free(opevo_i_cli_portfolio *self);

/* Write the kernels of workloads that devices measured into the folder (portfolio_kernels.c).
 * Errors: INVALID for a folder that has such files, and for an objective that cannot be opened
 * here; IO; NOMEM. */
opevo_status opevo_i_cli_portfolio_kernels(const opevo_call *call,
                                           const opevo_i_cli_portfolio *portfolio,
                                           const char *folder, size_t *written, opevo_error *err);

/* As text or as JSON (portfolio_print.c). */
opevo_status opevo_i_cli_portfolio_print(const opevo_i_cli_portfolio *self, opevo_text *out,
                                         opevo_error *err);
void opevo_i_cli_portfolio_print_json(const opevo_i_cli_portfolio *self, opevo_text *out);

#endif
