/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Einsum, samples and regions of images, and determinants. */

#include "network_routine_internal.h"

#include <ctype.h>
#include <string.h>

/* ---- Einsum ---- */

enum {
    AXES = 64,   /* different letters, and those of an ellipsis */
    INPUTS = 15, /* of a computation */
    LETTERS = 128
};

/* Axes of the output come first. An ellipsis has the axes named 0, 1, ... of the broadcast
 * dimensions, counted from the last. */
typedef struct equation {
    int axes, kept;
    int name[AXES];
    int64_t extent[AXES];
    int axis[INPUTS][OPEVO_NETWORK_DIMS];
} equation;

/* The names of the dimensions of each input. */
typedef struct terms {
    int name[INPUTS][OPEVO_NETWORK_DIMS];
    int count[INPUTS];
    int seen[LETTERS]; /* how often a letter stands in them */
    int rest;          /* axes of the longest ellipsis */
} terms;

/* The axis of this name, which is added if it is new. */
static int axis_of(equation *self, int name)
{
    int a = 0;

    while (a < self->axes && self->name[a] != name)
        a++;
    if (a == self->axes && a < AXES) {
        self->name[a] = name;
        self->extent[a] = 1;
        self->axes++;
    }
    return a < AXES ? a : AXES - 1;
}

/* The names of the dimensions of one operand in the text up to `end`; an ellipsis stands for those
 * that letters leave. Returns their number, -1 for another text. */
static int names_of(const char *text, const char *end, int dims, int *names)
{
    int letters = 0, count = 0;
    bool has_rest = false;

    for (const char *c = text; c < end; c++)
        letters += isalpha((unsigned char)*c) != 0;
    for (const char *c = text; c < end; c++) {
        if (*c == ' ')
            continue;
        if (isalpha((unsigned char)*c)) {
            if (count == OPEVO_NETWORK_DIMS)
                return -1;
            names[count++] = (unsigned char)*c;
            continue;
        }
        if (end - c < 3 || strncmp(c, "...", 3) != 0 || has_rest)
            return -1;
        has_rest = true;
        for (int k = dims - letters; k > 0 && count < OPEVO_NETWORK_DIMS; k--)
            names[count++] = k - 1;
        c += 2;
    }
    return count;
}

/* Without an arrow: the ellipsis, then letters that occur once, in the order of the alphabet. */
static void take_implicit(equation *self, const int *seen, int rest)
{
    for (int k = rest; k > 0; k--)
        axis_of(self, k - 1);
    for (int letter = 'A'; letter <= 'z'; letter++) {
        if (seen[letter] == 1)
            axis_of(self, letter);
    }
}

