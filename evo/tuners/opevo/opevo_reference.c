/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `opevo-reference`: OpEvo as its authors ran it.
 *
 * Source: NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/opevo.py, and the
 * experiments' settings (lambda = rho = 8, q = 0.5, 8 trials at a time). It differs from `opevo`,
 * which is Algorithm 1 of the paper, in this:
 * - B1: equality is broken (individuals_internal.h), so that a point can come again.
 * - B2: a child is compared with told individuals and its own brood only, not with trials in
 * flight.
 * - B8: while the best fitness is below 1e-3, whatever its unit, broods are random.
 * - The first broods are random until lambda outcomes are known, and have rho individuals; a random
 *   individual that equals another is walked, not drawn again.
 * - Generations overlap: a brood is made as soon as the last is served and an outcome comes in, so
 *   at 8 trials at a time the second brood is random too, and each later one is bred without the
 *   outcomes of 7 trials. A brood is served from its end (a list used as a stack).
 *
 * Of its other defects, these cannot show here: B3, minimising is random search (fitness is
 * maximised); B4, a fitness that is not a number or negative breaks it (such a fitness counts as
 * 0); B7, a log line that fails. And these are not repeated: B5, a factorisation of 1 or into one
 * part breaks it (its walk stays); B6, a space smaller than a brood, or exhausted, hangs it
 * (below); a trial that reports nothing stalls it (every trial has an outcome).
 *
 * Deliberate deviations: a repeat is answered from memory and is not a trial, where it cost the
 * authors one; outcomes come in in the order served; a forbidden child is walked on like a
 * duplicate; after 4096 walks a brood is left as it is; in the place of an empty brood, and after
 * 1024 repeats in a row, comes a uniform point that is new (origin `uniform`), and without one the
 * search is over. Permutations and graphs, which the authors' program does not know, compare by
 * value. */

#include "opevo_reference_internal.h"

#include <opevo/memory.h>
#include <opevo/mutation.h>
#include <opevo/random_allowed.h>
#include <opevo/space_listed.h>

#include "individuals_internal.h"
#include "population_internal.h"
#include "tried_internal.h"

#include <math.h>
#include <string.h>

enum { COUNT_MOST = 10000, WALKS_MOST = 4096, REPEATS_MOST = 1024 };

static const double NOTHING_WORKS = 1e-3; /* B8 */

/* One that was bred; its genes lie beside it: `width` vertices and as many founders. */
typedef struct bred {
    opevo_index point;
    const char *origin;
    size_t number; /* among the individuals */
    bool repeat;   /* the point was served before; known once it is served */
} bred;

typedef struct opevo_reference {
    opevo_tuner super;
    const opevo_space *space;
    size_t width; /* parameters of the space */
    size_t lambda, rho, concurrency;
    double q;
    opevo_rng rng;
    opevo_walker **walkers;   /* one for each parameter */
    opevo_mutation *mutation; /* where allowed points are rare; NULL: in full */
    bool *has_founder;        /* for each parameter: whether it is a factorisation */
    bool walks;               /* q > 0 */
    opevo_i_tried *tried;
    opevo_i_opevo_individuals *individuals;
    opevo_i_opevo_population *best; /* genes of the fittest */
    double *cumulative;             /* scratch: `lambda` sums of fitness */
    uint64_t outcomes;              /* known so far, those of repeats included */
    double best_fitness;
    uint64_t repeats;
    uint64_t repeats_in_a_row;

    uint64_t brood_number;
    bred *brood; /* not yet served; the last is next */
    opevo_index *brood_genes;
    size_t brood_count;

    bred *flight; /* a ring of `concurrency`: served, outcome not yet counted */
    opevo_index *flight_genes;
    size_t flight_first;
    size_t flight_count;
    size_t flight_asked; /* of them, handed out or repeats */
} opevo_reference;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT(
        "lambda", opevo_reference, lambda, 8, 1, COUNT_MOST,
        "parents: the fittest so far; broods are random until this many outcomes are known"),
    OPEVO_ROW_COUNT("rho", opevo_reference, rho, 8, 1, COUNT_MOST, "individuals in a brood"),
    OPEVO_ROW_REAL("q", opevo_reference, q, 0.5, 0, 1,
                   "mutation rate: probability of one more step of a walk", .below_max = true),
    OPEVO_ROW_COUNT("concurrency", opevo_reference, concurrency, 8, 1, COUNT_MOST,
                    "trials in flight: a brood is made without their outcomes",
                    .batch = OPEVO_BATCH_FIXED),
};

