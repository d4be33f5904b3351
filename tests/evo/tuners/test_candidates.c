/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The points that a model may choose from. */

#include "check_memory.h"
#include "walk_kernel_fixture.h"

#include <opevo/hash.h>

#include "candidates_internal.h"

static const char listed_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 5]}, \"_constraints\": [\"a[0] * b <= 16\"]}";

/* 165 * 364 * 66 * 3 points: too many to look through. */
static const char large_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [256, 4]}, \"b\": {\"_type\": \"factor\","
    " \"_value\": [2048, 4]}, \"c\": {\"_type\": \"factor\", \"_value\": [1024, 3]},"
    " \"d\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]},"
    " \"_constraints\": [\"a[1] * b[1] <= 512\"]}";

/* As many. Components are powers of 4, so a step, which moves a factor of 2, is never allowed; 8 of
 * 1000 points are. */
static const char sparse_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"b\": {\"_type\": \"factor\","
    " \"_value\": [1024, 4]}, \"c\": {\"_type\": \"factor\", \"_value\": [1024, 4]},"
    " \"_constraints\": [\"a[0] % 3 == 1\", \"a[1] % 3 == 1\", \"a[2] % 3 == 1\","
    " \"b[0] % 3 == 1\", \"b[1] % 3 == 1\", \"b[2] % 3 == 1\","
    " \"c[0] % 3 == 1\", \"c[1] % 3 == 1\", \"c[2] % 3 == 1\"]}";

/* The first branch has 165 * 364 * 66 points, the others 5 * 4 and 9; and two plain parameters. */
static const char branched_space[] =
    "{\"op\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"deep\", \"a\": {\"_type\":"
    " \"factor\", \"_value\": [256, 4]}, \"b\": {\"_type\": \"factor\", \"_value\": [2048, 4]},"
    " \"c\": {\"_type\": \"factor\", \"_value\": [1024, 3]}}, {\"_name\": \"flat\", \"size\":"
    " {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]}, \"how\": {\"_type\": \"choice\","
    " \"_value\": [\"x\", {\"_name\": \"y\", \"z\": {\"_type\": \"discrete\","
    " \"_value\": [0, 1, 2]}}]}}, {\"_name\": \"split\", \"s\": {\"_type\": \"factor\","
    " \"_value\": [256, 2]}}]}, \"u\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]},"
    " \"v\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"_constraints\": [\"a[1] * b[1] <= 512\"]}";

typedef struct pool {
    walk_fixture fixture;
    opevo_i_qgp_candidates candidates;
    opevo_rng rng;
} pool;

static void pool_init(pool *self, const char *json)
{
    opevo_rng_init(&self->rng, 1, "test", 0);
    self->fixture = walk_fixture_open(json);
    CHECK_OK(opevo_i_qgp_candidates_init(&self->candidates, self->fixture.space,
                                         self->fixture.kernel, &err));
}

static void pool_clear(pool *self)
{
    opevo_i_qgp_candidates_clear(&self->candidates);
    walk_fixture_close(&self->fixture);
}

/* Numbers and columns belong together: the kernel sees the point that the number says. */
static void check_columns(const pool *self)
{
    const opevo_i_qgp_candidates *candidates = &self->candidates;

    for (size_t i = 0; i < candidates->points.count; i++) {
        opevo_index vertices[WALK_FEATURES_MOST];

        opevo_space_decode(self->fixture.space, candidates->numbers[i], vertices);
        for (size_t p = 0; p < opevo_space_parameter_count(self->fixture.space); p++) {
            opevo_index size = opevo_parameter_size(opevo_space_parameter(self->fixture.space, p));

            assert_int_equal(candidates->points.values[p][i],
                             vertices[p] == OPEVO_INACTIVE ? size : vertices[p]);
        }
    }
}

/* Allowed points that were not taken, none twice; all of them if `whole`. */
static void check_candidates(const pool *self, bool whole)
{
    const opevo_i_qgp_candidates *candidates = &self->candidates;
    opevo_index_set *met = opevo_index_set_create();

    assert_non_null(met);
    for (size_t i = 0; i < candidates->points.count; i++) {
        opevo_index point = candidates->numbers[i];

        assert_true(opevo_space_allows(self->fixture.space, point));
        assert_false(opevo_i_qgp_candidates_taken(candidates, point));
        assert_false(opevo_index_set_has(met, point));
        assert_true(opevo_index_set_add(met, point));
    }
    for (opevo_index point = 0; whole && point < opevo_space_size(self->fixture.space); point++) {
        bool wanted = opevo_space_allows(self->fixture.space, point) &&
                      !opevo_i_qgp_candidates_taken(candidates, point);

        assert_int_equal(opevo_index_set_has(met, point), wanted);
    }
    opevo_index_set_destroy(met);
    check_columns(self);
}

/* ---- Listed ---- */

