/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of elements, without calls and branches in single precision, so that the compiler makes
 * vectors of them; any width gives the same bits. */

#include "tree_gru_internal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef OPEVO_I_TREE_GRU_DOUBLE

void opevo_i_tree_gru_sigmoid(opevo_i_real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 1 / (1 + exp(-x[i]));
}

void opevo_i_tree_gru_tanh(opevo_i_real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = tanh(x[i]);
}

#else

/* exp(x) for |x| <= 80: 2^n times the Taylor polynomial of exp at x - n ln 2, which lies within
 * ln 2 / 2, with n the nearest whole number, which adding 1.5 2^23 leaves in the last bits. */
static inline float exponential(float x)
{
    const float magic = 12582912.0F;
    float shifted = x * 1.44269504F + magic;
    float n = shifted - magic;
    float y = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float p =
        1 + y * (1 + y * (0.5F +
                          y * (1.66666667e-1F +
                               y * (4.16666667e-2F + y * (8.33333333e-3F + y * 1.38888889e-3F)))));
    uint32_t bits = 0;
    float power = 0;

    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + (UINT32_C(127) << 23);
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

static inline float bounded(float x)
{
    x = x < -80 ? -80 : x;
    return x > 80 ? 80 : x;
}

void opevo_i_tree_gru_sigmoid(opevo_i_real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 1 / (1 + exponential(-bounded(x[i])));
}

void opevo_i_tree_gru_tanh(opevo_i_real *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 2 / (1 + exponential(-bounded(2 * x[i]))) - 1;
}

#endif
