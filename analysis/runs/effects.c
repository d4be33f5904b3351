/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Levels first, then marginal means, then the model. With the indicators Z_v of the levels of v and
 * their covariance G_v the trials have the covariance s^2 K, K = r sum_v Z_v G_v Z_v' + I with
 * r = t^2 / s^2, and the effect of v the posterior
 *
 *     mean = r G Z' K^-1 y,   covariance = s^2 (r G - r^2 G Z' K^-1 Z G),   s^2 = y' K^-1 y / n. */

#include <opevo/effects.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = 16,      /* of an ordered component, at most */
    FEWEST_TRIALS = 8 /* for a model */
};
#define NORMAL_975 1.959963984540054 /* quantile of the normal distribution: of 95 % intervals */
#define NONE SIZE_MAX                /* the level of a trial in which the parameter is inactive */

/* The likeliest of these r is taken. */
static const double ratios[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};

/* A component: the level of each trial, and what levels are. */
typedef struct variable {
    size_t parameter, component;
    bool ordered;
    size_t *level; /* by trial */
    opevo_effect effect;
} variable;

typedef struct work {
    const opevo_space *space;
    size_t trials;
    opevo_index *vertices; /* trial after trial */
    double *fitness, *y;   /* y: ln f minus its mean */
    variable *variables;
    size_t count;
    gsl_matrix *covariance, *inverse; /* K and K^-1 */
    gsl_vector *weights;              /* K^-1 y */
    double ratio, noise;              /* r and s^2 */
} work;