static void destroy(opevo_tuner *tuner)
{
    opevo_reference *self = (opevo_reference *)tuner;

    for (size_t i = 0; self->walkers && i < self->width; i++)
        opevo_walker_destroy(self->walkers[i]);
    opevo_mutation_destroy(self->mutation);
    opevo_free(self->walkers);
    opevo_free(self->has_founder);
    opevo_i_tried_destroy(self->tried);
    opevo_i_opevo_individuals_destroy(self->individuals);
    opevo_i_opevo_population_destroy(self->best);
    opevo_free(self->cumulative);
    opevo_free(self->brood);
    opevo_free(self->brood_genes);
    opevo_free(self->flight);
    opevo_free(self->flight_genes);
    opevo_free(self);
}

static opevo_status allocate(opevo_reference *self, opevo_error *err)
{
    size_t genes = 2 * self->width;
    const opevo_diagram *diagram = opevo_space_draws_from(self->space);

    self->walkers = opevo_calloc(self->width, sizeof(opevo_walker *));
    if (diagram && self->walkers)
        self->mutation = opevo_mutation_create(diagram, self->walkers, self->width);
    self->has_founder = opevo_calloc(self->width, sizeof *self->has_founder);
    self->tried = opevo_i_tried_create(self->space);
    self->individuals = opevo_i_opevo_individuals_create();
    self->best = opevo_i_opevo_population_create(self->lambda, genes);
    self->cumulative = opevo_malloc(self->lambda, sizeof *self->cumulative);
    self->brood = opevo_malloc(self->rho, sizeof *self->brood);
    self->brood_genes = opevo_malloc(self->rho, genes * sizeof *self->brood_genes);
    self->flight = opevo_malloc(self->concurrency, sizeof *self->flight);
    self->flight_genes = opevo_malloc(self->concurrency, genes * sizeof *self->flight_genes);
    OPEVO_NEED_OR_RETURN(self->walkers && self->has_founder && self->tried && self->individuals &&
                             self->best && self->cumulative && self->brood && self->brood_genes &&
                             self->flight && self->flight_genes && (self->mutation || !diagram),
                         "the tuner opevo-reference");
    return OPEVO_OK;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_reference *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner opevo-reference");
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->walks = self->q > 0;
    self->rng = *rng;
    OPEVO_TRY(allocate(self, err));
    for (size_t i = 0; i < self->width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        self->has_founder[i] = !strcmp(opevo_parameter_type(parameter), "factor");
        OPEVO_TRY(opevo_walker_create(parameter, self->q, &self->walkers[i], err));
    }
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        destroy(&self->super);
    return status;
}

/* ---- Breeding ---- */

static void mutate(opevo_reference *self, opevo_index *genes)
{
    for (size_t i = 0; i < self->width; i++)
        genes[i] = opevo_walker_draw(self->walkers[i], genes[i], &self->rng);
}

/* The vertices of a point, each its own founder. */
static void found(const opevo_reference *self, opevo_index point, opevo_index *genes)
{
    opevo_space_decode(self->space, point, genes);
    for (size_t i = 0; i < self->width; i++)
        genes[self->width + i] = self->has_founder[i] ? genes[i] : 0;
}

static void recombine(opevo_reference *self, opevo_index *genes)
{
    size_t count = opevo_i_opevo_population_count(self->best);

    for (size_t i = 0; i < self->width; i++) {
        size_t j = opevo_rng_weighted(&self->rng, self->cumulative, count);
        const opevo_index *parent = opevo_i_opevo_population_get(self->best, j, NULL);

        genes[i] = parent[i];
        genes[self->width + i] = parent[self->width + i];
    }
}

/* Sums of the parents' fitness, the largest being 1 so that no sum overflows. */
static void weigh_parents(opevo_reference *self)
{
    double largest = 0;
    double sum = 0;

    opevo_i_opevo_population_get(self->best, 0, &largest);
    for (size_t j = 0; j < opevo_i_opevo_population_count(self->best); j++) {
        double fitness = 0;

        opevo_i_opevo_population_get(self->best, j, &fitness);
        sum += fitness / largest;
        self->cumulative[j] = sum;
    }
}

/* Add what stands in the next genes of the brood. */
static opevo_status add(opevo_reference *self, opevo_index point, opevo_index founders,
                        const char *origin, opevo_error *err)
{
    bred *added = &self->brood[self->brood_count];

    *added = (bred){.point = point, .origin = origin};
    OPEVO_NEED_OR_RETURN(opevo_i_opevo_individuals_add(self->individuals, point, founders,
                                                       self->brood_number, &added->number),
                         "remembering another individual");
    self->brood_count++;
    return OPEVO_OK;
}

