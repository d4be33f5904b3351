/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "check.h"
#include "draw.h"

#include <opevo/element.h>

#include <float.h>

enum { PATTERNS = 65536 };

static float float_of(uint32_t bits)
{
    float value = 0;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits = 0;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* By the definition of the formats: sign, exponent with its bias, and what is behind the point. */
static double by_definition(opevo_element element, uint16_t bits)
{
    int digits = element == OPEVO_FLOAT16 ? 10 : 7, bias = element == OPEVO_FLOAT16 ? 15 : 127;
    int exponent = (bits & 0x7fff) >> digits;
    double behind = (bits & ((1 << digits) - 1)) / (double)(1 << digits);
    double sign = bits & 0x8000 ? -1 : 1;

    if (exponent == 2 * bias + 1)
        return behind > 0 ? NAN : sign * INFINITY;
    return exponent ? sign * (1 + behind) * pow(2, exponent - bias)
                    : sign * behind * pow(2, 1 - bias);
}

static double get(opevo_element element, uint16_t bits)
{
    return opevo_element_get(element, &bits, 0);
}

static uint16_t put(opevo_element element, double value)
{
    uint16_t bits = 0xabcd;

    opevo_element_put(element, &bits, 0, value);
    return bits;
}

CHECK_TEST(test_all_values)
{
    static const opevo_element types[] = {OPEVO_FLOAT16, OPEVO_BFLOAT16};

    for (int t = 0; t < 2; t++) {
        for (unsigned bits = 0; bits < PATTERNS; bits++) {
            double right = by_definition(types[t], (uint16_t)bits);
            double value = get(types[t], (uint16_t)bits);

            if (isnan(right)) {
                assert_true(isnan(value) && isnan(get(types[t], put(types[t], value))));
                continue;
            }
            assert_true(value == right && !signbit(value) == !signbit(right));
            assert_int_equal(put(types[t], value), bits);
            assert_true(opevo_element_nearest(types[t], value) == value);
        }
    }
}

/* Between two neighbours the nearer one, of both the even one. */
CHECK_TEST(test_rounding_is_to_nearest_even)
{
    static const opevo_element types[] = {OPEVO_FLOAT16, OPEVO_BFLOAT16};

    for (int t = 0; t < 2; t++) {
        unsigned infinity = put(types[t], INFINITY);

        for (unsigned bits = 0; bits < infinity; bits++) {
            double low = get(types[t], (uint16_t)bits);
            /* Behind the largest number, infinity stands for the one that would follow. */
            double high = bits + 1 < infinity ? get(types[t], (uint16_t)(bits + 1))
                                              : 2 * low - get(types[t], (uint16_t)(bits - 1));
            double middle = (low + high) / 2;
            unsigned even = bits & 1 ? bits + 1 : bits;

            assert_int_equal(put(types[t], middle), even);
            assert_int_equal(put(types[t], -middle), even | 0x8000);
            assert_int_equal(put(types[t], nextafter(middle, 0)), bits);
            assert_int_equal(put(types[t], nextafter(middle, INFINITY)), bits + 1);
        }
        assert_int_equal(put(types[t], DBL_MAX), infinity);
        assert_int_equal(put(types[t], -0.0), 0x8000);
    }
}

/* Largest |nearest(x) - x|, where x is at most `size`. */
CHECK_TEST(test_largest_rounding)
{
    static const opevo_element types[] = {OPEVO_FLOAT16, OPEVO_BFLOAT16, OPEVO_FLOAT32};
    uint64_t random = 1;

    for (int t = 0; t < 3; t++) {
        for (int turn = 0; turn < 20000; turn++) {
            double size =
                ldexp((double)draw(&random, 1 << 30) * 0x1p-30 + 1e-9, (int)draw(&random, 40) - 24);
            double rounding = opevo_element_rounding(types[t], size), most = 0;

            if (isinf(rounding)) {
                assert_true(types[t] == OPEVO_FLOAT16 && size >= 65520);
                continue;
            }
            for (int i = 0; i < 20; i++) {
                double x = size * (1 - (double)draw(&random, 1 << 20) * 0x1p-29);

                most = fmax(most, fabs(opevo_element_nearest(types[t], x) - x));
            }
            assert_true(most <= rounding);
            assert_true(rounding <= fmax(size * (types[t] == OPEVO_FLOAT16    ? 0x1p-11
                                                 : types[t] == OPEVO_BFLOAT16 ? 0x1p-8
                                                                              : 0x1p-24),
                                         types[t] == OPEVO_FLOAT16 ? 0x1p-25 : 0));
        }
        assert_true(opevo_element_rounding(types[t], 0) == 0);
        assert_true(isinf(opevo_element_rounding(types[t], INFINITY)));
        assert_true(isinf(opevo_element_rounding(types[t], NAN)));
    }
    assert_true(opevo_element_rounding(OPEVO_INT8, 100) == 0);
}

/* The compiler's own conversion, and that by the upper half of a float. */
CHECK_TEST(test_agrees_with_floats)
{
    uint64_t random = 2;

    for (int turn = 0; turn < 1000000; turn++) {
        uint32_t bits = (uint32_t)draw(&random, UINT64_C(1) << 32);
        float value = float_of(bits);
        uint16_t upper = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);

        if (isnan(value))
            continue;
        assert_int_equal(put(OPEVO_BFLOAT16, (double)value), upper);
        assert_int_equal(bits_of((float)get(OPEVO_BFLOAT16, upper)), (uint32_t)upper << 16);
#ifdef __FLT16_MANT_DIG__
        if (turn & 1) /* most floats are too large */
            value = ldexpf(value, -(ilogbf(value) + (int)draw(&random, 44) - 18));
        if (value != 0 && isfinite(value)) {
            __extension__ _Float16 half = __extension__(_Float16) value;
            uint16_t right = 0;

            memcpy(&right, &half, sizeof right);
            assert_int_equal(put(OPEVO_FLOAT16, (double)value), right);
        }
#endif
    }
}

