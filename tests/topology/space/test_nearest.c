/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nearest values and allowed points, by looking at all of them; what is carried over keeps the
 * inner lengths of a factorisation. */

#include "check.h"

#include <math.h>
#include <string.h>

#include <opevo/nearest.h>

static opevo_parameter *parameter_of(const char *text)
{
    opevo_parameter *parameter = NULL;

    CHECK_OK(opevo_parameter_parse("p", text, NULL, &parameter, &err));
    return parameter;
}

static opevo_space *space_of(const char *json)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "a test", NULL, &space, &err));
    return space;
}

/* The value that is nearest to numbers separated by commas, as text. */
static void check_nearest(const char *parameter_text, const int64_t *wanted, const char *expected)
{
    opevo_parameter *parameter = parameter_of(parameter_text);
    opevo_value value[8];
    opevo_index vertex = 0;
    opevo_text text = {0};

    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++)
        value[i] = opevo_value_of_integer(wanted[i]);
    assert_true(opevo_parameter_nearest(parameter, value, &vertex));
    opevo_parameter_print(parameter, vertex, &text);
    assert_string_equal(opevo_text_string(&text), expected);
    opevo_text_free(&text);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_inner_lengths_are_kept)
{
    check_nearest("factor(1024,4)", (const int64_t[8]){4, 1, 16, 8}, "8,1,16,8");
    check_nearest("factor(96,3)", (const int64_t[8]){99, 4, 8}, "3,4,8");
    /* 8 does not divide 36; 9 is nearer to it than 6, and 4 * 8 is kept as 36. */
    check_nearest("factor(36,3)", (const int64_t[8]){1, 4, 8}, "1,4,9");
    check_nearest("factor(7,2)", (const int64_t[8]){1, 2}, "7,1");
    check_nearest("factor(1,3)", (const int64_t[8]){5, 6, 7}, "1,1,1");
}

CHECK_TEST(test_numbers_are_compared_by_ratio)
{
    check_nearest("discrete(4,8,16)", (const int64_t[8]){32}, "16");
    check_nearest("discrete(0,16,64,256)", (const int64_t[8]){100}, "64");
    check_nearest("discrete(0,16,64,256)", (const int64_t[8]){1}, "0");
    check_nearest("permutation(3)", (const int64_t[8]){2, 0, 1}, "2,0,1");
}

CHECK_TEST(test_there_may_be_no_nearest)
{
    const opevo_value order[3] = {opevo_value_of_integer(3), opevo_value_of_integer(0),
                                  opevo_value_of_integer(1)};
    opevo_parameter *permutation = parameter_of("permutation(3)");
    opevo_parameter *texts = parameter_of("categorical(a,b)");
    opevo_index vertex = 77;

    assert_false(opevo_parameter_nearest(permutation, order, &vertex));
    assert_false(opevo_parameter_nearest(texts, order, &vertex));
    assert_int_equal(vertex, 77);
    opevo_parameter_destroy(permutation);
    opevo_parameter_destroy(texts);
}

/* The definition, on every factorisation and many preferences. */
CHECK_TEST(test_factors_by_the_definition)
{
    opevo_parameter *parameter = parameter_of("factor(720,3)");

    for (int64_t a = 1; a < 40; a += 3) {
        for (int64_t b = 1; b < 40; b += 3) {
            const opevo_value wanted[3] = {opevo_value_of_integer(1), opevo_value_of_integer(a),
                                           opevo_value_of_integer(b)};
            double best = INFINITY;
            opevo_index expected = 0;
            opevo_index vertex = 0;

            for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++) {
                opevo_value value[3];
                double inner = 0;
                double both = 0;
                double distance = 0;

                opevo_parameter_value(parameter, v, value);
                inner = log2((double)value[2].as.integer) - log2((double)b);
                both = inner + log2((double)value[1].as.integer) - log2((double)a);
                distance = 4 * inner * inner + 2 * both * both;
                if (distance < best - 1e-12) {
                    best = distance;
                    expected = v;
                }
            }
            assert_true(opevo_parameter_nearest(parameter, wanted, &vertex));
            assert_true(vertex == expected);
        }
    }
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_carrying_by_name)
{
    opevo_space *from = space_of("{\"K\": {\"_type\": \"factor\", \"_value\": [256, 3]}, \"u\":"
                                 " {\"_type\": \"discrete\", \"_value\": [0, 16, 64]}}");
    opevo_space *to = space_of("{\"u\": {\"_type\": \"discrete\", \"_value\": [0, 64]}, \"v\":"
                               " {\"_type\": \"choice\", \"_value\": [1, 2, 3]}, \"K\":"
                               " {\"_type\": \"factor\", \"_value\": [96, 3]}}");
    opevo_index vertices[3] = {0, 2, 0};
    opevo_index point = 0;
    opevo_text text = {0};

    CHECK_OK(opevo_space_read(from, "K=16,4,4 u=64", &point, &err));
    assert_int_equal(opevo_space_carry(from, point, to, vertices), 2);
    opevo_space_print(to, opevo_space_encode(to, vertices), &text);
    assert_string_equal(opevo_text_string(&text), "u=64 v=3 K=6,4,4");
    opevo_text_free(&text);
    opevo_space_destroy(from);
    opevo_space_destroy(to);
}

