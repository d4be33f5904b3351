/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ranks, nearest rows and steps of sparse lists against a look at every row. */

#include "space_checks.h"

#include <opevo/hash.h>
#include <opevo/space_listed.h>

#include <stdlib.h>

enum { ROWS = 3000, WIDTH = 9 };

static int compare_points(const void *a, const void *b)
{
    opevo_index x = *(const opevo_index *)a, y = *(const opevo_index *)b;

    return (x > y) - (x < y);
}

/* 6^9 points, of which one parameter opens a branch if asked for; every row is another row with a
 * value or two changed, so that some have neighbours and some have none. */
static opevo_space *sparse_space(bool branches, opevo_index *points)
{
    opevo_space *space = NULL;
    opevo_text text = {0};
    uint64_t state = 7;

    opevo_text_add(&text, "{");
    for (int i = 0; i < WIDTH; i++)
        opevo_text_printf(&text,
                          "%s\"p%d\": {\"_type\": \"choice\", \"_value\": [1, 2, 3, 4, 5, %s]}",
                          i ? ", " : "", i,
                          branches && i == 4 ? "{\"_name\": 6, \"in\": {\"_type\": \"discrete\", "
                                               "\"_value\": [1, 2, 3]}}"
                                             : "6");
    opevo_text_add(&text, "}");
    CHECK_OK(opevo_space_parse(text.data, "a test", NULL, &space, &err));
    opevo_text_free(&text);
    for (size_t row = 0; row < ROWS; row++) {
        opevo_index vertices[WIDTH + 1];

        state = opevo_hash_mix(state + row);
        points[row] = (opevo_index)state % opevo_space_size(space);
        if (row < ROWS / 4)
            continue;
        opevo_space_decode(space, points[state % row], vertices);
        for (int k = 0; k < 1 + (int)(state >> 20 & 1); k++) {
            size_t i = (size_t)(state >> (24 + 8 * k)) % WIDTH;

            i = i >= 5 && branches ? i + 1 : i;
            vertices[i] = (state >> (44 + 4 * k)) % 6;
            opevo_space_settle(space, i, vertices);
        }
        points[row] = opevo_space_encode(space, vertices);
    }
    CHECK_OK(opevo_space_restrict(space, points, ROWS, &err)); /* which sorts them */
    assert_true(opevo_space_is_sparse(space));
    return space;
}

static size_t distance(const opevo_space *space, const opevo_index *vertices, opevo_index point)
{
    opevo_index other[WIDTH + 1];
    size_t sum = 0;

    opevo_space_decode(space, point, other);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        sum += other[i] != vertices[i];
    return sum;
}

CHECK_TEST(ranks_are_those_of_the_list)
{
    opevo_index points[ROWS];
    opevo_space *space = sparse_space(false, points);
    size_t rank = 0;

    for (size_t i = 0; i < ROWS; i++) {
        opevo_index at = i ? points[i - 1] + 1 : 0;

        if (i > 0 && points[i] == points[i - 1])
            continue;
        assert_true(opevo_space_listed_point(space, rank++) == points[i]);
        assert_true(opevo_space_listed_next(space, &at));
        assert_true(at == points[i]);
    }
    assert_true(opevo_space_listed_count(space) == rank);
    assert_false(opevo_space_listed_next(space, &(opevo_index){points[ROWS - 1] + 1}));
    opevo_space_destroy(space);
}

typedef struct refused {
    const opevo_index *points;
    size_t count;
} refused;

static bool refuses(const void *context, opevo_index point)
{
    const refused *self = context;
    bool found = false;

    for (size_t i = 0; i < self->count; i++)
        found = found || self->points[i] == point;
    return found;
}

