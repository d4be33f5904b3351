/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `ansor`: the search of Ansor (TVM v0.8, SketchPolicy) over a space whose branches are sketches
 * and whose parameters are the annotations of a sketch. The cost model is of programs where the
 * objective has features of them, one row for each statement, and of parameters otherwise.
 *
 * Deliberate deviations: a state is a point, so that a mutation gives a program whenever the
 * constraints allow it, and need not be replayed; a batch that would be empty is filled with
 * uniform points, where Ansor stops; random numbers are those of the tuner's one stream. */

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/space_listed.h>

#include "ansor_internal.h"

enum { SEARCH_EVOLUTION, SEARCH_RANDOM, SEARCH_BEAM };

enum { BARREN_MOST = 5 }; /* batches of samples in a row without a new one */

typedef struct ansor_settings {
    opevo_i_tvm_evolution_plan plan; /* the first */
    double crossover;
    size_t minimum, innermost;
    unsigned weights, search;
} ansor_settings;

static const opevo_setting settings_table[] = {
    OPEVO_I_EVOLUTION_ROWS,
    OPEVO_ROW_REAL("crossover", ansor_settings, crossover, 0, 0, 1,
                   "probability that a child is crossed from two parents, stage by stage"),
    OPEVO_ROW_REAL(
        "retrain", ansor_settings, plan.retrain, 0.2, 0, 10,
        "new trials for the next training of the cost model, as a share of those of the last"),
    OPEVO_ROW_COUNT("minimum", ansor_settings, minimum, 50, 1, 16384,
                    "samples that the first generation needs, if there are so many"),
    OPEVO_ROW_COUNT("innermost", ansor_settings, innermost, 64, 0, 1000000,
                    "largest innermost component of a factorisation; 0: no bound"),
    OPEVO_ROW_CHOICE("weights", ansor_settings, weights, "auto cpu gpu",
                     "weights of the mutations; auto: cpu if a parameter is a compute location or "
                     "of parallel loops"),
    OPEVO_ROW_CHOICE(
        "search", ansor_settings, search, "evolution random beam",
        "how points are chosen: random: samples alone; beam: parameter after parameter"),
    OPEVO_ROW_COUNT("patience", ansor_settings, plan.patience, 0, 0, 1000000000,
                    "trials without a better one that end the search; 0: none"),
    OPEVO_I_MODEL_ROWS(ansor_settings, plan.model),
};

static void destroy(opevo_tuner *tuner)
{
    opevo_i_tvm_ansor *self = (opevo_i_tvm_ansor *)tuner;

    opevo_i_tvm_evolution_release(&self->super);
    opevo_i_tvm_genome_destroy(self->genome);
    opevo_i_tvm_crossing_release(&self->crossing);
    opevo_free(self->beam);
    opevo_free(self);
}

/* ---- Samples ---- */

/* Whether a sample is a new program; it is then in the population. Sampled by its genes, or
 * uniformly from the diagram. */
static opevo_status take_sample(opevo_i_tvm_evolution *self, bool uniform, opevo_index_set *met,
                                opevo_error *err)
{
    opevo_index *vertices = self->vertices + self->now_count * self->width;
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;
    bool allowed = true, known = false;

    if (opevo_space_is_sparse(self->space)) {
        point = opevo_space_listed_point(
            self->space, opevo_rng_below_wide(&self->rng, opevo_space_listed_count(self->space)));
        opevo_space_decode(self->space, point, vertices);
    } else if (uniform) {
        point = opevo_rng_allowed(&self->rng, self->diagram);
        opevo_space_decode(self->space, point, vertices);
    } else {
        opevo_i_tvm_genome_sample(((opevo_i_tvm_ansor *)self)->genome, 0, &self->rng, vertices);
        allowed = opevo_i_tvm_evolution_settle(self, vertices, &point);
    }
    if (!allowed || opevo_index_set_has(met, point))
        return OPEVO_OK;
    status = opevo_i_tvm_surrogate_knows(self->surrogate, point, vertices, &known, err);
    if (status != OPEVO_OK || !known)
        return status;
    OPEVO_NEED_OR_RETURN(opevo_index_set_add(met, point), "a population");
    self->points[self->now_count++] = point;
    return OPEVO_OK;
}

/* Batches of as many samples as a generation has points, until enough of them are programs and
 * different. After five batches in a row without a new one half as many are enough, now and later;
 * after one, where samples come from a diagram, they are drawn uniformly.
 * Source: TVM v0.8, SketchPolicyNode::SampleInitPopulation. */
static opevo_status sample(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_i_tvm_ansor *ansor = (opevo_i_tvm_ansor *)self;
    opevo_index_set *met = opevo_index_set_create();
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(met, "a population");
    self->now_count = 0;
    for (int barren = 0; self->now_count < ansor->minimum;) {
        size_t before = self->now_count;
        bool uniform = barren && self->diagram;

        for (size_t i = 0; i < self->plan.population && self->now_count < self->plan.population;
             i++)
            OPEVO_TRY(take_sample(self, uniform, met, err));
        barren = self->now_count > before ? 0 : barren + 1;
        if (barren == BARREN_MOST) {
            ansor->minimum /= 2;
            barren = 0;
        }
    }
cleanup:
    opevo_index_set_destroy(met);
    return status;
}

