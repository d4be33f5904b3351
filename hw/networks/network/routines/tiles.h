/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of products of bytes, by tiles: TILE_ROWS rows a[r][k] of signed bytes by up to
 * TILE_STRIPS strips of 16 columns b[k][m] of unsigned bytes. Bytes of the other kind are 128 more
 * or less, with their zero points. Of convolutions the rows are filters and the columns pixels; k
 * runs over channels and places of the window, as weights lie in memory. A panel holds the bytes of
 * columns for four k side by side, as the instructions of VNNI take them. */

#ifndef OPEVO_TILES_H
#define OPEVO_TILES_H

#include "routines.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined __AVX512VNNI__ && defined __AVX512BW__ && defined __AVX512VL__
#define INTEGERS_VNNI
#endif
#if defined INTEGERS_VNNI || defined __SSE2__
#include <immintrin.h>
#endif

enum { TILE_ROWS = 8, TILE_STRIPS = 3, TILE_COLUMNS = 16 * TILE_STRIPS, TILE_THREADS = 8 };
enum { TILE_DEPTH = 32768 }; /* most terms: 255 * 255 * 32768 < 2^31 */

/* Where a and b, their zeros, and for QLinear operators scales are among the inputs; -1: none. */
typedef struct product_inputs {
    int a, b, a_zero, b_zero, a_scale, b_scale, y_scale, y_zero, bias;
} product_inputs;

static inline product_inputs inputs_of(bool scaled)
{
    const product_inputs whole = {0, 1, 2, 3, -1, -1, -1, -1, -1};
    const product_inputs linear = {0, 3, 2, 5, 1, 4, 6, 7, 8};

    return scaled ? linear : whole;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Of QLinear operators. `column`: of b. */
static inline float result_scale(const routine_call *call, const product_inputs *of, int64_t column)
{
    int64_t scales = routine_elements(&call->in[of->b_scale]);

    return (float)routine_number(&call->in[of->a_scale], 0) *
           (float)routine_number(&call->in[of->b_scale], scales == 1 ? 0 : column) /
           (float)routine_number(&call->in[of->y_scale], 0);
}

/* The sum as int32, or for QLinear operators scaled and rounded. `column`: of b. */
static inline void put_sum(const routine_call *call, const product_inputs *of, bool scaled,
                           int64_t i, int64_t column, int64_t sum)
{
    if (!scaled) {
        routine_set_whole(call->out, i, sum);
        return;
    }
    routine_set_number(
        call->out, i,
        routine_saturated((double)rintf((float)sum * result_scale(call, of, column)) +
                              routine_zero(call, of->y_zero, 0),
                          call->out->type));
}

/* x rounded, in the range that is least ... least + 255, to a byte; NaN is the least. */
static inline uint8_t byte_of(float x, float least, float zero)
{
    x = rintf(x);
    x = x > least ? x : least;
    x = x < least + 255 ? x : least + 255;
    return (uint8_t)(int32_t)(x + zero);
}

/* Sums and `shift`, scaled, as bytes: as put_sum of each. */
static inline void put_bytes(const routine_tensor *out, int64_t at, const int32_t *sum,
                             int64_t count, int32_t shift, float scale, float zero)
{
    const float least = (float)(out->type == ROUTINE_INT8 ? -128 : 0) - zero;
    uint8_t *to = (uint8_t *)out->data + at;

#ifdef INTEGERS_VNNI
    for (int64_t i = 0; i < count; i += 16) {
        const __mmask16 mask = (__mmask16)(count - i < 16 ? (1 << (count - i)) - 1 : 0xffff);
        __m512i whole = _mm512_maskz_loadu_epi32(mask, sum + i);
        __m512 x = _mm512_cvtepi32_ps(_mm512_add_epi32(whole, _mm512_set1_epi32(shift)));

        x = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(scale)),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        x = _mm512_max_ps(x, _mm512_set1_ps(least)); /* this one where x is NaN */
        x = _mm512_min_ps(x, _mm512_set1_ps(least + 255));
        whole = _mm512_cvttps_epi32(_mm512_add_ps(x, _mm512_set1_ps(zero)));
        if (mask == 0xffff)
            _mm_storeu_si128((__m128i *)(void *)(to + i), _mm512_cvtepi32_epi8(whole));
        else
            _mm_mask_storeu_epi8(to + i, mask, _mm512_cvtepi32_epi8(whole));
    }
#else
    for (int64_t i = 0; i < count; i++)
        to[i] = byte_of((float)(sum[i] + shift) * scale, least, zero);
#endif
}

/* The same with a scale of each. */
static inline void put_scaled_bytes(const routine_tensor *out, int64_t at, const int32_t *sum,
                                    int count, const float *scale, float zero)
{
    const float least = (float)(out->type == ROUTINE_INT8 ? -128 : 0) - zero;
    uint8_t *to = (uint8_t *)out->data + at;

    for (int i = 0; i < count; i++)
        to[i] = byte_of((float)sum[i] * scale[i], least, zero);
}

