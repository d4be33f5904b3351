/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators as text: the named ones, the forms with shapes, and the spaces that the paper tunes
 * them over. */

#include "port_internal.h"

#include <opevo/operator.h>

#include <opevo/closest.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum {
    MAX_NUMBERS = 9,    /* of a form with shapes */
    MAX_ARGUMENTS = 10, /* the numbers and the pose */
    MAX_PARAMETERS = 8  /* of a space */
};

/* Shapes stay below 2^31, so that sums of a few of them and products of two fit in 64 bits. */
#define LARGEST_SHAPE INT64_C(2147483647)

#define MM(N, K, M)                                                                                \
    {                                                                                              \
        .kind = OPEVO_MATMUL, .n = (N), .m = (M), .k = (K)                                         \
    }
#define BMM(B, N, K, M, TX, TY)                                                                    \
    {                                                                                              \
        .kind = OPEVO_BATCH_MATMUL, .batch = (B), .n = (N), .m = (M), .k = (K),                    \
        .transpose_x = (TX), .transpose_y = (TY)                                                   \
    }
#define CONV(B, C, SIZE, F, KERNEL, STRIDE, PADDING)                                               \
    {                                                                                              \
        .kind = OPEVO_CONV2D, .batch = (B), .in_channels = (C), .height = (SIZE), .width = (SIZE), \
        .out_channels = (F), .kernel_height = (KERNEL), .kernel_width = (KERNEL),                  \
        .stride = (STRIDE), .padding = (PADDING)                                                   \
    }

#define RESNET(NAME, C, SIZE, F, KERNEL, STRIDE, PADDING)                                          \
    {                                                                                              \
        "resnet18-" NAME, "one image through a convolution of ResNet-18",                          \
            CONV(1, C, SIZE, F, KERNEL, STRIDE, PADDING)                                           \
    }

static const opevo_named_operator named[] = {
    {"mm1", "matrices (512, 1024) x (1024, 1024), from BERT", MM(512, 1024, 1024)},
    {"mm2", "matrices (512, 1024) x (1024, 4096), from BERT", MM(512, 1024, 4096)},
    {"mm3", "matrices (512, 4096) x (4096, 1024), from BERT", MM(512, 4096, 1024)},
    {"bmm1", "960 matrices (128, 128) x (128, 64), from BERT",
     BMM(960, 128, 128, 64, false, false)},
    {"bmm2", "960 matrices (128, 128) transposed x (128, 64), from BERT",
     BMM(960, 128, 128, 64, true, false)},
    {"bmm3", "960 matrices (128, 64) x (128, 64) transposed, from BERT",
     BMM(960, 128, 64, 128, false, true)},
    {"c1", "images (512, 3, 227, 227), kernels (64, 3, 11, 11), stride 4, padding 0, from AlexNet",
     CONV(512, 3, 227, 64, 11, 4, 0)},
    {"c2", "images (512, 64, 27, 27), kernels (192, 64, 5, 5), stride 1, padding 2, from AlexNet",
     CONV(512, 64, 27, 192, 5, 1, 2)},
    RESNET("c1", 3, 224, 64, 7, 2, 3),
    RESNET("c2", 64, 56, 64, 3, 1, 1),
    RESNET("c3", 64, 56, 64, 1, 1, 0),
    RESNET("c4", 64, 56, 128, 3, 2, 1),
    RESNET("c5", 64, 56, 128, 1, 2, 0),
    RESNET("c6", 128, 28, 128, 3, 1, 1),
    RESNET("c7", 128, 28, 256, 3, 2, 1),
    RESNET("c8", 128, 28, 256, 1, 2, 0),
    RESNET("c9", 256, 14, 256, 3, 1, 1),
    RESNET("c10", 256, 14, 512, 3, 2, 1),
    RESNET("c11", 256, 14, 512, 1, 2, 0),
    RESNET("c12", 512, 7, 512, 3, 1, 1),
};

size_t opevo_operator_count(void)
{
    return sizeof named / sizeof *named;
}

const opevo_named_operator *opevo_operator_get(size_t i)
{
    return &named[i];
}

