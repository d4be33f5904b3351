/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The Gaussian process against dense linear algebra and numerical integration. */

#include "check_memory.h"
#include "walk_kernel_fixture.h"

#include <stdlib.h>

#include <lapacke.h>

#include "gaussian_internal.h"

enum { MOST = 80 };

/* ---- The dense model ---- */

/* K = C + noise I, and K^-1 of z and 1. */
typedef struct dense {
    const walk_fixture *fixture;
    const unsigned char *levels;
    size_t n;
    double matrix[MOST * MOST], log_det;
    double z[MOST], solved_z[MOST], solved_one[MOST];
    double one_z, one_one, mean, scale, variance;
} dense;

static void solve(const dense *self, const double *right, double *out)
{
    double factor[MOST * MOST];
    lapack_int pivots[MOST];

    memcpy(factor, self->matrix, self->n * self->n * sizeof *factor);
    memcpy(out, right, self->n * sizeof *out);
    assert_int_equal(
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)self->n, 1, factor, (int)self->n, pivots, out, 1), 0);
}

static double log_determinant(const dense *self)
{
    double factor[MOST * MOST];
    lapack_int pivots[MOST];
    double sum = 0;

    memcpy(factor, self->matrix, self->n * self->n * sizeof *factor);
    assert_int_equal(
        LAPACKE_dgetrf(LAPACK_ROW_MAJOR, (int)self->n, (int)self->n, factor, (int)self->n, pivots),
        0);
    for (size_t i = 0; i < self->n; i++)
        sum += log(fabs(factor[i * self->n + i]));
    return sum;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double sample_variance(const double *z, size_t n)
{
    double sum = 0;
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += z[i];
        squares += z[i] * z[i];
    }
    return squares / (double)n - (sum / (double)n) * (sum / (double)n);
}

static void dense_init(dense *self, const walk_fixture *fixture, const unsigned char *levels,
                       unsigned noise, const double *z, size_t n)
{
    double ones[MOST];
    double rest[MOST];

    self->fixture = fixture;
    self->levels = levels;
    self->n = n;
    memcpy(self->z, z, n * sizeof *z);
    for (size_t i = 0; i < n; i++) {
        ones[i] = 1;
        for (size_t j = 0; j < n; j++)
            self->matrix[i * n + j] = walk_fixture_correlation(fixture, levels, &fixture->points, i,
                                                               &fixture->points, j) +
                                      (i == j ? opevo_i_qgp_noise[noise] : 0);
    }
    self->log_det = log_determinant(self);
    solve(self, z, self->solved_z);
    solve(self, ones, self->solved_one);
    self->one_z = dot(ones, self->solved_z, n);
    self->one_one = dot(ones, self->solved_one, n);
    self->mean = self->one_z / self->one_one;
    self->scale = sample_variance(z, n);
    for (size_t i = 0; i < n; i++)
        rest[i] = z[i] - self->mean;
    self->variance =
        (self->scale + dot(rest, self->solved_z, n) - self->mean * dot(rest, self->solved_one, n)) /
        (double)(n + 1);
}

/* Best linear unbiased prediction and its error, by the formulas of universal kriging. */
static void dense_predict(const dense *self, const opevo_i_qgp_points *at, size_t j, double *mean,
                          double *deviation)
{
    double c[MOST];
    double solved[MOST];
    double left = 0;

    for (size_t i = 0; i < self->n; i++)
        c[i] =
            walk_fixture_correlation(self->fixture, self->levels, &self->fixture->points, i, at, j);
    solve(self, c, solved);
    left = 1 - dot(c, self->solved_one, self->n);
    *mean = self->mean + dot(c, self->solved_z, self->n) -
            self->mean * dot(c, self->solved_one, self->n);
    *deviation = sqrt(self->variance * (1 - dot(c, solved, self->n) + left * left / self->one_one));
}

/* ---- A case ---- */

static const char case_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [32, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 6, 8]}, \"c\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}}";

