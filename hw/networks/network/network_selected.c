/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators whose results are as large as data say. Where their inputs are constant, that is known;
 * otherwise a result has the most that it may need, and another one says how much that is. */

#include "network_routine_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opevo_status need_data(const opevo_i_net_call *call, opevo_error *err)
{
    for (int i = 0; i < call->ins; i++) {
        if (call->in[i] && !call->in[i]->array.data)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The size of its result depends on input %d, which is not constant: "
                              "--run computes it.",
                              i);
    }
    return OPEVO_OK;
}

static bool has_data(const opevo_i_net_call *call)
{
    return need_data(call, NULL) == OPEVO_OK;
}

/* Slices of the result along `dim`: as many as there are, or at most `extent[dim]`, in which case
 * the second output says how many. */
static opevo_status give(const opevo_i_net_call *call, opevo_network_type type, int dims,
                         int64_t *extent, int dim, opevo_error *err)
{
    const void **in = opevo_calloc((size_t)call->ins + 1, sizeof *in);
    opevo_network_value counted = {.array = {.type = OPEVO_NETWORK_INT64, .data = &extent[dim]}};
    opevo_network_value nothing = {.array = {.type = type}};
    opevo_network_value *outs[2] = {&nothing, &counted};
    void *data[2] = {NULL, &extent[dim]};
    opevo_i_net_call count = *call;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(in, "the inputs of a node");
    if (has_data(call)) {
        for (int i = 0; i < call->ins; i++)
            in[i] = call->in[i] ? call->in[i]->array.data : NULL;
        count.out = outs;
        count.outs = 2;
        OPEVO_TRY(opevo_i_net_move_by_routine(&count, in, data, err));
    } else if (call->outs < 2) {
        OPEVO_TRY(need_data(call, err));
    } else {
        OPEVO_TRY(opevo_i_net_shape(call->out[1], OPEVO_NETWORK_INT64, 0, NULL, err));
        call->out[0]->counted = dim + 1;
        call->out[0]->count = call->node->super.output[1];
    }
    status = opevo_i_net_shape(call->out[0], type, dims, extent, err);
cleanup:
    opevo_free(in);
    return status;
}

/* ---- Boxes that do not overlap -------------------------------------------------------------- */

static opevo_status infer_suppression(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *box = &call->in[0]->array, *score = &call->in[1]->array;
    const opevo_array *most = call->ins > 2 && call->in[2] ? &call->in[2]->array : NULL;
    int64_t extent[2] = {0, 3}, kept = 0;

    if (box->type != OPEVO_NETWORK_FLOAT32 || score->type != OPEVO_NETWORK_FLOAT32 ||
        box->dims != 3 || score->dims != 3 || box->extent[2] != 4 ||
        box->extent[0] != score->extent[0] || box->extent[1] != score->extent[2])
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its boxes and scores are not float32 of batch x boxes x 4 and batch x "
                          "classes x boxes.");
    if (most && opevo_array_elements(most))
        kept = most->data ? opevo_i_net_whole(most, most->data, 0) : score->extent[2];
    kept = kept < 0 ? 0 : kept < score->extent[2] ? kept : score->extent[2];
    extent[0] = score->extent[0] * score->extent[1] * kept;
    return give(call, OPEVO_NETWORK_INT64, 2, extent, 0, err);
}

static opevo_status take_centres(const opevo_i_net_call *call, opevo_network_routine *out,
                                 opevo_error *err)
{
    return opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "center_point_box", 0),
                                     err);
}

/* ---- Where numbers are not 0 ---------------------------------------------------------------- */

static opevo_status infer_nonzero(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t extent[2] = {in->dims, opevo_array_elements(in)};

    return give(call, OPEVO_NETWORK_INT64, 2, extent, 1, err);
}

/* ---- Slices where a condition holds --------------------------------------------------------- */

static opevo_status axis_of(const opevo_i_net_call *call, int *axis, opevo_error *err)
{
    *axis = -1;
    return opevo_i_net_attribute(call, "axis")
               ? opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0),
                                  call->in[0]->array.dims, axis, err)
               : OPEVO_OK;
}

static opevo_status infer_compressed(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *taken = &call->in[1]->array;
    int64_t extent[OPEVO_NETWORK_DIMS] = {opevo_array_elements(in)};
    opevo_status status = OPEVO_OK;
    int axis = 0;

    OPEVO_TRY(axis_of(call, &axis, err));
    if (axis >= 0)
        memcpy(extent, in->extent, sizeof extent);
    if (taken->dims != 1 || taken->type != OPEVO_NETWORK_BOOL ||
        taken->extent[0] > extent[axis < 0 ? 0 : axis])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its condition is not one Boolean of each slice.");
    extent[axis < 0 ? 0 : axis] = taken->extent[0];
    status = give(call, in->type, axis < 0 ? 1 : in->dims, extent, axis < 0 ? 0 : axis, err);
cleanup:
    return status;
}

static opevo_status take_slices(const opevo_i_net_call *call, opevo_network_routine *out,
                                opevo_error *err)
{
    int axis = 0;
    opevo_status status = axis_of(call, &axis, err);

    return status == OPEVO_OK ? opevo_i_net_routine_whole(out, axis, err) : status;
}

/* ---- Different slices ----------------------------------------------------------------------- */

/* Slices of a tensor along an axis, or its elements: `outer` blocks of `inner` elements each. */
typedef struct slices {
    const opevo_array *array;
    int axis; /* -1: elements */
    int64_t count, outer, inner;
    int64_t *order, *group; /* by value; the group of each slice */
    int64_t *first, groups; /* the first slice of each group */
} slices;

