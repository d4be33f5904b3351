/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The frame of Ansor's search policy (TVM v0.8, SketchPolicy), shared by `ansor` and `ansor-knobs`:
 * every `batch` trials a cost model is trained; then a first generation of samples and of the best
 * measured points is bred for some generations by predicted scores alone, and the best unmeasured
 * points met are proposed, with a few random ones of the first generation. What is sampled and how
 * a child is mutated is up to the tuner. */

#ifndef OPEVO_EVOLUTION_INTERNAL_H
#define OPEVO_EVOLUTION_INTERNAL_H

#include <opevo/diagram.h>

#include "rounds_internal.h"
#include "surrogate_internal.h"

typedef struct opevo_i_tvm_evolution opevo_i_tvm_evolution;

typedef struct opevo_i_tvm_scored {
    double score;
    opevo_index point;
} opevo_i_tvm_scored;

/* The constants of a search. */
typedef struct opevo_i_tvm_evolution_plan {
    size_t population;  /* children of a generation, and samples of the first */
    size_t generations; /* bred between two batches */
    size_t batch;
    double mutation;  /* probability that a child is mutated rather than copied */
    double random;    /* share of a batch that is random, rounded down */
    double measured;  /* share of the population of measured points in the first generation */
    size_t warmup;    /* trials up to which scores are uniform random numbers */
    double retrain;   /* new trials that a training takes, as a share of those of the last */
    size_t patience;  /* trials without a better one after which the search ends; 0: never */
    size_t trees;     /* of the cost model, at most; 0: the search asks no model */
    bool of_programs; /* the model is of programs, opevo_i_tvm_surrogate_refuse_missing, and the
                              base score counts for each of their rows */
    opevo_i_tvm_model_choice model;
} opevo_i_tvm_evolution_plan;

/* The settings that both tuners have, the first of their tables: of a plan that is at the beginning
 * of what they are read into. */
#define OPEVO_I_EVOLUTION_ROWS                                                                     \
    OPEVO_ROW_COUNT("population", opevo_i_tvm_evolution_plan, population, 2048, 1, 16384,          \
                    "points of a generation"),                                                     \
        OPEVO_ROW_COUNT("generations", opevo_i_tvm_evolution_plan, generations, 4, 0, 20,          \
                        "generations between two batches"),                                        \
        OPEVO_ROW_REAL("mutation", opevo_i_tvm_evolution_plan, mutation, 0.85, 0, 1,               \
                       "probability that a child is mutated rather than copied"),                  \
        OPEVO_ROW_REAL("random", opevo_i_tvm_evolution_plan, random, 0.05, 0, 1,                   \
                       "share of a batch that is random, rounded down"),                           \
        OPEVO_ROW_REAL("measured", opevo_i_tvm_evolution_plan, measured, 0.2, 0, 1,                \
                       "best measured points in the first generation, at most, as a share of the " \
                       "population"),                                                              \
        OPEVO_ROW_COUNT("batch", opevo_i_tvm_evolution_plan, batch, 64, 1, 1024,                   \
                        "trials between two evolutions", .batch = OPEVO_BATCH_FIXED),              \
        OPEVO_ROW_COUNT("warmup", opevo_i_tvm_evolution_plan, warmup, 100, 0, 1000000,             \
                        "initial trials in which scores are uniform random numbers"),              \
        OPEVO_ROW_COUNT("trees", opevo_i_tvm_evolution_plan, trees, 10000, 1, 10000,               \
                        "maximum number of trees of the cost model")

typedef struct opevo_i_tvm_evolution_ways {
    /* Put distinct allowed points and their vertices into `points` and `vertices`, at most
     * `population`, and set `now_count`. */
    opevo_status (*sample)(opevo_i_tvm_evolution *self, opevo_error *err);
    /* Mutate a child; false if it is not an allowed point. */
    bool (*mutate)(opevo_i_tvm_evolution *self, opevo_index *vertices, opevo_index *point);
    /* Fill in the first children of the next generation, and their number; NULL: none. */
    opevo_status (*cross)(opevo_i_tvm_evolution *self, size_t *made, opevo_error *err);
    /* List the best and the random points of the next batch; NULL: generations by evolution. */
    opevo_status (*choose)(opevo_i_tvm_evolution *self, opevo_error *err);
} opevo_i_tvm_evolution_ways;

/* First member of both tuners; `super` and the parts that the functions of a tuner use. */
struct opevo_i_tvm_evolution {
    opevo_tuner super;
    const opevo_i_tvm_evolution_ways *ways;
    opevo_i_tvm_evolution_plan plan;
    const opevo_space *space;
    const opevo_diagram *diagram; /* that uniform draws come from; NULL: they do not */
    size_t width;
    opevo_rng rng, of_model; /* the latter draws the first weights of a network */
    opevo_i_rounds *rounds;
    opevo_i_tvm_surrogate *surrogate; /* made once the source of the features is known */
    size_t trained_on;                /* trials of the last training */
    bool taught;                      /* by a stored model */
    opevo_i_tvm_surrogate *guide;     /* one of another kind, during the warm-up; NULL: none */

