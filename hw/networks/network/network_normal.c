/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Normalisations: elements less a mean, divided by a deviation. */

#include "network_reduced_internal.h"

/* ---- Normalisation -------------------------------------------------------------------------- */

static opevo_status infer_batch(const opevo_i_net_call *call, opevo_error *err)
{
    bool training = opevo_i_net_attribute_int(call, "training_mode", 0) != 0;
    opevo_status status = OPEVO_OK;
    int64_t channels = 0;

    OPEVO_TRY(opevo_i_net_infer_same(call, err));
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
    if (call->outs > 3)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It has %d outputs; in training mode there are 3: the result, and the "
                          "running mean and variance.",
                          call->outs);
    for (int i = 1; i < call->outs; i++)
        OPEVO_TRY(opevo_i_net_shape(call->out[i], OPEVO_NETWORK_FLOAT32, 1, &channels, err));
cleanup:
    return status;
}

/* Mean and variance of the batch, and what they make of the running ones. */
static void define_training(const opevo_i_net_call *call, opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;
    double momentum = opevo_i_net_attribute_float(call, "momentum", (double).9f);
    opevo_i_net_reduced which = {.keep = false};
    double count = 0;

    for (int d = 0; d < in->dims; d++)
        which.dim[d] = d != 1;
    count = opevo_i_net_reduced_count(in, &which);
    opevo_i_net_reduced_kept(call, &which, "S", true, out);
    opevo_i_net_reduced_over(call, &which, "sum", out);
    opevo_i_net_reduced_read(call, &which, out);
    opevo_text_printf(out, "\nM[a1] = S[a1]/%.0f\nT[a1]", count);
    opevo_i_net_reduced_over(call, &which, "sum", out);
    opevo_text_add(out, "(");
    opevo_i_net_reduced_read(call, &which, out);
    opevo_text_add(out, " - M[a1])*(");
    opevo_i_net_reduced_read(call, &which, out);
    opevo_text_printf(out, " - M[a1])\nV[a1] = T[a1]/%.0f\n", count);
    for (int i = 1; i < call->outs; i++) {
        if (!call->out[i])
            continue;
        opevo_text_printf(out, "Y%d[a1] = X%d[a1]*", i, i + 2);
        opevo_text_add_double(out, momentum);
        opevo_text_printf(out, " + %s[a1]*", i == 1 ? "M" : "V");
        opevo_text_add_double(out, 1 - momentum);
        opevo_text_add(out, "\n");
    }
}

