/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Indices and guards as text: expressions with what is a number here worked out, guards with what
 * is decided left out; lines, indentation, and the first and last line of a loop. */

#include "print_internal.h"

/* Whether it is a number here, and which. */
bool opevo_i_print_constant(const opevo_i_print_printer *self, const opevo_i_affine *a,
                            int64_t *value)
{
    int64_t sum = a->constant;

    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->atoms->item[a->term[i].atom];
        int64_t one = 0;

        if (atom->is_loop) {
            if (!self->known[a->term[i].atom])
                return false;
            one = self->value[a->term[i].atom];
        } else {
            if (!opevo_i_print_constant(self, &atom->inner, &one) ||
                (opevo_i_affine_is_product(atom) && one))
                return false;
            one = opevo_i_affine_is_product(atom) ? 0
                  : atom->modulus                 ? one % atom->modulus
                                                  : one / atom->divisor;
        }
        sum += a->term[i].factor * one;
    }
    *value = sum;
    return true;
}

void opevo_i_print_affine(opevo_i_print_printer *self, const opevo_i_affine *a)
{
    int64_t constant = a->constant;
    bool any = false;

    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->atoms->item[a->term[i].atom];
        opevo_i_affine one = opevo_i_affine_of_atom(a->term[i].atom);
        int64_t known = 0;
        int64_t factor = a->term[i].factor;

        if (opevo_i_print_constant(self, &one, &known)) {
            constant += factor * known;
            continue;
        }
        opevo_text_add(self->out, any ? " + " : "");
        any = true;
        if (factor != 1)
            opevo_text_printf(self->out, "%lld * ", (long long)factor);
        if (atom->is_loop) {
            opevo_text_printf(self->out, "v%d", a->term[i].atom);
            continue;
        }
        if (opevo_i_affine_is_product(atom)) {
            opevo_text_add(self->out, "(");
            opevo_i_print_affine(self, &atom->inner);
            opevo_text_printf(self->out, ") * v%d", atom->argument);
            continue;
        }
        opevo_text_printf(self->out, "(%s)((%s)(", self->dialect->index,
                          self->dialect->unsigned_index);
        opevo_i_print_affine(self, &atom->inner);
        opevo_text_printf(self->out, ") %c %lldu)", atom->modulus ? '%' : '/',
                          (long long)(atom->modulus ? atom->modulus : atom->divisor));
    }
    if (constant || !any)
        opevo_text_printf(self->out, any ? (constant < 0 ? " - %lld" : " + %lld") : "%lld",
                          (long long)(any && constant < 0 ? -constant : constant));
}

void opevo_i_print_bounds(const opevo_i_print_printer *self, const opevo_i_affine *a,
                          int64_t *least, int64_t *most)
{
    *least = *most = a->constant;
    for (int i = 0; i < a->count; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(a->term[i].atom);
        int64_t factor = a->term[i].factor;
        int64_t known = 0;

        if (!opevo_i_print_constant(self, &one, &known)) {
            *(factor < 0 ? least : most) += factor * opevo_i_affine_most(self->atoms, &one);
            continue;
        }
        *least += factor * known;
        *most += factor * known;
    }
}

/* 1 where a guard always holds here, 0 where it never does, -1 where it must be asked. */
static int decided(const opevo_i_print_printer *self, const opevo_i_nest_guard *guard)
{
    int64_t least = 0;
    int64_t most = 0;

    opevo_i_print_bounds(self, &guard->value, &least, &most);
    if (least >= guard->least && most < guard->limit)
        return 1;
    return most < guard->least || least >= guard->limit ? 0 : -1;
}

int opevo_i_print_decided(const opevo_i_print_printer *self, const opevo_i_nest_guards *guards)
{
    int all = 1;

    for (int i = 0; i < guards->count; i++) {
        int one = decided(self, &guards->item[i]);

        if (one == 0)
            return 0;
        if (one < 0)
            all = -1;
    }
    return all;
}

void opevo_i_print_guards(opevo_i_print_printer *self, const opevo_i_nest_guards *guards)
{
    bool any = false;

    for (int i = 0; i < guards->count; i++) {
        const opevo_i_nest_guard *one = &guards->item[i];
        int64_t least = 0;
        int64_t most = 0;

        opevo_i_print_bounds(self, &one->value, &least, &most);
        if (least < one->least) {
            opevo_text_add(self->out, any ? " && " : "");
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, " >= %lld", (long long)one->least);
            any = true;
        }
        if (most >= one->limit) {
            opevo_text_add(self->out, any ? " && " : "");
            opevo_i_print_affine(self, &one->value);
            opevo_text_printf(self->out, " < %lld", (long long)one->limit);
            any = true;
        }
    }
    if (!any)
        opevo_text_add(self->out, "1");
}

void opevo_i_print_line(opevo_i_print_printer *self, const char *text)
{
    opevo_text_printf(self->out, "%*s%s\n", 4 * self->depth, "", text);
}

void opevo_i_print_indent(opevo_i_print_printer *self)
{
    opevo_text_printf(self->out, "%*s", 4 * self->depth, "");
}

void opevo_i_print_count(opevo_i_print_printer *self, const opevo_i_nest_count *count,
                         int64_t extent)
{
    if (!count->tile) {
        opevo_text_printf(self->out, "%lld", (long long)extent);
        return;
    }
    if (count->per != 1)
        opevo_text_printf(self->out, "%lld * ", (long long)count->per);
    opevo_text_printf(self->out, "((v%d + %lld) / %lld)",
                      self->nest->argument[count->argument].atom, (long long)count->tile - 1,
                      (long long)count->tile);
}

void opevo_i_print_for(opevo_i_print_printer *self, int atom, const opevo_i_nest_count *count,
                       int64_t extent)
{
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (%s v%d = 0; v%d < ", self->dialect->index, atom, atom);
    opevo_i_print_count(self, count, extent);
    opevo_text_printf(self->out, "; v%d++) {\n", atom);
    self->depth++;
}

void opevo_i_print_arguments(opevo_i_print_printer *self)
{
    for (int i = 0; i < self->nest->arguments; i++) {
        int atom = self->nest->argument[i].atom;

        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "const %s v%d = n%d;\n", self->dialect->index, atom, i);
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "(void)v%d;\n", atom);
    }
}

void opevo_i_print_end(opevo_i_print_printer *self)
{
    self->depth--;
    opevo_i_print_line(self, "}");
}

void opevo_i_print_fence(opevo_i_print_printer *self)
{
    if (self->streams)
        opevo_i_print_line(self, "STREAM_FENCE;");
    self->streams = false;
}
