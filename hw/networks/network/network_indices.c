/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators whose elements are at indices, which are the numbers of an input. */

#include "network_routine_internal.h"

/* How updates join what is there. */
static opevo_status reduction_of(const opevo_i_net_call *call, int *out, opevo_error *err)
{
    static const struct {
        const char *word;
        int how, since;
    } words[] = {{"none", ROUTINE_PUT, 1},
                 {"add", ROUTINE_PUT_ADD, 16},
                 {"mul", ROUTINE_PUT_MULTIPLY, 16},
                 {"max", ROUTINE_PUT_MAX, 18},
                 {"min", ROUTINE_PUT_MIN, 18}};

    *out = ROUTINE_PUT;
    if (!opevo_i_net_attribute(call, "reduction"))
        return OPEVO_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *out = words[i].how;
        if (call->opset >= words[i].since &&
            opevo_i_net_attribute_is(call, "reduction", words[i].word))
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Attribute reduction is not none, add or mul, or from opset 18 max or min.");
}

static opevo_status check_indices(const opevo_i_net_call *call, opevo_error *err)
{
    if (!opevo_i_net_type_is_whole(call->in[1]->array.type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices are of type %s.",
                          opevo_network_type_name(call->in[1]->array.type));
    return OPEVO_OK;
}

/* ---- Slices along an axis ---- */

static opevo_status infer_gather(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int64_t extent[2 * OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int axis = 0, dims = 0;

    OPEVO_TRY(check_indices(call, err));
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, &axis, err));
    for (int d = 0; d < axis; d++)
        extent[dims++] = in->extent[d];
    for (int d = 0; d < indices->dims; d++)
        extent[dims++] = indices->extent[d];
    for (int d = axis + 1; d < in->dims; d++)
        extent[dims++] = in->extent[d];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, dims, extent, err));
cleanup:
    return status;
}

/* ---- An index for each element ---- */

/* Along one axis. */
static opevo_status infer_elements(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    opevo_status status = OPEVO_OK;
    bool scatters = call->ins > 2;
    int axis = 0, how = 0;

    OPEVO_TRY(check_indices(call, err));
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, &axis, err));
    for (int d = 0; d < in->dims; d++) {
        if (indices->dims != in->dims || (d != axis && indices->extent[d] > in->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices are of another shape.");
        if (scatters && (call->in[2]->array.dims != in->dims ||
                         call->in[2]->array.extent[d] != indices->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another shape.");
    }
    if (scatters && call->in[2]->array.type != in->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another type.");
    OPEVO_TRY(reduction_of(call, &how, err));
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, in->dims,
                                scatters ? in->extent : indices->extent, err));
cleanup:
    return status;
}

/* ---- Slices at indices of several dimensions ---- */

/* How many dimensions are batches, and how many an index has; elements of a slice. */
typedef struct slices {
    int batch, depth;
    int64_t count, size; /* indices, and elements behind each */
} slices;

static opevo_status slices_of(const opevo_i_net_call *call, slices *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int64_t batch = opevo_i_net_attribute_int(call, "batch_dims", 0), depth = 0;
    opevo_status status = check_indices(call, err);

    if (status != OPEVO_OK)
        return status;
    depth = indices->dims ? indices->extent[indices->dims - 1] : 0;
    if (in->dims < 1 || indices->dims < 1 || batch < 0 || batch >= indices->dims || depth < 1 ||
        depth > in->dims - batch)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices do not fit its input.");
    *self = (slices){.batch = (int)batch, .depth = (int)depth, .count = 1, .size = 1};
    for (int d = 0; d < self->batch; d++) {
        if (in->extent[d] != indices->extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its batches differ.");
    }
    for (int d = 0; d < indices->dims - 1; d++)
        self->count *= indices->extent[d];
    for (int d = self->batch + self->depth; d < in->dims; d++)
        self->size *= in->extent[d];
    return OPEVO_OK;
}

/* Indices, then what they do not name. */
static int slice_shape(const opevo_i_net_call *call, const slices *self, int64_t *extent)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int dims = 0;

    for (int d = 0; d < indices->dims - 1; d++)
        extent[dims++] = indices->extent[d];
    for (int d = self->batch + self->depth; d < in->dims; d++)
        extent[dims++] = in->extent[d];
    return dims;
}

static opevo_status infer_slices(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t extent[2 * OPEVO_NETWORK_DIMS];
    const opevo_array *in = &call->in[0]->array, *updates = NULL;
    slices self = {0};
    opevo_status status = slices_of(call, &self, err);
    int dims = 0, how = 0;

    if (status != OPEVO_OK)
        return status;
    dims = slice_shape(call, &self, extent);
    if (call->ins < 3)
        return opevo_i_net_shape(call->out[0], in->type, dims, extent, err);
    updates = &call->in[2]->array;
    if (updates->type != in->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another type.");
    if (reduction_of(call, &how, err) != OPEVO_OK)
        return OPEVO_INVALID;
    for (int d = 0; d < dims; d++) {
        if (updates->dims != dims || updates->extent[d] != extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another shape.");
    }
    return opevo_i_net_infer_same(call, err);
}

/* ---- One among zeros ---- */

static opevo_status infer_one_hot(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *indices = &call->in[0]->array, *depth = &call->in[1]->array;
    int64_t extent[OPEVO_NETWORK_DIMS + 1];
    opevo_status status = OPEVO_OK;
    int axis = 0, dims = 0;

    if (!depth->data || opevo_array_elements(depth) != 1)
        return opevo_i_net_fail_open(call, 1, "depth", "one constant number", err);
    if (opevo_array_elements(&call->in[2]->array) != 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 2 must have two numbers.");
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), indices->dims + 1,
                               &axis, err));
    for (int d = 0; d <= indices->dims; d++)
        extent[d] = d == axis ? opevo_i_net_whole(depth, depth->data, 0) : indices->extent[dims++];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[2]->array.type, dims + 1, extent, err));
cleanup:
    return status;
}

