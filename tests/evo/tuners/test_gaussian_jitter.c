/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The Gaussian process where correlations do not form a covariance matrix: as rounding leaves them,
 * and not numbers at all. The correlations are the test's own. */

#include "walk_kernel_fixture.h"

#include "gaussian_internal.h"

static const char case_space[] = "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]}}";

enum { FIRST = 6, LAST = 12, WATCHED = 5 };

/* Of two observed points, and of an observed one with a watched one. */
static float correlations[LAST][LAST];
static float watched[LAST][WATCHED];
static const opevo_i_qgp_points *observed_points;

void __wrap_opevo_i_qgp_walk_kernel_multiply(const opevo_i_qgp_walk_kernel *kernel, size_t feature,
                                             unsigned level, const opevo_i_qgp_points *of, size_t i,
                                             opevo_i_qgp_point_range to, float *products);
void __wrap_opevo_i_qgp_walk_kernel_row(const opevo_i_qgp_walk_kernel *kernel,
                                        const unsigned char *levels, const opevo_i_qgp_points *of,
                                        size_t i, opevo_i_qgp_point_range to, float *products);

void __wrap_opevo_i_qgp_walk_kernel_multiply(const opevo_i_qgp_walk_kernel *kernel, size_t feature,
                                             unsigned level, const opevo_i_qgp_points *of, size_t i,
                                             opevo_i_qgp_point_range to, float *products)
{
    for (size_t j = 0; j < to.count && feature == 0; j++)
        products[j] *= correlations[i][to.first + j];
}

void __wrap_opevo_i_qgp_walk_kernel_row(const opevo_i_qgp_walk_kernel *kernel,
                                        const unsigned char *levels, const opevo_i_qgp_points *of,
                                        size_t i, opevo_i_qgp_point_range to, float *products)
{
    for (size_t j = 0; j < to.count; j++)
        products[j] =
            to.points == observed_points ? correlations[i][to.first + j] : watched[i][to.first + j];
}

/* All points alike but for `excess` beyond 1, which makes - excess an eigenvalue. */
static void fill(float excess)
{
    for (size_t i = 0; i < LAST; i++) {
        for (size_t j = 0; j < LAST; j++)
            correlations[i][j] = i == j ? 1 : 1 + excess;
        for (size_t j = 0; j < WATCHED; j++)
            watched[i][j] = 0.5F + 0.03F * (float)((i + 2 * j) % 7);
    }
}

typedef struct trial_case {
    walk_fixture fixture;
    opevo_i_qgp_points others;
    opevo_i_qgp_gaussian *gaussian;
    double z[LAST];
} trial_case;

static trial_case open_case(void)
{
    trial_case self = {.fixture = walk_fixture_open(case_space)};
    unsigned char levels[WALK_FEATURES_MOST] = {0};

    CHECK_OK(opevo_i_qgp_points_init(&self.others, self.fixture.kernel, &err));
    for (size_t i = 0; i < LAST; i++) {
        self.z[i] = sin((double)i);
        CHECK_OK(opevo_i_qgp_points_add(&self.fixture.points, self.fixture.kernel, 0, 0, &err));
    }
    for (size_t i = 0; i < WATCHED; i++)
        CHECK_OK(opevo_i_qgp_points_add(&self.others, self.fixture.kernel, 1, 0, &err));
    self.gaussian = opevo_i_qgp_gaussian_create(self.fixture.kernel);
    assert_non_null(self.gaussian);
    opevo_i_qgp_gaussian_set(self.gaussian, levels, 0);
    return self;
}

static void close_case(trial_case *self)
{
    opevo_i_qgp_gaussian_destroy(self->gaussian);
    opevo_i_qgp_points_clear(&self->others);
    walk_fixture_close(&self->fixture);
}

static void condition_and_watch(trial_case *self, size_t count)
{
    observed_points = &self->fixture.points;
    self->fixture.points.count = count;
    CHECK_OK(opevo_i_qgp_gaussian_condition(self->gaussian, &self->fixture.points, &err));
    opevo_i_qgp_gaussian_target(self->gaussian, self->z);
    CHECK_OK(
        opevo_i_qgp_gaussian_watch(self->gaussian, &self->fixture.points, &self->others, &err));
    self->fixture.points.count = LAST;
}

/* What was added to the noise so that the first points could be conditioned on is added for those
 * appended to them: appending gives what conditioning on all of them gives. */
CHECK_TEST(appending_is_factoring_anew)
{
    static const float excesses[] = {0, 1e-4F, 3e-3F, 0.2F};

    for (size_t k = 0; k < sizeof excesses / sizeof *excesses; k++) {
        float mean[WATCHED], deviation[WATCHED], mean_anew[WATCHED], deviation_anew[WATCHED];
        trial_case one = open_case();

        fill(excesses[k]);
        condition_and_watch(&one, FIRST);
        for (size_t i = FIRST; i < LAST; i++)
            CHECK_OK(
                opevo_i_qgp_gaussian_append(one.gaussian, &one.fixture.points, &one.others, &err));
        opevo_i_qgp_gaussian_target(one.gaussian, one.z);
        opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
        condition_and_watch(&one, LAST);
        opevo_i_qgp_gaussian_read(one.gaussian, mean_anew, deviation_anew);
        for (size_t j = 0; j < WATCHED; j++) {
            CHECK_CLOSE((double)mean[j] / (double)mean_anew[j], 1, 1e-3);
            CHECK_CLOSE((double)deviation[j] / (double)deviation_anew[j], 1, 1e-3);
        }
        close_case(&one);
    }
}

/* A failure, and not a loop without end; afterwards the same model serves other points. */
CHECK_TEST(what_is_no_number)
{
    float mean[WATCHED], deviation[WATCHED];
    trial_case one = open_case();

    for (size_t at = 0; at < FIRST; at += FIRST - 1) {
        fill(0);
        correlations[FIRST - 1][at] = NAN;
        observed_points = &one.fixture.points;
        one.fixture.points.count = FIRST;
        CHECK_FAILS(OPEVO_TOLERANCE, "covariance matrix",
                    opevo_i_qgp_gaussian_condition(one.gaussian, &one.fixture.points, &err));
    }
    fill(0);
    condition_and_watch(&one, FIRST);
    correlations[FIRST][0] = NAN;
    CHECK_FAILS(OPEVO_TOLERANCE, "not finite numbers",
                opevo_i_qgp_gaussian_append(one.gaussian, &one.fixture.points, &one.others, &err));
    fill(0);
    CHECK_OK(opevo_i_qgp_gaussian_append(one.gaussian, &one.fixture.points, &one.others, &err));
    opevo_i_qgp_gaussian_read(one.gaussian, mean, deviation);
    for (size_t j = 0; j < WATCHED; j++)
        assert_true(isfinite(mean[j]) && deviation[j] > 0 && isfinite(deviation[j]));
    close_case(&one);
}

/* Levels at which the density is not a number are never drawn. */
CHECK_TEST(evidence_of_what_is_no_number)
{
    double minus_log = 0;
    trial_case one = open_case();

    fill(0);
    correlations[LAST - 1][0] = NAN;
    CHECK_OK(
        opevo_i_qgp_gaussian_evidence(one.gaussian, &one.fixture.points, one.z, &minus_log, &err));
    assert_true(minus_log > 1e300 && isfinite(minus_log));
    close_case(&one);
}