CHECK_TEST(test_list)
{
    pool one;

    pool_init(&one, listed_space);
    assert_true(one.candidates.listed);
    check_candidates(&one, true);
    while (one.candidates.points.count > 0) {
        size_t count = one.candidates.points.count;

        for (size_t i = 0; i < 9; i++) {
            opevo_index point =
                one.candidates.numbers[opevo_rng_below(&one.rng, one.candidates.points.count)];

            CHECK_OK(opevo_i_qgp_candidates_take(&one.candidates, point, &err));
            assert_true(opevo_i_qgp_candidates_taken(&one.candidates, point));
        }
        assert_int_equal(one.candidates.points.count, count); /* until the next refresh */
        CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, NULL, NULL, 0, &one.rng, &err));
        assert_true(one.candidates.points.count < count);
        check_candidates(&one, true);
    }
    pool_clear(&one);
}

/* What decides is how many points are allowed, and how many there are. */
CHECK_TEST(test_what_is_listed)
{
    static const struct {
        const char *json;
        bool listed;
    } cases[] = {
        /* 2^15 points */
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 2]},"
         " \"b\": {\"_type\": \"factor\", \"_value\": [128, 2]}, \"c\": {\"_type\": \"factor\","
         " \"_value\": [32768, 2]}, \"d\": {\"_type\": \"factor\", \"_value\": [128, 2]},"
         " \"e\": {\"_type\": \"factor\", \"_value\": [128, 2]}}",
         true},
        /* one factor more, 2^16 points */
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [128, 2]},"
         " \"b\": {\"_type\": \"factor\", \"_value\": [128, 2]}, \"c\": {\"_type\": \"factor\","
         " \"_value\": [32768, 2]}, \"d\": {\"_type\": \"factor\", \"_value\": [128, 2]},"
         " \"e\": {\"_type\": \"factor\", \"_value\": [128, 2]}}",
         false},
        /* as many, an eighth of them allowed */
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [128, 2]},"
         " \"b\": {\"_type\": \"factor\", \"_value\": [128, 2]}, \"c\": {\"_type\": \"factor\","
         " \"_value\": [32768, 2]}, \"d\": {\"_type\": \"factor\", \"_value\": [128, 2]},"
         " \"e\": {\"_type\": \"factor\", \"_value\": [128, 2]}, \"_constraints\": [\"a[0] == "
         "1\"]}",
         true},
        {sparse_space, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pool one;

        pool_init(&one, cases[i].json);
        assert_int_equal(one.candidates.listed, cases[i].listed);
        if (one.candidates.listed)
            check_candidates(&one, true);
        else
            assert_int_equal(one.candidates.points.count, 0);
        pool_clear(&one);
    }
}

/* ---- A pool ---- */

static bool has(const opevo_i_qgp_candidates *self, opevo_index point)
{
    for (size_t i = 0; i < self->points.count; i++) {
        if (self->numbers[i] == point)
            return true;
    }
    return false;
}

/* Every neighbour that is allowed and was not taken is in the pool; returns how many. */
static size_t check_neighbours(const pool *self, opevo_index from)
{
    const opevo_space *space = self->fixture.space;
    opevo_index old[WALK_FEATURES_MOST];
    size_t count = 0;

    opevo_space_decode(space, from, old);
    for (size_t p = 0; p < opevo_space_parameter_count(space); p++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, p);

        if (old[p] == OPEVO_INACTIVE)
            continue;
        for (opevo_index k = 0; k < opevo_parameter_degree(parameter, old[p]); k++) {
            opevo_index vertices[WALK_FEATURES_MOST];
            opevo_index point = 0;

            opevo_space_decode(space, from, vertices);
            vertices[p] = opevo_parameter_neighbour(parameter, old[p], k);
            opevo_space_settle(space, p, vertices);
            point = opevo_space_encode(space, vertices);
            if (!opevo_space_allows(space, point) ||
                opevo_i_qgp_candidates_taken(&self->candidates, point))
                continue;
            assert_true(has(&self->candidates, point));
            count++;
        }
    }
    return count;
}

static opevo_index draw_allowed(pool *self)
{
    opevo_index point = 0;

    do {
        point = opevo_rng_below_wide(&self->rng, opevo_space_size(self->fixture.space));
    } while (!opevo_space_allows(self->fixture.space, point));
    return point;
}

static void check_pool(const char *json)
{
    opevo_index parents[OPEVO_I_POOL_PARENTS];
    double fitness[OPEVO_I_POOL_PARENTS];
    size_t neighbours = 0;
    pool one;

    pool_init(&one, json);
    assert_false(one.candidates.listed);
    assert_int_equal(one.candidates.points.count, 0);
    for (size_t i = 0; i < OPEVO_I_POOL_PARENTS; i++) {
        parents[i] = draw_allowed(&one);
        fitness[i] = 10 - (double)i;
        CHECK_OK(opevo_i_qgp_candidates_take(&one.candidates, parents[i], &err));
    }
    for (size_t count = 1; count <= OPEVO_I_POOL_PARENTS; count++) {
        CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, parents, fitness, count, &one.rng,
                                                &err));
        check_candidates(&one, false);
        for (size_t i = 0; i < count; i++)
            neighbours += check_neighbours(&one, parents[i]);
        assert_true(one.candidates.points.count > 1000); /* uniform ones at least */
        for (size_t i = 0; i < 50; i++)
            CHECK_OK(
                opevo_i_qgp_candidates_take(&one.candidates, one.candidates.numbers[7 * i], &err));
    }
    assert_true(neighbours > 0);
    pool_clear(&one);
}

