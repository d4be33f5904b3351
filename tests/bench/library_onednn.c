/* SPDX-License-Identifier: GPL-3.0-or-later */

/* oneDNN 2, in layouts of its own choice and with ReLU as a post-operation; scales are multiplied
 * into the weights, as frameworks do for inference. Only the operands of TURNED stay as they lie,
 * as turning them is a part of it. */

#include "library_case.h"

#ifdef OPEVO_BENCH_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif

#if defined OPEVO_BENCH_ONEDNN && DNNL_VERSION_MAJOR == 2

#include <stdlib.h>
#include <string.h>

enum { SRC, WEIGHTS, DST, BIAS, TENSORS };

typedef struct context {
    const library_case *what;
    library_operands x;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t plain[TENSORS]; /* as libraries take operands here */
    dnnl_exec_arg_t argument[TENSORS]; /* those without memory are absent */
    int arguments;
    void *data[TENSORS];
} context;

static bool dense(dnnl_memory_desc_t *out, int dims, const dnnl_dims_t extent)
{
    dnnl_dims_t stride;
    dnnl_dim_t run = 1;

    for (int i = dims - 1; i >= 0; i--) {
        stride[i] = run;
        run *= extent[i];
    }
    return dnnl_memory_desc_init_by_strides(out, dims, extent, dnnl_f32, stride) == dnnl_success;
}

static dnnl_memory_desc_t any(const dnnl_memory_desc_t *plain)
{
    dnnl_memory_desc_t out = {0};

    dnnl_memory_desc_init_by_tag(&out, plain->ndims, plain->dims, dnnl_f32, dnnl_format_tag_any);
    return out;
}

static dnnl_primitive_attr_t relu(void)
{
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t operations = NULL;

    dnnl_primitive_attr_create(&attributes);
    dnnl_post_ops_create(&operations);
    dnnl_post_ops_append_eltwise(operations, 1, dnnl_eltwise_relu, 0, 0);
    dnnl_primitive_attr_set_post_ops(attributes, operations);
    dnnl_post_ops_destroy(operations);
    return attributes;
}

static bool make_convolution(context *self)
{
    const library_case *c = self->what;
    bool grouped = c->groups > 1;
    dnnl_dims_t in = {c->images, c->in}, out = {c->images, c->out}, w = {0};
    dnnl_dims_t stride, pad, dilation;
    dnnl_memory_desc_t own[TENSORS];
    dnnl_convolution_desc_t convolution;
    dnnl_deconvolution_desc_t deconvolution;
    dnnl_primitive_attr_t attributes = c->relu ? relu() : NULL;
    int lead = 0;
    bool made = false;

    if (grouped)
        w[lead++] = c->groups;
    w[lead++] = c->out / c->groups;
    w[lead++] = c->in / c->groups;
    for (int i = 0; i < c->spatial; i++) {
        in[i + 2] = c->size[i];
        out[i + 2] = c->out_size[i];
        w[lead + i] = c->kernel;
        stride[i] = c->stride;
        pad[i] = c->pad;
        dilation[i] = c->dilation - 1;
    }
    made = dense(&self->plain[SRC], c->spatial + 2, in) &&
           dense(&self->plain[WEIGHTS], c->spatial + lead, w) &&
           dense(&self->plain[DST], c->spatial + 2, out) &&
           dense(&self->plain[BIAS], 1, (dnnl_dims_t){c->out});
    for (int i = 0; i < TENSORS; i++)
        own[i] = any(&self->plain[i]);
    if (c->kind == LIBRARY_TRANSPOSED)
        made = made &&
               dnnl_dilated_deconvolution_forward_desc_init(
                   &deconvolution, dnnl_forward_inference, dnnl_deconvolution_direct, &own[SRC],
                   &own[WEIGHTS], NULL, &own[DST], stride, dilation, pad, pad) == dnnl_success &&
               dnnl_primitive_desc_create(&self->desc, &deconvolution, attributes, self->engine,
                                          NULL) == dnnl_success;
    else
        made = made &&
               dnnl_dilated_convolution_forward_desc_init(
                   &convolution, dnnl_forward_inference, dnnl_convolution_direct, &own[SRC],
                   &own[WEIGHTS], c->relu ? &own[BIAS] : NULL, &own[DST], stride, dilation, pad,
                   pad) == dnnl_success &&
               dnnl_primitive_desc_create(&self->desc, &convolution, attributes, self->engine,
                                          NULL) == dnnl_success;
    dnnl_primitive_attr_destroy(attributes);
    return made;
}

