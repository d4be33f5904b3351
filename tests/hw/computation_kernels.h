/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Hand-written kernels of computations, and a maker whose points are ways to be wrong. */

#ifndef OPEVO_TESTS_COMPUTATION_KERNELS_H
#define OPEVO_TESTS_COMPUTATION_KERNELS_H

#include "check.h"

#include <opevo/computation_named.h>
#include <opevo/kernel.h>
#include <opevo/live.h>
#include <opevo/memory.h>

/* `o` is the last output, of COUNT elements; the source ends in front of the closing brace. */
typedef struct computation_kernel {
    const char *name, *what, *source;
} computation_kernel;

/* What is done to a right kernel: before and after it. */
typedef struct spoilt_kernel {
    const char *name, *before, *after;
    opevo_outcome_class kind;
    const char *message;
} spoilt_kernel;

static const spoilt_kernel spoilt_kernels[] = {
    {"right", "", "", OPEVO_OUTCOME_OK, NULL},
    {"off", "", "o[COUNT / 2] = 1.001f * o[COUNT / 2] + 1e-6f;", OPEVO_OUTCOME_WRONG, "1 of "},
    {"nan", "", "o[COUNT - 1] = __builtin_nanf(\"\");", OPEVO_OUTCOME_WRONG, " which is nan"},
    {"beyond", "", "o[COUNT] = 1;", OPEVO_OUTCOME_WRONG, "wrote outside"},
    {"far", "", "((volatile float *)o)[COUNT + 16] = 1;", OPEVO_OUTCOME_CRASHED, "signal 11"},
    {"reads", "float read = o[COUNT - 1];", "o[COUNT - 1] += read;", OPEVO_OUTCOME_WRONG, "1 of "},
    {"unwritten", "return;", "", OPEVO_OUTCOME_WRONG, "which was not written"},
    {"input", "*(volatile float *)first = 1;", "", OPEVO_OUTCOME_CRASHED, "signal 11"},
    {"crash", "__builtin_trap();", "", OPEVO_OUTCOME_CRASHED, "signal"},
    {"hang", "for (volatile int i = 0;; i++) {}", "", OPEVO_OUTCOME_TIMEOUT, "longer than"},
};
enum { SPOILT_KERNELS = sizeof spoilt_kernels / sizeof *spoilt_kernels };

#define BATCH_NORM_TEXT                                                                            \
    "X[i:7, c:5]; const mean[c]; const var[c]\n"                                                   \
    "Y[i, c] = (X[i, c] - mean[c])/sqrt(var[c] + 1e-5)"
#define TWO_OUTPUTS_TEXT "A[i:6, k:9]; B[k]; S[i] = sum(k) A[i, k]*B[k]; L[i] = max(k) A[i, k]"
#define TWENTY_TEXT                                                                                \
    "Y[i:9] = A0[i] + A1[i] + A2[i] + A3[i] + A4[i] + A5[i] + A6[i] + A7[i] + A8[i] + A9[i] "      \
    "+ B0[i] + B1[i] + B2[i] + B3[i] + B4[i] + B5[i] + B6[i] + B7[i] + B8[i] + B9[i]"