/* What individuals are compared with. */
typedef struct compared {
    const opevo_reference *tuner;
    opevo_index founders;
} compared;

static bool is_known(const void *context, opevo_index point)
{
    const compared *self = context;

    return opevo_i_opevo_individuals_has(self->tuner->individuals, point, self->founders,
                                         self->tuner->brood_number);
}

/* Become the nearest listed point that equals none; false where that is not found. */
static bool find_nearest(const opevo_reference *self, opevo_index *genes, opevo_index founders,
                         opevo_index *point)
{
    const compared with = {self, founders};

    if (!opevo_space_nearest_listed(self->space, genes, is_known, &with, point))
        return false;
    opevo_space_decode(self->space, *point, genes);
    return true;
}

static bool is_new(const opevo_reference *self, opevo_index point, opevo_index founders)
{
    return !opevo_i_opevo_individuals_has(self->individuals, point, founders, self->brood_number);
}

/* As settle, where allowed points are rare. */
static opevo_status settle_rare(opevo_reference *self, opevo_index *genes, const char *origin,
                                opevo_error *err)
{
    opevo_index founders = opevo_space_encode(self->space, genes + self->width);
    unsigned walks_most = self->walks ? WALKS_MOST : 0;

    opevo_mutation_begin(self->mutation, genes);
    for (unsigned walks = 0; walks <= walks_most; walks++) {
        if (walks > 0)
            opevo_mutation_add(self->mutation);
        if (opevo_mutation_is_allowed(self->mutation, &self->rng)) {
            opevo_index point = 0;

            opevo_mutation_finish(self->mutation, &self->rng);
            point = opevo_space_encode(self->space, genes);
            if (is_new(self, point, founders))
                return add(self, point, founders, origin, err);
        }
    }
    return OPEVO_OK;
}

/* Walk until the individual equals none that it is compared with and is allowed, then add it; add
 * nothing where WALKS_MOST walks do not get there. */
static opevo_status settle(opevo_reference *self, opevo_index *genes, const char *origin,
                           opevo_error *err)
{
    opevo_index founders = opevo_space_encode(self->space, genes + self->width);
    unsigned walks_most = self->walks ? WALKS_MOST : 0;

    if (self->mutation)
        return settle_rare(self, genes, origin, err);
    for (unsigned walks = 0;; walks++) {
        opevo_index point = opevo_space_encode(self->space, genes);

        if (opevo_space_is_sparse(self->space) && !find_nearest(self, genes, founders, &point))
            return OPEVO_OK;
        if (opevo_space_allows(self->space, point) && is_new(self, point, founders))
            return add(self, point, founders, origin, err);
        if (walks == walks_most)
            return OPEVO_OK;
        mutate(self, genes);
    }
}

static opevo_status make_uniform(opevo_reference *self, opevo_error *err)
{
    opevo_index point = 0;
    opevo_index *genes = self->brood_genes;
    opevo_status status =
        opevo_i_tried_draw(self->tried, &self->rng, &point, &self->super.reason, err);

    if (status != OPEVO_OK || self->super.reason)
        return status;
    found(self, point, genes);
    return add(self, point, opevo_space_encode(self->space, genes + self->width), "uniform", err);
}

/* Make a brood; an empty one says that the search is over. */
static opevo_status breed(opevo_reference *self, opevo_error *err)
{
    bool breeds = self->outcomes >= self->lambda && self->best_fitness >= NOTHING_WORKS;
    opevo_status status = OPEVO_OK;

    if (self->super.reason)
        return OPEVO_OK;
    self->brood_number++;
    self->brood_count = 0;
    if (breeds)
        weigh_parents(self);
    if (self->repeats_in_a_row > REPEATS_MOST)
        return make_uniform(self, err);
    for (size_t i = 0; i < self->rho && status == OPEVO_OK && self->brood_count == i; i++) {
        opevo_index *genes = self->brood_genes + i * 2 * self->width;

        if (breeds) {
            recombine(self, genes);
            mutate(self, genes);
        } else {
            found(self, opevo_rng_point(&self->rng, self->space), genes);
        }
        status = settle(self, genes, breeds ? "child" : "initial", err);
    }
    if (status == OPEVO_OK && self->brood_count == 0)
        status = make_uniform(self, err);
    return status;
}

/* ---- Serving ---- */