/* Observed points of one space, others to predict at, targets, levels. */
typedef struct trial_case {
    walk_fixture fixture;
    opevo_i_qgp_points others;
    unsigned char levels[WALK_FEATURES_MOST];
    unsigned char noise;
    double z[MOST];
    opevo_i_qgp_gaussian *gaussian;
} trial_case;

static void case_init(trial_case *self, size_t observed, size_t others, uint64_t seed)
{
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 0);
    self->fixture = walk_fixture_open(case_space);
    CHECK_OK(opevo_i_qgp_points_init(&self->others, self->fixture.kernel, &err));
    walk_fixture_add_some(&self->fixture, observed, &rng);
    for (size_t i = 0; i < others; i++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(self->fixture.space));

        CHECK_OK(opevo_i_qgp_points_add(&self->others, self->fixture.kernel, point, 0, &err));
    }
    walk_fixture_levels(&self->fixture, &rng, self->levels);
    self->noise = (unsigned char)(2 + opevo_rng_below(&rng, OPEVO_I_NOISES - 2));
    for (size_t i = 0; i < observed; i++)
        self->z[i] = walk_fixture_normal(&rng) - 3;
    self->gaussian = opevo_i_qgp_gaussian_create(self->fixture.kernel);
    assert_non_null(self->gaussian);
    opevo_i_qgp_gaussian_set(self->gaussian, self->levels, self->noise);
    assert_int_equal(opevo_i_qgp_gaussian_noise(self->gaussian), self->noise);
    assert_int_equal(opevo_i_qgp_gaussian_levels(self->gaussian)[1], self->levels[1]);
}

static void case_clear(trial_case *self)
{
    opevo_i_qgp_gaussian_destroy(self->gaussian);
    opevo_i_qgp_points_clear(&self->others);
    walk_fixture_close(&self->fixture);
}

/* Means and deviations of the first `known` observed points' model at all the others. */
static void check_others(const trial_case *self, size_t known, const float *mean,
                         const float *deviation)
{
    static dense model;

    dense_init(&model, &self->fixture, self->levels, self->noise, self->z, known);
    for (size_t j = 0; j < self->others.count; j++) {
        double expected_mean = 0;
        double expected_deviation = 0;

        dense_predict(&model, &self->others, j, &expected_mean, &expected_deviation);
        CHECK_CLOSE((double)mean[j], expected_mean, 2e-3 * sqrt(model.variance));
        CHECK_CLOSE((double)deviation[j], expected_deviation, 2e-3 * sqrt(model.variance));
    }
}

CHECK_TEST(test_predictions)
{
    enum { OTHERS = 50 };
    float mean[OTHERS];
    float deviation[OTHERS];

    for (uint64_t seed = 1; seed <= 12; seed++) {
        trial_case one;
        size_t observed = seed == 1 ? 2 : 5 * (size_t)seed;
        size_t first = seed % 3 * 10;

        case_init(&one, observed, OTHERS, seed);
        CHECK_OK(opevo_i_qgp_gaussian_condition(one.gaussian, &one.fixture.points, &err));
        opevo_i_qgp_gaussian_target(one.gaussian, one.z);
        CHECK_OK(opevo_i_qgp_gaussian_predict(one.gaussian, &one.fixture.points, &one.others, 0,
                                              OTHERS, mean, deviation, &err));
        CHECK_OK(opevo_i_qgp_gaussian_predict(one.gaussian, &one.fixture.points, &one.others, first,
                                              OTHERS - first, mean + first, deviation + first,
                                              &err));
        check_others(&one, observed, mean, deviation);
        CHECK_OK(opevo_i_qgp_gaussian_watch(one.gaussian, &one.fixture.points, &one.others, &err));
        opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
        check_others(&one, observed, mean, deviation);
        case_clear(&one);
    }
}

