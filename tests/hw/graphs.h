/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random graphs of definitions like those of networks: products, sums and maxima of rows, padded
 * windows, transposed and strided reads, elementwise functions; extents are odd or prime. */

#ifndef OPEVO_TESTS_GRAPHS_H
#define OPEVO_TESTS_GRAPHS_H

#include "draw.h"

#include <opevo/text.h>

#include <stdio.h>

enum { GRAPH_DEFINITIONS = 8, GRAPH_TENSORS = 4 * GRAPH_DEFINITIONS };

typedef struct graph_writer {
    uint64_t state;
    opevo_text *out;
    int inputs, definitions;
    int tensors; /* matrices that can be read: T0, T1, ... and their extents */
    int rows[GRAPH_TENSORS], columns[GRAPH_TENSORS];
} graph_writer;

static inline int graph_pick(graph_writer *self, int below)
{
    return (int)draw(&self->state, (uint64_t)below);
}

static inline int graph_extent(graph_writer *self)
{
    static const int extents[] = {1, 3, 5, 7, 9, 11, 13, 17, 19, 23, 29, 31, 33, 37};

    return extents[graph_pick(self, sizeof extents / sizeof *extents)];
}

/* The head of a definition of a new matrix, which others may read from then on. */
static inline void graph_define(graph_writer *self, int rows, int columns)
{
    opevo_text_printf(self->out, "; T%d[i%d:%d, j%d:%d] = ", self->tensors, self->definitions, rows,
                      self->definitions, columns);
    self->rows[self->tensors] = rows;
    self->columns[self->tensors++] = columns;
    self->definitions++;
}

static inline void graph_product(graph_writer *self, int from)
{
    int columns = graph_extent(self);
    int input = self->inputs++;
    int k = self->columns[from];

    opevo_text_printf(self->out, "; X%d[x%d:%d, y%d:%d]", input, input, k, input, columns);
    graph_define(self, self->rows[from], columns);
    opevo_text_printf(self->out, "sum(k%d:%d) T%d[i%d, k%d]*X%d[k%d, j%d]", self->definitions - 1,
                      k, from, self->definitions - 1, self->definitions - 1, input,
                      self->definitions - 1, self->definitions - 1);
}

static inline void graph_elementwise(graph_writer *self, int from)
{
    static const char *const forms[] = {"max($, 0)",  "tanh($)",         "$*0.5 + 1",
                                        "sigmoid($)", "min($, 1) - $*$", "select($ > 0, $, $/4)"};
    char read[64];
    const char *form = forms[graph_pick(self, sizeof forms / sizeof *forms)];
    int n = self->definitions;
    int other = graph_pick(self, self->tensors);

    graph_define(self, self->rows[from], self->columns[from]);
    if (self->rows[other] == self->rows[from] && self->columns[other] == self->columns[from])
        snprintf(read, sizeof read, "(T%d[i%d, j%d] + T%d[i%d, j%d])", from, n, n, other, n, n);
    else
        snprintf(read, sizeof read, "T%d[i%d, j%d]", from, n, n);
    for (; *form; form++) {
        if (*form != '$')
            opevo_text_add_bytes(self->out, form, 1);
        else
            opevo_text_add(self->out, read);
    }
}

/* Sums or maxima of rows, and the rows less or times these. */
static inline void graph_rows(graph_writer *self, int from)
{
    int n = self->definitions++;
    bool sums = graph_pick(self, 2);

    opevo_text_printf(self->out, "; R%d[r%d:%d] = %s(q%d:%d) T%d[r%d, q%d]", n, n, self->rows[from],
                      sums ? "sum" : "max", n, self->columns[from], from, n, n);
    graph_define(self, self->rows[from], self->columns[from]);
    opevo_text_printf(self->out, "T%d[i%d, j%d] %c R%d[i%d]", from, n + 1, n + 1, sums ? '*' : '-',
                      n, n + 1);
}

/* A window of three rows and columns, with zeros around. */
static inline void graph_window(graph_writer *self, int from)
{
    int rows = self->rows[from], columns = self->columns[from];
    int n = self->definitions++;
    int input = self->inputs++;

    opevo_text_printf(self->out,
                      "; P%d[p%d:%d, q%d:%d] = select(p%d >= 1 and p%d < %d and q%d >= 1 and q%d < "
                      "%d, T%d[p%d - 1, q%d - 1], 0); X%d[x%d:3, y%d:3]",
                      n, n, rows + 2, n, columns + 2, n, n, rows + 1, n, n, columns + 1, from, n, n,
                      input, input, input);
    graph_define(self, rows, columns);
    opevo_text_printf(self->out, "sum(u%d:3, v%d:3) P%d[i%d + u%d, j%d + v%d]*X%d[u%d, v%d]", n, n,
                      n, n + 1, n, n + 1, n, input, n, n);
}

static inline void graph_turn(graph_writer *self, int from)
{
    int n = self->definitions;

    if (graph_pick(self, 2)) {
        graph_define(self, self->columns[from], self->rows[from]);
        opevo_text_printf(self->out, "T%d[j%d, i%d]", from, n, n);
    } else {
        graph_define(self, (self->rows[from] + 1) / 2, self->columns[from]);
        opevo_text_printf(self->out, "2*T%d[2*i%d, j%d]", from, n, n);
    }
}

/* A graph of 1 to GRAPH_DEFINITIONS definitions; most of them read the last one. */
static inline void write_graph(uint64_t seed, opevo_text *out)
{
    static void (*const kinds[])(graph_writer * self, int from) = {
        graph_product, graph_elementwise, graph_rows, graph_window, graph_turn};
    graph_writer self = {.state = seed, .out = out, .tensors = 1};
    int most = 1 + graph_pick(&self, GRAPH_DEFINITIONS);

    self.rows[0] = graph_extent(&self);
    self.columns[0] = graph_extent(&self);
    opevo_text_printf(out, "T0[i:%d, j:%d]", self.rows[0], self.columns[0]);
    while (self.definitions < most) {
        int kind = graph_pick(&self, sizeof kinds / sizeof *kinds);
        int from = graph_pick(&self, 4) ? self.tensors - 1 : graph_pick(&self, self.tensors);
        bool two = kinds[kind] == graph_rows || kinds[kind] == graph_window;

        if (self.definitions + two < most)
            kinds[kind](&self, from);
        else
            graph_elementwise(&self, from);
    }
}

#endif
