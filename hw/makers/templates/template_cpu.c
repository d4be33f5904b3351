/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `cpu`: matrix products on a CPU.
 *
 *     X = (n1, n2, n3, n4), Y = (m1, m2, m3, m4), K = (k1, k2, k3)
 *     for i.0 < n1, j.0 < m1, k.0 < k1              in the order `order`
 *       pack A (n2 n3 n4 x k2 k3) and B (k2 k3 x m2 m3 m4) if asked to
 *       for i.1 < n2, j.1 < m2, i.2 < n3, j.2 < m3   in the order `inner`
 *         for k.1 < k2, k.2 < k3: n4 x m4 sums in vector registers
 *
 * Source: Goto, van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34
 * (2008), for the blocking and the packed panels. */

#include "template_internal.h"

#include <stdio.h>

enum { K, X, Y, ORDER, INNER, PACK_A, PACK_B, VECTOR, UNROLL, STREAM, PREFETCH };

static int64_t rounded_rows(int64_t n)
{
    return opevo_i_template_widened(n, (const int64_t[]){8, 6, 4, 3, 2, 1});
}

static int64_t rounded_columns(int64_t m)
{
    return opevo_i_template_widened(m, (const int64_t[]){32, 16, 8, 4, 2, 1});
}

/* What threads may divide. Returns how many loops these are. */
static size_t divisible(const opevo_operator *op, opevo_i_template_divisible *out)
{
    out[0] = (opevo_i_template_divisible){"i.0", "X[0]", rounded_rows(op->n)};
    out[1] = (opevo_i_template_divisible){"j.0", "Y[0]", rounded_columns(op->m)};
    out[2] = (opevo_i_template_divisible){"i.1", "X[1]", rounded_rows(op->n)};
    out[3] = (opevo_i_template_divisible){"j.1", "Y[1]", rounded_columns(op->m)};
    out[4] = (opevo_i_template_divisible){"b", NULL, op->batch};
    return op->kind == OPEVO_BATCH_MATMUL ? 5 : 4;
}

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_template_space_builder self = {.err = err};
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_add_parameter(&self, "K", "factor", 2, (const int64_t[]){op->k, 3});
    opevo_i_template_add_parameter(&self, "X", "factor", 2,
                                   (const int64_t[]){rounded_rows(op->n), 4});
    opevo_i_template_add_parameter(&self, "Y", "factor", 2,
                                   (const int64_t[]){rounded_columns(op->m), 4});
    opevo_i_template_add_parameter(&self, "order", "permutation", 1, (const int64_t[]){3});
    opevo_i_template_add_parameter(&self, "inner", "permutation", 1, (const int64_t[]){4});
    opevo_i_template_add_parameter(&self, "pack_a", "categorical", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parameter(&self, "pack_b", "categorical", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parameter(&self, "vector", "discrete", 3, (const int64_t[]){4, 8, 16});
    opevo_i_template_add_parameter(&self, "unroll", "discrete", 4,
                                   (const int64_t[]){0, 16, 64, 256});
    opevo_i_template_add_parameter(&self, "stream", "categorical", 2, (const int64_t[]){0, 1});
    if (op->kind == OPEVO_BATCH_MATMUL)
        opevo_i_template_add_parameter(&self, "prefetch", "categorical", 2,
                                       (const int64_t[]){0, 1});
    opevo_i_template_add_parallel(&self, threads, loops, divisible(op, loops));
    return opevo_i_template_finish_space(&self, out);
}

/* The later of two outer loops in the chosen order; 0: i, 1: j, 2: k. */
static const char *later(const int64_t *order, int64_t a, int64_t b)
{
    static const char *const names[3] = {"i.0", "j.0", "k.0"};
    int64_t last = a;

    for (int i = 0; i < 3; i++) {
        if (order[i] == a || order[i] == b)
            last = order[i];
    }
    return names[last];
}

static const char *const middle[4] = {"i.1", "j.1", "i.2", "j.2"};

static void set_order(opevo_i_template_build *self)
{
    static const char *const outer[3] = {"i.0", "j.0", "k.0"};
    const int64_t *order = self->value->at[ORDER];
    const int64_t *inner = self->value->at[INNER];
    char text[128];

    snprintf(text, sizeof text, "%s%s %s %s %s %s %s %s k.1 k.2 i.3 j.3.0 j.3.1",
             self->op->kind == OPEVO_BATCH_MATMUL ? "b " : "", outer[order[0]], outer[order[1]],
             outer[order[2]], middle[inner[0]], middle[inner[1]], middle[inner[2]],
             middle[inner[3]]);
    opevo_i_template_reorder(self, "C", text);
}

/* What becomes text instead of a loop: all statements of an unrolled turn, or those of one k, or
 * none. */
static void set_unrolling(opevo_i_template_build *self, int64_t vector)
{
    int64_t tile = self->value->at[X][3] * (self->value->at[Y][3] / vector);
    int64_t limit = self->value->at[UNROLL][0];

    if (tile > limit)
        return;
    opevo_i_template_annotate(self, "C", "i.3", OPEVO_ANNOTATION_UNROLL);
    opevo_i_template_annotate(self, "C", "j.3.0", OPEVO_ANNOTATION_UNROLL);
    if (tile * self->value->at[K][2] <= limit)
        opevo_i_template_annotate(self, "C", "k.2", OPEVO_ANNOTATION_UNROLL);
}

/* Panels of `tile` rows or columns: in memory (panel, k, place in the panel). */
static void pack(opevo_i_template_build *self, char tensor, const char *at, const char *along,
                 int64_t tile, int64_t vector)
{
    bool batch = self->op->kind == OPEVO_BATCH_MATMUL;
    bool swapped = tensor == 'A' ? !self->op->transpose_x : self->op->transpose_y;
    int d = (batch ? 1 : 0) + (swapped ? 0 : 1); /* the dimension that is cut into panels */
    int dk = (batch ? 1 : 0) + (swapped ? 1 : 0);
    const int64_t layout[8] = {0, 1, d, tile, dk, 1, d, 1};
    opevo_i_template_stage stage =
        opevo_i_template_copy(self, (const char[]){tensor, '\0'}, OPEVO_SCOPE_PACKED, at);
    char text[64];
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_layout(self, stage.name, batch ? 4 : 3, batch ? layout : layout + 2);
    vector = opevo_i_template_lanes(tile, vector);
    opevo_i_template_split(self, stage.name, along, 2, (const int64_t[]){tile / vector, vector});
    /* The tensor is read in the order in which it lies in memory. */
    if (swapped)
        snprintf(text, sizeof text, "%s%s.0 k %s.1 %s.2", batch ? "b " : "", along, along, along);
    else
        snprintf(text, sizeof text, "%sk %s.0 %s.1 %s.2", batch ? "b " : "", along, along, along);
    opevo_i_template_reorder(self, stage.name, text);
    snprintf(text, sizeof text, "%s.2", along);
    opevo_i_template_annotate(self, stage.name, text, OPEVO_ANNOTATION_VECTORIZE);
    divisible(self->op, loops);
    opevo_i_template_divide_copy(self, stage.name, at, loops);
    if (batch && self->value->at[PREFETCH][0]) { /* the same of the next matrix */
        int64_t next = self->op->k * (tensor == 'A' ? self->op->n : self->op->m);

        opevo_i_template_step(self, OPEVO_PIPELINE_PREFETCH, stage.name, 1, &next);
    }
}

static void steps(opevo_i_template_build *self)
{
    const opevo_i_template_values *value = self->value;
    const int64_t *order = value->at[ORDER];
    const int64_t *inner = value->at[INNER];
    int64_t vector = opevo_i_template_lanes(value->at[Y][3], value->at[VECTOR][0]);
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_extend(self, "i", rounded_rows(self->op->n));
    opevo_i_template_extend(self, "j", rounded_columns(self->op->m));
    opevo_i_template_split(self, "C", "i", 3, value->at[X] + 1);
    opevo_i_template_split(self, "C", "j", 3, value->at[Y] + 1);
    opevo_i_template_split(self, "C", "j.3", 1, &vector);
    opevo_i_template_split(self, "C", "k", 2, value->at[K] + 1);
    set_order(self);
    set_unrolling(self, vector);
    opevo_i_template_annotate(self, "C", "j.3.1", OPEVO_ANNOTATION_VECTORIZE);
    divisible(self->op, loops);
    opevo_i_template_divide(self, loops);
    opevo_i_template_accumulate(self, middle[inner[3]]);
    if (value->at[STREAM][0])
        opevo_i_template_step(self, OPEVO_PIPELINE_STREAM, "C", 0, NULL);
    if (value->at[PACK_A][0])
        pack(self, 'A', later(order, 0, 2), "i", value->at[X][3], 16);
    if (value->at[PACK_B][0])
        pack(self, 'B', later(order, 1, 2), "j", value->at[Y][3], 16);
}

/* The largest divisor of k, at most 4, with which the statements of a turn are at most 64. */
static int64_t turns_of_k(int64_t depth, int64_t tile)
{
    int64_t turns = 4;

    while (turns > 1 && (depth % turns != 0 || tile * turns > 64))
        turns /= 2;
    return turns;
}

/* Goto's order: a block of A fills half of the second cache, one panel of B most of the first, and
 * the panels that go with a block of k are as large as the second, in the third. */
static void prefer(const opevo_operator *op, const opevo_device_facts *given, int round,
                   opevo_i_template_values *out)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    int64_t rows = rounded_rows(op->n);
    int64_t columns = rounded_columns(op->m);
    opevo_i_template_register_tile tile = opevo_i_template_choose_tile(&facts, rows, columns);
    int64_t l1 = (int64_t)facts.l1_bytes / 4; /* numbers */
    int64_t l2 = (int64_t)facts.l2_bytes / 4;
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    int64_t depth = opevo_i_template_divisor_below(op->k, 3 * l1 / 4 / tile.columns);
    int64_t turns = turns_of_k(depth, tile.rows * (tile.columns / tile.lanes));
    int64_t high = opevo_i_template_divisor_below(rows / tile.rows, l2 / 2 / depth / tile.rows);
    int64_t wide =
        opevo_i_template_divisor_below(columns / tile.columns, l2 / depth / tile.columns);
    bool pack_b = op->transpose_y || (!batch && op->n >= 8 * tile.rows && op->k * op->m > l2 / 2);

    (void)round;
    opevo_i_template_prefer(out, K, 3, (const int64_t[]){1, depth / turns, turns});
    opevo_i_template_prefer(out, X, 4, (const int64_t[]){1, 1, high, tile.rows});
    opevo_i_template_prefer(out, Y, 4, (const int64_t[]){1, 1, wide, tile.columns});
    opevo_i_template_prefer(out, ORDER, 3, (const int64_t[]){1, 2, 0});
    opevo_i_template_prefer(out, INNER, 4, (const int64_t[]){0, 1, 3, 2});
    opevo_i_template_prefer(out, PACK_B, 1, (const int64_t[]){pack_b});
    opevo_i_template_prefer(out, VECTOR, 1, &tile.lanes);
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){64});
}

/* Whole matrices where there are enough; else blocks of rows, which share the panels of B; else
 * blocks of columns. */
static int64_t prefer_parallel(const opevo_operator *op, unsigned threads,
                               opevo_i_template_values *out)
{
    int64_t *x = out->at[X];
    int64_t *y = out->at[Y];

    if (op->kind == OPEVO_BATCH_MATMUL && op->batch >= threads)
        return 5;
    if (opevo_i_template_prefer_divided(rounded_rows(op->n) / x[3], threads, &x[0], &x[2]))
        return 1;
    return opevo_i_template_prefer_divided(rounded_columns(op->m) / y[3], threads, &y[0], &y[2])
               ? 2
               : 0;
}

const opevo_i_template opevo_i_template_matmul_cpu = {
    .info = {.name = "cpu",
             .summary = "matrix products on a CPU: register tiles, packed panels, blocks",
             .kinds = 1U << OPEVO_MATMUL | 1U << OPEVO_BATCH_MATMUL,
             .dialects = 1U << OPEVO_KERNEL_C},
    .space = space,
    .steps = steps,
    .prefer = prefer,
    .prefer_parallel = prefer_parallel,
};
