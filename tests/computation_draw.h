/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations drawn by a grammar, of what users write and what rules forget: scalars, extents of
 * 1, outputs that are read, also in part, branches that are never taken, reads in steps, in
 * reverse, at one place and by remainders, constants, narrow types. Choices are bytes of a fuzzer
 * or pseudo-random numbers; the first of each kind ends, so that every text does. */

#ifndef OPEVO_TESTS_COMPUTATION_DRAW_H
#define OPEVO_TESTS_COMPUTATION_DRAW_H

#include "draw.h"

#include <opevo/text.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { DRAWN_DIMS = 3, DRAWN_INPUTS = 4, DRAWN_DEFINITIONS = 4, DRAWN_POINTS = 1 << 14 };

typedef struct choices {
    const uint8_t *bytes; /* NULL: numbers of `state` */
    size_t left;
    uint64_t state;
} choices;

typedef struct drawn_tensor {
    int dims;
    int64_t extent[DRAWN_DIMS]; /* of an input: as far as it is read */
    bool read;
} drawn_tensor;

/* An index, and what it is between. */
typedef struct drawn_index {
    char text[64];
    int64_t least, most;
} drawn_index;

typedef struct drawing {
    choices *choices;
    opevo_text *out;
    drawn_tensor input[DRAWN_INPUTS], defined[DRAWN_DEFINITIONS];
    int definitions;
    /* Of the definition being written: axes a, b, ..., of which the last ones reduce. */
    int axes;
    int64_t extent[2 * DRAWN_DIMS];
} drawing;

static inline unsigned choose(choices *self, unsigned count)
{
    if (!self->bytes)
        return (unsigned)draw(&self->state, count);
    if (self->left == 0)
        return 0;
    self->left--;
    return *self->bytes++ % count;
}

static inline int64_t choose_extent(drawing *self)
{
    static const int64_t extents[] = {13, 1, 64, 8, 3, 1, 16, 33, 2, 7, 24, 5, 9, 17, 130};

    return extents[choose(self->choices, sizeof extents / sizeof *extents)];
}

/* ---- Indices ---- */

/* An axis, a sum of two, or an axis in one of these forms with a number, of which the last have
 * none or may be below 0. */
static inline drawn_index draw_index(drawing *self)
{
    static const char *const forms[] = {"%s",         "%s",         "2*%s + %d",
                                        "%s//2 + %d", "%s%%3 + %d", "%s - %d"};
    unsigned kind = self->axes ? choose(self->choices, 9) : 8;
    int a = kind == 8 ? 0 : (int)choose(self->choices, (unsigned)self->axes);
    int64_t most = kind == 8 ? 0 : self->extent[a] - 1;
    int number = kind < 2 ? 0 : (int)choose(self->choices, 4);
    drawn_index index = {.least = kind < 2 ? 0 : kind > 4 ? -number : number};
    char name[16];

    snprintf(name, sizeof name, "%c%d", 'a' + a, self->definitions);
    if (kind == 6) { /* in reverse */
        snprintf(index.text, sizeof index.text, "%lld - %s", (long long)most - number, name);
        index.most = most - number;
    } else if (kind == 7) {
        int b = (int)choose(self->choices, (unsigned)self->axes);

        snprintf(index.text, sizeof index.text, "%s + %c%d - %d", name, 'a' + b, self->definitions,
                 number);
        index.most = most + self->extent[b] - 1 - number;
    } else if (kind == 8) {
        snprintf(index.text, sizeof index.text, "%d", number);
        index.least = index.most = number;
    } else {
        snprintf(index.text, sizeof index.text, forms[kind], name, number);
        index.most = kind == 2   ? 2 * most + number
                     : kind == 3 ? most / 2 + number
                     : kind == 4 ? (most < 2 ? most : 2) + number
                     : kind == 5 ? most - number
                                 : most;
    }
    return index;
}

/* ---- Values ---- */

static inline void draw_value(drawing *self, int depth);

