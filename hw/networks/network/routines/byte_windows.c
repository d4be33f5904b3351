/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Convolutions of integers. Source: ONNX operator schemas, ConvInteger-10 and QLinearConv-10.
 *
 * Those of bytes are computed from a copy of the channels of a group with their padding, where
 * there is memory for it. With a stride s along rows, place p of a row lies at (p % s) (row / s) +
 * p / s, so that what one place of the window reads for neighbouring results are neighbours too. */

#include "tiles.h"

/* Filters that share one channel or few are computed from rows of the copy, others by tiles. */
enum { FEW = 4, PLACES = 512 };

typedef struct convolution {
    const routine_call *call;
    product_inputs of;
    bool scaled;
    int64_t in[3], out[3], kernel[3], stride[3], dilation[3], before[3];
    int64_t channels, filters, groups; /* of a group, both */
    int64_t points, depth, cells;      /* of the window, of a filter, of a channel's result */
    int64_t lines, line, plane;        /* of the copy: rows of an image, bytes of both */
    uint8_t flip_x, flip_w;
    int32_t x_zero;
    int64_t *offset;       /* of each place of the window in the copy */
    int64_t *start;        /* of each row of results */
    uint8_t *image;        /* the copy */
    int8_t *copied;        /* of a group: [filters][depth, padded to 4] */
    const int8_t *weights; /* the same, or where they lie */
    int32_t *shift, *zero; /* of each filter of a group: what is added, its zero point */
    float *scale;
    bool has_zeros;
    uint8_t *panels; /* of each thread */
    int32_t *sums;   /* of each thread: a row of the copy */
} convolution;

static convolution convolution_of(const routine_call *call)
{
    convolution self = {.call = call, .scaled = call->whole[0] != 0, .groups = call->whole[1]};
    const routine_tensor *x = NULL, *w = NULL;
    int64_t last[3];
    int first = 0;

    self.of = inputs_of(self.scaled);
    x = &call->in[self.of.a];
    w = &call->in[self.of.b];
    first = 5 - x->dims; /* dimensions before those of the image have extent 1 */
    self.channels = w->extent[1];
    self.filters = w->extent[0] / self.groups;
    self.points = self.cells = 1;
    for (int d = 0; d < 3; d++) {
        const bool given = d >= first;
        const int at = d - first;

        self.in[d] = given ? x->extent[2 + at] : 1;
        self.out[d] = given ? call->out->extent[2 + at] : 1;
        self.kernel[d] = given ? w->extent[2 + at] : 1;
        self.stride[d] = given ? call->whole[2 + at] : 1;
        self.dilation[d] = given ? call->whole[5 + at] : 1;
        self.before[d] = given ? call->whole[8 + at] : 0;
        self.points *= self.kernel[d];
        self.cells *= self.out[d];
        last[d] = (self.out[d] - 1) * self.stride[d] + (self.kernel[d] - 1) * self.dilation[d] + 1;
    }
    self.depth = self.channels * self.points;
    self.lines = last[0] * last[1];
    self.line = (last[2] + self.stride[2] - 1) / self.stride[2] * self.stride[2];
    if (self.points == 1 && self.stride[1] == 1 && self.stride[2] == 1 && self.stride[0] == 1 &&
        self.cells == routine_product(x, 2, x->dims)) { /* all rows are one */
        self.in[2] = self.out[2] = self.line = self.cells;
        self.in[0] = self.in[1] = self.out[0] = self.out[1] = self.lines = 1;
    }
    self.plane = self.lines * self.line;
    self.flip_x = x->type == ROUTINE_INT8 ? 128 : 0;
    self.flip_w = w->type == ROUTINE_UINT8 ? 128 : 0;
    return self;
}

static bool is_tiled_convolution(const convolution *self)
{
    const routine_call *call = self->call;
    const routine_tensor *x = &call->in[self->of.a];

    return !call->scarce && is_byte(x->type) && is_byte(call->in[self->of.b].type) &&
           (!self->scaled || is_byte(call->out->type)) && self->depth <= TILE_DEPTH &&
           routine_elements(call->out) > 0 && self->depth > 0 && self->plane > 0 &&
           self->plane < (int64_t)1 << 40 && x->dims <= 5;
}

static bool has_few(const convolution *self)
{
    return self->channels == 1 && self->filters <= FEW && self->points <= PLACES;
}

/* Sums of a whole plane are taken where rows of results lie as far apart as those of the copy. */
static int64_t row_of_sums(const convolution *self)
{
    const bool whole = self->stride[0] == 1 && self->stride[1] == 1 && self->stride[2] == 1;

    return whole ? self->plane : self->out[2];
}

