/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators whose results are as large as data say: their inputs are constant, or become it since
 * the model runs while it is read. */

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
                              "--run computes it, a library does not.",
                              i);
    }
    return OPEVO_OK;
}

/* ---- Boxes that do not overlap -------------------------------------------------------------- */

/* Boxes of one batch and class, best first. */
typedef struct candidate {
    float score;
    int64_t box;
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->score > y->score || (!isnan(x->score) && isnan(y->score)))
        return -1;
    if (x->score < y->score || (isnan(x->score) && !isnan(y->score)))
        return 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

typedef struct corners {
    float least[2], most[2], area;
} corners;

/* Two corners, in any order; or a centre with width and height. */
static corners corners_of(const float *box, bool centred)
{
    corners out = {.area = 1};

    for (int d = 0; d < 2; d++) {
        float a = centred ? box[d] - box[2 + d] / 2 : box[d];
        float b = centred ? box[d] + box[2 + d] / 2 : box[2 + d];

        out.least[d] = fminf(a, b);
        out.most[d] = fmaxf(a, b);
        out.area *= out.most[d] - out.least[d];
    }
    return out;
}

static bool overlaps(const corners *a, const corners *b, float most)
{
    float common = 1;

    for (int d = 0; d < 2; d++)
        common *= fmaxf(fminf(a->most[d], b->most[d]) - fmaxf(a->least[d], b->least[d]), 0);
    return a->area > 0 && b->area > 0 && common > 0 && common / (a->area + b->area - common) > most;
}

typedef struct suppression {
    const float *box, *score;
    int64_t batches, classes, boxes, most; /* boxes of a class */
    float overlap, threshold;
    bool scored, centred; /* scored: those above `threshold` only */
    candidate *item;
    corners *kept;
} suppression;

/* Of one batch and class: how many are kept, which are written where `to` is not NULL. */
static int64_t suppress(suppression *self, int64_t batch, int64_t class, int64_t *to)
{
    const float *score = self->score + (batch * self->classes + class) * self->boxes;
    const float *box = self->box + batch * self->boxes * 4;
    int64_t count = 0, kept = 0;

    for (int64_t i = 0; i < self->boxes; i++) {
        if (!self->scored || score[i] > self->threshold)
            self->item[count++] = (candidate){score[i], i};
    }
    qsort(self->item, (size_t)count, sizeof *self->item, compare_candidates);
    for (int64_t i = 0; i < count && kept < self->most; i++) {
        corners at = corners_of(box + self->item[i].box * 4, self->centred);
        bool hides = false;

        for (int64_t k = 0; k < kept && !hides; k++)
            hides = overlaps(&at, &self->kept[k], self->overlap);
        if (hides)
            continue;
        if (to)
            memcpy(to + 3 * kept, (int64_t[]){batch, class, self->item[i].box}, 3 * sizeof *to);
        self->kept[kept++] = at;
    }
    return kept;
}

static double number_of(const opevo_i_net_call *call, int in, double absent)
{
    const opevo_array *array = call->ins > in && call->in[in] ? &call->in[in]->array : NULL;

    return array && opevo_array_elements(array) ? opevo_i_net_number(array, array->data, 0)
                                                : absent;
}

static opevo_status run_suppression(const opevo_i_net_call *call, int64_t *to, int64_t *count,
                                    opevo_error *err)
{
    const opevo_array *box = &call->in[0]->array, *score = &call->in[1]->array;
    suppression self = {.box = box->data,
                        .score = score->data,
                        .batches = score->extent[0],
                        .classes = score->extent[1],
                        .boxes = score->extent[2],
                        .overlap = (float)number_of(call, 3, 0),
                        .threshold = (float)number_of(call, 4, 0),
                        .scored = call->ins > 4 && call->in[4],
                        .centred = opevo_i_net_attribute_int(call, "center_point_box", 0) != 0};
    double most = number_of(call, 2, 0);
    opevo_status status = OPEVO_OK;

    self.most = most < (double)self.boxes ? (int64_t)most : self.boxes;
    self.item = opevo_malloc((size_t)self.boxes + 1, sizeof *self.item);
    self.kept = opevo_malloc((size_t)self.boxes + 1, sizeof *self.kept);
    if (!self.item || !self.kept)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for boxes."));
    *count = 0;
    for (int64_t b = 0; b < self.batches; b++) {
        for (int64_t c = 0; c < self.classes; c++)
            *count += suppress(&self, b, c, to ? to + 3 * *count : NULL);
    }
cleanup:
    opevo_free(self.item);
    opevo_free(self.kept);
    return status;
}

