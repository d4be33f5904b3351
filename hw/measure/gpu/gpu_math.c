/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The vendor's own kernels, which generated ones are measured against: cuBLAS or rocBLAS for matrix
 * products, cuDNN for convolutions; where there is no cuDNN, im2col and sgemm; by OpenCL CLBlast
 * (opencl_math.c).
 *
 * cuBLAS runs in its default math mode: without CUBLAS_TF32_TENSOR_OP_MATH single precision stays
 * single precision, and the pedantic mode gives up speed beyond that. cuDNN's default would allow
 * TF32, so it is told CUDNN_FMA_MATH; and of its algorithms those count that compute the sum as it
 * stands, without a transform (Winograd, Fourier) that has other costs and other errors.
 *
 * Prototypes and numbers are written after "cuBLAS" and "cuDNN" (docs.nvidia.com) and "rocBLAS"
 * (rocm.docs.amd.com). */

#include "gpu_internal.h"

#include <opevo/memory.h>
#include <opevo/reference.h>

#include <limits.h>
#include <stdio.h>

#define GEMM_FUNCTIONS(X)                                                                          \
    X(create, "cublasCreate_v2", "rocblas_create_handle", (void **handle))                         \
    X(destroy, "cublasDestroy_v2", "rocblas_destroy_handle", (void *handle))                       \
    X(version, "cublasGetVersion_v2", "", (void *handle, int *version))                            \
    X(set_math, "cublasSetMathMode", "", (void *handle, int mode))                                 \
    X(one, "cublasSgemm_v2", "rocblas_sgemm",                                                      \
      (void *handle, int form_a, int form_b, int m, int n, int k, const float *alpha, uint64_t a,  \
       int lda, uint64_t b, int ldb, const float *beta, uint64_t c, int ldc))                      \
    X(many, "cublasSgemmStridedBatched", "rocblas_sgemm_strided_batched",                          \
      (void *handle, int form_a, int form_b, int m, int n, int k, const float *alpha, uint64_t a,  \
       int lda, long long step_a, uint64_t b, int ldb, long long step_b, const float *beta,        \
       uint64_t c, int ldc, long long step_c, int batch))

#define CONVOLUTION_FUNCTIONS(X)                                                                   \
    X(create, "cudnnCreate", "", (void **handle))                                                  \
    X(destroy, "cudnnDestroy", "", (void *handle))                                                 \
    X(create_tensor, "cudnnCreateTensorDescriptor", "", (void **out))                              \
    X(set_tensor, "cudnnSetTensor4dDescriptor", "",                                                \
      (void *tensor, int format, int type, int n, int c, int h, int w))                            \
    X(create_filter, "cudnnCreateFilterDescriptor", "", (void **out))                              \
    X(set_filter, "cudnnSetFilter4dDescriptor", "",                                                \
      (void *filter, int type, int format, int k, int c, int h, int w))                            \
    X(create_convolution, "cudnnCreateConvolutionDescriptor", "", (void **out))                    \
    X(set_convolution, "cudnnSetConvolution2dDescriptor", "",                                      \
      (void *convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,        \
       int dilation_w, int mode, int type))                                                        \
    X(set_math, "cudnnSetConvolutionMathType", "", (void *convolution, int math))                  \
    X(find, "cudnnFindConvolutionForwardAlgorithmEx", "",                                          \
      (void *handle, void *x, uint64_t at_x, void *w, uint64_t at_w, void *convolution, void *y,   \
       uint64_t at_y, int wanted, int *found, algorithm *results, uint64_t scratch,                \
       size_t scratch_bytes))                                                                      \
    X(forward, "cudnnConvolutionForward", "",                                                      \
      (void *handle, const float *alpha, void *x, uint64_t at_x, void *w, uint64_t at_w,           \
       void *convolution, int algorithm, uint64_t scratch, size_t scratch_bytes,                   \
       const float *beta, void *y, uint64_t at_y))

/* cudnnConvolutionFwdAlgoPerf_t, member by member */
typedef struct algorithm { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    int number, status;
    float ms;
    size_t scratch_bytes;
    int deterministic, math, reserved[3];
} algorithm;

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name and a list of parameters */
#define MEMBER(member, cuda, hip, parameters) int(*member) parameters;
typedef struct gemm {
    GEMM_FUNCTIONS(MEMBER)
} gemm;
typedef struct convolution {
    CONVOLUTION_FUNCTIONS(MEMBER)
} convolution;
#undef MEMBER

#define GEMM_SYMBOL(member, cuda, hip, parameters) {offsetof(gemm, member), cuda, hip},
#define CONVOLUTION_SYMBOL(member, cuda, hip, parameters)                                          \
    {offsetof(convolution, member), cuda, hip},
