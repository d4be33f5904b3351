/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations of which sketches are made, and how many the rules give. */

#ifndef OPEVO_TESTS_SKETCH_FIXTURE_H
#define OPEVO_TESTS_SKETCH_FIXTURE_H

#include "pipeline_fixture.h"

#include <opevo/random.h>
#include <opevo/sketch.h>
#include <opevo/space.h>

/* ---- Counts ---- */

#define CONV_BN_RELU                                                                               \
    "X[n:1, h:56, w:56, c:512]; W[r:3, s:3, c, f:512]; B[f]; S[f]; O[f]; "                         \
    "P[n, y:58, x:58, c] = select(1 <= y and y < 57 and 1 <= x and x < 57, "                       \
    "X[n, y - 1, x - 1, c], 0); "                                                                  \
    "C[n, h:56, w:56, f] = sum(r, s, c) P[n, h + r, w + s, c]*W[r, s, c, f]; "                     \
    "D[n, h, w, f] = C[n, h, w, f] + B[f]; E[n, h, w, f] = D[n, h, w, f]*S[f]; "                   \
    "F[n, h, w, f] = E[n, h, w, f] + O[f]; R[n, h, w, f] = max(F[n, h, w, f], 0)"

#define TWO_PRODUCTS                                                                               \
    "A[i:512, k:512]; B[k, j:512]; D[j, l:512]; C[i, j] = sum(k) A[i, k]*B[k, j]; "                \
    "E[i, l] = sum(j) C[i, j]*D[j, l]"
#define MAX_POOL                                                                                   \
    "X[n:1, a:56, b:56, c:512]; P[n, y:58, x:58, c] = select(1 <= y and y < 57 and 1 <= x and "    \
    "x < 57, X[n, y - 1, x - 1, c], -1000); "                                                      \
    "M[n, h:57, w:57, c] = max(r:2, s:2) P[n, h + r, w + s, c]"

typedef struct sketch_count {
    const char *computation;
    size_t sketches;
} sketch_count;

static inline void check_counts(const sketch_count *counts, size_t count,
                                const opevo_sketch_target *target)
{
    for (size_t i = 0; i < count; i++) {
        opevo_computation *computation = NULL;
        opevo_sketches *sketches = NULL;

        CHECK_OK(opevo_computation_read(counts[i].computation, &computation, &err));
        CHECK_OK(opevo_sketches_create(computation, target, &sketches, &err));
        if (sketches->count != counts[i].sketches)
            fail_msg("%s has %zu sketches, not %zu", counts[i].computation, sketches->count,
                     counts[i].sketches);
        opevo_sketches_destroy(sketches);
        opevo_computation_destroy(computation);
    }
}

/* ---- Parts of spaces ---- */

/* The space of sketches with `from` replaced in its text. */
static inline opevo_space *changed_space(const opevo_space *whole, const char *from, const char *to)
{
    opevo_text text = {0}, other = {0};
    const char *at = NULL;
    opevo_space *made = NULL;

    opevo_space_write_json(whole, &text);
    at = strstr(opevo_text_string(&text), from);
    if (!at)
        fail_msg("%s is not in %s", from, opevo_text_string(&text));
    opevo_text_add_bytes(&other, text.data, (size_t)(at - text.data));
    opevo_text_add(&other, to);
    opevo_text_add(&other, at + strlen(from));
    CHECK_OK(opevo_space_parse(opevo_text_string(&other), "part", NULL, &made, &err));
    opevo_text_free(&text);
    opevo_text_free(&other);
    return made;
}

/* ---- Kernels ---- */

