/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From names of computations to cases for libraries: parameters by name, then orders of
 * operands. */

#include "library_case.h"

#include <opevo/computation_named.h>
#include <opevo/operator.h>

#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 12 };

/* The numbers of a name by the names of their parameters. */
typedef struct numbers {
    const opevo_computation_family *family;
    int64_t value[PARAMETERS];
} numbers;

static bool read_numbers(const char *name, numbers *out)
{
    const char *open = strchr(name, '(');
    char *at = NULL;

    for (size_t i = 0; open && i < opevo_computation_family_count(); i++) {
        const opevo_computation_family *family = opevo_computation_family_get(i);

        if (strlen(family->name) == (size_t)(open - name) &&
            strncmp(family->name, name, (size_t)(open - name)) == 0)
            out->family = family;
    }
    if (!out->family)
        return false;
    at = (char *)open;
    for (int i = 0; i < PARAMETERS && *at != ')' && *at; i++)
        out->value[i] = strtoll(at + 1, &at, 10);
    return true;
}

static int64_t number(const numbers *self, const char *name, int64_t otherwise)
{
    const char *at = self->family->parameters;
    size_t length = strlen(name);

    for (int i = 0; at; i++) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
            return self->value[i];
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return otherwise;
}

/* `order` is the source of each dimension for libraries, as digits. */
static void set_operand(library_case *self, int which, const char *order, const int64_t *extent)
{
    self->operand[which].dims = (int)strlen(order);
    for (int i = 0; i < self->operand[which].dims; i++) {
        self->operand[which].extent[i] = extent[i];
        self->operand[which].from[i] = order[i] - '0';
    }
}

static void read_sizes(const numbers *all, library_case *self)
{
    static const char *const name[] = {"length", "frames", "height", "width"};
    int64_t reach = 0;

    self->kernel = number(all, "kernel", 1);
    self->stride = number(all, "stride", 1);
    self->pad = number(all, "pad", 0);
    self->dilation = number(all, "dilation", 1);
    reach = self->dilation * (self->kernel - 1) + 1;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        int64_t size = number(all, name[i], 0);

        if (!size)
            continue;
        self->size[self->spatial] = size;
        self->out_size[self->spatial++] =
            self->kind == LIBRARY_TRANSPOSED
                ? (size - 1) * self->stride - 2 * self->pad + self->kernel
                : (size + 2 * self->pad - reach) / self->stride + 1;
    }
}

/* Channels last become channels first, weights [taps, in, out] become [out, in, taps]. */
static void order_channels(library_case *self)
{
    static const char *const image[] = {"", "021", "0312", "04123"};
    static const char *const weights[] = {"", "210", "3201", "43012"};
    int n = self->spatial;
    int64_t in[LIBRARY_DIMS] = {self->images};
    int64_t out[LIBRARY_DIMS] = {self->images};
    int64_t w[LIBRARY_DIMS] = {0};

    for (int i = 0; i < n; i++) {
        in[i + 1] = self->size[i];
        out[i + 1] = self->out_size[i];
        w[i] = self->kernel;
    }
    in[n + 1] = self->in;
    out[n + 1] = self->out;
    w[n] = self->in / self->groups;
    w[n + 1] = self->out;
    set_operand(self, 0, image[n], in);
    set_operand(self, 1, weights[n], w);
    set_operand(self, 2, image[n], out);
}

/* Capsules: images are n i, input channels k c, output channels j f. */
static void order_capsules(library_case *self)
{
    const int64_t in = self->in, out = self->out, n = self->images;
    const int64_t image[] = {n, self->size[0], self->size[1], 4, 4, in};
    const int64_t weights[] = {self->kernel, self->kernel, 4, 4, in, out};
    const int64_t result[] = {n, self->out_size[0], self->out_size[1], 4, 4, out};

    set_operand(self, 0, "034512", image);
    set_operand(self, 1, "352401", weights);
    set_operand(self, 2, "034512", result);
    self->images *= 4;
    self->in *= 4;
    self->out *= 4;
}

static void read_convolution(const numbers *all, library_case *self)
{
    bool depthwise = strcmp(all->family->name, "dep") == 0;

    self->images = number(all, "batch", 1);
    self->in = number(all, "in", 1);
    self->out = number(all, "out", self->in);
    self->groups = depthwise ? self->in : number(all, "groups", 1);
    self->relu = strcmp(all->family->name, "conv-layer") == 0;
    if (strcmp(all->family->name, "t2d") == 0)
        self->kind = LIBRARY_TRANSPOSED;
    read_sizes(all, self);
    if (strcmp(all->family->name, "cap") == 0)
        order_capsules(self);
    else
        order_channels(self);
}

