/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Neighbours on lists of values: the same sets as by going through the whole space, each neighbour
 * as likely as any other, and the same in spaces far too large to go through. */

#include "check_memory.h"
#include "formula.h"

#include <gsl/gsl_cdf.h>

#include "branched_spaces.h"
#include "kt_space_internal.h"

enum { WIDTH_MOST = 8, ROWS_MOST = 512 };

static const opevo_i_kt_kind kinds[] = {OPEVO_I_KT_STRICTLY_ADJACENT, OPEVO_I_KT_ADJACENT,
                                        OPEVO_I_KT_HAMMING, OPEVO_I_KT_HAMMING_ADJACENT};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Without constraints; with one that forbids half; with one under which b = 3 and b = 4 never
 * occur; and with one that leaves few points, so that drawing fails and candidates are walked
 * through. */
static const char *const spaces[] = {
    "{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}, \"b\": {\"_type\": \"choice\","
    " \"_value\": [0, 1, 2, 3, 4, 5]}, \"c\": {\"_type\": \"choice\", \"_value\": [7]},"
    " \"d\": {\"_type\": \"permutation\", \"_value\": [3]}}",
    "{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}, \"b\": {\"_type\": \"choice\","
    " \"_value\": [0, 1, 2, 3, 4, 5]}, \"d\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]},"
    " \"_constraints\": [\"(a + b + d) % 2 == 0\"]}",
    "{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}, \"b\": {\"_type\": \"choice\","
    " \"_value\": [0, 1, 2, 3, 4, 5]}, \"d\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]},"
    " \"_constraints\": [\"b < 3 || b > 4\"]}",
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]},"
    " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]},"
    " \"d\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]},"
    " \"_constraints\": [\"a * 31 + b * 17 + d * 7 > 470 || a + b + d == 0\"]}",
};
enum { SPACES = sizeof spaces / sizeof *spaces };

static bool occurrence[WIDTH_MOST][16]; /* whether some allowed point has this value */

/* Ways to find neighbours: by going through candidates, and from a diagram. */
enum { WAYS = 2 };

/* The space under test, from its diagram or not; its occurrences are worked out by going through
 * it, if it is small. */
static opevo_i_kt_space look_by(const opevo_space *space, int way)
{
    opevo_i_kt_space self;

    memset(occurrence, 0, sizeof occurrence);
    for (opevo_index point = 0; point < opevo_space_size(space) && point < 4096; point++) {
        opevo_index vertices[WIDTH_MOST];

        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
            if (vertices[i] != OPEVO_INACTIVE)
                occurrence[i][(size_t)vertices[i] % 16] |= opevo_space_allows(space, point);
        }
    }
    CHECK_OK(opevo_i_kt_space_init(&self, space, &err));
    if (way == 1) {
        const opevo_diagram *diagram = NULL;

        assert_null(self.diagram);
        CHECK_OK(opevo_space_diagram(space, &diagram, &err));
        CHECK_OK(opevo_i_kt_space_use(&self, diagram, &err));
    }
    return self;
}

static opevo_i_kt_space look_at(const opevo_space *space)
{
    return look_by(space, 0);
}

/* Whether `value` is `from` or as near to it as any value on its side that occurs. */
static bool is_near(bool strictly, size_t parameter, opevo_index from, opevo_index value)
{
    opevo_index low = from < value ? from : value;
    opevo_index high = from < value ? value : from;

    if (strictly)
        return high - low <= 1;
    for (opevo_index between = low + 1; between < high; between++) {
        if (occurrence[parameter][(size_t)between])
            return false;
    }
    return value == from || occurrence[parameter][(size_t)value];
}

/* The definition of a neighbour. What is silent there stays as it is. */
static bool is_neighbour(const opevo_space *space, opevo_i_kt_kind kind, const opevo_index *from,
                         opevo_index point)
{
    bool strictly = kind == OPEVO_I_KT_STRICTLY_ADJACENT;
    opevo_index vertices[WIDTH_MOST];
    size_t differ = 0;
    bool near = true;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (vertices[i] == OPEVO_INACTIVE)
            vertices[i] = from[i];
        differ += vertices[i] != from[i];
        near = near && is_near(strictly, i, from[i], vertices[i]);
    }
    if (!opevo_space_allows(space, point) || differ == 0)
        return false;
    if (kind == OPEVO_I_KT_HAMMING)
        return differ == 1;
    return near && (kind != OPEVO_I_KT_HAMMING_ADJACENT || differ == 1);
}