/* Condition on the first `start` points, watch the others, append up to `end`. */
static void append_up_to(trial_case *self, size_t start, size_t end)
{
    size_t all = self->fixture.points.count;

    self->fixture.points.count = start;
    CHECK_OK(opevo_i_qgp_gaussian_condition(self->gaussian, &self->fixture.points, &err));
    opevo_i_qgp_gaussian_target(self->gaussian, self->z);
    CHECK_OK(
        opevo_i_qgp_gaussian_watch(self->gaussian, &self->fixture.points, &self->others, &err));
    self->fixture.points.count = all;
    for (size_t i = start; i < end; i++)
        CHECK_OK(opevo_i_qgp_gaussian_append(self->gaussian, &self->fixture.points, &self->others,
                                             &err));
}

/* From 4 points to 70: past the first capacity, and the second. */
CHECK_TEST(test_appending)
{
    enum { OTHERS = 40, FIRST = 4, LAST = 70 };
    float mean[OTHERS];
    float deviation[OTHERS];

    for (uint64_t seed = 1; seed <= 6; seed++) {
        trial_case one;

        case_init(&one, LAST, OTHERS, seed);
        append_up_to(&one, FIRST, LAST);
        opevo_i_qgp_gaussian_target(one.gaussian, one.z);
        opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
        check_others(&one, LAST, mean, deviation);
        case_clear(&one);
    }
}

/* Believing leaves the means, also when the arrays grow meanwhile, and makes nothing less sure;
 * what is believed is what conditioning on the predictions gives. */
CHECK_TEST(test_believing)
{
    enum { OTHERS = 40, FIRST = 4, LAST = 40 };
    float mean[OTHERS], deviation[OTHERS], believed_mean[OTHERS], believed[OTHERS];

    for (uint64_t seed = 1; seed <= 6; seed++) {
        static dense first, last;
        trial_case one;
        size_t narrower = 0;

        case_init(&one, LAST, OTHERS, seed);
        append_up_to(&one, FIRST, FIRST);
        opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
        append_up_to(&one, FIRST, LAST);
        opevo_i_qgp_gaussian_read(one.gaussian, believed_mean, believed);
        dense_init(&first, &one.fixture, one.levels, one.noise, one.z, FIRST);
        dense_init(&last, &one.fixture, one.levels, one.noise, one.z, LAST);
        last.variance = first.variance; /* which is not learned from beliefs */
        for (size_t j = 0; j < OTHERS; j++) {
            double unused = 0;
            double expected = 0;

            dense_predict(&last, &one.others, j, &unused, &expected);
            CHECK_CLOSE((double)believed[j], expected, 2e-3 * sqrt(first.variance));
            CHECK_CLOSE((double)believed_mean[j], (double)mean[j], 1e-4);
            assert_true(believed[j] <= deviation[j] * (1 + 1e-4F));
            narrower += believed[j] < deviation[j];
        }
        assert_true(narrower > OTHERS / 2);
        opevo_i_qgp_gaussian_retract(one.gaussian, FIRST);
        opevo_i_qgp_gaussian_read(one.gaussian, believed_mean, believed);
        for (size_t j = 0; j < OTHERS; j++) {
            CHECK_CLOSE((double)believed_mean[j], (double)mean[j], 1e-6);
            CHECK_CLOSE((double)believed[j], (double)deviation[j], 1e-3 * sqrt(first.variance));
        }
        case_clear(&one);
    }
}

/* Retracted points may be followed by others, and `mean` may be left out. */
CHECK_TEST(test_appending_after_retracting)
{
    enum { OTHERS = 20, FIRST = 6, LAST = 30 };
    float mean[OTHERS], deviation[OTHERS], again[OTHERS];
    trial_case one;

    case_init(&one, LAST, OTHERS, 3);
    append_up_to(&one, FIRST, LAST);
    opevo_i_qgp_gaussian_retract(one.gaussian, FIRST);
    for (size_t i = FIRST; i < LAST; i++)
        CHECK_OK(opevo_i_qgp_gaussian_append(one.gaussian, &one.fixture.points, &one.others, &err));
    opevo_i_qgp_gaussian_target(one.gaussian, one.z);
    opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
    check_others(&one, LAST, mean, deviation);
    opevo_i_qgp_gaussian_read(one.gaussian, NULL, again);
    assert_memory_equal(deviation, again, sizeof again);
    case_clear(&one);
}