/* With what is read beyond its end. */
static int64_t bytes_of_copy(const convolution *self)
{
    return (self->channels * self->plane + 128 + 63) / 64 * 64;
}

static int64_t lay_convolution(convolution *self, char *memory)
{
    const int64_t quarter = (self->depth + 3) / 4, copies = has_few(self) ? TILE_THREADS : 1;
    char *at = memory;

    self->offset = take_piece(&at, self->points * (int64_t)sizeof(int64_t));
    self->start = take_piece(&at, self->out[0] * self->out[1] * (int64_t)sizeof(int64_t));
    self->image = take_piece(&at, copies * bytes_of_copy(self));
    self->copied = take_piece(&at, copies * self->filters * 4 * quarter);
    self->shift = take_piece(&at, copies * self->filters * (int64_t)sizeof(int32_t));
    self->zero = take_piece(&at, copies * self->filters * (int64_t)sizeof(int32_t));
    self->scale = take_piece(&at, copies * self->filters * (int64_t)sizeof(float));
    if (has_few(self))
        self->sums = take_piece(&at, copies * 4 * (row_of_sums(self) + 64));
    else
        self->panels = take_piece(&at, TILE_THREADS * panel_bytes(self->depth));
    return at - memory;
}

double routine_whole_convolution_need(const routine_call *call)
{
    convolution self = convolution_of(call);
    char start[1];

    return is_tiled_convolution(&self) ? (double)lay_convolution(&self, start) : 0;
}

/* ---- The copy -------------------------------------------------------------------------------- */

static void place_rows(convolution *self)
{
    const int64_t high = self->lines / ((self->out[0] - 1) * self->stride[0] +
                                        (self->kernel[0] - 1) * self->dilation[0] + 1);

    for (int64_t p = 0; p < self->points; p++) {
        int64_t x = p % self->kernel[2] * self->dilation[2];
        int64_t y = p / self->kernel[2] % self->kernel[1] * self->dilation[1];
        int64_t z = p / self->kernel[2] / self->kernel[1] * self->dilation[0];

        self->offset[p] = (z * high + y) * self->line +
                          x % self->stride[2] * (self->line / self->stride[2]) +
                          x / self->stride[2];
    }
    for (int64_t r = 0; r < self->out[0] * self->out[1]; r++)
        self->start[r] =
            (r / self->out[1] * self->stride[0] * high + r % self->out[1] * self->stride[1]) *
            self->line;
}

/* to[i] = from[i stride] ^ flip, i < count */
static void copy_run(const uint8_t *from, int64_t stride, int64_t count, uint8_t flip, uint8_t *to)
{
#ifdef INTEGERS_VNNI
    for (int64_t i = 0; i < count && stride == 1; i += 64) {
        const __mmask64 mask = UINT64_MAX >> (count - i < 64 ? 64 - (count - i) : 0);
        const __m512i x = _mm512_maskz_loadu_epi8(mask, from + i);

        _mm512_mask_storeu_epi8(to + i, mask, _mm512_xor_si512(x, _mm512_set1_epi8((char)flip)));
    }
    for (int64_t i = 0; i < count && stride == 2; i += 32) {
        const int64_t left = count - i < 32 ? count - i : 32;
        const __m512i x =
            _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - (2 * left - 1)), from + 2 * i);
        const __m256i y = _mm512_cvtepi16_epi8(x);

        _mm256_mask_storeu_epi8(to + i, UINT32_MAX >> (32 - left),
                                _mm256_xor_si256(y, _mm256_set1_epi8((char)flip)));
    }
    for (int64_t i = 0; i < count && stride > 2; i++)
        to[i] = from[stride * i] ^ flip;
#else
    for (int64_t i = 0; i < count; i++)
        to[i] = from[stride * i] ^ flip;
#endif
}

/* What is inside of the image; the padding is there. */
static void copy_line(const convolution *self, const uint8_t *from, uint8_t *to)
{
    const int64_t s = self->stride[2], part = self->line / s, before = self->before[2];

    for (int64_t phase = 0; phase < s; phase++, to += part) {
        /* Place i s + phase - before of the image is inside for i from `first` to `end`. */
        int64_t first = before > phase ? (before - phase + s - 1) / s : 0;
        int64_t end = (self->in[2] + before - phase + s - 1) / s;

        end = end > part ? part : end;
        if (first < end)
            copy_run(from + first * s + phase - before, s, end - first, self->flip_x, to + first);
    }
}