static opevo_status define_batch(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    bool training = opevo_i_net_attribute_int(call, "training_mode", 0) != 0;

    /* In training, mean and variance are read for the running ones only. */
    for (int i = 0; i < 5; i++) {
        if (!training || i < 3 || (i - 2 < call->outs && call->out[i - 2]))
            opevo_i_net_declare(call, i, out);
    }
    if (training)
        define_training(call, out);
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = (");
    opevo_i_net_reduced_read(call, &(opevo_i_net_reduced){.keep = false}, out);
    opevo_text_printf(out, " - %s[a1])/sqrt(%s[a1] + ", training ? "M" : "X3",
                      training ? "V" : "X4");
    opevo_text_add_double(out, opevo_i_net_attribute_float(call, "epsilon", (double)1e-5f));
    opevo_text_add(out, ")*X1[a1] + X2[a1]\n");
    return opevo_text_check(out, err);
}

/* Y = X / (bias + alpha/size S)^beta, S the sum of squares of `size` channels around. */
static opevo_status define_lrn(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t size = opevo_i_net_attribute_int(call, "size", 0);
    double alpha = opevo_i_net_attribute_float(call, "alpha", (double)1e-4f);
    bool root = opevo_i_net_attribute_float(call, "beta", .75) == .5;

    opevo_i_net_declare(call, 0, out);
    opevo_text_add(out, "S[");
    opevo_i_net_axes("a", in, out);
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
    opevo_i_net_axes("a", in, out);
    opevo_text_add(out, "] = sqrt(");
    opevo_text_add_double(out, opevo_i_net_attribute_float(call, "bias", 1));
    opevo_text_add(out, " + ");
    opevo_text_add_double(out, alpha / (double)size);
    opevo_text_add(out, "*S[");
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
    opevo_text_add(out, "])\nY0[");
    opevo_i_net_axes("a", in, out);
    opevo_text_add(out, "] = ");
    opevo_i_net_reduced_read(call, &(opevo_i_net_reduced){.keep = false}, out);
    for (int i = 0; i < (root ? 1 : 2); i++) {
        opevo_text_add(out, i ? "*sqrt(B[" : root ? "/B[" : "/(B[");
        for (int d = 0; d < in->dims; d++)
            opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
        opevo_text_add(out, i ? "]))" : "]");
    }
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

static opevo_status infer_lrn(const opevo_i_net_call *call, opevo_error *err)
{
    double beta = opevo_i_net_attribute_float(call, "beta", .75);
    int64_t size = opevo_i_net_attribute_int(call, "size", 0);

    if (!call->in[0] || call->in[0]->array.dims < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 2 dimensions.");
    if (size < 1 || size > INT32_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute size is %lld; it must be at least 1.",
                          (long long)size);
    if (beta != .75 && beta != .5)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute beta is %g; opevo takes 0.5 and 0.75.",
                          beta);
    return opevo_i_net_infer_same(call, err);
}

/* ---- Over each example ---- */

enum code { LAYER, INSTANCE, MEAN_VARIANCE };

/* The dimensions that are normalised together. */
static opevo_status together(const opevo_i_net_call *call, opevo_i_net_reduced *which,
                             opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t axes[OPEVO_NETWORK_DIMS] = {0, 2, 3};
    opevo_status status = OPEVO_OK;
    int count = 0, axis = 2;

    *which = (opevo_i_net_reduced){.keep = true};
    if (call->node->row->code == MEAN_VARIANCE) {
        OPEVO_TRY(opevo_i_net_list(call, -1, 1, "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
        for (int i = 0; i < (count < 0 ? 3 : count); i++) {
            OPEVO_TRY(opevo_i_net_axis(axes[i], in->dims, &axis, err));
            which->dim[axis] = true;
        }
        return OPEVO_OK;
    }
    if (call->node->row->code == LAYER)
        OPEVO_TRY(
            opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), in->dims, &axis, err));
    for (int d = axis; d < in->dims; d++)
        which->dim[d] = true;
cleanup:
    return status;
}

/* Mean and reciprocal deviation are results of a layer normalisation, too. */
static opevo_status infer_layer(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t kept[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_i_net_reduced which;
    opevo_status status = OPEVO_OK;
    int dims = 0;

    OPEVO_TRY(together(call, &which, err));
    for (int i = 1; i < call->ins; i++) {
        if (!call->in[i])
            continue;
        OPEVO_TRY(opevo_i_net_broadcast(in, &call->in[i]->array, &dims, extent, err));
        for (int d = 0; d < dims; d++) {
            if (dims != in->dims || extent[d] != in->extent[d])
                return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is larger than what it scales.", i);
        }
    }
    OPEVO_TRY(opevo_i_net_infer_same(call, err));
    for (int d = 0; d < in->dims; d++)
        kept[d] = which.dim[d] ? 1 : in->extent[d];
    for (int i = 1; i < call->outs; i++)
        OPEVO_TRY(opevo_i_net_shape(call->out[i], OPEVO_NETWORK_FLOAT32, in->dims, kept, err));
cleanup:
    return status;
}

static opevo_status infer_instance(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;

    if (in->dims < 3)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 3 dimensions.");
    for (int i = 1; i < call->ins; i++) {
        if (call->in[i]->array.dims != 1 || call->in[i]->array.extent[0] != in->extent[1])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Input %d must have one number for each of %lld channels.", i,
                              (long long)in->extent[1]);
    }
    return opevo_i_net_infer_same(call, err);
}

static opevo_status infer_mean_variance(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_i_net_reduced which;
    opevo_status status = together(call, &which, err);

    return status == OPEVO_OK ? opevo_i_net_infer_same(call, err) : status;
}

/* The first of the elements that are normalised together. */
static void add_first(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                      opevo_text *out)
{
    opevo_text_add(out, "X0[");
    for (int d = 0; d < call->in[0]->array.dims; d++)
        opevo_text_printf(out, which->dim[d] ? "%s0" : "%sa%d", d ? ", " : "", d);
    opevo_text_add(out, "]");
}

/* M, the mean less the first element; T, the sum of squares of what is left; V = T/n. Elements are
 * taken less the first one, which is exact where all are close to each other: otherwise a rounding
 * of a large mean is as large as what is left of them, and equal elements have a deviation. It
 * costs no accuracy: of n elements the first lies at most sqrt(n) deviations from the mean, and
 * the rounding of its difference is one of the largest result.
 * Source: Chan, Golub, LeVeque, "Algorithms for Computing the Sample Variance", The American
 * Statistician 37, 1983 (shifted data). */
static void define_variance(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                            opevo_text *out)
{
    opevo_i_net_reduced_kept(call, which, "S", true, out);
    opevo_i_net_reduced_over(call, which, "sum", out);
    opevo_i_net_reduced_read(call, which, out);
    opevo_text_add(out, " - ");
    add_first(call, which, out);
    opevo_text_add(out, "\n");
    opevo_i_net_reduced_mean(call, which, "M", "S", out);
    opevo_i_net_reduced_kept(call, which, "T", true, out);
    opevo_i_net_reduced_over(call, which, "sum", out);
    for (int i = 0; i < 2; i++) {
        opevo_text_add(out, i ? "*(" : "(");
        opevo_i_net_reduced_read(call, which, out);
        opevo_text_add(out, " - ");
        add_first(call, which, out);
        opevo_text_add(out, " - ");
        opevo_i_net_reduced_kept(call, which, "M", false, out);
        opevo_text_add(out, ")");
    }
    opevo_text_add(out, "\n");
    opevo_i_net_reduced_mean(call, which, "V", "T", out);
}

/* Output i: the mean, or 1 over the deviation. */
static void define_statistic(const opevo_i_net_call *call, const opevo_i_net_reduced *which, int i,
                             double epsilon, opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;

    opevo_text_printf(out, "Y%d[", i);
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%s%s%d:%lld", d ? ", " : "", which->dim[d] ? "o" : "a", d,
                          which->dim[d] ? 1LL : (long long)in->extent[d]);
    opevo_text_add(out, i == 1 ? "] = " : "] = 1/sqrt(");
    if (i == 1) {
        add_first(call, which, out);
        opevo_text_add(out, " + ");
    }
    opevo_i_net_reduced_kept(call, which, i == 1 ? "M" : "V", false, out);
    if (i == 2) {
        opevo_text_add(out, " + ");
        opevo_text_add_double(out, epsilon);
        opevo_text_add(out, ")");
    }
    opevo_text_add(out, "\n");
}

static void add_parameter(const opevo_i_net_call *call, int in, opevo_text *out)
{
    if (in >= call->ins || !call->in[in])
        return;
    opevo_text_add(out, in == 1 ? "*" : " + ");
    if (call->node->row->code == INSTANCE)
        opevo_text_printf(out, "X%d[a1]", in);
    else
        opevo_i_net_read(call, in, "a", call->in[0]->array.dims, out);
}

/* (X - M)/sqrt(V + epsilon), or (X - M)/(sqrt(V) + 1e-9), times X1 plus X2. */
static opevo_status define_normal(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    bool plain = call->node->row->code == MEAN_VARIANCE;
    double epsilon = opevo_i_net_attribute_float(call, "epsilon", (double)1e-5f);
    opevo_i_net_reduced which;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(together(call, &which, err));
    for (int i = 0; i < call->ins; i++) {
        if (i == 0 || call->in[i])
            opevo_i_net_declare(call, i, out);
    }
    define_variance(call, &which, out);
    for (int i = 1; i < call->outs; i++) {
        if (call->out[i])
            define_statistic(call, &which, i, epsilon, out);
    }
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = (");
    opevo_i_net_reduced_read(call, &(opevo_i_net_reduced){.keep = false}, out);
    opevo_text_add(out, " - ");
    add_first(call, &which, out);
    opevo_text_add(out, " - ");
    opevo_i_net_reduced_kept(call, &which, "M", false, out);
    opevo_text_add(out, plain ? ")/(sqrt(" : ")/sqrt(");
    opevo_i_net_reduced_kept(call, &which, "V", false, out);
    opevo_text_add(out, plain ? ") + " : " + ");
    opevo_text_add_double(out, plain ? 1e-9 : epsilon);
    opevo_text_add(out, ")");
    add_parameter(call, 1, out);
    add_parameter(call, 2, out);
    opevo_text_add(out, "\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

const opevo_i_net_operator opevo_i_net_normal[] = {
    {"BatchNormalization", 7, 5, 5, 5, infer_batch, define_batch, NULL, 0,
     "epsilon=float momentum=float spatial=int:-8 training_mode=int:14-", NULL, 0},
    {"LRN", 1, 1, 1, 1, infer_lrn, define_lrn, NULL, 0,
     "alpha=float beta=float bias=float size=int!", NULL, 0},
    {"LayerNormalization", 1, 2, 3, 3, infer_layer, define_normal, NULL, LAYER,
     "axis=int epsilon=float stash_type=int", NULL, 0},
    {"InstanceNormalization", 6, 3, 3, 1, infer_instance, define_normal, NULL, INSTANCE,
     "epsilon=float", NULL, 0},
    {"MeanVarianceNormalization", 9, 1, 1, 1, infer_mean_variance, define_normal, NULL,
     MEAN_VARIANCE, "axes=ints", NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
