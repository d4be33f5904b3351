/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Boosted trees through the C interface of XGBoost. Features are read in place, from a matrix of
 * ours that the library is pointed to by a text, so the text is kept as long as the matrix stays
 * where it is. */

#include "cost_model_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rank_pairs_internal.h"
#include "xgboost_internal.h"

enum { TEXT_SIZE = 256 };

struct opevo_i_tvm_cost_model {
    opevo_i_tvm_boosting boosting;
    size_t width;
    const opevo_i_tvm_xgboost *library; /* open from the first training on */
    BoosterHandle booster;              /* NULL before it */
    unsigned rounds;
    double score;

    const float *seen_at; /* the matrix that `seen` describes to the library */
    size_t seen_count;
    char seen[TEXT_SIZE];

    opevo_i_tvm_rank_pairs *pairs; /* of the candidates in training; NULL with another loss */
    float *first, *second; /* their gradients and second derivatives, then those of their rows;
                                  NULL where the library works them out */
    float *scores;         /* of candidates with several rows, or predictions of these */
    size_t score_capacity;

    size_t *above; /* of the candidates trained on, and as many numbers of scratch */
    size_t above_capacity;
    size_t *scratch; /* of the average recall */
};

opevo_i_tvm_cost_model *opevo_i_tvm_cost_model_create(size_t width,
                                                      const opevo_i_tvm_boosting *boosting)
{
    opevo_i_tvm_cost_model *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->boosting = *boosting;
    self->width = width;
    self->scratch = opevo_malloc(2 * boosting->recall_size + 1, sizeof *self->scratch);
    if (!self->scratch) {
        opevo_i_tvm_cost_model_destroy(self);
        return NULL;
    }
    return self;
}

static void forget(opevo_i_tvm_cost_model *self)
{
    if (self->booster)
        self->library->XGBoosterFree(self->booster);
    self->booster = NULL;
}

void opevo_i_tvm_cost_model_destroy(opevo_i_tvm_cost_model *model)
{
    if (!model)
        return;
    forget(model);
    opevo_free(model->scores);
    opevo_free(model->above);
    opevo_free(model->scratch);
    opevo_free(model);
}

bool opevo_i_tvm_cost_model_is_trained(const opevo_i_tvm_cost_model *model)
{
    return model->booster != NULL;
}

unsigned opevo_i_tvm_cost_model_rounds(const opevo_i_tvm_cost_model *model)
{
    return model->rounds;
}

double opevo_i_tvm_cost_model_score(const opevo_i_tvm_cost_model *model)
{
    return model->score;
}

/* What a call of the library returned, as a status. */
static opevo_status checked(const opevo_i_tvm_cost_model *self, int code, opevo_error *err)
{
    const char *message = NULL;

    if (code == 0)
        return OPEVO_OK;
    message = self->library->XGBGetLastError();
    OPEVO_NEED_OR_RETURN(!strstr(message, "bad_alloc"), "XGBoost's trees");
    return OPEVO_FAIL(err, OPEVO_LIMIT, "XGBoost failed: %s", message);
}

/* Where the library finds rows of numbers: NumPy's array interface, as JSON. */
static void describe(const float *rows, size_t count, size_t width, char *text)
{
    snprintf(text, TEXT_SIZE,
             "{\"data\": [%zu, true], \"strides\": null, \"descr\": [[\"\", \"<f4\"]],"
             " \"typestr\": \"<f4\", \"shape\": [%zu, %zu], \"version\": 3}",
             (size_t)rows, count, width);
}

/* ---- The score at which to stop ---- */

void opevo_i_tvm_rank_labels(const float *labels, size_t count, size_t *order, size_t *above)
{
    /* Shell sort, by falling label. */
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t gap = count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            size_t row = order[i];
            size_t at = i;

            for (; at >= gap && labels[order[at - gap]] < labels[row]; at -= gap)
                order[at] = order[at - gap];
            order[at] = row;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && !(labels[order[i]] < labels[order[i - 1]]);

        above[order[i]] = same ? above[order[i - 1]] : i;
    }
}

