/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sixteen bodies that attract each other: square roots and divisions in double precision. */

#include <math.h>

enum { BODIES = 16, STEPS = 1500 };

const double expected = 2.0778329290294981, tolerance = 1e-9;

static double x[BODIES][3], v[BODIES][3];

static void start(void)
{
    unsigned seed = 1;

    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245u + 12345u;
            x[i][k] = (double)(seed >> 16 & 1023) / 64;
            v[i][k] = 0;
        }
}

static void step(double time)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            double d[3], square = 0.5, pull = 0;

            for (int k = 0; k < 3; k++) {
                d[k] = x[j][k] - x[i][k];
                square += d[k] * d[k];
            }
            pull = time / (square * sqrt(square));
            for (int k = 0; k < 3; k++) {
                v[i][k] += pull * d[k];
                v[j][k] -= pull * d[k];
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] += time * v[i][k];
}

double run(void)
{
    double energy = 0;

    for (int again = 0; again < 5; again++) {
        start();
        for (int i = 0; i < STEPS; i++)
            step(1e-3);
    }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            energy += v[i][k] * v[i][k];
    return energy;
}
