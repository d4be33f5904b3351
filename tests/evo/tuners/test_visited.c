/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Places against moves made on vertices: the same points, features and draws, whatever was made
 * before. */

#include "formula.h"

#include "visited_internal.h"

/* Factors, a path, a complete graph; and more neighbours than moves, of which one is drawn. */
static const char *const spaces[] = {
    "{\"k\": {\"_type\": \"factor\", \"_value\": [12, 3]},"
    " \"d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
    " \"c\": {\"_type\": \"choice\", \"_value\": [\"a\", \"b\", \"c\"]}}",
    "{\"p\": {\"_type\": \"permutation\", \"_value\": 30},"
    " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]}}",
};

/* Walk both ways with two equal streams. */
static void check_walk(const char *text)
{
    enum { STEPS = 5000 };
    opevo_space *space = formula_space(text);
    size_t width = opevo_space_parameter_count(space);
    opevo_i_gbfs_moves *moves = NULL;
    opevo_i_gbfs_visited *places = NULL;
    opevo_index vertices[3] = {0};
    float features[8];
    opevo_rng rng, same, choice;
    uint32_t at = 0;

    CHECK_OK(opevo_i_gbfs_moves_create(space, &moves, &err));
    places = opevo_i_gbfs_visited_create(space, moves);
    assert_non_null(places);
    assert_true(opevo_i_gbfs_moves_feature_count(moves) <= 8);
    opevo_rng_init(&rng, 1, "test", 0);
    opevo_rng_init(&choice, 1, "choice", 0);
    same = rng;
    CHECK_OK(opevo_i_gbfs_visited_find(places, 0, &at, &err));
    for (int step = 0; step < STEPS; step++) {
        size_t move = (size_t)opevo_rng_below(&choice, opevo_i_gbfs_moves_count(moves));
        size_t changed = opevo_i_gbfs_moves_parameter(moves, move);
        opevo_index before[3];
        uint32_t from = at;
        const float *found = opevo_i_gbfs_visited_features(places, at);

        opevo_i_gbfs_moves_features(moves, vertices, features);
        for (size_t i = 0; i < opevo_i_gbfs_moves_feature_count(moves); i++)
            assert_true(found[i] == features[i]);
        memcpy(before, vertices, sizeof before);
        CHECK_OK(opevo_i_gbfs_visited_move(places, from, move, &rng, &at, &err));
        assert_int_equal(at != from, opevo_i_gbfs_moves_apply(moves, move, &same, vertices));
        for (size_t i = 0; i < width; i++)
            assert_true(i == changed || vertices[i] == before[i]);
        assert_true(opevo_i_gbfs_visited_at(places, at)->point ==
                    opevo_space_encode(space, vertices));
    }
    assert_true(opevo_rng_u64(&rng) == opevo_rng_u64(&same));
    opevo_i_gbfs_visited_destroy(places);
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}

CHECK_TEST(test_walks_are_those_of_moves)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        check_walk(spaces[i]);
}

/* Only so many places are kept. What was known of a point before does not
 * count afterwards. */
CHECK_TEST(test_places_are_forgotten)
{
    opevo_space *space =
        formula_space("{\"n\": {\"_type\": \"factor\", \"_value\": [1073741824, 6]}}");
    opevo_i_gbfs_moves *moves = NULL;
    opevo_i_gbfs_visited *places = NULL;
    uint32_t at = 0;
    opevo_index point = 0;

    CHECK_OK(opevo_i_gbfs_moves_create(space, &moves, &err));
    places = opevo_i_gbfs_visited_create(space, moves);
    assert_false(opevo_i_gbfs_visited_trim(places));
    do {
        CHECK_OK(opevo_i_gbfs_visited_find(places, ++point, &at, &err));
        opevo_i_gbfs_visited_at(places, at)->settled = true;
    } while (!opevo_i_gbfs_visited_trim(places));
    assert_true(point > 10000);
    CHECK_OK(opevo_i_gbfs_visited_find(places, point, &at, &err));
    assert_int_equal(at, 0);
    assert_false(opevo_i_gbfs_visited_at(places, at)->settled);
    CHECK_OK(opevo_i_gbfs_visited_find(places, 1, &at, &err));
    assert_int_equal(at, 1);
    assert_true(opevo_i_gbfs_visited_at(places, at)->point == 1);
    assert_false(opevo_i_gbfs_visited_at(places, at)->settled);
    opevo_i_gbfs_visited_destroy(places);
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}
