/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `opevo`: Algorithm 1 of the OpEvo paper. A generation is made whole once every outcome of the one
 * before is known, and handed out as asked, so that neither the cutting of asks nor the budget
 * changes what is proposed.
 *
 * Always true: the points of `seen` are those of all generations made so far; `told` <= `asked` <=
 * `made`, and the vertices of what is not yet told are at hand, so that no point has to be divided
 * back into them. docs/tuners.md gives the reasons for what the paper leaves open. */

#include <opevo/child_sampler.h>
#include <opevo/memory.h>
#include <opevo/tuner.h>

#include "population_internal.h"
#include "untried_internal.h"

enum { COUNT_MOST = 100000 };

typedef struct opevo {
    opevo_tuner super;
    const opevo_space *space;
    size_t width; /* parameters of the space */
    size_t lambda, rho;
    double q;
    unsigned duplicates;
    opevo_rng rng;
    opevo_index_set *seen;
    opevo_i_untried *fresh;
    const char *exhausted; /* why there are no more uniform points; NULL before */
    bool begun;
    size_t observed; /* of the first generation, not proposed here */

    opevo_i_opevo_population *best; /* the parents of the next generation, fittest first */
    opevo_child_sampler *children;
    const opevo_index **rows; /* scratch, `lambda` of each: the parents for the sampler */
    double *weights;

    /* The generation: made, handed out, and told. */
    size_t made;
    size_t asked;
    size_t told;
    opevo_index *points;
    opevo_index *vertices; /* `width` for each point */
    const char **origins;
} opevo;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("lambda", opevo, lambda, 8, 1, COUNT_MOST,
                    "parents: the fittest so far; also the number of initial random points"),
    OPEVO_ROW_COUNT("rho", opevo, rho, 8, 1, COUNT_MOST, "children in a generation",
                    .batch = OPEVO_BATCH_OF_WORKERS),
    OPEVO_ROW_REAL("q", opevo, q, 0.5, 0, 1,
                   "mutation rate: probability of one more step of a walk", .below_max = true),
    OPEVO_ROW_CHOICE("duplicates", opevo, duplicates, "continue redraw given",
                     "a duplicate child continues its walk (continue), is mutated again (redraw), "
                     "or is drawn given that it is allowed and new (given)"),
};

static void destroy(opevo_tuner *tuner)
{
    opevo *self = (opevo *)tuner;

    opevo_index_set_destroy(self->seen);
    opevo_i_untried_destroy(self->fresh);
    opevo_i_opevo_population_destroy(self->best);
    opevo_child_sampler_destroy(self->children);
    opevo_free(self->rows);
    opevo_free(self->weights);
    opevo_free(self->points);
    opevo_free(self->vertices);
    opevo_free(self->origins);
    opevo_free(self);
}

static opevo_status allocate(opevo *self, opevo_error *err)
{
    size_t most = self->lambda > self->rho ? self->lambda : self->rho;

    self->seen = opevo_index_set_create();
    self->fresh = opevo_i_untried_create(self->space);
    self->best = opevo_i_opevo_population_create(self->lambda, self->width);
    self->rows = opevo_malloc(self->lambda, sizeof(opevo_index *));
    self->weights = opevo_malloc(self->lambda, sizeof *self->weights);
    self->points = opevo_malloc(most, sizeof *self->points);
    self->vertices = opevo_malloc(most, self->width * sizeof *self->vertices);
    self->origins = opevo_malloc(most, sizeof(char *));
    OPEVO_NEED_OR_RETURN(self->seen && self->fresh && self->best && self->rows && self->weights &&
                             self->points && self->vertices && self->origins,
                         "the tuner opevo");
    return OPEVO_OK;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner opevo");
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->rng = *rng;
    OPEVO_TRY(allocate(self, err));
    /* The choices of the setting stand in the order of opevo_duplicate_rule. */
    OPEVO_TRY(opevo_child_sampler_create(space, self->q, (opevo_duplicate_rule)self->duplicates,
                                         &self->children, err));
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        destroy(&self->super);
    return status;
}

