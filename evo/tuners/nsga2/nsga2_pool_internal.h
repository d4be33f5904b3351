/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The population of NSGA-II and the children that compete with it, apart from how candidates are
 * made: also for readers of a run, who see its trials only. */

#ifndef OPEVO_NSGA2_POOL_INTERNAL_H
#define OPEVO_NSGA2_POOL_INTERNAL_H

#include <opevo/tuner.h>

#include "nondominated_internal.h"

extern const opevo_tuner_ops opevo_i_nsga2_ops;

/* The first `kept` are the population, best first by the crowded comparison once it has survived;
 * the children stand behind them. */
typedef struct opevo_i_nsga2_pool {
    opevo_i_nsga2_individual *individuals; /* 2 * population; NULL: no memory */
    size_t population, elite;
    size_t kept, children;
    uint64_t born; /* individuals in all */
} opevo_i_nsga2_pool;

void opevo_i_nsga2_pool_create(size_t population, double elite_share, opevo_i_nsga2_pool *out);
void opevo_i_nsga2_pool_free(opevo_i_nsga2_pool *self);
void opevo_i_nsga2_pool_add_child(opevo_i_nsga2_pool *self, const opevo_trial *trial);
/* One that the tuner did not propose, of the first population, in which at least one place is left
 * free. */
void opevo_i_nsga2_pool_add_given(opevo_i_nsga2_pool *self, const opevo_trial *trial);
/* Parents and children compete for the places of the population: fronts as they come, and of the
 * one that does not fit whole the least crowded. Errors: NOMEM. */
opevo_status opevo_i_nsga2_pool_survive(opevo_i_nsga2_pool *self, const opevo_criteria *criteria,
                                        opevo_error *err);

/* ---- A run by its trials (nsga2_replay.c) ---- */

typedef struct opevo_i_nsga2_replay {
    opevo_i_nsga2_pool pool;
    opevo_criteria criteria;
    size_t retries;
    double crossover, mutation, q;
    bool by_dominance;   /* how parents are chosen */
    uint64_t generation; /* that the next trial belongs to, from 1; 0: not begun */
    size_t made, told, round, failed;
} opevo_i_nsga2_replay;

/* From the settings of the run, which may have more words. Errors: NOMEM. */
opevo_status opevo_i_nsga2_replay_create(const char *settings, const opevo_criteria *criteria,
                                         opevo_i_nsga2_replay *out, opevo_error *err);
void opevo_i_nsga2_replay_free(opevo_i_nsga2_replay *self);
/* The next trial of the run. Errors: NOMEM. */
opevo_status opevo_i_nsga2_replay_add(opevo_i_nsga2_replay *self, const opevo_trial *trial,
                                      opevo_error *err);
/* The exact probability that a parent of the generation is individual i of the pool, for each of
 * those kept. With tournaments of uniform pairs, both drawn with replacement, it is
 * (2 (n - i) - 1) / n^2 for the i-th of n, from 0; by dominance it is that of a pair of different
 * ones, 2 / (n (n - 1)) times the sum over the others of the probability to win against them. */
void opevo_i_nsga2_replay_law(const opevo_i_nsga2_replay *self, double *law);

#endif
