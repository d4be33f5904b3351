/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Front ends of speech: windows, the matrix of a mel scale, and Fourier transforms as products with
 * a constant matrix, or as a convolution where they are of frames. */

#include "network_read_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NONE OPEVO_I_NET_OMITTED
enum { MATRIX_MOST = 1 << 26 }; /* numbers of the matrix of a transform */

/* An output of a type that is an attribute. */
static void give(opevo_i_net_builder *self, int made, const char *attribute)
{
    char text[32];

    snprintf(text, sizeof text, "to=%d", (int)opevo_i_net_build_int(self, attribute, 1));
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Cast", text, made);
}

/* ---- Windows -------------------------------------------------------------------------------- */

/* a - b cos(2 pi i / period) + c cos(4 pi i / period) */
static void build_window(opevo_i_net_builder *self, double a, double b, double c)
{
    int64_t size = opevo_i_net_build_known(self, self->in[0], "size");
    double period = (double)(opevo_i_net_build_int(self, "periodic", 1) ? size : size - 1);
    float *at = NULL;
    int made = 0;

    if (size < 0 || size > OPEVO_COMPUTATION_EXTENT)
        opevo_i_net_build_fail(self, "Its size is not that of a tensor.");
    if (self->status == OPEVO_OK)
        made = opevo_i_net_build_floats(self, 1, &size, &at);
    for (int64_t i = 0; i < size && at; i++) {
        double angle = 2 * acos(-1) * (double)i / period;

        at[i] = (float)(a - b * cos(angle) + c * cos(2 * angle));
    }
    give(self, made, "output_datatype");
}

static void build_hann(opevo_i_net_builder *self)
{
    build_window(self, 0.5, 0.5, 0);
}

static void build_hamming(opevo_i_net_builder *self)
{
    build_window(self, 25.0 / 46, 21.0 / 46, 0);
}

static void build_blackman(opevo_i_net_builder *self)
{
    build_window(self, 0.42, 0.5, 0.08);
}

/* ---- The mel scale -------------------------------------------------------------------------- */

static double mel_of(double hertz)
{
    return 2595 * log10(1 + hertz / 700);
}

/* Triangles from each place to the next but one; places are bins of the spectrum. */
static void build_mel(opevo_i_net_builder *self)
{
    int64_t count = opevo_i_net_build_known(self, self->in[0], "number of bins");
    int64_t length = opevo_i_net_build_known(self, self->in[1], "length of the transform");
    double rate = (double)opevo_i_net_build_known(self, self->in[2], "rate");
    const opevo_array *low = opevo_i_net_build_array(self, self->in[3]);
    const opevo_array *high = opevo_i_net_build_array(self, self->in[4]);
    int64_t bins = length / 2 + 1;
    double first = 0, step = 0, place[3] = {0};
    float *at = NULL;
    int made = 0;

    if (!low || !high || !low->data || !high->data || count < 1 || length < 1 ||
        count > OPEVO_COMPUTATION_EXTENT || length > OPEVO_COMPUTATION_EXTENT)
        opevo_i_net_build_fail(self, "Its frequencies and sizes must be constant.");
    if (self->status != OPEVO_OK)
        return;
    first = mel_of(opevo_array_number(low, 0));
    step = (mel_of(opevo_array_number(high, 0)) - first) / (double)(count + 2);
    made = opevo_i_net_build_floats(self, 2, (int64_t[]){bins, count}, &at);
    for (int64_t m = 0; m < count && at; m++) {
        for (int i = 0; i < 3; i++)
            place[i] = floor((double)(length + 1) *
                             (700 * (pow(10, (first + (double)(m + i) * step) / 2595) - 1)) / rate);
        for (int64_t b = 0; b < bins; b++) {
            double x = (double)b, rise = place[1] - place[0], fall = place[2] - place[1];

            if (rise == 0 && x == place[1])
                at[b * count + m] = 1;
            else if (x >= place[0] && x <= place[1] && rise > 0)
                at[b * count + m] = (float)((x - place[0]) / rise);
            if (x >= place[1] && x < place[2])
                at[b * count + m] = (float)((place[2] - x) / fall);
        }
    }
    give(self, made, "output_datatype");
}

