/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One primitive of oneDNN 2 on three operands. */

#include "onednn.h"

#ifdef OPEVO_BENCH_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif

#if defined OPEVO_BENCH_ONEDNN && DNNL_VERSION_MAJOR == 2

#include <stdlib.h>
#include <string.h>

struct onednn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t argument[3];
    void *own[3]; /* memory of operands in oneDNN's layouts */
};

/* A matrix or a batch of them, rows by columns, as it lies in memory. */
static bool describe_matrix(const opevo_operator *op, int64_t rows, int64_t columns,
                            bool transposed, dnnl_memory_desc_t *out)
{
    int64_t batch = op->kind == OPEVO_BATCH_MATMUL ? op->batch : 1;
    dnnl_dims_t dims = {batch, rows, columns};
    dnnl_dims_t strides = {rows * columns, transposed ? 1 : columns, transposed ? rows : 1};

    return dnnl_memory_desc_init_by_strides(out, 3, dims, dnnl_f32, strides) == dnnl_success;
}

static bool make_matmul(onednn *self, const opevo_operator *op)
{
    dnnl_memory_desc_t x[3];
    dnnl_matmul_desc_t matmul;

    return describe_matrix(op, op->n, op->k, op->transpose_x, &x[0]) &&
           describe_matrix(op, op->k, op->m, op->transpose_y, &x[1]) &&
           describe_matrix(op, op->n, op->m, false, &x[2]) &&
           dnnl_matmul_desc_init(&matmul, &x[0], &x[1], NULL, &x[2]) == dnnl_success &&
           dnnl_primitive_desc_create(&self->desc, &matmul, NULL, self->engine, NULL) ==
               dnnl_success;
}

static bool make_convolution(onednn *self, const opevo_operator *op, bool own_layouts)
{
    const dnnl_dims_t dims[3] = {
        {op->batch, op->in_channels, op->height, op->width},
        {op->out_channels, op->in_channels, op->kernel_height, op->kernel_width},
        {op->batch, op->out_channels, opevo_operator_out_height(op), opevo_operator_out_width(op)}};
    const dnnl_format_tag_t plain[3] = {dnnl_nchw, dnnl_oihw, dnnl_nchw};
    const dnnl_dims_t strides = {op->stride, op->stride};
    const dnnl_dims_t padding = {op->padding, op->padding};
    dnnl_memory_desc_t x[3];
    dnnl_convolution_desc_t convolution;

    for (int i = 0; i < 3; i++) {
        if (dnnl_memory_desc_init_by_tag(&x[i], 4, dims[i], dnnl_f32,
                                         own_layouts ? dnnl_format_tag_any : plain[i]) !=
            dnnl_success)
            return false;
    }
    return dnnl_convolution_forward_desc_init(&convolution, dnnl_forward_inference,
                                              dnnl_convolution_direct, &x[0], &x[1], NULL, &x[2],
                                              strides, padding, padding) == dnnl_success &&
           dnnl_primitive_desc_create(&self->desc, &convolution, NULL, self->engine, NULL) ==
               dnnl_success;
}

enum { ALIGNMENT = 64 };

static bool add_operands(onednn *self, float *const *operand, bool own_layouts)
{
    static const dnnl_query_t query[3] = {dnnl_query_src_md, dnnl_query_weights_md,
                                          dnnl_query_dst_md};
    static const int name[3] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};

    for (int i = 0; i < 3; i++) {
        const dnnl_memory_desc_t *desc = dnnl_primitive_desc_query_md(self->desc, query[i], 0);
        size_t bytes = dnnl_memory_desc_get_size(desc);

        if (own_layouts) {
            if (posix_memalign(&self->own[i], ALIGNMENT, bytes) != 0)
                return false;
            memset(self->own[i], 0, bytes);
        }
        self->argument[i].arg = name[i];
        if (dnnl_memory_create(&self->argument[i].memory, desc, self->engine,
                               own_layouts ? self->own[i] : operand[i]) != dnnl_success)
            return false;
    }
    return true;
}

bool onednn_is_there(void)
{
    return true;
}

onednn *onednn_create(const opevo_operator *op, float *const *operand, bool own_layouts)
{
    onednn *self = calloc(1, sizeof *self);

    omp_set_num_threads(1);
    if (self && dnnl_engine_create(&self->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&self->stream, self->engine, dnnl_stream_default_flags) ==
            dnnl_success &&
        (op->kind == OPEVO_CONV2D ? make_convolution(self, op, own_layouts)
                                  : make_matmul(self, op)) &&
        dnnl_primitive_create(&self->primitive, self->desc) == dnnl_success &&
        add_operands(self, operand, own_layouts))
        return self;
    onednn_destroy(self);
    return NULL;
}

bool onednn_run(onednn *self)
{
    return dnnl_primitive_execute(self->primitive, self->stream, 3, self->argument) ==
               dnnl_success &&
           dnnl_stream_wait(self->stream) == dnnl_success;
}

void onednn_destroy(onednn *self)
{
    if (!self)
        return;
    for (int i = 0; i < 3; i++) {
        dnnl_memory_destroy(self->argument[i].memory);
        free(self->own[i]);
    }
    dnnl_primitive_destroy(self->primitive);
    dnnl_primitive_desc_destroy(self->desc);
    dnnl_stream_destroy(self->stream);
    dnnl_engine_destroy(self->engine);
    free(self);
}

#else

bool onednn_is_there(void)
{
    return false;
}

onednn *onednn_create(const opevo_operator *op, float *const *operand, bool own_layouts)
{
    (void)op;
    (void)operand;
    (void)own_layouts;
    return NULL;
}

bool onednn_run(onednn *self)
{
    (void)self;
    return false;
}

void onednn_destroy(onednn *self)
{
    (void)self;
}

#endif
