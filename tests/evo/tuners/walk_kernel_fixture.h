/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A space, its kernel and its first points, for the tests of what qgp is made of. */

#ifndef OPEVO_TESTS_WALK_KERNEL_FIXTURE_H
#define OPEVO_TESTS_WALK_KERNEL_FIXTURE_H

#include <opevo/memory.h>
#include <opevo/random.h>

#include "check.h"
#include "walk_kernel_internal.h"

enum { WALK_FEATURES_MOST = 32 };

typedef struct walk_fixture {
    opevo_space *space;
    opevo_i_qgp_walk_kernel *kernel;
    opevo_i_qgp_points points; /* empty until walk_fixture_add... */
} walk_fixture;

static inline void walk_fixture_take(walk_fixture *self, opevo_space *space)
{
    self->space = space;
    CHECK_OK(opevo_i_qgp_walk_kernel_create(space, 1, &self->kernel, &err));
    assert_true(opevo_i_qgp_walk_kernel_features(self->kernel) <= WALK_FEATURES_MOST);
    CHECK_OK(opevo_i_qgp_points_init(&self->points, self->kernel, &err));
}

static inline walk_fixture walk_fixture_open(const char *json)
{
    walk_fixture self;
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "a test", NULL, &space, &err));
    walk_fixture_take(&self, space);
    return self;
}

static inline void walk_fixture_close(walk_fixture *self)
{
    opevo_i_qgp_points_clear(&self->points);
    opevo_i_qgp_walk_kernel_destroy(self->kernel);
    opevo_space_destroy(self->space);
}

static inline void walk_fixture_add_all(walk_fixture *self)
{
    for (opevo_index point = 0; point < opevo_space_size(self->space); point++)
        CHECK_OK(opevo_i_qgp_points_add(&self->points, self->kernel, point, 0, &err));
}

/* Distinct uniform points of a space of at most 1024 points. */
static inline void walk_fixture_add_some(walk_fixture *self, size_t count, opevo_rng *rng)
{
    bool met[1024] = {false};
    uint64_t size = (uint64_t)opevo_space_size(self->space);

    assert_true(size <= 1024 && count <= size);
    while (self->points.count < count) {
        uint64_t point = opevo_rng_below(rng, size);

        if (!met[point])
            CHECK_OK(opevo_i_qgp_points_add(&self->points, self->kernel, point, 0, &err));
        met[point] = true;
    }
}

static inline void walk_fixture_levels(const walk_fixture *self, opevo_rng *rng,
                                       unsigned char *levels)
{
    for (size_t f = 0; f < opevo_i_qgp_walk_kernel_features(self->kernel); f++)
        levels[f] = (unsigned char)opevo_rng_below(rng, OPEVO_I_LEVELS);
}

/* The correlation of two points, feature by feature. */
static inline double walk_fixture_correlation(const walk_fixture *self, const unsigned char *levels,
                                              const opevo_i_qgp_points *a, size_t i,
                                              const opevo_i_qgp_points *b, size_t j)
{
    float product = 1;

    for (size_t f = 0; f < opevo_i_qgp_walk_kernel_features(self->kernel); f++)
        opevo_i_qgp_walk_kernel_multiply(self->kernel, f, levels[f], a, i,
                                         (opevo_i_qgp_point_range){b, j, 1}, &product);
    return (double)product;
}

/* A number of the standard normal law (Box and Muller). */
static inline double walk_fixture_normal(opevo_rng *rng)
{
    double radius = sqrt(-2 * log1p(-opevo_rng_unit(rng)));

    return radius * cos(6.283185307179586 * opevo_rng_unit(rng));
}

/* Groups of several parameters, one that stands alone, and two without a table in common. */
static const char many_groups[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 6, 8, 12]}, \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"big\": {\"_type\": \"permutation\", \"_value\": [7]}, \"d\": {\"_type\": \"factor\","
    " \"_value\": [1024, 4]}, \"e\": {\"_type\": \"permutation\", \"_value\": [5]},"
    " \"f\": {\"_type\": \"choice\", \"_value\": [9]}, \"g\": {\"_type\": \"discrete\","
    " \"_value\": [3, 4, 5]}, \"huge\": {\"_type\": \"permutation\", \"_value\": [9]}}";

/* Random points of one run. */
static inline void add_uniform(walk_fixture *self, size_t count, opevo_rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        opevo_index point = opevo_rng_below_wide(rng, opevo_space_size(self->space));

        CHECK_OK(opevo_i_qgp_points_add(&self->points, self->kernel, point, 0, &err));
    }
}

#endif
