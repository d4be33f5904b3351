/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stands for cuBLAS, rocBLAS and cuDNN in tests, in their conventions: matrices are stored column
 * by column, rocBLAS counts its forms from 111, cuDNN offers a transform first. It computes what it
 * is asked for, so that an argument in a wrong place gives a wrong result. */

#include "fake_gpu.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { PRECOMPUTED = 1, WINOGRAD = 6, SCRATCH = 4096, FMA = 3 };

static int handle;

static void product(int turned_a, int turned_b, int m, int n, int k, float alpha, const float *a,
                    int lda, const float *b, int ldb, float *c, int ldc)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0;

            for (int l = 0; l < k; l++)
                sum += (double)(turned_a ? a[l + i * lda] : a[i + l * lda]) *
                       (double)(turned_b ? b[j + l * ldb] : b[l + j * ldb]);
            c[i + j * ldc] = alpha * (float)sum;
        }
    }
}

static int multiply(void *given, int form_a, int form_b, const int *size, const float *alpha,
                    uint64_t a, const float *beta, uint64_t b, uint64_t c, const int *ld,
                    const long long *step, int batch)
{
    if (given != &handle || *beta != 0.0F || (unsigned)form_a > 1 || (unsigned)form_b > 1)
        return 7;
    for (int i = 0; i < batch; i++)
        product(form_a, form_b, size[0], size[1], size[2], *alpha,
                (const float *)fake_at(a) + i * step[0], ld[0],
                (const float *)fake_at(b) + i * step[1], ld[1], (float *)fake_at(c) + i * step[2],
                ld[2]);
    fake_executed(1);
    return 0;
}

#define GEMM_PARAMETERS                                                                            \
    (void *given, int form_a, int form_b, int m, int n, int k, const float *alpha, uint64_t a,     \
     int lda, uint64_t b, int ldb, const float *beta, uint64_t c, int ldc)
#define MANY_PARAMETERS                                                                            \
    (void *given, int form_a, int form_b, int m, int n, int k, const float *alpha, uint64_t a,     \
     int lda, long long step_a, uint64_t b, int ldb, long long step_b, const float *beta,          \
     uint64_t c, int ldc, long long step_c, int batch)
#define VENDOR(create_name, gemm_name, many_name, first_form)                                      \
    int create_name(void **out);                                                                   \
    int create_name(void **out)                                                                    \
    {                                                                                              \
        *out = &handle;                                                                            \
        return 0;                                                                                  \
    }                                                                                              \
    int gemm_name GEMM_PARAMETERS;                                                                 \
    int gemm_name GEMM_PARAMETERS                                                                  \
    {                                                                                              \
        return multiply(given, form_a - (first_form), form_b - (first_form), (int[]){m, n, k},     \
                        alpha, a, beta, b, c, (int[]){lda, ldb, ldc}, (long long[]){0, 0, 0}, 1);  \
    }                                                                                              \
    int many_name MANY_PARAMETERS;                                                                 \
    int many_name MANY_PARAMETERS                                                                  \
    {                                                                                              \
        return multiply(given, form_a - (first_form), form_b - (first_form), (int[]){m, n, k},     \
                        alpha, a, beta, b, c, (int[]){lda, ldb, ldc},                              \
                        (long long[]){step_a, step_b, step_c}, batch);                             \
    }
VENDOR(cublasCreate_v2, cublasSgemm_v2, cublasSgemmStridedBatched, 0)
VENDOR(rocblas_create_handle, rocblas_sgemm, rocblas_sgemm_strided_batched, 111)

int cublasDestroy_v2(void *given);
int cublasDestroy_v2(void *given)
{
    return given != &handle;
}
int rocblas_destroy_handle(void *given);
int rocblas_destroy_handle(void *given)
{
    return given != &handle;
}
int cublasGetVersion_v2(void *given, int *version);
int cublasGetVersion_v2(void *given, int *version)
{
    *version = 130000;
    return given != &handle;
}
int cublasSetMathMode(void *given, int mode);
int cublasSetMathMode(void *given, int mode)
{
    return given != &handle || mode != 0;
}

/* ---- cuDNN ---------------------------------------------------------------------------------- */

/* A tensor or a filter in `size`; a convolution: padding, stride, math. */
typedef struct descriptor {
    int size[4];
} descriptor;

typedef struct algorithm {
    int number, status;
    float ms;
    size_t scratch_bytes;
    int deterministic, math, reserved[3];
} algorithm;

int cudnnCreate(void **out);
int cudnnCreate(void **out)
{
    *out = &handle;
    return 0;
}
int cudnnDestroy(void *given);
int cudnnDestroy(void *given)
{
    return given != &handle;
}
static int make(void **out)
{
    *out = calloc(1, sizeof(descriptor));
    return *out == NULL;
}
#define MAKES(name)                                                                                \
    int name(void **out);                                                                          \
    int name(void **out)                                                                           \
    {                                                                                              \
        return make(out);                                                                          \
    }
MAKES(cudnnCreateTensorDescriptor)
MAKES(cudnnCreateFilterDescriptor)
MAKES(cudnnCreateConvolutionDescriptor)

