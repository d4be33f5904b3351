/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The moves of a policy against the topologies: from every vertex they lead to the neighbours and
 * nowhere else. */

#include "formula.h"

#include "branched_spaces.h"
#include "moves_internal.h"

static opevo_i_gbfs_moves *make(const opevo_space *space)
{
    opevo_i_gbfs_moves *moves = NULL;

    CHECK_OK(opevo_i_gbfs_moves_create(space, &moves, &err));
    return moves;
}

static bool are_neighbours(const opevo_parameter *parameter, opevo_index from, opevo_index to)
{
    for (opevo_index k = 0; k < opevo_parameter_degree(parameter, from); k++) {
        if (opevo_parameter_neighbour(parameter, from, k) == to)
            return true;
    }
    return false;
}

/* From every vertex of a space of one parameter: each move that leads somewhere leads to a
 * neighbour, different moves to different ones, and all of them are reached. */
static void check_one_parameter(const char *space_text, size_t move_count)
{
    opevo_space *space = formula_space(space_text);
    const opevo_parameter *parameter = opevo_space_parameter(space, 0);
    opevo_i_gbfs_moves *moves = make(space);
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_int_equal(opevo_i_gbfs_moves_count(moves), move_count);
    for (opevo_index from = 0; from < opevo_space_size(space); from++) {
        opevo_index_set *reached = opevo_index_set_create();

        for (size_t move = 0; move < move_count; move++) {
            opevo_index vertex = from;

            if (!opevo_i_gbfs_moves_apply(moves, move, &rng, &vertex)) {
                assert_true(vertex == from);
                continue;
            }
            assert_true(are_neighbours(parameter, from, vertex));
            assert_false(opevo_index_set_has(reached, vertex));
            opevo_index_set_add(reached, vertex);
        }
        assert_true(opevo_index_set_count(reached) == opevo_parameter_degree(parameter, from));
        opevo_index_set_destroy(reached);
    }
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}

CHECK_TEST(test_moves_are_the_topology)
{
    /* factor(C,v): v (v-1) moves for each prime, or divisor. */
    check_one_parameter("{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 3]}}", 6);
    check_one_parameter("{\"a\": {\"_type\": \"factor\", \"_value\": [960, 2]}}", 6);
    check_one_parameter("{\"a\": {\"_type\": \"factor\", \"_value\": [55, 4]}}", 24);
    check_one_parameter("{\"a\": {\"_type\": \"factor\", \"_value\": [1, 4]}}", 0);
    check_one_parameter("{\"a\": {\"_type\": \"factor\", \"_value\": [64, 1]}}", 0);
    check_one_parameter(
        "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3], \"_topology\": \"any-divisor\"}}",
        36);
    check_one_parameter(
        "{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3], \"_topology\": \"complete\"}}", 18);
    check_one_parameter("{\"a\": {\"_type\": \"permutation\", \"_value\": [5]}}", 10);
    check_one_parameter("{\"a\": {\"_type\": \"permutation\", \"_value\": [4],"
                        " \"_topology\": \"insertion\"}}",
                        9);
    check_one_parameter("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]}}", 2);
    check_one_parameter("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16],"
                        " \"_topology\": \"cycle\"}}",
                        2);
    check_one_parameter("{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2, 4, 8, 16]}}", 5);
    check_one_parameter("{\"a\": {\"_type\": \"choice\", \"_value\": [7]}}", 0);
}

/* The matrix product of the paper: 30 moves of which 8 lead somewhere at the start, and 11 numbers
 * that describe a point. */
