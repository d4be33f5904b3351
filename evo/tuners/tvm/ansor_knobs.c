/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `ansor-knobs`: the evolutionary search of Ansor (TVM v0.8, auto_scheduler's sketch policy) with
 * its constants, over the parameters of a fixed space. It is not Ansor: that searches programs,
 * which it generates, and scores each of their statements; here the genome is a point and its row
 * of knob features. Every `batch` trials the cost model is trained; then a population of random and
 * of measured points is bred for some generations by the model's scores alone, and the best points
 * met are measured, with a few random ones.
 *
 * Deliberate deviations: moving a factor between two places of a factorisation stands for Ansor's
 * mutation of tile sizes, without its bound of 64 on the innermost, and re-drawing another
 * parameter for its mutation of the unrolling; where a space has only one of the two kinds, that
 * one has all the weight. As released, and unlike the paper, there is no crossover. A batch that
 * would be empty is filled with uniform points; Ansor stops. */

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <string.h>

#include "evolution_internal.h"
#include "tiling_internal.h"
#include "untried_internal.h"

#define TILE_WEIGHT 0.9 /* share of mutations that move a factor */
#define RETRAIN                                                                                    \
    0.3 /* in wide spaces and those drawn from diagrams, whose trees are slow to grow:
                               new trials of a training, as a share of those of the last */

static const opevo_setting settings_table[] = {OPEVO_I_EVOLUTION_ROWS};

typedef struct knobs {
    opevo_i_tvm_evolution super;
    opevo_i_tvm_tiling *tilings;
    size_t tiling_count;
    size_t *others; /* parameters of several values that are not factorisations */
    size_t other_count;
} knobs;

static void destroy(opevo_tuner *tuner)
{
    knobs *self = (knobs *)tuner;

    opevo_i_tvm_evolution_release(&self->super);
    opevo_free(self->tilings);
    opevo_free(self->others);
    opevo_free(self);
}

static void sort_parameters(knobs *self)
{
    for (size_t i = 0; i < self->super.width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(self->super.space, i);

        if (opevo_parameter_size(parameter) == 1)
            continue;
        if (opevo_i_tvm_tiling_of(parameter, &self->tilings[self->tiling_count]))
            self->tilings[self->tiling_count++].place = i;
        else
            self->others[self->other_count++] = i;
    }
}

/* Random points, none twice. */
static opevo_status sample(opevo_i_tvm_evolution *self, opevo_error *err)
{
    opevo_i_untried *fresh = opevo_i_untried_create(self->space);
    opevo_status status = OPEVO_OK;
    const char *exhausted = NULL;

    OPEVO_NEED_OR_RETURN(fresh, "a population");
    for (self->now_count = 0; self->now_count < self->plan.population && !exhausted;) {
        OPEVO_TRY(opevo_i_untried_draw(fresh, NULL, &self->rng, &self->points[self->now_count],
                                       &exhausted, err));
        self->now_count += !exhausted;
    }
    for (size_t i = 0; i < self->now_count; i++)
        opevo_space_decode(self->space, self->points[i], self->vertices + i * self->width);
cleanup:
    opevo_i_untried_destroy(fresh);
    return status;
}

/* Whether the mutated point is allowed. */
static bool mutate(opevo_i_tvm_evolution *evolution, opevo_index *vertices, opevo_index *point)
{
    knobs *self = (knobs *)evolution;
    bool tile = self->tiling_count > 0;

    if (opevo_space_is_sparse(evolution->space))
        return opevo_i_tvm_evolution_step(evolution, vertices, point);

    if (tile && self->other_count > 0)
        tile = opevo_rng_unit(&evolution->rng) < TILE_WEIGHT;
    if (tile) {
        const opevo_i_tvm_tiling *one =
            &self->tilings[opevo_rng_below(&evolution->rng, self->tiling_count)];

        opevo_i_tvm_tiling_move(one, opevo_space_parameter(evolution->space, one->place), 0,
                                &evolution->rng, &vertices[one->place]);
    } else if (self->other_count > 0) {
        size_t i = self->others[opevo_rng_below(&evolution->rng, self->other_count)];

        vertices[i] = opevo_rng_below_wide(
            &evolution->rng, opevo_parameter_size(opevo_space_parameter(evolution->space, i)));
    }
    return opevo_i_tvm_evolution_allows(evolution, vertices, point);
}

static const opevo_i_tvm_evolution_ways ways = {.sample = sample, .mutate = mutate};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    opevo_i_tvm_evolution_plan plan = {.population = 0};
    knobs *self = opevo_calloc(1, sizeof *self);
    size_t width = opevo_space_parameter_count(space);

    OPEVO_NEED_OR_RETURN(self, "the tuner ansor-knobs");
    OPEVO_SETTINGS_READ(settings_table, settings, &plan);
    plan.retrain = opevo_space_is_wide(space) || opevo_space_draws_from(space) ? RETRAIN : 0;
    self->tilings = opevo_calloc(width, sizeof *self->tilings);
    self->others = opevo_calloc(width, sizeof *self->others);
    if (!opevo_i_tvm_evolution_init(&self->super, &ways, &plan, space, rng) || !self->tilings ||
        !self->others) {
        destroy(&self->super.super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner ansor-knobs.");
    }
    sort_parameters(self);
    *out = &self->super.super;
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_ansor_knobs_ops = {
    .name = "ansor-knobs",
    .summary = "evolution by the scores of boosted trees, in the style of Ansor, over parameters",
    .source = "after Zheng et al., \"Ansor\", OSDI 2020, section 5; TVM v0.8, SketchPolicy",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .create = create,
    .ask = opevo_i_tvm_evolution_ask,
    .tell = opevo_i_tvm_evolution_tell,
    .destroy = destroy,
    .observe = opevo_i_tvm_evolution_observe,
    .library = opevo_i_tvm_cost_model_library,
};