static const computation_kernel computation_kernels[] = {
    {"c2d", "c2d(1,9,8,3,5,3,2,1)",
     "enum { COUNT = 5 * 4 * 5 };\n"
     "void kernel(const float *first, const float *w, float *o) { BEFORE\n"
     "  for (int h = 0; h < 5; h++) for (int x = 0; x < 4; x++) for (int f = 0; f < 5; f++) {\n"
     "    float sum = 0;\n"
     "    for (int r = 0; r < 3; r++) for (int s = 0; s < 3; s++) for (int c = 0; c < 3; c++) {\n"
     "      int y = 2 * h + r - 1, z = 2 * x + s - 1;\n"
     "      if (y >= 0 && y < 9 && z >= 0 && z < 8)\n"
     "        sum += first[(y * 8 + z) * 3 + c] * w[((r * 3 + s) * 3 + c) * 5 + f]; }\n"
     "    o[(h * 4 + x) * 5 + f] = sum; }\n"},
    {"conv-layer", "conv-layer(1,6,6,2,3,3,1,1)",
     "enum { COUNT = 6 * 6 * 3 };\n"
     "void kernel(const float *first, const float *w, const float *scale, const float *shift,\n"
     "            float *o) { BEFORE\n"
     "  for (int h = 0; h < 6; h++) for (int x = 0; x < 6; x++) for (int f = 0; f < 3; f++) {\n"
     "    float sum = 0;\n"
     "    for (int r = 0; r < 3; r++) for (int s = 0; s < 3; s++) for (int c = 0; c < 2; c++) {\n"
     "      int y = h + r - 1, z = x + s - 1;\n"
     "      if (y >= 0 && y < 6 && z >= 0 && z < 6)\n"
     "        sum += first[(y * 6 + z) * 2 + c] * w[((r * 3 + s) * 2 + c) * 3 + f]; }\n"
     "    sum = sum * scale[f] + shift[f];\n"
     "    o[(h * 6 + x) * 3 + f] = sum > 0 ? sum : 0; }\n"},
    {"softmax", "softmax(5,37)",
     "enum { COUNT = 5 * 37 };\n"
     "void kernel(const float *first, float *o) { BEFORE\n"
     "  for (int i = 0; i < 5; i++) {\n"
     "    float most = first[i * 37], sum = 0;\n"
     "    for (int j = 1; j < 37; j++)\n"
     "      most = first[i * 37 + j] > most ? first[i * 37 + j] : most;\n"
     "    for (int j = 0; j < 37; j++)\n"
     "      sum += o[i * 37 + j] = __builtin_expf(first[i * 37 + j] - most);\n"
     "    for (int j = 0; j < 37; j++) o[i * 37 + j] /= sum; }\n"},
    {"attention", "attention(1,2,7,3)",
     "enum { COUNT = 2 * 7 * 3 };\n"
     "void kernel(const float *first, const float *k, const float *v, float *o) { BEFORE\n"
     "  for (int h = 0; h < 2; h++) for (int i = 0; i < 7; i++) {\n"
     "    float s[7], most = -1e30f, sum = 0;\n"
     "    for (int j = 0; j < 7; j++) { s[j] = 0;\n"
     "      for (int d = 0; d < 3; d++)\n"
     "        s[j] += first[(h * 7 + i) * 3 + d] * k[(h * 7 + j) * 3 + d];\n"
     "      most = s[j] > most ? s[j] : most; }\n"
     "    for (int j = 0; j < 7; j++)\n"
     "      sum += s[j] = __builtin_expf((s[j] - most) / __builtin_sqrtf(3));\n"
     "    for (int d = 0; d < 3; d++) { float all = 0;\n"
     "      for (int j = 0; j < 7; j++) all += s[j] / sum * v[(h * 7 + j) * 3 + d];\n"
     "      o[(h * 7 + i) * 3 + d] = all; } }\n"},
    {"norm", "nrm(3,5,41)",
     "enum { COUNT = 3 };\n"
     "void kernel(const float *first, float *o) { BEFORE\n"
     "  for (int b = 0; b < 3; b++) { float sum = 0;\n"
     "    for (int i = 0; i < 205; i++) sum += first[b * 205 + i] * first[b * 205 + i];\n"
     "    o[b] = __builtin_sqrtf(sum); }\n"},
    {"batch-norm", BATCH_NORM_TEXT,
     "enum { COUNT = 35 };\n"
     "void kernel(const float *first, const float *mean, const float *var, float *o) { BEFORE\n"
     "  for (int i = 0; i < 35; i++)\n"
     "    o[i] = (first[i] - mean[i % 5]) / __builtin_sqrtf(var[i % 5] + 1e-5f);\n"},
    {"two", TWO_OUTPUTS_TEXT,
     "enum { COUNT = 6 };\n"
     "void kernel(const float *first, const float *b, float *s, float *o) { BEFORE\n"
     "  for (int i = 0; i < 6; i++) { float sum = 0, most = first[i * 9];\n"
     "    for (int k = 0; k < 9; k++) { sum += first[i * 9 + k] * b[k];\n"
     "      most = first[i * 9 + k] > most ? first[i * 9 + k] : most; }\n"
     "    s[i] = sum; o[i] = most; }\n"},
    {"twenty", TWENTY_TEXT,
     "enum { COUNT = 9 };\n"
     "#define P(n) const float *n\n"
     "void kernel(P(first), P(b), P(c), P(d), P(e), P(f), P(g), P(h), P(i), P(j), P(k), P(l),\n"
     "            P(m), P(n), P(p), P(q), P(r), P(s), P(t), P(u), float *o) { BEFORE\n"
     "  for (int x = 0; x < 9; x++)\n"
     "    o[x] = first[x] + b[x] + c[x] + d[x] + e[x] + f[x] + g[x] + h[x] + i[x] + j[x] + k[x]\n"
     "      + l[x] + m[x] + n[x] + p[x] + q[x] + r[x] + s[x] + t[x] + u[x];\n"},
    {"half", "float16 A[i:9, k:40]; bfloat16 B[k]; float16 C[i] = sum(k) A[i, k]*B[k]",
     "enum { COUNT = 9 };\n"
     "void kernel(const _Float16 *first, const unsigned short *b, _Float16 *o) { BEFORE\n"
     "  for (int i = 0; i < 9; i++) { float sum = 0;\n"
     "    for (int k = 0; k < 40; k++) {\n"
     "      union { unsigned bits; float value; } right = {(unsigned)b[k] << 16};\n"
     "      sum += first[i * 40 + k] * right.value; }\n"
     "    o[i] = sum; }\n"},
};
enum { COMPUTATION_KERNELS = sizeof computation_kernels / sizeof *computation_kernels };

