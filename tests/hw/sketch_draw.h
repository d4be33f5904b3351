/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches for GPUs: computations for their rules, and points of one sketch of a space with
 * many. */

#ifndef OPEVO_TESTS_SKETCH_DRAW_H
#define OPEVO_TESTS_SKETCH_DRAW_H

#include <opevo/random.h>

#include "sketch_internal.h"

/* Everything that a rule asks for: more threads, more sums, more stages. */
static const char *const gpu_computations[] = {
    "matmul(64,96,48)",
    "matmul(3,200,5)",
    "softmax(5,300)",
    "c2d(1,14,14,8,16,3,1,1)",
    "conv-layer(1,9,7,3,11,3,1,1)",
    "c3d(1,4,5,5,3,7,3,1,1)",
    "dil(1,9,9,4,8,3,1,2,2)",
    "gmm(3,8,16,12)",
    "layer-norm(5,70)",
    ("A[i:9, j:70]; M[i] = max(j) A[i, j]; D[i, j] = exp(A[i, j] - M[i]); S[i] = sum(j) D[i, j]; "
     "V[i] = 1/S[i]"),
    ("A[i:6, j:100]; M[i] = sum(j) A[i, j]/100; V[i] = sum(j) (A[i, j] - M[i])*(A[i, j] - M[i]); "
     "Y[i, j] = (A[i, j] - M[i])/sqrt(V[i]/100 + 0.001)"),
};
enum { GPU_COMPUTATIONS = sizeof gpu_computations / sizeof *gpu_computations };

/* A point of the branch of one sketch that the constraints allow; false where none was drawn. */
static inline bool draw_in(opevo_rng *rng, const opevo_space *space, const opevo_sketches *sketches,
                           size_t number, opevo_index *out)
{
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];
    size_t first = sketches->count > 1;

    for (size_t i = 0; i < number; i++)
        first += (size_t)sketches->item[i]->slots;
    for (int tries = 0; tries < 20000; tries++) {
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
            vertex[i] = OPEVO_INACTIVE;
        vertex[0] = number;
        for (size_t i = 0; i < (size_t)sketches->item[number]->slots; i++)
            vertex[first + i] = opevo_rng_below_wide(
                rng, opevo_parameter_size(opevo_space_parameter(space, first + i)));
        *out = opevo_space_encode(space, vertex);
        if (opevo_space_allows(space, *out))
            return true;
    }
    return false;
}

#endif