static int64_t out_size(int64_t in, int64_t padding, int64_t kernel, int64_t stride)
{
    return (in + 2 * padding - kernel) / stride + 1;
}

int64_t opevo_operator_out_height(const opevo_operator *op)
{
    return out_size(op->height, op->padding, op->kernel_height, op->stride);
}

int64_t opevo_operator_out_width(const opevo_operator *op)
{
    return out_size(op->width, op->padding, op->kernel_width, op->stride);
}

int64_t opevo_operator_out_pixels(const opevo_operator *op)
{
    return opevo_operator_out_height(op) * opevo_operator_out_width(op);
}

bool opevo_operator_is_pointwise(const opevo_operator *op)
{
    return op->kind == OPEVO_CONV2D && op->kernel_height == 1 && op->kernel_width == 1 &&
           op->stride == 1 && op->padding == 0;
}

/* ---- Forms with shapes ---- */

typedef struct form {
    const char *name, *usage;
    opevo_operator_kind kind;
    size_t number_count;
    bool has_pose;
} form;

static const form forms[] = {
    {"matmul", "matmul(N,K,M) or matmul(N,K,M,NN|NT|TN|TT)", OPEVO_MATMUL, 3, true},
    {"batch_matmul", "batch_matmul(B,N,K,M) or batch_matmul(B,N,K,M,NN|NT|TN|TT)",
     OPEVO_BATCH_MATMUL, 4, true},
    {"conv2d", "conv2d(B,Cin,H,W,Cout,KH,KW,stride,padding)", OPEVO_CONV2D, 9, false},
};

static opevo_status fail_unknown(const char *text, opevo_error *err)
{
    char name[64];
    opevo_closest closest = {.word = name};
    const char *meant = NULL; /* a form */
    opevo_text known = {0};

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "("), text);
    for (size_t i = 0; i < opevo_operator_count(); i++) {
        if (strncmp(named[i].name, "resnet18-", 9) != 0)
            opevo_text_printf(&known, "%s, ", named[i].name);
        opevo_closest_offer(&closest, named[i].name);
    }
    opevo_text_add(&known, "resnet18-c1 to resnet18-c12, ");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        opevo_text_printf(&known, "%s%s", i ? ", " : "", forms[i].usage);
        opevo_closest_offer(&closest, forms[i].name);
        if (closest.found == forms[i].name)
            meant = forms[i].usage;
    }
    if (closest.found)
        OPEVO_FAIL(err, OPEVO_INVALID, "Unknown operator '%s'; did you mean %s?", text,
                   meant ? meant : closest.found);
    else
        OPEVO_FAIL(err, OPEVO_INVALID, "Unknown operator '%s'; use one of %s.", text,
                   opevo_text_string(&known));
    opevo_text_free(&known);
    return OPEVO_INVALID;
}

/* Cut `arguments` at its commas, in place, without the spaces around each piece. Returns the number
 * of pieces, MAX_ARGUMENTS + 1 for too many. */
static size_t split(char *arguments, char **pieces)
{
    size_t count = 0;

    for (char *at = arguments; at; count++) {
        char *end = strchr(at, ',');
        char *next = end ? end + 1 : NULL;

        if (count == MAX_ARGUMENTS)
            return MAX_ARGUMENTS + 1;
        if (!end)
            end = at + strlen(at);
        while (*at == ' ')
            at++;
        while (end > at && end[-1] == ' ')
            end--;
        *end = '\0';
        pieces[count] = at;
        at = next;
    }
    return count;
}

static bool parse_pose(const char *text, opevo_operator *op)
{
    if (strlen(text) != 2 || strspn(text, "NT") != 2)
        return false;
    op->transpose_x = text[0] == 'T';
    op->transpose_y = text[1] == 'T';
    return true;
}

static void set_shapes(opevo_operator *op, const int64_t *numbers)
{
    if (op->kind == OPEVO_CONV2D) {
        op->batch = numbers[0];
        op->in_channels = numbers[1];
        op->height = numbers[2];
        op->width = numbers[3];
        op->out_channels = numbers[4];
        op->kernel_height = numbers[5];
        op->kernel_width = numbers[6];
        op->stride = numbers[7];
        op->padding = numbers[8];
        return;
    }
    if (op->kind == OPEVO_BATCH_MATMUL)
        op->batch = *numbers++;
    op->n = numbers[0];
    op->k = numbers[1];
    op->m = numbers[2];
}