static inline bool is_byte(int type)
{
    return type == ROUTINE_INT8 || type == ROUTINE_UINT8;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

#ifdef INTEGERS_VNNI
#define STRIPS(name, strips)                                                                       \
    static inline void name(const int8_t *const *a, const uint8_t *b, int64_t quarter,             \
                            int32_t *sum)                                                          \
    {                                                                                              \
        __m512i at[TILE_ROWS][strips];                                                             \
                                                                                                   \
        for (int r = 0; r < TILE_ROWS; r++)                                                        \
            for (int s = 0; s < strips; s++)                                                       \
                at[r][s] = _mm512_setzero_si512();                                                 \
        for (int64_t k = 0; k < quarter; k++, b += 64 * strips) {                                  \
            __m512i x[strips];                                                                     \
                                                                                                   \
            for (int s = 0; s < strips; s++)                                                       \
                x[s] = _mm512_loadu_si512(b + 64 * s);                                             \
            for (int r = 0; r < TILE_ROWS; r++) {                                                  \
                int32_t four = 0;                                                                  \
                                                                                                   \
                memcpy(&four, a[r] + 4 * k, sizeof four);                                          \
                for (int s = 0; s < strips; s++)                                                   \
                    at[r][s] = _mm512_dpbusd_epi32(at[r][s], x[s], _mm512_set1_epi32(four));       \
            }                                                                                      \
        }                                                                                          \
        for (int r = 0; r < TILE_ROWS; r++)                                                        \
            for (int s = 0; s < strips; s++)                                                       \
                _mm512_storeu_si512(sum + r * TILE_COLUMNS + 16 * s, at[r][s]);                    \
    }

STRIPS(multiply_strip_1, 1)
STRIPS(multiply_strip_2, 2)
STRIPS(multiply_strip_3, 3)
#undef STRIPS
#endif

/* sum[r][m] = the sum over k < 4 quarter of a[r][k] b[k][m], m < 16 strips */
static inline void multiply_tile(const int8_t *const *a, const uint8_t *b, int64_t quarter,
                                 int strips, int32_t *sum)
{
#ifdef INTEGERS_VNNI
    if (strips == 1)
        multiply_strip_1(a, b, quarter, sum);
    else if (strips == 2)
        multiply_strip_2(a, b, quarter, sum);
    else
        multiply_strip_3(a, b, quarter, sum);
#else
    memset(sum, 0, sizeof *sum * TILE_ROWS * TILE_COLUMNS);
    for (int64_t k = 0; k < quarter; k++, b += 64 * strips) {
        for (int r = 0; r < TILE_ROWS; r++) {
            const int8_t *w = a[r] + 4 * k;
            int32_t *to = sum + r * TILE_COLUMNS;

            for (int m = 0; m < 16 * strips; m++)
                to[m] += w[0] * b[4 * m] + w[1] * b[4 * m + 1] + w[2] * b[4 * m + 2] +
                         w[3] * b[4 * m + 3];
        }
    }
#endif
}

/* Four rows of columns side by side. */
static inline void interleave(const uint8_t *const *row, int count, uint8_t *to)
{
#ifdef __SSE2__
    for (int i = 0; i < count; i += 16) {
        __m128i x[4], low, high;

        for (int j = 0; j < 4; j++)
            x[j] = _mm_loadu_si128((const __m128i *)(const void *)(row[j] + i));
        low = _mm_unpacklo_epi8(x[0], x[1]);
        high = _mm_unpacklo_epi8(x[2], x[3]);
        _mm_storeu_si128((__m128i *)(void *)(to + 4 * i), _mm_unpacklo_epi16(low, high));
        _mm_storeu_si128((__m128i *)(void *)(to + 4 * i + 16), _mm_unpackhi_epi16(low, high));
        low = _mm_unpackhi_epi8(x[0], x[1]);
        high = _mm_unpackhi_epi8(x[2], x[3]);
        _mm_storeu_si128((__m128i *)(void *)(to + 4 * i + 32), _mm_unpacklo_epi16(low, high));
        _mm_storeu_si128((__m128i *)(void *)(to + 4 * i + 48), _mm_unpackhi_epi16(low, high));
    }
#else
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 4; j++)
            to[4 * i + j] = row[j][i];
#endif
}

/* Bytes of a panel of `depth` terms, with what is gathered for it. */
static inline int64_t panel_bytes(int64_t depth)
{
    return (depth + 3) / 4 * 4 * TILE_COLUMNS;
}

/* How many columns of `left` the next panel takes, in strips of 16: what is left is shared by two
 * panels rather than by a full one and a small one. */
static inline int strips_of(int64_t left)
{
    int64_t strips = (left + 15) / 16;

    return strips <= TILE_STRIPS ? (int)strips : strips == TILE_STRIPS + 1 ? 2 : TILE_STRIPS;
}

static inline int panels_at_once(int64_t panels)
{
    int threads = 1;

#ifdef _OPENMP
    threads = omp_get_max_threads();
#endif
    threads = threads > TILE_THREADS ? TILE_THREADS : threads;
    return panels < threads ? (int)panels : threads;
}

/* Sums over k of each column of a panel. */
static inline void sum_columns(const uint8_t *panel, int64_t quarter, int count, int32_t *sum)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    for (int64_t k = 0; k < quarter; k++, panel += 4 * count) {
        for (int i = 0; i < count; i++)
            sum[i] += panel[4 * i] + panel[4 * i + 1] + panel[4 * i + 2] + panel[4 * i + 3];
    }
}

static inline int32_t sum_bytes(const int8_t *from, int64_t count)
{
    int32_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

/* to[i] = from[i] ^ flip */
static inline void flip_bytes(const void *from, int64_t count, uint8_t flip, void *to)
{
    const uint8_t *x = from;
    uint8_t *y = to;

    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] ^ flip;
}

/* Memory is handed out in pieces whose lengths are multiples of 64 bytes. */
static inline void *take_piece(char **memory, int64_t bytes)
{
    void *piece = *memory;

    *memory += (bytes + 63) / 64 * 64;
    return piece;
}

#endif
