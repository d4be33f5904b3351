/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The operators of Ansor's evaluation, products and convolutions as libraries see them:
 * convolutions with channels first, products of matrices, norms. A computation whose operands have
 * another order is brought into this one by permutations, outside everything that is timed. */

#ifndef OPEVO_TESTS_BENCH_LIBRARY_CASE_H
#define OPEVO_TESTS_BENCH_LIBRARY_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum library_kind {
    LIBRARY_CONVOLUTION,
    LIBRARY_TRANSPOSED, /* convolution */
    LIBRARY_PRODUCT,
    LIBRARY_TURNED, /* S[b,h,i,j] = sum_k Q[b,i,h,k] K[b,j,h,k] */
    LIBRARY_NORM
} library_kind;

enum { LIBRARY_DIMS = 6, LIBRARY_SPATIAL = 3 };

typedef struct library_case {
    library_kind kind;
    /* Convolutions: images, channels of all groups, and the extents of `spatial` dimensions. */
    int spatial;
    int64_t images, in, out, groups;
    int64_t size[LIBRARY_SPATIAL], out_size[LIBRARY_SPATIAL];
    int64_t kernel, stride, pad, dilation;
    bool relu; /* scale by channel, shift by channel, max(., 0) */
    /* Products: batch times rows x depth by depth x columns. TURNED: `in` heads, square. NORM:
     * batch times rows x columns. */
    int64_t batch, rows, columns, depth;
    /* Input, weights (or second factor) and output of the computation: their extents, and which of
     * these becomes the k-th dimension for libraries. */
    struct {
        int dims;
        int64_t extent[LIBRARY_DIMS];
        int from[LIBRARY_DIMS];
    } operand[3];
} library_case;

/* Of a computation's name with numbers, such as "c2d(1,14,14,256,256,3,1,1)", or of an operator,
 * such as "mm1"; false for others. */
bool library_case_read(const char *name, library_case *out);
/* Elements of an operand. */
int64_t library_case_elements(const library_case *self, int which);
/* The operand as libraries take it, from the computation's order or, if `back`, into it. */
void library_case_permute(const library_case *self, int which, bool back, const float *in,
                          float *out);

/* Operands in the libraries' order: input, weights, output; scale and shift by channel with
 * `relu`, NULL otherwise. */
typedef struct library_operands {
    const float *input, *weights, *scale, *shift;
    float *output;
} library_operands;

/* One way to compute a case. The weights are known when it is prepared: packing them is not in the
 * time of a run, nor are reorders of what has layouts of the library's own. */
typedef struct library_contender {
    const char *name;
    /* NULL where the library is absent or does not compute such cases. */
    void *(*prepare)(const library_case *self, const library_operands *operands, int threads);
    bool (*run)(void *context);
    /* Bring the result into operands.output. */
    bool (*fetch)(void *context);
    void (*destroy)(void *context);
} library_contender;

extern const library_contender library_onednn, library_openblas, library_onnx;

#endif
