/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What earlier runs and users give to a new run: start points, and trials to learn from. Runs come
 * from stores. */

#ifndef OPEVO_START_LIST_H
#define OPEVO_START_LIST_H

#include <opevo/api.h>
#include <opevo/store.h>

OPEVO_BEGIN_C

/* ---- Start points ---- */

/* A list of start points that grows, to be read: its address is that of the points, as in
 * opevo_run_options. */
typedef struct opevo_start_list {
    opevo_starts starts;
} opevo_start_list;

/* Errors: NOMEM. */
OPEVO_API opevo_status opevo_start_list_create(opevo_start_list **out, opevo_error *err);
OPEVO_API void opevo_start_list_destroy(opevo_start_list *list); /* NULL is allowed */

/* `origin` as in opevo_proposal, a static string. Errors: NOMEM. */
OPEVO_API opevo_status opevo_start_list_add(opevo_start_list *list, opevo_index point,
                                            const char *origin, opevo_error *err);
/* The start points of an objective. Errors: NOMEM. */
OPEVO_API opevo_status opevo_start_list_add_own(opevo_start_list *list,
                                                const opevo_objective *objective, opevo_error *err);
/* A configuration as opevo_space_read takes it, or as an object of JSON. Errors: INVALID, also if a
 * constraint forbids it. */
OPEVO_API opevo_status opevo_start_list_add_text(opevo_start_list *list, const opevo_space *space,
                                                 const char *text, opevo_error *err);
/* The best point of a run of a store, carried over where that is of another space: each parameter
 * that both have takes its value or the nearest one, and the others are as in the first start point
 * of the objective. Nothing where the list has the point. Errors: INVALID where there is no such
 * run, none of its trials succeeded, or its space has nothing in common with the objective's and
 * the list is empty; those of the store. */
OPEVO_API opevo_status opevo_start_list_add_run(opevo_start_list *list,
                                                const opevo_objective *objective,
                                                opevo_store *store, int64_t run, opevo_error *err);
/* The best points of the runs of a store on the same device with the same template and kind of
 * operator, or a computation with the same text, and other extents e: `most` different ones of
 * those with the least sum of |log2(e_i / own e_i)|, of equals the fastest, of equals the first.
 * Errors: MISMATCH where there is no such run and one is `needed`; those of the store. Cost: one
 * pass over the runs of the store. */
OPEVO_API opevo_status opevo_start_list_add_related(opevo_start_list *list,
                                                    const opevo_objective *objective,
                                                    opevo_store *store, size_t most, bool needed,
                                                    opevo_error *err);

/* ---- Trials to learn from ---- */

/* Trials of runs, one run after the other, as `earlier` of opevo_run_options. A plain value: start
 * from {0}. */
typedef struct opevo_earlier {
    opevo_trial *trials;
    size_t count;
    opevo_earlier_tree *trees; /* of runs on other spaces */
    size_t tree_count, tree_capacity, runs;
    opevo_cost_model *model; /* a stored one; NULL: none */
} opevo_earlier;

/* Append the trials of a run of a store on the same space. Errors: those of opevo_store_find;
 * NOMEM. */
OPEVO_API opevo_status opevo_earlier_add(opevo_earlier *earlier, opevo_store *store, int64_t run,
                                         const opevo_space *space, opevo_error *err);
/* Append the loop trees of the trials of a run on another space, of which `of` is the objective;
 * trials whose points have none are left out. Errors: INVALID for an objective without loop trees,
 * and where no trial has one; those of opevo_store_find; NOMEM. */
OPEVO_API opevo_status opevo_earlier_add_trees(opevo_earlier *earlier, opevo_store *store,
                                               int64_t run, const opevo_objective *of,
                                               opevo_error *err);
/* Append the loop trees of points of an objective that has some, with their fitness, as a run;
 * points without a tree are left out. Errors: NOMEM. */
OPEVO_API opevo_status opevo_earlier_add_points(opevo_earlier *earlier, const opevo_objective *of,
                                                const opevo_index *points, const double *fitness,
                                                size_t count, opevo_error *err);
OPEVO_API void opevo_earlier_free(opevo_earlier *earlier);

OPEVO_END_C

#endif