static opevo_status infer_suppression(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *box = &call->in[0]->array, *score = &call->in[1]->array;
    int64_t extent[2] = {0, 3};
    opevo_status status = OPEVO_OK;

    if (box->type != OPEVO_NETWORK_FLOAT32 || score->type != OPEVO_NETWORK_FLOAT32 ||
        box->dims != 3 || score->dims != 3 || box->extent[2] != 4 ||
        box->extent[0] != score->extent[0] || box->extent[1] != score->extent[2])
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its boxes and scores are not float32 of batch x boxes x 4 and batch x "
                          "classes x boxes.");
    OPEVO_TRY(need_data(call, err));
    OPEVO_TRY(run_suppression(call, NULL, &extent[0], err));
    status = opevo_i_net_shape(call->out[0], OPEVO_NETWORK_INT64, 2, extent, err);
cleanup:
    return status;
}

static opevo_status move_suppression(const opevo_i_net_call *call, const void *const *in,
                                     void *const *out, opevo_error *err)
{
    int64_t count = 0;

    (void)in;
    return run_suppression(call, out[0], &count, err);
}

/* ---- Slices where a condition holds --------------------------------------------------------- */

static opevo_status infer_compressed(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *taken = &call->in[1]->array;
    bool flat = !opevo_i_net_attribute(call, "axis");
    int64_t extent[OPEVO_NETWORK_DIMS] = {0}, most = opevo_array_elements(in), count = 0;
    opevo_status status = OPEVO_OK;
    int axis = 0;

    OPEVO_TRY(need_data(call, err));
    if (!flat) {
        OPEVO_TRY(
            opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, &axis, err));
        memcpy(extent, in->extent, sizeof extent);
        most = in->extent[axis];
    }
    if (taken->dims != 1 || taken->type != OPEVO_NETWORK_BOOL || taken->extent[0] > most)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its condition is not one Boolean of each slice.");
    for (int64_t i = 0; i < taken->extent[0]; i++)
        count += opevo_i_net_whole(taken, taken->data, i) != 0;
    extent[axis] = count;
    status = opevo_i_net_shape(call->out[0], in->type, flat ? 1 : in->dims, extent, err);
cleanup:
    return status;
}

static opevo_status move_compressed(const opevo_i_net_call *call, const void *const *in,
                                    void *const *out, opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array, *taken = &call->in[1]->array;
    bool flat = !opevo_i_net_attribute(call, "axis");
    int64_t inner = 1, outer = 1, slices = opevo_array_elements(from), to = 0;
    int axis = 0;
    opevo_status status = OPEVO_OK;

    if (!flat) {
        OPEVO_TRY(
            opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), from->dims, &axis, err));
        for (int d = axis + 1; d < from->dims; d++)
            inner *= from->extent[d];
        for (int d = 0; d < axis; d++)
            outer *= from->extent[d];
        slices = from->extent[axis];
    }
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t s = 0; s < taken->extent[0]; s++) {
            for (int64_t i = 0; i < inner && opevo_i_net_whole(taken, in[1], s); i++)
                opevo_i_net_copy_element(from->type, in[0], (o * slices + s) * inner + i, out[0],
                                         to++);
        }
    }
cleanup:
    return status;
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

const opevo_i_net_operator opevo_i_net_selected[] = {
    {"NonMaxSuppression", 10, 2, 5, 1, infer_suppression, NULL, move_suppression, 0,
     "center_point_box=int", NULL, 0},
    {"Compress", 9, 2, 2, 1, infer_compressed, NULL, move_compressed, 0, "axis=int", NULL, 2},
    {"Unique", 11, 1, 1, 4, infer_unique, NULL, move_unique, 0, "axis=int sorted=int", NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
