/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products of matrices of integers. Source: ONNX operator schemas, MatMulInteger-10 and
 * QLinearMatMul-21. Those of bytes are computed by tiles where there is memory for it. */

#include "tiles.h"

typedef struct matrices {
    const routine_call *call;
    product_inputs of;
    bool scaled;
    int64_t rows, depth, columns;
    uint8_t flip_a, flip_b;
    int8_t *a;      /* [rows][depth, padded to 4] */
    int32_t *sum_a; /* of each row */
    uint8_t *panel, *zeros;
} matrices;

static matrices matrices_of(const routine_call *call)
{
    matrices self = {.call = call, .scaled = call->whole[0] != 0};
    const routine_tensor *a = NULL, *b = NULL;

    self.of = inputs_of(self.scaled);
    a = &call->in[self.of.a];
    b = &call->in[self.of.b];
    self.depth = a->extent[a->dims - 1];
    self.rows = a->dims > 1 ? a->extent[a->dims - 2] : 1;
    self.columns = b->dims > 1 ? b->extent[b->dims - 1] : 1;
    self.flip_a = a->type == ROUTINE_UINT8 ? 128 : 0;
    self.flip_b = b->type == ROUTINE_INT8 ? 128 : 0;
    return self;
}

static bool is_tiled_product(const matrices *self)
{
    const routine_call *call = self->call;

    return !call->scarce && is_byte(call->in[self->of.a].type) &&
           is_byte(call->in[self->of.b].type) && (!self->scaled || is_byte(call->out->type)) &&
           self->depth <= TILE_DEPTH && self->rows * self->columns > 0;
}

/* Pieces of memory: the rows, their sums, a panel, and what a row beyond the last k is. */
static int64_t lay_matrices(matrices *self, char *memory)
{
    char *at = memory;

    self->a = take_piece(&at, self->rows * ((self->depth + 3) / 4 * 4));
    self->sum_a = take_piece(&at, self->rows * (int64_t)sizeof(int32_t));
    self->panel = take_piece(&at, panel_bytes(self->depth));
    self->zeros = take_piece(&at, 5 * TILE_COLUMNS);
    return at - memory;
}

double routine_whole_product_need(const routine_call *call)
{
    matrices self = matrices_of(call);
    char start[1];

    return is_tiled_product(&self) ? (double)lay_matrices(&self, start) : 0;
}

static void pack_columns(const matrices *self, const uint8_t *b, int64_t column, int count,
                         uint8_t *panel)
{
    int valid = self->columns - column < count ? (int)(self->columns - column) : count;

    for (int64_t k = 0; k < self->depth; k += 4, panel += 4 * count) {
        const uint8_t *row[4];

        for (int j = 0; j < 4; j++) {
            uint8_t *to = self->zeros + (1 + j) * TILE_COLUMNS;

            row[j] = self->zeros;
            if (k + j >= self->depth)
                continue;
            flip_bytes(b + (k + j) * self->columns + column, valid, self->flip_b, to);
            row[j] = to;
        }
        interleave(row, count, panel);
    }
}

/* What belongs to the columns of a panel. */
typedef struct panel_columns {
    int count;
    int32_t sum[TILE_COLUMNS], zero[TILE_COLUMNS];
    float scale[TILE_COLUMNS];
} panel_columns;

static void take_columns(const matrices *self, int64_t column, panel_columns *to)
{
    for (int i = 0; i < to->count; i++) {
        to->zero[i] = (int32_t)routine_zero(self->call, self->of.b_zero, column + i) + self->flip_b;
        to->scale[i] = self->scaled ? result_scale(self->call, &self->of, column + i) : 0;
    }
}

/* Row `row` of the sums without zero points, with them, to element `at` of the result. */
static void put_products(const matrices *self, int64_t row, const panel_columns *columns,
                         int32_t *sum, int64_t at)
{
    const routine_call *call = self->call;
    int32_t zero = (int32_t)routine_zero(call, self->of.a_zero, row) - self->flip_a;
    int32_t of_row = (int32_t)self->depth * zero - self->sum_a[row];

    for (int i = 0; i < columns->count; i++)
        sum[i] += columns->zero[i] * of_row - zero * columns->sum[i];
    if (self->scaled)
        put_scaled_bytes(call->out, at, sum, columns->count, columns->scale,
                         (float)routine_zero(call, self->of.y_zero, 0));
    else
        memcpy((int32_t *)call->out->data + at, sum, (size_t)columns->count * sizeof *sum);
}

