/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How dimensions whose size depends on data go through operators.
 *
 * A tensor has as many slices along such a dimension as it may need at most; how many of them count
 * is known when the network runs. An operator that computes each slice from the same slice of its
 * inputs gives a result of which as many count. What would see slices behind them is refused. */

#include "network_internal.h"

#include <string.h>

enum { NOWHERE = -1 };

/* ---- Rules: where dimension `dim` of input `in` goes in an output, NOWHERE ------------------- */

typedef int rule(const opevo_i_net_call *call, int in, int dim);

/* Dimensions are aligned at the end; what the others have there is the same, or one element. */
static int aligned(const opevo_i_net_call *call, int in, int dim)
{
    const opevo_network_value *value = call->in[in];
    int from_end = value->array.dims - dim;

    for (int i = 0; i < call->ins; i++) {
        const opevo_network_value *other = call->in[i];
        int at = other ? other->array.dims - from_end : -1;

        if (at < 0 || other->array.extent[at] == 1)
            continue;
        if (other->counted != at + 1 || other->count != value->count)
            return NOWHERE;
    }
    return call->out[0]->array.dims - from_end;
}

/* The same elements in another shape: with as many before and behind, in one place only. */
static int viewed(const opevo_i_net_call *call, int in, int dim)
{
    const opevo_array *from = &call->in[0]->array, *to = &call->out[0]->array;
    int64_t before = 1, so_far = 1;
    int found = NOWHERE;

    if (in != 0)
        return NOWHERE;
    for (int d = 0; d < dim; d++)
        before *= from->extent[d];
    for (int d = 0; d < to->dims; d++) {
        if (so_far == before && to->extent[d] == from->extent[dim]) {
            if (found != NOWHERE)
                return NOWHERE;
            found = d;
        }
        so_far *= to->extent[d];
    }
    return found;
}

/* Which dimensions of `dims` the axes of Squeeze and Unsqueeze are; false without axes. */
static bool axes_of(const opevo_i_net_call *call, int dims, bool *is_axis)
{
    int64_t axes[OPEVO_NETWORK_DIMS];
    int count = 0;

    memset(is_axis, 0, OPEVO_NETWORK_DIMS * sizeof *is_axis);
    if (opevo_i_net_list(call, 1, 13, "axes", OPEVO_NETWORK_DIMS, axes, &count, NULL) != OPEVO_OK)
        return false;
    for (int i = 0; i < count; i++)
        is_axis[axes[i] + (axes[i] < 0 ? dims : 0)] = true;
    return count > 0;
}

static int squeezed(const opevo_i_net_call *call, int in, int dim)
{
    bool is_axis[OPEVO_NETWORK_DIMS];
    int before = 0;

    if (in != 0)
        return NOWHERE;
    if (!axes_of(call, call->in[0]->array.dims, is_axis))
        return viewed(call, in, dim);
    for (int d = 0; d < dim; d++)
        before += is_axis[d];
    return is_axis[dim] ? NOWHERE : dim - before;
}

static int unsqueezed(const opevo_i_net_call *call, int in, int dim)
{
    bool is_axis[OPEVO_NETWORK_DIMS];
    int dims = call->out[0]->array.dims;

    if (in != 0 || !axes_of(call, dims, is_axis))
        return NOWHERE;
    for (int d = 0, rest = dim; d < dims; d++) {
        if (!is_axis[d] && rest-- == 0)
            return d;
    }
    return NOWHERE;
}

static int transposed(const opevo_i_net_call *call, int in, int dim)
{
    const Onnx__Attribute *order = opevo_i_net_attribute(call, "perm");
    int dims = call->in[in]->array.dims;

    for (int d = 0; d < dims; d++) {
        if ((order ? order->ints[d] : dims - 1 - d) == dim)
            return d;
    }
    return NOWHERE;
}

static int axis_of(const opevo_i_net_call *call, int64_t absent)
{
    int dims = call->in[0]->array.dims, axis = 0;

    return opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", absent), dims, &axis, NULL) ==
                   OPEVO_OK
               ? axis
               : NOWHERE;
}

/* Of a slice the first elements are taken, or all. */
static int sliced(const opevo_i_net_call *call, int in, int dim)
{
    const char *names[] = {"starts", "ends", "axes", "steps"};
    int64_t list[4][OPEVO_NETWORK_DIMS];
    int count[4] = {0}, dims = call->in[0]->array.dims;

    for (int i = 0; i < 4; i++) {
        if (opevo_i_net_list(call, i + 1, 10, names[i], OPEVO_NETWORK_DIMS, list[i], &count[i],
                             NULL) != OPEVO_OK)
            return NOWHERE;
    }
    for (int i = 0; i < count[0]; i++) {
        int64_t axis = count[2] < 0 ? i : list[2][i], step = count[3] < 0 ? 1 : list[3][i];

        axis += axis < 0 ? dims : 0;
        if (axis == dim && (in != 0 || list[0][i] != 0 || step != 1 ||
                            (list[1][i] < 0 && call->out[0]->array.extent[dim])))
            return NOWHERE;
    }
    return dim;
}

/* Indices behind the count are 0, or read the same slice as others. */
static int gathered(const opevo_i_net_call *call, int in, int dim)
{
    int axis = axis_of(call, 0), indices = call->in[1]->array.dims;

    if (axis == NOWHERE || (in == 0 && dim == axis))
        return NOWHERE;
    return in == 1 ? axis + dim : dim < axis ? dim : dim + indices - 1;
}

static int gathered_slices(const opevo_i_net_call *call, int in, int dim)
{
    return in == 1 && dim < call->in[1]->array.dims - 1 &&
                   opevo_i_net_attribute_int(call, "batch_dims", 0) == 0
               ? dim
               : NOWHERE;
}