static int64_t element_of(const slices *self, int64_t slice, int64_t i)
{
    return i / self->inner * self->count * self->inner + slice * self->inner + i % self->inner;
}

static int compare_slices(const void *a, const void *b, void *context)
{
    const slices *self = context;
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    for (int64_t i = 0; i < self->outer * self->inner; i++) {
        double p = opevo_i_net_number(self->array, self->array->data, element_of(self, x, i));
        double q = opevo_i_net_number(self->array, self->array->data, element_of(self, y, i));

        if (p < q || (!isnan(p) && isnan(q)))
            return -1;
        if (p > q || (isnan(p) && !isnan(q)))
            return 1;
    }
    return 0;
}

static int compare_in_order(const void *a, const void *b, void *context)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    int order = compare_slices(a, b, context);

    return order ? order : x < y ? -1 : x > y;
}

static int compare_firsts(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void slices_free(slices *self)
{
    opevo_free(self->order);
    opevo_free(self->group);
    opevo_free(self->first);
}

/* Groups are in the order of their values, or of their first slices. */
static opevo_status slices_of(const opevo_i_net_call *call, slices *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool sorted = opevo_i_net_attribute_int(call, "sorted", 1) != 0;
    opevo_status status = OPEVO_OK;

    *self = (slices){
        .array = in, .axis = -1, .count = opevo_array_elements(in), .outer = 1, .inner = 1};
    if (opevo_i_net_attribute(call, "axis")) {
        OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims,
                                   &self->axis, err));
        self->count = in->extent[self->axis];
        for (int d = 0; d < in->dims; d++)
            *(d < self->axis ? &self->outer : &self->inner) *= d == self->axis ? 1 : in->extent[d];
    }
    OPEVO_NEW(self->order, (size_t)self->count + 1, "slices");
    OPEVO_NEW(self->group, (size_t)self->count + 1, "slices");
    OPEVO_NEW(self->first, (size_t)self->count + 1, "slices");
    for (int64_t i = 0; i < self->count; i++)
        self->order[i] = i;
    qsort_r(self->order, (size_t)self->count, sizeof *self->order, compare_in_order, self);
    for (int64_t i = 0; i < self->count; i++) {
        if (i == 0 || compare_slices(&self->order[i - 1], &self->order[i], self) != 0)
            self->first[self->groups++] = self->order[i];
        self->group[self->order[i]] = self->first[self->groups - 1];
    }
    if (!sorted)
        qsort(self->first, (size_t)self->groups, sizeof *self->first, compare_firsts);
    for (int64_t g = 0; g < self->groups; g++)
        self->order[self->first[g]] = g; /* of a first slice: its group */
    for (int64_t i = 0; i < self->count; i++)
        self->group[i] = self->order[self->group[i]];
cleanup:
    return status;
}

static opevo_status infer_unique(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t extent[OPEVO_NETWORK_DIMS];
    slices self = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(need_data(call, err));
    OPEVO_TRY(slices_of(call, &self, err));
    memcpy(extent, in->extent, sizeof extent);
    extent[self.axis < 0 ? 0 : self.axis] = self.groups;
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, self.axis < 0 ? 1 : in->dims, extent, err));
    for (int i = 1; i < call->outs; i++)
        OPEVO_TRY(opevo_i_net_shape(call->out[i], OPEVO_NETWORK_INT64, 1,
                                    i == 2 ? &self.count : &self.groups, err));
cleanup:
    slices_free(&self);
    return status;
}

static opevo_status move_unique(const opevo_i_net_call *call, const void *const *in,
                                void *const *out, opevo_error *err)
{
    int64_t *first = call->outs > 1 ? out[1] : NULL, *group = call->outs > 2 ? out[2] : NULL;
    int64_t *counts = call->outs > 3 ? out[3] : NULL;
    slices self = {0}, made = {0};
    opevo_status status = slices_of(call, &self, err);

    made = self;
    made.count = self.groups;
    for (int64_t g = 0; g < self.groups && status == OPEVO_OK; g++) {
        for (int64_t i = 0; i < self.outer * self.inner; i++)
            opevo_i_net_copy_element(self.array->type, in[0], element_of(&self, self.first[g], i),
                                     out[0], element_of(&made, g, i));
        if (first)
            first[g] = self.first[g];
        if (counts)
            counts[g] = 0;
    }
    for (int64_t i = 0; i < self.count && status == OPEVO_OK; i++) {
        if (group)
            group[i] = self.group[i];
        if (counts)
            counts[self.group[i]]++;
    }
    slices_free(&self);
    return status;
}

static const opevo_i_net_routine boxes = {"routine_suppress", routine_suppress, take_centres,
                                          routine_suppress_need};
static const opevo_i_net_routine places = {"routine_nonzero", routine_nonzero,
                                           opevo_i_net_routine_take_none, NULL};
static const opevo_i_net_routine taken = {"routine_compress", routine_compress, take_slices, NULL};

const opevo_i_net_operator opevo_i_net_selected[] = {
    {"NonMaxSuppression", 10, 2, 5, 1, infer_suppression, opevo_i_net_define_none,
     opevo_i_net_move_by_routine, 0, "center_point_box=int", &boxes, 0},
    {"NonZero", 9, 1, 1, 1, infer_nonzero, opevo_i_net_define_none, opevo_i_net_move_by_routine, 0,
     NULL, &places, 0},
    {"Compress", 9, 2, 2, 1, infer_compressed, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     0, "axis=int", &taken, 0},
    {"Unique", 11, 1, 1, 4, infer_unique, NULL, move_unique, 0, "axis=int sorted=int", NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

bool opevo_i_net_is_counted(const opevo_i_net_operator *row)
{
    return row->routine == &boxes || row->routine == &places || row->routine == &taken;
}