/* Channel c of the group, from the image at `from`. */
static void copy_channel(const convolution *self, const uint8_t *from, int64_t c)
{
    const int64_t deep =
        (self->out[0] - 1) * self->stride[0] + (self->kernel[0] - 1) * self->dilation[0] + 1;
    const int64_t high = self->lines / deep;

    from += c * self->in[0] * self->in[1] * self->in[2];
    for (int64_t i = 0; i < self->lines; i++) {
        int64_t z = i / high - self->before[0], y = i % high - self->before[1];
        uint8_t *to = self->image + c * self->plane + i * self->line;

        if (z >= 0 && z < self->in[0] && y >= 0 && y < self->in[1])
            copy_line(self, from + (z * self->in[1] + y) * self->in[2], to);
    }
}

/* ---- Filters --------------------------------------------------------------------------------- */

/* What is added to the sums of a filter of all: the bias, and the part of zero points that is the
 * same for all pixels. */
static int32_t shift_of(const convolution *self, int64_t filter, const int8_t *weights,
                        int32_t zero)
{
    const routine_call *call = self->call;
    int32_t shift = self->x_zero * ((int32_t)self->depth * zero - sum_bytes(weights, self->depth));

    if (self->scaled && routine_has(call, self->of.bias))
        shift += (int32_t)routine_whole(&call->in[self->of.bias], filter);
    return shift;
}

/* Of a group: signed, and each padded to a multiple of 4. */
static void take_filters(convolution *self, int64_t group)
{
    const uint8_t *from = self->call->in[self->of.b].data;
    const int64_t stride = (self->depth + 3) / 4 * 4;
    const bool lie = self->flip_w == 0 && stride == self->depth;

    from += group * self->filters * self->depth;
    self->weights = lie ? (const int8_t *)from : self->copied;
    self->has_zeros = false;
    for (int64_t f = 0; f < self->filters; f++) {
        const int64_t filter = group * self->filters + f;
        int8_t *copied = self->copied + f * stride;

        if (!lie) {
            memset(copied + stride - 4, 0, 4);
            flip_bytes(from + f * self->depth, self->depth, self->flip_w, copied);
        }
        self->zero[f] = (int32_t)routine_zero(self->call, self->of.b_zero, filter) - self->flip_w;
        self->has_zeros |= self->zero[f] != 0;
        self->shift[f] = shift_of(self, filter, self->weights + f * stride, self->zero[f]);
        self->scale[f] = self->scaled ? result_scale(self->call, &self->of, filter) : 0;
    }
}

/* `count` sums of filter f of the group, to elements from `at` on. */
static void put_cells(const convolution *self, int64_t f, const int32_t *sum, int64_t count,
                      int64_t at)
{
    const routine_tensor *out = self->call->out;

    if (self->scaled) {
        put_bytes(out, at, sum, count, self->shift[f], self->scale[f],
                  (float)routine_zero(self->call, self->of.y_zero, 0));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)out->data)[at + i] = sum[i] + self->shift[f];
}

/* ---- By tiles -------------------------------------------------------------------------------- */

/* Bytes of `count` cells from place x of a row on, from the copy moved by what is read; up to 16
 * bytes more are read and written. */
static void gather_cells(const convolution *self, const uint8_t *from, int64_t row, int64_t x,
                         int count, uint8_t *to)
{
    for (int at = 0; at < count && row < self->out[0] * self->out[1]; row++, x = 0) {
        const uint8_t *source = from + self->start[row] + x;
        int64_t length = self->out[2] - x;

        length = length > count - at ? count - at : length;
        for (int64_t i = 0; i < length; i += 16)
            memcpy(to + at + i, source + i, 16);
        at += (int)length;
    }
}

static void pack_cells(const convolution *self, int64_t cell, int count, uint8_t *panel)
{
    const uint8_t zeros[TILE_COLUMNS + 16] = {0};
    const int64_t y = cell / self->out[2], x = cell % self->out[2];
    const bool lies = x + count <= self->out[2] || self->out[2] == self->cells;
    uint8_t gathered[4][TILE_COLUMNS + 16] = {{0}};
    const uint8_t *image = self->image;
    int64_t p = 0;

    for (int64_t k = 0; k < self->depth; k += 4, panel += 4 * count) {
        const uint8_t *row[4];

        for (int j = 0; j < 4; j++) {
            row[j] = zeros;
            if (k + j >= self->depth)
                continue;
            row[j] = image + self->offset[p] + self->start[y] + x;
            if (!lies) {
                gather_cells(self, image + self->offset[p], y, x, count, gathered[j]);
                row[j] = gathered[j];
            }
            if (++p == self->points) {
                p = 0;
                image += self->plane;
            }
        }
        interleave(row, count, panel);
    }
}

