/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resize and Upsample. */

#include "network_routine_internal.h"

#include <math.h>

enum code { RESIZE, UPSAMPLE };

typedef struct resizing {
    double scale[OPEVO_NETWORK_DIMS], start[OPEVO_NETWORK_DIMS], end[OPEVO_NETWORK_DIMS];
    int64_t extent[OPEVO_NETWORK_DIMS];
    int mode, coordinates, nearest;
} resizing;

/* A word of an attribute by its place in a list; `absent` without the attribute. */
static opevo_status word_of(const opevo_i_net_call *call, const char *name,
                            const char *const *words, int count, int absent, int *out,
                            opevo_error *err)
{
    *out = absent;
    if (!opevo_i_net_attribute(call, name))
        return OPEVO_OK;
    for (*out = 0; *out < count; ++*out) {
        if (words[*out] && opevo_i_net_attribute_is(call, name, words[*out]))
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %s is a word that opevo does not know.", name);
}

static opevo_status words_of(const opevo_i_net_call *call, resizing *self, opevo_error *err)
{
    static const char *const modes[] = {
        [ROUTINE_NEAREST] = "nearest", [ROUTINE_LINEAR] = "linear", [ROUTINE_CUBIC] = "cubic"};
    static const char *const coordinates[] = {[ROUTINE_HALF_PIXEL] = "half_pixel",
                                              [ROUTINE_HALF_PIXEL_SYMMETRIC] =
                                                  "half_pixel_symmetric",
                                              [ROUTINE_PYTORCH_HALF_PIXEL] = "pytorch_half_pixel",
                                              [ROUTINE_ASYMMETRIC] = "asymmetric",
                                              [ROUTINE_ALIGN_CORNERS] = "align_corners",
                                              [ROUTINE_HALF_PIXEL_NEAREST] = "tf_half_pixel_for_nn",
                                              [ROUTINE_CROP] = "tf_crop_and_resize"};
    static const char *const rounding[] = {[ROUTINE_PREFER_FLOOR] = "round_prefer_floor",
                                           [ROUTINE_PREFER_CEIL] = "round_prefer_ceil",
                                           [ROUTINE_NEAREST_FLOOR] = "floor",
                                           [ROUTINE_NEAREST_CEIL] = "ceil"};
    bool old = call->opset < 11; /* by x / scale, rounded down */
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(word_of(call, "mode", modes, 3, ROUTINE_NEAREST, &self->mode, err));
    OPEVO_TRY(word_of(call, "coordinate_transformation_mode", coordinates, 7,
                      old ? ROUTINE_ASYMMETRIC : ROUTINE_HALF_PIXEL, &self->coordinates, err));
    OPEVO_TRY(word_of(call, "nearest_mode", rounding, 4,
                      old ? ROUTINE_NEAREST_FLOOR : ROUTINE_PREFER_FLOOR, &self->nearest, err));
cleanup:
    return status;
}

/* The dimensions that are resized; all without the attribute. */
static opevo_status axes_of(const opevo_i_net_call *call, int *axes, int *count, opevo_error *err)
{
    const Onnx__Attribute *given = opevo_i_net_attribute(call, "axes");
    int dims = call->in[0]->array.dims;
    opevo_status status = OPEVO_OK;

    *count = given ? (int)given->n_ints : dims;
    if (given && given->n_ints > (size_t)dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute axes has %zu numbers for %d dimensions.",
                          given->n_ints, dims);
    for (int i = 0; i < *count && status == OPEVO_OK; i++) {
        axes[i] = i;
        if (given)
            status = opevo_i_net_axis(given->ints[i], dims, &axes[i], err);
    }
    return status;
}

/* Constant numbers of an input, or of an attribute before opset 9: none, or so many. */
static opevo_status numbers_of(const opevo_i_net_call *call, int in, const char *name, int count,
                               double *out, bool *given, opevo_error *err)
{
    const opevo_network_value *value = in < call->ins ? call->in[in] : NULL;
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);

    *given = attribute || (value && opevo_array_elements(&value->array) > 0);
    if (!*given)
        return OPEVO_OK;
    if (!attribute && !value->array.data)
        return opevo_i_net_fail_open(call, in, name, "constant", err);
    if ((attribute ? (int64_t)attribute->n_floats : opevo_array_elements(&value->array)) != count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s must have %d numbers.", name, count);
    for (int i = 0; i < count; i++)
        out[i] = attribute ? (double)attribute->floats[i] : opevo_array_number(&value->array, i);
    return OPEVO_OK;
}

/* Sizes that keep the ratio of the axes: the scale is the smallest or the largest of theirs. */
static void keep_ratio(const opevo_i_net_call *call, const int *axes, int count, double *sizes,
                       double *scales)
{
    bool larger = opevo_i_net_attribute_is(call, "keep_aspect_ratio_policy", "not_smaller");
    double scale = larger ? 0 : INFINITY;

    if (!larger && !opevo_i_net_attribute_is(call, "keep_aspect_ratio_policy", "not_larger"))
        return;
    for (int i = 0; i < count; i++)
        scale = larger ? fmax(scale, scales[i]) : fmin(scale, scales[i]);
    for (int i = 0; i < count; i++) {
        scales[i] = scale;
        sizes[i] = floor(scale * (double)call->in[0]->array.extent[axes[i]] + .5);
    }
}

static opevo_status scales_of(const opevo_i_net_call *call, resizing *self, const int *axes,
                              int count, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool upsamples = call->node->row->code == UPSAMPLE || call->opset < 11, scaled = false;
    double scales[OPEVO_NETWORK_DIMS], sizes[OPEVO_NETWORK_DIMS];
    bool sized = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(numbers_of(call, upsamples ? 1 : 2, "scales", count, scales, &scaled, err));
    if (!upsamples)
        OPEVO_TRY(numbers_of(call, 3, "sizes", count, sizes, &sized, err));
    if (scaled == sized)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It needs either scales or sizes.");
    for (int i = 0; i < count && sized; i++)
        scales[i] = sizes[i] / (double)in->extent[axes[i]];
    if (sized)
        keep_ratio(call, axes, count, sizes, scales);
    for (int i = 0; i < count; i++) {
        double extent = sized ? sizes[i] : floor((double)in->extent[axes[i]] * scales[i]);

        if (!(scales[i] > 0) || !(extent >= 0 && extent <= (double)OPEVO_COMPUTATION_EXTENT))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Scale %d is %g.", i, scales[i]);
        self->scale[axes[i]] = scales[i];
        self->extent[axes[i]] = (int64_t)extent;
    }
cleanup:
    return status;
}

static opevo_status resizing_of(const opevo_i_net_call *call, resizing *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    double region[2 * OPEVO_NETWORK_DIMS];
    int axes[OPEVO_NETWORK_DIMS], count = 0;
    opevo_status status = OPEVO_OK;
    bool given = false;

    *self = (resizing){.mode = ROUTINE_NEAREST};
    for (int d = 0; d < in->dims; d++) {
        self->scale[d] = self->end[d] = 1;
        self->extent[d] = in->extent[d];
    }
    OPEVO_TRY(words_of(call, self, err));
    OPEVO_TRY(axes_of(call, axes, &count, err));
    OPEVO_TRY(scales_of(call, self, axes, count, err));
    if (self->coordinates != ROUTINE_CROP)
        return OPEVO_OK;
    OPEVO_TRY(numbers_of(call, 1, "roi", 2 * count, region, &given, err));
    for (int i = 0; i < count && given; i++) {
        self->start[axes[i]] = region[i];
        self->end[axes[i]] = region[count + i];
    }
cleanup:
    return status;
}

static opevo_status infer_resize(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    resizing self;
    opevo_status status = resizing_of(call, &self, err);

    if (status == OPEVO_OK && opevo_array_elements(in) == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has no elements.");
    return status == OPEVO_OK
               ? opevo_i_net_shape(call->out[0], in->type, in->dims, self.extent, err)
               : status;
}

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    resizing self;
    opevo_status status = resizing_of(call, &self, err);
    const int64_t whole[] = {self.mode, self.coordinates, self.nearest,
                             opevo_i_net_attribute_int(call, "exclude_outside", 0),
                             opevo_i_net_attribute_int(call, "antialias", 0)};

    for (size_t i = 0; i < sizeof whole / sizeof *whole && status == OPEVO_OK; i++)
        status = opevo_i_net_routine_whole(out, whole[i], err);
    if (status == OPEVO_OK)
        status = opevo_i_net_routine_number(
            out, opevo_i_net_attribute_float(call, "cubic_coeff_a", -.75), err);
    if (status == OPEVO_OK)
        status = opevo_i_net_routine_number(
            out, opevo_i_net_attribute_float(call, "extrapolation_value", 0), err);
    for (int d = 0; d < call->in[0]->array.dims && status == OPEVO_OK; d++) {
        const double numbers[] = {self.scale[d], self.start[d], self.end[d]};

        for (int i = 0; i < 3 && status == OPEVO_OK; i++)
            status = opevo_i_net_routine_number(out, numbers[i], err);
    }
    return status;
}

/* Whether element x of dimension d is a repeated one, x // factor: nearest ones of a whole factor
 * are. */
static bool repeats(const resizing *self, const opevo_array *in, int d, int64_t *factor)
{
    *factor = self->extent[d] / in->extent[d];
    if (self->mode != ROUTINE_NEAREST || *factor < 1 ||
        self->extent[d] != *factor * in->extent[d] || self->scale[d] != (double)*factor)
        return false;
    if (self->coordinates == ROUTINE_CROP)
        return *factor == 1 && self->start[d] == 0 && self->end[d] == 1;
    return *factor == 1 ||
           (self->coordinates == ROUTINE_ASYMMETRIC && self->nearest == ROUTINE_NEAREST_FLOOR) ||
           ((self->coordinates == ROUTINE_HALF_PIXEL ||
             self->coordinates == ROUTINE_PYTORCH_HALF_PIXEL) &&
            self->nearest <= ROUTINE_PREFER_CEIL);
}

static opevo_status define(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    opevo_text read = {0};
    resizing self;
    opevo_status status = resizing_of(call, &self, err);
    bool defined = status == OPEVO_OK;

    for (int d = 0; d < in->dims && defined; d++) {
        int64_t factor = 1;

        defined = repeats(&self, in, d, &factor);
        opevo_text_printf(&read, factor == 1 ? "%sa%d" : "%sa%d//%lld", d ? ", " : "", d,
                          (long long)factor);
    }
    if (status == OPEVO_OK && !defined)
        status = OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
    if (status == OPEVO_OK) {
        opevo_i_net_declare(call, 0, out);
        opevo_text_add(out, "Y0[");
        opevo_i_net_axes("a", &call->out[0]->array, out);
        opevo_text_printf(out, "] = X0[%s]\n", opevo_text_string(&read));
        out->failed |= read.failed;
        status = opevo_text_check(out, err);
    }
    opevo_text_free(&read);
    return status;
}

static const opevo_i_net_routine resize = {"routine_resize", routine_resize, take,
                                           routine_resize_need};

const opevo_i_net_operator opevo_i_net_resize[] = {
    {"Resize", 10, 1, 4, 1, infer_resize, define, opevo_i_net_move_by_routine, RESIZE,
     "antialias=int:18- axes=ints:18- coordinate_transformation_mode=string:11- "
     "cubic_coeff_a=float:11- exclude_outside=int:11- extrapolation_value=float:11- "
     "keep_aspect_ratio_policy=string:18- mode=string nearest_mode=string:11-",
     &resize, 14},
    {"Upsample", 7, 1, 2, 1, infer_resize, define, opevo_i_net_move_by_routine, UPSAMPLE,
     "mode=string scales=floats:-8", &resize, 2},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