/* The `size` rows of the largest predictions, in their order, into `top`. */
static size_t select_top(const float *predictions, size_t count, size_t size, size_t *top)
{
    size_t kept = 0;

    for (size_t row = 0; row < count; row++) {
        size_t at = kept;

        if (kept == size && predictions[row] < predictions[top[kept - 1]])
            continue;
        if (kept == size)
            at--;
        else
            kept++;
        for (; at > 0 && predictions[top[at - 1]] <= predictions[row]; at--)
            top[at] = top[at - 1];
        top[at] = row;
    }
    return kept;
}

double opevo_i_tvm_average_recall(const float *predictions, const size_t *above, size_t count,
                                  size_t size, size_t *scratch)
{
    size_t *top = scratch;
    size_t *begins = scratch + size; /* begins[i]: places that count from the sum of i on */
    size_t kept = select_top(predictions, count, size, top);
    size_t counted = 0;
    double sum = 0;

    memset(begins, 0, (size + 1) * sizeof *begins);
    for (size_t j = 0; j < kept; j++) {
        size_t rank = above[top[j]];
        size_t begin = 0;

        for (size_t k = 0; k < j; k++)
            rank += above[top[k]] == above[top[j]];
        begin = rank > j + 1 ? rank : j + 1;
        begins[begin < size ? begin : size]++;
    }
    for (size_t i = 0; i < kept; i++) {
        counted += begins[i];
        sum += (double)counted / (double)(i + 1);
    }
    return sum / (double)size;
}

/* ---- Rows of a candidate ---- */

/* What each row but the first of a candidate does not add to its score. */
static float repeated_base(const opevo_i_tvm_cost_model *self)
{
    return self->boosting.by_rows ? 0 : OPEVO_I_BASE_SCORE;
}

/* From the predictions of all rows to the scores of their candidates; both may be one array. */
static void sum_rows(const opevo_i_tvm_cost_model *self, const float *predictions,
                     const size_t *rows, size_t count, float *scores)
{
    float base = repeated_base(self);

    for (size_t i = 0; i < count; i++) {
        float score = *predictions++;

        for (size_t r = 1; r < rows[i]; r++)
            score += *predictions++ - base;
        scores[i] = score;
    }
}

/* From a number for each candidate to one for each row, in place. */
static void spread(float *numbers, const size_t *rows, size_t count)
{
    size_t at = opevo_i_model_row_count(rows, count);

    for (size_t i = count; i-- > 0;) {
        float number = numbers[i];

        for (size_t r = 0; r < rows[i]; r++)
            numbers[--at] = number;
    }
}

static void spread_both(const opevo_i_model_samples *samples, float *first, float *second)
{
    if (!samples->rows)
        return;
    spread(first, samples->rows, samples->count);
    spread(second, samples->rows, samples->count);
}

/* `rows`: how often each counts; NULL: once. */
static double mean_square(const float *predictions, const float *labels, const size_t *rows,
                          size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double difference = (double)predictions[i] - (double)labels[i];

        sum += difference * difference * (rows ? (double)rows[i] : 1);
    }
    return sum / (double)opevo_i_model_row_count(rows, count);
}

/* ---- Training ---- */

static opevo_status set_number(const opevo_i_tvm_cost_model *self, BoosterHandle booster,
                               const char *name, double value, opevo_error *err)
{
    char text[32];

    snprintf(text, sizeof text, "%.9g", value);
    return checked(self, self->library->XGBoosterSetParam(booster, name, text), err);
}

/* With the rank loss, too, the objective is the squared error, which leaves predictions as the
 * trees make them; its gradients are then not asked for. */
static opevo_status configure(const opevo_i_tvm_cost_model *self, BoosterHandle booster,
                              opevo_error *err)
{
    const opevo_i_tvm_boosting *how = &self->boosting;
    const opevo_i_tvm_xgboost *library = self->library;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"verbosity", 0},
        {"nthread", 1},
        {"max_depth", how->depth},
        {"gamma", how->gamma},
        {"min_child_weight", how->child_weight},
        {"eta", how->eta},
        {"lambda", 1},
        {"alpha", 0},
        {"subsample", 1},
        {"base_score", (double)OPEVO_I_BASE_SCORE},
    };
    opevo_status status =
        checked(self, library->XGBoosterSetParam(booster, "objective", "reg:squarederror"), err);

    if (status == OPEVO_OK)
        status = checked(
            self,
            library->XGBoosterSetParam(booster, "tree_method", how->histograms ? "hist" : "exact"),
            err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == OPEVO_OK; i++)
        status = set_number(self, booster, numbers[i].name, numbers[i].value, err);
    return status;
}