/* Inputs hold all that is read of them. */
static inline void draw_input(drawing *self)
{
    int which = (int)choose(self->choices, DRAWN_INPUTS);
    drawn_tensor *tensor = &self->input[which];

    tensor->read = true;
    opevo_text_printf(self->out, "%c[", 'A' + which);
    for (int d = 0; d < tensor->dims; d++) {
        drawn_index index = draw_index(self);

        opevo_text_add(self->out, d ? ", " : "");
        opevo_text_add(self->out, index.text);
        if (index.least < 0)
            opevo_text_printf(self->out, " + %lld", (long long)-index.least);
        index.most -= index.least < 0 ? index.least : 0;
        if (index.most >= tensor->extent[d])
            tensor->extent[d] = index.most + 1;
    }
    opevo_text_add(self->out, "]");
}

/* A definition has its extents: an index that may be beyond them is guarded or a remainder. */
static inline void draw_defined(drawing *self)
{
    int which =
        self->definitions - 1 -
        (int)choose(self->choices, (unsigned)self->definitions) * (int)choose(self->choices, 2);
    const drawn_tensor *tensor = &self->defined[which];
    opevo_text read = {0};
    int guards = 0;

    opevo_text_printf(&read, "T%d[", which);
    for (int d = 0; d < tensor->dims; d++) {
        drawn_index index = draw_index(self);
        long long extent = (long long)tensor->extent[d];
        bool inside = index.least >= 0 && index.most < extent;

        if (d < self->axes && self->extent[d] == extent && choose(self->choices, 2) == 0) {
            snprintf(index.text, sizeof index.text, "%c%d", 'a' + d, self->definitions);
            inside = true;
        }
        opevo_text_add(&read, d ? ", " : "");
        if (inside) {
            opevo_text_add(&read, index.text);
        } else if (choose(self->choices, 2)) {
            opevo_text_printf(&read, "(%s)%%%lld", index.text, extent);
        } else {
            opevo_text_printf(self->out, "%s0 <= %s < %lld", guards++ ? " and " : "select(",
                              index.text, extent);
            opevo_text_add(&read, index.text);
        }
    }
    opevo_text_printf(self->out, "%s%s]", guards ? ", " : "", opevo_text_string(&read));
    if (guards) {
        opevo_text_add(self->out, ", ");
        if (choose(self->choices, 2))
            draw_input(self);
        else
            opevo_text_add(self->out, "0");
        opevo_text_add(self->out, ")");
    }
    opevo_text_free(&read);
}

/* May hold nowhere, or everywhere. */
static inline void draw_condition(drawing *self)
{
    unsigned kind = choose(self->choices, 5);
    drawn_index index = draw_index(self);
    int64_t number = index.least + (int64_t)choose(self->choices, 8) - 2;

    if (kind == 0)
        opevo_text_printf(self->out, "0 <= %s < %lld", index.text, (long long)number);
    else if (kind == 1)
        opevo_text_printf(self->out, "%s == %lld", index.text, (long long)number);
    else if (kind == 2)
        opevo_text_printf(self->out, "(%s)%%3 != 1", index.text);
    else if (kind == 3)
        opevo_text_printf(self->out, "%s < 1 or %s >= %lld", index.text, index.text,
                          (long long)number);
    else {
        draw_value(self, 3);
        opevo_text_add(self->out, " > 0.25");
    }
}

static inline void draw_leaf(drawing *self)
{
    unsigned kind = choose(self->choices, 9);

    if (self->definitions && kind < 5)
        draw_defined(self);
    else if (kind < 7)
        draw_input(self);
    else if (kind == 7)
        opevo_text_printf(self->out, "%g", choose(self->choices, 9) * 0.25 - 1);
    else
        opevo_text_printf(self->out, "(%s)", draw_index(self).text);
}

static inline void draw_two(drawing *self, int depth, const char *before, const char *between,
                            const char *behind)
{
    opevo_text_add(self->out, before);
    draw_value(self, depth + 1);
    opevo_text_add(self->out, between);
    draw_value(self, depth + 1);
    opevo_text_add(self->out, behind);
}

