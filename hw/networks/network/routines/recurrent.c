/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recurrent cells. Source: ONNX operator schemas, LSTM-14, GRU-14, RNN-14. They compute in float32.
 *
 * whole: the cell, the directions (1 or 2), whether the first goes backwards, whether the batch
 * comes first, input_forget or linear_before_reset, then three activations of each direction.
 * number: the clip (0: none), then alpha and beta of each activation. */

#include "routines.h"

enum { CELL_KIND, CELL_DIRECTIONS, CELL_BACK, CELL_BATCH_FIRST, CELL_FLAG, CELL_ACTIVATIONS };
enum { CELL_X, CELL_W, CELL_R, CELL_B, CELL_LENGTHS, CELL_H, CELL_C, CELL_P };
enum { CELL_FUNCTIONS = 3, CELL_PARTS = 16, CELL_ROWS = 8 };

static float activate(const routine_call *call, int direction, int which, float x)
{
    int at = CELL_FUNCTIONS * direction + which;
    double clip = call->number[0], a = call->number[1 + 2 * at], b = call->number[2 + 2 * at];

    if (clip > 0)
        x = x > (float)clip ? (float)clip : x < -(float)clip ? -(float)clip : x;
    switch (call->whole[CELL_ACTIVATIONS + at]) {
    case ROUTINE_CELL_SIGMOID:
        return 1 / (1 + expf(-x));
    case ROUTINE_CELL_TANH:
        return tanhf(x);
    case ROUTINE_CELL_RELU:
        return x < 0 ? 0 : x;
    case ROUTINE_CELL_AFFINE:
        return (float)(a * (double)x + b);
    case ROUTINE_CELL_LEAKY_RELU:
        return x < 0 ? (float)(a * (double)x) : x;
    case ROUTINE_CELL_THRESHOLDED_RELU:
        return (double)x < a ? 0 : x;
    case ROUTINE_CELL_SCALED_TANH:
        return (float)(a * tanh(b * (double)x));
    case ROUTINE_CELL_HARD_SIGMOID:
        return (float)fmin(fmax(a * (double)x + b, 0), 1);
    case ROUTINE_CELL_ELU:
        return x < 0 ? (float)(a * expm1((double)x)) : x;
    case ROUTINE_CELL_SOFTSIGN:
        return x / (1 + fabsf(x));
    default: /* softplus */
        return (x > 0 ? x : 0) + log1pf(expf(-fabsf(x)));
    }
}

/* Element [k][g] is at[k row + g column]. */
typedef struct weights {
    const float *at;
    int64_t row, column;
} weights;

/* e^x, to 2 units in the last place; from 88 on it is infinite, and below -87 e^-87. It has no
 * branches, so that loops of it become vectors. Source: Cephes, expf.c. */
static inline float cell_exp(float x)
{
    const float given = x;
    float n = 0, r = 0, y = 0, scale = 0;
    uint32_t bits = 0;

    x = x > 88 ? 88 : x < -87 ? -87 : x;
    n = rintf(x * 1.44269504088896341f);
    r = x - n * 0.693359375f + n * 2.12194440e-4f;
    y = 1.9875691500e-4f;
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1;
    bits = (uint32_t)((int32_t)(n == n ? n : 0) + 127) << 23;
    memcpy(&scale, &bits, sizeof scale);
    return given > 88 ? INFINITY : y * scale;
}

/* Source: Cephes, tanhf.c, near 0. */
static inline float cell_tanh(float x)
{
    float square = x * x, y = 1 - 2 / (cell_exp(2 * x) + 1), near = -5.70498872745e-3f;

    near = near * square + 2.06390887954e-2f;
    near = near * square - 5.37397155531e-2f;
    near = near * square + 1.33314422036e-1f;
    near = near * square - 3.33332819422e-1f;
    return square < 0.390625f ? x + x * square * near : y;
}

