/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Streams: the published vectors of Philox4x64-10, golden values, uniformity, independence of
 * names, bounded integers, and GSL on top. */

#include "law_fixture.h"

#include <opevo/hash.h>
#include <opevo/random_gsl.h>

#include <gsl/gsl_randist.h>

#include <Random123/philox.h>

CHECK_TEST(published_vectors)
{
    static const uint64_t zero[4] = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                     0x7e68b68aec7ba23b};
    static const uint64_t ones[4] = {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
                                     0xa09caebf594f0ba0};
    philox4x64_ctr_t full = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    philox4x64_key_t full_key = {{UINT64_MAX, UINT64_MAX}};
    philox4x64_ctr_t words = philox4x64_R(10, full, full_key);
    opevo_rng rng = {.used = OPEVO_RNG_BUFFER};

    for (int i = 0; i < 4; i++) {
        assert_int_equal(opevo_rng_u64(&rng), zero[i]);
        assert_int_equal(words.v[i], ones[i]);
    }
}

/* Every word of a stream, across refills, is the documented block of Random123. */
CHECK_TEST(blocks_as_documented)
{
    const char *purpose = "tuner";
    philox4x64_key_t key = {{77, opevo_hash_bytes(OPEVO_HASH_START, purpose, strlen(purpose))}};
    opevo_rng rng;

    opevo_rng_init(&rng, 77, purpose, 5);
    for (uint64_t block = 0; block < 50; block++) {
        philox4x64_ctr_t counter = {{block, 5, 0, 0}};
        philox4x64_ctr_t words = philox4x64_R(10, counter, key);

        for (int i = 0; i < 4; i++)
            assert_int_equal(opevo_rng_u64(&rng), words.v[i]);
    }
}

CHECK_TEST(golden_streams)
{
    static const struct {
        uint64_t seed;
        const char *purpose;
        uint64_t index, first, thousandth;
    } golden[] = {
        {1, "tuner", 0, 0x4909dc9992b65212, 0x6a05251412d92b97},
        {1, "tuner", 1, 0xcd4562358d46e849, 0xf10feaf38e188118},
        {2, "tuner", 0, 0xab31486426c112b6, 0x4f5ee0530421b71c},
        {0, "", 0, 0x3de0400211027eae, 0x59878f6993c263d3},
        {UINT64_MAX, "verify", 1000000, 0x214b7b0667c8826e, 0xb6b2ec207abb0aaf},

    };

    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        opevo_rng rng;
        uint64_t word = 0;

        opevo_rng_init(&rng, golden[i].seed, golden[i].purpose, golden[i].index);
        word = opevo_rng_u64(&rng);
        assert_int_equal(word, golden[i].first);
        for (int k = 1; k < 1000; k++)
            word = opevo_rng_u64(&rng);
        assert_int_equal(word, golden[i].thousandth);
    }
}

/* 2^20 numbers in 1024 cells, from the top and from the bottom bits. A bit that is set with
 * probability 0.51 adds 419 to a statistic that exceeds its mean by 181 at the limit used, and has
 * a standard deviation of 61 then: it is caught with probability 0.9999. */
CHECK_TEST(uniform)
{
    enum { CELLS = 1024, DRAWS = 1 << 20 };
    static uint64_t top[CELLS], bottom[CELLS], unit[CELLS];
    static double expected[CELLS];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "uniform", 0);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t word = opevo_rng_u64(&rng);
        double x = opevo_rng_unit(&rng);

        assert_true(x >= 0 && x < 1);
        top[word >> 54]++;
        bottom[word % CELLS]++;
        unit[(int)(x * CELLS)]++;
    }
    for (int i = 0; i < CELLS; i++)
        expected[i] = 1.0 / CELLS;
    assert_true(fit_p(top, expected, CELLS, DRAWS) > 1e-4);
    assert_true(fit_p(bottom, expected, CELLS, DRAWS) > 1e-4);
    assert_true(fit_p(unit, expected, CELLS, DRAWS) > 1e-4);
}

/* Streams whose names differ in one place: bits agree half of the time. 64 * 20000 bits, standard
 * deviation 4.4e-4: a shared stream gives 1, an overlap of one word in 100 gives 0.505, eleven
 * deviations away. */
CHECK_TEST(names_are_independent)
{
    opevo_rng base, other[5];
    double agree[5] = {0};

    opevo_rng_init(&base, 1, "a", 0);
    opevo_rng_init(&other[0], 2, "a", 0);
    opevo_rng_init(&other[1], 1, "b", 0);
    opevo_rng_init(&other[2], 1, "a", 1);
    opevo_rng_init(&other[3], 1, "", 0);
    opevo_rng_init(&other[4], 1, "a", UINT64_MAX);
    for (int i = 0; i < 20000; i++) {
        uint64_t word = opevo_rng_u64(&base);

        for (int k = 0; k < 5; k++)
            agree[k] += __builtin_popcountll(~(word ^ opevo_rng_u64(&other[k])));
    }
    for (int k = 0; k < 5; k++)
        CHECK_CLOSE(agree[k] / (64.0 * 20000), 0.5, 5 * 4.5e-4);
}