static size_t find_all(const opevo_space *space, opevo_i_kt_kind kind, const opevo_index *from,
                       opevo_index *points)
{
    size_t count = 0;

    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        if (is_neighbour(space, kind, from, point))
            points[count++] = point;
    }
    assert_true(count < ROWS_MOST);
    return count;
}

CHECK_TEST(test_all_neighbours_are_found)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t s = 0; s < SPACES * WAYS; s++) {
        opevo_space *space = formula_space(spaces[s % SPACES]);
        opevo_i_kt_space look = look_by(space, s >= SPACES);
        opevo_index step = opevo_space_size(space) / 40 + 1;

        for (opevo_index from = 0; from < opevo_space_size(space); from += step) {
            for (size_t k = 0; k < KINDS; k++) {
                opevo_index vertices[WIDTH_MOST];
                opevo_index expected[ROWS_MOST];
                opevo_index rows[ROWS_MOST * WIDTH_MOST];
                size_t count = 0;

                opevo_space_decode(space, from, vertices);
                count = find_all(space, kinds[k], vertices, expected);
                assert_int_equal(
                    opevo_i_kt_neighbours(&look, kinds[k], vertices, &rng, ROWS_MOST, rows), count);
                for (size_t n = 0; n < count; n++) {
                    size_t met = 0;

                    for (size_t m = 0; m < count; m++)
                        met += opevo_i_kt_encode(&look, rows + m * look.width) == expected[n];
                    assert_int_equal(met, 1);
                }
            }
        }
        opevo_i_kt_space_clear(&look);
        opevo_space_destroy(space);
    }
}

/* Every neighbour is as likely in a step, and in a sample of three. 20,000 draws see a neighbour
 * that comes 1.2 times as often as another with probability above .999 at this level of 1e-6. */
CHECK_TEST(test_neighbours_are_uniform)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t s = 0; s < SPACES * WAYS; s++) {
        opevo_space *space = formula_space(spaces[s % SPACES]);
        opevo_i_kt_space look = look_by(space, s >= SPACES);

        for (size_t k = 0; k < KINDS; k++) {
            for (size_t sample = 1; sample <= 3; sample += 2) {
                opevo_index vertices[WIDTH_MOST];
                opevo_index expected[ROWS_MOST];
                opevo_index rows[3 * WIDTH_MOST];
                double counts[ROWS_MOST] = {0};
                double statistic = 0;
                double draws = 20000;
                size_t count = 0;

                opevo_space_decode(space, opevo_space_size(space) / 2 + 1, vertices);
                count = find_all(space, kinds[k], vertices, expected);
                if (count < 4)
                    continue;
                for (int draw = 0; draw < 20000; draw++) {
                    assert_int_equal(
                        opevo_i_kt_neighbours(&look, kinds[k], vertices, &rng, sample, rows),
                        sample);
                    for (size_t n = 0; n < sample * count; n++)
                        counts[n % count] +=
                            opevo_i_kt_encode(&look, rows + n / count * look.width) ==
                            expected[n % count];
                }
                draws *= (double)sample;
                for (size_t n = 0; n < count; n++)
                    statistic += pow(counts[n] - draws / (double)count, 2) / draws * (double)count;
                assert_true(gsl_cdf_chisq_Q(statistic, (double)(count - 1)) > 1e-6);
            }
        }
        opevo_i_kt_space_clear(&look);
        opevo_space_destroy(space);
    }
}

/* Draw what is silent in a row. */
static void draw_silent(const opevo_i_kt_space *look, opevo_index point, opevo_rng *rng,
                        opevo_index *row)
{
    opevo_space_decode(look->space, point, row);
    for (size_t i = 0; i < look->width; i++) {
        if (row[i] == OPEVO_INACTIVE)
            row[i] = opevo_rng_below(rng, (uint64_t)look->sizes[i]);
    }
    assert_true(opevo_i_kt_encode(look, row) == point);
}

static opevo_index distance(const opevo_i_kt_space *look, const opevo_index *a,
                            const opevo_index *b);

/* With branches, whatever is silent: the same neighbours as by going through the space, each once,
 * and the nearest allowed point is as near as any. */
