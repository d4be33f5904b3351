/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that reduce dimensions, and normalisations, which divide by what they reduce. */

#include "network_internal.h"

enum code { REDUCE_SUM, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_L2, REDUCE_SQUARES };

/* Which dimensions are reduced. */
typedef struct reduced {
    bool dim[OPEVO_NETWORK_DIMS];
    bool keep; /* as dimensions of 1 */
} reduced;

/* X0 at axes a of kept dimensions and r of reduced ones. */
static void read_parts(const opevo_i_call *call, const reduced *which, opevo_text *out)
{
    opevo_text_add(out, "X0[");
    for (int d = 0; d < call->in[0]->array.dims; d++)
        opevo_text_printf(out, "%s%s%d", d ? ", " : "", which->dim[d] ? "r" : "a", d);
    opevo_text_add(out, "]");
}

/* "NAME[a0:3]" of the dimensions that are kept, with extents or, to read it, without. */
static void add_kept(const opevo_i_call *call, const reduced *which, const char *name, bool extents,
                     opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;
    const char *comma = "";

    opevo_text_printf(out, "%s[", name);
    for (int d = 0; d < in->dims; d++) {
        if (which->dim[d])
            continue;
        opevo_text_printf(out, "%sa%d", comma, d);
        if (extents)
            opevo_text_printf(out, ":%lld", (long long)in->extent[d]);
        comma = ", ";
    }
    opevo_text_add(out, "]");
}

static void add_reducer(const opevo_i_call *call, const reduced *which, const char *name,
                        opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;
    const char *comma = "";

    opevo_text_printf(out, " = %s(", name);
    for (int d = 0; d < in->dims; d++) {
        if (!which->dim[d])
            continue;
        opevo_text_printf(out, "%sr%d:%lld", comma, d, (long long)in->extent[d]);
        comma = ", ";
    }
    opevo_text_add(out, ") ");
}

static double reduced_count(const opevo_array *in, const reduced *which)
{
    double count = 1;

    for (int d = 0; d < in->dims; d++)
        count *= which->dim[d] ? (double)in->extent[d] : 1;
    return count;
}

static bool reduces(const opevo_i_call *call, const reduced *which)
{
    bool any = false;

    for (int d = 0; d < call->in[0]->array.dims; d++)
        any |= which->dim[d];
    return any;
}

/* ---- Reductions ----------------------------------------------------------------------------- */