/* Both spaces have three branches, of which two have the same keys; the second has one more
 * before. */
#define TILE(extent) "{\"_type\": \"factor\", \"_value\": [" extent ", 2]}"
#define PLACE "{\"_type\": \"choice\", \"_value\": [\"root\", \"at\"]}"
static const char branches_from[] =
    "{\"s\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"s1\", \"i\": " TILE(
        "64") "}, "
              "{\"_name\": \"s2\", \"i\": " TILE("64") ", \"at\": " PLACE "}, "
                                                       "{\"_name\": \"s3\", \"i\": " TILE(
                                                           "64") ", \"at\": " PLACE "}]}}";
static const char branches_to[] =
    "{\"s\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"s1\", \"k\": " TILE(
        "9") "}, "
             "{\"_name\": \"s2\", \"i\": " TILE("96") "}, "
                                                      "{\"_name\": \"s3\", \"at\": " PLACE
                                                      ", \"i\": " TILE(
                                                          "96") "}, "
                                                                "{\"_name\": \"s4\", \"at\": " PLACE
                                                                ", \"i\": " TILE("96") "}]}}";

static void check_branch(opevo_space *from, opevo_space *to, const char *text, size_t found,
                         const char *expected)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_index point = 0;
    opevo_text got = {0};

    CHECK_OK(opevo_space_read(from, text, &point, &err));
    opevo_space_decode(to, 0, vertices);
    assert_int_equal(opevo_space_carry(from, point, to, vertices), found);
    opevo_space_print(to, opevo_space_encode(to, vertices), &got);
    assert_string_equal(opevo_text_string(&got), expected);
    opevo_text_free(&got);
}

CHECK_TEST(test_carrying_branches)
{
    opevo_space *from = space_of(branches_from);
    opevo_space *to = space_of(branches_to);
    opevo_space *flat = space_of("{\"i\": " TILE("32") "}");

    check_branch(from, to, "s=s1 s.s1.i=16,4", 1, "s=s2 s.s2.i=24,4");
    check_branch(from, to, "s=s2 s.s2.i=16,4 s.s2.at=at", 2, "s=s3 s.s3.at=at s.s3.i=24,4");
    check_branch(from, to, "s=s3 s.s3.i=2,32 s.s3.at=root", 2, "s=s4 s.s4.at=root s.s4.i=3,32");
    check_branch(flat, to, "i=4,8", 1, "s=s2 s.s2.i=12,8");
    check_branch(to, flat, "s=s4 s.s4.at=at s.s4.i=6,16", 1, "i=2,16");
    check_branch(to, from, "s=s1 k=3,3", 0, "s=s1 s.s1.i=64,1");
    opevo_space_destroy(from);
    opevo_space_destroy(to);
    opevo_space_destroy(flat);
}

CHECK_TEST(test_nearest_allowed_point)
{
    opevo_space *space =
        space_of("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5]},"
                 " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]},"
                 " \"_constraints\": [\"a + b >= 6\"]}");
    const opevo_index vertices[2] = {1, 3};
    bool found = false;
    opevo_index point = 0;
    opevo_index at[2] = {0, 0};

    CHECK_OK(opevo_space_nearest_allowed(space, vertices, &found, &point, &err));
    assert_true(found);
    opevo_space_decode(space, point, at);
    assert_int_equal(at[0], 3);
    assert_int_equal(at[1], 3);
    CHECK_OK(opevo_space_nearest_allowed(space, at, &found, &point, &err));
    assert_true(point == opevo_space_encode(space, at));
    opevo_space_destroy(space);
}

/* A point of the same branch rather than a nearer one of another; that, where there is no other. */
CHECK_TEST(test_nearest_in_branch)
{
    opevo_space *space =
        space_of("{\"s\": {\"_type\": \"choice\", \"_value\": ["
                 "{\"_name\": \"s1\", \"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]}},"
                 "{\"_name\": \"s2\", \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1]}},"
                 "{\"_name\": \"s3\", \"c\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}]},"
                 "\"_constraints\": [\"a >= 2\", \"c > 1\"]}");
    opevo_index vertices[4] = {0, 0, OPEVO_INACTIVE, OPEVO_INACTIVE};
    opevo_index point = 0;
    bool found = false;

    CHECK_OK(opevo_space_nearest_allowed(space, vertices, &found, &point, &err));
    assert_true(found);
    opevo_space_decode(space, point, vertices);
    assert_true(vertices[0] == 0 && vertices[1] == 2);
    CHECK_OK(opevo_space_read(space, "s=s3 c=1", &point, &err));
    opevo_space_decode(space, point, vertices);
    CHECK_OK(opevo_space_nearest_allowed(space, vertices, &found, &point, &err));
    assert_true(found);
    opevo_space_decode(space, point, vertices);
    assert_true(vertices[0] != 2);
    opevo_space_destroy(space);
}