/* The pieces of one form into *op; `text` is the whole for messages. */
static opevo_status read_form(const form *shape, char **pieces, size_t count, const char *text,
                              opevo_operator *op, opevo_error *err)
{
    int64_t numbers[MAX_NUMBERS] = {0};
    bool has_pose = shape->has_pose && count == shape->number_count + 1;

    *op = (opevo_operator){.kind = shape->kind};
    if ((!has_pose && count != shape->number_count) ||
        (has_pose && !parse_pose(pieces[shape->number_count], op)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "'%s' does not match %s.", text, shape->usage);
    for (size_t i = 0; i < shape->number_count && i < count; i++) {
        int64_t least = shape->kind == OPEVO_CONV2D && i == 8 ? 0 : 1;

        if (!opevo_parse_i64(pieces[i], &numbers[i]) || numbers[i] < least ||
            numbers[i] > LARGEST_SHAPE)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "'%s': '%s' must be a whole number from %d to %lld; the form is %s.",
                              text, pieces[i], (int)least, (long long)LARGEST_SHAPE, shape->usage);
    }
    set_shapes(op, numbers);
    if (op->kind == OPEVO_CONV2D && (op->kernel_height > op->height + 2 * op->padding ||
                                     op->kernel_width > op->width + 2 * op->padding))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "'%s': the kernel is larger than the image with its padding.", text);
    return OPEVO_OK;
}

static opevo_status parse_form(const char *text, opevo_operator *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *pieces[MAX_ARGUMENTS];
    opevo_operator op = {0};
    size_t length = strlen(text);
    size_t name_length = strcspn(text, "(");
    const form *shape = NULL;
    char *arguments = NULL;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strlen(forms[i].name) == name_length && strncmp(text, forms[i].name, name_length) == 0)
            shape = &forms[i];
    }
    if (!shape)
        return fail_unknown(text, err);
    if (length < name_length + 2 || text[length - 1] != ')')
        return OPEVO_FAIL(err, OPEVO_INVALID, "'%s' does not match %s.", text, shape->usage);
    arguments = opevo_strndup(text + name_length + 1, length - name_length - 2);
    OPEVO_NEED_OR_RETURN(arguments, "reading '%s'", text);
    OPEVO_TRY(read_form(shape, pieces, split(arguments, pieces), text, &op, err));
    *out = op;
cleanup:
    opevo_free(arguments);
    return status;
}

/* "c2(16)": a named convolution on that many images. */
static opevo_status parse_batch(const char *text, const opevo_named_operator *row,
                                opevo_operator *out, opevo_error *err)
{
    char number[24] = "";
    size_t length = strlen(text);
    size_t name = strlen(row->name);
    int64_t batch = 0;

    if (length > name + 2 && length - name - 2 < sizeof number && text[length - 1] == ')')
        memcpy(number, text + name + 1, length - name - 2);
    if (row->op.kind != OPEVO_CONV2D || !opevo_parse_i64(number, &batch) || batch < 1 ||
        batch > LARGEST_SHAPE)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "'%s' is not a convolution's name with the number of images, such as c2(16).", text);
    *out = row->op;
    out->batch = batch;
    return OPEVO_OK;
}

opevo_status opevo_operator_parse(const char *text, opevo_operator *out, opevo_error *err)
{
    for (size_t i = 0; i < opevo_operator_count(); i++) {
        size_t length = strlen(named[i].name);

        if (strncmp(text, named[i].name, length) != 0)
            continue;
        if (text[length] == '\0') {
            *out = named[i].op;
            return OPEVO_OK;
        }
        if (text[length] == '(')
            return parse_batch(text, &named[i], out, err);
    }
    if (strncmp(text, "contraction(", 12) == 0)
        return opevo_i_port_contraction_parse(text, out, err);
    return parse_form(text, out, err);
}

