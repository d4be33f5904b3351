/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of products over named axes, and determinants. whole of sums: how many axes there are and
 * how many of them are of the output, in its order; the extent of each; then of each input the axis
 * of each dimension. */

#include "routines.h"

const char *routine_einsum(const routine_call *call)
{
    enum { AXES = 64 };
    int axes = (int)call->whole[0], kept = (int)call->whole[1];
    const int64_t *extent = call->whole + 2;
    int64_t results = 1, terms = 1, index[AXES];

    for (int a = 0; a < axes; a++)
        *(a < kept ? &results : &terms) *= extent[a];
    for (int64_t i = 0; i < results; i++) {
        double sum = 0;
        uint64_t whole = 0;

        for (int64_t t = 0; t < terms; t++) {
            const int64_t *axis = extent + axes;
            int64_t outer = i, inner = t;
            double product = 1;
            uint64_t of_whole = 1;

            for (int a = axes - 1; a >= 0; a--) {
                int64_t *rest = a < kept ? &outer : &inner;

                index[a] = *rest % extent[a];
                *rest /= extent[a];
            }
            for (int k = 0; k < call->ins; k++) {
                const routine_tensor *in = &call->in[k];
                int64_t at = 0;

                for (int d = 0; d < in->dims; d++, axis++)
                    at = at * in->extent[d] + (in->extent[d] == 1 ? 0 : index[*axis]);
                product *= routine_number(in, at);
                of_whole *= (uint64_t)routine_whole(in, at);
            }
            sum += product;
            whole += of_whole;
        }
        if (routine_is_whole(call->out))
            routine_set_whole(call->out, i, (int64_t)whole);
        else
            routine_set_number(call->out, i, sum);
    }
    return NULL;
}

/* ---- Determinants ---- */

/* Of a matrix of n rows, which is lost: by elimination, the largest element of a column first. */
static double determinant(double *a, int64_t n)
{
    double product = 1;

    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;

        for (int64_t i = k + 1; i < n; i++)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        for (int64_t j = k; j < n && pivot != k; j++) {
            double kept = a[k * n + j];

            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        product *= pivot != k ? -a[k * n + k] : a[k * n + k];
        for (int64_t i = k + 1; i < n && a[k * n + k] != 0; i++) {
            double factor = a[i * n + k] / a[k * n + k];

            for (int64_t j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

double routine_determinant_need(const routine_call *call)
{
    double n = (double)call->in->extent[call->in->dims - 1];

    return n * n * (double)sizeof(double);
}

const char *routine_determinant(const routine_call *call)
{
    const routine_tensor *x = call->in;
    int64_t n = x->extent[x->dims - 1];
    double *a = call->memory;

    for (int64_t m = 0, count = routine_elements(call->out); m < count; m++) {
        for (int64_t i = 0; i < n * n; i++)
            a[i] = routine_number(x, m * n * n + i);
        routine_set_number(call->out, m, determinant(a, n));
    }
    return NULL;
}