/* ---- The nodes ---- */

static opevo_status take_axis_of(const opevo_i_net_call *call, int64_t absent, int dims,
                                 opevo_network_routine *out, opevo_error *err)
{
    int axis = 0;
    opevo_status status =
        opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", absent), dims, &axis, err);

    return status == OPEVO_OK ? opevo_i_net_routine_whole(out, axis, err) : status;
}

static opevo_status take_axis(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    return take_axis_of(call, 0, call->in[0]->array.dims, out, err);
}

static opevo_status take_reduction(const opevo_i_net_call *call, opevo_network_routine *out,
                                   opevo_error *err)
{
    int how = ROUTINE_PUT;
    opevo_status status = reduction_of(call, &how, err);

    return status == OPEVO_OK ? opevo_i_net_routine_whole(out, how, err) : status;
}

static opevo_status take_scattered(const opevo_i_net_call *call, opevo_network_routine *out,
                                   opevo_error *err)
{
    opevo_status status = take_axis(call, out, err);

    return status == OPEVO_OK ? take_reduction(call, out, err) : status;
}

static opevo_status take_batch(const opevo_i_net_call *call, opevo_network_routine *out,
                               opevo_error *err)
{
    return opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "batch_dims", 0), err);
}

static opevo_status take_hot(const opevo_i_net_call *call, opevo_network_routine *out,
                             opevo_error *err)
{
    return take_axis_of(call, -1, call->out[0]->array.dims, out, err);
}

static const opevo_i_net_routine gathered = {"routine_gather", routine_gather, take_axis, NULL},
                                 elements = {"routine_gather_elements", routine_gather_elements,
                                             take_axis, NULL},
                                 scattered = {"routine_scatter_elements", routine_scatter_elements,
                                              take_scattered, NULL},
                                 taken_slices = {"routine_gather_slices", routine_gather_slices,
                                                 take_batch, NULL},
                                 put_slices = {"routine_scatter_slices", routine_scatter_slices,
                                               take_reduction, NULL},
                                 hot = {"routine_one_hot", routine_one_hot, take_hot, NULL};

const opevo_i_net_operator opevo_i_net_indices[] = {
    {"Gather", 1, 2, 2, 1, infer_gather, NULL, opevo_i_net_move_by_routine, 0, "axis=int",
     &gathered, 2},
    {"GatherElements", 11, 2, 2, 1, infer_elements, NULL, opevo_i_net_move_by_routine, 0,
     "axis=int", &elements, 2},
    {"ScatterElements", 11, 3, 3, 1, infer_elements, NULL, opevo_i_net_move_by_routine, 0,
     "axis=int reduction=string:16-", &scattered, 2},
    {"GatherND", 11, 2, 2, 1, infer_slices, NULL, opevo_i_net_move_by_routine, 0,
     "batch_dims=int:12-", &taken_slices, 2},
    {"ScatterND", 11, 3, 3, 1, infer_slices, NULL, opevo_i_net_move_by_routine, 0,
     "reduction=string:16-", &put_slices, 2},
    {"OneHot", 9, 3, 3, 1, infer_one_hot, opevo_i_net_define_none, opevo_i_net_move_by_routine, 0,
     "axis=int", &hot, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
