/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole kernels in C for a CPU. Sums that live in registers become variables with a name each,
 * since compilers keep arrays in memory. No header is included: reading <immintrin.h> takes longer
 * than everything else. */

#include "print_cpu_internal.h"
#include "print_texts_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Which buffers become variables ---- */

typedef struct finder {
    opevo_i_print_printer *self; /* its loop variables are known that are numbers where we are */
    bool spoilt[OPEVO_I_BUFFERS];
} finder;

static bool all_known(const opevo_i_print_printer *self, const opevo_i_affine *a, int lane)
{
    for (int i = 0; i < a->count; i++) {
        int one = a->term[i].atom;

        if (one != lane && (self->atoms->item[one].is_loop
                                ? !self->known[one]
                                : opevo_i_affine_is_product(&self->atoms->item[one]) ||
                                      !all_known(self, &self->atoms->item[one].inner, -1)))
            return false;
    }
    return true;
}

/* Of a value, also one element for all lanes. */
static void look_at(finder *all, const opevo_i_nest_access *access, int lane, int64_t width,
                    bool of_value)
{
    opevo_i_print_printer *self = all->self;
    int64_t factor = lane >= 0 ? opevo_i_affine_factor(&access->address, lane) : 0;
    int lanes = factor == 1 ? (int)width : 1;

    if (self->nest->buffer[access->buffer].scope != OPEVO_SCOPE_LOCAL)
        return;
    if (!all_known(self, &access->address, lane) ||
        (lane >= 0 && factor != 1 && (factor != 0 || !of_value)) ||
        !opevo_i_affine_is_aligned(&access->address, lane, lanes) ||
        (self->named[access->buffer] && self->named[access->buffer] != lanes))
        all->spoilt[access->buffer] = true;
    self->named[access->buffer] = lanes;
}

static void find_named(finder *all, const opevo_i_nest_node *node, const opevo_i_nest_node *parent)
{
    opevo_i_print_printer *self = all->self;
    bool becomes_known = node->kind == OPEVO_I_LOOP &&
                         (node->extent == 1 || node->annotation == OPEVO_ANNOTATION_EXPAND ||
                          node->annotation == OPEVO_ANNOTATION_UNROLL);

    if (node->kind == OPEVO_I_LEAF) {
        bool vector = parent && opevo_i_print_is_vector_loop(parent);
        int lane = vector ? parent->atom : -1;
        int64_t width = vector ? parent->extent : 1;
        bool of_value = node->leaf->kind >= OPEVO_I_STORE;

        look_at(all, &node->leaf->to, lane, width, false);
        for (int i = 0; i < node->leaf->factors; i++)
            look_at(all, &node->leaf->factor[i], lane, width, of_value);
        return;
    }
    if (becomes_known)
        opevo_i_print_fix(self, node->atom, 0);
    for (const opevo_i_nest_node *one = node->first; one; one = one->next)
        find_named(all, one, node);
    if (node->otherwise)
        find_named(all, node->otherwise, node);
    if (becomes_known)
        opevo_i_print_release(self, node->atom);
}

/* ---- The text ---- */

static bool has(const char *text, const char *name, int width)
{
    char call[32];

    snprintf(call, sizeof call, "%s%d(", name, width);
    return strstr(text, call) != NULL;
}

/* Of the functions above those that a text calls. Rows call opevo_lanes only where there is
 * AVX-512. */
static void print_mask_heads(opevo_text *out, const char *body, bool rows)
{
    bool turns = strstr(body, "opevo_turns(") != NULL;
    bool lanes = turns || strstr(body, "opevo_lanes(") != NULL;
    bool any = false;

    if (lanes || rows)
        opevo_text_printf(out, lanes ? "%s" : "#ifdef __AVX512F__\n%s#endif\n",
                          opevo_i_print_c_lanes_head);
    opevo_text_add(out, turns ? opevo_i_print_c_turns_head : "");
    opevo_text_add(out, strstr(body, "opevo_start(") ? opevo_i_print_c_start_head : "");
    for (int width = 2; width <= 16; width *= 2) {
        bool put = has(body, "opevo_put", width), add = has(body, "opevo_add", width);
        const char *places = width == 16 ? "unsigned short" : "unsigned char";
        int bits = 32 * width;

        if (!put && !add)
            continue;
        opevo_text_add(out, any ? "" : opevo_i_print_c_mask_head);
        any = true;
        if (width > 2) {
            opevo_text_printf(out, "#ifdef __AVX512VL__\nPACK(%d, %d, %s)\n", width, bits, places);
            if (put)
                opevo_text_printf(out, "PUT(%d, %d, %s)\n", width, bits, places);
            if (add)
                opevo_text_printf(out, "ADD(%d, %d, %s)\n", width, bits, places);
            opevo_text_add(out, "#else\n");
        }
        if (put)
            opevo_text_printf(out, "LANES(opevo_put, =, %d)\n", width);
        if (add)
            opevo_text_printf(out, "LANES(opevo_add, +=, %d)\n", width);
        opevo_text_add(out, width > 2 ? "#endif\n" : "");
    }
}

