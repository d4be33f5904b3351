/* SPDX-License-Identifier: GPL-3.0-or-later */

/* LAPACK's routines for dense and tridiagonal matrices, column by column. They are called in
 * OpenBLAS, which has them: LAPACKE and the reference library behind it would be two more
 * libraries at each start, and on Debian a second OpenBLAS with threads of its own. Each returns
 * LAPACK's `info`, 0 on success; the arguments are those of its manual. */

#ifndef OPEVO_DENSE_H
#define OPEVO_DENSE_H

#include <lapack.h>

/* Cholesky's factor of a positive definite matrix in its triangle `uplo`, and what solves and
 * inverts with it. */
static inline lapack_int opevo_dpotrf(char uplo, lapack_int n, double *a, lapack_int lda)
{
    lapack_int info = 0;

    LAPACK_dpotrf(&uplo, &n, a, &lda, &info);
    return info;
}

static inline lapack_int opevo_dpotrs(char uplo, lapack_int n, const double *a, double *b)
{
    lapack_int info = 0, count = 1;

    LAPACK_dpotrs(&uplo, &n, &count, a, &n, b, &n, &info);
    return info;
}

static inline lapack_int opevo_dpotri(char uplo, lapack_int n, double *a)
{
    lapack_int info = 0;

    LAPACK_dpotri(&uplo, &n, a, &n, &info);
    return info;
}

/* The same of a tridiagonal matrix, with its diagonal and what is below it. */
static inline lapack_int opevo_dpttrf(lapack_int n, double *diagonal, double *below)
{
    lapack_int info = 0;

    LAPACK_dpttrf(&n, diagonal, below, &info);
    return info;
}

static inline lapack_int opevo_dpttrs(lapack_int n, const double *diagonal, const double *below,
                                      double *b)
{
    lapack_int info = 0, count = 1;

    LAPACK_dpttrs(&n, &count, diagonal, below, b, &n, &info);
    return info;
}

/* Eigenvalues ascending into `diagonal`, and eigenvectors, of a symmetric tridiagonal matrix;
 * `work` has room for 2 n numbers. */
static inline lapack_int opevo_dstev(lapack_int n, double *diagonal, double *below, double *vectors,
                                     double *work)
{
    lapack_int info = 0;
    char both = 'V';

    LAPACK_dstev(&both, &n, diagonal, below, vectors, &n, work, &info);
    return info;
}

/* The factors L and U of any matrix, with n pivots, and the solution with them. */
static inline lapack_int opevo_dgetrf(lapack_int n, double *a, lapack_int *pivot)
{
    lapack_int info = 0;

    LAPACK_dgetrf(&n, &n, a, &n, pivot, &info);
    return info;
}

static inline lapack_int opevo_dgetrs(lapack_int n, const double *a, const lapack_int *pivot,
                                      double *b)
{
    lapack_int info = 0, count = 1;
    char as_it_is = 'N';

    LAPACK_dgetrs(&as_it_is, &n, &count, a, &n, pivot, b, &n, &info);
    return info;
}

#endif