CHECK_TEST(test_whole_types)
{
    int8_t small[3] = {1, 2, 3};
    int32_t large = 7;

    for (int i = -128; i < 128; i++) {
        opevo_element_put(OPEVO_INT8, small, 1, i);
        assert_true(small[1] == i && opevo_element_get(OPEVO_INT8, small, 1) == i);
    }
    assert_true(small[0] == 1 && small[2] == 3);
    opevo_element_put(OPEVO_INT8, small, 1, 1000);
    assert_int_equal(small[1], 127);
    opevo_element_put(OPEVO_INT8, small, 1, -1000);
    assert_int_equal(small[1], -128);
    opevo_element_put(OPEVO_INT8, small, 1, NAN);
    assert_int_equal(small[1], 0);
    opevo_element_put(OPEVO_INT32, &large, 0, -2147483648.0);
    assert_true(large == INT32_MIN && opevo_element_get(OPEVO_INT32, &large, 0) == -2147483648.0);
    opevo_element_put(OPEVO_INT32, &large, 0, 1e10);
    assert_int_equal(large, INT32_MAX);
    assert_true(opevo_element_least(OPEVO_INT8) == -128 && opevo_element_most(OPEVO_INT8) == 127);
    assert_true(opevo_element_least(OPEVO_INT32) == INT32_MIN &&
                opevo_element_most(OPEVO_INT32) == INT32_MAX);
}

/* By all values of the types that have few, and one that the wide types lack. */
CHECK_TEST(test_which_type_holds_which)
{
    for (opevo_element part = OPEVO_FLOAT16; part <= OPEVO_INT8; part++) {
        for (opevo_element element = OPEVO_FLOAT32; element <= OPEVO_INT32; element++) {
            bool all = true;

            for (unsigned bits = 0; bits < (part == OPEVO_INT8 ? 256 : PATTERNS); bits++) {
                uint16_t stored = (uint16_t)bits;
                double value = opevo_element_get(part, &stored, 0);

                all &= isnan(value) || opevo_element_nearest(element, value) == value;
            }
            assert_int_equal(opevo_element_holds(element, part), all);
        }
    }
    assert_false(opevo_element_holds(OPEVO_FLOAT32, OPEVO_INT32));
    assert_true(opevo_element_nearest(OPEVO_FLOAT32, 0x1p24 + 1) != 0x1p24 + 1);
    assert_false(opevo_element_holds(OPEVO_INT32, OPEVO_FLOAT32));
    assert_true(opevo_element_holds(OPEVO_INT32, OPEVO_INT32));
}
