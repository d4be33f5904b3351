/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Winograd's minimal filtering: matrices, definitions, weights. Expressions have the numbers of the
 * matrices that are not 0, and in rows that differ by signs the same partial sums, which compilers
 * compute once. */

#include "network_winograd_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Interpolation at 0, 1, -1, infinity, and at 2 and -2 as well. */
static const opevo_i_net_winograd forms[] = {
    {.tile = 2,
     .points = 4,
     .output = {{1, 1, 1, 0}, {0, 1, -1, 1}},
     .input = {{-1, 0, 1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}},
     .weights = {{-1, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 1}},
     .divisor = {1, 2, 2, 1}},
    {.tile = 4,
     .points = 6,
     .output = {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}},
     .input = {{4, 0, -5, 0, 1, 0},
               {0, -4, -4, 1, 1, 0},
               {0, 4, -4, -1, 1, 0},
               {0, -2, -1, 2, 1, 0},
               {0, 2, -1, -2, 1, 0},
               {0, 4, 0, -5, 0, 1}},
     .weights = {{1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 1}},
     .divisor = {4, 6, 6, 24, 24, 1}},
};

const opevo_i_net_winograd *opevo_i_net_winograds(size_t *count)
{
    *count = sizeof forms / sizeof *forms;
    return forms;
}

static int64_t tiles_of(const opevo_i_net_winograd *form, int64_t extent)
{
    return (extent - OPEVO_I_WINOGRAD_KERNEL + form->tile) / form->tile;
}

int64_t opevo_i_net_winograd_rows(const opevo_i_net_winograd *form,
                                  const opevo_i_net_winograd_shape *shape)
{
    return tiles_of(form, shape->height);
}

int64_t opevo_i_net_winograd_columns(const opevo_i_net_winograd *form,
                                     const opevo_i_net_winograd_shape *shape)
{
    return tiles_of(form, shape->width);
}

static int64_t tile_count(const opevo_i_net_winograd *form, const opevo_i_net_winograd_shape *shape)
{
    return shape->images * opevo_i_net_winograd_rows(form, shape) *
           opevo_i_net_winograd_columns(form, shape);
}

/* ---- Rows of matrices as sums --------------------------------------------------------------- */

/* The numbers of a row from column `first` on, every `step` columns, as long as there are
 * `count`. */
typedef struct group {
    int first, step, count;
} group;

static int64_t common_factor(const int *row, const group *of)
{
    int64_t factor = 0;

    for (int i = 0; i < of->count; i++) {
        int64_t other = labs((long)row[of->first + i * of->step]);

        while (other) {
            int64_t rest = factor % other;

            factor = other;
            other = rest;
        }
    }
    return factor;
}

/* " + 4*(x3 - 2*x1)", where `read` has a %d for the column. The first number inside is positive, so
 * that a group and its negative have the same text inside. */
static void add_group(const int *row, const group *of, const char *read, bool begins,
                      opevo_text *out)
{
    int64_t factor = common_factor(row, of);
    int terms = 0;
    int sign = 0;

    for (int i = 0; i < of->count; i++) {
        int number = row[of->first + i * of->step];

        sign = !sign && number ? (number > 0 ? 1 : -1) : sign;
        terms += number != 0;
    }
    if (factor == 0)
        return;
    opevo_text_add(out, begins ? (sign < 0 ? "-" : "") : sign < 0 ? " - " : " + ");
    if (factor > 1)
        opevo_text_printf(out, "%lld*", (long long)factor);
    opevo_text_add(out, terms > 1 ? "(" : "");
    begins = true;
    for (int i = 0; i < of->count; i++) {
        int column = of->first + i * of->step;
        int64_t number = row[column] / factor * sign;

        if (number == 0)
            continue;
        opevo_text_add(out, begins ? "" : number < 0 ? " - " : " + ");
        if (labs((long)number) > 1)
            opevo_text_printf(out, "%ld*", labs((long)number));
        opevo_text_printf(out, read, column);
        begins = false;
    }
    opevo_text_add(out, terms > 1 ? ")" : "");
}

/* A row as the sum of its groups. */
static void add_row(const int *row, const group *groups, int count, const char *read,
                    opevo_text *out)
{
    bool begins = true;

    for (int i = 0; i < count; i++) {
        add_group(row, &groups[i], read, begins, out);
        begins &= common_factor(row, &groups[i]) == 0;
    }
}

/* Rows for points x and -x differ by the sign of odd columns. */
static void add_input_row(const opevo_i_net_winograd *form, int row, const char *read,
                          opevo_text *out)
{
    const group groups[] = {{form->points - 2, -2, form->points / 2},
                            {form->points - 1, -2, form->points / 2}};

    add_row(form->input[row], groups, 2, read, out);
}