/* ---- The maker ---- */

typedef struct computation_maker {
    opevo_kernel_maker super;
    const computation_kernel *kernel;
    opevo_space *space;
    opevo_computation *computation;
} computation_maker;

static inline opevo_status computation_make(const opevo_kernel_maker *super, opevo_index point,
                                            opevo_kernel *out, opevo_outcome_class *refused,
                                            opevo_text *why, opevo_error *err)
{
    const computation_maker *self = (const computation_maker *)super;
    const spoilt_kernel *spoilt = &spoilt_kernels[(size_t)point];

    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "kernel");
    for (int i = 0; i < 3; i++)
        out->grid[i] = out->block[i] = 1;
    opevo_text_printf(&out->source, "#define BEFORE %s\n%s%s}\n", spoilt->before,
                      self->kernel->source, spoilt->after);
    return opevo_text_check(&out->source, err);
}

static inline void computation_maker_destroy(opevo_kernel_maker *super)
{
    computation_maker *self = (computation_maker *)super;

    opevo_space_destroy(self->space);
    opevo_computation_destroy(self->computation);
    opevo_free(self);
}

static const opevo_kernel_maker_ops computation_maker_ops = {.make = computation_make,
                                                             .destroy = computation_maker_destroy};

static inline opevo_kernel_maker *computation_maker_create(const computation_kernel *kernel)
{
    computation_maker *self = opevo_calloc(1, sizeof *self);
    opevo_text json = {0};

    assert_non_null(self);
    self->kernel = kernel;
    opevo_text_add(&json, "{\"kernel\": {\"_type\": \"choice\", \"_value\": [");
    for (size_t i = 0; i < SPOILT_KERNELS; i++)
        opevo_text_printf(&json, "%s\"%s\"", i ? ", " : "", spoilt_kernels[i].name);
    opevo_text_add(&json, "]}}");
    CHECK_OK(opevo_space_parse(json.data, "kernels", NULL, &self->space, &err));
    CHECK_OK(opevo_computation_read(kernel->what, &self->computation, &err));
    self->super = (opevo_kernel_maker){.ops = &computation_maker_ops,
                                       .space = self->space,
                                       .computation = self->computation,
                                       .name = "by-hand",
                                       .dialect = OPEVO_KERNEL_C,
                                       .signature = 7};
    opevo_text_free(&json);
    return &self->super;
}

#endif
