/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What Kernel Tuner's strategies have in common. A strategy names points that it wants evaluated
 * and is given their costs. Known points are answered from memory, as Kernel Tuner does: there only
 * different configurations count against the budget. A point that a constraint forbids costs as
 * much as a failure and is never proposed.
 *
 * Cost is what the source minimises, the time in milliseconds. Here fitness is what is known, so
 *
 *     cost = scale / fitness,   scale = fitness * time_s * 1000 of the first success (1 without
 * time),
 *
 * which is the time where fitness is a rate, and in any case ranks as fitness does. A failure, and
 * a fitness of 0, cost OPEVO_I_KT_FAILED, the largest number, as in the source. */

#ifndef OPEVO_KT_INTERNAL_H
#define OPEVO_KT_INTERNAL_H

#include <opevo/hash.h>
#include <opevo/tuner.h>

#include "kt_space_internal.h"
#include "tried_internal.h"

#include <float.h>

#define OPEVO_I_KT_FAILED DBL_MAX

/* Evaluations in a row that bring no new point before a strategy is started again. */
enum { OPEVO_I_KT_IDLE_MOST = 500 };

typedef struct opevo_i_kt opevo_i_kt;

typedef struct opevo_i_kt_strategy {
    size_t size;                       /* of its struct, which begins with opevo_i_kt */
    bool (*prepare)(opevo_i_kt *self); /* once the settings are read; false without memory */
    /* Name the points of the next round with opevo_i_kt_want; none is allowed, but not for ever.
     * The first call and the first after `restart` begin from nothing. */
    opevo_status (*propose)(opevo_i_kt *self, opevo_error *err);
    /* The costs of these points, in the order wanted, are in `costs`. */
    opevo_status (*take)(opevo_i_kt *self, opevo_error *err);
    void (*restart)(opevo_i_kt *self);
    void (*clear)(opevo_i_kt *self); /* release what the strategy holds */
} opevo_i_kt_strategy;

/* First member of every strategy; it follows what every tuner begins with. */
struct opevo_i_kt {
    opevo_tuner super;
    const opevo_i_kt_strategy *strategy;
    opevo_i_kt_space space;
    opevo_rng rng;
    const char *origin;           /* of the points wanted next */
    const char *exhausted_reason; /* why no uniform point can be drawn any more; NULL before */

    opevo_index *starts; /* points measured before the search, the best first */
    size_t start_count, next_start;

    opevo_i_tried *tried;
    size_t known; /* different points told */
    double scale; /* cost * fitness; 0 before the first success */
    size_t idle;  /* evaluations since the last new point */
    bool stray;   /* the round is one uniform point that the strategy did not want */

    /* The round: points wanted, their costs once known, and which of them were new. */
    size_t wanted;
    size_t wanted_capacity;
    opevo_index *points;
    double *costs;
    size_t *news; /* places of the new ones */
    size_t made, asked, told;
};

/* The tables of the strategies. */
extern const opevo_tuner_ops opevo_i_kt_annealing_ops, opevo_i_kt_diff_evo_ops,
    opevo_i_kt_genetic_ops, opevo_i_kt_greedy_ils_ops, opevo_i_kt_greedy_mls_ops,
    opevo_i_kt_pso_ops, opevo_i_kt_tabu_greywolf_ops, opevo_i_kt_vndx_ops;

/* A tuner of this strategy. Errors: NOMEM. */
opevo_status opevo_i_kt_create(const opevo_tuner_ops *ops, const opevo_i_kt_strategy *strategy,
                               const opevo_setting_value *settings, const opevo_space *space,
                               const opevo_rng *rng, opevo_tuner **out, opevo_error *err);
/* The functions of every strategy's table, beside its own `create`. */
#define OPEVO_I_KT_FUNCTIONS                                                                       \
    .works_on_branches = true, .create = create, .ask = opevo_i_kt_ask, .tell = opevo_i_kt_tell,   \
    .destroy = opevo_i_kt_destroy, .observe = opevo_i_kt_observe
void opevo_i_kt_destroy(opevo_tuner *tuner);
opevo_status opevo_i_kt_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                            size_t *count, opevo_error *err);
opevo_status opevo_i_kt_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                             opevo_error *err);
opevo_status opevo_i_kt_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                opevo_error *err);

/* Want this point evaluated in the round that is being made. Errors: NOMEM. */
opevo_status opevo_i_kt_want(opevo_i_kt *self, const opevo_index *vertices, opevo_error *err);
/* The next of the points measured before the search, the best first, each once; false after
 * them. */
bool opevo_i_kt_next_start(opevo_i_kt *self, opevo_index *vertices);
/* A uniform allowed point, or false when no more can be found; `exhausted_reason` says why then.
 * The first are those of opevo_i_kt_next_start. */
bool opevo_i_kt_start(opevo_i_kt *self, opevo_index *vertices);

/* Different uniform allowed points, `count` of them if there are so many; their number. The first
 * are those of opevo_i_kt_next_start. */
size_t opevo_i_kt_start_many(opevo_i_kt *self, size_t count, opevo_index *rows);

/* Order `order` (of 0 .. count-1, any order on entry) by rising cost, equal costs as they stand. */
void opevo_i_kt_rank(const double *costs, size_t *order, size_t count);

/* The source's acceptance of a change of cost: better or by chance exp(-change / temperature). */
bool opevo_i_kt_accepts(opevo_rng *rng, double change, double temperature);

/* The last `capacity` points told to it; one that is told again moves to the front. */
typedef struct opevo_i_kt_tabu {
    opevo_index_map *last; /* point -> its last place, from 1 */
    uint64_t count;        /* places given */
    uint64_t cleared;      /* places up to here are forgotten */
    uint64_t capacity;
} opevo_i_kt_tabu;

bool opevo_i_kt_tabu_init(opevo_i_kt_tabu *self, size_t capacity);  /* false without memory */
void opevo_i_kt_tabu_clear(opevo_i_kt_tabu *self);                  /* release */
bool opevo_i_kt_tabu_add(opevo_i_kt_tabu *self, opevo_index point); /* false without memory */
bool opevo_i_kt_tabu_has(const opevo_i_kt_tabu *self, opevo_index point);

#endif