/* The same point many times and the least noise: single precision leaves hardly anything. */
CHECK_TEST(test_repeated_points)
{
    enum { COUNT = 60 };
    walk_fixture fixture = walk_fixture_open(case_space);
    opevo_i_qgp_gaussian *gaussian = opevo_i_qgp_gaussian_create(fixture.kernel);
    unsigned char levels[WALK_FEATURES_MOST];
    double z[COUNT];
    float mean[COUNT];
    float deviation[COUNT];
    double minus_log = 0;

    memset(levels, OPEVO_I_LEVELS - 1, sizeof levels);
    opevo_i_qgp_gaussian_set(gaussian, levels, 0);
    for (size_t i = 0; i < COUNT; i++) {
        z[i] = (double)(i % 7);
        CHECK_OK(opevo_i_qgp_points_add(&fixture.points, fixture.kernel, i % 2, 0, &err));
    }
    CHECK_OK(opevo_i_qgp_gaussian_condition(gaussian, &fixture.points, &err));
    opevo_i_qgp_gaussian_target(gaussian, z);
    CHECK_OK(opevo_i_qgp_gaussian_predict(gaussian, &fixture.points, &fixture.points, 0, COUNT,
                                          mean, deviation, &err));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(isfinite(mean[i]) && deviation[i] > 0 && isfinite(deviation[i]));
    CHECK_OK(opevo_i_qgp_gaussian_evidence(gaussian, &fixture.points, z, &minus_log, &err));
    assert_true(isfinite(minus_log));
    memset(z, 0, sizeof z); /* nothing varies */
    opevo_i_qgp_gaussian_target(gaussian, z);
    CHECK_OK(opevo_i_qgp_gaussian_predict(gaussian, &fixture.points, &fixture.points, 0, COUNT,
                                          mean, deviation, &err));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(fabs((double)mean[i]) < 1e-6 && deviation[i] > 0);
    opevo_i_qgp_gaussian_destroy(gaussian);
    walk_fixture_close(&fixture);
}

/* ---- The evidence ---- */

/* Log of the integral over mu and s^2 of N(z; mu 1, s^2 K) times the inverse gamma density of s^2
 * with shape 1 and scale `scale` / 2, up to a constant that depends on n only; by trapezoids over
 * mu and log s^2. The squares come from the dense inverse, whatever mu. */
static double integrated(const dense *self)
{
    double zz = dot(self->z, self->solved_z, self->n);
    double top = -INFINITY;
    double sum = 0;

    for (int pass = 0; pass < 2; pass++) { /* the first finds the largest term */
        for (int k = -240; k <= 280; k++) {
            double t = log(self->scale) + 0.05 * k;
            double width = sqrt(exp(t) / self->one_one);

            for (int m = -90; m <= 90; m++) {
                double mu = self->mean + 0.1 * m * width;
                double square = zz - 2 * mu * self->one_z + mu * mu * self->one_one;
                double term = -0.5 * self->log_det - 0.5 * (double)self->n * t -
                              0.5 * square * exp(-t) + log(self->scale / 2) - 2 * t -
                              self->scale / 2 * exp(-t) + t + log(width);

                if (pass == 0)
                    top = fmax(top, term);
                else
                    sum += exp(term - top);
            }
        }
    }
    /* cppcheck-suppress invalidFunctionArg ; the largest term is 1 */
    return top + log(sum);
}

