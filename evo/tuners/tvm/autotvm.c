/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `autotvm`: ModelBasedTuner and XGBTuner of TVM v0.6 with knob features. Every `plan` trials the
 * cost model is trained on all trials, an annealing looks for the points that it scores highest,
 * and the next trials are those, but for the last few of a plan, which are uniform.
 *
 * Deliberate deviations, all in docs/tuners/model-based.md: plans are whole, so that nothing
 * depends on the size of a measurement batch; constraints are known, as in later versions; features
 * are "knob" unless the objective has its own; the margin of earlier trials stands with its row. */

#include "autotvm_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <string.h>

#include "annealing_internal.h"
#include "rounds_internal.h"
#include "surrogate_internal.h"

/* Of XGBTuner's transfer from earlier trials; the half-life is the same for every plan. */
enum { EARLIER_ROUNDS = 400, EARLIER_PATIENCE = 100, HALF_LIFE = 64 };

typedef struct autotvm {
    opevo_tuner super;
    const opevo_space *space;
    size_t width;
    size_t plan, trees, chains, steps, diversity, history;
    unsigned loss, margin, acquisition;
    opevo_i_tvm_model_choice model;
    double random;
    opevo_rng rng;
    opevo_rng of_model; /* draws the first weights of a network */
    opevo_i_tvm_boosting boosting;
    opevo_i_rounds *rounds;
    opevo_i_tvm_annealing *annealing;
    opevo_i_tvm_surrogate *surrogate; /* made once the source of the features is known */

    opevo_index *best; /* what the annealing found; room for plan * max(1, diversity) */
    size_t best_count;
} autotvm;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("plan", autotvm, plan, 64, 1, 1024,
                    "trials between two trainings of the cost model", .batch = OPEVO_BATCH_FIXED),
    OPEVO_ROW_CHOICE("loss", autotvm, loss, "rank reg",
                     "what the model is trained for: the order of pairs, or the value"),
    OPEVO_ROW_COUNT("trees", autotvm, trees, 8000, 1, 8000,
                    "maximum number of trees of the cost model"),
    OPEVO_ROW_COUNT("chains", autotvm, chains, 128, 1, 4096, "chains of simulated annealing"),
    OPEVO_ROW_COUNT("steps", autotvm, steps, 500, 0, 100000, "maximum number of annealing steps"),
    OPEVO_ROW_REAL("random", autotvm, random, 0.05, 0, 1,
                   "share of a plan that is uniform, rounded down"),
    OPEVO_ROW_COUNT("diversity", autotvm, diversity, 0, 0, 64,
                    "choose a plan for diversity among this many plans; 0: off"),
    OPEVO_ROW_COUNT("history", autotvm, history, 500, 1, 1000000,
                    "smallest number of earlier trials to learn from"),
    OPEVO_ROW_CHOICE("margin", autotvm, margin, "intended shipped",
                     "predictions of earlier trials are assigned to their rows, or in the "
                     "published program's wrong order"),
    OPEVO_ROW_CHOICE("acquisition", autotvm, acquisition, "mean ei ucb",
                     "score of a point: the prediction, or the expected improvement or upper "
                     "confidence bound of five bootstrapped models; loss=reg"),
    OPEVO_I_MODEL_ROWS(autotvm, model),
};