int cudnnSetTensor4dDescriptor(descriptor *tensor, int format, int type, int n, int c, int h,
                               int w);
int cudnnSetTensor4dDescriptor(descriptor *tensor, int format, int type, int n, int c, int h, int w)
{
    *tensor = (descriptor){{n, c, h, w}};
    return format || type;
}
int cudnnSetFilter4dDescriptor(descriptor *filter, int type, int format, int k, int c, int h,
                               int w);
int cudnnSetFilter4dDescriptor(descriptor *filter, int type, int format, int k, int c, int h, int w)
{
    *filter = (descriptor){{k, c, h, w}};
    return format || type;
}
int cudnnSetConvolution2dDescriptor(descriptor *form, int pad_h, int pad_w, int stride_h,
                                    int stride_w, int dilation_h, int dilation_w, int mode,
                                    int type);
int cudnnSetConvolution2dDescriptor(descriptor *form, int pad_h, int pad_w, int stride_h,
                                    int stride_w, int dilation_h, int dilation_w, int mode,
                                    int type)
{
    *form = (descriptor){{pad_h, stride_h, 0, 0}};
    return pad_h != pad_w || stride_h != stride_w || dilation_h != 1 || dilation_w != 1 ||
           mode != 1 || type != 0;
}
int cudnnSetConvolutionMathType(descriptor *form, int math);
int cudnnSetConvolutionMathType(descriptor *form, int math)
{
    form->size[2] = math;
    return 0;
}
int cudnnFindConvolutionForwardAlgorithmEx(void *given, const descriptor *image, uint64_t at_image,
                                           const descriptor *filter, uint64_t at_filter,
                                           const descriptor *form, const descriptor *result,
                                           uint64_t at_result, int wanted, int *found,
                                           algorithm *results, uint64_t scratch,
                                           size_t scratch_bytes);
int cudnnFindConvolutionForwardAlgorithmEx(void *given, const descriptor *image, uint64_t at_image,
                                           const descriptor *filter, uint64_t at_filter,
                                           const descriptor *form, const descriptor *result,
                                           uint64_t at_result, int wanted, int *found,
                                           algorithm *results, uint64_t scratch,
                                           size_t scratch_bytes)
{
    results[0] = (algorithm){.number = WINOGRAD, .ms = 1.0F, .math = FMA};
    results[1] = (algorithm){.number = 0, .status = 9, .ms = -1.0F};
    results[2] = (algorithm){.number = PRECOMPUTED, .ms = 2.0F, .scratch_bytes = SCRATCH};
    *found = 3;
    return given != &handle || form->size[2] != FMA || wanted < 3 || !scratch ||
           scratch_bytes < SCRATCH || !at_image || !at_filter || !at_result ||
           image->size[0] != result->size[0] || filter->size[0] != result->size[1];
}

/* Of an image, 0 beyond its edges. */
static float pixel(const descriptor *image, const float *data, int n, int c, int y, int x)
{
    const int *size = image->size;

    if (y < 0 || y >= size[2] || x < 0 || x >= size[3])
        return 0.0F;
    return data[((n * size[1] + c) * size[2] + y) * size[3] + x];
}

static float sum_of(const descriptor *image, const float *x, const descriptor *filter,
                    const float *w, int n, int from_y, int from_x)
{
    const int *size = filter->size;
    double sum = 0;

    for (int c = 0; c < size[1]; c++) {
        for (int r = 0; r < size[2]; r++) {
            for (int s = 0; s < size[3]; s++)
                sum += (double)pixel(image, x, n, c, from_y + r, from_x + s) *
                       (double)w[(c * size[2] + r) * size[3] + s];
        }
    }
    return (float)sum;
}

int cudnnConvolutionForward(void *given, const float *alpha, const descriptor *image, uint64_t x,
                            const descriptor *filter, uint64_t w, const descriptor *form,
                            int number, uint64_t scratch, size_t scratch_bytes, const float *beta,
                            const descriptor *result, uint64_t y);
int cudnnConvolutionForward(void *given, const float *alpha, const descriptor *image, uint64_t x,
                            const descriptor *filter, uint64_t w, const descriptor *form,
                            int number, uint64_t scratch, size_t scratch_bytes, const float *beta,
                            const descriptor *result, uint64_t y)
{
    const int *size = result->size;
    const int *weights = filter->size;
    float *out = fake_at(y);

    if (given != &handle || *alpha != 1.0F || *beta != 0.0F || number != PRECOMPUTED || !scratch ||
        scratch_bytes != SCRATCH)
        return 3;
    for (int i = 0; i < size[0] * size[1] * size[2] * size[3]; i++) {
        int column = i % size[3];
        int row = i / size[3] % size[2];
        int f = i / (size[2] * size[3]) % size[1];
        const float *of_f = (const float *)fake_at(w) + f * weights[1] * weights[2] * weights[3];

        out[i] =
            sum_of(image, fake_at(x), filter, of_f, i / (size[1] * size[2] * size[3]),
                   row * form->size[1] - form->size[0], column * form->size[1] - form->size[0]);
    }
    fake_executed(1);
    return 0;
}