CHECK_TEST(test_evidence)
{
    for (size_t n = 3; n <= 24; n += 7) {
        double first = 0;

        for (uint64_t seed = 0; seed < 5; seed++) {
            static dense model;
            trial_case one;
            opevo_rng rng;
            double minus_log = 0;

            case_init(&one, n, 0, 7); /* the same targets and points, other levels */
            opevo_rng_init(&rng, seed, "test", 1);
            walk_fixture_levels(&one.fixture, &rng, one.levels);
            one.noise = (unsigned char)(2 + seed);
            opevo_i_qgp_gaussian_set(one.gaussian, one.levels, one.noise);
            CHECK_OK(opevo_i_qgp_gaussian_evidence(one.gaussian, &one.fixture.points, one.z,
                                                   &minus_log, &err));
            dense_init(&model, &one.fixture, one.levels, one.noise, one.z, n);
            if (seed == 0)
                first = minus_log + integrated(&model);
            CHECK_CLOSE(minus_log + integrated(&model), first, 1e-4);
            case_clear(&one);
        }
    }
}

/* ---- Without memory ---- */

static opevo_status use(trial_case *self)
{
    opevo_i_qgp_gaussian *gaussian = opevo_i_qgp_gaussian_create(self->fixture.kernel);
    size_t all = self->fixture.points.count;
    opevo_status status = gaussian ? OPEVO_OK : OPEVO_NOMEM;
    float mean[8];
    float deviation[8];
    double minus_log = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    self->fixture.points.count = 2;
    if (status == OPEVO_OK)
        status = opevo_i_qgp_gaussian_evidence(gaussian, &self->fixture.points, self->z, &minus_log,
                                               NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_gaussian_sweep(gaussian, &self->fixture.points, self->z, &rng, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_gaussian_condition(gaussian, &self->fixture.points, NULL);
    if (status == OPEVO_OK) {
        opevo_i_qgp_gaussian_target(gaussian, self->z);
        status = opevo_i_qgp_gaussian_predict(gaussian, &self->fixture.points, &self->others, 0, 8,
                                              mean, deviation, NULL);
    }
    if (status == OPEVO_OK)
        status = opevo_i_qgp_gaussian_watch(gaussian, &self->fixture.points, &self->others, NULL);
    self->fixture.points.count = all;
    for (size_t i = 2; i < all && status == OPEVO_OK; i++)
        status = opevo_i_qgp_gaussian_append(gaussian, &self->fixture.points, &self->others, NULL);
    opevo_i_qgp_gaussian_destroy(gaussian);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    trial_case one;

    case_init(&one, 40, 8, 9);
    CHECK_MEMORY(use(&one));
    case_clear(&one);
    opevo_i_qgp_gaussian_destroy(NULL);
}

/* A failed append has appended nothing; after a failed watch, watching again works. */
CHECK_TEST(test_goes_on_after_a_failure)
{
    enum { OTHERS = 20, FIRST = 19, LAST = 60 };
    float mean[OTHERS], deviation[OTHERS];
    size_t failures = 0;
    trial_case one;

    case_init(&one, LAST, OTHERS, 4);
    append_up_to(&one, FIRST, FIRST);
    for (int64_t n = 1; n <= 3; n++) {
        opevo_memory_fail_at(n);
        CHECK_FAILS(
            OPEVO_NOMEM, "No memory",
            opevo_i_qgp_gaussian_watch(one.gaussian, &one.fixture.points, &one.others, &err));
        opevo_memory_fail_at(0);
    }
    append_up_to(&one, FIRST, FIRST);
    for (size_t i = FIRST; i < LAST;) {
        opevo_memory_fail_at(1 + (int64_t)(failures % 5));
        if (opevo_i_qgp_gaussian_append(one.gaussian, &one.fixture.points, &one.others, NULL) ==
            OPEVO_OK)
            i++;
        else
            failures++;
        opevo_memory_fail_at(0);
    }
    assert_true(failures > 0);
    opevo_i_qgp_gaussian_target(one.gaussian, one.z);
    opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
    check_others(&one, LAST, mean, deviation);
    case_clear(&one);
}
