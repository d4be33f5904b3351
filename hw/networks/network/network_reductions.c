/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that reduce dimensions, and softmax, which divides by what it reduces. */

#include "network_reduced_internal.h"
#include "network_routine_internal.h"

#define LARGEST "3.4028234663852886e38" /* of the finite numbers of float32 */

/* ---- Text ---- */

void opevo_i_net_reduced_read(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              opevo_text *out)
{
    opevo_text_add(out, "X0[");
    for (int d = 0; d < call->in[0]->array.dims; d++)
        opevo_text_printf(out, "%s%s%d", d ? ", " : "", which->dim[d] ? "r" : "a", d);
    opevo_text_add(out, "]");
}

void opevo_i_net_reduced_kept(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *name, bool extents, opevo_text *out)
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

void opevo_i_net_reduced_over(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *name, opevo_text *out)
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

double opevo_i_net_reduced_count(const opevo_array *in, const opevo_i_net_reduced *which)
{
    double count = 1;

    for (int d = 0; d < in->dims; d++)
        count *= which->dim[d] ? (double)in->extent[d] : 1;
    return count;
}

void opevo_i_net_reduced_mean(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              const char *to, const char *from, opevo_text *out)
{
    opevo_i_net_reduced_kept(call, which, to, true, out);
    opevo_text_add(out, " = ");
    opevo_i_net_reduced_kept(call, which, from, false, out);
    opevo_text_printf(out, "/%.0f\n", opevo_i_net_reduced_count(&call->in[0]->array, which));
}

static bool reduces(const opevo_i_net_call *call, const opevo_i_net_reduced *which)
{
    bool any = false;

    for (int d = 0; d < call->in[0]->array.dims; d++)
        any |= which->dim[d];
    return any;
}

/* ---- Reductions ----------------------------------------------------------------------------- */

static bool finds_place(const opevo_i_net_call *call)
{
    return call->node->row->code == ROUTINE_ARGUMENT_MAX ||
           call->node->row->code == ROUTINE_ARGUMENT_MIN;
}

static opevo_status which_of(const opevo_i_net_call *call, opevo_i_net_reduced *which,
                             opevo_error *err)
{
    int64_t axes[OPEVO_NETWORK_DIMS];
    int dims = call->in[0] ? call->in[0]->array.dims : 0, count = 0;
    opevo_status status = OPEVO_OK;

    *which = (opevo_i_net_reduced){.keep = opevo_i_net_attribute_int(call, "keepdims", 1) != 0};
    if (finds_place(call)) {
        OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), dims, &count, err));
        which->dim[count] = true;
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_net_list(call, 1, call->node->row->code == ROUTINE_REDUCE_SUM ? 13 : 18,
                               "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
    for (int i = 0; i < count; i++) {
        int d = 0;

        OPEVO_TRY(opevo_i_net_axis(axes[i], dims, &d, err));
        which->dim[d] = true;
    }
    for (int d = 0; d < dims && count <= 0; d++)
        which->dim[d] = !opevo_i_net_attribute_int(call, "noop_with_empty_axes", 0);
cleanup:
    return status;
}

static opevo_status infer_reduction(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    opevo_i_net_reduced which;
    int dims = 0;

    if (!finds_place(call) && call->node->row->code >= ROUTINE_REDUCE_L2 &&
        call->node->row->code != ROUTINE_REDUCE_SQUARES &&
        call->node->row->code != ROUTINE_REDUCE_PRODUCT && opevo_i_net_type_is_whole(in->type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not compute it on %s.",
                          opevo_network_type_name(in->type));
    OPEVO_TRY(which_of(call, &which, err));
    for (int d = 0; d < in->dims; d++) {
        if (!which.dim[d] || which.keep)
            extent[dims++] = which.dim[d] ? 1 : in->extent[d];
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], finds_place(call) ? OPEVO_NETWORK_INT64 : in->type,
                                dims, extent, err));
