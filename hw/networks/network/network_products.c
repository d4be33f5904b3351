/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products of matrices. */

#include "network_windows_internal.h"

#include <stdio.h>

/* ---- Gemm: Y = alpha A B + beta C ---- */

static opevo_status infer_gemm(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *a = &call->in[0]->array, *b = &call->in[1]->array;
    bool turned_a = opevo_i_net_attribute_int(call, "transA", 0) != 0;
    bool turned_b = opevo_i_net_attribute_int(call, "transB", 0) != 0;
    opevo_array result = {.dims = 2};
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int dims = 0;

    if (a->dims != 2 || b->dims != 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs have %d and %d dimensions instead of 2.",
                          a->dims, b->dims);
    if (a->extent[!turned_a] != b->extent[turned_b])
        return OPEVO_FAIL(err, OPEVO_INVALID, "It multiplies %lld columns by %lld rows.",
                          (long long)a->extent[!turned_a], (long long)b->extent[turned_b]);
    result.extent[0] = a->extent[turned_a];
    result.extent[1] = b->extent[!turned_b];
    if (call->ins > 2 && call->in[2]) {
        status = opevo_i_net_broadcast(&result, &call->in[2]->array, &dims, extent, err);
        if (status != OPEVO_OK)
            return status;
        if (dims != 2 || extent[0] != result.extent[0] || extent[1] != result.extent[1])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its third input is larger than the product.");
    }
    return opevo_i_net_shape(call->out[0], a->type, 2, result.extent, err);
}

static void add_scaled(double factor, opevo_text *out)
{
    if (factor == 1)
        return;
    opevo_text_add_double(out, factor);
    opevo_text_add(out, "*");
}

static opevo_status define_gemm(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *product = &call->out[0]->array;
    bool turned_a = opevo_i_net_attribute_int(call, "transA", 0) != 0;
    bool turned_b = opevo_i_net_attribute_int(call, "transB", 0) != 0;
    double alpha = opevo_i_net_attribute_float(call, "alpha", 1);
    double beta = opevo_i_net_attribute_float(call, "beta", 1);
    bool adds = call->ins > 2 && call->in[2];
    bool plain = !adds && alpha == 1;

    for (int i = 0; i < 2 + adds; i++)
        opevo_i_net_declare(call, i, out);
    opevo_text_printf(out, "%s[a0:%lld, a1:%lld] = sum(k:%lld) X0[%s]*X1[%s]\n", plain ? "Y0" : "C",
                      (long long)product->extent[0], (long long)product->extent[1],
                      (long long)call->in[0]->array.extent[!turned_a], turned_a ? "k, a0" : "a0, k",
                      turned_b ? "a1, k" : "k, a1");
    if (!plain) {
        opevo_text_add(out, "Y0[a0, a1] = ");
        add_scaled(alpha, out);
        opevo_text_add(out, "C[a0, a1]");
        if (adds) {
            opevo_text_add(out, " + ");
            add_scaled(beta, out);
            opevo_i_net_read(call, 2, "a", 2, out);
        }
        opevo_text_add(out, "\n");
    }
    return opevo_text_check(out, err);
}

/* ---- MatMul ---- */

/* The operand with at least two dimensions: a vector is a row or a column. */
static opevo_array matrix_of(const opevo_array *array, bool left)
{
    opevo_array matrix = *array;

    if (array->dims == 1) {
        matrix.dims = 2;
        matrix.extent[left ? 0 : 1] = 1;
        matrix.extent[left ? 1 : 0] = array->extent[0];
    }
    return matrix;
}