/* Columns of points x and -x are beside each other. */
static void add_output_row(const opevo_i_net_winograd *form, int row, const char *read,
                           opevo_text *out)
{
    group groups[OPEVO_I_WINOGRAD_POINTS] = {{0, 1, 1}};
    int count = 1;

    for (int column = 1; column < form->points; column += 2)
        groups[count++] = (group){column, 1, column + 1 < form->points ? 2 : 1};
    add_row(form->output[row], groups, count, read, out);
}

/* "select(i == 0, row 0, select(i == 1, ...))" */
static void add_cases(const opevo_i_net_winograd *form, bool input, const char *axis,
                      const char *read, opevo_text *out)
{
    int rows = input ? form->points : form->tile;

    for (int row = 0; row < rows; row++) {
        if (row < rows - 1)
            opevo_text_printf(out, "select(%s == %d, ", axis, row);
        (input ? add_input_row : add_output_row)(form, row, read, out);
        opevo_text_add(out, row < rows - 1 ? ", " : "");
    }
    for (int row = 0; row < rows - 1; row++)
        opevo_text_add(out, ")");
    opevo_text_add(out, "\n");
}

/* ---- Definitions ---------------------------------------------------------------------------- */

/* The image in blocks with the zeros beyond its edges: E[images, groups ins, height, width,
 * block]. */
static void define_edges(const opevo_i_net_winograd_shape *shape, long long height, long long width,
                         opevo_text *out)
{
    const char *read = "A[n, c, h, w, v]";
    long long ins = shape->groups * shape->ins;
    char plain[64];

    snprintf(plain, sizeof plain, "A[n, %lld*c + v, h, w]", (long long)shape->block);
    read = shape->plain_image ? plain : read;
    opevo_text_printf(out, "E[n:%lld, c:%lld, h:%lld, w:%lld, v:%lld] = ", (long long)shape->images,
                      ins, height, width, (long long)shape->block);
    if (height > shape->height || width > shape->width)
        opevo_text_printf(out, "select(h < %lld and w < %lld, %s, 0)\n", (long long)shape->height,
                          (long long)shape->width, read);
    else
        opevo_text_printf(out, "%s\n", read);
}

void opevo_i_net_winograd_define_input(const opevo_i_net_winograd *form,
                                       const opevo_i_net_winograd_shape *shape, opevo_text *out)
{
    long long rows = opevo_i_net_winograd_rows(form, shape);
    long long columns = opevo_i_net_winograd_columns(form, shape);
    long long height = form->tile * rows + 2, width = form->tile * columns + 2;
    long long ins = shape->groups * shape->ins;
    bool has_edges = height > shape->height || width > shape->width || shape->plain_image;
    char read[64];

    opevo_text_printf(out, "A[%lld, %lld, %lld, %lld", (long long)shape->images,
                      shape->plain_image ? ins * shape->block : ins, (long long)shape->height,
                      (long long)shape->width);
    if (!shape->plain_image)
        opevo_text_printf(out, ", %lld", (long long)shape->block);
    opevo_text_add(out, "]\n");
    if (has_edges)
        define_edges(shape, height, width, out);
    opevo_text_printf(out, "R[i:%d, l:%d, c:%lld, n:%lld, y:%lld, x:%lld, v:%lld] = ", form->points,
                      form->points, ins, (long long)shape->images, rows, columns,
                      (long long)shape->block);
    snprintf(read, sizeof read, "%s[n, c, %d*y + %%d, %d*x + l, v]", has_edges ? "E" : "A",
             form->tile, form->tile);
    add_cases(form, true, "i", read, out);
    opevo_text_printf(out, "V[i, j:%d, c, n, y, x, v] = ", form->points);
    add_cases(form, true, "j", "R[i, %d, c, n, y, x, v]", out);
}

void opevo_i_net_winograd_define_product(const opevo_i_net_winograd *form,
                                         const opevo_i_net_winograd_shape *shape, opevo_text *out)
{
    long long places = form->points * form->points;
    long long tiles = tile_count(form, shape);
    long long ins = shape->groups * shape->ins;
    char first[64] = "";

    if (shape->groups > 1)
        snprintf(first, sizeof first, " + %lld*(o//%lld)", (long long)shape->ins,
                 (long long)(shape->outs / shape->groups));
    opevo_text_printf(out, "V[%lld, %lld, %lld, %lld]\n", places, ins, tiles,
                      (long long)shape->block);
    opevo_text_printf(out, "const U[%lld, %lld, %lld, %lld, %lld]\n", places,
                      (long long)shape->outs, (long long)shape->ins, (long long)shape->block,
                      (long long)shape->block);
    opevo_text_printf(
        out,
        "M[p:%lld, o:%lld, t:%lld, v:%lld] = sum(c:%lld, u:%lld) V[p, c%s, t, u]*U[p, "
        "o, c, u, v]\n",
        places, (long long)shape->outs, tiles, (long long)shape->block, (long long)shape->ins,
        (long long)shape->block, first);
}