/* A panel of `strips` strips from `cell` on, for all filters of a group; results from `to` on. */
static void compute_panel(const convolution *self, int64_t cell, int strips, uint8_t *panel,
                          int64_t to)
{
    const int64_t quarter = (self->depth + 3) / 4, left = self->cells - cell;
    const int count = left < 16 * strips ? (int)left : 16 * strips;
    int32_t sum[TILE_ROWS * TILE_COLUMNS], columns[TILE_COLUMNS];

    pack_cells(self, cell, 16 * strips, panel);
    if (self->has_zeros)
        sum_columns(panel, quarter, 16 * strips, columns);
    for (int64_t f = 0; f < self->filters; f += TILE_ROWS) {
        const int8_t *row[TILE_ROWS];

        for (int i = 0; i < TILE_ROWS; i++)
            row[i] =
                self->weights + (f + i < self->filters ? f + i : self->filters - 1) * 4 * quarter;
        multiply_tile(row, panel, quarter, strips, sum);
        for (int i = 0; i < TILE_ROWS && f + i < self->filters; i++) {
            int32_t *at = sum + i * TILE_COLUMNS;

            for (int m = 0; m < count && self->has_zeros; m++)
                at[m] -= self->zero[f + i] * columns[m];
            put_cells(self, f + i, at, count, to + (f + i) * self->cells + cell);
        }
    }
}

static void compute_tiles(const convolution *self, int64_t to)
{
    const int64_t panels = (self->cells + TILE_COLUMNS - 1) / TILE_COLUMNS;
    const int threads = panels_at_once(panels);

#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
    for (int t = 0; t < threads; t++) {
        int64_t cell = panels * t / threads * TILE_COLUMNS;
        int64_t end = panels * (t + 1) / threads * TILE_COLUMNS;

        end = end > self->cells ? self->cells : end;
        while (cell < end) {
            const int strips = strips_of(end - cell);

            compute_panel(self, cell, strips, self->panels + t * panel_bytes(self->depth), to);
            cell += 16 * strips;
        }
    }
}

/* ---- By rows --------------------------------------------------------------------------------- */

/* sum[i] = the sum over places p of weight[p] from[offset[p] + i], i < 64 */
static void sum_places(const uint8_t *from, const int64_t *offset, const int32_t *weight,
                       int64_t points, int32_t *sum)
{
#ifdef INTEGERS_VNNI
    __m512i at[4];

    for (int s = 0; s < 4; s++)
        at[s] = _mm512_setzero_si512();
    for (int64_t p = 0; p < points; p++) {
        const __m512i factor = _mm512_set1_epi32(weight[p] & 0xffff);

        for (int s = 0; s < 4; s++) {
            const void *bytes = from + offset[p] + 16 * s;
            const __m512i x = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)bytes));

            at[s] = _mm512_dpwssd_epi32(at[s], x, factor);
        }
    }
    for (int s = 0; s < 4; s++)
        _mm512_storeu_si512(sum + 16 * s, at[s]);
#else
    int32_t at[64] = {0};

    for (int64_t p = 0; p < points; p++) {
        for (int i = 0; i < 64; i++)
            at[i] += weight[p] * from[offset[p] + i];
    }
    memcpy(sum, at, sizeof at);
#endif
}

/* Filter f of a group of one channel, which is copied. Results from `to` on. */
static void compute_rows(const convolution *self, int64_t f, int64_t to)
{
    const int8_t *weights = self->weights + f * ((self->depth + 3) / 4 * 4);
    const bool whole = row_of_sums(self) == self->plane;
    int32_t weight[PLACES];
    int64_t done = -1;

    for (int64_t p = 0; p < self->points; p++)
        weight[p] = weights[p] - self->zero[f];
    for (int64_t r = 0; r < self->out[0] * self->out[1]; r++) {
        const int64_t start = self->start[r];
        int32_t *sum = self->sums + (whole ? start : 0);

        for (int64_t i = whole && done > start ? done : start; i < start + self->out[2]; i += 64) {
            sum_places(self->image + i, self->offset, weight, self->points, sum + (i - start));
            done = i + 64;
        }
        put_cells(self, f, sum, self->out[2], to + f * self->cells + r * self->out[2]);
    }
}

/* ---- Any types ------------------------------------------------------------------------------- */