CHECK_TEST(copies_go_on_alike)
{
    opevo_rng rng, copy;

    opevo_rng_init(&rng, 3, "copy", 9);
    for (int i = 0; i < 37; i++)
        opevo_rng_u64(&rng);
    copy = rng;
    for (int i = 0; i < 100; i++)
        assert_int_equal(opevo_rng_u64(&rng), opevo_rng_u64(&copy));
}

/* With bound 3 * 2^62, a multiplication without rejection would give multiples of 3 half of all
 * draws instead of a third: 30000 draws lie 61 standard deviations apart. */
CHECK_TEST(below_is_exact)
{
    uint64_t drawn[3] = {0}, wide[3] = {0}, small[7] = {0};
    static const double thirds[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    static const double sevenths[7] = {1 / 7.0, 1 / 7.0, 1 / 7.0, 1 / 7.0,
                                       1 / 7.0, 1 / 7.0, 1 / 7.0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "below", 0);
    for (int i = 0; i < 30000; i++) {
        uint64_t x = opevo_rng_below(&rng, (uint64_t)3 << 62);
        opevo_index y = opevo_rng_below_wide(&rng, (opevo_index)3 << 126);

        assert_true(x < (uint64_t)3 << 62);
        assert_true(y < (opevo_index)3 << 126);
        drawn[x % 3]++;
        wide[(int)(y % 3)]++;
        small[(int)opevo_rng_below_wide(&rng, 7)]++;
        assert_int_equal(opevo_rng_below(&rng, 1), 0);
        assert_true(opevo_rng_below_wide(&rng, 1) == 0);
    }
    assert_true(fit_p(drawn, thirds, 3, 30000) > 1e-4);
    assert_true(fit_p(wide, thirds, 3, 30000) > 1e-4);
    assert_true(fit_p(small, sevenths, 7, 30000) > 1e-4);
}

/* All 24 orders of four items, and all 12 of two chosen from four, are equally likely. A shuffle
 * that never leaves an item in place (9 orders), or draws all partners from all places (256 equal
 * ways do not divide by 24), is caught with certainty. */
CHECK_TEST(orders_are_uniform)
{
    enum { DRAWS = 24000 };
    uint64_t orders[256] = {0}, choices[16] = {0};
    double by_order[256], by_choice[16];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "orders", 0);
    for (int i = 0; i < DRAWS; i++) {
        uint16_t items[4] = {0, 1, 2, 3};
        size_t order[4];

        opevo_rng_order(&rng, order, 4);
        orders[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
        opevo_rng_choose(&rng, items, 4, 2, sizeof *items);
        choices[items[0] << 2 | items[1]]++;
        assert_int_equal(1 << items[0] | 1 << items[1] | 1 << items[2] | 1 << items[3], 15);
    }
    for (unsigned i = 0; i < 256; i++) {
        unsigned met = 1U << (i >> 6) | 1U << (i >> 4 & 3) | 1U << (i >> 2 & 3) | 1U << (i & 3);

        by_order[i] = met == 15 ? 1.0 / 24 : 0;
    }
    for (unsigned i = 0; i < 16; i++)
        by_choice[i] = i >> 2 == (i & 3) ? 0 : 1.0 / 12;
    assert_true(fit_p(orders, by_order, 256, DRAWS) > 1e-4);
    assert_true(fit_p(choices, by_choice, 16, DRAWS) > 1e-4);
}

/* The draws that are documented and no others, for items of every size; nothing is lost. */
CHECK_TEST(orders_draw_as_documented)
{
    enum { COUNT = 9 };

    for (size_t size = 1; size <= OPEVO_RNG_ITEM_SIZE; size++) {
        unsigned char items[COUNT * OPEVO_RNG_ITEM_SIZE];
        unsigned char expected[COUNT];
        opevo_rng rng, same;

        opevo_rng_init(&rng, size, "order", 0);
        same = rng;
        for (size_t i = 0; i < COUNT; i++) {
            memset(items + i * size, (int)i, size);
            expected[i] = (unsigned char)i;
        }
        opevo_rng_shuffle(&rng, items, COUNT, size);
        opevo_rng_choose(&rng, items, COUNT, 3, size);
        for (size_t i = COUNT; i-- > 1;) {
            size_t j = (size_t)opevo_rng_below(&same, i + 1);
            unsigned char kept = expected[i];

            expected[i] = expected[j];
            expected[j] = kept;
        }
        for (size_t i = 0; i < 3; i++) {
            size_t j = i + (size_t)opevo_rng_below(&same, COUNT - i);
            unsigned char kept = expected[i];

            expected[i] = expected[j];
            expected[j] = kept;
        }
        for (size_t i = 0; i < COUNT * size; i++)
            assert_int_equal(items[i], expected[i / size]);
        assert_int_equal(opevo_rng_u64(&rng), opevo_rng_u64(&same));
    }
}

/* Shares as the weights, none for a weight of 0, also at either end. A place one off, or a weight
 * taken for its neighbour's, moves thousands of 30000 draws. */
CHECK_TEST(weighted_by_sums)
{
    static const double weights[7] = {0, 1, 2, 0, 0, 5, 0};
    double sums[7], shares[7], sum = 0;
    uint64_t drawn[7] = {0};
    opevo_rng rng;

    for (int i = 0; i < 7; i++) {
        sum += weights[i];
        sums[i] = sum;
        shares[i] = weights[i] / 8;
    }
    opevo_rng_init(&rng, 1, "weighted", 0);
    for (int i = 0; i < 30000; i++) {
        drawn[opevo_rng_weighted(&rng, sums, 7)]++;
        assert_int_equal(opevo_rng_weighted(&rng, sums + 1, 1), 0);
    }
    assert_true(fit_p(drawn, shares, 7, 30000) > 1e-4);
}

/* Sums so small that their product with a number below 1 rounds up to the last of them. */
CHECK_TEST(weighted_by_tiny_sums)
{
    static const double sums[3] = {0, 5e-324, 5e-324};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "weighted", 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(opevo_rng_weighted(&rng, sums, 3), 1);
}

/* Bounds around 2^64, where the narrow and the wide way meet. */
CHECK_TEST(below_wide_at_its_seams)
{
    const opevo_index one = 1;
    const opevo_index bounds[] = {(one << 64) - 1, one << 64, (one << 64) + 1, (one << 127) + 1,
                                  OPEVO_INDEX_MAX};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "seams", 0);
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        double sum = 0;

        for (int i = 0; i < 10000; i++) {
            opevo_index x = opevo_rng_below_wide(&rng, bounds[b]);

            assert_true(x < bounds[b]);
            sum += (double)x / (double)bounds[b];
        }
        CHECK_CLOSE(sum / 10000, 0.5, 5 * 0.0029); /* sqrt(1/12/10000) = 0.0029 */
    }
}