static opevo_status take_operand(const opevo_i_net_call *call, equation *self, int in,
                                 const int *names, int count, opevo_error *err)
{
    const opevo_array *array = &call->in[in]->array;

    if (count != array->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its equation does not fit input %d.", in);
    for (int d = 0; d < count; d++) {
        int a = axis_of(self, names[d]);

        self->axis[in][d] = a;
        if (self->extent[a] != 1 && array->extent[d] != 1 && self->extent[a] != array->extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Dimension %d of input %d is %lld instead of %lld.", d, in,
                              (long long)array->extent[d], (long long)self->extent[a]);
        self->extent[a] = array->extent[d] == 1 ? self->extent[a] : array->extent[d];
    }
    return OPEVO_OK;
}

/* The terms before the arrow, separated by commas. */
static opevo_status read_terms(const opevo_i_net_call *call, const char *text, terms *out,
                               opevo_error *err)
{
    for (int i = 0; i < call->ins; i++) {
        const char *end = text + strcspn(text, ",-");
        int letters = 0;

        out->count[i] = names_of(text, end, call->in[i]->array.dims, out->name[i]);
        for (int d = 0; d < out->count[i]; d++) {
            if (out->name[i][d] < 'A')
                continue;
            letters++;
            out->seen[out->name[i][d]]++;
        }
        if (out->count[i] - letters > out->rest)
            out->rest = out->count[i] - letters;
        if (out->count[i] < 0 || (i + 1 < call->ins) != (*end == ',') ||
            call->in[i]->array.type != call->in[0]->array.type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its equation does not fit its inputs.");
        text = end + (*end == ',');
    }
    return OPEVO_OK;
}

/* The term behind the arrow: its axes come first. */
static opevo_status read_output(const char *term, const terms *in, equation *self, opevo_error *err)
{
    int names[OPEVO_NETWORK_DIMS], letters = 0, dims = 0, count = 0;
    bool has_rest = strstr(term, "...") != NULL, wrong = false;

    for (const char *c = term; *c; c++)
        letters += isalpha((unsigned char)*c) != 0;
    dims = letters + (has_rest ? in->rest : 0);
    count = names_of(term, term + strlen(term), dims, names);
    wrong = count != dims;
    for (int d = 0; d < count; d++) {
        wrong |= names[d] >= 'A' && !in->seen[names[d]];
        axis_of(self, names[d]);
    }
    if (wrong || count != self->axes)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its equation has no output of different axes of its inputs.");
    return OPEVO_OK;
}

static opevo_status equation_of(const opevo_i_net_call *call, equation *self, opevo_error *err)
{
    const Onnx__Attribute *given = opevo_i_net_attribute(call, "equation");
    terms in = {.rest = 0};
    const char *arrow = NULL;
    char text[512];
    double products = 1;
    opevo_status status = OPEVO_OK;

    *self = (equation){0};
    if (!given || given->s.len >= sizeof text || call->ins > INPUTS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its equation or its inputs are too many.");
    memcpy(text, given->s.data, given->s.len);
    text[given->s.len] = '\0';
    arrow = strstr(text, "->");
    OPEVO_TRY(read_terms(call, text, &in, err));
    if (arrow)
        OPEVO_TRY(read_output(arrow + 2, &in, self, err));
    else
        take_implicit(self, in.seen, in.rest);
    self->kept = self->axes;
    for (int i = 0; i < call->ins; i++)
        OPEVO_TRY(take_operand(call, self, i, in.name[i], in.count[i], err));
    for (int a = 0; a < self->axes; a++)
        products *= self->extent[a] ? (double)self->extent[a] : 1;
    if (products > 0x1p62)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %g products, which is too many.", products);
cleanup:
    return status;
}

static opevo_status infer_einsum(const opevo_i_net_call *call, opevo_error *err)
{
    equation self;
    opevo_status status = equation_of(call, &self, err);

    return status == OPEVO_OK ? opevo_i_net_shape(call->out[0], call->in[0]->array.type, self.kept,
                                                  self.extent, err)
                              : status;
}

static opevo_status define_einsum(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    equation self;
    opevo_status status = equation_of(call, &self, err);

    if (status != OPEVO_OK)
        return status;
    for (int i = 0; i < call->ins; i++)
        opevo_i_net_declare(call, i, out);
    opevo_text_add(out, "Y0[");
    for (int a = 0; a < self.kept; a++)
        opevo_text_printf(out, "%sa%d:%lld", a ? ", " : "", a, (long long)self.extent[a]);
    opevo_text_add(out, self.axes > self.kept ? "] = sum(" : "] = ");
    for (int a = self.kept; a < self.axes; a++)
        opevo_text_printf(out, "%sa%d:%lld", a > self.kept ? ", " : "", a,
                          (long long)self.extent[a]);
    opevo_text_add(out, self.axes > self.kept ? ") " : "");
    for (int i = 0; i < call->ins; i++) {
        opevo_text_printf(out, "%sX%d[", i ? "*" : "", i);
        for (int d = 0; d < call->in[i]->array.dims; d++)
            opevo_text_printf(out, call->in[i]->array.extent[d] == 1 ? "%s0" : "%sa%d",
                              d ? ", " : "", self.axis[i][d]);
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

static opevo_status take_einsum(const opevo_i_net_call *call, opevo_network_routine *out,
                                opevo_error *err)
{
    equation self;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(equation_of(call, &self, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.axes, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.kept, err));
    for (int a = 0; a < self.axes; a++)
        OPEVO_TRY(opevo_i_net_routine_whole(out, self.extent[a], err));
    for (int i = 0; i < call->ins; i++) {
        for (int d = 0; d < call->in[i]->array.dims; d++)
            OPEVO_TRY(opevo_i_net_routine_whole(out, self.axis[i][d], err));
    }
cleanup:
    return status;
}

/* ---- Samples ---- */

/* Whether an attribute is one of these words, or absent. */
static bool is_word(const opevo_i_net_call *call, const char *name, const char *const *words,
                    size_t count)
{
    bool found = !opevo_i_net_attribute(call, name);

    for (size_t i = 0; i < count && !found; i++)
        found = opevo_i_net_attribute_is(call, name, words[i]);
    return found;
}

static opevo_status infer_sample(const opevo_i_net_call *call, opevo_error *err)
{
    static const char *const modes[] = {"bilinear", "nearest", "bicubic", "linear", "cubic"};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    const opevo_array *x = &call->in[0]->array, *grid = &call->in[1]->array;
    int64_t extent[4];

    if (!is_word(call, "mode", modes, sizeof modes / sizeof *modes) ||
        !is_word(call, "padding_mode", paddings, sizeof paddings / sizeof *paddings))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Attribute mode or padding_mode is a word that opevo does not know.");
    if (x->dims != 4 || grid->dims != 4 || grid->extent[3] != 2 ||
        grid->extent[0] != x->extent[0] || opevo_i_net_type_is_whole(x->type) ||
        opevo_i_net_type_is_whole(grid->type))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "opevo samples images of two dimensions, of floating-point numbers.");
    extent[0] = x->extent[0];
    extent[1] = x->extent[1];
    extent[2] = grid->extent[1];
    extent[3] = grid->extent[2];
    return opevo_i_net_shape(call->out[0], x->type, 4, extent, err);
}

static opevo_status take_sample(const opevo_i_net_call *call, opevo_network_routine *out,
                                opevo_error *err)
{
    bool nearest = opevo_i_net_attribute_is(call, "mode", "nearest");
    bool cubic = opevo_i_net_attribute_is(call, "mode", "bicubic") ||
                 opevo_i_net_attribute_is(call, "mode", "cubic");
    bool border = opevo_i_net_attribute_is(call, "padding_mode", "border");
    bool reflection = opevo_i_net_attribute_is(call, "padding_mode", "reflection");
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_whole(out,
                                        nearest ? ROUTINE_NEAREST
                                        : cubic ? ROUTINE_CUBIC
                                                : ROUTINE_LINEAR,
                                        err));
    OPEVO_TRY(opevo_i_net_routine_whole(out,
                                        border       ? ROUTINE_BORDER
                                        : reflection ? ROUTINE_REFLECTION
                                                     : ROUTINE_ZEROS,
                                        err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "align_corners", 0), err));
cleanup:
    return status;
}

/* ---- Regions of images ---- */

static opevo_status infer_regions(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *x = &call->in[0]->array, *region = &call->in[1]->array;
    const opevo_array *image = &call->in[2]->array;
    int64_t extent[4] = {0};

    if (x->dims != 4 || region->dims != 2 || region->extent[1] != 4 || image->dims != 1 ||
        image->extent[0] != region->extent[0] || !opevo_i_net_type_is_whole(image->type) ||
        opevo_i_net_type_is_whole(x->type) || opevo_i_net_type_is_whole(region->type))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its images, regions of 4 numbers and their images do not fit together.");
    extent[0] = region->extent[0];
    extent[1] = x->extent[1];
    extent[2] = opevo_i_net_attribute_int(call, "output_height", 1);
    extent[3] = opevo_i_net_attribute_int(call, "output_width", 1);
    return opevo_i_net_shape(call->out[0], x->type, 4, extent, err);
}

static opevo_status take_regions(const opevo_i_net_call *call, opevo_network_routine *out,
                                 opevo_error *err)
{
    bool half = opevo_i_net_attribute(call, "coordinate_transformation_mode")
                    ? opevo_i_net_attribute_is(call, "coordinate_transformation_mode", "half_pixel")
                    : call->opset >= 16;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_whole(out, opevo_i_net_attribute_is(call, "mode", "max"), err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "sampling_ratio", 0), err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, half, err));
    OPEVO_TRY(opevo_i_net_routine_number(out, opevo_i_net_attribute_float(call, "spatial_scale", 1),
                                         err));
cleanup:
    return status;
}