static size_t flight_slot(const opevo_reference *self, size_t i)
{
    return (self->flight_first + i) % self->concurrency;
}

/* The last of the brood takes off. */
static opevo_status serve(opevo_reference *self, opevo_error *err)
{
    size_t genes = 2 * self->width;
    size_t slot = flight_slot(self, self->flight_count);
    bred *served = &self->flight[slot];

    *served = self->brood[self->brood_count - 1];
    served->repeat = opevo_i_tried_get(self->tried, served->point, NULL);
    if (!served->repeat) {
        opevo_status status = opevo_i_tried_propose(self->tried, served->point, err);

        if (status != OPEVO_OK)
            return status;
    }
    self->repeats += served->repeat;
    self->repeats_in_a_row = served->repeat ? self->repeats_in_a_row + 1 : 0;
    memcpy(self->flight_genes + slot * genes, self->brood_genes + (self->brood_count - 1) * genes,
           genes * sizeof(opevo_index));
    self->brood_count--;
    self->flight_count++;
    return OPEVO_OK;
}

/* Fill the free places of the flight from the brood. */
static opevo_status fill_flight(opevo_reference *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && self->flight_count < self->concurrency && self->brood_count > 0)
        status = serve(self, err);
    return status;
}

/* The outcome of the first in flight comes in; the next brood is made if the last is served. */
static opevo_status land(opevo_reference *self, opevo_error *err)
{
    const bred *landed = &self->flight[self->flight_first];
    double fitness = 0;

    opevo_i_tried_get(self->tried, landed->point, &fitness);
    opevo_i_opevo_population_add(self->best, fitness,
                                 self->flight_genes + self->flight_first * 2 * self->width);
    opevo_i_opevo_individuals_tell(self->individuals, landed->number);
    self->outcomes++;
    self->best_fitness = fmax(self->best_fitness, fitness);
    self->flight_first = flight_slot(self, 1);
    self->flight_count--;
    self->flight_asked -= self->flight_asked > 0;
    return self->brood_count == 0 ? breed(self, err) : OPEVO_OK;
}

/* Go on until the first in flight needs an outcome from outside. */
static opevo_status advance(opevo_reference *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->brood_number == 0)
        OPEVO_TRY(breed(self, err));
    OPEVO_TRY(fill_flight(self, err));
    while (self->flight_count > 0 && self->flight[self->flight_first].repeat) {
        OPEVO_TRY(land(self, err));
        OPEVO_TRY(fill_flight(self, err));
    }
cleanup:
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    opevo_reference *self = (opevo_reference *)tuner;
    opevo_status status = advance(self, err);
    size_t given = 0;

    if (status != OPEVO_OK)
        return status;
    for (; self->flight_asked < self->flight_count && given < capacity; self->flight_asked++) {
        const bred *next = &self->flight[flight_slot(self, self->flight_asked)];

        if (next->repeat)
            continue;
        proposals[given].point = next->point;
        proposals[given].origin = next->origin;
        given++;
    }
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    opevo_reference *self = (opevo_reference *)tuner;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        opevo_index point = trials[i].proposal.point;

        if (point != self->flight[self->flight_first].point)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "Tuner opevo-reference must be told outcomes in the order of its proposals.");
        OPEVO_TRY(opevo_i_tried_tell(self->tried, point, trials[i].outcome.fitness, err));
        OPEVO_TRY(land(self, err));
        OPEVO_TRY(advance(self, err));
    }
cleanup:
    return status;
}

/* The population that the first brood is bred from, or a part of it. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    opevo_reference *self = (opevo_reference *)tuner;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        double fitness = 0;

        OPEVO_TRY(opevo_i_tried_tell(self->tried, trials[i].proposal.point,
                                     trials[i].outcome.fitness, err));
        opevo_i_tried_get(self->tried, trials[i].proposal.point, &fitness);
        found(self, trials[i].proposal.point, self->brood_genes);
        opevo_i_opevo_population_add(self->best, fitness, self->brood_genes);
        self->outcomes++;
        self->best_fitness = fmax(self->best_fitness, fitness);
    }
cleanup:
    return status;
}

uint64_t opevo_i_opevo_reference_repeats(const opevo_tuner *tuner)
{
    return ((const opevo_reference *)tuner)->repeats;
}

const opevo_tuner_ops opevo_i_opevo_reference_ops = {
    .name = "opevo-reference",
    .summary = "OpEvo as its authors ran it: points are proposed again, generations overlap",
    .source = "NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/opevo.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