CHECK_TEST(thresholds)
{
    assert_int_equal(opevo_rng_threshold(0), 0);
    assert_int_equal(opevo_rng_threshold(0.5), (uint64_t)1 << 63);
    assert_int_equal(opevo_rng_threshold(0x1p-64), 1);
    assert_int_equal(opevo_rng_threshold(1 - 0x1p-53), UINT64_MAX - 2047);
}

CHECK_TEST(gsl_draws_from_it)
{
    enum { DRAWS = 200000, CELLS = 20 };
    uint64_t cells[CELLS] = {0}, faces[6] = {0};
    double expected[CELLS], sixths[6];
    opevo_rng rng, same;
    gsl_rng generator;

    opevo_rng_init(&rng, 11, "gsl", 2);
    same = rng;
    generator = opevo_rng_as_gsl(&rng);
    assert_int_equal(gsl_rng_min(&generator), 0);
    assert_int_equal(gsl_rng_max(&generator), UINT64_MAX);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gsl_rng_get(&generator), opevo_rng_u64(&same));
        CHECK_CLOSE(gsl_rng_uniform(&generator), opevo_rng_unit(&same), 0);
    }
    for (int i = 0; i < DRAWS; i++) {
        double x = gsl_cdf_ugaussian_P(gsl_ran_gaussian_ziggurat(&generator, 1));

        cells[(int)(x * CELLS)]++;
        faces[gsl_rng_uniform_int(&generator, 6)]++;
    }
    for (int i = 0; i < CELLS; i++)
        expected[i] = 1.0 / CELLS;
    for (int i = 0; i < 6; i++)
        sixths[i] = 1.0 / 6;
    assert_true(fit_p(cells, expected, CELLS, DRAWS) > 1e-4);
    assert_true(fit_p(faces, sixths, 6, DRAWS) > 1e-4);
}

CHECK_TEST(gsl_set_restarts_the_stream)
{
    opevo_rng rng, fresh;
    gsl_rng generator;

    opevo_rng_init(&rng, 1, "restart", 4);
    generator = opevo_rng_as_gsl(&rng);
    gsl_rng_get(&generator);
    gsl_rng_set(&generator, 99);
    opevo_rng_init(&fresh, 99, "restart", 4);
    for (int i = 0; i < 40; i++)
        assert_int_equal(gsl_rng_get(&generator), opevo_rng_u64(&fresh));
}