/* What the trees so far say of the candidates trained on; the library keeps it up to date. */
static opevo_status predict_training(opevo_i_tvm_cost_model *self, BoosterHandle booster,
                                     DMatrixHandle matrix, const opevo_i_model_samples *samples,
                                     const float **predictions, opevo_error *err)
{
    static const char how[] = "{\"type\": 0, \"training\": true, \"iteration_begin\": 0,"
                              " \"iteration_end\": 0, \"strict_shape\": false}";
    const bst_ulong *shape = NULL;
    bst_ulong dimensions = 0;
    opevo_status status = checked(self,
                                  self->library->XGBoosterPredictFromDMatrix(
                                      booster, matrix, how, &shape, &dimensions, predictions),
                                  err);

    if (status == OPEVO_OK && samples->rows) {
        sum_rows(self, *predictions, samples->rows, samples->count, self->scores);
        *predictions = self->scores;
    }
    return status;
}

/* Grow a tree from self->first and self->second. */
static opevo_status grow_from(const opevo_i_tvm_cost_model *self, BoosterHandle booster,
                              DMatrixHandle matrix, size_t count, unsigned round, opevo_error *err)
{
#if XGBOOST_VER_MAJOR >= 2
    char first_text[TEXT_SIZE], second_text[TEXT_SIZE];

    describe(self->first, count, 1, first_text);
    describe(self->second, count, 1, second_text);
    return checked(self, self->library->grow(booster, matrix, (int)round, first_text, second_text),
                   err);
#else
    (void)round;
    return checked(self, self->library->grow(booster, matrix, self->first, self->second, count),
                   err);
#endif
}

void opevo_i_tvm_squared_gradients(const opevo_i_model_samples *samples, const float *scores,
                                   float *first, float *second)
{
    for (size_t i = 0; i < samples->count; i++) {
        second[i] = samples->weights ? samples->weights[i] : 1.0F;
        first[i] = second[i] * (scores[i] - samples->labels[i]);
    }
    spread_both(samples, first, second);
}

/* Grow one more tree. */
static opevo_status grow(opevo_i_tvm_cost_model *self, BoosterHandle booster, DMatrixHandle matrix,
                         const opevo_i_model_samples *samples, unsigned round, opevo_error *err)
{
    const float *predictions = NULL;
    opevo_status status = OPEVO_OK;

    if (!self->first)
        return checked(self, self->library->XGBoosterUpdateOneIter(booster, (int)round, matrix),
                       err);
    status = predict_training(self, booster, matrix, samples, &predictions, err);
    if (status != OPEVO_OK)
        return status;
    if (self->pairs) {
        opevo_i_tvm_rank_pairs_gradients(self->pairs, round, predictions, self->first,
                                         self->second);
        spread_both(samples, self->first, self->second);
    } else {
        opevo_i_tvm_squared_gradients(samples, predictions, self->first, self->second);
    }
    return grow_from(self, booster, matrix, opevo_i_model_row_count(samples->rows, samples->count),
                     round, err);
}

/* In six decimals, as XGBoost's Python interface prints a score and TVM's stopping rule reads it. A
 * training error that falls by less for ever would otherwise never stop the training. */
static double as_printed(double score)
{
    return rint(score * 1e6) / 1e6;
}

/* How good the trees so far fit the candidates trained on; the larger the better. */
static opevo_status measure(opevo_i_tvm_cost_model *self, BoosterHandle booster,
                            DMatrixHandle matrix, const opevo_i_model_samples *samples,
                            double *score, opevo_error *err)
{
    const float *predictions = NULL;
    opevo_status status = predict_training(self, booster, matrix, samples, &predictions, err);

    if (status != OPEVO_OK)
        return status;
    if (self->boosting.recall_size)
        *score = as_printed(opevo_i_tvm_average_recall(predictions, self->above, samples->count,
                                                       self->boosting.recall_size, self->scratch));
    else
        *score = as_printed(
            -sqrt(mean_square(predictions, samples->labels,
                              self->boosting.by_rows ? samples->rows : NULL, samples->count)));
    return OPEVO_OK;
}