static bool make_product(context *self)
{
    const library_case *c = self->what;
    dnnl_dim_t h = c->in, k = c->depth, n = c->rows, m = c->columns;
    dnnl_memory_desc_t own[3];
    dnnl_matmul_desc_t product;

    if (c->kind == LIBRARY_TURNED) {
        dnnl_dims_t left = {c->batch, h, n, k}, right = {c->batch, h, k, m};
        dnnl_dims_t out = {c->batch, h, n, m};
        dnnl_dims_t left_stride = {n * h * k, k, h * k, 1}, right_stride = {m * h * k, k, 1, h * k};

        if (dnnl_memory_desc_init_by_strides(&self->plain[SRC], 4, left, dnnl_f32, left_stride) !=
                dnnl_success ||
            dnnl_memory_desc_init_by_strides(&self->plain[WEIGHTS], 4, right, dnnl_f32,
                                             right_stride) != dnnl_success ||
            !dense(&self->plain[DST], 4, out))
            return false;
        memcpy(own, self->plain, sizeof own);
    } else {
        if (!dense(&self->plain[SRC], 3, (dnnl_dims_t){c->batch, n, k}) ||
            !dense(&self->plain[WEIGHTS], 3, (dnnl_dims_t){c->batch, k, m}) ||
            !dense(&self->plain[DST], 3, (dnnl_dims_t){c->batch, n, m}))
            return false;
        for (int i = 0; i < 3; i++)
            own[i] = any(&self->plain[i]);
    }
    return dnnl_matmul_desc_init(&product, &own[SRC], &own[WEIGHTS], NULL, &own[DST]) ==
               dnnl_success &&
           dnnl_primitive_desc_create(&self->desc, &product, NULL, self->engine, NULL) ==
               dnnl_success;
}

static bool make_norm(context *self)
{
    const library_case *c = self->what;
    dnnl_memory_desc_t out;
    dnnl_reduction_desc_t norm;

    if (!dense(&self->plain[SRC], 3, (dnnl_dims_t){c->batch, c->rows, c->columns}) ||
        !dense(&self->plain[DST], 3, (dnnl_dims_t){c->batch, 1, 1}))
        return false;
    out = any(&self->plain[DST]);
    return dnnl_reduction_desc_init(&norm, dnnl_reduction_norm_lp_sum, &self->plain[SRC], &out, 2,
                                    0) == dnnl_success &&
           dnnl_primitive_desc_create(&self->desc, &norm, NULL, self->engine, NULL) == dnnl_success;
}

/* Between memory in the order of this program and oneDNN's own. */
static bool reorder(context *self, int which, float *plain, bool back)
{
    dnnl_memory_t here = NULL, there = self->argument[which].memory;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t primitive = NULL;
    const dnnl_memory_desc_t *own = NULL;
    bool done = false;

    dnnl_memory_get_memory_desc(there, &own);
    done = dnnl_memory_create(&here, &self->plain[which], self->engine, plain) == dnnl_success &&
           dnnl_reorder_primitive_desc_create(&desc, back ? own : &self->plain[which], self->engine,
                                              back ? &self->plain[which] : own, self->engine,
                                              NULL) == dnnl_success &&
           dnnl_primitive_create(&primitive, desc) == dnnl_success &&
           dnnl_primitive_execute(primitive, self->stream, 2,
                                  (dnnl_exec_arg_t[]){{DNNL_ARG_FROM, back ? there : here},
                                                      {DNNL_ARG_TO, back ? here : there}}) ==
               dnnl_success &&
           dnnl_stream_wait(self->stream) == dnnl_success;
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_memory_destroy(here);
    return done;
}