/* Of numbers in a row, in their places. */
static void activate_all(const routine_call *call, int direction, int which, float *x,
                         int64_t count)
{
    const int64_t kind = call->whole[CELL_ACTIVATIONS + CELL_FUNCTIONS * direction + which];
    const bool sigmoid = kind == ROUTINE_CELL_SIGMOID, tangent = kind == ROUTINE_CELL_TANH;
    const float clip = (float)call->number[0];

    for (int64_t j = 0; j < count && !sigmoid && !tangent; j++)
        x[j] = activate(call, direction, which, x[j]);
    for (int64_t j = 0; j < count && (sigmoid || tangent) && clip > 0; j++)
        x[j] = x[j] > clip ? clip : x[j] < -clip ? -clip : x[j];
    for (int64_t j = 0; j < count && sigmoid; j++)
        x[j] = 1 / (1 + cell_exp(-x[j]));
    for (int64_t j = 0; j < count && tangent; j++)
        x[j] = cell_tanh(x[j]);
}

/* One direction of a cell. */
typedef struct cell {
    const routine_call *call;
    int64_t steps, batch, in, hidden, gates;
    int direction;
    weights w, r;      /* [in][gates hidden], [hidden][gates hidden] */
    float *x, *s;      /* of one step and sequence: products with the input, and with the state */
    float *h, *c;      /* the states of one sequence */
    const float *bias; /* [2 gates hidden]; NULL */
    const float *peep; /* [3 hidden]; NULL */
} cell;

/* A copy in an order that vectors read pays from so many rows of input on. */
static bool has_copy(const routine_call *call)
{
    return !call->scarce && call->in->extent[0] * call->in->extent[1] >= CELL_ROWS;
}

/* The weights from[g][k] where they are; or with memory for a copy, with g innermost. */
static weights take_weights(const float *from, int64_t count, int64_t inner, float *copy)
{
    enum { SIDE = 16 }; /* of a square, whose lines stay in the first cache */

    for (int64_t g = 0; g < count && copy; g += SIDE) {
        const int64_t end = g + SIDE < count ? g + SIDE : count;

        for (int64_t k = 0; k < inner; k += SIDE)
            for (int64_t i = k; i < k + SIDE && i < inner; i++)
                for (int64_t j = g; j < end; j++)
                    copy[i * count + j] = from[j * inner + i];
    }
    return copy ? (weights){copy, count, 1} : (weights){from, 1, inner};
}

/* to[g] += sum over k of v[k] m[k][g]: of a part of the columns, whose sums stay in registers. */
static void add_rows(const float *v, weights m, int64_t inner, int64_t count, float *to)
{
    enum { PART = 128 };
    int64_t g = 0;

    for (; g + PART <= count; g += PART) {
        float sum[PART];

        memcpy(sum, to + g, sizeof sum);
        for (int64_t k = 0; k < inner; k++)
            for (int j = 0; j < PART; j++)
                sum[j] += v[k] * m.at[k * m.row + g + j];
        memcpy(to + g, sum, sizeof sum);
    }
    for (int64_t k = 0; k < inner && g < count; k++)
        for (int64_t j = g; j < count; j++)
            to[j] += v[k] * m.at[k * m.row + j];
}

/* sum over k of v[k] w[k], in parts that are elements of vectors */
static float product_of(const float *v, const float *w, int64_t count)
{
    float part[CELL_PARTS] = {0}, sum = 0;
    int64_t k = 0;

    for (; k + CELL_PARTS <= count; k += CELL_PARTS) {
        for (int i = 0; i < CELL_PARTS; i++)
            part[i] += v[k + i] * w[k + i];
    }
    for (; k < count; k++)
        sum += v[k] * w[k];
    for (int i = 0; i < CELL_PARTS; i++)
        sum += part[i];
    return sum;
}

/* to[g] = bias[g] + sum over k of v[k] m[k][g] */
static void multiply(const float *v, weights m, int64_t inner, int64_t count, const float *bias,
                     float *to)
{
    for (int64_t g = 0; g < count; g++)
        to[g] = bias ? bias[g] : 0;
    for (int64_t g = 0; g < count && m.row == 1; g++)
        to[g] += product_of(v, m.at + g * m.column, inner);
    if (m.row != 1)
        add_rows(v, m, inner, count, to);
}