/* One parameter away it is the nearest there is; farther away it is mostly. */
CHECK_TEST(nearest_rows_are_near)
{
    for (int branches = 0; branches < 2; branches++) {
        opevo_index points[ROWS];
        opevo_space *space = sparse_space(branches, points);
        size_t exact = 0, asked = 2000, close = 0;

        for (size_t n = 0; n < asked; n++) {
            opevo_index from[WIDTH + 1], found = 0, no[3] = {0};
            refused out = {no, n % 4};
            size_t least = SIZE_MAX;

            if (n % 2)
                opevo_space_decode(space, opevo_hash_mix(n) % opevo_space_size(space), from);
            else
                opevo_space_decode(space, points[opevo_hash_mix(n) % ROWS], from);
            for (size_t k = 0; k < out.count; k++) {
                out.count = k; /* what is nearest is refused, one after the other */
                assert_true(opevo_space_nearest_listed(space, from, refuses, &out, &no[k]));
                out.count = n % 4;
            }
            for (size_t i = 0; i < ROWS; i++) {
                size_t far = distance(space, from, points[i]);

                if (far < least && !refuses(&out, points[i]))
                    least = far;
            }
            assert_true(opevo_space_nearest_listed(space, from, refuses, &out, &found));
            assert_true(opevo_space_allows(space, found));
            assert_false(refuses(&out, found));
            if (least <= 1)
                assert_true(distance(space, from, found) == least);
            close += least <= 1;
            exact += distance(space, from, found) == least;
        }
        assert_true(close > asked / 4);
        assert_true(exact > asked * 7 / 10);
        opevo_space_destroy(space);
    }
}

/* Steps lead to rows that share most parameters, on average far more than two rows do. */
CHECK_TEST(steps_are_near)
{
    opevo_index points[ROWS];
    opevo_space *space = sparse_space(false, points);
    double near = 0, far = 0;

    for (size_t n = 0; n < 5000; n++) {
        opevo_index from = points[opevo_hash_mix(n) % ROWS], vertices[WIDTH];
        opevo_index to = opevo_space_listed_step(space, from, opevo_hash_mix(n + 77777));

        assert_true(opevo_space_allows(space, to));
        assert_true(to != from);
        opevo_space_decode(space, from, vertices);
        near += (double)distance(space, vertices, to) / 5000;
        far += (double)distance(space, vertices, points[opevo_hash_mix(n + 99999) % ROWS]) / 5000;
    }
    assert_true(near < 0.7 * far);
    opevo_space_destroy(space);
}

CHECK_TEST(a_row_alone_stays)
{
    opevo_index points[ROWS], row = 12345;
    opevo_space *space = sparse_space(false, points);
    opevo_index vertices[WIDTH], found = 0;

    CHECK_OK(opevo_space_restrict(space, &row, 1, &err));
    assert_true(opevo_space_listed_step(space, row, 3) == row);
    opevo_space_decode(space, 1, vertices);
    assert_true(opevo_space_nearest_listed(space, vertices, NULL, NULL, &found));
    assert_true(found == row);
    assert_false(opevo_space_nearest_listed(space, vertices, refuses, &(refused){&row, 1}, &found));
    opevo_space_destroy(space);
}

/* Rows that constraints exclude are not on the list, whether it comes by a file or a table. */
CHECK_TEST(constraints_narrow_the_list)
{
    static const char head[] =
        "{\"a\": {\"_type\": \"factor\", \"_value\": [1048576, 4]}, "
        "\"c\": {\"_type\": \"factor\", \"_value\": [1048576, 4]}, "
        "\"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]}, "
        "\"_constraints\": [\"a[0] * b <= 64\", \"a[1] >= a[2]\"]";
    opevo_index points[ROWS], allowed[ROWS];
    size_t kept = 0;
    uint64_t mixed = 1;
    opevo_text text = {0};
    opevo_space *space = NULL, *read = NULL;

    opevo_text_printf(&text, "%s}", head);
    CHECK_OK(opevo_space_parse(text.data, "a test", NULL, &space, &err));
    for (size_t i = 0; i < ROWS; i++) {
        mixed = opevo_hash_mix(mixed + i);
        points[i] = (opevo_index)mixed % opevo_space_size(space);
    }
    qsort(points, ROWS, sizeof *points, compare_points);
    for (size_t i = 0; i < ROWS; i++) {
        if ((i == 0 || points[i] != points[i - 1]) && opevo_space_allows(space, points[i]))
            allowed[kept++] = points[i];
    }
    assert_true(kept > ROWS / 50 && kept < ROWS / 2);
    CHECK_OK(opevo_space_restrict(space, points, ROWS, &err));
    opevo_text_clear(&text);
    opevo_space_write_json(space, &text);
    CHECK_OK(opevo_space_parse(text.data, "a test", NULL, &read, &err));
    for (int k = 0; k < 2; k++) {
        const opevo_space *one = k ? read : space;

        assert_true(opevo_space_is_sparse(one));
        assert_true(opevo_space_listed_count(one) == kept);
        for (size_t i = 0; i < kept; i++)
            assert_true(opevo_space_listed_point(one, i) == allowed[i]);
    }
    opevo_text_free(&text);
    opevo_space_destroy(space);
    opevo_space_destroy(read);
}
