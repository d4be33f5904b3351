/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Floats of 8 bits: the numbers of all codes by the tables of their definition, casts against the
 * nearest of all numbers, and quantisation. */

#include "network_models.h"

#include <math.h>

enum { E4M3FN = 17, E4M3FNUZ, E5M2, E5M2FNUZ, CODES = 256 };

static uint64_t state = 9;

static size_t add_float8(model *made, const char *name, int type, size_t count, uint8_t *codes)
{
    size_t i = made->graph.n_initializer;

    add_whole(made, name, count, (int64_t[CODES]){0});
    made->weights[i].data_type = type;
    made->weights[i].n_int64_data = 0;
    made->weights[i].has_raw_data = 1;
    made->weights[i].raw_data = (ProtobufCBinaryData){count, codes};
    return i;
}

static opevo_array result_of(model *made)
{
    opevo_array x = make_array(1, (int64_t[]){1}, &state), y;

    add_input(made, "unread", 1, x.extent);
    set_output(made, "y");
    y = run_model(made, &x);
    opevo_array_free(&x);
    return y;
}

/* All codes of a type, as float32. */
static void take_numbers(int type, float *out)
{
    uint8_t codes[CODES];
    opevo_array y = {0};
    model made;

    for (int i = 0; i < CODES; i++)
        codes[i] = (uint8_t)i;
    model_start(&made);
    made.opset.version = 19;
    add_float8(&made, "c", type, CODES, codes);
    add_node(&made, "Identity", "c", "y");
    y = result_of(&made);
    assert_int_equal(y.type, OPEVO_NETWORK_FLOAT32);
    memcpy(out, y.data, CODES * sizeof *out);
    opevo_array_free(&y);
}

/* Largest and least numbers, and what is not one: the table of ONNX's "Float stored in 8 bits". */
CHECK_TEST(test_codes)
{
    static const struct {
        int type, most, none; /* codes of the largest number and of a NaN */
        double largest, least;
    } rows[] = {{E4M3FN, 0x7e, 0x7f, 448, 0x1p-9},
                {E4M3FNUZ, 0x7f, 0x80, 240, 0x1p-10},
                {E5M2, 0x7b, 0x7f, 57344, 0x1p-16},
                {E5M2FNUZ, 0x7f, 0x80, 57344, 0x1p-17}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        float number[CODES];

        take_numbers(rows[r].type, number);
        assert_true(number[0] == 0 && number[1] == rows[r].least);
        assert_true(number[rows[r].most] == rows[r].largest);
        assert_true(isnan(number[rows[r].none]));
        assert_int_equal(isinf(number[0x7c]) != 0, rows[r].type == E5M2);
        for (int i = 1; i <= rows[r].most; i++)
            assert_true(number[i] > number[i - 1] && number[128 + i] == -number[i]);
    }
}

/* The nearest number, of two that are as near that of the even code; beyond the largest one it. */
static float nearest(const float *number, double x)
{
    int best = 0;

    for (int i = 0; i < CODES / 2; i++) {
        double old = fabs(fabs(x) - (double)number[best]), new = fabs(fabs(x) - (double)number[i]);

        if (isfinite(number[i]) && (new < old || (new == old &&i % 2 == 0)))
            best = i;
    }
    return copysignf(number[best], (float)x);
}

CHECK_TEST(test_casts)
{
    enum { COUNT = 200 };

    for (int type = E4M3FN; type <= E5M2FNUZ; type++) {
        float number[CODES], x[COUNT];
        opevo_array y = {0};
        model made;

        take_numbers(type, number);
        model_start(&made);
        made.opset.version = 19;
        add_weights(&made, "x", 1, (int64_t[]){COUNT}, -1, 1, &state);
        for (int i = 0; i < COUNT; i++) {
            int at = (int)draw(&state, 120);
            float between = (number[at] + number[at + 1]) / 2;

            x[i] = i % 4 == 0 ? between : ldexpf(made.weights[0].float_data[i], i % 40 - 20);
            x[i] = isfinite(x[i]) ? x[i] : 1e6f;
        }
        memcpy(made.weights[0].float_data, x, sizeof x);
        add_int(&made, add_node(&made, "Cast", "x", "y"), "to", type);
        y = result_of(&made);
        for (int i = 0; i < COUNT; i++)
            assert_true(element(&y, i) == nearest(number, (double)x[i]));
        opevo_array_free(&y);
    }
}

/* x / scale as the nearest number of float8, and back; unsaturated it is infinite or NaN. */
CHECK_TEST(test_quantised)
{
    for (int type = E4M3FN; type <= E5M2FNUZ; type++) {
        for (int saturate = 0; saturate < 2; saturate++) {
            float number[CODES], x[3] = {1e9f, -0.37f, 5.3f};
            uint8_t zero = 0;
            opevo_array y = {0};
            model made;

            take_numbers(type, number);
            model_start(&made);
            made.opset.version = 19;
            add_weights(&made, "x", 1, (int64_t[]){3}, 0, 0, &state);
            memcpy(made.weights[0].float_data, x, sizeof x);
            add_weights(&made, "scale", 0, NULL, 0.25, 0.25, &state);
            made.weights[add_float8(&made, "zero", type, 1, &zero)].n_dims = 0;
            add_int(&made, add_node(&made, "QuantizeLinear", "x scale zero", "q"), "saturate",
                    saturate);
            add_node(&made, "DequantizeLinear", "q scale zero", "y");
            y = result_of(&made);
            for (int i = saturate ? 0 : 1; i < 3; i++)
                assert_true(element(&y, i) == nearest(number, (double)x[i] * 4) / 4);
            if (!saturate && type == E5M2)
                assert_true(isinf(element(&y, 0)));
            else if (!saturate)
                assert_true(isnan(element(&y, 0)));
            opevo_array_free(&y);
        }
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