static void print_row_heads(opevo_text *out, const char *body)
{
    opevo_text_add(out, strstr(body, "opevo_from(") ? opevo_i_print_c_from_head : "");
    opevo_text_add(out, strstr(body, "opevo_upto(") ? opevo_i_print_c_upto_head : "");
    opevo_text_add(out, opevo_i_print_c_row_head);
}

/* What is ahead of the functions with the body. */
static void print_heads(opevo_i_print_printer *self, const char *body)
{
    opevo_text *out = self->out;

    opevo_text_add(out, opevo_i_print_c_head);
    if (self->nest->streams)
        opevo_text_add(out, opevo_i_print_c_stream_head);
    print_mask_heads(out, body, self->uses_rows);
    if (self->uses_rows)
        print_row_heads(out, body);
    if (self->uses_sums)
        opevo_text_add(out, opevo_i_print_c_sum_head);
    if (self->uses_transposes)
        opevo_i_print_transpose_head(out, false);
    if (self->streams_transposes)
        opevo_i_print_transpose_head(out, true);
    if (self->uses_scatters)
        opevo_i_print_scatter_head(out);
    opevo_i_print_functions(self);
    if (self->thread_scratch)
        opevo_text_add(out, self->dialect->opencl ? "#define THREAD (long)get_group_id(0)\n"
                                                  : opevo_i_print_c_thread_head);
}

/* The zeros of C's vectors are those of OpenCL C without a number. */
static void add_opencl(opevo_text *out, const opevo_text *text)
{
    static const char zero[] = "{0}";
    const char *at = opevo_text_string(text);

    for (const char *found = strstr(at, zero); found; found = strstr(at, zero)) {
        opevo_text_add_bytes(out, at, (size_t)(found - at));
        opevo_text_add(out, "{}");
        at = found + strlen(zero);
    }
    opevo_text_add(out, at);
    out->failed |= text->failed;
}

static void print_function(opevo_i_print_printer *self, const opevo_text *body)
{
    opevo_text *out = self->out;

    opevo_i_print_signature(self, "void ", "*restrict ");
    opevo_text_add(out, ";\n");
    opevo_i_print_signature(self, "void ", "*restrict ");
    opevo_text_add(out, "\n{\n");
    opevo_i_print_unused_scratch(self);
    opevo_i_print_unused_operands(self);
    opevo_i_print_arguments(self);
    opevo_text_add(out, opevo_text_string(body));
    out->failed |= body->failed;
    opevo_text_add(out, "}\n");
}

/* Into self->out, with what the body needs ahead of it. */
static void print_with_heads(opevo_i_print_printer *self, opevo_kernel *kernel)
{
    opevo_text *out = self->out;
    opevo_text body = {0};

    self->out = &body;
    self->depth = 1;
    if (self->dialect->opencl) {
        opevo_i_print_opencl_cpu(self, kernel);
    } else {
        opevo_i_print_cpu_buffers(self, NULL);
        opevo_i_print_node(self, self->nest->root);
        opevo_i_print_fence(self);
    }
    self->out = out;
    print_heads(self, opevo_text_string(&body));
    if (self->dialect->opencl)
        opevo_text_add(out, opevo_text_string(&body));
    else
        print_function(self, &body);
    out->failed |= body.failed;
    opevo_text_free(&body);
}

void opevo_i_print_cpu(opevo_i_print_printer *self, opevo_kernel *kernel)
{
    finder all = {.self = self};
    opevo_text *out = self->out;
    opevo_text text = {0};

    find_named(&all, self->nest->root, NULL);
    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        if (all.spoilt[i])
            self->named[i] = 0;
    }
    if (self->dialect->opencl)
        self->out = &text;
    print_with_heads(self, kernel);
    self->out = out;
    if (self->dialect->opencl)
        add_opencl(out, &text);
    opevo_text_free(&text);
}

void opevo_i_print_all_functions(opevo_i_print_printer *self)
{
    opevo_text *out = self->out;
    opevo_text text = {0};

    self->out = &text;
    opevo_text_add(&text, self->dialect->cpu ? opevo_i_print_c_head : "");
    opevo_i_print_call_functions(self);
    opevo_i_print_functions(self);
    self->out = out;
    if (self->dialect->opencl)
        add_opencl(out, &text);
    else
        opevo_text_add(out, opevo_text_string(&text));
    out->failed |= text.failed;
    opevo_text_free(&text);
}
