/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Matrix products and convolutions by OpenBLAS. */

#include <opevo/reference.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <cblas.h>

#include <limits.h>
#include <string.h>

const char *opevo_reference_blas_core(void)
{
    return openblas_get_corename();
}

/* Whether one of the factors of an n x m product is a vector. */
static bool has_vector(int64_t n, int64_t m)
{
    return n == 1 || m == 1;
}

const char *opevo_reference_blas_routine(const opevo_operator *op)
{
    bool vector = op->kind == OPEVO_CONV2D
                      ? has_vector(op->out_channels, opevo_operator_out_pixels(op))
                      : has_vector(op->n, op->m);

    return vector ? "sgemv" : "sgemm";
}

/* Row-major y = matrix x, or y = matrix^T x, of a matrix of so many rows and columns. */
static void multiply_vector(bool transpose, int64_t rows, int64_t columns, const float *matrix,
                            const float *x, float *y)
{
    cblas_sgemv(CblasRowMajor, transpose ? CblasTrans : CblasNoTrans, (blasint)rows,
                (blasint)columns, 1.0F, matrix, (blasint)columns, x, 1, 0.0F, y, 1);
}

/* Row-major c = a b, n x k times k x m. */
static void multiply(const opevo_operator *op, const float *a, const float *b, float *c)
{
    if (op->m == 1) {
        multiply_vector(op->transpose_x, op->transpose_x ? op->k : op->n,
                        op->transpose_x ? op->n : op->k, a, b, c);
        return;
    }
    if (op->n == 1) { /* c^T = b^T a^T */
        multiply_vector(!op->transpose_y, op->transpose_y ? op->m : op->k,
                        op->transpose_y ? op->k : op->m, b, a, c);
        return;
    }
    cblas_sgemm(CblasRowMajor, op->transpose_x ? CblasTrans : CblasNoTrans,
                op->transpose_y ? CblasTrans : CblasNoTrans, (blasint)op->n, (blasint)op->m,
                (blasint)op->k, 1.0F, a, (blasint)(op->transpose_x ? op->n : op->k), b,
                (blasint)(op->transpose_y ? op->k : op->m), 0.0F, c, (blasint)op->m);
}

/* One row of the unfolded image: for one input channel and place in the kernel, every output
 * pixel. */
static void unfold_row(const opevo_operator *op, const float *plane, int64_t r, int64_t s,
                       float *row)
{
    int64_t out_height = opevo_operator_out_height(op);
    int64_t out_width = opevo_operator_out_width(op);

    for (int64_t y = 0; y < out_height; y++) {
        int64_t from = y * op->stride + r - op->padding;
        int64_t first = 0;
        int64_t end = out_width;
        const float *line = plane + from * op->width;

        if (from < 0 || from >= op->height) {
            memset(row, 0, (size_t)out_width * sizeof *row);
            row += out_width;
            continue;
        }
        while (first < end && first * op->stride + s < op->padding)
            row[first++] = 0.0F;
        while (end > first && (end - 1) * op->stride + s - op->padding >= op->width)
            row[--end] = 0.0F;
        if (op->stride == 1 && end > first) {
            memcpy(row + first, line + (first + s - op->padding),
                   (size_t)(end - first) * sizeof *row);
        } else {
            for (int64_t x = first; x < end; x++)
                row[x] = line[x * op->stride + s - op->padding];
        }
        row += out_width;
    }
}

typedef struct unfolding {
    const opevo_operator *op;
    const float *image;
    float *rows;
} unfolding;

/* All rows of one input channel. */
static opevo_status unfold_channel(void *context, size_t channel, unsigned worker, opevo_error *err)
{
    const unfolding *self = context;
    const opevo_operator *op = self->op;
    const float *plane = self->image + (int64_t)channel * op->height * op->width;
    int64_t pixels = opevo_operator_out_pixels(op);
    float *rows = self->rows + (int64_t)channel * op->kernel_height * op->kernel_width * pixels;

    (void)worker;
    (void)err;
    for (int64_t r = 0; r < op->kernel_height; r++) {
        for (int64_t s = 0; s < op->kernel_width; s++) {
            unfold_row(op, plane, r, s, rows);
            rows += pixels;
        }
    }
    return OPEVO_OK;
}

/* On as many threads as OpenBLAS has. */
static void unfold(const opevo_operator *op, const float *image, float *rows)
{
    unfolding self = {op, image, rows};

    (void)opevo_parallel_for((size_t)op->in_channels, (unsigned)openblas_get_num_threads(),
                             unfold_channel, &self, NULL);
}

static opevo_status convolve(const opevo_operator *op, const float *a, const float *b, float *c,
                             opevo_error *err)
{
    int64_t pixels = opevo_operator_out_pixels(op);
    int64_t terms = opevo_operator_terms(op, 0);
    opevo_operator product = {.kind = OPEVO_MATMUL, .n = op->out_channels, .k = terms, .m = pixels};
    bool plain = opevo_operator_is_pointwise(op);
    float *rows = plain ? NULL : opevo_malloc((size_t)(terms * pixels), sizeof *rows);

    if (!plain && !rows)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for an unfolded image.");
    for (int64_t n = 0; n < op->batch; n++) {
        const float *image = a + n * op->in_channels * op->height * op->width;

        if (!plain)
            unfold(op, image, rows);
        multiply(&product, b, plain ? image : rows, c + n * op->out_channels * pixels);
    }
    opevo_free(rows);
    return OPEVO_OK;
}

opevo_status opevo_reference_blas(const opevo_operator *op, const float *const *inputs,
                                  float *const *outputs, opevo_error *err)
{
    for (int i = 0; i < 3; i++) {
        if (opevo_operand_elements(op, i) > INT_MAX)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "An operand has more than 2^31 - 1 elements, too many for OpenBLAS.");
    }
    if (op->kind == OPEVO_CONV2D)
        return convolve(op, inputs[0], inputs[1], outputs[0], err);
    for (int64_t i = 0; i < (op->kind == OPEVO_MATMUL ? 1 : op->batch); i++)
        multiply(op, inputs[0] + i * op->n * op->k, inputs[1] + i * op->k * op->m,
                 outputs[0] + i * op->n * op->m);
    return OPEVO_OK;
}
