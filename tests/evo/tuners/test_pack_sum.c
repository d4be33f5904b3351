/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loss of programs with several rows: its gradients against differences, and the trained sums
 * against a search over all trees. */

#include "check.h"

#include <opevo/random.h>

#include "cost_model_internal.h"

enum { PROGRAMS = 7, ROWS_MOST = 4 };

/* Programs with 1 to 4 rows of two features of few values, so that several rows share each. */
typedef struct programs {
    size_t rows[PROGRAMS];
    size_t row_count;
    float features[PROGRAMS * ROWS_MOST * 2];
    float labels[PROGRAMS];
    float weights[PROGRAMS];
    opevo_i_model_samples samples;
} programs;

static void make_programs(programs *made, opevo_rng *rng)
{
    made->row_count = 0;
    for (size_t p = 0; p < PROGRAMS; p++) {
        made->rows[p] = 1 + (size_t)opevo_rng_below(rng, ROWS_MOST);
        made->row_count += made->rows[p];
        made->labels[p] = p ? (float)opevo_rng_unit(rng) : 1;
        made->weights[p] = made->labels[p];
    }
    for (size_t i = 0; i < 2 * made->row_count; i++)
        made->features[i] = (float)opevo_rng_below(rng, 5);
    made->samples = (opevo_i_model_samples){.count = PROGRAMS,
                                            .features = made->features,
                                            .rows = made->rows,
                                            .labels = made->labels,
                                            .weights = made->weights};
}

/* 1/2 sum_P w_P (sum_{r in P} f_r - y_P)^2. */
static double loss_of_sums(const programs *of, const double *predictions, double *scores)
{
    double loss = 0;

    for (size_t p = 0, row = 0; p < PROGRAMS; p++) {
        scores[p] = 0;
        for (size_t r = 0; r < of->rows[p]; r++)
            scores[p] += predictions[row++];
        loss += (double)of->weights[p] * pow(scores[p] - (double)of->labels[p], 2) / 2;
    }
    return loss;
}

/* The gradient of each row and its second derivative are central differences of the loss, which is
 * quadratic, so that these are exact but for rounding. */
CHECK_TEST(test_gradients_are_differences)
{
    const double h = 0x1p-4;
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    for (int trial = 0; trial < 50; trial++) {
        double predictions[PROGRAMS * ROWS_MOST] = {0}, scores[PROGRAMS], other[PROGRAMS];
        float narrow[PROGRAMS], first[PROGRAMS * ROWS_MOST], second[PROGRAMS * ROWS_MOST];
        double loss = 0;
        programs of;

        make_programs(&of, &rng);
        for (size_t i = 0; i < of.row_count; i++)
            predictions[i] = opevo_rng_unit(&rng) - 0.25;
        loss = loss_of_sums(&of, predictions, scores);
        for (size_t p = 0; p < PROGRAMS; p++)
            narrow[p] = (float)scores[p];
        opevo_i_tvm_squared_gradients(&of.samples, narrow, first, second);
        for (size_t i = 0; i < of.row_count; i++) {
            double kept = predictions[i];
            double above = 0, below = 0;

            predictions[i] = kept + h;
            above = loss_of_sums(&of, predictions, other);
            predictions[i] = kept - h;
            below = loss_of_sums(&of, predictions, other);
            predictions[i] = kept;
            CHECK_CLOSE((double)first[i], (above - below) / (2 * h), 1e-6);
            CHECK_CLOSE((double)second[i], (above - 2 * loss + below) / (h * h), 1e-6);
        }
    }
}

/* The best stump for given gradients, by trying all, or a leaf alone where no split is better: its
 * outputs are added to the predictions. With G and H the sums of a side, what a side gains is
 * G^2 / (H + 1), and its output is -eta G / (H + 1). */
