/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The integer operations of one width: U and S are its types, and WIDTH(name) is a name with its
 * bits. Included once for each width, by simt_operations_internal.h. */

#define INTEGER_2(name, value) MAP_2(WIDTH(op_##name), U, U, value)
#define INTEGER_1(name, value) MAP_1(WIDTH(op_##name), U, U, value)
#define INTEGER_3(name, value) MAP_3(WIDTH(op_##name), U, U, value)
#define INTEGER_TEST(name, value) TEST_2(WIDTH(op_##name), U, value)
OPEVO_I_SIMT_INTEGER_2(INTEGER_2)
OPEVO_I_SIMT_INTEGER_1(INTEGER_1)
OPEVO_I_SIMT_INTEGER_3(INTEGER_3)
OPEVO_I_SIMT_INTEGER_COMPARE(INTEGER_TEST)

OPERATION(WIDTH(op_CHOOSE))
{
    const uint32_t bits = *(const uint32_t *)at_a;
    const U *p = at_b, *q = at_c;
    U *o = to;

    UNUSED;
    LANES o[i] = bits & lane_bit[i] ? p[i] : q[i];
}

OPERATION(WIDTH(op_WIDEN))
{
    const uint32_t bits = *(const uint32_t *)at_a;
    U *o = to;

    UNUSED;
    LANES o[i] = bits & lane_bit[i] ? 1 : 0;
}

OPERATION(WIDTH(op_SPREAD))
{
    const uint32_t bits = *(const uint32_t *)at_a;
    U *o = to;

    UNUSED;
    LANES o[i] = bits & lane_bit[i] ? (U)-1 : 0;
}

OPERATION(WIDTH(op_NARROW))
{
    const U *p = at_a;
    uint32_t bits = 0;

    UNUSED;
    LANES bits |= p[i] & 1 ? lane_bit[i] : 0;
    memcpy(to, &bits, sizeof bits);
}

OPERATION(WIDTH(op_INDEX))
{
    const uint64_t *p = at_a;
    const S *q = at_b;
    uint64_t *o = to;

    UNUSED;
    LANES o[i] = p[i] + (uint64_t)(int64_t)q[i] * (uint64_t)number;
}

#undef INTEGER_2
#undef INTEGER_1
#undef INTEGER_3
#undef INTEGER_TEST
#undef U
#undef S
#undef WIDTH