static void check_branches(int way)
{
    opevo_space *space = formula_space("{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}");
    opevo_i_kt_space look = look_by(space, way);
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (opevo_index from = 0; from < 3 * opevo_space_size(space); from++) {
        opevo_index row[WIDTH_MOST], to[WIDTH_MOST], expected[ROWS_MOST];
        opevo_index rows[ROWS_MOST * WIDTH_MOST], least = OPEVO_INDEX_MAX;

        draw_silent(&look, from / 3, &rng, row);
        for (size_t k = 0; k < KINDS; k++) {
            size_t count = find_all(space, kinds[k], row, expected);

            assert_int_equal(opevo_i_kt_neighbours(&look, kinds[k], row, &rng, ROWS_MOST, rows),
                             count);
            for (size_t n = 0; n < count; n++) {
                size_t met = 0;

                for (size_t m = 0; m < count; m++)
                    met += opevo_i_kt_encode(&look, rows + m * look.width) == expected[n];
                assert_int_equal(met, 1);
            }
        }
        for (opevo_index point = 0; point < opevo_space_size(space); point++) {
            opevo_space_decode(space, point, to);
            for (size_t i = 0; i < look.width; i++)
                to[i] = to[i] == OPEVO_INACTIVE ? row[i] : to[i];
            if (opevo_space_allows(space, point) && distance(&look, to, row) < least)
                least = distance(&look, to, row);
        }
        opevo_i_kt_copy(&look, to, row);
        assert_true(opevo_i_kt_nearest(&look, to) && opevo_i_kt_allows(&look, to));
        opevo_space_decode(space, opevo_i_kt_encode(&look, to), to);
        for (size_t i = 0; i < look.width; i++)
            to[i] = to[i] == OPEVO_INACTIVE ? row[i] : to[i];
        assert_true(distance(&look, to, row) == least);
    }
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

CHECK_TEST(test_branches)
{
    for (int way = 0; way < WAYS; way++)
        check_branches(way);
}

/* A silent parameter of 2e18 values does not hide the few neighbours that there are. */
CHECK_TEST(test_large_silent_parameter)
{
    opevo_space *space = formula_space(LARGE_BRANCH);
    opevo_i_kt_space look = look_at(space);
    opevo_index from[3] = {1, 0, 2}, rows[ROWS_MOST * 3];
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    assert_true(opevo_i_kt_is_silent(&look, 1, from));
    assert_int_equal(opevo_i_kt_neighbours(&look, OPEVO_I_KT_HAMMING, from, &rng, ROWS_MOST, rows),
                     4);
    assert_int_equal(
        opevo_i_kt_neighbours(&look, OPEVO_I_KT_HAMMING_ADJACENT, from, &rng, ROWS_MOST, rows), 3);
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

static opevo_index distance(const opevo_i_kt_space *look, const opevo_index *a,
                            const opevo_index *b)
{
    opevo_index sum = 0;

    for (size_t i = 0; i < look->width; i++)
        sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    return sum;
}

/* The allowed point that is nearest in sum, the last of equals, by going through the space. */
static opevo_index find_nearest(const opevo_i_kt_space *look, const opevo_index *from)
{
    opevo_index best = 0;
    opevo_index least = OPEVO_INDEX_MAX;
    opevo_index vertices[WIDTH_MOST];

    for (opevo_index point = 0; point < opevo_space_size(look->space); point++) {
        opevo_space_decode(look->space, point, vertices);
        if (opevo_space_allows(look->space, point) && distance(look, vertices, from) <= least) {
            least = distance(look, vertices, from);
            best = point;
        }
    }
    return best;
}

static void check_repairs(const opevo_i_kt_space *look, opevo_index point, opevo_rng *rng)
{
    opevo_index from[WIDTH_MOST];
    opevo_index to[WIDTH_MOST];
    opevo_index all[ROWS_MOST];
    bool allowed = opevo_space_allows(look->space, point);
    size_t count = 0;

    opevo_space_decode(look->space, point, from);
    opevo_i_kt_copy(look, to, from);
    assert_true(opevo_i_kt_nearest(look, to));
    if (allowed || !look->diagram) {
        assert_true(opevo_i_kt_encode(look, to) == (allowed ? point : find_nearest(look, from)));
    } else { /* which has another order of equals */
        opevo_index wanted[WIDTH_MOST];

        opevo_space_decode(look->space, find_nearest(look, from), wanted);
        assert_true(opevo_i_kt_allows(look, to));
        assert_true(distance(look, to, from) == distance(look, wanted, from));
    }

    opevo_i_kt_copy(look, to, from);
    count = find_all(look->space, OPEVO_I_KT_ADJACENT, from, all);
    assert_int_equal(opevo_i_kt_last_adjacent(look, to), allowed || count > 0);
    if (!allowed && count > 0)
        assert_true(opevo_i_kt_encode(look, to) == all[count - 1]);

    opevo_i_kt_copy(look, to, from);
    if (opevo_i_kt_repair(look, rng, to)) {
        bool expected = allowed && opevo_i_kt_equal(look, to, from);

        for (size_t k = 0; k < 3 && !allowed && !expected; k++) {
            count = find_all(look->space, kinds[k], from, all);
            expected = is_neighbour(look->space, kinds[k], from, opevo_i_kt_encode(look, to));
            if (count)
                break;
        }
        assert_true(expected);
    } else {
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(find_all(look->space, kinds[k], from, all), 0);
        assert_true(opevo_i_kt_equal(look, to, from));
    }
}

CHECK_TEST(test_repairs)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    for (size_t s = 0; s < SPACES * WAYS; s++) {
        opevo_space *space = formula_space(spaces[s % SPACES]);
        opevo_i_kt_space look = look_by(space, s >= SPACES);

        for (opevo_index point = 0; point < opevo_space_size(space); point += 7)
            check_repairs(&look, point, &rng);
        opevo_i_kt_space_clear(&look);
        opevo_space_destroy(space);
    }
}

/* In n = size * m points every value of a list of `size` comes m times; in fewer none comes twice.
 */
CHECK_TEST(test_latin_hypercube)
{
    opevo_space *space = formula_space(spaces[0]);
    opevo_i_kt_space look = look_at(space);
    opevo_index rows[18 * WIDTH_MOST];
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (size_t count = 3; count <= 18; count += 15) {
        CHECK_OK(opevo_i_kt_latin_hypercube(&look, &rng, count, rows, &err));
        for (size_t i = 0; i < look.width; i++) {
            unsigned times[6] = {0};

            for (size_t k = 0; k < count; k++)
                times[(size_t)rows[k * look.width + i]]++;
            for (size_t value = 0; value < (size_t)look.sizes[i]; value++) {
                if (look.sizes[i] <= count)
                    assert_int_equal(times[value], count / (size_t)look.sizes[i]);
                else
                    assert_true(times[value] <= 1);
            }
        }
    }
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

CHECK_TEST(test_samples)
{
    opevo_space *space = formula_space(spaces[3]);
    opevo_i_kt_space look = look_at(space);
    opevo_index rows[ROWS_MOST * 3];
    opevo_rng rng;
    size_t count = 0;

    opevo_rng_init(&rng, 5, "test", 0);
    count = opevo_i_kt_sample_distinct(&look, &rng, ROWS_MOST, rows);
    assert_true(count == (size_t)look.count && count < ROWS_MOST && count > 3);
    for (size_t n = 0; n < count; n++) {
        assert_true(opevo_i_kt_allows(&look, rows + n * look.width));
        for (size_t m = 0; m < n; m++)
            assert_false(opevo_i_kt_equal(&look, rows + n * look.width, rows + m * look.width));
    }
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

/* permutation(30) has 2.65e32 values, far beyond any list: every kind of step stays cheap. */
CHECK_TEST(test_huge_space)
{
    opevo_space *space = formula_space(
        "{\"o\": {\"_type\": \"permutation\", \"_value\": [30]}, \"f\": {\"_type\": \"factor\","
        " \"_value\": [4096, 4]}, \"_constraints\": [\"f[0] * f[1] <= 256\"]}");
    opevo_i_kt_space look = look_at(space);
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    for (int n = 0; n < 200; n++) {
        opevo_index from[2];
        opevo_index rows[8 * 2];

        assert_true(opevo_i_kt_sample(&look, &rng, from));
        for (size_t k = 0; k < KINDS; k++) {
            size_t count = opevo_i_kt_neighbours(&look, kinds[k], from, &rng, 8, rows);

            assert_true(kinds[k] == OPEVO_I_KT_HAMMING ? count == 8 : count > 0);
            for (size_t m = 0; m < count; m++) {
                int differ = (rows[2 * m] != from[0]) + (rows[2 * m + 1] != from[1]);

                assert_true(opevo_i_kt_allows(&look, rows + 2 * m));
                assert_true(differ == 1 || (k < 2 && differ == 2));
                assert_true(kinds[k] == OPEVO_I_KT_HAMMING ||
                            distance(&look, from, rows + 2 * m) <= 2);
            }
        }
    }
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_i_kt_space look;
    opevo_space *space = formula_space(spaces[2]);

    CHECK_MEMORY_OF(opevo_i_kt_space_init(&look, space, NULL), opevo_i_kt_space_clear(&look));
    opevo_space_destroy(space);
}
