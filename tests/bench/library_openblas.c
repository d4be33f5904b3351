/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenBLAS: products as they are (sgemv with one row or column), norms by snrm2, convolutions as a
 * product with the unfolded image, one image and group after the other. Depthwise and transposed
 * convolutions are left out. */

#include "library_case.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

typedef struct context {
    const library_case *what;
    library_operands x;
    float *unfolded;
} context;

static int64_t volume(const int64_t *size, int dims)
{
    int64_t product = 1;

    for (int i = 0; i < dims; i++)
        product *= size[i];
    return product;
}

static int64_t taps(const library_case *self)
{
    int64_t count = 1;

    for (int i = 0; i < self->spatial; i++)
        count *= self->kernel;
    return count;
}

/* Row `row` of the unfolded image: a channel and a tap, at every output position. */
static void unfold_row(const library_case *self, const float *image, int64_t row, float *out)
{
    int last = self->spatial - 1;
    int64_t tap[LIBRARY_SPATIAL], rest = row;
    int64_t lines = volume(self->out_size, last), width = self->out_size[last];

    for (int i = last; i >= 0; i--) {
        tap[i] = rest % self->kernel * self->dilation - self->pad;
        rest /= self->kernel;
    }
    image += rest * volume(self->size, self->spatial);
    for (int64_t line = 0; line < lines; line++) {
        int64_t position = line, offset = 0, scale = self->size[last];
        bool inside = true;

        for (int i = last - 1; i >= 0; i--) {
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): i < last */
            int64_t x = position % self->out_size[i] * self->stride + tap[i];

            inside = inside && x >= 0 && x < self->size[i];
            offset += x * scale;
            scale *= self->size[i];
            position /= self->out_size[i];
        }
        for (int64_t k = 0; k < width; k++) {
            int64_t x = k * self->stride + tap[last];

            out[line * width + k] =
                inside && x >= 0 && x < self->size[last] ? image[offset + x] : 0;
        }
    }
}

static void convolve(const context *self)
{
    const library_case *c = self->what;
    int64_t columns = volume(c->out_size, c->spatial), pixels = volume(c->size, c->spatial);
    int64_t in = c->in / c->groups, out = c->out / c->groups, depth = in * taps(c);
    bool same = taps(c) == 1 && c->stride == 1 && c->pad == 0;

    for (int64_t i = 0; i < c->images * c->groups; i++) {
        const float *image = self->x.input + i * in * pixels;
        float *result = self->x.output + i * out * columns;

        if (!same) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
            for (int64_t row = 0; row < depth; row++)
                unfold_row(c, image, row, self->unfolded + row * columns);
        }
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)out, (int)columns, (int)depth,
                    1, self->x.weights + i % c->groups * out * depth, (int)depth,
                    same ? image : self->unfolded, (int)columns, 0, result, (int)columns);
        for (int64_t k = 0; c->relu && k < out * columns; k++) {
            int64_t channel = i % c->groups * out + k / columns;
            float y = result[k] * self->x.scale[channel] + self->x.shift[channel];

            result[k] = y > 0 ? y : 0;
        }
    }
}

static void multiply(const context *self)
{
    const library_case *c = self->what;
    bool turned = c->kind == LIBRARY_TURNED;
    int64_t heads = turned ? c->in : 1;
    int right = (int)(turned ? heads * c->depth : c->columns);

    for (int64_t i = 0; i < c->batch * heads; i++) {
        int64_t b = i / heads, h = i % heads;
        const float *x = self->x.input + b * heads * c->rows * c->depth + h * c->depth;
        const float *y = self->x.weights + b * heads * c->columns * c->depth + h * c->depth;

        float *z = self->x.output + i * c->rows * c->columns;

        if (!turned && c->rows == 1)
            cblas_sgemv(CblasRowMajor, CblasTrans, (int)c->depth, (int)c->columns, 1, y, right, x,
                        1, 0, z, 1);
        else if (!turned && c->columns == 1)
            cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)c->rows, (int)c->depth, 1, x,
                        (int)c->depth, y, 1, 0, z, 1);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, turned ? CblasTrans : CblasNoTrans,
                        (int)c->rows, (int)c->columns, (int)c->depth, 1, x, (int)(heads * c->depth),
                        y, right, 0, z, (int)c->columns);
    }
}

static bool run(void *pointer)
{
    const context *self = pointer;
    const library_case *c = self->what;

    if (c->kind == LIBRARY_CONVOLUTION)
        convolve(self);
    else if (c->kind != LIBRARY_NORM)
        multiply(self);
    for (int64_t i = 0; c->kind == LIBRARY_NORM && i < c->batch; i++)
        self->x.output[i] =
            cblas_snrm2((int)(c->rows * c->columns), self->x.input + i * c->rows * c->columns, 1);
    return true;
}

static bool fetch(void *pointer)
{
    (void)pointer;
    return true;
}

static void destroy(void *pointer)
{
    context *self = pointer;

    free(self->unfolded);
    free(self);
}

static void *prepare(const library_case *what, const library_operands *operands, int threads)
{
    context *self = NULL;
    int64_t cells = what->in / (what->groups ? what->groups : 1) * taps(what) *
                    volume(what->out_size, what->spatial);

    if (what->kind == LIBRARY_TRANSPOSED || (what->groups > 1 && what->groups == what->in))
        return NULL;
    openblas_set_num_threads(threads);
    self = calloc(1, sizeof *self);
    *self = (context){.what = what, .x = *operands};
    self->unfolded = calloc((size_t)(cells > 0 ? cells : 1), sizeof(float));
    return self;
}

const library_contender library_openblas = {"OpenBLAS", prepare, run, fetch, destroy};
