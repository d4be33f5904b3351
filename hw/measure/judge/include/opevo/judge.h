/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of anybody before a judge: timed side by side in rounds, against baselines, with the
 * timer itself on trial. docs/judge.md says what this rests on. */

#ifndef OPEVO_JUDGE_H
#define OPEVO_JUDGE_H

#include <opevo/objective.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

typedef struct opevo_judge_kernel {
    /* Its point 0 is the kernel; borrowed. Each objective has workers of its own. NULL: it is not
     * measured. */
    opevo_objective *objective;
    bool baseline;
    double floor_s; /* no execution takes less than this on the device; 0: not known */
} opevo_judge_kernel;

/* A floor: half of what a device of `peak` operations a second needs for so many, or for storing so
 * many bytes, 4 in the time of an operation: no first cache takes more. 0 for a peak of 0. */
double opevo_judge_floor_s(double operations, double bytes, double peak);

typedef struct opevo_judge_options {
    uint64_t rounds;                  /* from 1 on */
    uint64_t seed;                    /* of the order in each round */
    const opevo_interrupt *interrupt; /* may be NULL */
} opevo_judge_options;

typedef struct opevo_judge_result {
    bool measured;
    opevo_outcome_class kind; /* of the first outcome that is not OK, which ends its rounds */
    opevo_text why;           /* what that says */
    bool impossible;          /* its median is below the floor */
    double *times_s;          /* of the rounds */
    size_t count;
    double median_s, low_s, high_s; /* with its interval, 95 %; NAN below 6 rounds */
    /* The baseline's time by its own, over the rounds, against the fastest baseline: the median
     * with its interval; NAN for that baseline and without one. */
    double speedup, speedup_low, speedup_high;
    double probability; /* of so uneven a split of the rounds if both were equally fast */
    bool faster;        /* probability < 0.05 by the number of kernels, and the timer is sound */
} opevo_judge_result;

typedef struct opevo_judge_verdict {
    opevo_judge_result *results; /* of the kernels, in their order */
    size_t count;
    size_t baseline; /* the fastest that is right; `count`: none */
    size_t winner;   /* the kernel or baseline with the least median; `count`: none */
    /* A/A: one kernel is measured twice in each round, as if it were two. */
    size_t twin; /* `count`: none was right */
    double twin_probability, twin_ratio, twin_low, twin_high;
    bool biased; /* twin_probability < 0.05: the timer tells a kernel from itself */
} opevo_judge_verdict;

/* Each kernel is measured once without counting, then once in each round, in a random order; one
 * that is not OK takes no further part.
 *
 * Errors: INVALID without rounds; INTERRUPTED; what measuring reports; NOMEM. Release the verdict,
 * also on failure. Cost: (count + 1) * rounds + count measurements. */
opevo_status opevo_judge(const opevo_judge_kernel *kernels, size_t count,
                         const opevo_judge_options *options, opevo_judge_verdict *out,
                         opevo_error *err);
void opevo_judge_verdict_free(opevo_judge_verdict *verdict);

OPEVO_END_C

#endif