/* Weights times the scale of their output channel; the caller frees them. */
static float *scaled(const context *self)
{
    int64_t count = library_case_elements(self->what, 1);
    float *out = malloc((size_t)count * sizeof *out);

    for (int64_t i = 0; out && i < count; i++)
        out[i] =
            self->x.weights[i] * (self->x.scale ? self->x.scale[i / (count / self->what->out)] : 1);
    return out;
}

static bool add_tensors(context *self)
{
    static const struct {
        dnnl_query_t query;
        int number, argument;
    } row[TENSORS] = {{dnnl_query_src_md, 0, DNNL_ARG_SRC},
                      {dnnl_query_weights_md, 0, DNNL_ARG_WEIGHTS},
                      {dnnl_query_dst_md, 0, DNNL_ARG_DST},
                      {dnnl_query_weights_md, 1, DNNL_ARG_BIAS}};
    bool relu = self->what->relu, added = true;
    float *weights = relu ? scaled(self) : NULL;
    float *plain[TENSORS] = {(float *)self->x.input, relu ? weights : (float *)self->x.weights,
                             NULL, (float *)self->x.shift};

    for (int i = 0; i < TENSORS && added; i++) {
        const dnnl_memory_desc_t *desc =
            dnnl_primitive_desc_query_md(self->desc, row[i].query, row[i].number);
        size_t bytes = desc ? dnnl_memory_desc_get_size(desc) : 0;

        if ((i == WEIGHTS && self->what->kind == LIBRARY_NORM) || (i == BIAS && !relu))
            continue;
        self->argument[i].arg = row[i].argument;
        added = posix_memalign(&self->data[i], 64, bytes) == 0 && memset(self->data[i], 0, bytes) &&
                dnnl_memory_create(&self->argument[i].memory, desc, self->engine, self->data[i]) ==
                    dnnl_success &&
                (!plain[i] || reorder(self, i, plain[i], false));
    }
    free(weights);
    return added;
}

static bool run(void *pointer)
{
    context *self = pointer;
    dnnl_exec_arg_t present[TENSORS];
    int count = 0;

    for (int i = 0; i < TENSORS; i++) {
        if (self->argument[i].memory)
            present[count++] = self->argument[i];
    }
    return dnnl_primitive_execute(self->primitive, self->stream, count, present) == dnnl_success &&
           dnnl_stream_wait(self->stream) == dnnl_success;
}

static bool fetch(void *pointer)
{
    context *self = pointer;

    return reorder(self, DST, self->x.output, true);
}

static void destroy(void *pointer)
{
    context *self = pointer;

    for (int i = 0; i < TENSORS; i++) {
        dnnl_memory_destroy(self->argument[i].memory);
        free(self->data[i]);
    }
    dnnl_primitive_destroy(self->primitive);
    dnnl_primitive_desc_destroy(self->desc);
    dnnl_stream_destroy(self->stream);
    dnnl_engine_destroy(self->engine);
    free(self);
}

static void *prepare(const library_case *what, const library_operands *operands, int threads)
{
    context *self = calloc(1, sizeof *self);
    bool made = false;

    omp_set_num_threads(threads);
    *self = (context){.what = what, .x = *operands};
    made =
        dnnl_engine_create(&self->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&self->stream, self->engine, dnnl_stream_default_flags) == dnnl_success;
    if (what->kind == LIBRARY_NORM)
        made = made && make_norm(self);
    else if (what->kind == LIBRARY_PRODUCT || what->kind == LIBRARY_TURNED)
        made = made && make_product(self);
    else
        made = made && make_convolution(self);
    if (made && dnnl_primitive_create(&self->primitive, self->desc) == dnnl_success &&
        add_tensors(self))
        return self;
    destroy(self);
    return NULL;
}

#else

static void *prepare(const library_case *what, const library_operands *operands, int threads)
{
    (void)what;
    (void)operands;
    (void)threads;
    return NULL;
}

static bool run(void *pointer)
{
    return pointer != NULL;
}

static bool fetch(void *pointer)
{
    return pointer != NULL;
}

static void destroy(void *pointer)
{
    (void)pointer;
}

#endif

const library_contender library_onednn = {"oneDNN", prepare, run, fetch, destroy};