/* The point becomes the last of the generation; its vertices are in place. */
static opevo_status add(opevo *self, opevo_index point, const char *origin, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, point), "remembering another point");
    self->points[self->made] = point;
    self->origins[self->made] = origin;
    self->made++;
    return OPEVO_OK;
}

/* Add a new uniform point; when the space has no more, say why in `exhausted`. */
static opevo_status add_uniform(opevo *self, const char *origin, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;

    if (!self->exhausted)
        status = opevo_i_untried_draw(self->fresh, self->seen, &self->rng, &point, &self->exhausted,
                                      err);
    if (status != OPEVO_OK || self->exhausted)
        return status;
    opevo_space_decode(self->space, point, self->vertices + self->made * self->width);
    return add(self, point, origin, err);
}

/* Hand the parents to the sampler, weighted by fitness: equation 2. */
static opevo_status select_parents(opevo *self, opevo_error *err)
{
    size_t count = opevo_i_opevo_population_count(self->best);

    for (size_t rank = 0; rank < count; rank++)
        self->rows[rank] = opevo_i_opevo_population_get(self->best, rank, &self->weights[rank]);
    return opevo_child_sampler_set_parents(self->children, self->rows, self->weights, count, err);
}

/* Add a child, or a uniform point where no mutation finds anything new. */
static opevo_status add_child(opevo *self, opevo_error *err)
{
    opevo_index *vertices = self->vertices + self->made * self->width;
    opevo_index point = 0;
    bool all_seen = opevo_index_set_count(self->seen) == opevo_space_size(self->space);

    if (!all_seen &&
        opevo_child_sampler_draw(self->children, self->seen, &self->rng, vertices, &point))
        return add(self, point, "child", err);
    return add_uniform(self, "uniform", err);
}

/* Make the next generation; an empty one says that the search is over. */
static opevo_status make_generation(opevo *self, opevo_error *err)
{
    bool first = !self->begun && self->observed < self->lambda;
    bool breeds = !first && opevo_i_opevo_population_count(self->best) > 0;
    const char *origin = first ? "initial" : "restart";
    size_t wanted = first ? self->lambda - self->observed : self->rho;
    opevo_status status = OPEVO_OK;

    self->made = self->asked = self->told = 0;
    self->begun = true;
    if (breeds)
        status = select_parents(self, err);
    for (size_t i = 0; i < wanted && status == OPEVO_OK && self->made == i; i++)
        status = breeds ? add_child(self, err) : add_uniform(self, origin, err);
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    opevo *self = (opevo *)tuner;
    size_t given = 0;

    if (self->told == self->made && !tuner->reason) {
        opevo_status status = make_generation(self, err);

        if (status != OPEVO_OK)
            return status;
        if (self->made == 0)
            tuner->reason = self->exhausted;
    }
    while (given < capacity && self->asked < self->made) {
        proposals[given].point = self->points[self->asked];
        proposals[given].origin = self->origins[self->asked];
        given++;
        self->asked++;
    }
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    opevo *self = (opevo *)tuner;

    for (size_t i = 0; i < count; i++) {
        if (trials[i].proposal.point != self->points[self->told + i])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Tuner opevo must be told outcomes in the order of its proposals.");
    }
    for (size_t i = 0; i < count; i++) {
        opevo_i_opevo_population_add(self->best, trials[i].outcome.fitness,
                                     self->vertices + self->told * self->width);
        self->told++;
    }
    return OPEVO_OK;
}

/* They are of the first generation. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    opevo *self = (opevo *)tuner;

    for (size_t i = 0; i < count; i++) {
        OPEVO_NEED_OR_RETURN(opevo_index_set_add(self->seen, trials[i].proposal.point),
                             "remembering another point");
        opevo_space_decode(self->space, trials[i].proposal.point, self->vertices);
        opevo_i_opevo_population_add(self->best, trials[i].outcome.fitness, self->vertices);
        self->observed++;
    }
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_opevo_ops = {
    .name = "opevo",
    .summary = "evolution with fitness-proportional recombination and q-random-walk mutation",
    .source = "Gao et al., \"OpEvo\", AAAI 2021, section 4 and algorithm 1",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