cleanup:
    return status;
}

/* Y0 has kept dimensions only, or 1 for the others, with axes o of one value. */
static void add_result(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                       opevo_text *out)
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

/* What is summed: the element, its size or its square. */
static void add_element(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                        opevo_text *out)
{
    int code = call->node->row->code;

    opevo_text_add(out, code == ROUTINE_REDUCE_L1 ? "max(" : "");
    opevo_i_net_reduced_read(call, which, out);
    if (code == ROUTINE_REDUCE_L1 || code == ROUTINE_REDUCE_L2 || code == ROUTINE_REDUCE_SQUARES) {
        opevo_text_add(out, code == ROUTINE_REDUCE_L1 ? ", -" : "*");
        opevo_i_net_reduced_read(call, which, out);
    }
    opevo_text_add(out, code == ROUTINE_REDUCE_L1 ? ")" : "");
}

/* What the sum is an argument of; "" for none. */
static const char *function_after(int code)
{
    return code == ROUTINE_REDUCE_L2                                              ? "sqrt"
           : code == ROUTINE_REDUCE_LOG_SUM || code == ROUTINE_REDUCE_LOG_SUM_EXP ? "log"
                                                                                  : "";
}

/* The largest element M, L, which is M or the finite number next to it, and S = sum of exp(x - L),
 * which overflows only where M does. With M for L, a row of -inf would give -inf + inf. */
static void define_exponentials(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                                opevo_text *out)
{
    opevo_i_net_reduced_kept(call, which, "M", true, out);
    opevo_i_net_reduced_over(call, which, "max", out);
    opevo_i_net_reduced_read(call, which, out);
    opevo_text_add(out, "\n");
    opevo_i_net_reduced_kept(call, which, "L", true, out);
    opevo_text_printf(out, " = max(-%s, min(%s, ", LARGEST, LARGEST);
    opevo_i_net_reduced_kept(call, which, "M", false, out);
    opevo_text_add(out, "))\nE[");
    opevo_i_net_axes("a", &call->in[0]->array, out);
    opevo_text_add(out, "] = exp(");
    opevo_i_net_reduced_read(call, &(opevo_i_net_reduced){.keep = false}, out);
    opevo_text_add(out, " - ");
    opevo_i_net_reduced_kept(call, which, "L", false, out);
    opevo_text_add(out, ")\n");
    opevo_i_net_reduced_kept(call, which, "S", true, out);
    opevo_i_net_reduced_over(call, which, "sum", out);
    opevo_text_add(out, "E[");
    for (int d = 0; d < call->in[0]->array.dims; d++)
        opevo_text_printf(out, "%s%s%d", d ? ", " : "", which->dim[d] ? "r" : "a", d);
    opevo_text_add(out, "]\n");
}

/* Without a dimension that is reduced. */
static void define_none(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                        opevo_text *out)
{
    int code = call->node->row->code;
    const char *function = code == ROUTINE_REDUCE_LOG_SUM_EXP ? "" : function_after(code);

    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_printf(out, "] = %s%s", function, *function ? "(" : "");
    add_element(call, which, out);
    opevo_text_add(out, *function ? ")\n" : "\n");
}

/* Y0 of the sums C, or S with L. */
static void define_result(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                          opevo_text *out)
{
    int code = call->node->row->code;
    const char *function = function_after(code);

    add_result(call, which, out);
    opevo_text_printf(out, " = %s%s", function, *function ? "(" : "");
    opevo_i_net_reduced_kept(call, which, code == ROUTINE_REDUCE_LOG_SUM_EXP ? "S" : "C", false,
                             out);
    opevo_text_add(out, *function ? ")" : "");
    if (code == ROUTINE_REDUCE_MEAN)
        opevo_text_printf(out, "/%.0f", opevo_i_net_reduced_count(&call->in[0]->array, which));
    if (code == ROUTINE_REDUCE_LOG_SUM_EXP) {
        opevo_text_add(out, " + ");
        opevo_i_net_reduced_kept(call, which, "L", false, out);
    }
    opevo_text_add(out, "\n");
}