static opevo_status boost(opevo_i_tvm_cost_model *self, BoosterHandle booster, DMatrixHandle matrix,
                          const opevo_i_model_samples *samples, opevo_error *err)
{
    const opevo_i_tvm_boosting *how = &self->boosting;
    unsigned best_round = 0;
    opevo_status status = OPEVO_OK;

    self->score = -INFINITY;
    for (self->rounds = 0; self->rounds < how->rounds && status == OPEVO_OK;) {
        unsigned round = self->rounds++;
        double score = 0;

        status = grow(self, booster, matrix, samples, round, err);
        if (status != OPEVO_OK || round % how->stride != 0)
            continue;
        status = measure(self, booster, matrix, samples, &score, err);
        if (score > self->score) {
            self->score = score;
            best_round = round;
        } else if (round - best_round >= how->patience) {
            break;
        }
    }
    self->score = fabs(self->score);
    return status;
}

/* Give each row of the matrix a number. */
static opevo_status set_column(const opevo_i_tvm_cost_model *self, DMatrixHandle matrix,
                               const char *name, const float *numbers, size_t count,
                               opevo_error *err)
{
    char text[TEXT_SIZE];

    describe(numbers, count, 1, text);
    return checked(self, self->library->XGDMatrixSetInfoFromInterface(matrix, name, text), err);
}

/* The margin of a candidate is that of its first row. Labels and weights of rows are not asked for,
 * since their gradients are worked out here. */
static opevo_status set_margins(const opevo_i_tvm_cost_model *self, DMatrixHandle matrix,
                                const opevo_i_model_samples *samples, opevo_error *err)
{
    size_t count = opevo_i_model_row_count(samples->rows, samples->count);
    float *margins = opevo_malloc(count, sizeof *margins);
    opevo_status status = OPEVO_OK;
    size_t at = 0;

    OPEVO_NEED_OR_RETURN(margins, "margins of %zu rows", count);
    for (size_t i = 0; i < samples->count; i++) {
        margins[at++] = samples->margins[i];
        for (size_t r = 1; r < samples->rows[i]; r++)
            margins[at++] = OPEVO_I_BASE_SCORE;
    }
    status = set_column(self, matrix, "base_margin", margins, count, err);
    opevo_free(margins);
    return status;
}

static opevo_status make_matrix(const opevo_i_tvm_cost_model *self,
                                const opevo_i_model_samples *samples, DMatrixHandle *matrix,
                                opevo_error *err)
{
    size_t count = samples->count;
    opevo_status status =
        checked(self,
                self->library->XGDMatrixCreateFromMat_omp(
                    samples->features, opevo_i_model_row_count(samples->rows, count), self->width,
                    NAN, matrix, 1),
                err);

    if (status == OPEVO_OK && samples->rows)
        return samples->margins ? set_margins(self, *matrix, samples, err) : OPEVO_OK;
    if (status == OPEVO_OK)
        status = set_column(self, *matrix, "label", samples->labels, count, err);
    if (status == OPEVO_OK && samples->weights)
        status = set_column(self, *matrix, "weight", samples->weights, count, err);
    if (status == OPEVO_OK && samples->margins)
        status = set_column(self, *matrix, "base_margin", samples->margins, count, err);
    return status;
}

static void release_gradients(opevo_i_tvm_cost_model *self)
{
    opevo_i_tvm_rank_pairs_destroy(self->pairs);
    self->pairs = NULL;
    opevo_free(self->first);
    self->first = NULL;
    opevo_free(self->second);
    self->second = NULL;
}

