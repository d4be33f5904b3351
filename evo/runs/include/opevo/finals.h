/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finals: the best points of a run, measured once more side by side. The best trial of a search is
 * best partly by luck; its finals say which point is fastest, and how sure that is. */

#ifndef OPEVO_FINALS_H
#define OPEVO_FINALS_H

#include <opevo/api.h>
#include <opevo/store.h>

OPEVO_BEGIN_C

typedef struct opevo_finalist {
    opevo_index point;
    double median;    /* fitness at the median of its rounds; 0 when a round failed */
    double low, high; /* its confidence interval, 95 %; NAN below 6 rounds, or where one failed */
    uint64_t rounds;
    uint64_t won;   /* of them, those in which it was better than each of the other points */
    size_t rank;    /* among the points, from 1; 0: the library */
    uint64_t trial; /* that opevo_finals_note had it from; 0: it did not */
} opevo_finalist;

/* Where there is no rival or no library, its number is that of the finalists and its ratios are
 * NAN. */
typedef struct opevo_final_verdict {
    size_t winner;      /* the point of rank 1 */
    size_t rival;       /* that of rank 2 */
    size_t library;     /* OPEVO_LIBRARY_POINT */
    double probability; /* of a result like this if both were equally fast: two-sided sign test */
    double ratio;       /* median over rounds of rival's time / winner's time */
    double ratio_low,
        ratio_high; /* its confidence interval, 95 %; NAN below 6 rounds, or where one failed */
    bool faster;    /* probability < 0.05, corrected for the number of rivals */
    double library_ratio, library_low, library_high; /* likewise of the library's time */
    /* A/A: the first finalist measured twice in each round, as two kernels. */
    bool has_twin;
    double twin_probability;                /* two-sided sign test over the rounds */
    double twin_ratio, twin_low, twin_high; /* the time of the second by that of the first */
    bool
        is_biased; /* twin_probability < 0.05: what tells a kernel from itself; `faster` is false */
} opevo_final_verdict;

/* Fill in the finalists, and the verdict, from the fitness in each round, finalist after finalist,
 * 0 for what failed. A point goes before another if it (1) failed in no round, (2) won more rounds
 * than it lost against more of the other points, (3) has the greater sum of rounds won minus lost
 * against all of them, (4) has the greater median, (5) stands first. Errors: NOMEM. Cost: O(count^2
 * rounds). */
OPEVO_API opevo_status opevo_finals_judge(opevo_finalist *finalists, size_t count, uint64_t rounds,
                                          const double *fitness, opevo_final_verdict *verdict,
                                          opevo_error *err);

/* Add to a verdict what the first finalist and its twin did in the rounds, `fitness` and `twin`. If
 * both are measured alike, a round is won by either with the same probability, so that `is_biased`
 * comes in less than 5 % of the finals of a sound timer. Errors: NOMEM. */
OPEVO_API opevo_status opevo_finals_judge_twin(const double *fitness, const double *twin,
                                               uint64_t rounds, opevo_final_verdict *verdict,
                                               opevo_error *err);

enum { OPEVO_FINALISTS_MOST = 100, OPEVO_FINALS_ROUNDS = 30 };

typedef struct opevo_finals_options {
    size_t most;       /* finalists, at most OPEVO_FINALISTS_MOST; 0: no finals */
    uint64_t rounds;   /* 0: OPEVO_FINALS_ROUNDS */
    bool with_library; /* OPEVO_LIBRARY_POINT takes part */
    bool no_twin;      /* do not measure the first finalist twice; it costs as much as one more */
} opevo_finals_options;

/* The finals of one run, to be read. */
typedef struct opevo_finals {
    const opevo_finalist *finalists; /* the best first; then the library */
    size_t count;
    opevo_finals_options options;
    bool ran, interrupted;
    opevo_final_verdict verdict; /* where they ran */
    const char *library;         /* what it is called, or why it was not measured; "": nothing */
    const char *failure;         /* why finals that were tried could not be had; "": nothing */
} opevo_finals;

/* Errors: INVALID for options outside their domain; NOMEM. */
OPEVO_API opevo_status opevo_finals_create_sized(const opevo_finals_options *options, size_t size,
                                                 opevo_finals **out, opevo_error *err);
static inline opevo_status opevo_finals_create(const opevo_finals_options *options,
                                               opevo_finals **out, opevo_error *err)
{
    return opevo_finals_create_sized(options, sizeof *options, out, err);
}
OPEVO_API void opevo_finals_destroy(opevo_finals *finals); /* NULL is allowed */

/* Note a trial of the run, such as from its observer: the best `most` different points become
 * finalists. Cost: O(most). */
OPEVO_API void opevo_finals_note(opevo_finals *finals, const opevo_trial *trial);
/* Take one out, by its number, before they are held. */
OPEVO_API void opevo_finals_drop(opevo_finals *finals, size_t number);
/* Hold them, where there are two finalists: take them from the store, where it has those of the run
 * with these finalists and rounds; otherwise measure them (opevo_objective_measure_rounds) and
 * store them. The search stands, whatever becomes of its finals: interrupted ones are dropped, and
 * `interrupted` says so; where no worker can be had, or no point could be measured, `failure` says
 * so.
 *
 *   seed       of the order in each round
 *   store      may be NULL
 *   interrupt  may be NULL
 *
 * Errors: those of the store; what measuring reports but IO, FAULT and INTERRUPTED; NOMEM. */
OPEVO_API opevo_status opevo_finals_run(opevo_finals *finals, opevo_objective *objective,
                                        uint64_t seed, opevo_store *store, int64_t run,
                                        const opevo_interrupt *interrupt, opevo_error *err);
/* The best point of a run and its fitness, by its best trial and its finals: the winner, where they
 * ran, or else the trial. False without a success. */
OPEVO_API bool opevo_finals_best(const opevo_finals *finals, const opevo_trial *best,
                                 opevo_index *point, double *fitness);
/* Those that a run of a store has, without finalists if none, and the space of their points, the
 * caller's; NULL where it cannot be made here. Errors: INVALID for a damaged file; NOMEM. */
OPEVO_API opevo_status opevo_finals_read(opevo_store *store, int64_t run, opevo_finals **out,
                                         opevo_space **space, opevo_error *err);

OPEVO_END_C

#endif
