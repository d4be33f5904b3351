/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The results of a computation by its definitions, and how far a kernel's may be from them. */

#ifndef OPEVO_COMPUTATION_REFERENCE_H
#define OPEVO_COMPUTATION_REFERENCE_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

/* Accuracy that is taken for exp, log, tanh and erf in single precision, in units in the last
 * place: that of vectorised and of device libraries (glibc's libmvec 4, CUDA 2). sqrt is correctly
 * rounded; sigmoid is 1/(1 + exp(-x)) by these. */
enum { OPEVO_REFERENCE_ULPS = 4 };

/* Evaluate every definition in double precision; outputs are rounded once, at the end.
 *
 *   inputs   the inputs and constants, in the order of the tensors: arrays of their types
 *            (element.h); int32 ones are at most OPEVO_INT32_INPUT in size
 *   outputs  the outputs, in the order of the tensors: arrays of their types
 *   bounds   NULL, or for each output one number for each element: the largest difference from
 *            outputs that any evaluation in single precision can make, whatever the order of its
 *            sums, with each operation rounded on its own or fused, and values of float16 and
 *            bfloat16 tensors rounded where they are stored or not. INFINITY where there is no
 *            bound: a divisor or an argument of sqrt or log that may be 0 or less, an overflow. 0
 *            for int8 and int32, whose results are exact
 *   threads  at most; 0: one a processor. Results do not depend on it
 *
 * The bound is a running error analysis: |computed - exact| <= e for each value, with u = 2^-24,
 * u' slightly more (which covers the rounding of the analysis itself):
 *
 *     a + b   e = ea + eb                          and then  u' (|v| + e)  for the rounding
 *     a b     e = |a| eb + |b| ea + ea eb          the same
 *     a / b   e = (ea + |a/b| eb) / (|b| - eb)     the same
 *     sqrt    e = ea / (sqrt(a) + sqrt(a - ea))    the same
 *     log     e = ea / (a - ea)                    and then  2 OPEVO_REFERENCE_ULPS u' (|v| + e)
 *     f(a)    e = ea sup |f'| near a               and then  2 OPEVO_REFERENCE_ULPS u' (|v| + e)
 *     max     e = the larger, or that of the operand that is larger for certain; min likewise
 *     select  e = that of the value chosen; where the comparison of values may come out either way,
 *             at least the difference of both values plus the error of the other
 *     max of many   e = the larger of max (vi + ei) - v and v - max (vi - ei); min likewise
 *     sum     e = sum ei + g sum (|vi| + ei),      g = (n - 1) u' / (1 - (n - 1) u')  for n terms
 *
 *     float16, bfloat16    e + half a unit in the last place of |v| + e, where it is stored
 *     int32 read as float  u' |v| where |v| > 2^24
 *
 * and the rounding of the output itself. Results below 2^-126 may be flushed to 0.
 *
 * Errors: NOMEM, also for intermediate tensors, which take 8 bytes an element, or 16 with bounds,
 * and for inputs of other types than float32, which take 4, or 8 for int32.
 * Cost: about 2 ns an operation, 4 with bounds; up to 20 for exp, log, tanh, erf and sigmoid; 0.3
 * for sums of products of two inputs, or of definitions that do not round.
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, sections 3.1
 * and 3.3. */
opevo_status opevo_computation_compute(const opevo_computation *computation,
                                       const void *const *inputs, void *const *outputs,
                                       double *const *bounds, unsigned threads, opevo_error *err);

/* The same without bounds, for kernels of any precision, and also of what other definitions read.
 *   arrays  of each tensor by its number: inputs and constants, and where results go; NULL where
 *           nobody asks for those
 *   wide    of each tensor, whether its array is one of double in the place of float32 */
opevo_status opevo_computation_compute_wide(const opevo_computation *computation,
                                            void *const *arrays, const bool *wide, unsigned threads,
                                            opevo_error *err);

/* As opevo_computation_compute with the bounds that kernels are checked by. They are certain, but
 * for sums of n <= 2^20 terms of which each is a product with an element of an input that was drawn
 * for few of the terms: where at most m terms share one, such a sum is taken to be off by at most
 *
 *     g = min(4 sqrt((n - 1) m) u', (n - 1) u' / (1 - (n - 1) u'))
 *
 * A term t is added to a partial sum s that lies on a grid of step h, 2 u |s| at most, so the
 * rounding is a function of t mod h alone. Where t is drawn from an interval of many h, of inputs
 * on [-1, 1) or [1/2, 3/2), t mod h is as good as uniform whatever s is: the rounding has mean zero
 * and is sub-Gaussian with variance h^2 / 12. Those of terms that share no element are independent,
 * so that in any order of the sum the error exceeds g sum |vi| with a probability of at most
 * 2 exp(-4^2 3 / 2), which is less than 1e-10: (|s| is at most that sum, and the squares of the
 * weights of m terms each add up to n m.) Equal terms, m = n, are rounded alike: there g is the
 * certain one, as for terms with numbers of axes, functions, quotients, or definitions whose
 * elements may be of unlike sizes, where small terms are lost in a large sum.
 *
 * Source: Azuma, "Weighted sums of certain dependent random variables", Tohoku Math. J. 19 (1967);
 * Ipsen and Zhou, "Probabilistic error analysis for inner products", SIAM J. Matrix Anal. Appl. 41
 * (2020); Arbel, Marchal and Nguyen, "On strict sub-Gaussianity, optimal proxy variance and
 * symmetry for bounded random variables", ESAIM: P&S 24 (2020), for the uniform law. */
opevo_status opevo_computation_expect(const opevo_computation *computation,
                                      const void *const *inputs, void *const *outputs,
                                      double *const *bounds, unsigned threads, opevo_error *err);

OPEVO_END_C

#endif