static void release(work *self)
{
    for (size_t v = 0; v < self->count; v++) {
        opevo_free(self->variables[v].level);
        opevo_free(self->variables[v].effect.levels);
    }
    opevo_free(self->variables);
    opevo_free(self->vertices);
    opevo_free(self->fitness);
    opevo_free(self->y);
    gsl_matrix_free(self->covariance);
    gsl_matrix_free(self->inverse);
    gsl_vector_free(self->weights);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static opevo_status take_trials(work *self, const opevo_index *points, const double *fitness,
                                size_t count, opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(self->space);
    size_t used = count < OPEVO_EFFECTS_TRIALS ? count : OPEVO_EFFECTS_TRIALS;
    double mean = 0;

    self->trials = used;
    self->vertices = opevo_malloc(used * parameters + 1, sizeof *self->vertices);
    self->fitness = opevo_malloc(used + 1, sizeof *self->fitness);
    self->y = opevo_malloc(used + 1, sizeof *self->y);
    OPEVO_NEED_OR_RETURN(self->vertices && self->fitness && self->y, "the effects of parameters");
    for (size_t i = 0; i < used; i++) {
        size_t from = used < count ? i * count / used : i;

        opevo_space_decode(self->space, points[from], self->vertices + i * parameters);
        self->fitness[i] = fitness[from];
        self->y[i] = log(fitness[from]);
        mean += self->y[i] / (double)used;
    }
    for (size_t i = 0; i < used; i++)
        self->y[i] -= mean;
    return OPEVO_OK;
}

/* ---- Levels --------------------------------------------------------------------------------- */

typedef struct tried {
    opevo_value value;
    size_t trial;
} tried;

static int by_value(const void *a, const void *b)
{
    const tried *x = a, *y = b;
    int order = opevo_value_compare(x->value, y->value);

    return order ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

/* The value of the component in each trial in which it is active, in order. */
static opevo_status gather(const work *self, const variable *one, tried *out, size_t *count,
                           opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->space, one->parameter);
    size_t parameters = opevo_space_parameter_count(self->space);
    opevo_value *values = opevo_malloc(opevo_parameter_arity(parameter), sizeof *values);

    OPEVO_NEED_OR_RETURN(values, "the effects of parameters");
    *count = 0;
    for (size_t i = 0; i < self->trials; i++) {
        opevo_index vertex = self->vertices[i * parameters + one->parameter];

        one->level[i] = NONE;
        if (vertex == OPEVO_INACTIVE)
            continue;
        opevo_parameter_value(parameter, vertex, values);
        out[(*count)++] = (tried){values[one->component], i};
    }
    opevo_free(values);
    qsort(out, *count, sizeof *out, by_value);
    return OPEVO_OK;
}

static void print_label(const opevo_value *first, const opevo_value *last, char *out, size_t size)
{
    opevo_text text = {0};

    opevo_value_print(&text, *first);
    if (opevo_value_compare(*first, *last) != 0) {
        opevo_text_add(&text, " to ");
        opevo_value_print(&text, *last);
    }
    snprintf(out, size, "%s", opevo_text_string(&text));
    opevo_text_free(&text);
}

/* Cut the sorted values into levels: one for each value, or groups of about as many trials. */
static opevo_status cut(variable *one, const tried *sorted, size_t count, opevo_error *err)
{
    opevo_effect *effect = &one->effect;
    size_t distinct = count > 0, per_level = 0, first = 0;

    for (size_t i = 1; i < count; i++)
        distinct += opevo_value_compare(sorted[i].value, sorted[i - 1].value) != 0;
    if (one->ordered && distinct > LEVELS)
        per_level = (count + LEVELS - 1) / LEVELS;
    OPEVO_NEW_OR_RETURN(effect->levels, distinct + 1, "the effects of parameters");
    for (size_t i = 0; i < count; i++) {
        bool last =
            i + 1 == count || opevo_value_compare(sorted[i].value, sorted[i + 1].value) != 0;

        one->level[sorted[i].trial] = effect->level_count;
        if (!last || (i + 1 < count && i + 1 - first < per_level))
            continue;
        print_label(&sorted[first].value, &sorted[i].value,
                    effect->levels[effect->level_count].label,
                    sizeof effect->levels[effect->level_count].label);
        effect->level_count++;
        first = i + 1;
    }
    return OPEVO_OK;
}

static void name(const opevo_parameter *parameter, size_t component, char *out, size_t size)
{
    const char *own = opevo_parameter_component_name(parameter, component);

    if (own)
        snprintf(out, size, "%s", own);
    else if (opevo_parameter_arity(parameter) > 1)
        snprintf(out, size, "%s[%zu]", opevo_parameter_name(parameter), component);
    else
        snprintf(out, size, "%s", opevo_parameter_name(parameter));
}

/* Marginal means of the levels. */
static void average(const work *self, opevo_effect *effect, const size_t *level)
{
    for (size_t k = 0; k < effect->level_count; k++) {
        opevo_effect_level *one = &effect->levels[k];
        double sum = 0, squares = 0, half = 0;

        one->mean = one->mean_low = one->mean_high = NAN;
        one->model = one->model_low = one->model_high = NAN;
        for (size_t i = 0; i < self->trials; i++) {
            if (level[i] != k)
                continue;
            one->trials++;
            one->best = fmax(one->best, self->fitness[i]);
            sum += self->y[i];
        }
        one->mean = sum / (double)one->trials;
        for (size_t i = 0; i < self->trials; i++)
            squares += level[i] == k ? pow(self->y[i] - one->mean, 2) : 0;
        if (one->trials < 2)
            continue;
        half = gsl_cdf_tdist_Pinv(0.975, (double)one->trials - 1) *
               sqrt(squares / (double)(one->trials - 1) / (double)one->trials);
        one->mean_low = one->mean - half;
        one->mean_high = one->mean + half;
    }
}

/* Take a component if it has had two values. */
static opevo_status add_variable(work *self, size_t parameter, size_t component, tried *scratch,
                                 opevo_error *err)
{
    const opevo_parameter *of = opevo_space_parameter(self->space, parameter);
    variable *one = &self->variables[self->count];
    opevo_status status = OPEVO_OK;
    size_t count = 0;

    *one = (variable){.parameter = parameter,
                      .component = component,
                      .level = opevo_malloc(self->trials + 1, sizeof *one->level),
                      .effect.importance = NAN};
    self->count++;
    OPEVO_NEED_OR_RETURN(one->level, "the effects of parameters");
    OPEVO_TRY(gather(self, one, scratch, &count, err));
    one->ordered = count && isfinite(opevo_value_number(scratch[0].value)) &&
                   opevo_parameter_family(of) != OPEVO_FAMILY_TRANSPOSITIONS;
    OPEVO_TRY(cut(one, scratch, count, err));
    name(of, component, one->effect.name, sizeof one->effect.name);
    average(self, &one->effect, one->level);
    if (one->effect.level_count < 2) {
        opevo_free(one->level);
        opevo_free(one->effect.levels);
        self->count--;
    }
cleanup:
    return status;
}

static opevo_status find_variables(work *self, opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(self->space), most = 0;
    tried *scratch = opevo_malloc(self->trials + 1, sizeof *scratch);
    opevo_status status = OPEVO_OK;

    for (size_t p = 0; p < parameters; p++)
        most += opevo_parameter_arity(opevo_space_parameter(self->space, p));
    self->variables = opevo_calloc(most + 1, sizeof *self->variables);
    if (!scratch || !self->variables)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the effects of parameters.");
    for (size_t p = 0; p < parameters && status == OPEVO_OK; p++) {
        size_t arity = opevo_parameter_arity(opevo_space_parameter(self->space, p));

        for (size_t c = 0; c < arity && status == OPEVO_OK; c++)
            status = add_variable(self, p, c, scratch, err);
    }
    opevo_free(scratch);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------ */

static double covariance(const variable *one, size_t a, size_t b)
{
    if (one->ordered)
        return exp(-fabs((double)a - (double)b) / 2);
    return a == b ? 1 : 0;
}

/* sum_v Z_v G_v Z_v' between two trials. */
static double similarity(const work *self, size_t i, size_t k)
{
    double sum = 0;

    for (size_t v = 0; v < self->count; v++) {
        const variable *one = &self->variables[v];

        if (one->level[i] != NONE && one->level[k] != NONE)
            sum += covariance(one, one->level[i], one->level[k]);
    }
    return sum;
}

/* K of a ratio, decomposed into `inverse`, and K^-1 y; its log marginal likelihood, up to a
 * constant; -INFINITY if it has none. */
static double fit(work *self, double ratio)
{
    size_t n = self->trials;
    gsl_vector_view y = gsl_vector_view_array(self->y, n);
    double quadratic = 0, logarithm = 0;

    gsl_matrix_memcpy(self->inverse, self->covariance);
    gsl_matrix_scale(self->inverse, ratio);
    for (size_t i = 0; i < n; i++)
        *gsl_matrix_ptr(self->inverse, i, i) += 1;
    if (gsl_linalg_cholesky_decomp1(self->inverse) != GSL_SUCCESS ||
        gsl_linalg_cholesky_solve(self->inverse, &y.vector, self->weights) != GSL_SUCCESS)
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        quadratic += self->y[i] * gsl_vector_get(self->weights, i);
        logarithm += log(gsl_matrix_get(self->inverse, i, i));
    }
    self->ratio = ratio;
    self->noise = quadratic / (double)n;
    return -(double)n / 2 * log(self->noise) - logarithm;
}

/* Takes the likeliest ratio and inverts its K; false if no K can be inverted. */
static bool choose(work *self)
{
    double best = -INFINITY, ratio = 0;

    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        double likelihood = fit(self, ratios[i]);

        if (likelihood > best) {
            best = likelihood;
            ratio = ratios[i];
        }
    }
    return ratio > 0 && isfinite(fit(self, ratio)) &&
           gsl_linalg_cholesky_invert(self->inverse) == GSL_SUCCESS;
}