static const opevo_i_gpu_symbol gemm_symbols[] = {GEMM_FUNCTIONS(GEMM_SYMBOL)};
static const opevo_i_gpu_symbol convolution_symbols[] = {CONVOLUTION_FUNCTIONS(CONVOLUTION_SYMBOL)};

static const char *const cublas[] = {"libcublas.so.13",
                                     "libcublas.so.12",
                                     "libcublas.so.11",
                                     "libcublas.so",
                                     "/usr/local/cuda/lib64/libcublas.so",
                                     NULL};
static const char *const rocblas[] = {"librocblas.so.5",
                                      "librocblas.so.4",
                                      "librocblas.so.0",
                                      "librocblas.so",
                                      "/opt/rocm/lib/librocblas.so",
                                      NULL};
static const char *const cudnn[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so", NULL};

enum {
    DEFAULT_MATH = 0, /* cublasMath_t */
    FMA_MATH = 3,     /* cudnnMathType_t */
    FLOAT = 0,        /* cudnnDataType_t */
    NCHW = 0,
    CROSS_CORRELATION = 1,
    ALGORITHMS = 8,
    DIRECT_ALGORITHMS = 4 /* those below transform nothing */
};

/* For cuDNN's algorithms and for unfolded images alike. The 512 images of the paper's convolutions
 * take 2.4 GB unfolded; a device of today has several times that, and 32 bits count the elements.
 * Where memory is short, either makes do with less. */
#define MOST_SCRATCH ((size_t)4 << 30)

static const float one = 1.0F;
static const float zero = 0.0F;

struct opevo_i_gpu_math {
    const opevo_i_gpu_vendor *vendor;
    const opevo_i_gpu_driver *driver;
    opevo_operator op;
    uint64_t operand[3];
    int (*run)(const opevo_i_gpu_math *self);
    void *handle;
    gemm gemm;                             /* unless cuDNN convolves */
    convolution convolution;               /* if it does */
    void *image, *weights, *result, *form; /* what cuDNN calls descriptors; they go with it */
    algorithm algorithm;                   /* the one chosen */
    opevo_i_gpu_unfold unfold;             /* without a function: nothing is unfolded */
    int64_t images_at_once;
    uint64_t scratch; /* of cuDNN, or unfolded images */
    char title[96];
};

static opevo_status fail(const char *library, int code, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO, "%s rejects it: status %d.", library, code);
}

/* ---- Matrix products ---- */

/* rocblas_operation_none, CUBLAS_OP_N; the transposed form is the next. */
static int form_plain(const opevo_i_gpu_math *self)
{
    return self->vendor->hip ? 111 : 0;
}

/* Row-major C = A B is column-major C' = B' A', where a matrix stored row by row is its
 * transpose. */
static int run_gemm(const opevo_i_gpu_math *self)
{
    const opevo_operator *op = &self->op;
    int plain = form_plain(self);
    int form_x = op->transpose_x ? plain + 1 : plain;
    int form_y = op->transpose_y ? plain + 1 : plain;
    int n = (int)op->n;
    int m = (int)op->m;
    int k = (int)op->k;
    int ldx = op->transpose_x ? n : k;
    int ldy = op->transpose_y ? k : m;

    if (op->kind == OPEVO_MATMUL)
        return self->gemm.one(self->handle, form_y, form_x, m, n, k, &one, self->operand[1], ldy,
                              self->operand[0], ldx, &zero, self->operand[2], m);
    return self->gemm.many(self->handle, form_y, form_x, m, n, k, &one, self->operand[1], ldy,
                           (long long)k * m, self->operand[0], ldx, (long long)n * k, &zero,
                           self->operand[2], m, (long long)n * m, (int)op->batch);
}

/* `before` begins the title. */
static opevo_status open_gemm(opevo_i_gpu_math *self, const char *before, opevo_error *err)
{
    bool hip = self->vendor->hip;
    const char *name = hip ? "rocBLAS" : "cuBLAS";
    void *library = opevo_i_gpu_library(hip ? rocblas : cublas);
    opevo_status status = OPEVO_OK;
    int version = 0;
    int code = 0;

    if (!library)
        return OPEVO_FAIL(err, OPEVO_IO,
                          "%s not found: install %s, or add its folder to LD_LIBRARY_PATH.",
                          hip ? rocblas[0] : cublas[0], name);
    status = opevo_i_gpu_look_up(self->vendor, library, gemm_symbols,
                                 sizeof gemm_symbols / sizeof *gemm_symbols, &self->gemm, err);
    if (status != OPEVO_OK)
        return status;
    code = self->gemm.create(&self->handle);
    if (!code && !hip)
        code = self->gemm.set_math(self->handle, DEFAULT_MATH);
    if (!code && !hip)
        code = self->gemm.version(self->handle, &version);
    if (code)
        return fail(name, code, err);
    snprintf(self->title, sizeof self->title, hip ? "%s%s" : "%s%s %d", before, name, version);
    return OPEVO_OK;
}