    /* The generation at hand and the next; room for the population and the measured points. */
    size_t room;
    size_t now_count;
    opevo_index *points;
    opevo_index *vertices;
    float *scores;
    double *below; /* running sums of the positive scores */
    opevo_index *next_points;
    opevo_index *next_vertices;

    opevo_i_tvm_scored *best; /* unmeasured points by falling score; room for best_most */
    size_t best_count;
    size_t best_most;
    opevo_index *random; /* for the random share of a batch */
    size_t random_count;
    size_t random_most; /* room; several times what a batch takes */

    opevo_i_tvm_scored *measured; /* by falling fitness */
    size_t measured_count;
    size_t measured_capacity;
    opevo_i_tvm_scored
        *earlier; /* of runs learned from, by falling fitness over the best of the run */
    size_t earlier_count;
    double best_fitness;
    size_t since_best; /* trials after the one that had it first */
};

/* Set up all but `super`; false without memory, and opevo_i_tvm_evolution_release is still needed.
 */
bool opevo_i_tvm_evolution_init(opevo_i_tvm_evolution *self, const opevo_i_tvm_evolution_ways *ways,
                                const opevo_i_tvm_evolution_plan *plan, const opevo_space *space,
                                const opevo_rng *rng);
void opevo_i_tvm_evolution_release(opevo_i_tvm_evolution *self);

/* ask, tell and observe of a tuner that begins with this struct. */
opevo_status opevo_i_tvm_evolution_ask(opevo_tuner *tuner, opevo_proposal *proposals,
                                       size_t capacity, size_t *count, opevo_error *err);
opevo_status opevo_i_tvm_evolution_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                        opevo_error *err);
opevo_status opevo_i_tvm_evolution_observe(opevo_tuner *tuner, const opevo_trial *trials,
                                           size_t count, opevo_error *err);
/* Trials of other runs train the model, each with the best fitness of its run as 1, and the best of
 * them stand in the first generations. */
opevo_status opevo_i_tvm_evolution_learn(opevo_tuner *tuner, const opevo_trial *trials,
                                         size_t count, opevo_error *err);

/* Trials of runs on other spaces train the model alone. */
opevo_status opevo_i_tvm_evolution_learn_trees(opevo_tuner *tuner, const opevo_earlier_tree *trees,
                                               size_t count, opevo_error *err);

/* A stored model predicts until the first training, which starts from its predictions. Where the
 * tuner's own model is another, its predictions are the scores of the samples during the warm-up,
 * in the place of random numbers, and nothing is bred. */
opevo_status opevo_i_tvm_evolution_learn_model(opevo_tuner *tuner, const opevo_cost_model *stored,
                                               opevo_error *err);

/* ---- For the functions of a tuner ---- */

/* Insert by falling score, after equals; what falls beyond `most` is dropped. */
void opevo_i_tvm_scored_insert(opevo_i_tvm_scored *list, size_t *count, size_t most,
                               opevo_i_tvm_scored added);
/* Scores of `count` <= room points: by the model or, up to `warmup` trials, uniform random ones. A
 * program that cannot be lowered scores -INFINITY. */
opevo_status opevo_i_tvm_evolution_score(opevo_i_tvm_evolution *self, const opevo_index *points,
                                         const opevo_index *vertices, size_t count, float *scores,
                                         opevo_error *err);
/* Let the points of the generation that were not proposed compete for the list of the best. */
void opevo_i_tvm_evolution_list(opevo_i_tvm_evolution *self);
/* Draw `count` points of the generation for the random share, with repetition. */
void opevo_i_tvm_evolution_choose_random(opevo_i_tvm_evolution *self);
/* Prepare the draws of parents. Hook of tests. */
void opevo_i_tvm_evolution_weigh(opevo_i_tvm_evolution *self);
/* The place of a parent, once they are prepared: one of the generation with probability
 * max(score, 0) / sum max(score, 0), or uniform if the sum is 0. */
size_t opevo_i_tvm_evolution_parent(opevo_i_tvm_evolution *self);

/* Whether the vertices of a child are those of an allowed point, which a diagram makes of them, and
 * its number in *point. A wide space keeps each point that it numbers, so that of children has no
 * number, OPEVO_INDEX_MAX, until it is listed; where the model asks for numbers it has. */
bool opevo_i_tvm_evolution_allows(const opevo_i_tvm_evolution *self, opevo_index *vertices,
                                  opevo_index *point);
/* The same, with a number. */
bool opevo_i_tvm_evolution_settle(const opevo_i_tvm_evolution *self, opevo_index *vertices,
                                  opevo_index *point);
/* In a sparse space, a step in the list from the point that `vertices` are; always true. */
bool opevo_i_tvm_evolution_step(opevo_i_tvm_evolution *self, opevo_index *vertices,
                                opevo_index *point);

#endif