static void read_product(const numbers *all, library_case *self)
{
    const int64_t heads = number(all, "heads", 0), length = number(all, "sequence", 0);

    self->batch = number(all, "batch", 1);
    self->rows = number(all, "rows", length);
    self->columns = number(all, "columns", length);
    self->depth = number(all, "depth", number(all, "size", 0));
    self->in = heads;
    if (heads) {
        const int64_t q[] = {self->batch, length, heads, self->depth};
        const int64_t s[] = {self->batch, heads, length, length};

        self->kind = LIBRARY_TURNED;
        set_operand(self, 0, "0123", q);
        set_operand(self, 1, "0123", q);
        set_operand(self, 2, "0123", s);
    } else if (self->depth) {
        set_operand(self, 0, "012", (const int64_t[]){self->batch, self->rows, self->depth});
        set_operand(self, 1, "012", (const int64_t[]){self->batch, self->depth, self->columns});
        set_operand(self, 2, "012", (const int64_t[]){self->batch, self->rows, self->columns});
        self->kind = LIBRARY_PRODUCT;
    } else {
        set_operand(self, 0, "012", (const int64_t[]){self->batch, self->rows, self->columns});
        set_operand(self, 2, "0", &self->batch);
        self->kind = LIBRARY_NORM;
    }
}

/* Operators have channels first; a factor that is stored transposed is turned for libraries. */
static bool read_operator(const opevo_operator *op, library_case *self)
{
    if (op->kind == OPEVO_CONV2D) {
        const int64_t in[] = {op->batch, op->in_channels, op->height, op->width};
        const int64_t w[] = {op->out_channels, op->in_channels, op->kernel_height,
                             op->kernel_width};
        const int64_t out[] = {op->batch, op->out_channels, opevo_operator_out_height(op),
                               opevo_operator_out_width(op)};

        if (op->kernel_height != op->kernel_width)
            return false;
        *self = (library_case){.spatial = 2, .images = op->batch, .in = in[1], .out = w[0]};
        self->groups = self->dilation = 1;
        for (int i = 0; i < 2; i++) {
            self->size[i] = in[i + 2];
            self->out_size[i] = out[i + 2];
        }
        self->kernel = op->kernel_height;
        self->stride = op->stride;
        self->pad = op->padding;
        set_operand(self, 0, "0123", in);
        set_operand(self, 1, "0123", w);
        set_operand(self, 2, "0123", out);
        return true;
    }
    if (op->kind != OPEVO_MATMUL && op->kind != OPEVO_BATCH_MATMUL)
        return false;
    *self =
        (library_case){.kind = LIBRARY_PRODUCT, .rows = op->n, .columns = op->m, .depth = op->k};
    self->batch = op->batch ? op->batch : 1;
    set_operand(self, 0, op->transpose_x ? "021" : "012",
                op->transpose_x ? (const int64_t[]){self->batch, op->k, op->n}
                                : (const int64_t[]){self->batch, op->n, op->k});
    set_operand(self, 1, op->transpose_y ? "021" : "012",
                op->transpose_y ? (const int64_t[]){self->batch, op->m, op->k}
                                : (const int64_t[]){self->batch, op->k, op->m});
    set_operand(self, 2, "012", (const int64_t[]){self->batch, op->n, op->m});
    return true;
}

bool library_case_read(const char *name, library_case *out)
{
    static const char *const known[] = {"gmm", "c1d", "c2d", "c3d", "grp",        "dil",
                                        "dep", "t2d", "cap", "nrm", "conv-layer", "tbg"};
    numbers all = {0};
    opevo_operator op;

    *out = (library_case){0};
    if (opevo_operator_parse(name, &op, NULL) == OPEVO_OK)
        return read_operator(&op, out);
    if (!read_numbers(name, &all))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(all.family->name, known[i]) != 0)
            continue;
        if (number(&all, "kernel", 0))
            read_convolution(&all, out);
        else
            read_product(&all, out);
        return true;
    }
    return false;
}

int64_t library_case_elements(const library_case *self, int which)
{
    int64_t count = self->operand[which].dims > 0;

    for (int i = 0; i < self->operand[which].dims; i++)
        count *= self->operand[which].extent[i];
    return count;
}

void library_case_permute(const library_case *self, int which, bool back, const float *in,
                          float *out)
{
    int dims = self->operand[which].dims;
    int64_t count = library_case_elements(self, which);
    int64_t stride[LIBRARY_DIMS], at[LIBRARY_DIMS] = {0};
    int64_t run = 1, offset = 0;

    for (int i = dims - 1; i >= 0; i--) {
        stride[i] = run;
        run *= self->operand[which].extent[i];
    }
    for (int64_t i = 0; i < count; i++) {
        int k = dims - 1;

        if (back)
            out[offset] = in[i];
        else
            out[i] = in[offset];
        for (; k >= 0; k--) {
            int from = self->operand[which].from[k];

            offset += stride[from];
            if (++at[k] < self->operand[which].extent[from])
                break;
            offset -= at[k] * stride[from];
            at[k] = 0;
        }
    }
}