/* ---- Convolutions by im2col ---- */

/* The weights, F x CRS, times each image, CRS x pixels, give the result as it shall be stored. */
static int run_unfolded(const opevo_i_gpu_math *self)
{
    const opevo_operator *op = &self->op;
    int plain = form_plain(self);
    int pixels = (int)(opevo_operator_out_pixels(op));
    int terms = (int)opevo_operator_terms(op, 0);
    int channels = (int)op->out_channels;
    int64_t image_elements = op->in_channels * op->height * op->width;
    int64_t result_elements = op->out_channels * pixels;
    int code = 0;

    for (int64_t n = 0; n < op->batch && !code; n += self->images_at_once) {
        int64_t left = op->batch - n;
        int64_t count = left < self->images_at_once ? left : self->images_at_once;
        uint64_t images = self->operand[0] + 4 * (uint64_t)(n * image_elements);
        uint64_t result = self->operand[2] + 4 * (uint64_t)(n * result_elements);

        if (self->unfold.function) {
            code = opevo_i_gpu_unfold_run(&self->unfold, self->driver, op, images, count,
                                          self->scratch);
            images = self->scratch;
        }
        if (!code)
            code = self->gemm.many(self->handle, plain, plain, pixels, channels, terms, &one,
                                   images, pixels, (long long)terms * pixels, self->operand[1],
                                   terms, 0, &zero, result, pixels, result_elements, (int)count);
    }
    return code;
}

static opevo_status open_unfolded(opevo_i_gpu_math *self, const char *arch, opevo_error *err)
{
    const opevo_operator *op = &self->op;
    int64_t terms = opevo_operator_terms(op, 0);
    int64_t pixels = opevo_operator_out_pixels(op);
    int64_t room = (int64_t)(MOST_SCRATCH / sizeof(float)) / terms / pixels;
    size_t image_bytes = sizeof(float) * (size_t)terms * (size_t)pixels;
    bool plain = opevo_operator_is_pointwise(op);
    opevo_status status = open_gemm(self, plain ? "" : "im2col + ", err);

    self->run = run_unfolded;
    self->images_at_once = plain || room > op->batch ? op->batch : room;
    if (status != OPEVO_OK || plain)
        return status;
    while (self->images_at_once &&
           self->driver->allocate(&self->scratch, (size_t)self->images_at_once * image_bytes) != 0)
        self->images_at_once /= 2;
    if (!self->images_at_once)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "an unfolded image takes more than %zu GiB, or more than the device has free.",
            MOST_SCRATCH >> 30);
    return opevo_i_gpu_unfold_load(self->vendor, self->driver, arch, op, &self->unfold, err);
}

/* ---- Convolutions by cuDNN ---- */

static int describe(opevo_i_gpu_math *self)
{
    const opevo_operator *op = &self->op;
    const convolution *library = &self->convolution;
    int code = library->create_tensor(&self->image);

    if (!code)
        code = library->create_tensor(&self->result);
    if (!code)
        code = library->create_filter(&self->weights);
    if (!code)
        code = library->create_convolution(&self->form);
    if (!code)
        code = library->set_tensor(self->image, NCHW, FLOAT, (int)op->batch, (int)op->in_channels,
                                   (int)op->height, (int)op->width);
    if (!code)
        code = library->set_filter(self->weights, FLOAT, NCHW, (int)op->out_channels,
                                   (int)op->in_channels, (int)op->kernel_height,
                                   (int)op->kernel_width);
    if (!code)
        code = library->set_tensor(self->result, NCHW, FLOAT, (int)op->batch, (int)op->out_channels,
                                   (int)opevo_operator_out_height(op),
                                   (int)opevo_operator_out_width(op));
    if (!code)
        code = library->set_convolution(self->form, (int)op->padding, (int)op->padding,
                                        (int)op->stride, (int)op->stride, 1, 1, CROSS_CORRELATION,
                                        FLOAT);
    return code ? code : library->set_math(self->form, FMA_MATH);
}