static opevo_status which_of(const opevo_i_call *call, reduced *which, opevo_error *err)
{
    int64_t axes[OPEVO_NETWORK_DIMS];
    int dims = call->in[0] ? call->in[0]->array.dims : 0, count = 0;
    opevo_status status = OPEVO_OK;

    *which = (reduced){.keep = opevo_i_attribute_int(call, "keepdims", 1) != 0};
    OPEVO_TRY(opevo_i_list(call, 1, "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
    for (int i = 0; i < count; i++) {
        int d = 0;

        OPEVO_TRY(opevo_i_axis(axes[i], dims, &d, err));
        which->dim[d] = true;
    }
    for (int d = 0; d < dims && count <= 0; d++)
        which->dim[d] = !opevo_i_attribute_int(call, "noop_with_empty_axes", 0);
cleanup:
    return status;
}

static opevo_status infer_reduction(const opevo_i_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    reduced which;
    int dims = 0;

    OPEVO_TRY(which_of(call, &which, err));
    for (int d = 0; d < in->dims; d++) {
        if (!which.dim[d] || which.keep)
            extent[dims++] = which.dim[d] ? 1 : in->extent[d];
    }
    OPEVO_TRY(opevo_i_shape(call->out[0], in->type, dims, extent, err));
cleanup:
    return status;
}

/* Y0 has kept dimensions only, or 1 for the others, with axes o of one value. */
static void add_result(const opevo_i_call *call, const reduced *which, opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;
    const char *comma = "";

    opevo_text_add(out, "Y0[");
    for (int d = 0; d < in->dims; d++) {
        if (which->dim[d] && !which->keep)
            continue;
        opevo_text_printf(out, "%s%s%d:%lld", comma, which->dim[d] ? "o" : "a", d,
                          which->dim[d] ? 1LL : (long long)in->extent[d]);
        comma = ", ";
    }
    opevo_text_add(out, "]");
}

static opevo_status define_reduction(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    enum code code = (enum code)call->node->row->code;
    bool squares = code == REDUCE_L2 || code == REDUCE_SQUARES;
    bool two = code == REDUCE_MEAN || code == REDUCE_L2; /* definitions */
    opevo_status status = OPEVO_OK;
    reduced which;

    OPEVO_TRY(which_of(call, &which, err));
    opevo_i_declare(call, 0, out);
    if (!reduces(call, &which)) {
        opevo_text_add(out, "Y0[");
        opevo_i_axes("a", &call->out[0]->array, out);
        opevo_text_add(out, "] = ");
        read_parts(call, &which, out);
        opevo_text_add(out, "\n");
        return opevo_text_check(out, err);
    }
    if (two)
        add_kept(call, &which, "C", true, out);
    else
        add_result(call, &which, out);
    add_reducer(call, &which, code == REDUCE_MAX ? "max" : code == REDUCE_MIN ? "min" : "sum", out);
    read_parts(call, &which, out);
    if (squares) {
        opevo_text_add(out, "*");
        read_parts(call, &which, out);
    }
    opevo_text_add(out, "\n");
    if (two) {
        add_result(call, &which, out);
        opevo_text_add(out, code == REDUCE_L2 ? " = sqrt(" : " = ");
        add_kept(call, &which, "C", false, out);
        if (code == REDUCE_L2)
            opevo_text_add(out, ")\n");
        else
            opevo_text_printf(out, "/%.0f\n", reduced_count(&call->in[0]->array, &which));
    }
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* ---- Softmax -------------------------------------------------------------------------------- */

static opevo_status infer_same(const opevo_i_call *call, opevo_error *err)
{
    const opevo_array *in = call->in[0] ? &call->in[0]->array : NULL;

    if (!in)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its first input is missing.");
    return opevo_i_shape(call->out[0], in->type, in->dims, in->extent, err);
}

/* Before opset 13, all dimensions from the axis on are one. */
static opevo_status define_softmax(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool flat = call->opset < 13;
    reduced which = {.keep = false};
    opevo_status status = OPEVO_OK;
    int axis = 0;

    OPEVO_TRY(
        opevo_i_axis(opevo_i_attribute_int(call, "axis", flat ? 1 : -1), in->dims, &axis, err));
    for (int d = axis; d < (flat ? in->dims : axis + 1); d++)
        which.dim[d] = true;
    opevo_i_declare(call, 0, out);
    add_kept(call, &which, "M", true, out);
    add_reducer(call, &which, "max", out);
    read_parts(call, &which, out);
    opevo_text_add(out, "\nE[");
    opevo_i_axes("a", in, out);
    opevo_text_add(out, "] = exp(");
    read_parts(call, &(reduced){.keep = false}, out);
    opevo_text_add(out, " - ");
    add_kept(call, &which, "M", false, out);
    opevo_text_add(out, ")\n");
    add_kept(call, &which, "S", true, out);
    add_reducer(call, &which, "sum", out);
    opevo_text_add(out, "E[");
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%s%s%d", d ? ", " : "", which.dim[d] ? "r" : "a", d);
    opevo_text_add(out, "]\nY0[");
    opevo_i_axes("a", in, out);
    opevo_text_add(out, "] = E[");
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
    opevo_text_add(out, "]/");
    add_kept(call, &which, "S", false, out);
    opevo_text_add(out, "\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* ---- Normalisation -------------------------------------------------------------------------- */

static opevo_status infer_batch(const opevo_i_call *call, opevo_error *err)
{
    bool training = opevo_i_attribute_int(call, "training_mode", 0) != 0;
    opevo_status status = OPEVO_OK;
    int64_t channels = 0;

    OPEVO_TRY(infer_same(call, err));
    if (call->in[0]->array.dims < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 2 dimensions.");
    channels = call->in[0]->array.extent[1];
    for (int i = 1; i < 5; i++) {
        if (!call->in[i] || call->in[i]->array.dims != 1 ||
            call->in[i]->array.extent[0] != channels)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Input %d must have one number for each of %lld "
                              "channels.",
                              i, (long long)channels);
    }
    if (call->outs > 1 && !training)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It has outputs of training; export the model for inference.");
    for (int i = 1; i < call->outs; i++)
        OPEVO_TRY(opevo_i_shape(call->out[i], OPEVO_NETWORK_FLOAT32, 1, &channels, err));
cleanup:
    return status;
}

/* Mean and variance of the batch, and what they make of the running ones. */
static void define_training(const opevo_i_call *call, opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;
    double momentum = opevo_i_attribute_float(call, "momentum", (double).9f);
    reduced which = {.keep = false};
    double count = 0;

    for (int d = 0; d < in->dims; d++)
        which.dim[d] = d != 1;
    count = reduced_count(in, &which);
    add_kept(call, &which, "S", true, out);
    add_reducer(call, &which, "sum", out);
    read_parts(call, &which, out);
    opevo_text_printf(out, "\nM[a1] = S[a1]/%.0f\nT[a1]", count);
    add_reducer(call, &which, "sum", out);
    opevo_text_add(out, "(");
    read_parts(call, &which, out);
    opevo_text_add(out, " - M[a1])*(");
    read_parts(call, &which, out);
    opevo_text_printf(out, " - M[a1])\nV[a1] = T[a1]/%.0f\n", count);
    for (int i = 1; i < call->outs; i++) {
        opevo_text_printf(out, "Y%d[a1] = X%d[a1]*", i, i + 2);
        opevo_text_add_double(out, momentum);
        opevo_text_printf(out, " + %s[a1]*", i == 1 ? "M" : "V");
        opevo_text_add_double(out, 1 - momentum);
        opevo_text_add(out, "\n");
    }
}

static opevo_status define_batch(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    bool training = opevo_i_attribute_int(call, "training_mode", 0) != 0;

    for (int i = 0; i < (training && call->outs == 1 ? 3 : 5); i++)
        opevo_i_declare(call, i, out);
    if (training)
        define_training(call, out);
    opevo_text_add(out, "Y0[");
    opevo_i_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = (");
    read_parts(call, &(reduced){.keep = false}, out);
    opevo_text_printf(out, " - %s[a1])/sqrt(%s[a1] + ", training ? "M" : "X3",
                      training ? "V" : "X4");
    opevo_text_add_double(out, opevo_i_attribute_float(call, "epsilon", (double)1e-5f));
    opevo_text_add(out, ")*X1[a1] + X2[a1]\n");
    return opevo_text_check(out, err);
}

/* Y = X / (bias + alpha/size S)^beta, S the sum of squares of `size` channels around. */
static opevo_status define_lrn(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t size = opevo_i_attribute_int(call, "size", 0);
    double alpha = opevo_i_attribute_float(call, "alpha", (double)1e-4f);
    bool root = opevo_i_attribute_float(call, "beta", .75) == .5;

    opevo_i_declare(call, 0, out);
    opevo_text_add(out, "S[");
    opevo_i_axes("a", in, out);
    opevo_text_printf(out, "] = sum(k:%lld) select(0 <= a1 + k - %lld and a1 + k - %lld < %lld, ",
                      (long long)size, (long long)((size - 1) / 2), (long long)((size - 1) / 2),
                      (long long)in->extent[1]);
    for (int i = 0; i < 2; i++) {
        opevo_text_add(out, i ? "*X0[" : "X0[");
        for (int d = 0; d < in->dims; d++) {
            opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
            if (d == 1)
                opevo_text_printf(out, " + k - %lld", (long long)((size - 1) / 2));
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, ", 0)\nB[");
    opevo_i_axes("a", in, out);
    opevo_text_add(out, "] = sqrt(");
    opevo_text_add_double(out, opevo_i_attribute_float(call, "bias", 1));
    opevo_text_add(out, " + ");
    opevo_text_add_double(out, alpha / (double)size);
    opevo_text_add(out, "*S[");
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
    opevo_text_add(out, "])\nY0[");
    opevo_i_axes("a", in, out);
    opevo_text_add(out, "] = ");
    read_parts(call, &(reduced){.keep = false}, out);
    for (int i = 0; i < (root ? 1 : 2); i++) {
        opevo_text_add(out, i ? "*sqrt(B[" : root ? "/B[" : "/(B[");
        for (int d = 0; d < in->dims; d++)
            opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
        opevo_text_add(out, i ? "]))" : "]");
    }
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

static opevo_status infer_lrn(const opevo_i_call *call, opevo_error *err)
{
    double beta = opevo_i_attribute_float(call, "beta", .75);
    int64_t size = opevo_i_attribute_int(call, "size", 0);

    if (!call->in[0] || call->in[0]->array.dims < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 2 dimensions.");
    if (size < 1 || size > INT32_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute size is %lld; it must be at least 1.",
                          (long long)size);
    if (beta != .75 && beta != .5)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute beta is %g; opevo takes 0.5 and 0.75.",
                          beta);
    return infer_same(call, err);
}

const opevo_i_operator opevo_i_network_reductions[] = {
    {"ReduceSum", 1, 1, 2, 1, infer_reduction, define_reduction, NULL, REDUCE_SUM},
    {"ReduceMean", 1, 1, 1, 1, infer_reduction, define_reduction, NULL, REDUCE_MEAN},
    {"ReduceMax", 1, 1, 1, 1, infer_reduction, define_reduction, NULL, REDUCE_MAX},
    {"ReduceMin", 1, 1, 1, 1, infer_reduction, define_reduction, NULL, REDUCE_MIN},
    {"ReduceL2", 1, 1, 1, 1, infer_reduction, define_reduction, NULL, REDUCE_L2},
    {"ReduceSumSquare", 1, 1, 1, 1, infer_reduction, define_reduction, NULL, REDUCE_SQUARES},
    {"Softmax", 1, 1, 1, 1, infer_same, define_softmax, NULL, 0},
    {"BatchNormalization", 7, 5, 5, 5, infer_batch, define_batch, NULL, 0},
    {"LRN", 1, 1, 1, 1, infer_lrn, define_lrn, NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0},
};