static inline void draw_value(drawing *self, int depth)
{
    static const char *const forms[][3] = {
        {"(", "*", ")"},          {"(", " + ", ")"},
        {"(", " - ", ")"},        {"max(", ", ", ")"},
        {"min(", ", ", ")"},      {"(", "/(1.5 + tanh(", ")))"},
        {"(", "*sigmoid(", "))"}, {"(", " + exp(0 - erf(", ")))"}};
    unsigned kind = depth > 2 ? 0 : choose(self->choices, 16);

    if (kind < 4) {
        draw_leaf(self);
    } else if (kind < 14) {
        const char *const *form = forms[kind < 7 ? 0 : kind - 6];

        draw_two(self, depth, form[0], form[1], form[2]);
    } else {
        opevo_text_add(self->out, "select(");
        draw_condition(self);
        draw_two(self, depth, ", ", ", ", ")");
    }
}

/* ---- Definitions ---- */

static inline int64_t count_points(const drawing *self)
{
    int64_t points = 1;

    for (int a = 0; a < self->axes; a++)
        points *= self->extent[a];
    return points;
}

/* The extents of a definition: often those of the last one, never of too many points. */
static inline void draw_extents(drawing *self, int dims, int sums)
{
    const drawn_tensor *last = self->definitions ? &self->defined[self->definitions - 1] : NULL;

    self->axes = dims + sums;
    for (int a = 0; a < self->axes; a++) {
        bool same = last && a < dims && a < last->dims && choose(self->choices, 3) == 0;

        self->extent[a] = same ? last->extent[a] : choose_extent(self);
    }
    for (int a = self->axes - 1; a >= 0 && count_points(self) > DRAWN_POINTS; a--)
        self->extent[a] = 1 + self->extent[a] % 7;
}

static inline void draw_definition(drawing *self)
{
    static const int dims_of[] = {2, 1, 2, 0, 3, 2, 1};
    static const char *const types[] = {"", "", "", "", "", "", "float16 ", "bfloat16 "};
    static const char *const reducers[] = {"", "sum", "sum", "max", "min", "", "sum"};
    int dims = dims_of[choose(self->choices, sizeof dims_of / sizeof *dims_of)];
    const char *reducer = reducers[choose(self->choices, sizeof reducers / sizeof *reducers)];
    int sums = *reducer ? 1 + (int)choose(self->choices, 3) % 2 : 0;
    drawn_tensor *tensor = &self->defined[self->definitions];

    draw_extents(self, dims, sums);
    opevo_text_add(self->out, choose(self->choices, 4) == 3 ? "output " : "");
    opevo_text_add(self->out, types[choose(self->choices, sizeof types / sizeof *types)]);
    opevo_text_printf(self->out, "T%d[", self->definitions);
    for (int a = 0; a <= self->axes; a++) {
        if (a == dims)
            opevo_text_printf(self->out, "] = %s%s", reducer, sums ? "(" : "");
        if (a < self->axes)
            opevo_text_printf(self->out, "%s%c%d:%lld", a && a != dims ? ", " : "", 'a' + a,
                              self->definitions, (long long)self->extent[a]);
    }
    opevo_text_add(self->out, sums ? ") (" : "(");
    draw_value(self, 0);
    opevo_text_add(self->out, ")\n");
    tensor->dims = dims;
    for (int d = 0; d < dims; d++)
        tensor->extent[d] = self->extent[d];
    self->definitions++;
}

/* A computation of 1 to DRAWN_DEFINITIONS definitions; not all are valid. */
static inline void draw_computation(choices *from, opevo_text *out)
{
    static const char *const kinds[] = {"", "", "const ", "const ", "float16 ", "const bfloat16 "};
    opevo_text body = {0};
    drawing self = {.choices = from, .out = &body};
    int count = 1 + (int)choose(from, DRAWN_DEFINITIONS);

    for (int i = 0; i < DRAWN_INPUTS; i++)
        self.input[i].dims = (int)choose(from, DRAWN_DIMS + 1);
    while (self.definitions < count)
        draw_definition(&self);
    for (int i = 0; i < DRAWN_INPUTS; i++) {
        const drawn_tensor *input = &self.input[i];

        if (!input->read)
            continue;
        opevo_text_printf(out, "%s%c[", kinds[choose(from, sizeof kinds / sizeof *kinds)], 'A' + i);
        for (int d = 0; d < input->dims; d++)
            opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)input->extent[d]);
        opevo_text_add(out, "]\n");
    }
    opevo_text_add(out, opevo_text_string(&body));
    opevo_text_free(&body);
}

#endif