/* The fastest of the direct algorithms: they come sorted by time. */
static int choose(opevo_i_gpu_math *self, bool *found)
{
    algorithm results[ALGORITHMS];
    size_t scratch_bytes = MOST_SCRATCH;
    int count = 0;
    int code = 0;

    while (scratch_bytes && self->driver->allocate(&self->scratch, scratch_bytes) != 0)
        scratch_bytes /= 2;
    code = self->convolution.find(self->handle, self->image, self->operand[0], self->weights,
                                  self->operand[1], self->form, self->result, self->operand[2],
                                  ALGORITHMS, &count, results, self->scratch, scratch_bytes);
    *found = false;
    for (int i = 0; !code && i < count && !*found; i++) {
        *found = results[i].status == 0 && results[i].number < DIRECT_ALGORITHMS;
        self->algorithm = results[i];
    }
    return code;
}

static int run_convolution(const opevo_i_gpu_math *self)
{
    return self->convolution.forward(
        self->handle, &one, self->image, self->operand[0], self->weights, self->operand[1],
        self->form, self->algorithm.number, self->scratch, self->algorithm.scratch_bytes, &zero,
        self->result, self->operand[2]);
}

static opevo_status open_convolution(opevo_i_gpu_math *self, void *library, opevo_error *err)
{
    static const char *const names[DIRECT_ALGORITHMS] = {"implicit gemm", "implicit precomp gemm",
                                                         "gemm", "direct"};
    opevo_status status = OPEVO_OK;
    bool found = false;
    int code = 0;

    status = opevo_i_gpu_look_up(self->vendor, library, convolution_symbols,
                                 sizeof convolution_symbols / sizeof *convolution_symbols,
                                 &self->convolution, err);
    if (status != OPEVO_OK)
        return status;
    code = self->convolution.create(&self->handle);
    if (!code)
        code = describe(self);
    if (!code)
        code = choose(self, &found);
    if (code)
        return fail("cuDNN", code, err);
    if (!found)
        return OPEVO_FAIL(err, OPEVO_IO, "cuDNN has no direct algorithm for it.");
    self->run = run_convolution;
    snprintf(self->title, sizeof self->title, "cuDNN, %s", names[self->algorithm.number]);
    return OPEVO_OK;
}

/* ---- All of them ---- */

static int run_own(const opevo_i_gpu_math *self)
{
    return self->vendor->own->run_math(&self->op, self->operand);
}

/* The first execution builds kernels, for as long as that takes, and is not measured. */
static opevo_status open_own(opevo_i_gpu_math *self, opevo_error *err)
{
    opevo_status status = self->vendor->own->open_math(self->title, sizeof self->title, err);
    int code = 0;

    self->run = run_own;
    if (status != OPEVO_OK)
        return status;
    code = run_own(self);
    if (!code)
        code = self->driver->synchronize();
    return code ? fail(self->title, code, err) : OPEVO_OK;
}

static opevo_status open_library(opevo_i_gpu_math *self, const char *arch, opevo_error *err)
{
    bool convolves = self->op.kind == OPEVO_CONV2D;
    void *library = NULL;

    if (self->vendor->own)
        return open_own(self, err);
    library = convolves && !self->vendor->hip ? opevo_i_gpu_library(cudnn) : NULL;
    if (library)
        return open_convolution(self, library, err);
    if (convolves)
        return open_unfolded(self, arch, err);
    self->run = run_gemm;
    return open_gemm(self, "", err);
}

opevo_status opevo_i_gpu_math_open(const opevo_i_gpu_vendor *vendor,
                                   const opevo_i_gpu_driver *driver, const char *arch,
                                   const opevo_operator *op, const uint64_t *operands,
                                   opevo_i_gpu_math **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_gpu_math *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a library");
    self->vendor = vendor;
    self->driver = driver;
    self->op = *op;
    for (int i = 0; i < 3; i++)
        self->operand[i] = operands[i];
    status = open_library(self, arch, err);
    if (status == OPEVO_OK)
        *out = self;
    else
        opevo_i_gpu_math_close(self);
    return status;
}

int opevo_i_gpu_math_run(const opevo_i_gpu_math *self)
{
    return self->run(self);
}

const char *opevo_i_gpu_math_title(const opevo_i_gpu_math *self)
{
    return self->title;
}

void opevo_i_gpu_math_close(opevo_i_gpu_math *self)
{
    if (!self)
        return;
    if (self->handle)
        (self->convolution.destroy ? self->convolution.destroy : self->gemm.destroy)(self->handle);
    if (self->unfold.module)
        self->driver->unload_module(self->unfold.module);
    if (self->scratch)
        self->driver->release(self->scratch);
    opevo_free(self);
}