/* The sum of a window: image b of the batch, output channel o, output place `at`. */
static int64_t window_sum(const routine_call *call, const product_inputs *of, int64_t b, int64_t o,
                          const int64_t *at)
{
    const routine_tensor *x = &call->in[of->a], *w = &call->in[of->b];
    const int64_t *stride = call->whole + 2, *dilation = stride + 3, *before = dilation + 3;
    int dims = x->dims - 2;
    int64_t channels = w->extent[1], group = o / (w->extent[0] / call->whole[1]);
    int64_t points = routine_product(w, 2, w->dims), sum = 0;
    int64_t a_zero = (int64_t)routine_zero(call, of->a_zero, 0);
    int64_t b_zero = (int64_t)routine_zero(call, of->b_zero, o);

    for (int64_t p = 0; p < points; p++) {
        int64_t rest = p, place = 0, step = 1, plane = routine_product(x, 2, x->dims);
        bool inside_image = true;

        for (int d = dims - 1; d >= 0; d--) {
            int64_t k = rest % w->extent[2 + d];
            int64_t i = at[d] * stride[d] + k * dilation[d] - before[d];

            rest /= w->extent[2 + d];
            inside_image &= i >= 0 && i < x->extent[2 + d];
            place += i * step;
            step *= x->extent[2 + d];
        }
        for (int64_t c = 0; c < channels && inside_image; c++)
            sum += (routine_whole(x, (b * x->extent[1] + group * channels + c) * plane + place) -
                    a_zero) *
                   (routine_whole(w, (o * channels + c) * points + p) - b_zero);
    }
    return sum;
}

static void compute_windows(const convolution *self)
{
    const routine_call *call = self->call;
    const routine_tensor *out = call->out;
    int64_t cells = routine_product(out, 2, out->dims);

    for (int64_t i = 0, count = routine_elements(out); i < count; i++) {
        int64_t rest = i % cells, o = i / cells % out->extent[1], at[3] = {0}, sum = 0;

        for (int d = out->dims - 3; d >= 0; d--) {
            at[d] = rest % out->extent[2 + d];
            rest /= out->extent[2 + d];
        }
        sum = window_sum(call, &self->of, i / cells / out->extent[1], o, at);
        if (self->scaled && routine_has(call, self->of.bias))
            sum += routine_whole(&call->in[self->of.bias], o);
        put_sum(call, &self->of, self->scaled, i, o, sum);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

static void compute_group(convolution *self, int64_t image, int64_t group)
{
    const uint8_t *x = self->call->in[self->of.a].data;
    const int64_t channel = (image * self->groups + group) * self->channels;

    take_filters(self, group);
    for (int64_t c = 0; c < self->channels; c++)
        copy_channel(self, x + channel * self->in[0] * self->in[1] * self->in[2], c);
    compute_tiles(self, (image * self->groups + group) * self->filters * self->cells);
}

/* Groups of one channel, with few filters. */
static void compute_channels(const convolution *self, int64_t image)
{
    const uint8_t *x = self->call->in[self->of.a].data;
    const int threads = panels_at_once(self->groups);

#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
    for (int t = 0; t < threads; t++) {
        convolution own = *self;

        own.image += t * bytes_of_copy(self);
        own.sums += t * (row_of_sums(self) + 64);
        own.copied += t * self->filters * ((self->depth + 3) / 4 * 4);
        own.shift += t * self->filters;
        own.zero += t * self->filters;
        own.scale += t * self->filters;
        for (int64_t g = self->groups * t / threads; g < self->groups * (t + 1) / threads; g++) {
            const int64_t number = image * self->groups + g;

            take_filters(&own, g);
            copy_channel(&own, x + number * own.in[0] * own.in[1] * own.in[2], 0);
            for (int64_t f = 0; f < own.filters; f++)
                compute_rows(&own, f, number * own.filters * own.cells);
        }
    }
}

/* whole: whether it is a QLinear operator, groups, then strides, dilations and padding before, of
 * three dimensions. */
const char *routine_whole_convolution(const routine_call *call)
{
    convolution self = convolution_of(call);

    if (!is_tiled_convolution(&self)) {
        compute_windows(&self);
        return NULL;
    }
    lay_convolution(&self, call->memory);
    self.x_zero = (int32_t)routine_zero(call, self.of.a_zero, 0) + self.flip_x;
    place_rows(&self);
    memset(self.image, self.x_zero,
           (size_t)(bytes_of_copy(&self) * (has_few(&self) ? TILE_THREADS : 1)));
    for (int64_t i = 0; i < call->in[self.of.a].extent[0]; i++) {
        if (has_few(&self))
            compute_channels(&self, i);
        for (int64_t g = 0; g < self.groups && !has_few(&self); g++)
            compute_group(&self, i, g);
    }
    return NULL;
}
