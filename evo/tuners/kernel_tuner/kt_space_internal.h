/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A space as Kernel Tuner's strategies see it: each parameter is a list of values, a neighbour is
 * reached by other places in the lists, and only allowed points count. Nothing is listed that may
 * be large: neighbours are numbered, and drawn by their numbers.
 *
 * With branches a row has a vertex for every parameter still. Those that are not active are silent:
 * the point does not depend on them, a step leaves them as they are, and a step into their branch
 * takes them up. In a row that is made from a point they are the first ones.
 *
 * A place in a list is the number of a vertex, whatever the parameter's type and graph; the source
 * knows lists only.
 * Source: Kernel Tuner 1.4.0, kernel_tuner/searchspace.py. */

#ifndef OPEVO_KT_SPACE_INTERNAL_H
#define OPEVO_KT_SPACE_INTERNAL_H

#include <opevo/diagram_box.h>
#include <opevo/random.h>
#include <opevo/space.h>

enum { OPEVO_I_KT_LISTED_MOST = 1 << 20 }; /* points of a space whose allowed ones are listed */

/* Which allowed points are the neighbours of a point, itself excluded. */
typedef enum opevo_i_kt_kind {
    OPEVO_I_KT_STRICTLY_ADJACENT, /* every parameter's place differs by at most 1 */
    OPEVO_I_KT_ADJACENT,          /* every place is within the nearest lower and upper one that
                                     occurs in an allowed point */
    OPEVO_I_KT_HAMMING,           /* exactly one parameter differs, by any value */
    OPEVO_I_KT_HAMMING_ADJACENT   /* exactly one differs, by the nearest value that occurs */
} opevo_i_kt_kind;

typedef struct opevo_i_kt_space {
    const opevo_space *space;
    size_t width;         /* parameters */
    size_t free_count;    /* of them with more than one value */
    opevo_index *sizes;   /* values of each parameter */
    opevo_index *strides; /* points between two values of it */

    /* The allowed points in rising order, where the space has constraints and at most 2^20 points;
     * NULL elsewhere. */
    uint32_t *allowed;
    /* Of them, also of a sparse list or a diagram; of all points without any; at most 2^128 - 1. */
    opevo_index count;
    const opevo_diagram *diagram;       /* that uniform points come from; NULL: others */
    opevo_diagram_box *boxes;           /* of it; NULL: boxes are drawn by rejection */
    struct opevo_i_kt_hamming *hamming; /* neighbours from it, without branches; NULL */
    bool sparse;       /* the space is: neighbours of every kind are those of the list */
    uint32_t **occurs; /* for each parameter the values that occur, rising; NULL: all do */
    uint32_t *occur_counts;

    /* Scratch: vertices; which of them are active; what is near a point, up to 3 values for each
     * parameter; and how many other values of each a candidate may have. */
    opevo_index *spare;
    opevo_index *row;
    opevo_index *active;
    opevo_index *near; /* 4 numbers for each, as a box may take in that it is inactive */
    unsigned *near_counts;
    unsigned *box_counts; /* of a box of the diagram */
    opevo_index *others;
    uint32_t *order; /* of two candidates for each parameter */
} opevo_i_kt_space;

/* `space` must outlive it. Errors: NOMEM. Cost: a bit test for each point of a space of at most
 * 2^20 points with constraints, constant otherwise. */
opevo_status opevo_i_kt_space_init(opevo_i_kt_space *self, const opevo_space *space,
                                   opevo_error *err);
/* Take neighbours and boxes from a diagram, as init does where uniform points come from it. Errors:
 * NOMEM; clear in any case. Hook of tests. */
opevo_status opevo_i_kt_space_use(opevo_i_kt_space *self, const opevo_diagram *diagram,
                                  opevo_error *err);
/* Release what it holds. */
void opevo_i_kt_space_clear(opevo_i_kt_space *self);

opevo_index opevo_i_kt_encode(const opevo_i_kt_space *self, const opevo_index *vertices);
void opevo_i_kt_decode(const opevo_i_kt_space *self, opevo_index point, opevo_index *vertices);
/* Whether parameter i is silent in a row; never without branches. */
bool opevo_i_kt_is_silent(const opevo_i_kt_space *self, size_t i, const opevo_index *vertices);

/* A uniform allowed point into `vertices`; false when 10,000,000 draws in a row met none, which
 * only happens in a space of more than 2^20 points. */
bool opevo_i_kt_sample(const opevo_i_kt_space *self, opevo_rng *rng, opevo_index *vertices);
/* Up to `count` different ones, or as many as there are; the number of them. Hook of tests. */
size_t opevo_i_kt_sample_distinct(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                  opevo_index *rows);
/* The same after `given` rows that are there. */
size_t opevo_i_kt_sample_others(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                size_t given, opevo_index *rows);