/* Z' K^-1 Z (levels x levels) and Z' K^-1 y of a variable. */
static void project(const work *self, const variable *one, double *matrix, double *vector)
{
    size_t levels = one->effect.level_count;

    memset(matrix, 0, levels * levels * sizeof *matrix);
    memset(vector, 0, levels * sizeof *vector);
    for (size_t i = 0; i < self->trials; i++) {
        if (one->level[i] == NONE)
            continue;
        vector[one->level[i]] += gsl_vector_get(self->weights, i);
        for (size_t k = 0; k < self->trials; k++) {
            if (one->level[k] != NONE)
                matrix[one->level[i] * levels + one->level[k]] +=
                    gsl_matrix_get(self->inverse, i, k);
        }
    }
}

/* Row `a` of the operator C r G that takes the projections to centred effects, C = I - 1 w' with
 * the shares w of the levels among the trials. */
static void centre(const work *self, const variable *one, size_t a, double *row)
{
    size_t levels = one->effect.level_count;
    double active = 0;

    for (size_t k = 0; k < levels; k++)
        active += (double)one->effect.levels[k].trials;
    for (size_t b = 0; b < levels; b++) {
        double mean = 0;

        for (size_t k = 0; k < levels; k++)
            mean += (double)one->effect.levels[k].trials / active * covariance(one, k, b);
        row[b] = self->ratio * (covariance(one, a, b) - mean);
    }
}

/* c' G c r of the centring c of level `a`: what the variance is before any trial. */
static double prior(const variable *one, size_t a, const double *row)
{
    size_t levels = one->effect.level_count;
    double active = 0, mean = 0;

    for (size_t k = 0; k < levels; k++)
        active += (double)one->effect.levels[k].trials;
    for (size_t k = 0; k < levels; k++)
        mean += (double)one->effect.levels[k].trials / active * row[k];
    return row[a] - mean;
}