void opevo_operator_print(const opevo_operator *op, opevo_text *out)
{
    if (op->kind == OPEVO_CONTRACTION) {
        opevo_i_port_contraction_print(&op->contraction, out);
        return;
    }
    if (op->kind == OPEVO_CONV2D) {
        opevo_text_printf(out, "conv2d(%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld)",
                          (long long)op->batch, (long long)op->in_channels, (long long)op->height,
                          (long long)op->width, (long long)op->out_channels,
                          (long long)op->kernel_height, (long long)op->kernel_width,
                          (long long)op->stride, (long long)op->padding);
        return;
    }
    if (op->kind == OPEVO_BATCH_MATMUL)
        opevo_text_printf(out, "batch_matmul(%lld,", (long long)op->batch);
    else
        opevo_text_add(out, "matmul(");
    opevo_text_printf(out, "%lld,%lld,%lld", (long long)op->n, (long long)op->k, (long long)op->m);
    if (op->transpose_x || op->transpose_y)
        opevo_text_printf(out, ",%c%c", op->transpose_x ? 'T' : 'N', op->transpose_y ? 'T' : 'N');
    opevo_text_add(out, ")");
}

/* ---- Spaces ---- */

/* A space under construction; the parameters are owned until the space takes them over. */
typedef struct builder {
    opevo_parameter *parameters[MAX_PARAMETERS];
    size_t count;
    opevo_error *err;
} builder;

static opevo_status add(builder *self, const char *name, const char *type, const int64_t *numbers,
                        size_t number_count)
{
    opevo_value values[3];
    opevo_parameter_spec spec = {
        .name = name, .type = type, .values = values, .value_count = number_count};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < number_count; i++)
        values[i] = opevo_value_of_integer(numbers[i]);
    status = opevo_parameter_create(&spec, &self->parameters[self->count], self->err);
    if (status == OPEVO_OK)
        self->count++;
    return status;
}

static opevo_status add_factor(builder *self, const char *name, int64_t product, int64_t slots)
{
    return add(self, name, "factor", (const int64_t[]){product, slots}, 2);
}

static opevo_status add_matmul(builder *self, const opevo_operator *op)
{
    opevo_status status = OPEVO_OK;

    if (op->kind == OPEVO_BATCH_MATMUL)
        OPEVO_TRY(add_factor(self, "B", op->batch, 2));
    OPEVO_TRY(add_factor(self, "K", op->k, 3));
    OPEVO_TRY(add_factor(self, "X", op->n, 4));
    OPEVO_TRY(add_factor(self, "Y", op->m, 4));
cleanup:
    return status;
}

static opevo_status add_conv2d(builder *self, const opevo_operator *op)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(add_factor(self, "tile_f", op->out_channels, 4));
    OPEVO_TRY(add_factor(self, "tile_y", opevo_operator_out_height(op), 4));
    OPEVO_TRY(add_factor(self, "tile_x", opevo_operator_out_width(op), 4));
    OPEVO_TRY(add_factor(self, "tile_rc", op->in_channels, 2));
    OPEVO_TRY(add_factor(self, "tile_ry", op->kernel_height, 2));
    OPEVO_TRY(add_factor(self, "tile_rx", op->kernel_width, 2));
    OPEVO_TRY(add(self, "auto_unroll_max_step", "discrete", (const int64_t[]){0, 125, 256}, 3));
    OPEVO_TRY(add(self, "unroll_explicit", "categorical", (const int64_t[]){0, 1}, 2));
cleanup:
    return status;
}

opevo_status opevo_operator_space(const opevo_operator *op, opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    builder self = {.err = err};

    if (op->kind == OPEVO_CONTRACTION)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The paper defines no search space for contractions.");
    OPEVO_TRY(op->kind == OPEVO_CONV2D ? add_conv2d(&self, op) : add_matmul(&self, op));
    OPEVO_TRY(opevo_space_create(self.parameters, self.count, NULL, 0, OPEVO_DIALECT_C, "operator",
                                 out, err));
    self.count = 0; /* owned by the space */
cleanup:
    while (self.count)
        opevo_parameter_destroy(self.parameters[--self.count]);
    return status;
}