/* A mutation that has nothing to change gives a copy. */
static bool mutate(opevo_i_tvm_evolution *self, opevo_index *vertices, opevo_index *point)
{
    if (opevo_space_is_sparse(self->space))
        return opevo_i_tvm_evolution_step(self, vertices, point);
    opevo_i_tvm_genome_mutate(((opevo_i_tvm_ansor *)self)->genome, &self->rng, vertices);
    return opevo_i_tvm_evolution_allows(self, vertices, point);
}

/* ---- Searches ---- */

/* Samples alone, in the order drawn. */
static opevo_status choose_samples(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_status status = sample(self, err);

    for (size_t i = 0; status == OPEVO_OK && i < self->now_count && i < self->random_most; i++)
        self->random[self->random_count++] = self->points[i];
    return status;
}

static opevo_status choose_by_beam(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_status status = sample(self, err);

    if (status != OPEVO_OK)
        return status;
    opevo_i_tvm_evolution_choose_random(self);
    return opevo_i_tvm_ansor_beam((opevo_i_tvm_ansor *)self, err);
}

static opevo_status cross(opevo_i_tvm_evolution *self, size_t *made, opevo_error *err)
{
    return opevo_i_tvm_ansor_cross((opevo_i_tvm_ansor *)self, made, err);
}

static const opevo_i_tvm_evolution_ways searches[] = {
    [SEARCH_EVOLUTION] = {.sample = sample, .mutate = mutate, .cross = cross},
    [SEARCH_RANDOM] = {.sample = sample, .choose = choose_samples},
    [SEARCH_BEAM] = {.sample = sample, .choose = choose_by_beam},
};

static bool allocate(opevo_i_tvm_ansor *self, const opevo_space *space,
                     const ansor_settings *settings)
{
    self->genome = opevo_i_tvm_genome_create(space, (opevo_i_tvm_gene_weights)settings->weights,
                                             settings->innermost);
    self->beam_width = self->super.best_most < self->super.plan.population
                           ? self->super.best_most
                           : self->super.plan.population;
    self->beam = opevo_malloc(self->beam_width, sizeof *self->beam);
    return self->genome && self->beam &&
           opevo_i_tvm_crossing_init(&self->crossing, settings->crossover, self->super.room,
                                     self->super.width);
}

/* A network scores fewer points. */
static size_t thrifty(size_t population, const opevo_i_tvm_model_choice *model)
{
    size_t fewer = population / opevo_i_tvm_model_thrift(model);

    return fewer > 0 ? fewer : 1;
}

static opevo_status use_trees(opevo_tuner *tuner, const opevo_feature_source *source,
                              opevo_error *err)
{
    return opevo_i_tvm_model_check(&((opevo_i_tvm_evolution *)tuner)->plan.model, source, err);
}

/* What the chosen search or model leaves without effect. */
static opevo_status check_idle(const ansor_settings *read, const opevo_setting_value *settings,
                               opevo_error *err)
{
    static const char *const idle[] = {
        [SEARCH_EVOLUTION] = "",
        [SEARCH_RANDOM] = ("generations mutation random measured warmup trees crossover retrain "
                           "model features updates"),
        [SEARCH_BEAM] = "generations mutation measured crossover",
    };
    static const char *const because[] = {
        [SEARCH_EVOLUTION] = "", [SEARCH_RANDOM] = "search=random", [SEARCH_BEAM] = "search=beam"};
    size_t count = sizeof settings_table / sizeof *settings_table;
    opevo_status status = opevo_i_tvm_refuse_idle(settings_table, count, settings,
                                                  idle[read->search], because[read->search], err);

    return status == OPEVO_OK ? opevo_i_tvm_model_check_settings(&read->plan.model, settings_table,
                                                                 count, settings, err)
                              : status;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    ansor_settings read = {.plan.of_programs = true};
    opevo_i_tvm_evolution_plan *plan = &read.plan;
    opevo_i_tvm_ansor *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the tuner ansor");
    OPEVO_SETTINGS_READ(settings_table, settings, &read);
    if (check_idle(&read, settings, err) != OPEVO_OK) {
        opevo_free(self);
        return OPEVO_INVALID;
    }
    if (read.search == SEARCH_RANDOM)
        plan->trees = 0;
    plan->population = thrifty(plan->population, &plan->model);
    self->minimum = read.minimum < plan->population ? read.minimum : plan->population;
    if (!opevo_i_tvm_evolution_init(&self->super, &searches[read.search], plan, space, rng) ||
        !allocate(self, space, &read)) {
        destroy(&self->super.super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner ansor.");
    }
    *out = &self->super.super;
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_ansor_ops = {
    .name = "ansor",
    .summary = "Ansor's evolutionary search, with sketches as branches of the space",
    .source = "Zheng et al., \"Ansor\", OSDI 2020, section 5; TVM v0.8, SketchPolicy",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .of_programs = true,
    .create = create,
    .ask = opevo_i_tvm_evolution_ask,
    .tell = opevo_i_tvm_evolution_tell,
    .destroy = destroy,
    .learn = opevo_i_tvm_evolution_learn,
    .observe = opevo_i_tvm_evolution_observe,
    .library = opevo_i_tvm_cost_model_library,
    .use_trees = use_trees,
    .learn_trees = opevo_i_tvm_evolution_learn_trees,
    .learn_model = opevo_i_tvm_evolution_learn_model,
};
