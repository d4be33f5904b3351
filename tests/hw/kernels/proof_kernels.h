/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for proofs: each with what it computes, how it is called, and faults, which are chosen by
 * a macro CASE. With 0 they are right. */

#ifndef OPEVO_PROOF_KERNELS_H
#define OPEVO_PROOF_KERNELS_H

#include "proof_fixture.h"

static const proof_kernel proof_kernels[] = {
    {"product in C",
     "void f(const float *A, const float *B, float *C, long n)\n"
     "{\n"
     "#if CASE == 6\n"
     "    float s = 0;\n"
     "#endif\n"
     "    for (long i = 0; i < n; i++)\n"
     "#if CASE == 1\n"
     "        for (long j = 0; j < n / 4 * 4; j++) {\n"
     "#else\n"
     "        for (long j = 0; j < n; j++) {\n"
     "#endif\n"
     "#if CASE == 8\n"
     "            float s;\n"
     "#elif CASE != 6\n"
     "            float s = 0;\n"
     "#endif\n"
     "#if CASE == 2\n"
     "            for (long l = 0; l < n / 4 * 4; l++)\n"
     "#elif CASE == 5\n"
     "            for (long l = 1; l < n; l++)\n"
     "#elif CASE == 7\n"
     "            for (long l = 0; l <= n; l++)\n"
     "#else\n"
     "            for (long l = 0; l < n; l++)\n"
     "#endif\n"
     "#if CASE == 3\n"
     "                s += A[i * n + l] * B[j * n + l];\n"
     "#elif CASE == 9\n"
     "                s += A[i * n + l] * A[l * n + j];\n"
     "#elif CASE == 12\n"
     "                s = __builtin_fmaf(B[l * n + j], A[i * n + l], s);\n"
     "#else\n"
     "                s += A[i * n + l] * B[l * n + j];\n"
     "#endif\n"
     "#if CASE == 4\n"
     "            s += A[i * n + n - 1] * B[(n - 1) * n + j];\n"
     "#elif CASE == 10\n"
     "            if (i == n - 1 && j == n - 1)\n"
     "                s += 0.125f * A[0];\n"
     "#elif CASE == 11\n"
     "            if (s != s)\n"
     "                s = 0;\n"
     "#endif\n"
     "            C[i * n + j] = s;\n"
     "        }\n"
     "}\n",
     ".c",
     "A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]",
     "{\"buffers\": {" INPUT("A", "n*n") ", " INPUT("B", "n*n") ", " BUFFER(
         "C", "n*n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"A\", \"B\", \"C\", "
                     "{\"i64\": \"n\"}]}], \"outputs\": {\"C\": {\"absolute\": 0}}, "
                     "\"tune\": {\"sizes\": {\"n\": 7}}}",
     {{"tail of the results", true},
      {"tail of the sum", true},
      {"swapped operand", true},
      {"doubled term", true},
      {"lost term", true},
      {"stale accumulator", true},
      {"guard", true},
      {"uninitialised read", true},
      {"wrong operand", true},
      {"a term in one corner", true},
      {"a test for NaN", false},
      {"fused, operands turned", false}}},
    {"product in CUDA, tiled",
     "extern \"C\" __global__ void f(const float *A, const float *B, float *C, int n)\n"
     "{\n"
     "    __shared__ float a[4][4], b[4][4];\n"
     "    int x = threadIdx.x, y = threadIdx.y;\n"
     "    int i = blockIdx.y * 4 + y, j = blockIdx.x * 4 + x;\n"
     "    float s = 0;\n"
     "    for (int l = 0; l < n; l += 4) {\n"
     "#if CASE == 3\n"
     "        a[y][x] = A[i * n + l + x];\n"
     "        b[y][x] = B[(l + y) * n + j];\n"
     "#else\n"
     "        a[y][x] = i < n && l + x < n ? A[i * n + l + x] : 0;\n"
     "#if CASE == 4\n"
     "        b[y][x] = l + y < n && j < n ? B[(l + y) * n + j] : 1;\n"
     "#else\n"
     "        b[y][x] = l + y < n && j < n ? B[(l + y) * n + j] : 0;\n"
     "#endif\n"
     "#endif\n"
     "#if CASE != 1\n"
     "        __syncthreads();\n"
     "#endif\n"
     "#if CASE == 5\n"
     "        for (int t = 0; t < 3; t++)\n"
     "#else\n"
     "        for (int t = 0; t < 4; t++)\n"
     "#endif\n"
     "#if CASE == 6\n"
     "            s += a[y][t] * b[x][t];\n"
     "#else\n"
     "            s += a[y][t] * b[t][x];\n"
     "#endif\n"
     "#if CASE != 2\n"
     "        __syncthreads();\n"
     "#endif\n"
     "    }\n"
     "#if CASE == 7\n"
     "    if (i < n)\n"
     "        C[i * n + j] = s;\n"
     "#elif CASE == 8\n"
     "    if (i < n && j < n) {\n"
     "        C[i * n + j] = s;\n"
     "        C[0] = 0;\n"
     "    }\n"
     "#elif CASE == 9\n"
     "    if (i < n && j < n)\n"
     "        C[i * n + j] = s;\n"
     "    if (blockIdx.x == 1 && x == 0 && y == 0)\n"
     "        C[0] = A[0];\n"
     "#elif CASE == 12\n"
     "    if (i < n && j < n) {\n"
     "        C[i * n + j] = s;\n"
     "    }\n"
     "    if (x == 0 && i < n && j + 1 < n) {\n"
     "        s = 0;\n"
     "        for (int l = 0; l < n; l++)\n"
     "            s += A[i * n + l] * B[l * n + j + 1];\n"
     "        C[i * n + j + 1] = s;\n"
     "    }\n"
     "#elif CASE == 10\n"
     "    if (i < n && j < n - 1)\n"
     "        C[i * n + j] = s;\n"
     "#elif CASE == 11\n"
     "    if (x == 0)\n"
     "        __syncthreads();\n"
     "    if (i < n && j < n)\n"
     "        C[i * n + j] = s;\n"
     "#else\n"
     "    if (i < n && j < n)\n"
     "        C[i * n + j] = s;\n"
     "#endif\n"
     "}\n",
     ".cu",
     "A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]",
     "{\"buffers\": {" INPUT("A", "n*n") ", " INPUT("B", "n*n") ", " BUFFER(
         "C", "n*n") "}, \"steps\": [{\"launch\": \"f\", \"grid\": [\"ceil(n, 4)\", \"ceil(n, "
                     "4)\"], \"block\": [4, 4], \"arguments\": [\"A\", \"B\", \"C\", {\"i32\": "
                     "\"n\"}]}], \"outputs\": {\"C\": {\"absolute\": 0}}, "
                     "\"tune\": {\"sizes\": {\"n\": 6}}}",
     {{"missing barrier behind the loads", true},
      {"missing barrier behind the products", true},
      {"no guard of loads", true},
      {"wrong padding, which zeros hide", false},
      {"lost term", true},
      {"swapped operand", true},
      {"no guard of stores", true},
      {"race of different values", true},
      {"race of two blocks", true},
      {"tail", true},
      {"divergent barrier", true},
      {"race with the right result", true}}},
    {"Winograd's F(2, 3) in C",
     "void f(const float *X, const float *W, float *Y, long n)\n"
     "{\n"
     "    float u[4], half = 0.5f;\n"
     "#if CASE == 1\n"
     "    half = 0.25f;\n"
     "#endif\n"
     "    u[0] = W[0];\n"
     "    u[1] = half * (W[0] + W[1] + W[2]);\n"
     "#if CASE == 2\n"
     "    u[2] = 0.5f * (W[0] + W[1] + W[2]);\n"
     "#else\n"
     "    u[2] = 0.5f * (W[0] - W[1] + W[2]);\n"
     "#endif\n"
     "    u[3] = W[2];\n"
     "    for (long i = 0; i < n; i += 2) {\n"
     "        const float *d = X + i;\n"
     "        float m0 = (d[0] - d[2]) * u[0], m1 = (d[1] + d[2]) * u[1];\n"
     "        float m2 = (d[2] - d[1]) * u[2], m3 = (d[1] - d[3]) * u[3];\n"
     "#if CASE == 3\n"
     "        m3 = (d[1] + d[3]) * u[3];\n"
     "#endif\n"
     "        Y[i] = m0 + m1 + m2;\n"
     "#if CASE == 4\n"
     "        Y[i + 1] = m1 - m2 + m3;\n"
     "#elif CASE == 5\n"
     "        Y[i + 1] = m1 - (m2 + m3);\n"
     "#else\n"
     "        Y[i + 1] = m1 - m2 - m3;\n"
     "#endif\n"
     "    }\n"
     "}\n",
     ".c",
     "X[j:n+2]; W[r:3]; Y[i:n] = sum(r) X[i + r]*W[r]",
     "{\"buffers\": {" INPUT("X", "n+2") ", " INPUT("W", "3") ", " BUFFER(
         "Y", "n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"X\", \"W\", \"Y\", "
                   "{\"i64\": \"n\"}]}], \"outputs\": {\"Y\": {\"absolute\": 0}}, "
                   "\"tune\": {\"sizes\": {\"n\": 8}}}",
     {{"wrong constant", true},
      {"wrong sign in a transform", true},
      {"wrong sign of the data", true},
      {"wrong sign of the result", true},
      {"in another order", false}}},
    {"padded sums in C",
     "void f(const float *X, float *Y, long n)\n"
     "{\n"
     "    for (long i = 0; i < n; i++) {\n"
     "        float s = 0;\n"
     "        for (long r = -1; r <= 1; r++) {\n"
     "#if CASE == 1\n"
     "            long at = i + r < 0 ? 0 : i + r >= n ? n - 1 : i + r;\n"
     "            s += X[at];\n"
     "#elif CASE == 2\n"
     "            s += i + r > 0 && i + r < n ? X[i + r] : 0;\n"
     "#elif CASE == 3\n"
     "            s += i + r >= 0 ? X[i + r] : 0;\n"
     "#elif CASE == 4\n"
     "            s += i + r >= 0 && i + r < n ? X[i + r] : 1;\n"
     "#elif CASE == 5\n"
     "            s += X[(i + r + n) % n];\n"
     "#else\n"
     "            s += i + r >= 0 && i + r < n ? X[i + r] : 0;\n"
     "#endif\n"
     "        }\n"
     "#if CASE == 6\n"
     "        Y[i] = s * 0.33f;\n"
     "#elif CASE == 7\n"
     "        Y[i] = s * 0.33333334f;\n"
     "#else\n"
     "        Y[i] = s / 3;\n"
     "#endif\n"
     "    }\n"
     "}\n",
     ".c",
     "X[i:n]; P[j:n+2] = select(1 <= j and j <= n, X[j - 1], 0); Y[i] = sum(r:3) P[i + r]/3",
     "{\"buffers\": {" INPUT("X", "n") ", " BUFFER(
         "Y", "n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"X\", \"Y\", "
                   "{\"i64\": \"n\"}]}], \"outputs\": {\"Y\": {\"absolute\": 0}}, "
                   "\"tune\": {\"sizes\": {\"n\": 9}}}",
     {{"edge repeated", true},
      {"edge lost", true},
      {"no guard", true},
      {"padded with 1", true},
      {"wrapped", true},
      {"wrong constant", true},
      {"a third, rounded", false}}},
    {"softmax in C",
     "#include <math.h>\n"
     "void f(const float *X, float *Y, long n, long m)\n"
     "{\n"
     "    for (long i = 0; i < n; i++) {\n"
     "        const float *x = X + i * m;\n"
     "        float most = -INFINITY, sum = 0, e;\n"
     "#if CASE == 7\n"
     "        for (long j = 0; j < m; j++) {\n"
     "            float next = fmaxf(most, x[j]);\n"
     "            sum = sum * expf(most - next) + expf(x[j] - next);\n"
     "            most = next;\n"
     "        }\n"
     "#else\n"
     "#if CASE == 6\n"
     "        most = 0;\n"
     "#endif\n"
     "#if CASE == 5\n"
     "        for (long j = 0; j + 1 < m; j++)\n"
     "#else\n"
     "        for (long j = 0; j < m; j++)\n"
     "#endif\n"
     "            most = x[j] > most ? x[j] : most;\n"
     "#if CASE == 2\n"
     "        for (long j = 1; j < m; j++)\n"
     "#else\n"
     "        for (long j = 0; j < m; j++)\n"
     "#endif\n"
     "#if CASE == 1\n"
     "            sum += expf(x[j]);\n"
     "#else\n"
     "            sum += expf(x[j] - most);\n"
     "#endif\n"
     "#endif\n"
     "        for (long j = 0; j < m; j++) {\n"
     "#if CASE == 3\n"
     "            e = expf(x[j]);\n"
     "#elif CASE == 4\n"
     "            e = expf(most - x[j]);\n"
     "#else\n"
     "            e = expf(x[j] - most);\n"
     "#endif\n"
     "            Y[i * m + j] = e / sum;\n"
     "        }\n"
     "    }\n"
     "}\n",
     ".c",
     "X[i:n, j:m]; M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j) E[i, j]; "
     "Y[i, j] = E[i, j]/S[i]",
     "{\"buffers\": {" INPUT("X", "n*m") ", " BUFFER(
         "Y", "n*m") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"X\", \"Y\", "
                     "{\"i64\": \"n\"}, {\"i64\": \"m\"}]}], \"outputs\": {\"Y\": {\"absolute\": "
                     "0}}, \"tune\": {\"sizes\": {\"n\": 3, \"m\": 11}}}",
     {{"exponents of the sum without the maximum", true},
      {"lost term", true},
      {"exponent of the result without the maximum", true},
      {"swapped operands", true},
      {"a maximum of fewer, which cancels", false},
      {"a maximum with 0, which cancels", false},
      {"the sum in one pass", false}}},
    {"maximum in C",
     "void f(const float *X, float *Y, long n, long m)\n"
     "{\n"
     "    for (long i = 0; i < n; i++) {\n"
     "#if CASE == 1\n"
     "        float most = 0;\n"
     "#else\n"
     "        float most = X[i * m];\n"
     "#endif\n"
     "#if CASE == 2\n"
     "        for (long j = 1; j < m - 1; j++)\n"
     "#else\n"
     "        for (long j = 1; j < m; j++)\n"
     "#endif\n"
     "#if CASE == 3\n"
     "            most = X[i * m + j] < most ? X[i * m + j] : most;\n"
     "#elif CASE == 4\n"
     "            if (X[i * m + j] > most)\n"
     "                most = X[i * m + j];\n"
     "#elif CASE == 5\n"
     "            most = X[i * m + m - j] > most ? X[i * m + m - j] : most;\n"
     "#else\n"
     "            most = X[i * m + j] > most ? X[i * m + j] : most;\n"
     "#endif\n"
     "        Y[i] = most;\n"
     "    }\n"
     "}\n",
     ".c",
     "X[i:n, j:m]; Y[i] = max(j) X[i, j]",
     "{\"buffers\": {" INPUT("X", "n*m") ", " BUFFER(
         "Y", "n") "}, \"steps\": [{\"call\": \"f\", \"arguments\": [\"X\", \"Y\", "
                   "{\"i64\": \"n\"}, {\"i64\": \"m\"}]}], \"outputs\": {\"Y\": {\"absolute\": "
                   "0}}, \"tune\": {\"sizes\": {\"n\": 3, \"m\": 6}}}",
     {{"starts with 0", true},
      {"lost member", true},
      {"minimum", true},
      {"by a branch that becomes a select", false},
      {"in another order", false}}},
};

#define CALLED "{\"call\": \"f\", \"arguments\": [\"A\", \"C\"]}"
#define LAUNCHED "{\"launch\": \"f\", \"grid\": 1, \"block\": 4, \"arguments\": [\"A\", \"C\"]}"
#define DECEIVER(results, steps)                                                                   \
    "{\"buffers\": {" INPUT("A", "4") ", " BUFFER(                                                 \
        "C", results) "}, \"steps\": [" steps                                                      \
                      "], \"outputs\": {\"C\": {\"absolute\": 0}}, \"tune\": {\"sizes\": {}}}"

/* Kernels that are not what they are said to compute, and that a prover may believe to be. */
static const proof_kernel proof_deceivers[] = {
    {"pairs of maxima",
     "#include <math.h>\n"
     "void f(const float *A, float *C) { C[0] = fmaxf(A[0], A[2]) + fmaxf(A[1], A[3]); }\n",
     ".c",
     "A[i:4]; C[j:1] = max(A[0], A[1]) + max(A[2], A[3])",
     DECEIVER("1", CALLED),
     {{0}}},
    {"a norm of another kind",
     "#include <math.h>\n"
     "void f(const float *A, float *C) { C[0] = fmaxf(fabsf(A[0]), fabsf(A[1])); }\n",
     ".c",
     "A[i:4]; C[j:1] = max(A[0], -A[0]) + max(A[1], -A[1])",
     DECEIVER("1", CALLED),
     {{0}}},
    {"halves of a float",
     "void f(const unsigned short *A, unsigned short *C)\n"
     "{\n"
     "    for (int i = 0; i < 4; i++) {\n"
     "        C[2 * i] = A[2 * i + 1];\n"
     "        C[2 * i + 1] = A[2 * i + 1];\n"
     "    }\n"
     "}\n",
     ".c",
     "A[i:4]; C[i:4] = A[i]",
     DECEIVER("4", CALLED),
     {{0}}},
    {"a float16 in a float",
     "void f(const _Float16 *A, float *C) { for (int i = 0; i < 4; i++) C[i] = (float)A[2 * i]; "
     "}\n",
     ".c",
     "A[i:4]; C[i:4] = A[i]",
     DECEIVER("4", CALLED),
     {{0}}},
    {"floats as integers",
     "void f(const int *A, int *C) { for (int i = 0; i < 4; i++) C[i] = A[i]; }\n",
     ".c",
     "A[i:4]; C[i:4] = A[2*(i//2) + 1]",
     DECEIVER("4", CALLED),
     {{0}}},
    {"a function with the name of one of ours",
     "__attribute__((noinline)) float opevo_exp1(float x) { return x * 0.5f; }\n"
     "void f(const float *A, float *C) { for (int i = 0; i < 4; i++) C[i] = opevo_exp1(A[i]); }\n",
     ".c",
     "A[i:4]; C[i:4] = exp(A[i])",
     DECEIVER("4", CALLED),
     {{0}}},
    {"a power that is 1 in the field",
     "void f(const float *A, float *C)\n"
     "{\n"
     "    for (int i = 0; i < 4; i++) {\n"
     "        float power = 1, base = A[i];\n"
     "\n"
     "        for (unsigned long e = 4611686018427377338ul; e; e >>= 1, base *= base)\n"
     "            power *= e & 1 ? base : 1;\n"
     "        C[i] = power;\n"
     "    }\n"
     "}\n",
     ".c",
     "A[i:4]; C[i:4] = 1 + 0*A[i]",
     DECEIVER("4", CALLED),
     {{0}}},
    {"the order of threads",
     "__device__ int counter = 0;\n"
     "extern \"C\" __global__ void f(const float *A, float *C)\n"
     "{\n"
     "    C[atomicAdd(&counter, 1)] = A[threadIdx.x];\n"
     "}\n",
     ".cu",
     "A[i:4]; C[i:4] = A[i]",
     DECEIVER("4", LAUNCHED),
     {{0}}},
    {"a variable that the host sets",
     "__constant__ float w[4];\n"
     "extern \"C\" __global__ void f(const float *A, float *C)\n"
     "{\n"
     "    C[threadIdx.x] = A[threadIdx.x] + w[threadIdx.x];\n"
     "}\n",
     ".cu",
     "A[i:4]; C[i:4] = A[i]",
     DECEIVER("4", LAUNCHED),
     {{0}}},
    {"an output that the host clears",
     "void f(const float *A, float *C) { for (int i = 0; i < 4; i++) C[i] = A[i]; }\n",
     ".c",
     "A[i:4]; C[i:4] = A[i]",
     DECEIVER("4", CALLED ", {\"zero\": \"C\"}"),
     {{0}}},
};

#endif