static void destroy(opevo_tuner *tuner)
{
    autotvm *self = (autotvm *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_i_tvm_annealing_destroy(self->annealing);
    opevo_i_tvm_surrogate_destroy(self->surrogate);
    opevo_free(self->best);
    opevo_free(self);
}

static opevo_status check_settings(const autotvm *self, const opevo_setting_value *settings,
                                   opevo_error *err)
{
    if (self->acquisition != OPEVO_I_ACQUISITION_MEAN && self->loss == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "acquisition= needs predictions of values, and loss=rank gives orders: "
                          "use loss=reg.");
    return opevo_i_tvm_model_check_settings(&self->model, settings_table,
                                            sizeof settings_table / sizeof *settings_table,
                                            settings, err);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    autotvm *self = opevo_calloc(1, sizeof *self);
    size_t ratio = 0;

    OPEVO_NEED_OR_RETURN(self, "the tuner autotvm");
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->rng = *rng;
    opevo_i_tvm_model_stream(rng, &self->of_model);
    self->boosting = (opevo_i_tvm_boosting){
        .loss = self->loss == 0 ? OPEVO_I_LOSS_RANK : OPEVO_I_LOSS_SQUARED,
        .depth = 3,
        .gamma = 0.0001,
        .child_weight = 1,
        .eta = 0.3,
        .rounds = (unsigned)self->trees,
        .patience = 20,
        .stride = 1,
        .recall_size = self->plan,
        .histograms = opevo_space_is_wide(space),
    };
    ratio = self->diversity;
    if (check_settings(self, settings, err) != OPEVO_OK) {
        destroy(&self->super);
        return OPEVO_INVALID;
    }
    self->rounds = opevo_i_rounds_create(space);
    self->annealing = opevo_i_tvm_annealing_create(
        space, self->chains, self->steps / opevo_i_tvm_model_thrift(&self->model));
    self->best = opevo_malloc(self->plan * (ratio ? ratio : 1), sizeof *self->best);
    if (!self->rounds || !self->annealing || !self->best) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner autotvm.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- The cost model ---- */

static opevo_i_model_plan plan_of(autotvm *self, const opevo_i_tvm_boosting *boosting)
{
    return (opevo_i_model_plan){.loss = boosting->loss,
                                .rng = &self->of_model,
                                .updates = self->model.updates,
                                .boosting = boosting};
}

static opevo_status ensure_surrogate(autotvm *self, opevo_error *err)
{
    const opevo_i_tvm_surrogate_plan plan = {.choice = self->model,
                                             .features = self->super.features,
                                             .trees = self->super.trees,
                                             .how = plan_of(self, &self->boosting),
                                             .batch_most = self->chains,
                                             .acquisition =
                                                 (opevo_i_tvm_acquisition)self->acquisition};

    return self->surrogate
               ? OPEVO_OK
               : opevo_i_tvm_surrogate_create(self->space, &plan, &self->surrogate, err);
}

static opevo_status use_trees(opevo_tuner *tuner, const opevo_feature_source *source,
                              opevo_error *err)
{
    return opevo_i_tvm_model_check(&((autotvm *)tuner)->model, source, err);
}

static opevo_i_tvm_fit fit_of(autotvm *self)
{
    return (opevo_i_tvm_fit){
        .permutation = &self->rng,
        .margin = self->margin == 0 ? OPEVO_I_MARGIN_INTENDED : OPEVO_I_MARGIN_SHIPPED,
        .half_life = HALF_LIFE,
    };
}

/* How the model of earlier trials is trained; the boosting is put where the plan points to. */
static opevo_i_model_plan plan_of_earlier(autotvm *self, size_t count,
                                          opevo_i_tvm_boosting *boosting)
{
    opevo_i_model_plan how;

    *boosting = self->boosting;
    if (boosting->rounds > EARLIER_ROUNDS)
        boosting->rounds = EARLIER_ROUNDS;
    boosting->patience = EARLIER_PATIENCE;
    boosting->recall_size = 2 * self->plan;
    how = plan_of(self, boosting);
    how.updates = opevo_i_tvm_model_updates(&self->model, count);
    return how;
}

static opevo_status learn(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                          opevo_error *err)
{
    autotvm *self = (autotvm *)tuner;
    opevo_i_tvm_boosting boosting;
    opevo_i_model_plan how = plan_of_earlier(self, count, &boosting);
    opevo_i_tvm_fit fit = fit_of(self);
    opevo_status status = ensure_surrogate(self, err);

    if (status != OPEVO_OK || count < self->history)
        return status;
    return opevo_i_tvm_surrogate_learn(self->surrogate, &how, &fit, trials, count, err);
}

static opevo_status learn_trees(opevo_tuner *tuner, const opevo_earlier_tree *trees, size_t count,
                                opevo_error *err)
{
    autotvm *self = (autotvm *)tuner;
    opevo_i_tvm_boosting boosting;
    opevo_i_model_plan how = plan_of_earlier(self, count, &boosting);
    opevo_i_tvm_fit fit = fit_of(self);
    opevo_status status = opevo_i_tvm_model_check_transfer(&self->model, err);

    if (status == OPEVO_OK)
        status = ensure_surrogate(self, err);
    if (status != OPEVO_OK || count < self->history)
        return status;
    return opevo_i_tvm_surrogate_learn_trees(self->surrogate, &how, &fit, trees, count, err);
}

static opevo_status learn_model(opevo_tuner *tuner, const opevo_cost_model *stored,
                                opevo_error *err)
{
    autotvm *self = (autotvm *)tuner;
    const opevo_i_model_plan how = plan_of(self, &self->boosting);
    opevo_status status = ensure_surrogate(self, err);

    return status == OPEVO_OK ? opevo_i_tvm_surrogate_take(self->surrogate, &how, stored, err)
                              : status;
}

static opevo_status scores(void *context, const opevo_index *points, const opevo_index *vertices,
                           size_t count, float *out, opevo_error *err)
{
    return opevo_i_tvm_surrogate_predict(((autotvm *)context)->surrogate, points, vertices, count,
                                         out, err);
}

static bool proposed(void *context, opevo_index point)
{
    return opevo_i_rounds_has(((autotvm *)context)->rounds, point);
}

static opevo_status observe_round(autotvm *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds) && status == OPEVO_OK; i++)
        status =
            opevo_i_tvm_surrogate_observe(self->surrogate, opevo_i_rounds_point(self->rounds, i),
                                          opevo_i_rounds_fitness(self->rounds, i), err);
    return status;
}

/* ---- The plan ---- */