static opevo_status prepare_gradients(opevo_i_tvm_cost_model *self,
                                      const opevo_i_model_samples *samples, opevo_error *err)
{
    size_t row_count = opevo_i_model_row_count(samples->rows, samples->count);
    bool rank = self->boosting.loss == OPEVO_I_LOSS_RANK;

    if (!rank && !samples->rows)
        return OPEVO_OK;
    if (rank)
        self->pairs = opevo_i_tvm_rank_pairs_create(samples->labels, samples->count);
    self->first = opevo_malloc(row_count, sizeof *self->first);
    self->second = opevo_malloc(row_count, sizeof *self->second);
    OPEVO_NEED_OR_RETURN(
        (self->pairs || !rank) && self->first && self->second &&
            (!samples->rows || opevo_reserve((void **)&self->scores, &self->score_capacity,
                                             samples->count, sizeof *self->scores)),
        "gradients of %zu trials", samples->count);
    return OPEVO_OK;
}

/* Rank the labels, for the score. */
static opevo_status prepare_score(opevo_i_tvm_cost_model *self,
                                  const opevo_i_model_samples *samples, opevo_error *err)
{
    if (!self->boosting.recall_size)
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->above, &self->above_capacity,
                                       2 * samples->count, sizeof *self->above),
                         "ranking %zu trials", samples->count);
    opevo_i_tvm_rank_labels(samples->labels, samples->count, self->above + samples->count,
                            self->above);
    return OPEVO_OK;
}

opevo_status opevo_i_tvm_cost_model_train(opevo_i_tvm_cost_model *model,
                                          const opevo_i_model_samples *samples, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    DMatrixHandle matrix = NULL;
    BoosterHandle booster = NULL;
    opevo_i_tvm_xgboost *library = NULL;

    forget(model);
    OPEVO_TRY(opevo_i_tvm_xgboost_open(&library, err));
    model->library = library;
    OPEVO_TRY(prepare_score(model, samples, err));
    OPEVO_TRY(make_matrix(model, samples, &matrix, err));
    OPEVO_TRY(checked(model, library->XGBoosterCreate(&matrix, 1, &booster), err));
    OPEVO_TRY(configure(model, booster, err));
    OPEVO_TRY(prepare_gradients(model, samples, err));
    OPEVO_TRY(boost(model, booster, matrix, samples, err));
    model->booster = booster;
    booster = NULL;
cleanup:
    release_gradients(model);
    if (booster)
        library->XGBoosterFree(booster);
    if (matrix)
        library->XGDMatrixFree(matrix);
    return status;
}

/* ---- Predicting ---- */

opevo_status opevo_i_tvm_cost_model_predict(opevo_i_tvm_cost_model *model, const float *features,
                                            size_t count, float *out, opevo_error *err)
{
    static const char how[] = "{\"type\": 0, \"training\": false, \"iteration_begin\": 0,"
                              " \"iteration_end\": 0, \"strict_shape\": false, \"cache_id\": 0,"
                              " \"missing\": NaN}";
    const bst_ulong *shape = NULL;
    bst_ulong dimensions = 0;
    const float *result = NULL;
    opevo_status status = OPEVO_OK;

    if (features != model->seen_at || count != model->seen_count) {
        describe(features, count, model->width, model->seen);
        model->seen_at = features;
        model->seen_count = count;
    }
    status = checked(model,
                     model->library->XGBoosterPredictFromDense(model->booster, model->seen, how,
                                                               NULL, &shape, &dimensions, &result),
                     err);
    if (status == OPEVO_OK && count > 0)
        memcpy(out, result, count * sizeof *out);
    return status;
}

opevo_status opevo_i_tvm_cost_model_predict_sums(opevo_i_tvm_cost_model *model,
                                                 const float *features, const size_t *rows,
                                                 size_t count, float *out, opevo_error *err)
{
    size_t row_count = opevo_i_model_row_count(rows, count);
    opevo_status status = OPEVO_OK;

    if (!rows)
        return opevo_i_tvm_cost_model_predict(model, features, count, out, err);
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&model->scores, &model->score_capacity, row_count,
                                       sizeof *model->scores),
                         "scoring %zu rows", row_count);
    status = opevo_i_tvm_cost_model_predict(model, features, row_count, model->scores, err);
    if (status == OPEVO_OK)
        sum_rows(model, model->scores, rows, count, out);
    return status;
}