/* Up to `count` different neighbours of the point `from` (allowed or not), uniform over all sets of
 * them, as rows of vertices; the number found, which is the number of all neighbours when that is
 * less. Without a diagram, where there are more than 2^14 candidates and fewer than one in 2^14 is
 * allowed, fewer may be found than there are.
 * Cost: without a diagram 1 / (share of candidates that are allowed) draws for each, or a walk over
 * up to 2^14 candidates. With one no candidate is drawn until it is allowed: a count of a box, with
 * branches one for each parameter, or a look at each of the nearest values. */
size_t opevo_i_kt_neighbours(const opevo_i_kt_space *self, opevo_i_kt_kind kind,
                             const opevo_index *from, opevo_rng *rng, size_t count,
                             opevo_index *rows);
/* One of them in place of `vertices`; false, with nothing changed, if none exists. */
bool opevo_i_kt_step(const opevo_i_kt_space *self, opevo_i_kt_kind kind, opevo_rng *rng,
                     opevo_index *vertices);

/* Whether a row is one of `count` rows. */
bool opevo_i_kt_is_among(const opevo_i_kt_space *self, const opevo_index *vertices,
                         const opevo_index *rows, size_t count);
/* Up to `count` different steps in a sparse list, from the point or the listed one that is nearest
 * to it; the number found. */
size_t opevo_i_kt_listed_neighbours(const opevo_i_kt_space *self, const opevo_index *from,
                                    opevo_rng *rng, size_t count, opevo_index *rows);
/* In a sparse space, replace the point by the nearest listed one, other than `except` (NULL: any);
 * false, with nothing changed, if none was found. */
bool opevo_i_kt_become_listed(const opevo_i_kt_space *self, const opevo_index *except,
                              opevo_index *vertices);

/* If a constraint forbids the point, replace it by a random strictly adjacent, else adjacent, else
 * Hamming neighbour. False, with nothing changed, when it has none of these.
 * Source: repair() of genetic_algorithm.py and diff_evo.py. */
bool opevo_i_kt_repair(const opevo_i_kt_space *self, opevo_rng *rng, opevo_index *vertices);

/* The source's constraint solver lists a space from its last point to its first, and where the
 * source takes the first of several points, these two take the last. Both give up after 2^14
 * candidates.
 *
 * If a constraint forbids the point, replace it by the allowed one whose places differ least in
 * sum. False, with nothing changed, when none is near.
 * Source: get_LHS_sample_indices() of searchspace.py. */
bool opevo_i_kt_nearest(const opevo_i_kt_space *self, opevo_index *vertices);
/* Replace the point, which a constraint forbids, by its last adjacent neighbour; false, with
 * nothing changed, when it has none. Source: repair() of adaptive_tabu_greywolf.py. */
bool opevo_i_kt_last_adjacent(const opevo_i_kt_space *self, opevo_index *vertices);

/* Latin hypercube of `count` points, forbidden ones included: each parameter's list is cut into
 * `count` equal parts, and each part gives one value.
 * Source: scipy.stats.qmc.LatinHypercube.integers. Errors: NOMEM. */
opevo_status opevo_i_kt_latin_hypercube(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                        opevo_index *rows, opevo_error *err);

static inline bool opevo_i_kt_allows(const opevo_i_kt_space *self, const opevo_index *vertices)
{
    if (self->diagram && opevo_space_has_branches(self->space)) {
        for (size_t i = 0; i < self->width; i++)
            self->active[i] =
                opevo_space_is_active(self->space, i, self->active) ? vertices[i] : OPEVO_INACTIVE;
        return opevo_diagram_allows(self->diagram, self->active);
    }
    if (self->diagram)
        return opevo_diagram_allows(self->diagram, vertices);
    if (opevo_space_is_wide(self->space) && !opevo_space_has_branches(self->space))
        return opevo_space_allows_vertices(self->space, vertices); /* which numbers nothing */
    return opevo_space_allows(self->space, opevo_i_kt_encode(self, vertices));
}

static inline void opevo_i_kt_copy(const opevo_i_kt_space *self, opevo_index *to,
                                   const opevo_index *from)
{
    for (size_t i = 0; i < self->width; i++)
        to[i] = from[i];
}

static inline bool opevo_i_kt_equal(const opevo_i_kt_space *self, const opevo_index *a,
                                    const opevo_index *b)
{
    for (size_t i = 0; i < self->width; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/* The place of a list of `size` at `x` when value v is laid on [v, v + 1); the last or first one
 * outside. A size beyond 2^53 may be rounded up as a double, hence the second comparison. */
static inline opevo_index opevo_i_kt_place(double x, opevo_index size)
{
    opevo_index place = x > 0 && x < (double)size ? (opevo_index)x : 0;

    return x >= (double)size || place >= size ? size - 1 : place;
}

/* The numbers below `count` in a uniform order, by the inside-out form of the Fisher-Yates shuffle:
 * it draws below 1, 2, ..., count. */
static inline void opevo_i_kt_order(opevo_rng *rng, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = (uint32_t)opevo_rng_below(rng, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

#endif