static void step_lstm(cell *self)
{
    const float *peep = self->peep;
    const int64_t n = self->hidden;
    float *i = self->x, *o = i + n, *f = o + n, *g = f + n, *c = self->c;

    for (int64_t j = 0; j < 4 * n; j++)
        self->x[j] += self->s[j];
    for (int64_t j = 0; j < n && peep; j++) {
        i[j] += peep[j] * c[j];
        f[j] += peep[2 * n + j] * c[j];
    }
    activate_all(self->call, self->direction, 0, i, n);
    activate_all(self->call, self->direction, 0, f, n);
    activate_all(self->call, self->direction, 1, g, n);
    for (int64_t j = 0; j < n && self->call->whole[CELL_FLAG]; j++)
        f[j] = 1 - i[j];
    for (int64_t j = 0; j < n; j++)
        c[j] = f[j] * c[j] + i[j] * g[j];
    for (int64_t j = 0; j < n && peep; j++)
        o[j] += peep[n + j] * c[j];
    activate_all(self->call, self->direction, 0, o, n);
    memcpy(self->s, c, (size_t)n * sizeof *c);
    activate_all(self->call, self->direction, 2, self->s, n);
    for (int64_t j = 0; j < n; j++)
        self->h[j] = o[j] * self->s[j];
}

static void step_gru(cell *self)
{
    int64_t n = self->hidden;
    const float *bias = self->bias ? self->bias + 3 * n : NULL;
    bool before = self->call->whole[CELL_FLAG] != 0;

    for (int64_t j = 0; j < 2 * n; j++)
        self->x[j] += self->s[j];
    activate_all(self->call, self->direction, 0, self->x, 2 * n);
    if (!before) { /* the product with the state that was reset */
        for (int64_t j = 0; j < n; j++)
            self->c[j] = self->x[n + j] * self->h[j];
        multiply(self->c,
                 (weights){self->r.at + 2 * n * self->r.column, self->r.row, self->r.column}, n, n,
                 bias ? bias + 2 * n : NULL, self->s + 2 * n);
    }
    for (int64_t j = 0; j < n; j++)
        self->s[2 * n + j] =
            self->x[2 * n + j] + (before ? self->x[n + j] : 1) * self->s[2 * n + j];
    activate_all(self->call, self->direction, 1, self->s + 2 * n, n);
    for (int64_t j = 0; j < n; j++)
        self->h[j] = (1 - self->x[j]) * self->s[2 * n + j] + self->x[j] * self->h[j];
}

static void run_step(cell *self, const float *x)
{
    int64_t count = self->gates * self->hidden;

    multiply(x, self->w, self->in, count, self->bias, self->x);
    multiply(self->h, self->r, self->hidden, count, self->bias ? self->bias + count : NULL,
             self->s);
    if (self->call->whole[CELL_KIND] == ROUTINE_LSTM)
        step_lstm(self);
    else if (self->call->whole[CELL_KIND] == ROUTINE_GRU)
        step_gru(self);
    else {
        for (int64_t j = 0; j < count; j++)
            self->h[j] = self->x[j] + self->s[j];
        activate_all(self->call, self->direction, 0, self->h, count);
    }
}

/* Where the state of a sequence is in input or output `t`. */
static int64_t state_at(const cell *self, int64_t b)
{
    int64_t directions = self->call->whole[CELL_DIRECTIONS];

    return self->hidden * (self->call->whole[CELL_BATCH_FIRST] ? b * directions + self->direction
                                                               : self->direction * self->batch + b);
}

static void take_state(const cell *self, int in, int64_t b, float *to)
{
    const float *from = routine_has(self->call, in) ? self->call->in[in].data : NULL;

    for (int64_t j = 0; j < self->hidden; j++)
        to[j] = from ? from[state_at(self, b) + j] : 0;
}