static const char *const small[] = {
    "matmul(12,30,32)",
    "matmul(7,64,8)",
    "matmul(37,11,53)",
    "matmul(61,7,100)",
    "matmul(19,130,1)",
    "matmul(9,128,3)",
    "matmul(1,24,100)",
    "batch_matmul(3,8,16,12)",
    "c1d(2,12,4,16,3,1,1)",
    "c2d(1,8,8,4,16,3,1,1)",
    "c2d(2,9,9,3,8,3,2,1)",
    "c2d(1,31,5,3,19,3,1,1)",
    "grp(1,8,8,8,16,3,1,1,2)",
    "dep(1,8,8,16,3,1,1)",
    "t2d(1,4,4,8,8,4,2,1)",
    "cap(1,6,6,2,4,3,2,1)",
    "nrm(2,16,12)",
    "conv-layer(1,8,8,4,16,3,1,1)",
    "tbg(1,8,2,16)",
    /* Constants in panels, sums in parts along the last of their axes, columns copied as rows. */
    "dep(1,9,7,48,3,2,1)",
    "t2d(1,4,4,32,3,4,2,1)",
    "nrm(1,6,64)",
    "tbg(2,32,2,32)",
    "softmax(6,40)",
    "attention(1,2,8,8)",
    ("A[i:16, k:12]; B[k, j:16]; D[j, l:16]; C[i, j] = sum(k) A[i, k]*B[k, j]; "
     "E[i, l] = sum(j) C[i, j]*D[j, l]"),
    /* Rows that no vector divides, alone and with groups that none divides. */
    "X[1,6,9,9]; const W[12,6,3,3]; Y[n:1,f:12,y:7,x:7] = sum(c:6,r:3,s:3) "
    "X[n,c,y + r,x + s]*W[f,c,r,s]",
    "X[2,12,5,13]; const W[20,3,1,1]; const B[20]; C[n:2,f:20,y:5,x:13] = sum(c:3,r:1,s:1) "
    "X[n,c + 3*(f//5),y + r,x + s]*W[f,c,r,s]; Y[n,f,y,x] = max(C[n,f,y,x] + B[f], 0)",
    /* Channels by themselves, with padding, in steps of one and two. */
    "X[1,5,7,7]; const W[5,1,3,3]; const B[5]; P[n:1,f:5,h:9,w:9] = select(1 <= h and h < 8 and "
    "1 <= w and w < 8, X[n,f,h - 1,w - 1], 0); C[n,f,y:7,x:7] = sum(c:1,r:3,s:3) "
    "P[n,f + c,y + r,x + s]*W[f,c,r,s]; Y[n,f,y,x] = C[n,f,y,x] + B[f]",
    "X[1,3,40,13]; const W[3,1,3,3]; P[n:1,f:3,h:41,w:15] = select(1 <= h and 1 <= w and w < 14, "
    "X[n,f,h - 1,w - 1], 0); C[n,f,y:20,x:7] = sum(c:1,r:3,s:3) "
    "P[n,f + c,2*y + r,2*x + s]*W[f,c,r,s]; Y[n,f,y,x] = max(C[n,f,y,x], 0)",
    "X[1,4,11,70]; const W[4,1,3,3]; Y[n:1,f:4,y:7,x:33] = sum(c:1,r:3,s:3) "
    "X[n,f + c,y + 2*r,2*x + 2*s]*W[f,c,r,s]",
    /* Pools: with padding, of every second pixel, and of all. */
    "X[1,3,12,37]; P[n:1,f:3,h:13,w:38] = select(1 <= h and 1 <= w, X[n,f,h - 1,w - 1], -1000); "
    "Y[n,f,y:6,x:18] = max(r:3,s:3) P[n,f,2*y + r,2*x + s]",
    "X[2,3,9,14]; P[n:2,f:3,h:11,w:16] = select(1 <= h and h < 10 and 1 <= w and w < 15, "
    "X[n,f,h - 1,w - 1], 0); C[n,f,y:9,x:14] = sum(r:3,s:3) P[n,f,y + r,x + s]; Y[n,f,y,x] = "
    "C[n,f,y,x]/((min(y + 3, 10) - max(y, 1))*(min(x + 3, 15) - max(x, 1)))",
    "X[1,7,5,6]; Y[n:1,f:7] = min(y:5,x:6) X[n,f,y,x]",
    /* Permuted reads: with odd extents, of three dimensions, with arithmetic, and with short
     * axes. */
    "A[48,32]; T[i:32,j:48] = A[j,i]",
    "A[77,101]; T[i:101,j:77] = A[j,i]",
    "A[19,5,37]; T[i:37,j:5,k:19] = A[k,j,i]",
    "A[33,50]; B[50,33]; T[i:50,j:33] = 2*A[j,i] + B[i,j]",
    "A[1,20,3,17]; T[n:1,h:3,w:17,c:20] = A[n,c,h,w]",
    "A[18,3]; T[i:3,j:18] = max(A[j,i], 0)",
    /* Nothing but rows. */
    "X[2,5,7,9]; const A[5]; const B[5]; Y[n:2,c:5,h:7,w:9] = max(X[n,c,h,w]*A[c] + B[c], 0)",
    "X[3,5,7]; Y[i:3,j:5,k:7] = tanh(X[i,j,k])",
    /* Both transforms of a convolution by tiles of 2 x 2, of images that these do not divide. */
    "X[2,2,7,5,8]; P[n:2,c:2,h:10,w:8,v:8] = select(1 <= h and h < 8 and 1 <= w and w < 6, "
    "X[n,c,h - 1,w - 1,v], 0); R[i:4,l:4,c:2,n:2,y:4,x:3,v:8] = select(i == 0, P[n,c,2*y + 2,2*x + "
    "l,v] - P[n,c,2*y,2*x + l,v], select(i == 1, P[n,c,2*y + 2,2*x + l,v] + P[n,c,2*y + 1,2*x + "
    "l,v], select(i == 2, P[n,c,2*y + 2,2*x + l,v] - P[n,c,2*y + 1,2*x + l,v], P[n,c,2*y + 3,2*x "
    "+ l,v] - P[n,c,2*y + 1,2*x + l,v]))); V[i,j:4,c,n,y,x,v] = select(j == 0, R[i,2,c,n,y,x,v] - "
    "R[i,0,c,n,y,x,v], select(j == 1, R[i,2,c,n,y,x,v] + R[i,1,c,n,y,x,v], select(j == 2, "
    "R[i,2,c,n,y,x,v] - R[i,1,c,n,y,x,v], R[i,3,c,n,y,x,v] - R[i,1,c,n,y,x,v])))",
    "M[4,4,2,2,4,3,16]; const B[2,16]; X[2,2,7,5,16]; S[i:2,j:4,c:2,n:2,r:4,s:3,v:16] = select(i "
    "== 0, M[0,j,c,n,r,s,v] + (M[1,j,c,n,r,s,v] + M[2,j,c,n,r,s,v]), M[1,j,c,n,r,s,v] - "
    "M[2,j,c,n,r,s,v] + M[3,j,c,n,r,s,v]); Y[n,c,y:7,x:5,v] = max(select(x%2 == 0, "
    "S[y%2,0,c,n,y//2,x//2,v] + (S[y%2,1,c,n,y//2,x//2,v] + S[y%2,2,c,n,y//2,x//2,v]), "
    "S[y%2,1,c,n,y//2,x//2,v] - S[y%2,2,c,n,y//2,x//2,v] + S[y%2,3,c,n,y//2,x//2,v]) + B[c,v] + "
    "X[n,c,y,x,v], 0)",
    /* Cases without a vector, and of the axis that has one. */
    "X[5,6,7]; Y[i:3,j:6,k:7] = select(i == 1, X[0,j,k], select(i == 2, 2*X[j//2,i,k], X[i,j,k]))",
    "X[5,21]; Y[j:5,k:21] = select(k%3 == 0, X[j,k], 2*X[j,3*(k//3)])",
    /* A matrix times a vector, as a convolution. */
    "X[1,130,1,1]; const W[19,130,1,1]; Y[n:1,f:19,y:1,x:1] = sum(c:130,r:1,s:1) "
    "X[n,c,y + r,x + s]*W[f,c,r,s]",
};