/* Batch dimensions of the product, broadcast; then rows and columns that operands have. */
/* The shape of the product of two arrays. */
static opevo_status infer_product(const opevo_i_net_call *call, const opevo_array *left,
                                  const opevo_array *right, opevo_network_type type,
                                  opevo_error *err)
{
    opevo_array a = matrix_of(left, true), b = matrix_of(right, false);
    int64_t extent[OPEVO_NETWORK_DIMS];
    int64_t rows = 0, columns = 0;
    opevo_status status = OPEVO_OK;
    int dims = 0;

    if (left->dims < 1 || right->dims < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An input has no dimensions.");
    if (a.extent[a.dims - 1] != b.extent[b.dims - 2])
        return OPEVO_FAIL(err, OPEVO_INVALID, "It multiplies %lld columns by %lld rows.",
                          (long long)a.extent[a.dims - 1], (long long)b.extent[b.dims - 2]);
    rows = a.extent[a.dims - 2];
    columns = b.extent[b.dims - 1];
    a.dims -= 2;
    b.dims -= 2;
    status = opevo_i_net_broadcast(&a, &b, &dims, extent, err);
    if (status != OPEVO_OK)
        return status;
    if (left->dims > 1)
        extent[dims++] = rows;
    if (right->dims > 1)
        extent[dims++] = columns;
    return opevo_i_net_shape(call->out[0], type, dims, extent, err);
}

/* Whether FusedMatMul of ONNX Runtime transposes an input. */
static bool is_turned(const opevo_i_net_call *call, int in)
{
    return call->in[in]->array.dims > 1 &&
           opevo_i_net_attribute_int(call, in ? "transB" : "transA", 0) != 0;
}

/* An input as it is multiplied. */
static opevo_array turned(const opevo_i_net_call *call, int in)
{
    opevo_array out = call->in[in]->array;

    if (is_turned(call, in)) {
        int64_t rows = out.extent[out.dims - 2];

        out.extent[out.dims - 2] = out.extent[out.dims - 1];
        out.extent[out.dims - 1] = rows;
    }
    return out;
}

static opevo_status infer_matmul(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *left = &call->in[0]->array, *right = &call->in[1]->array;
    opevo_array a = turned(call, 0), b = turned(call, 1);

    if (left->type != right->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s and %s.",
                          opevo_network_type_name(left->type),
                          opevo_network_type_name(right->type));
    if (opevo_i_net_attribute_int(call, "transBatchA", 0) ||
        opevo_i_net_attribute_int(call, "transBatchB", 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not transpose batches.");
    return infer_product(call, &a, &b, left->type, err);
}

opevo_status opevo_i_net_quantized_check(const opevo_i_net_call *call, bool linear, int64_t columns,
                                         opevo_error *err)
{
    const int second = linear ? 3 : 1;

    for (int i = 0; i < call->ins; i++) {
        const opevo_array *array = call->in[i] ? &call->in[i]->array : NULL;
        bool is_scale = linear && (i == 1 || i == 4 || i == 6);
        bool is_one = i != 0 && i != second && i != (linear ? 5 : 3) && !(linear && i >= 8) &&
                      !(linear && i == 4);

        if (!array)
            continue;
        if (opevo_i_net_type_is_whole(array->type) == is_scale)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is of type %s.", i,
                              opevo_network_type_name(array->type));
        if (is_one && opevo_array_elements(array) != 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d must be one number.", i);
        if ((i == (linear ? 5 : 3) || (linear && i == 4)) && opevo_array_elements(array) != 1 &&
            opevo_array_elements(array) != columns)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d must have 1 or %lld numbers.", i,
                              (long long)columns);
    }
    return OPEVO_OK;
}

/* Integers: MatMulInteger, and with scales QLinearMatMul. */
static opevo_status infer_whole(const opevo_i_net_call *call, opevo_error *err)
{
    bool linear = call->node->row->code != 0;
    const opevo_array *b = &call->in[linear ? 3 : 1]->array;
    opevo_status status =
        opevo_i_net_quantized_check(call, linear, b->dims > 1 ? b->extent[b->dims - 1] : 1, err);

    return status == OPEVO_OK
               ? infer_product(call, &call->in[0]->array, b,
                               linear ? call->in[7]->array.type : OPEVO_NETWORK_INT32, err)
               : status;
}

static const opevo_i_net_routine products = {"routine_whole_product", routine_whole_product,
                                             opevo_i_net_routine_take_code,
                                             routine_whole_product_need};

/* X[batch axes, first, second], with the axes of the product's batch dimensions that it has. */
static void read_matrix(const opevo_i_net_call *call, int in, int batch, const char *first,
                        const char *second, opevo_text *out)
{
    const opevo_array *array = &call->in[in]->array;
    int own = array->dims > 2 ? array->dims - 2 : 0;

    opevo_text_printf(out, "X%d[", in);
    for (int d = 0; d < own; d++) {
        if (array->extent[d] == 1)
            opevo_text_add(out, "0, ");
        else
            opevo_text_printf(out, "a%d, ", d + batch - own);
    }
    opevo_text_printf(out, "%s%s%s]", first, *first && *second ? ", " : "", second);
}

static opevo_status define_matmul(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *product = &call->out[0]->array;
    const opevo_array *left = &call->in[0]->array, *right = &call->in[1]->array;
    const opevo_array a = turned(call, 0);
    double alpha = opevo_i_net_attribute_float(call, "alpha", 1);
    int batch = product->dims - (left->dims > 1) - (right->dims > 1);
    char row[16] = "", column[16] = "";

    if (left->dims > 1)
        snprintf(row, sizeof row, "a%d", batch);
    if (right->dims > 1)
        snprintf(column, sizeof column, "a%d", batch + (left->dims > 1));
    opevo_i_net_declare(call, 0, out);
    opevo_i_net_declare(call, 1, out);
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", product, out);
    opevo_text_printf(out, "] = sum(k:%lld) ", (long long)a.extent[a.dims - 1]);
    if (alpha != 1) {
        opevo_text_add_double(out, alpha);
        opevo_text_add(out, "*");
    }
    read_matrix(call, 0, batch, is_turned(call, 0) ? "k" : row, is_turned(call, 0) ? row : "k",
                out);
    opevo_text_add(out, "*");
    read_matrix(call, 1, batch, is_turned(call, 1) ? column : "k",
                is_turned(call, 1) ? "k" : column, out);
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

const opevo_i_net_operator opevo_i_net_products[] = {
    {"Gemm", 7, 2, 3, 1, infer_gemm, define_gemm, NULL, 0,
     "alpha=float beta=float transA=int transB=int", NULL, 0},
    {"MatMul", 1, 2, 2, 1, infer_matmul, define_matmul, opevo_i_net_move_by_routine, 0, NULL,
     &products, 0},
    {"MatMulInteger", 10, 2, 4, 1, infer_whole, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, 0, NULL, &products, 0},
    {"QLinearMatMul", 10, 8, 8, 1, infer_whole, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, 1, NULL, &products, 0},
    {"com.microsoft.FusedMatMul", 1, 2, 2, 1, infer_matmul, define_matmul, NULL, 0,
     "alpha=float transA=int transB=int transBatchA=int transBatchB=int", NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