static opevo_status define_reduction(const opevo_i_net_call *call, opevo_text *out,
                                     opevo_error *err)
{
    int code = call->node->row->code;
    bool two = code == ROUTINE_REDUCE_MEAN || *function_after(code); /* definitions at least */
    opevo_status status = OPEVO_OK;
    opevo_i_net_reduced which;

    if (code == ROUTINE_REDUCE_PRODUCT || code > ROUTINE_REDUCE_LOG_SUM_EXP)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
    OPEVO_TRY(which_of(call, &which, err));
    opevo_i_net_declare(call, 0, out);
    if (!reduces(call, &which)) {
        define_none(call, &which, out);
        return opevo_text_check(out, err);
    }
    if (code == ROUTINE_REDUCE_LOG_SUM_EXP) {
        define_exponentials(call, &which, out);
        define_result(call, &which, out);
        return opevo_text_check(out, err);
    }
    if (two)
        opevo_i_net_reduced_kept(call, &which, "C", true, out);
    else
        add_result(call, &which, out);
    opevo_i_net_reduced_over(call, &which,
                             code == ROUTINE_REDUCE_MAX   ? "max"
                             : code == ROUTINE_REDUCE_MIN ? "min"
                                                          : "sum",
                             out);
    add_element(call, &which, out);
    opevo_text_add(out, "\n");
    if (two)
        define_result(call, &which, out);
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

static opevo_status take_dims(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                              opevo_network_routine *out, opevo_error *err)
{
    opevo_status status = opevo_i_net_routine_take_code(call, out, err);

    for (int d = 0; d < call->in[0]->array.dims && status == OPEVO_OK; d++)
        status = opevo_i_net_routine_whole(out, which->dim[d], err);
    return status;
}

static opevo_status take_reduction(const opevo_i_net_call *call, opevo_network_routine *out,
                                   opevo_error *err)
{
    opevo_i_net_reduced which;
    opevo_status status = which_of(call, &which, err);

    return status == OPEVO_OK ? take_dims(call, &which, out, err) : status;
}

static opevo_status take_place(const opevo_i_net_call *call, opevo_network_routine *out,
                               opevo_error *err)
{
    int axis = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_take_code(call, out, err));
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), call->in[0]->array.dims,
                               &axis, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, axis, err));
    OPEVO_TRY(opevo_i_net_routine_whole(
        out, opevo_i_net_attribute_int(call, "select_last_index", 0), err));
cleanup:
    return status;
}

static const opevo_i_net_routine reduction = {"routine_reduce", routine_reduce, take_reduction,
                                              NULL};
static const opevo_i_net_routine place = {"routine_place", routine_place, take_place, NULL};

/* ---- Softmax -------------------------------------------------------------------------------- */

/* Before opset 13, all dimensions from the axis on are one. */
static opevo_status rows_of(const opevo_i_net_call *call, opevo_i_net_reduced *which,
                            opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool flat = call->opset < 13;
    int axis = 0;
    opevo_status status = opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", flat ? 1 : -1),
                                           in->dims, &axis, err);

    *which = (opevo_i_net_reduced){.keep = false};
    for (int d = axis; d < (flat ? in->dims : axis + 1) && status == OPEVO_OK; d++)
        which->dim[d] = true;
    return status;
}