/* Of other types than float32. */
static const char *const typed_computations[] = {
    "int8 A[i:7, k:13]; const int8 B[k, j:19]; int32 C[i, j] = sum(k) A[i, k]*B[k, j]",
    "int8 A[i:8, k:16]; int8 B[k, j:32]; float32 C[i, j] = sum(k) A[i, k]*B[k, j]",
    "float16 A[i:7, k:11]; const float16 B[k, j:33]; float16 C[i, j] = sum(k) A[i, k]*B[k, j]",
    "bfloat16 A[i:8, k:12]; bfloat16 B[k, j:16]; float32 C[i, j] = sum(k) A[i, k]*B[k, j]",
    "bfloat16 A[i:9, k:5]; const float16 B[k, j:20]; bfloat16 C[i, j] = sum(k) A[i, k]*B[k, j]",
    ("int8 X[h:9, w:9, c:3]; const int8 W[r:3, s:3, c, f:16]; int8 P[y:11, x:11, c] = select(1 <= "
     "y and "
     "y < 10 and 1 <= x and x < 10, X[y - 1, x - 1, c], 0); int32 C[h, w, f] = sum(r, s, c) P[h + "
     "r, w "
     "+ s, c]*W[r, s, c, f]; int32 b[f]; int8 D[h, w, f] = max(min(max(min(C[h, w, f], 1000000), "
     "-1000000) + b[f], 127), 0)"),
    ("float16 X[h:9, w:8, c:3]; const float16 W[r:3, s:3, c, f:8]; float16 P[y:11, x:10, c] = "
     "select(1 "
     "<= y and y < 10 and 1 <= x and x < 9, X[y - 1, x - 1, c], 0); float16 C[h, w, f] = sum(r, s, "
     "c) "
     "P[h + r, w + s, c]*W[r, s, c, f]; float16 D[h, w, f] = max(C[h, w, f], 0)"),
    ("float16 X[i:5, j:33]; float16 M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, j] - M[i]); S[i] = "
     "sum(j) "
     "E[i, j]; float16 Y[i, j] = E[i, j]/S[i]"),
    "int8 A[i:5, k:33]; int8 M[i] = max(k) A[i, k]; bfloat16 N[i] = min(k) A[i, k]*0.5",
    "int32 A[i:6, j:18]; int8 B[i, j]; int32 S[i, j] = A[i, j] - 3*B[i, j]; C[i, j] = S[i, j]/7",
};
enum { TYPED_COMPUTATIONS = sizeof typed_computations / sizeof *typed_computations };

#endif