void opevo_i_tvm_pick_diverse(const opevo_index *vertices, size_t count, size_t width,
                              size_t wanted, size_t *chosen, size_t *scratch)
{
    enum { TAKEN, NEW };
    size_t *gains = scratch;
    size_t *is_new = scratch + count; /* `width` for each candidate */

    for (size_t i = 0; i < count; i++)
        gains[i] = width + 1; /* 0 once chosen */
    for (size_t i = 0; i < count * width; i++)
        is_new[i] = NEW;
    for (size_t n = 0; n < wanted; n++) {
        size_t best = 0;

        for (size_t i = 1; i < count; i++) {
            if (gains[i] > gains[best])
                best = i;
        }
        chosen[n] = best;
        gains[best] = 0;
        for (size_t i = 0; i < count * width; i++) {
            if (is_new[i] == TAKEN || vertices[i] != vertices[best * width + i % width])
                continue;
            is_new[i] = TAKEN;
            if (gains[i / width])
                gains[i / width]--;
        }
    }
}

/* Leave the `plan` most diverse of the best points, in the order chosen. */
static opevo_status filter(autotvm *self, opevo_error *err)
{
    size_t count = self->best_count;
    size_t wanted = count < self->plan ? count : self->plan;
    opevo_index *points = opevo_malloc(count, sizeof *points);
    opevo_index *vertices = opevo_malloc(count, self->width * sizeof *vertices);
    size_t *scratch = opevo_malloc(count, (self->width + 2) * sizeof *scratch);
    opevo_status status = OPEVO_OK;

    if (points && vertices && scratch) {
        memcpy(points, self->best, count * sizeof *points);
        for (size_t i = 0; i < count; i++)
            opevo_space_decode(self->space, points[i], vertices + i * self->width);
        opevo_i_tvm_pick_diverse(vertices, count, self->width, wanted, scratch, scratch + count);
        for (size_t i = 0; i < wanted; i++)
            self->best[i] = points[scratch[i]];
        self->best_count = wanted;
    } else {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to choose among %zu points.", count);
    }
    opevo_free(points);
    opevo_free(vertices);
    opevo_free(scratch);
    return status;
}

static opevo_status search(autotvm *self, opevo_error *err)
{
    /* The rank loss of a network leaves open where its scores are 0. */
    const opevo_i_tvm_annealing_goal goal = {
        .scores = scores,
        .excludes = proposed,
        .context = self,
        .least = opevo_i_tvm_model_of(&self->model)->reads_trees ? -FLT_MAX : 0,
        .numbers = opevo_i_tvm_surrogate_needs_numbers(self->surrogate)};
    size_t ratio = self->diversity;
    opevo_status status =
        opevo_i_tvm_annealing_search(self->annealing, &goal, self->plan * (ratio ? ratio : 1),
                                     &self->rng, self->best, &self->best_count, err);

    if (status == OPEVO_OK && ratio)
        status = filter(self, err);
    return status;
}

/* Find the best points to try, if the model has something to say. */
static opevo_status make_plan(autotvm *self, opevo_error *err)
{
    size_t count = opevo_i_tvm_surrogate_count(self->surrogate);
    opevo_i_tvm_fit fit = fit_of(self);
    opevo_status status = OPEVO_OK;

    self->best_count = 0;
    if (count > 0 && opevo_i_tvm_surrogate_best(self->surrogate) > 0)
        status = opevo_i_tvm_surrogate_fit(self->surrogate, &fit, err);
    if (status == OPEVO_OK && opevo_i_tvm_surrogate_is_ready(self->surrogate))
        status = search(self, err);
    return status;
}

/* Fill the round: what was found but for the last places, then uniform points. */
static opevo_status make_round(autotvm *self, opevo_error *err)
{
    size_t random = (size_t)(self->random * (double)self->plan);
    size_t planned = self->best_count > random ? self->best_count - random : 0;
    const char *exhausted = NULL;
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    for (size_t i = 0; i < planned && status == OPEVO_OK; i++)
        status = opevo_i_rounds_add(self->rounds, self->best[i], "model", err);
    while (status == OPEVO_OK && !exhausted && opevo_i_rounds_count(self->rounds) < self->plan)
        status = opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", &exhausted, err);
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = exhausted;
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    autotvm *self = (autotvm *)tuner;
    opevo_status status = OPEVO_OK;

    while (opevo_i_rounds_complete(self->rounds) && !tuner->reason) {
        OPEVO_TRY(ensure_surrogate(self, err));
        OPEVO_TRY(observe_round(self, err));
        OPEVO_TRY(make_plan(self, err));
        OPEVO_TRY(make_round(self, err));
    }
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
cleanup:
    return status;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    return opevo_i_rounds_tell(((autotvm *)tuner)->rounds, trials, count, err);
}

/* They are among the first uniform points. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    return opevo_i_rounds_begin_with(((autotvm *)tuner)->rounds, trials, count, err);
}

const opevo_tuner_ops opevo_i_autotvm_ops = {
    .name = "autotvm",
    .summary = "boosted trees on knob features, searched by simulated annealing",
    .source = "Chen et al., \"Learning to Optimize Tensor Programs\", NeurIPS 2018; TVM v0.6, "
              "XGBTuner",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
    .learn = learn,
    .library = opevo_i_tvm_cost_model_library,
    .use_trees = use_trees,
    .learn_trees = learn_trees,
    .learn_model = learn_model,
};
