/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of products of bytes by tiles, in plain C and with the vectors of this processor, against
 * the same sums one by one. */

#include "check.h"
#include "draw.h"
#include "routines/routines.h"

#include <stdlib.h>

/* The routines once more, as a library for a processor with AVX-512 VNNI has them. */
routine vector_convolution, vector_product;
routine_need vector_convolution_need, vector_product_need;
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vnni")
#define HAS_VECTORS (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw"))
#else
#define HAS_VECTORS true
#endif
#define routine_whole_convolution vector_convolution
#define routine_whole_convolution_need vector_convolution_need
#define routine_whole_product vector_product
#define routine_whole_product_need vector_product_need
#include "routines/byte_products.c"
#include "routines/byte_windows.c"
#undef routine_whole_convolution
#undef routine_whole_convolution_need
#undef routine_whole_product
#undef routine_whole_product_need
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#pragma GCC pop_options
#endif

enum { INPUTS = 9 };

static uint64_t state = 11;

static int64_t from_to(int64_t least, int64_t most)
{
    return least + (int64_t)draw(&state, (uint64_t)(most - least + 1));
}

/* Random bytes, or floats from 2^-9 on, which end where their memory does. */
static routine_tensor random_bytes(int type, int dims, const int64_t *extent)
{
    routine_tensor made = {.type = type, .dims = dims};
    int64_t count = 1;

    for (int d = 0; d < dims; d++)
        count *= made.extent[d] = extent[d];
    made.data = malloc((size_t)count * routine_bytes(&made));
    assert_non_null(made.data);
    for (int64_t i = 0; i < count; i++) {
        if (type == ROUTINE_FLOAT32)
            ((float *)made.data)[i] = (float)from_to(1, 100) / 512;
        else
            routine_set_whole(&made, i, from_to(0, 255));
    }
    return made;
}

static int byte_type(void)
{
    return from_to(0, 1) ? ROUTINE_UINT8 : ROUTINE_INT8;
}

/* The inputs of an operator: of a QLinear one, or of one that gives int32. Zero points and scales
 * of b are one or `columns`. */
static void make_inputs(bool scaled, routine_tensor a, routine_tensor b, int64_t columns,
                        routine_tensor *in)
{
    const int64_t many = from_to(0, 1) ? columns : 1;
    const int dims = many > 1 || from_to(0, 1);

    if (!scaled) {
        in[0] = a;
        in[1] = b;
        in[2] = random_bytes(a.type, 0, NULL);
        in[3] = random_bytes(b.type, dims, &many);
        return;
    }
    in[0] = a;
    in[1] = random_bytes(ROUTINE_FLOAT32, 0, NULL);
    in[2] = random_bytes(a.type, 0, NULL);
    in[3] = b;
    in[4] = random_bytes(ROUTINE_FLOAT32, dims, &many);
    in[5] = random_bytes(b.type, dims, &many);
    in[6] = random_bytes(ROUTINE_FLOAT32, 0, NULL);
    in[7] = random_bytes(byte_type(), 0, NULL);
}

static void run(routine *code, routine_need *need, routine_call call, bool scarce,
                routine_tensor out)
{
    double bytes = 0;

    call.out = &out;
    call.scarce = scarce;
    bytes = need(&call);
    assert_true(scarce ? bytes == 0 : bytes > 0);
    call.memory = malloc((size_t)bytes + 1);
    assert_non_null(call.memory);
    memset(call.memory, 0xa5, (size_t)bytes + 1);
    assert_null(code(&call));
    free(call.memory);
}

/* By tiles in both ways as one by one. */
static void compare(routine *const *code, routine_need *const *need, routine_call call, int dims,
                    const int64_t *extent)
{
    const bool scaled = call.whole[0] != 0;
    const int type = scaled ? call.in[7].type : ROUTINE_INT32;
    routine_tensor out[3];

    for (int i = 0; i < 3; i++)
        out[i] = random_bytes(type, dims, extent);
    run(code[0], need[0], call, true, out[0]);
    run(code[0], need[0], call, false, out[1]);
    assert_memory_equal(out[0].data, out[1].data,
                        (size_t)routine_elements(&out[0]) * routine_bytes(&out[0]));
    if (HAS_VECTORS) {
        run(code[1], need[1], call, false, out[2]);
        assert_memory_equal(out[0].data, out[2].data,
                            (size_t)routine_elements(&out[0]) * routine_bytes(&out[0]));
    }
    for (int i = 0; i < 3; i++)
        free(out[i].data);
    for (int i = 0; i < call.ins; i++)
        free(call.in[i].data);
}

static void one_convolution(void)
{
    static routine *const code[] = {routine_whole_convolution, vector_convolution};
    static routine_need *const need[] = {routine_whole_convolution_need, vector_convolution_need};
    const int dims = (int)from_to(1, 3);
    const bool alone = from_to(0, 2) == 0;
    const int64_t groups = from_to(1, 3), channels = alone ? 1 : from_to(1, 9);
    const int64_t filters = alone ? from_to(1, 5) : from_to(1, 19);
    int64_t whole[2 + 9] = {from_to(0, 1), groups}, x[5] = {from_to(1, 2), groups * channels};
    int64_t w[5] = {groups * filters, channels}, y[5] = {x[0], groups * filters};
    routine_tensor in[INPUTS] = {{0}};
    routine_call call = {.in = in, .ins = whole[0] ? 8 : 4, .outs = 1, .whole = whole};

    for (int d = 0; d < dims; d++) {
        const int64_t stride = from_to(1, 3), dilation = from_to(1, 2), before = from_to(0, 2);
        const int64_t kernel = from_to(1, 3), after = from_to(0, 2);
        const int64_t reach = (kernel - 1) * dilation + 1;

        x[2 + d] = from_to(reach, d + 1 == dims ? 70 : reach + 8);
        w[2 + d] = kernel;
        y[2 + d] = (x[2 + d] + before + after - reach) / stride + 1;
        whole[2 + d] = stride;
        whole[5 + d] = dilation;
        whole[8 + d] = before;
    }
    make_inputs(whole[0] != 0, random_bytes(byte_type(), 2 + dims, x),
                random_bytes(byte_type(), 2 + dims, w), w[0], in);
    if (whole[0] && from_to(0, 1)) {
        in[8] = random_bytes(ROUTINE_INT32, 1, w);
        call.ins = 9;
    }
    compare(code, need, call, 2 + dims, y);
}

CHECK_TEST(convolutions_by_tiles)
{
    for (int i = 0; i < 400; i++)
        one_convolution();
}

CHECK_TEST(products_by_tiles)
{
    static routine *const code[] = {routine_whole_product, vector_product};
    static routine_need *const need[] = {routine_whole_product_need, vector_product_need};

    for (int i = 0; i < 300; i++) {
        const int64_t whole[] = {from_to(0, 1)}, rows = from_to(1, 20), depth = from_to(1, 40);
        const int64_t columns = from_to(1, 70), batch = from_to(1, 2);
        const int64_t a[] = {batch, rows, depth}, b[] = {depth, columns};
        const int64_t y[] = {batch, rows, columns};
        routine_tensor in[INPUTS] = {{0}};
        const routine_call call = {.in = in, .ins = whole[0] ? 8 : 4, .outs = 1, .whole = whole};

        make_inputs(whole[0] != 0, random_bytes(byte_type(), 3, a), random_bytes(byte_type(), 2, b),
                    columns, in);
        compare(code, need, call, 3, y);
    }
}

int main(void)
{
    return check_tests(NULL, NULL);
}