static opevo_status infer_softmax(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_i_net_reduced which;
    opevo_status status = rows_of(call, &which, err);

    if (status == OPEVO_OK && opevo_i_net_type_is_whole(call->in[0]->array.type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not compute it on %s.",
                          opevo_network_type_name(call->in[0]->array.type));
    return status == OPEVO_OK ? opevo_i_net_infer_same(call, err) : status;
}

static opevo_status take_rows(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    opevo_i_net_reduced which;
    opevo_status status = rows_of(call, &which, err);

    return status == OPEVO_OK ? take_dims(call, &which, out, err) : status;
}

static const opevo_i_net_routine softmax = {"routine_softmax", routine_softmax, take_rows, NULL};

static opevo_status define_softmax(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool logarithm = call->node->row->code == ROUTINE_LOG_SOFTMAX;
    opevo_i_net_reduced which;
    opevo_status status = OPEVO_OK;

    if (call->node->row->code == ROUTINE_HARDMAX)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
    OPEVO_TRY(rows_of(call, &which, err));
    opevo_i_net_declare(call, 0, out);
    define_exponentials(call, &which, out);
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", in, out);
    opevo_text_add(out, logarithm ? "] = X0[" : "] = E[");
    for (int d = 0; d < in->dims; d++)
        opevo_text_printf(out, "%sa%d", d ? ", " : "", d);
    opevo_text_add(out, logarithm ? "] - " : "]/");
    if (logarithm) {
        opevo_i_net_reduced_kept(call, &which, "M", false, out);
        opevo_text_add(out, " - log(");
    }
    opevo_i_net_reduced_kept(call, &which, "S", false, out);
    opevo_text_add(out, logarithm ? ")\n" : "\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

#define REDUCED(name, routine)                                                                     \
    {                                                                                              \
        name, 1, 1, 2, 1, infer_reduction, define_reduction, opevo_i_net_move_by_routine, routine, \
            "axes=ints:-17 keepdims=int noop_with_empty_axes=int:18-", &reduction, 0               \
    }

const opevo_i_net_operator opevo_i_net_reductions[] = {
    {"ReduceSum", 1, 1, 2, 1, infer_reduction, define_reduction, opevo_i_net_move_by_routine,
     ROUTINE_REDUCE_SUM, "axes=ints:-12 keepdims=int noop_with_empty_axes=int:13-", &reduction, 0},
    REDUCED("ReduceMean", ROUTINE_REDUCE_MEAN),
    REDUCED("ReduceMax", ROUTINE_REDUCE_MAX),
    REDUCED("ReduceMin", ROUTINE_REDUCE_MIN),
    REDUCED("ReduceL1", ROUTINE_REDUCE_L1),
    REDUCED("ReduceL2", ROUTINE_REDUCE_L2),
    REDUCED("ReduceSumSquare", ROUTINE_REDUCE_SQUARES),
    REDUCED("ReduceProd", ROUTINE_REDUCE_PRODUCT),
    REDUCED("ReduceLogSum", ROUTINE_REDUCE_LOG_SUM),
    REDUCED("ReduceLogSumExp", ROUTINE_REDUCE_LOG_SUM_EXP),
    {"ArgMax", 1, 1, 1, 1, infer_reduction, define_reduction, opevo_i_net_move_by_routine,
     ROUTINE_ARGUMENT_MAX, "axis=int keepdims=int select_last_index=int:12-", &place, 0},
    {"ArgMin", 1, 1, 1, 1, infer_reduction, define_reduction, opevo_i_net_move_by_routine,
     ROUTINE_ARGUMENT_MIN, "axis=int keepdims=int select_last_index=int:12-", &place, 0},
    {"Softmax", 1, 1, 1, 1, infer_softmax, define_softmax, opevo_i_net_move_by_routine,
     ROUTINE_SOFTMAX, "axis=int", &softmax, 0},
    {"LogSoftmax", 1, 1, 1, 1, infer_softmax, define_softmax, opevo_i_net_move_by_routine,
     ROUTINE_LOG_SOFTMAX, "axis=int", &softmax, 0},
    {"Hardmax", 1, 1, 1, 1, infer_softmax, define_softmax, opevo_i_net_move_by_routine,
     ROUTINE_HARDMAX, "axis=int", &softmax, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