static void judge(const work *self, variable *one, const double *matrix, const double *vector,
                  double *row, double variance)
{
    size_t levels = one->effect.level_count;
    double sum = 0;

    for (size_t a = 0; a < levels; a++) {
        opevo_effect_level *level = &one->effect.levels[a];
        double mean = 0, known = 0, half = 0;

        centre(self, one, a, row);
        for (size_t b = 0; b < levels; b++) {
            mean += row[b] * vector[b];
            for (size_t c = 0; c < levels; c++)
                known += row[b] * matrix[b * levels + c] * row[c];
        }
        half = NORMAL_975 * sqrt(fmax(0, self->noise * (prior(one, a, row) - known)));
        level->model = mean;
        level->model_low = mean - half;
        level->model_high = mean + half;
        sum += (double)level->trials * mean * mean;
    }
    one->effect.importance = sum / variance;
}

/* The share of the variance that all effects together explain. */
static double explained(const work *self, double variance)
{
    double residual = 0;

    for (size_t i = 0; i < self->trials; i++) /* y - (K - I) K^-1 y = K^-1 y */
        residual += pow(gsl_vector_get(self->weights, i), 2);
    return fmax(0, 1 - residual / variance);
}

static opevo_status model(work *self, double *share, opevo_error *err)
{
    size_t n = self->trials, most = 0;
    double variance = 0;
    double *matrix = NULL, *vector = NULL, *row = NULL;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < n; i++)
        variance += self->y[i] * self->y[i];
    if (n < FEWEST_TRIALS || !self->count || !(variance > 1e-18 * (double)n))
        return OPEVO_OK;
    for (size_t v = 0; v < self->count; v++)
        most = self->variables[v].effect.level_count > most ? self->variables[v].effect.level_count
                                                            : most;
    self->covariance = gsl_matrix_alloc(n, n);
    self->inverse = gsl_matrix_alloc(n, n);
    self->weights = gsl_vector_alloc(n);
    matrix = opevo_malloc(most * most, sizeof *matrix);
    vector = opevo_malloc(most, sizeof *vector);
    row = opevo_malloc(most, sizeof *row);
    OPEVO_NEED(self->covariance && self->inverse && self->weights && matrix && vector && row,
               "the effects of parameters");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            gsl_matrix_set(self->covariance, i, k, similarity(self, i, k));
    }
    if (!choose(self))
        goto cleanup;
    *share = explained(self, variance);
    for (size_t v = 0; v < self->count; v++) {
        project(self, &self->variables[v], matrix, vector);
        judge(self, &self->variables[v], matrix, vector, row, variance);
    }
cleanup:
    opevo_free(matrix);
    opevo_free(vector);
    opevo_free(row);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------ */

/* Without a model in the order of the space. */
static int by_importance(const void *a, const void *b)
{
    const variable *x = a, *y = b;

    if (x->effect.importance != y->effect.importance && isfinite(x->effect.importance))
        return x->effect.importance < y->effect.importance ? 1 : -1;
    if (x->parameter != y->parameter)
        return x->parameter < y->parameter ? -1 : 1;
    return (x->component > y->component) - (x->component < y->component);
}

opevo_status opevo_effects_create(const opevo_space *space, const opevo_index *points,
                                  const double *fitness, size_t count, opevo_effects **out,
                                  opevo_error *err)
{
    work self = {.space = space};
    opevo_effects *made = opevo_calloc(1, sizeof *made);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(made, "the effects of parameters");
    made->explained = NAN;
    OPEVO_TRY(take_trials(&self, points, fitness, count, err));
    OPEVO_TRY(find_variables(&self, err));
    OPEVO_TRY(model(&self, &made->explained, err));
    qsort(self.variables, self.count, sizeof *self.variables, by_importance);
    made->trials = self.trials;
    OPEVO_NEW(made->effects, self.count + 1, "the effects of parameters");
    for (size_t v = 0; v < self.count; v++) {
        made->effects[made->count++] = self.variables[v].effect;
        self.variables[v].effect.levels = NULL; /* handed over */
    }
    *out = made;
    made = NULL;
cleanup:
    release(&self);
    opevo_effects_destroy(made);
    return status;
}

void opevo_effects_destroy(opevo_effects *effects)
{
    if (!effects)
        return;
    for (size_t i = 0; effects->effects && i < effects->count; i++)
        opevo_free(effects->effects[i].levels);
    opevo_free(effects->effects);
    opevo_free(effects);
}
