/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a cost model sees of a point. */

#include "formula.h"

#include <opevo/memory.h>

#include "features_internal.h"

static const char space_text[] =
    "{\"t\": {\"_type\": \"factor\", \"_value\": [24, 3]},"
    " \"o\": {\"_type\": \"permutation\", \"_value\": [3]},"
    " \"u\": {\"_type\": \"discrete\", \"_value\": [0, 512, 1500]},"
    " \"r\": {\"_type\": \"choice\", \"_value\": [0.5, 2]},"
    " \"b\": {\"_type\": \"choice\", \"_value\": [true, false]},"
    " \"m\": {\"_type\": \"choice\", \"_value\": [\"row\", 7, \"col\"]}}";

static void read_row(opevo_i_tvm_features *features, const opevo_space *space,
                     const char *configuration, float *row)
{
    opevo_index point = 0;
    opevo_index vertices[16];
    size_t count = 0;

    CHECK_OK(opevo_space_read(space, configuration, &point, &err));
    opevo_space_decode(space, point, vertices);
    CHECK_OK(opevo_i_tvm_features_rows(features, point, vertices, row, &count, &err));
    assert_int_equal(count, 1);
}

CHECK_TEST(test_knob_features)
{
    static const float expected[] = {-1, 4, 3, 2, 0, 1, 1500, 0.5F, 1, 0, 0, 1};
    opevo_space *space = formula_space(space_text);
    opevo_i_tvm_features *features = opevo_i_tvm_features_create(space, NULL);
    float row[12];

    assert_int_equal(opevo_i_tvm_features_width(features), 12);
    read_row(features, space, "t=2,4,3 o=2,0,1 u=1500 r=0.5 b=true m=col", row);
    for (size_t i = 0; i < 12; i++)
        CHECK_CLOSE((double)row[i], (double)expected[i], 0);
    opevo_i_tvm_features_destroy(features);
    opevo_space_destroy(space);
}

/* A parameter too large to be listed gives the same kind of row. */
CHECK_TEST(test_large_parameters)
{
    opevo_space *space =
        formula_space("{\"t\": {\"_type\": \"factor\", \"_value\": [1099511627776, 8]},"
                      " \"o\": {\"_type\": \"permutation\", \"_value\": [20]}}");
    opevo_i_tvm_features *features = opevo_i_tvm_features_create(space, NULL);
    float row[28];

    assert_int_equal(opevo_i_tvm_features_width(features), 28);
    read_row(features, space,
             "t=1,1024,1,1048576,1,1,32,32 o=19,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,0",
             row);
    assert_true(row[0] == -1 && row[1] == 1024 && row[3] == 1048576 && row[7] == 32);
    assert_true(row[8] == 19 && row[9] == 1 && row[27] == 0);
    opevo_i_tvm_features_destroy(features);
    opevo_space_destroy(space);
}

typedef struct toy {
    unsigned asked;
} toy;

/* The point and its half; nothing for point 5; no number for point 6. */
static size_t toy_features(void *context, opevo_index point, float *features)
{
    ((toy *)context)->asked++;
    features[0] = point == 6 ? NAN : (float)point;
    features[1] = (float)point / 2;
    return point != 5;
}

CHECK_TEST(test_source)
{
    opevo_space *space = formula_space(space_text);
    toy counter = {0};
    opevo_feature_source source = {
        .count = 2, .rows_most = 1, .features = toy_features, .context = &counter};
    opevo_i_tvm_features *features = opevo_i_tvm_features_create(space, &source);
    float row[2];
    size_t count = 0;

    assert_int_equal(opevo_i_tvm_features_width(features), 2);
    for (int again = 0; again < 2; again++) {
        for (opevo_index point = 0; point < 100; point++) {
            CHECK_OK(opevo_i_tvm_features_rows(features, point, NULL, row, &count, &err));
            assert_true(row[0] == (point == 5 || point == 6 ? 0 : (float)point));
            assert_true(row[1] == (point == 5 ? 0 : (float)point / 2));
        }
    }
    assert_int_equal(counter.asked, 100);
    opevo_i_tvm_features_destroy(features);
    opevo_space_destroy(space);
}

/* The rows that are kept are dropped all at once at 100,000; the answers stay the same. */
CHECK_TEST(test_source_beyond_the_cache)
{
    opevo_space *space = formula_space("{\"t\": {\"_type\": \"factor\", \"_value\":"
                                       " [1073741824, 8]}}");
    toy counter = {0};
    opevo_feature_source source = {
        .count = 2, .rows_most = 1, .features = toy_features, .context = &counter};
    opevo_i_tvm_features *features = opevo_i_tvm_features_create(space, &source);
    float row[2];
    size_t count = 0;

    for (opevo_index point = 10; point < 100110; point++) {
        CHECK_OK(opevo_i_tvm_features_rows(features, point, NULL, row, &count, &err));
        assert_true(row[0] == (float)point);
    }
    CHECK_OK(opevo_i_tvm_features_rows(features, 10, NULL, row, &count, &err));
    assert_true(row[0] == 10);
    assert_int_equal(counter.asked, 100101);
    opevo_i_tvm_features_destroy(features);
    opevo_space_destroy(space);
}

/* As many rows as the last digit of the point says, at most 3; row r holds point and r. */
static size_t stacked_features(void *context, opevo_index point, float *rows)
{
    size_t count = (size_t)(point % 4);

    ((toy *)context)->asked++;
    for (size_t r = 0; r < count; r++) {
        rows[2 * r] = (float)point;
        rows[2 * r + 1] = (float)r;
    }
    return count;
}

CHECK_TEST(test_rows)
{
    opevo_space *space = formula_space(space_text);
    toy counter = {0};
    opevo_feature_source source = {
        .count = 2, .rows_most = 3, .features = stacked_features, .context = &counter};
    opevo_i_tvm_features *features = opevo_i_tvm_features_create(space, &source);

    assert_int_equal(opevo_i_tvm_features_rows_most(features), 3);
    for (int again = 0; again < 2; again++) {
        for (opevo_index i = 0; i < 100; i++) {
            opevo_index point = i * 37 % 100;
            size_t wanted = (size_t)(point % 4);
            float rows[6];
            size_t count = 0;

            CHECK_OK(opevo_i_tvm_features_rows(features, point, NULL, rows, &count, &err));
            assert_int_equal(count, wanted ? wanted : 1);
            for (size_t r = 0; r < count; r++) {
                assert_true(rows[2 * r] == (wanted ? (float)point : 0));
                assert_true(rows[2 * r + 1] == (float)r);
            }
        }
    }
    assert_int_equal(counter.asked, 100);
    opevo_i_tvm_features_destroy(features);
    opevo_space_destroy(space);
}