/* One product of matrices: of a and b, to elements from `at` on. */
static void multiply_tiled(const matrices *self, const uint8_t *a, const uint8_t *b, int64_t at)
{
    const int64_t stride = (self->depth + 3) / 4 * 4;
    int32_t sum[TILE_ROWS * TILE_COLUMNS];
    panel_columns columns;

    memset(self->a, 0, (size_t)(self->rows * stride));
    memset(self->zeros, 0, 5 * TILE_COLUMNS);
    for (int64_t r = 0; r < self->rows; r++) {
        flip_bytes(a + r * self->depth, self->depth, self->flip_a, self->a + r * stride);
        self->sum_a[r] = sum_bytes(self->a + r * stride, self->depth);
    }
    for (int64_t c = 0; c < self->columns;) {
        const int strips = strips_of(self->columns - c), count = 16 * strips;

        columns.count = self->columns - c < count ? (int)(self->columns - c) : count;
        take_columns(self, c, &columns);
        pack_columns(self, b, c, count, self->panel);
        sum_columns(self->panel, stride / 4, count, columns.sum);
        for (int64_t r = 0; r < self->rows; r += TILE_ROWS) {
            const int8_t *row[TILE_ROWS];

            for (int i = 0; i < TILE_ROWS; i++)
                row[i] = self->a + (r + i < self->rows ? r + i : self->rows - 1) * stride;
            multiply_tile(row, self->panel, stride / 4, strips, sum);
            for (int i = 0; i < TILE_ROWS && r + i < self->rows; i++)
                put_products(self, r + i, &columns, sum + i * TILE_COLUMNS,
                             at + (r + i) * self->columns + c);
        }
        c += count;
    }
}

/* Element i of a product of any types, with whole numbers of 64 bits. */
static void multiply_element(const matrices *self, int64_t a, int64_t b, int64_t i, int64_t at)
{
    const routine_call *call = self->call;
    const routine_tensor *left = &call->in[self->of.a], *right = &call->in[self->of.b];
    int64_t r = i / self->columns, c = i % self->columns;
    int64_t x = (a * self->rows + r) * self->depth, y = b * self->depth * self->columns + c;
    int64_t a_zero = (int64_t)routine_zero(call, self->of.a_zero, r);
    int64_t b_zero = (int64_t)routine_zero(call, self->of.b_zero, c);
    double number = 0;
    uint64_t sum = 0;

    for (int64_t k = 0; k < self->depth; k++) {
        if (routine_is_whole(left))
            sum += (uint64_t)(routine_whole(left, x + k) - a_zero) *
                   (uint64_t)(routine_whole(right, y + k * self->columns) - b_zero);
        else
            number += routine_number(left, x + k) * routine_number(right, y + k * self->columns);
    }
    if (routine_is_whole(left))
        put_sum(call, &self->of, self->scaled, at + i, c, (int64_t)sum);
    else
        routine_set_number(call->out, at + i, number);
}

/* Extents of a matrix in the last dimensions; a vector is a row of a, or a column of b. whole[0]:
 * whether it is a QLinear operator. */
const char *routine_whole_product(const routine_call *call)
{
    matrices self = matrices_of(call);
    const routine_tensor *a = &call->in[self.of.a], *b = &call->in[self.of.b];
    const bool tiled = is_tiled_product(&self);
    routine_tensor all = *call->out, left = *a, right = *b;
    routine_walk walk = {.all = &all};

    left.dims = a->dims > 2 ? a->dims - 2 : 0;
    right.dims = b->dims > 2 ? b->dims - 2 : 0;
    all.dims = left.dims > right.dims ? left.dims : right.dims;
    routine_walk_add(&walk, &left);
    routine_walk_add(&walk, &right);
    if (tiled)
        lay_matrices(&self, call->memory);
    for (int64_t m = 0, count = routine_elements(&all); m < count; m++, routine_walk_next(&walk)) {
        int64_t at = m * self.rows * self.columns;

        if (tiled)
            multiply_tiled(&self, (const uint8_t *)a->data + walk.at[0] * self.rows * self.depth,
                           (const uint8_t *)b->data + walk.at[1] * self.depth * self.columns, at);
        for (int64_t i = 0; i < self.rows * self.columns && !tiled; i++)
            multiply_element(&self, walk.at[0], walk.at[1], i, at);
    }
    return NULL;
}