/* ---- Transforms ----------------------------------------------------------------------------- */

/* exp(-2 pi i n k / length) of row n and bin k as real and imaginary parts. Rows are those of the
 * real part, then of the imaginary one. `flipped`: rows are columns, as weights have it. */
typedef struct transform {
    int64_t length, rows, bins; /* rows: of the input, at most `length` */
    bool complex, inverse, flipped;
} transform;

static int matrix_of(opevo_i_net_builder *self, const transform *of)
{
    int64_t parts = of->complex ? 2 : 1, rows = parts * of->rows, columns = 2 * of->bins;
    double sign = of->inverse ? 1 : -1, scale = of->inverse ? 1 / (double)of->length : 1;
    int64_t extent[3] = {columns, parts, of->rows};
    float *at = NULL;
    int made = 0;

    if (rows * columns > MATRIX_MOST)
        opevo_i_net_build_fail(self, "It is too long for opevo, which transforms by a matrix.");
    if (self->status != OPEVO_OK)
        return NONE;
    if (!of->flipped)
        memcpy(extent, (int64_t[]){rows, columns}, 2 * sizeof *extent);
    made = opevo_i_net_build_floats(self, of->flipped ? 3 : 2, extent, &at);
    for (int64_t n = 0; n < of->rows && at; n++) {
        for (int64_t k = 0; k < of->bins; k++) {
            double angle = sign * 2 * acos(-1) * (double)(n * k % of->length) / (double)of->length;
            double real = scale * cos(angle), imaginary = scale * sin(angle);
            double number[2][2] = {{real, imaginary}, {-imaginary, real}};

            for (int64_t p = 0; p < parts; p++) {
                for (int64_t c = 0; c < 2; c++) {
                    int64_t row = p * of->rows + n,
                            column = of->flipped ? c * of->bins + k : 2 * k + c;

                    at[of->flipped ? column * rows + row : row * columns + column] =
                        (float)number[p][c];
                }
            }
        }
    }
    return made;
}

/* The input with its axis last, and the parts of complex numbers one behind the other. */
static int prepared(opevo_i_net_builder *self, int in, int axis, int dims, int64_t parts)
{
    char text[64] = "perm=";
    const opevo_array *array = opevo_i_net_build_array(self, in);
    int64_t extent[OPEVO_NETWORK_DIMS];
    int count = 0;

    for (int d = 0; d < dims; d++) {
        if (d == axis)
            continue;
        extent[count++] = array->extent[d];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", d);
    }
    extent[count] = parts * array->extent[axis];
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%d,", dims, axis);
    in = opevo_i_net_build_one(self, "Transpose", text, in);
    return opevo_i_net_build_reshape(self, in, count + 1, extent);
}

/* The bins that were last go where the axis was. */
static void finish(opevo_i_net_builder *self, int made, int axis, int dims, const int64_t *extent)
{
    char text[64] = "perm=";

    made = opevo_i_net_build_reshape(self, made, dims + 1, extent);
    for (int d = 0; d < dims; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,",
                 d < axis    ? d
                 : d == axis ? dims - 1
                             : d - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", dims);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Transpose", text, made);
}