CHECK_TEST(test_matrix_product)
{
    opevo_space *space = formula_space(
        "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
        " \"_value\": [512, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]}}");
    opevo_i_gbfs_moves *moves = make(space);
    opevo_index vertices[3];
    opevo_index point = 0;
    float features[11];
    size_t legal = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_int_equal(opevo_i_gbfs_moves_count(moves), 30);
    assert_int_equal(opevo_i_gbfs_moves_feature_count(moves), 11);
    for (size_t move = 0; move < 30; move++) {
        memset(vertices, 0, sizeof vertices);
        legal += opevo_i_gbfs_moves_apply(moves, move, &rng, vertices);
    }
    assert_int_equal(legal, 8);
    CHECK_OK(opevo_space_read(space, "K=64,16,1 X=8,1,16,4 Y=16,2,16,2", &point, &err));
    opevo_space_decode(space, point, vertices);
    opevo_i_gbfs_moves_features(moves, vertices, features);
    CHECK_CLOSE(features[0], 64.0 / 1024 - 0.5, 0);
    CHECK_CLOSE(features[2], 1.0 / 1024 - 0.5, 0);
    CHECK_CLOSE(features[5], 16.0 / 512 - 0.5, 0);
    CHECK_CLOSE(features[10], 2.0 / 1024 - 0.5, 0);
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}

/* More neighbours than moves: each move draws from its part, and each neighbour is as likely as
 * parts of about equal size allow. permutation(25) has 300 neighbours for 256 moves: parts of 2 and
 * of 1. */
CHECK_TEST(test_parts_of_many_neighbours)
{
    opevo_space *space =
        formula_space("{\"a\": {\"_type\": \"permutation\", \"_value\": [25]}, \"b\":"
                      " {\"_type\": \"choice\", \"_value\": [0, 1]}}");
    opevo_i_gbfs_moves *moves = make(space);
    opevo_index_set *reached = opevo_index_set_create();
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_int_equal(opevo_i_gbfs_moves_count(moves), 256 + 2);
    for (int round = 0; round < 60; round++) {
        for (size_t move = 0; move < 256; move++) {
            opevo_index vertices[2] = {12345, 1};

            assert_true(opevo_i_gbfs_moves_apply(moves, move, &rng, vertices));
            assert_true(vertices[1] == 1);
            opevo_index_set_add(reached, vertices[0]);
        }
    }
    /* A neighbour is missed with probability 2^-60. */
    assert_int_equal(opevo_index_set_count(reached), 300);
    opevo_index_set_destroy(reached);
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}

/* With branches the moves from a point reach each neighbour of each active parameter, once. */
CHECK_TEST(test_moves_with_branches)
{
    opevo_space *space = formula_space("{" TWO_LEVELS "}");
    opevo_i_gbfs_moves *moves = make(space);
    size_t width = opevo_space_parameter_count(space);
    opevo_rng rng;

    assert_int_equal(width, 8);
    opevo_rng_init(&rng, 1, "test", 0);
    for (opevo_index from = 0; from < opevo_space_size(space); from++) {
        opevo_index_set *reached = opevo_index_set_create();
        opevo_index vertices[8], moved[8], neighbours = 0;

        opevo_space_decode(space, from, vertices);
        for (size_t i = 0; i < width; i++) {
            if (vertices[i] != OPEVO_INACTIVE)
                neighbours += opevo_parameter_degree(opevo_space_parameter(space, i), vertices[i]);
        }
        for (size_t move = 0; move < opevo_i_gbfs_moves_count(moves); move++) {
            size_t i = opevo_i_gbfs_moves_parameter(moves, move);

            memcpy(moved, vertices, sizeof moved);
            if (!opevo_i_gbfs_moves_apply(moves, move, &rng, moved)) {
                assert_memory_equal(moved, vertices, sizeof moved);
                continue;
            }
            assert_true(vertices[i] != OPEVO_INACTIVE);
            assert_true(are_neighbours(opevo_space_parameter(space, i), vertices[i], moved[i]));
            opevo_index_set_add(reached, opevo_space_encode(space, moved));
        }
        assert_true(opevo_index_set_count(reached) == neighbours);
        opevo_index_set_destroy(reached);
    }
    opevo_i_gbfs_moves_destroy(moves);
    opevo_space_destroy(space);
}
