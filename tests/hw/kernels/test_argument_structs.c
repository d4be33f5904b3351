/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arguments of kernels that are structs by value. */

#include "check.h"

#include "kernel_harness_internal.h"

static uint64_t address_of(const void *context, size_t buffer)
{
    return ((const uint64_t *)context)[buffer];
}

/* As the compiler of this test lays them out. */
CHECK_TEST(structs_are_laid_out_as_in_c)
{
    typedef struct mixed {
        uint8_t a;
        int16_t b;
        uint64_t pointer;
        float c;
        uint8_t d;
        double e;
        uint8_t f;
    } mixed;
    static const uint64_t addresses[] = {11, UINT64_C(0x123456789abcdef0)};
    const opevo_argument members[] = {
        {.kind = OPEVO_ARGUMENT_SCALAR, .element = OPEVO_KERNEL_ELEMENT_U8, .bits = 1},
        {.kind = OPEVO_ARGUMENT_SCALAR, .element = OPEVO_KERNEL_ELEMENT_I16, .bits = 0xfffe},
        {.kind = OPEVO_ARGUMENT_BUFFER, .buffer = 1},
        {.kind = OPEVO_ARGUMENT_SCALAR, .element = OPEVO_KERNEL_ELEMENT_F32, .bits = 0x3f000000},
        {.kind = OPEVO_ARGUMENT_SCALAR, .element = OPEVO_KERNEL_ELEMENT_U8, .bits = 3},
        {.kind = OPEVO_ARGUMENT_SCALAR,
         .element = OPEVO_KERNEL_ELEMENT_F64,
         .bits = UINT64_C(0x4004000000000000)},
        {.kind = OPEVO_ARGUMENT_SCALAR, .element = OPEVO_KERNEL_ELEMENT_U8, .bits = 4}};
    opevo_argument whole = {.kind = OPEVO_ARGUMENT_STRUCT, .members = members, .member_count = 7};
    uint8_t bytes[OPEVO_STRUCT_MOST];
    mixed made;

    assert_int_equal(opevo_argument_lay_out(&whole, address_of, addresses, bytes), sizeof made);
    memcpy(&made, bytes, sizeof made);
    assert_int_equal(made.a, 1);
    assert_int_equal(made.b, -2);
    assert_true(made.pointer == addresses[1]);
    assert_true(made.c == 0.5F && made.e == 2.5);
    assert_int_equal(made.d, 3);
    assert_int_equal(made.f, 4);
    whole.member_count = 2;
    assert_int_equal(opevo_argument_lay_out(&whole, address_of, addresses, bytes), 4);
}