void opevo_i_net_winograd_define_output(const opevo_i_net_winograd *form,
                                        const opevo_i_net_winograd_shape *shape, opevo_text *out)
{
    long long rows = opevo_i_net_winograd_rows(form, shape);
    long long columns = opevo_i_net_winograd_columns(form, shape);
    long long block = shape->block;
    char read[64], cases[16];

    opevo_text_printf(out, "M[%d, %d, %lld, %lld, %lld, %lld, %lld]\n", form->points, form->points,
                      (long long)shape->outs, (long long)shape->images, rows, columns, block);
    opevo_text_printf(out, "S[i:%d, j:%d, o:%lld, n:%lld, r:%lld, s:%lld, v:%lld] = ", form->tile,
                      form->points, (long long)shape->outs, (long long)shape->images, rows, columns,
                      block);
    add_cases(form, false, "i", "M[%d, j, o, n, r, s, v]", out);
    opevo_text_printf(out, "%s[n, o, y:%lld, x:%lld, v] = ", shape->plain_result ? "D" : "C",
                      (long long)shape->height - 2, (long long)shape->width - 2);
    snprintf(read, sizeof read, "S[y%%%%%d, %%d, o, n, y//%d, x//%d, v]", form->tile, form->tile,
             form->tile);
    snprintf(cases, sizeof cases, "x%%%d", form->tile);
    add_cases(form, false, cases, read, out);
    if (shape->plain_result)
        opevo_text_printf(out, "C[n, k:%lld, y, x] = D[n, k//%lld, y, x, k%%%lld]\n",
                          (long long)shape->outs * block, block, block);
}

/* ---- Weights -------------------------------------------------------------------------------- */

/* U = G g G^T, and |G| |g| |G^T| where `absolute`. */
static void transform(const opevo_i_net_winograd *form, const double *g, bool absolute, double *u)
{
    double half[OPEVO_I_WINOGRAD_POINTS][OPEVO_I_WINOGRAD_KERNEL];
    int kernel = OPEVO_I_WINOGRAD_KERNEL;

    for (int p = 0; p < form->points; p++) {
        for (int k = 0; k < kernel; k++) {
            double sum = 0;

            for (int l = 0; l < kernel; l++) {
                double term = form->weights[p][l] * g[l * kernel + k];

                sum += absolute ? fabs(term) : term;
            }
            half[p][k] = sum / form->divisor[p];
        }
    }
    for (int p = 0; p < form->points; p++) {
        for (int q = 0; q < form->points; q++) {
            double sum = 0;

            for (int l = 0; l < kernel; l++) {
                double term = form->weights[q][l] * half[p][l];

                sum += absolute ? fabs(term) : term;
            }
            u[p * form->points + q] = sum / form->divisor[q];
        }
    }
}

static bool is_power_of_two(int number)
{
    return (abs(number) & (abs(number) - 1)) == 0;
}

/* Most roundings on the way of a number through a sum by a row: its additions, and a product. */
static int roundings(const int *row, int columns)
{
    int terms = 0;
    bool multiplies = false;

    for (int i = 0; i < columns; i++) {
        terms += row[i] != 0;
        multiplies |= !is_power_of_two(row[i]);
    }
    return terms - 1 + multiplies;
}

static int most_roundings(const opevo_i_net_winograd *form)
{
    int input = 0, output = 0;

    for (int p = 0; p < form->points; p++) {
        int count = roundings(form->input[p], form->points);

        input = count > input ? count : input;
    }
    for (int i = 0; i < form->tile; i++) {
        int count = roundings(form->output[i], form->points);

        output = count > output ? count : output;
    }
    return 2 * (input + output) + 1;
}

static double gamma_of(double roundings)
{
    double nu = roundings * 0x1p-24;

    return nu < 1 ? nu / (1 - nu) : INFINITY;
}

double opevo_i_net_direct_bound(const opevo_i_net_winograd_shape *shape)
{
    return gamma_of(9 * (double)(shape->ins * shape->block));
}

/* The largest element of |A^T| (w * b b^T) |A|. */
static double largest_output(const opevo_i_net_winograd *form, const double *w)
{
    double b[OPEVO_I_WINOGRAD_POINTS] = {0};
    double most = 0;

    for (int p = 0; p < form->points; p++)
        for (int q = 0; q < form->points; q++)
            b[p] += abs(form->input[p][q]);
    for (int i = 0; i < form->tile; i++) {
        for (int j = 0; j < form->tile; j++) {
            double sum = 0;

            for (int p = 0; p < form->points; p++)
                for (int q = 0; q < form->points; q++)
                    sum += abs(form->output[i][p]) * abs(form->output[j][q]) * b[p] * b[q] *
                           w[p * form->points + q];
            most = fmax(most, sum);
        }
    }
    return most;
}