static void add_best_stump(const programs *of, const double *first, const double *second,
                           double eta, double *predictions)
{
    double all_g = 0, all_h = 0;
    double best_gain = 0, best_left = 0, best_right = 0;
    float best_below = 0;
    size_t best_feature = 0;

    for (size_t i = 0; i < of->row_count; i++) {
        all_g += first[i];
        all_h += second[i];
    }
    best_gain = all_g * all_g / (all_h + 1) + 1e-6;
    best_left = best_right = -eta * all_g / (all_h + 1);
    for (size_t f = 0; f < 2; f++) {
        for (int k = 0; k < 4; k++) {
            float below = (float)k + 0.5F;
            double g[2] = {0}, h[2] = {0};
            size_t met[2] = {0};

            for (size_t i = 0; i < of->row_count; i++) {
                size_t side = of->features[2 * i + f] > below;

                g[side] += first[i];
                h[side] += second[i];
                met[side]++;
            }
            if (met[0] && met[1] &&
                g[0] * g[0] / (h[0] + 1) + g[1] * g[1] / (h[1] + 1) > best_gain) {
                best_gain = g[0] * g[0] / (h[0] + 1) + g[1] * g[1] / (h[1] + 1);
                best_left = -eta * g[0] / (h[0] + 1);
                best_right = -eta * g[1] / (h[1] + 1);
                best_below = below;
                best_feature = f;
            }
        }
    }
    for (size_t i = 0; i < of->row_count; i++)
        predictions[i] += of->features[2 * i + best_feature] > best_below ? best_right : best_left;
}

/* Root mean square error in which a program counts as often as it has rows. */
static double error_of_rows(const programs *of, const double *scores)
{
    double sum = 0;

    for (size_t p = 0; p < PROGRAMS; p++)
        sum += (double)of->rows[p] * pow(scores[p] - (double)of->labels[p], 2);
    return sqrt(sum / (double)of->row_count);
}

/* Three stumps grown by the library on sums of rows, each of which has the base score, are those of
 * a search over all stumps; so is the smallest error after the first and the third. */
CHECK_TEST(test_sums_are_those_of_brute_force)
{
    const opevo_i_tvm_boosting boosting = {.loss = OPEVO_I_LOSS_SQUARED,
                                           .depth = 1,
                                           .gamma = 0,
                                           .child_weight = 0,
                                           .eta = 0.2,
                                           .rounds = 3,
                                           .patience = 20,
                                           .stride = 2,
                                           .by_rows = true};
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (int trial = 0; trial < 100; trial++) {
        opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(2, &boosting);
        double predictions[PROGRAMS * ROWS_MOST] = {0}, scores[PROGRAMS];
        double smallest = INFINITY;
        float learned[PROGRAMS];
        programs of;

        make_programs(&of, &rng);
        for (size_t i = 0; i < of.row_count; i++)
            predictions[i] = 0.5;
        for (int round = 0; round < 3; round++) {
            double first[PROGRAMS * ROWS_MOST], second[PROGRAMS * ROWS_MOST];

            loss_of_sums(&of, predictions, scores);
            for (size_t p = 0, row = 0; p < PROGRAMS; p++) {
                for (size_t r = 0; r < of.rows[p]; r++, row++) {
                    second[row] = (double)of.weights[p];
                    first[row] = second[row] * (scores[p] - (double)of.labels[p]);
                }
            }
            add_best_stump(&of, first, second, 0.2, predictions);
            loss_of_sums(&of, predictions, scores);
            if (round % 2 == 0)
                smallest = fmin(smallest, error_of_rows(&of, scores));
        }
        assert_non_null(model);
        CHECK_OK(opevo_i_tvm_cost_model_train(model, &of.samples, &err));
        CHECK_OK(opevo_i_tvm_cost_model_predict_sums(model, of.features, of.rows, PROGRAMS, learned,
                                                     &err));
        for (size_t p = 0; p < PROGRAMS; p++)
            CHECK_CLOSE((double)learned[p], scores[p], 1e-5);
        CHECK_CLOSE(opevo_i_tvm_cost_model_score(model), smallest, 1e-5);
        opevo_i_tvm_cost_model_destroy(model);
    }
}
