/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that reduce dimensions, and softmax, which divides by what it reduces. */

#include "network_reduced_internal.h"

#include <math.h>

enum code {
    REDUCE_SUM,
    REDUCE_MEAN,
    REDUCE_MAX,
    REDUCE_MIN,
    REDUCE_L1,
    REDUCE_L2,
    REDUCE_SQUARES,
    REDUCE_PRODUCT,
    REDUCE_LOG_SUM,
    REDUCE_LOG_SUM_EXP,
    ARGUMENT_MAX,
    ARGUMENT_MIN,
    SOFTMAX,
    LOG_SOFTMAX,
    HARDMAX
};

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
    return call->node->row->code == ARGUMENT_MAX || call->node->row->code == ARGUMENT_MIN;
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
    OPEVO_TRY(opevo_i_net_list(call, 1, 13, "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
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

    if (!finds_place(call) && call->node->row->code >= REDUCE_L2 &&
        call->node->row->code != REDUCE_SQUARES && call->node->row->code != REDUCE_PRODUCT &&
        opevo_i_net_type_is_whole(in->type))
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
    enum code code = (enum code)call->node->row->code;

    opevo_text_add(out, code == REDUCE_L1 ? "max(" : "");
    opevo_i_net_reduced_read(call, which, out);
    if (code == REDUCE_L1 || code == REDUCE_L2 || code == REDUCE_SQUARES) {
        opevo_text_add(out, code == REDUCE_L1 ? ", -" : "*");
        opevo_i_net_reduced_read(call, which, out);
    }
    opevo_text_add(out, code == REDUCE_L1 ? ")" : "");
}

/* What the sum is an argument of; "" for none. */
static const char *function_after(enum code code)
{
    return code == REDUCE_L2                                      ? "sqrt"
           : code == REDUCE_LOG_SUM || code == REDUCE_LOG_SUM_EXP ? "log"
                                                                  : "";
}

/* The largest element M, and S = sum of exp(x - M), which does not overflow. */
static void define_exponentials(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                                opevo_text *out)
{
    opevo_i_net_reduced_kept(call, which, "M", true, out);
    opevo_i_net_reduced_over(call, which, "max", out);
    opevo_i_net_reduced_read(call, which, out);
    opevo_text_add(out, "\nE[");
    opevo_i_net_axes("a", &call->in[0]->array, out);
    opevo_text_add(out, "] = exp(");
    opevo_i_net_reduced_read(call, &(opevo_i_net_reduced){.keep = false}, out);
    opevo_text_add(out, " - ");
    opevo_i_net_reduced_kept(call, which, "M", false, out);
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
    enum code code = (enum code)call->node->row->code;
    const char *function = code == REDUCE_LOG_SUM_EXP ? "" : function_after(code);

    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_printf(out, "] = %s%s", function, *function ? "(" : "");
    add_element(call, which, out);
    opevo_text_add(out, *function ? ")\n" : "\n");
}

/* Y0 of the sums C, or S with M. */
static void define_result(const opevo_i_net_call *call, const opevo_i_net_reduced *which,
                          opevo_text *out)
{
    enum code code = (enum code)call->node->row->code;
    const char *function = function_after(code);

    add_result(call, which, out);
    opevo_text_printf(out, " = %s%s", function, *function ? "(" : "");
    opevo_i_net_reduced_kept(call, which, code == REDUCE_LOG_SUM_EXP ? "S" : "C", false, out);
    opevo_text_add(out, *function ? ")" : "");
    if (code == REDUCE_MEAN)
        opevo_text_printf(out, "/%.0f", opevo_i_net_reduced_count(&call->in[0]->array, which));
    if (code == REDUCE_LOG_SUM_EXP) {
        opevo_text_add(out, " + ");
        opevo_i_net_reduced_kept(call, which, "M", false, out);
    }
    opevo_text_add(out, "\n");
}

static opevo_status define_reduction(const opevo_i_net_call *call, opevo_text *out,
                                     opevo_error *err)
{
    enum code code = (enum code)call->node->row->code;
    bool two = code == REDUCE_MEAN || *function_after(code); /* definitions at least */
    opevo_status status = OPEVO_OK;
    opevo_i_net_reduced which;

    if (code == REDUCE_PRODUCT || code > REDUCE_LOG_SUM_EXP)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
    OPEVO_TRY(which_of(call, &which, err));
    opevo_i_net_declare(call, 0, out);
    if (!reduces(call, &which)) {
        define_none(call, &which, out);
        return opevo_text_check(out, err);
    }
    if (code == REDUCE_LOG_SUM_EXP) {
        define_exponentials(call, &which, out);
        define_result(call, &which, out);
        return opevo_text_check(out, err);
    }
    if (two)
        opevo_i_net_reduced_kept(call, &which, "C", true, out);
    else
        add_result(call, &which, out);
    opevo_i_net_reduced_over(call, &which,
                             code == REDUCE_MAX   ? "max"
                             : code == REDUCE_MIN ? "min"
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

/* The shape of the input with 1 for each dimension that is reduced. */
static opevo_array kept_of(const opevo_array *in, const opevo_i_net_reduced *which)
{
    opevo_array kept = {.type = in->type, .dims = in->dims};

    for (int d = 0; d < in->dims; d++)
        kept.extent[d] = which->dim[d] ? 1 : in->extent[d];
    return kept;
}

/* `result` with one more element. */
static double add_number(enum code code, double result, double x)
{
    switch (code) {
    case REDUCE_MAX:
        return x > result || isnan(x) ? x : result;
    case REDUCE_MIN:
        return x < result || isnan(x) ? x : result;
    case REDUCE_L1:
        return result + fabs(x);
    case REDUCE_L2:
    case REDUCE_SQUARES:
        return result + x * x;
    case REDUCE_PRODUCT:
        return result * x;
    case REDUCE_LOG_SUM_EXP:
        return x == result ? x + log(2) : fmax(result, x) + log1p(exp(-fabs(result - x)));
    default:
        return result + x;
    }
}

static int64_t add_whole(enum code code, int64_t result, int64_t x)
{
    uint64_t a = (uint64_t)result, b = (uint64_t)x;

    switch (code) {
    case REDUCE_MAX:
        return result > x ? result : x;
    case REDUCE_MIN:
        return result < x ? result : x;
    case REDUCE_L1:
        return (int64_t)(a + (x < 0 ? 0 - b : b));
    case REDUCE_SQUARES:
        return (int64_t)(a + b * b);
    case REDUCE_PRODUCT:
        return (int64_t)(a * b);
    default:
        return (int64_t)(a + b);
    }
}

static double finish(enum code code, double result, double count)
{
    return code == REDUCE_MEAN      ? result / count
           : code == REDUCE_L2      ? sqrt(result)
           : code == REDUCE_LOG_SUM ? log(result)
                                    : result;
}

/* Each result of its own, so that it needs no memory. */
static opevo_status move_reduction(const opevo_i_net_call *call, const void *const *in,
                                   void *const *out, opevo_error *err)
{
    static const double first[] = {[REDUCE_MAX] = -INFINITY,
                                   [REDUCE_MIN] = INFINITY,
                                   [REDUCE_PRODUCT] = 1,
                                   [REDUCE_LOG_SUM_EXP] = -INFINITY};
    const opevo_array *from = &call->in[0]->array, *to = &call->out[0]->array;
    enum code code = (enum code)call->node->row->code;
    opevo_i_net_reduced which;
    opevo_status status = which_of(call, &which, err);
    opevo_array kept = {0}, rest = *from;
    double count = 0;

    if (status != OPEVO_OK)
        return status;
    kept = kept_of(from, &which);
    for (int d = 0; d < from->dims; d++)
        rest.extent[d] = which.dim[d] ? from->extent[d] : 1;
    count = (double)opevo_array_elements(&rest);
    for (int64_t i = 0, results = opevo_array_elements(to); i < results; i++) {
        double value = first[code];
        int64_t whole = code == REDUCE_PRODUCT ? 1
                        : code == REDUCE_MAX   ? INT64_MIN
                        : code == REDUCE_MIN   ? INT64_MAX
                                               : 0;

        for (int64_t k = 0; k < opevo_array_elements(&rest); k++) {
            int64_t at =
                opevo_i_net_place_of(from, &kept, i) + opevo_i_net_place_of(from, &rest, k);

            value = add_number(code, value, opevo_i_net_number(from, in[0], at));
            if (opevo_i_net_type_is_whole(from->type))
                whole = add_whole(code, whole, opevo_i_net_whole(from, in[0], at));
        }
        if (opevo_i_net_type_is_whole(from->type))
            opevo_i_net_set_whole(to->type, out[0], i,
                                  code == REDUCE_MEAN && count > 0 ? whole / (int64_t)count
                                                                   : whole);
        else
            opevo_i_net_set_number(to->type, out[0], i, finish(code, value, count));
    }
    return OPEVO_OK;
}

/* The place of the largest or smallest element along the axis. */
static opevo_status move_place(const opevo_i_net_call *call, const void *const *in,
                               void *const *out, opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array;
    bool last = opevo_i_net_attribute_int(call, "select_last_index", 0) != 0;
    double turn = call->node->row->code == ARGUMENT_MIN ? -1 : 1;
    int64_t stride = 1, extent = 0;
    opevo_i_net_reduced which;
    opevo_status status = which_of(call, &which, err);
    opevo_array kept = {0};

    if (status != OPEVO_OK)
        return status;
    kept = kept_of(from, &which);
    for (int d = from->dims - 1; d >= 0 && !which.dim[d]; d--)
        stride *= from->extent[d];
    for (int d = 0; d < from->dims; d++)
        extent = which.dim[d] ? from->extent[d] : extent;
    for (int64_t i = 0; i < opevo_array_elements(&kept); i++) {
        int64_t start = opevo_i_net_place_of(from, &kept, i), best = 0;

        for (int64_t k = 1; k < extent; k++) {
            double x = turn * opevo_i_net_number(from, in[0], start + k * stride);
            double most = turn * opevo_i_net_number(from, in[0], start + best * stride);

            best = x > most || (last && x == most) ? k : best;
        }
        ((int64_t *)out[0])[i] = best;
    }
    return OPEVO_OK;
}

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

/* The largest element of the row that begins at `start` and where it is first; with `sum`, that of
 * exp(x - largest). */
static double largest(const opevo_array *from, const opevo_array *rest, const void *in,
                      int64_t start, int64_t *place, double *sum)
{
    double most = -INFINITY;

    *place = 0;
    *sum = 0;
    for (int64_t k = 0; k < opevo_array_elements(rest); k++) {
        double x = opevo_i_net_number(from, in, start + opevo_i_net_place_of(from, rest, k));

        *place = x > most ? k : *place;
        most = fmax(x, most);
    }
    for (int64_t k = 0; k < opevo_array_elements(rest); k++)
        *sum +=
            exp(opevo_i_net_number(from, in, start + opevo_i_net_place_of(from, rest, k)) - most);
    return most;
}

static opevo_status move_softmax(const opevo_i_net_call *call, const void *const *in,
                                 void *const *out, opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array;
    enum code code = (enum code)call->node->row->code;
    opevo_i_net_reduced which;
    opevo_status status = rows_of(call, &which, err);
    opevo_array kept = {0}, rest = *from;

    if (status != OPEVO_OK)
        return status;
    kept = kept_of(from, &which);
    for (int d = 0; d < from->dims; d++)
        rest.extent[d] = which.dim[d] ? from->extent[d] : 1;
    for (int64_t i = 0; i < opevo_array_elements(&kept); i++) {
        int64_t start = opevo_i_net_place_of(from, &kept, i), place = 0;
        double sum = 0, most = largest(from, &rest, in[0], start, &place, &sum);

        for (int64_t k = 0; k < opevo_array_elements(&rest); k++) {
            int64_t at = start + opevo_i_net_place_of(from, &rest, k);
            double x = opevo_i_net_number(from, in[0], at) - most;

            opevo_i_net_set_number(from->type, out[0], at,
                                   code == HARDMAX       ? k == place
                                   : code == LOG_SOFTMAX ? x - log(sum)
                                                         : exp(x) / sum);
        }
    }
    return OPEVO_OK;
}

static opevo_status define_softmax(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool logarithm = call->node->row->code == LOG_SOFTMAX;
    opevo_i_net_reduced which;
    opevo_status status = OPEVO_OK;

    if (call->node->row->code == HARDMAX)
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

const opevo_i_net_operator opevo_i_net_reductions[] = {
    {"ReduceSum", 1, 1, 2, 1, infer_reduction, define_reduction, move_reduction, REDUCE_SUM,
     "axes=ints:-12 keepdims=int noop_with_empty_axes=int:13-"},
    {"ReduceMean", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_MEAN,
     "axes=ints keepdims=int"},
    {"ReduceMax", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_MAX,
     "axes=ints keepdims=int"},
    {"ReduceMin", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_MIN,
     "axes=ints keepdims=int"},
    {"ReduceL1", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_L1,
     "axes=ints keepdims=int"},
    {"ReduceL2", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_L2,
     "axes=ints keepdims=int"},
    {"ReduceSumSquare", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction,
     REDUCE_SQUARES, "axes=ints keepdims=int"},
    {"ReduceProd", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_PRODUCT,
     "axes=ints keepdims=int"},
    {"ReduceLogSum", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction, REDUCE_LOG_SUM,
     "axes=ints keepdims=int"},
    {"ReduceLogSumExp", 1, 1, 1, 1, infer_reduction, define_reduction, move_reduction,
     REDUCE_LOG_SUM_EXP, "axes=ints keepdims=int"},
    {"ArgMax", 1, 1, 1, 1, infer_reduction, define_reduction, move_place, ARGUMENT_MAX,
     "axis=int keepdims=int select_last_index=int:12-"},
    {"ArgMin", 1, 1, 1, 1, infer_reduction, define_reduction, move_place, ARGUMENT_MIN,
     "axis=int keepdims=int select_last_index=int:12-"},
    {"Softmax", 1, 1, 1, 1, infer_softmax, define_softmax, move_softmax, SOFTMAX, "axis=int"},
    {"LogSoftmax", 1, 1, 1, 1, infer_softmax, define_softmax, move_softmax, LOG_SOFTMAX,
     "axis=int"},
    {"Hardmax", 1, 1, 1, 1, infer_softmax, define_softmax, move_softmax, HARDMAX, "axis=int"},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