/* Beside others of the same count, not one behind the other. */
static int joined(const opevo_i_net_call *call, int in, int dim)
{
    int axis = axis_of(call, 0);

    for (int i = 0; i < call->ins; i++) {
        if (!call->in[i] || call->in[i]->counted != dim + 1 ||
            call->in[i]->count != call->in[in]->count)
            return NOWHERE;
    }
    return axis == dim ? NOWHERE : dim;
}

/* Along another axis. */
static int beside(const opevo_i_net_call *call, int in, int dim)
{
    int axis = axis_of(call, call->opset < 13 ? 1 : -1);

    if (in != 0 || axis == NOWHERE || (call->opset < 13 ? dim >= axis : dim == axis))
        return NOWHERE;
    return dim;
}

static int split(const opevo_i_net_call *call, int in, int dim)
{
    return in == 0 && axis_of(call, 0) != dim ? dim : NOWHERE;
}

static int reduced(const opevo_i_net_call *call, int in, int dim)
{
    int64_t axes[OPEVO_NETWORK_DIMS];
    int count = 0, dims = call->in[0]->array.dims, before = 0;
    bool kept = opevo_i_net_attribute_int(call, "keepdims", 1) != 0;

    if (in != 0 ||
        opevo_i_net_list(call, 1, 13, "axes", OPEVO_NETWORK_DIMS, axes, &count, NULL) != OPEVO_OK)
        return NOWHERE;
    if (count <= 0)
        return NOWHERE;
    for (int i = 0; i < count; i++) {
        int64_t axis = axes[i] + (axes[i] < 0 ? dims : 0);

        if (axis == dim)
            return NOWHERE;
        before += axis < dim;
    }
    return kept ? dim : dim - before;
}

static int argument(const opevo_i_net_call *call, int in, int dim)
{
    int axis = axis_of(call, 0);
    bool kept = opevo_i_net_attribute_int(call, "keepdims", 1) != 0;

    if (in != 0 || axis == dim || axis == NOWHERE)
        return NOWHERE;
    return kept || axis > dim ? dim : dim - 1;
}

/* Rows of the first factor. */
static int multiplied(const opevo_i_net_call *call, int in, int dim)
{
    int dims = call->in[0]->array.dims;

    return in == 0 && dims > 1 && dim < dims - 1 ? call->out[0]->array.dims - dims + dim : NOWHERE;
}

/* Images of a batch, as many as before; regions and their images. */
static int batched(const opevo_i_net_call *call, int in, int dim)
{
    return in == 0 && dim == 0 && call->out[0]->array.extent[0] == call->in[0]->array.extent[0]
               ? 0
               : NOWHERE;
}

/* Of two branches, which are not broadcast. */
static int chosen(const opevo_i_net_call *call, int in, int dim)
{
    const opevo_network_value *other = in ? call->in[3 - in] : NULL;

    return other && other->counted == dim + 1 && other->count == call->in[in]->count ? dim
                                                                                     : NOWHERE;
}

static int of_regions(const opevo_i_net_call *call, int in, int dim)
{
    return in > 0 && dim == 0 && call->in[1]->count == call->in[2]->count &&
                   call->in[1]->counted == call->in[2]->counted
               ? 0
               : NOWHERE;
}

static bool is_of(const opevo_i_net_operator *family, const opevo_i_net_operator *row)
{
    for (; family->name; family++) {
        if (family == row)
            return true;
    }
    return false;
}

static rule *rule_of(const opevo_i_net_operator *row)
{
    static const struct {
        const char *name;
        rule *way;
    } ways[] = {{"Identity", aligned},
                {"Cast", aligned},
                {"CastLike", batched},
                {"Reshape", viewed},
                {"Flatten", viewed},
                {"Squeeze", squeezed},
                {"Unsqueeze", unsqueezed},
                {"Transpose", transposed},
                {"Slice", sliced},
                {"Gather", gathered},
                {"GatherND", gathered_slices},
                {"Concat", joined},
                {"Split", split},
                {"Softmax", beside},
                {"LogSoftmax", beside},
                {"Hardmax", beside},
                {"ArgMax", argument},
                {"ArgMin", argument},
                {"MatMul", multiplied},
                {"Conv", batched},
                {"ConvTranspose", batched},
                {"MaxPool", batched},
                {"AveragePool", batched},
                {"GlobalAveragePool", batched},
                {"BatchNormalization", batched},
                {"Resize", batched},
                {"RoiAlign", of_regions},
                {"If", chosen}};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, row->name) == 0)
            return ways[i].way;
    }
    if (strncmp(row->name, "Reduce", 6) == 0)
        return reduced;
    return is_of(opevo_i_net_elementwise, row) || is_of(opevo_i_net_unary, row) ||
                   is_of(opevo_i_net_logic, row)
               ? aligned
               : NULL;
}

static opevo_status count_input(const opevo_i_net_call *call, int in, opevo_error *err)
{
    const opevo_network_value *value = call->in[in];
    rule *way = rule_of(call->node->row);
    int dim = way ? way(call, in, value->counted - 1) : NOWHERE;

    if (dim == NOWHERE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its result would depend on more than the slices of input %d that count, "
                          "whose size depends on data: --run computes it.",
                          in);
    for (int i = 0; i < call->outs; i++) {
        opevo_network_value *out = call->out[i];

        if (!out)
            continue;
        if (dim >= out->array.dims || (out->counted && out->counted != dim + 1) ||
            (out->counted && out->count != value->count))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Its inputs depend on data in different dimensions: --run computes "
                              "it.");
        out->counted = dim + 1;
        out->count = value->count;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_net_count(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < call->ins && status == OPEVO_OK; i++) {
        if (call->in[i] && call->in[i]->counted)
            status = count_input(call, i, err);
    }
    return status;
}