static void give_state(const cell *self, int out, int64_t b, const float *from)
{
    if (out < self->call->outs && self->call->out[out].data)
        memcpy((float *)self->call->out[out].data + state_at(self, b), from,
               (size_t)self->hidden * sizeof *from);
}

static void run_sequence(cell *self, int64_t b)
{
    const routine_call *call = self->call;
    bool first = call->whole[CELL_BATCH_FIRST] != 0;
    bool back = self->direction == 1 || call->whole[CELL_BACK];
    int64_t directions = call->whole[CELL_DIRECTIONS], length = self->steps;
    float *y = call->outs && call->out[0].data ? call->out[0].data : NULL;

    if (routine_has(call, CELL_LENGTHS))
        length = routine_whole(&call->in[CELL_LENGTHS], b);
    length = length < 0 ? 0 : length > self->steps ? self->steps : length;
    take_state(self, CELL_H, b, self->h);
    take_state(self, CELL_C, b, self->c);
    for (int64_t k = 0; k < self->steps; k++) {
        int64_t t = back && k < length ? length - 1 - k : k;
        int64_t row = first ? b * self->steps + t : t * self->batch + b;
        int64_t to = first ? (b * self->steps + t) * directions + self->direction
                           : (t * directions + self->direction) * self->batch + b;

        if (k < length)
            run_step(self, (const float *)call->in[CELL_X].data + row * self->in);
        for (int64_t j = 0; j < self->hidden && y; j++)
            y[to * self->hidden + j] = k < length ? self->h[j] : 0;
    }
    give_state(self, 1, b, self->h);
    if (call->whole[CELL_KIND] == ROUTINE_LSTM)
        give_state(self, 2, b, self->c);
}

static void run_direction(cell *self)
{
    const routine_call *call = self->call;
    int64_t count = self->gates * self->hidden;
    float *copy = NULL;

    self->x = call->memory;
    self->s = self->x + count;
    self->h = self->s + count;
    self->c = self->h + self->hidden;
    copy = has_copy(call) ? self->c + self->hidden : NULL;
    self->w =
        take_weights((const float *)call->in[CELL_W].data + self->direction * count * self->in,
                     count, self->in, copy);
    self->r =
        take_weights((const float *)call->in[CELL_R].data + self->direction * count * self->hidden,
                     count, self->hidden, copy ? copy + count * self->in : NULL);
    self->bias = routine_has(call, CELL_B)
                     ? (const float *)call->in[CELL_B].data + self->direction * 2 * count
                     : NULL;
    self->peep = routine_has(call, CELL_P)
                     ? (const float *)call->in[CELL_P].data + self->direction * 3 * self->hidden
                     : NULL;
    for (int64_t b = 0; b < self->batch; b++)
        run_sequence(self, b);
}

static int64_t gates_of(const routine_call *call)
{
    static const int64_t gates[] = {[ROUTINE_RNN] = 1, [ROUTINE_GRU] = 3, [ROUTINE_LSTM] = 4};

    return gates[call->whole[CELL_KIND]];
}

double routine_recurrent_need(const routine_call *call)
{
    double hidden = (double)call->in[CELL_R].extent[2], in = (double)call->in[CELL_X].extent[2];
    double count = (double)gates_of(call) * hidden;

    return (2 * count + 2 * hidden + (has_copy(call) ? count * (in + hidden) : 0)) *
           (double)sizeof(float);
}

const char *routine_recurrent(const routine_call *call)
{
    const routine_tensor *x = &call->in[CELL_X];
    int first = call->whole[CELL_BATCH_FIRST] ? 1 : 0;
    cell self = {.call = call,
                 .steps = x->extent[first],
                 .batch = x->extent[1 - first],
                 .in = x->extent[2],
                 .hidden = call->in[CELL_R].extent[2],
                 .gates = gates_of(call)};

    for (; self.direction < call->whole[CELL_DIRECTIONS]; self.direction++)
        run_direction(&self);
    return NULL;
}