CHECK_TEST(test_pool)
{
    check_pool(large_space);
    check_pool(branched_space);
}

/* Nearly all points are in one branch; children are in others as well, at more than their first
 * points. */
CHECK_TEST(test_pool_of_branches)
{
    enum { BRANCHES = 3 };
    const double fitness = 1;
    size_t seen[BRANCHES] = {0};
    opevo_index parent = 0;
    pool one;

    pool_init(&one, branched_space);
    parent = draw_allowed(&one);
    CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, &parent, &fitness, 1, &one.rng, &err));
    check_candidates(&one, false);
    for (size_t i = 0; i < one.candidates.points.count; i++)
        seen[one.candidates.points.values[0][i]]++;
    for (size_t b = 0; b < BRANCHES; b++)
        assert_true(seen[b] >= 5);
    pool_clear(&one);
}

/* Fitness is a ratio only: the largest and the smallest numbers that there are will do. */
CHECK_TEST(test_extreme_fitness)
{
    static const double fitness[] = {1.7e308, 1.6e308, 1, 1e-300, 5e-324};
    opevo_index parents[5];
    pool one;

    pool_init(&one, large_space);
    for (size_t i = 0; i < 5; i++)
        parents[i] = draw_allowed(&one);
    CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, parents, fitness, 5, &one.rng, &err));
    check_candidates(&one, false);
    CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, parents + 4, fitness + 4, 1, &one.rng,
                                            &err));
    check_candidates(&one, false);
    pool_clear(&one);
}

/* Around a parent nothing is allowed; what is left are points further away. */
CHECK_TEST(test_nothing_allowed_nearby)
{
    const double fitness = 1;
    opevo_index parent = 0;
    pool one;

    pool_init(&one, sparse_space);
    while (!opevo_space_allows(one.fixture.space, parent))
        parent++;
    CHECK_OK(opevo_i_qgp_candidates_take(&one.candidates, parent, &err));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(
            opevo_i_qgp_candidates_refresh(&one.candidates, &parent, &fitness, 1, &one.rng, &err));
        check_candidates(&one, false);
        assert_int_equal(check_neighbours(&one, parent), 0);
        assert_true(one.candidates.points.count > 100);
    }
    pool_clear(&one);
}

/* A single allowed point, which is taken: no candidates, and no error. */
CHECK_TEST(test_nothing_left)
{
    const double fitness = 1;
    opevo_index parent = 0;
    pool one;

    pool_init(&one, "{\"a\": {\"_type\": \"permutation\", \"_value\": [10]}, \"_constraints\":"
                    " [\"a[0] == 9\", \"a[1] == 8\", \"a[2] == 7\", \"a[3] == 6\", \"a[4] == 5\","
                    " \"a[5] == 4\", \"a[6] == 3\", \"a[7] == 2\", \"a[8] == 1\"]}");
    assert_false(one.candidates.listed);
    CHECK_OK(opevo_space_read(one.fixture.space, "a=9,8,7,6,5,4,3,2,1,0", &parent, &err));
    CHECK_OK(opevo_i_qgp_candidates_take(&one.candidates, parent, &err));
    CHECK_OK(opevo_i_qgp_candidates_refresh(&one.candidates, &parent, &fitness, 1, &one.rng, &err));
    assert_int_equal(one.candidates.points.count, 0);
    pool_clear(&one);
}

/* ---- Without memory ---- */

static opevo_status use(pool *self, const opevo_index *parents, const double *fitness)
{
    opevo_i_qgp_candidates candidates = {0};
    opevo_status status =
        opevo_i_qgp_candidates_init(&candidates, self->fixture.space, self->fixture.kernel, NULL);

    if (status != OPEVO_OK) {
        assert_null(candidates.kernel); /* cleared */
        return status;
    }
    status = opevo_i_qgp_candidates_take(&candidates, parents[0], NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_candidates_refresh(&candidates, parents, fitness, 2, &self->rng, NULL);
    opevo_i_qgp_candidates_clear(&candidates);
    return status;
}

static void check_every_allocation(const char *json)
{
    static const double fitness[] = {2, 1};
    opevo_index parents[2];
    pool one;

    pool_init(&one, json);
    parents[0] = draw_allowed(&one);
    parents[1] = draw_allowed(&one);
    CHECK_MEMORY(use(&one, parents, fitness));
    pool_clear(&one);
}

CHECK_TEST(test_every_allocation_fails)
{
    check_every_allocation(listed_space);
    check_every_allocation(large_space);
    check_every_allocation(branched_space);
}