/* What is known of the weights of an output channel: sums over the input channels. */
typedef struct channel {
    double transformed[OPEVO_I_WINOGRAD_POINTS * OPEVO_I_WINOGRAD_POINTS];
    double all; /* of |g| */
} channel;

enum { TAPS = OPEVO_I_WINOGRAD_KERNEL * OPEVO_I_WINOGRAD_KERNEL };

/* The weights of one pair of channels: element `at` of the transformed ones at the first place,
 * further ones `step` elements apart. */
static void transform_pair(const opevo_i_net_winograd *form, const double *g, float *out,
                           int64_t step, channel *sums)
{
    /* In double precision a number has at most ten roundings. */
    static const double more = 0x1p-49;
    double u[OPEVO_I_WINOGRAD_POINTS * OPEVO_I_WINOGRAD_POINTS] = {0};
    double absolute[OPEVO_I_WINOGRAD_POINTS * OPEVO_I_WINOGRAD_POINTS] = {0};

    transform(form, g, false, u);
    transform(form, g, true, absolute);
    for (int p = 0; p < form->points * form->points; p++) {
        out[p * step] = (float)u[p];
        sums->transformed[p] += fabs(u[p]) + more / 0x1p-24 * absolute[p];
    }
    for (int k = 0; k < TAPS; k++)
        sums->all += fabs(g[k]);
}

opevo_status opevo_i_net_winograd_weights(const opevo_i_net_winograd *form,
                                          const opevo_i_net_winograd_shape *shape,
                                          const float *weights, opevo_array *out, double *bound,
                                          opevo_error *err)
{
    int64_t block = shape->block, outs = shape->outs, ins = shape->ins;
    int64_t pairs = outs * ins * block * block;
    double factor = gamma_of(most_roundings(form) + (double)(ins * block));
    channel *sums = opevo_calloc((size_t)(outs * block), sizeof *sums);
    opevo_status status = OPEVO_OK;

    *out = (opevo_array){.type = OPEVO_NETWORK_FLOAT32,
                         .dims = 5,
                         .extent = {form->points * form->points, outs, ins, block, block}};
    OPEVO_NEED_OR_RETURN(sums, "transformed weights");
    OPEVO_TRY(opevo_array_allocate(out, err));
    for (int64_t i = 0; i < pairs; i++) {
        int64_t inside = i % (block * block), both = i / (block * block);
        const float *from = weights + both * TAPS * block * block + inside;
        double g[TAPS];

        for (int k = 0; k < TAPS; k++)
            g[k] = (double)from[k * block * block];
        transform_pair(form, g, (float *)out->data + i, pairs,
                       &sums[both / ins * block + inside % block]);
    }
    *bound = 0;
    for (int64_t o = 0; o < outs * block; o++)
        if (sums[o].all > 0)
            *bound = fmax(*bound, factor * largest_output(form, sums[o].transformed) / sums[o].all);
cleanup:
    opevo_free(sums);
    return status;
}

/* ---- Cost ----------------------------------------------------------------------------------- */

/* In the time of one multiply-add of a vector kernel: bytes of images that transforms move through
 * the caches; more for bytes that are not in blocks, whose channels are read or written one by one;
 * and bytes of weights, which come from memory once. */
static const double per_image_byte = 2, per_plain_byte = 5, per_weight_byte = 4;

static double weight_cost(const opevo_i_net_winograd_shape *shape, double taps)
{
    return per_weight_byte * 4 * taps * (double)(shape->ins * shape->block) *
           (double)(shape->outs * shape->block);
}

double opevo_i_net_direct_cost(const opevo_i_net_winograd_shape *shape)
{
    double results = (double)shape->images * (double)(shape->height - 2) *
                     (double)(shape->width - 2) * (double)(shape->outs * shape->block);

    return TAPS * results * (double)(shape->ins * shape->block) + weight_cost(shape, TAPS);
}

double opevo_i_net_winograd_cost(const opevo_i_net_winograd *form,
                                 const opevo_i_net_winograd_shape *shape)
{
    double places = form->points * form->points;
    double tiles = (double)tile_count(form, shape);
    double summed = (double)(shape->ins * shape->block);
    double inputs = (double)shape->groups * summed;
    double outputs = (double)(shape->outs * shape->block);
    double pixels = (double)shape->images * (double)shape->height * (double)shape->width;
    double plain = (shape->plain_image ? inputs : 0) + (shape->plain_result ? outputs : 0);

    return places * tiles * summed * outputs + weight_cost(shape, places) +
           per_image_byte * 4 * (pixels + places * tiles) * (inputs + outputs) +
           per_plain_byte * 4 * pixels * plain;
}
