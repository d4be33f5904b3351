/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-tabu-greywolf`: a pack whose three best lead. Every other wolf takes each parameter from a
 * leader or keeps its own, is shaken, kept off the points of a short tabu list, and accepted as in
 * annealing.
 *
 * Source: Kernel Tuner 1.4.0, strategies/adaptive_tabu_greywolf.py. Kept from the source: an
 * absolute difference of milliseconds is compared with the temperature, so the acceptance depends
 * on how long a kernel runs; a wolf that stands where a leader stands does not move; repeats count
 * in the schedule. Deviations: those of kt_search.c (a new pack begins when the schedule is over);
 * and a forbidden child is moved to a random neighbour, where the source takes the first one in the
 * order in which its constraint solver lists the space. */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum { LEADERS = 3 };
static const double t_start = 1.0;
static const double t_decay = 5.0;
static const double t_least = 1e-4;

typedef struct wolf {
    double cost;
    opevo_index *vertices;
} wolf;

typedef struct greywolf {
    opevo_i_kt base;
    size_t most; /* wolves of a full pack */
    double shake, jump, restart;
    size_t patience, tabu_each, schedule;

    enum { INITIAL, HUNTING, REPLACING } phase;
    size_t count; /* wolves */
    size_t next;  /* the wolf whose child is in the round; hunting */
    double evaluations;
    size_t stagnant; /* rounds without a better point */
    double best_cost;
    double temperature; /* of this round of the pack, as are the next two */
    double shaking;
    bool late;        /* the second half of the schedule */
    wolf *pack;       /* by rising cost when a round begins */
    wolf *sorted;     /* scratch */
    double *costs;    /* scratch */
    size_t *order;    /* scratch */
    opevo_index *all; /* the vertices of all wolves, of the leaders and of the child */
    opevo_index *leaders;
    opevo_index *child;
    opevo_i_kt_tabu tabu;
} greywolf;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("pack", greywolf, most, 8, 1, 10000, "wolves"),
    OPEVO_ROW_COUNT("tabu", greywolf, tabu_each, 3, 0, 1000,
                    "points of the tabu list, for each wolf"),
    OPEVO_ROW_REAL("shake", greywolf, shake, 0.2, 0, 1,
                   "initial probability that a child is perturbed"),
    OPEVO_ROW_REAL("jump", greywolf, jump, 0.15, 0, 1,
                   "probability that a perturbation sets one parameter to a random value"),
    OPEVO_ROW_COUNT("patience", greywolf, patience, 80, 1, 1000000,
                    "rounds without a better point before wolves are replaced"),
    OPEVO_ROW_REAL("restart", greywolf, restart, 0.3, 0, 1,
                   "fraction of the pack that is then replaced"),
    OPEVO_ROW_COUNT("evaluations", greywolf, schedule, 5000, 1, 1000000000,
                    "evaluations of the schedule, repeats included"),
};

static void clear(opevo_i_kt *base)
{
    greywolf *self = (greywolf *)base;

    opevo_free(self->pack);
    opevo_free(self->sorted);
    opevo_free(self->costs);
    opevo_free(self->order);
    opevo_free(self->all);
    opevo_i_kt_tabu_clear(&self->tabu);
}

static void restart(opevo_i_kt *base)
{
    ((greywolf *)base)->phase = INITIAL;
}

static void sort_pack(greywolf *self)
{
    for (size_t k = 0; k < self->count; k++) {
        self->costs[k] = self->pack[k].cost;
        self->sorted[k] = self->pack[k];
    }
    opevo_i_kt_rank(self->costs, self->order, self->count);
    for (size_t k = 0; k < self->count; k++)
        self->pack[k] = self->sorted[self->order[k]];
}

static opevo_index *leader(const greywolf *self, size_t rank)
{
    return self->leaders + rank * self->base.space.width;
}

/* Fix what holds for a whole round: the leaders, the temperature, how much is shaken. */
static void begin_round(greywolf *self)
{
    double share = self->evaluations / (double)self->schedule;
    size_t half = self->patience / 2 ? self->patience / 2 : 1;

    self->next = 0;
    self->late = share >= 0.5;
    self->temperature = fmax(t_least, t_start * exp(-t_decay * share));
    if (self->stagnant && self->stagnant % half == 0)
        self->temperature += 0.2 * t_start;
    self->shaking = fmin(0.5, self->shake * (1 + (double)self->stagnant / (double)self->patience));
    for (size_t rank = 0; rank < LEADERS; rank++) {
        size_t k = rank < self->count ? rank : self->count - 1;

        opevo_i_kt_copy(&self->base.space, leader(self, rank), self->pack[k].vertices);
    }
}

static bool is_leader(const greywolf *self, const wolf *one)
{
    for (size_t rank = 0; rank < LEADERS; rank++) {
        if (opevo_i_kt_equal(&self->base.space, one->vertices, leader(self, rank)))
            return true;
    }
    return false;
}

/* Set one parameter of the child to its value in a random point, or take an adjacent step. */
static void shake_child(greywolf *self)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;

    if (opevo_rng_unit(rng) < self->jump) {
        size_t i = (size_t)opevo_rng_below(rng, space->width);

        if (opevo_i_kt_start(&self->base, space->row))
            self->child[i] = space->row[i];
    } else {
        opevo_i_kt_step(space, self->late ? OPEVO_I_KT_STRICTLY_ADJACENT : OPEVO_I_KT_ADJACENT, rng,
                        self->child);
    }
}

static void repair_child(greywolf *self)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;

    if (!opevo_i_kt_allows(space, self->child) && !opevo_i_kt_last_adjacent(space, self->child) &&
        !opevo_i_kt_step(space, OPEVO_I_KT_HAMMING, rng, self->child))
        opevo_i_kt_start(&self->base, self->child);
}

static void make_child(greywolf *self, const wolf *parent)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;

    for (size_t i = 0; i < space->width; i++) {
        size_t from = (size_t)opevo_rng_below(rng, LEADERS + 1);

        self->child[i] = from < LEADERS ? leader(self, from)[i] : parent->vertices[i];
    }
    if (opevo_rng_unit(rng) < self->shaking)
        shake_child(self);
    repair_child(self);
    if (opevo_i_kt_tabu_has(&self->tabu, opevo_i_kt_encode(space, self->child)))
        opevo_i_kt_step(space, OPEVO_I_KT_HAMMING, rng, self->child);
}

static opevo_status propose_pack(greywolf *self, opevo_error *err)
{
    opevo_i_kt *base = &self->base;
    opevo_status status = OPEVO_OK;

    base->origin = "initial";
    self->count = opevo_i_kt_start_many(base, self->most, self->all);
    for (size_t k = 0; k < self->count && status == OPEVO_OK; k++) {
        self->pack[k].vertices = self->all + k * base->space.width;
        status = opevo_i_kt_want(base, self->pack[k].vertices, err);
    }
    return status;
}

/* New points for the last wolves. */
static opevo_status propose_replacements(greywolf *self, opevo_error *err)
{
    opevo_i_kt *base = &self->base;
    size_t wanted = (size_t)ceil((double)self->most * self->restart);
    size_t count = wanted < self->count ? wanted : self->count;
    opevo_status status = OPEVO_OK;

    base->origin = "restart";
    for (size_t k = self->count - count; k < self->count && status == OPEVO_OK; k++) {
        if (!opevo_i_kt_start(base, self->pack[k].vertices))
            return OPEVO_OK;
        status = opevo_i_kt_want(base, self->pack[k].vertices, err);
    }
    return status;
}

/* All wolves have had their turn. */
static void end_round(greywolf *self)
{
    sort_pack(self);
    self->stagnant++;
    if (self->pack[0].cost < self->best_cost) {
        self->best_cost = self->pack[0].cost;
        self->stagnant = 0;
    }
    if (self->stagnant >= self->patience)
        self->phase = REPLACING;
    begin_round(self);
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    greywolf *self = (greywolf *)base;

    if (self->evaluations >= (double)self->schedule)
        self->phase = INITIAL;
    if (self->phase == INITIAL)
        return propose_pack(self, err);
    while (self->next < self->count && is_leader(self, &self->pack[self->next]))
        self->next++;
    if (self->next == self->count)
        end_round(self);
    if (self->phase == REPLACING)
        return propose_replacements(self, err);
    while (self->next < self->count && is_leader(self, &self->pack[self->next]))
        self->next++;
    if (self->next == self->count)
        return OPEVO_OK;
    base->origin = "child";
    make_child(self, &self->pack[self->next]);
    return opevo_i_kt_want(base, self->child, err);
}

static opevo_status remember(greywolf *self, opevo_error *err)
{
    self->evaluations += (double)self->base.wanted;
    for (size_t k = 0; k < self->base.wanted; k++) {
        OPEVO_NEED_OR_RETURN(opevo_i_kt_tabu_add(&self->tabu, self->base.points[k]),
                             "the tabu list");
    }
    return OPEVO_OK;
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    greywolf *self = (greywolf *)base;
    size_t first = self->count - base->wanted;

    if (self->phase == INITIAL)
        self->evaluations = 0;
    if (self->phase == HUNTING) {
        wolf *one = &self->pack[self->next++];

        if (opevo_i_kt_accepts(&base->rng, base->costs[0] - one->cost, self->temperature)) {
            opevo_i_kt_copy(&base->space, one->vertices, self->child);
            one->cost = base->costs[0];
        }
        return remember(self, err);
    }
    for (size_t k = 0; k < base->wanted; k++)
        self->pack[first + k].cost = base->costs[k];
    sort_pack(self);
    self->best_cost = self->pack[0].cost;
    self->stagnant = 0;
    self->phase = HUNTING;
    begin_round(self);
    return remember(self, err);
}

static bool prepare(opevo_i_kt *base)
{
    greywolf *self = (greywolf *)base;
    size_t width = base->space.width;

    self->pack = opevo_malloc(self->most, sizeof *self->pack);
    self->sorted = opevo_malloc(self->most, sizeof *self->sorted);
    self->costs = opevo_malloc(self->most, sizeof *self->costs);
    self->order = opevo_malloc(self->most, sizeof *self->order);
    self->all = opevo_malloc(self->most + LEADERS + 1, width * sizeof *self->all);
    if (!self->pack || !self->sorted || !self->costs || !self->order || !self->all)
        return false;
    self->leaders = self->all + self->most * width;
    self->child = self->leaders + LEADERS * width;
    return opevo_i_kt_tabu_init(&self->tabu, self->most * self->tabu_each);
}

static const opevo_i_kt_strategy strategy = {sizeof(greywolf), prepare, propose, take,
                                             restart,          clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_tabu_greywolf_ops, &strategy, settings, space, rng, out,
                             err);
}

const opevo_tuner_ops opevo_i_kt_tabu_greywolf_ops = {
    .name = "kt-tabu-greywolf",
    .summary = "Kernel Tuner's adaptive tabu grey wolf: leaders, perturbation, tabu, annealing",
    .source = "Kernel Tuner 1.4.0, strategies/adaptive_tabu_greywolf.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
