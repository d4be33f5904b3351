/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Transposed convolutions against their definition, which scatters: each input adds its products
 * with the kernel to the outputs that it reaches. Of random strides, kernels, dilations, padding
 * and groups, with few results, which are computed by phases, and with many. */

#include "network_models.h"

#include <math.h>

static uint64_t state = 3;

typedef struct shape {
    int64_t groups, ins, outs; /* channels of a group */
    int64_t in[2], kernel[2], stride[2], dilation[2], before[2], after[2], out[2];
} shape;

static bool draw_shape(shape *self, bool many)
{
    self->groups = 1 + (int64_t)draw(&state, 3);
    self->ins = 1 + (int64_t)draw(&state, 2);
    self->outs = many ? 16 : 1 + (int64_t)draw(&state, 3);
    for (int d = 0; d < 2; d++) {
        self->in[d] = 1 + (int64_t)draw(&state, 5);
        self->kernel[d] = 1 + (int64_t)draw(&state, 5);
        self->stride[d] = 1 + (int64_t)draw(&state, 3);
        self->dilation[d] = draw(&state, 4) ? 1 : 2;
        self->before[d] = (int64_t)draw(&state, 3);
        self->after[d] = (int64_t)draw(&state, 3);
        self->out[d] = (self->in[d] - 1) * self->stride[d] +
                       (self->kernel[d] - 1) * self->dilation[d] + 1 - self->before[d] -
                       self->after[d];
    }
    return self->out[0] > 0 && self->out[1] > 0;
}

/* y += what input element (c, i, j) adds. */
static void scatter(const shape *of, double x, const float *w, int64_t c, const int64_t *at,
                    double *y)
{
    int64_t group = c / of->ins, cells = of->kernel[0] * of->kernel[1];

    for (int64_t o = 0; o < of->outs; o++) {
        for (int64_t k = 0; k < cells; k++) {
            int64_t p = at[0] * of->stride[0] + k / of->kernel[1] * of->dilation[0] - of->before[0];
            int64_t q = at[1] * of->stride[1] + k % of->kernel[1] * of->dilation[1] - of->before[1];

            if (p >= 0 && p < of->out[0] && q >= 0 && q < of->out[1])
                y[((group * of->outs + o) * of->out[0] + p) * of->out[1] + q] +=
                    x * (double)w[(c * of->outs + o) * cells + k];
        }
    }
}

static void check_shape(const shape *of)
{
    int64_t channels = of->groups * of->ins, results = of->groups * of->outs;
    int64_t plane = of->in[0] * of->in[1], cells = of->out[0] * of->out[1];
    opevo_array x = make_array(4, (int64_t[]){1, channels, of->in[0], of->in[1]}, &state), y = {0};
    double *wanted = calloc((size_t)(results * cells), sizeof *wanted);
    opevo_network *network = NULL;
    model made;

    assert_non_null(wanted);
    model_start(&made);
    add_input(&made, "x", 4, x.extent);
    add_weights(&made, "w", 4, (int64_t[]){channels, of->outs, of->kernel[0], of->kernel[1]}, -1, 1,
                &state);
    add_weights(&made, "b", 1, &results, -1, 1, &state);
    add_node(&made, "ConvTranspose", "x w b", "y");
    add_int(&made, 0, "group", of->groups);
    add_ints(&made, 0, "strides", 2, of->stride);
    add_ints(&made, 0, "dilations", 2, of->dilation);
    add_ints(&made, 0, "pads", 4,
             (int64_t[]){of->before[0], of->before[1], of->after[0], of->after[1]});
    set_output(&made, "y");
    for (int64_t i = 0; i < results * cells; i++)
        wanted[i] = (double)made.weights[1].float_data[i / cells];
    for (int64_t i = 0; i < channels * plane; i++)
        scatter(of, (double)element(&x, i), made.weights[0].float_data, i / plane,
                (int64_t[]){i % plane / of->in[1], i % of->in[1]}, wanted);
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
    assert_int_equal(opevo_array_elements(&y), results * cells);
    for (int64_t i = 0; i < results * cells; i++)
        assert_true(fabs((double)element(&y, i) - wanted[i]) <= 1e-5 * (1 + fabs(wanted[i])));
    opevo_network_destroy(network);
    model_finish(&made);
    opevo_array_free(&x);
    opevo_array_free(&y);
    free(wanted);
}

CHECK_TEST(test_scattered)
{
    shape of;

    for (int i = 0; i < 150; i++) {
        if (draw_shape(&of, i % 3 == 0))
            check_shape(&of);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