/* ---- Determinants ---- */

static opevo_status infer_determinant(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *x = &call->in[0]->array;

    if (x->dims < 2 || x->extent[x->dims - 1] != x->extent[x->dims - 2] ||
        opevo_i_net_type_is_whole(x->type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input is not of square matrices of floats.");
    return opevo_i_net_shape(call->out[0], x->type, x->dims - 2, x->extent, err);
}

static const opevo_i_net_routine regions = {"routine_regions", routine_regions, take_regions, NULL};
static const opevo_i_net_routine determinant = {"routine_determinant", routine_determinant,
                                                opevo_i_net_routine_take_none,
                                                routine_determinant_need};
static const opevo_i_net_routine einsum = {"routine_einsum", routine_einsum, take_einsum, NULL};
static const opevo_i_net_routine sample = {"routine_grid_sample", routine_grid_sample, take_sample,
                                           NULL};

const opevo_i_net_operator opevo_i_net_einsum[] = {
    {"Einsum", 12, 1, 0, 1, infer_einsum, define_einsum, opevo_i_net_move_by_routine, 0,
     "equation=string!", &einsum, 0},
    {"GridSample", 16, 2, 2, 1, infer_sample, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     0, "align_corners=int mode=string padding_mode=string", &sample, 0},
    {"RoiAlign", 10, 3, 3, 1, infer_regions, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     0,
     "coordinate_transformation_mode=string:16- mode=string output_height=int output_width=int "
     "sampling_ratio=int spatial_scale=float",
     &regions, 0},
    {"Det", 11, 1, 1, 1, infer_determinant, opevo_i_net_define_none, opevo_i_net_move_by_routine, 0,
     NULL, &determinant, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