static void build_transform(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int length = opevo_i_net_build_input(self, 1), place = opevo_i_net_build_input(self, 2);
    int64_t axis = opevo_i_net_build_int(self, "axis", self->scope->opset < 20 ? 1 : -2);
    int dims = in ? in->dims - 1 : 0, count = 0, made = 0;
    bool half = opevo_i_net_build_int(self, "onesided", 0) != 0;
    int64_t parts = in && in->dims ? in->extent[in->dims - 1] : 0;
    int64_t extent[OPEVO_NETWORK_DIMS];
    transform of = {.complex = parts == 2,
                    .inverse = opevo_i_net_build_int(self, "inverse", 0) != 0};

    if (place != NONE)
        axis = opevo_i_net_build_known(self, place, "axis");
    axis += axis < 0 ? dims + 1 : 0;
    if (dims < 1 || axis < 0 || axis >= dims || parts < 1 || parts > 2 || (half && of.inverse) ||
        in->type != OPEVO_NETWORK_FLOAT32) {
        opevo_i_net_build_fail(self, "Its input is not of real or complex float32, or its axis is "
                                     "outside of it.");
        return;
    }
    of.length = length == NONE ? in->extent[axis] : opevo_i_net_build_known(self, length, "length");
    if (of.length < 1 || of.length > OPEVO_COMPUTATION_EXTENT)
        opevo_i_net_build_fail(self, "Its length is not that of a tensor.");
    if (self->status != OPEVO_OK)
        return;
    made = self->in[0];
    if (of.length < in->extent[axis]) /* what is behind is not seen */
        made = opevo_i_net_build(self, "Slice", NULL, 4,
                                 (int[]){made, opevo_i_net_build_wholes(self, 1, (int64_t[]){0}),
                                         opevo_i_net_build_wholes(self, 1, &of.length),
                                         opevo_i_net_build_wholes(self, 1, &axis)});
    in = opevo_i_net_build_array(self, made);
    if (!in)
        return;
    of.rows = in->extent[axis];
    of.bins = half ? of.length / 2 + 1 : of.length;
    for (int d = 0; d < dims; d++) {
        if (d != axis)
            extent[count++] = in->extent[d];
    }
    extent[count++] = of.bins;
    extent[count] = 2;
    made = prepared(self, made, (int)axis, dims, parts);
    made = opevo_i_net_build_two(self, "MatMul", NULL, made, matrix_of(self, &of));
    finish(self, made, (int)axis, dims, extent);
}

/* Frames: the window times the transform are the weights of a convolution along the signal. */
static void build_frames(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int64_t step = opevo_i_net_build_known(self, self->in[1], "step");
    int window = opevo_i_net_build_input(self, 2), length = opevo_i_net_build_input(self, 3);
    const opevo_array *shape = opevo_i_net_build_array(self, window);
    bool half = opevo_i_net_build_int(self, "onesided", 1) != 0;
    int64_t parts = in && in->dims == 3 ? in->extent[2] : in && in->dims == 2 ? 1 : 0, frames = 0;
    int64_t batch = parts ? in->extent[0] : 0, size = parts ? in->extent[1] : 0;
    transform of = {.complex = parts == 2, .flipped = true};
    int made = 0, weights = 0;
    char text[32];

    if (length != NONE)
        of.length = opevo_i_net_build_known(self, length, "length of a frame");
    else
        of.length = shape && shape->dims == 1 ? shape->extent[0] : 0;
    if (parts < 1 || parts > 2 || step < 1 || of.length < 1 || of.length > size ||
        (shape && (shape->dims != 1 || shape->extent[0] != of.length)))
        opevo_i_net_build_fail(self, "Its signal, window and length do not fit together.");
    if (self->status != OPEVO_OK)
        return;
    of.rows = of.length;
    of.bins = half ? of.length / 2 + 1 : of.length;
    frames = (size - of.length) / step + 1;
    weights = matrix_of(self, &of);
    if (window != NONE)
        weights = opevo_i_net_build_two(self, "Mul", NULL, weights, window);
    made = opevo_i_net_build_reshape(self, self->in[0], 3, (int64_t[]){batch, size, parts});
    made = opevo_i_net_build_one(self, "Transpose", "perm=0,2,1", made);
    snprintf(text, sizeof text, "strides=%lld,", (long long)step);
    made = opevo_i_net_build_two(self, "Conv", text, made, weights);
    made = opevo_i_net_build_reshape(self, made, 4, (int64_t[]){batch, 2, of.bins, frames});
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Transpose", "perm=0,3,2,1", made);
}

const opevo_i_net_form opevo_i_net_signal[] = {
    {"HannWindow", 1, 1, 1, build_hann},
    {"HammingWindow", 1, 1, 1, build_hamming},
    {"BlackmanWindow", 1, 1, 1, build_blackman},
    {"MelWeightMatrix", 5, 5, 1, build_mel},
    {"DFT", 1, 3, 1, build_transform},
    {"STFT", 2, 4, 1, build_frames},
    {NULL, 0, 0, 0, NULL},
};
