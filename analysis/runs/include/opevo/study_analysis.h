/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The statistics of a study: runs of tuners ("contenders": a tuner with its settings) on
 * landscapes. One struct has everything that tables and figures show. docs/analysis.md gives each
 * formula with its source. */

#ifndef OPEVO_STUDY_ANALYSIS_H
#define OPEVO_STUDY_ANALYSIS_H

#include <opevo/anytime.h>
#include <opevo/api.h>
#include <opevo/bootstrap.h>
#include <opevo/comparison.h>
#include <opevo/random_baseline.h>
#include <opevo/run_curve.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* ---- What goes in; borrowed as long as the analysis lives ---- */

typedef enum opevo_run_end {
    OPEVO_RUN_OPEN,    /* interrupted, or it is not known why it ended */
    OPEVO_RUN_TRIALS,  /* its number of trials was used up */
    OPEVO_RUN_SECONDS, /* its seconds were used up */
    OPEVO_RUN_OVER /* nothing more to come, as of a target that was reached: it holds its best */
} opevo_run_end;

typedef struct opevo_analysed_run {
    size_t landscape, contender;
    uint64_t seed; /* runs of two contenders with the same seed are a pair */
    opevo_run_end end;
    opevo_run_curve curve;
    /* What is known better than by its trials, such as by finals: the fitness of the best point
     * that it tried, and that of the one with the best trial. */
    struct {
        bool known;
        double tried, chosen;
    } truth;
} opevo_analysed_run;

typedef struct opevo_study_landscape {
    const char *name, *unit;
    double optimum;                   /* NAN: unknown */
    const opevo_fitness_table *table; /* all its points; NULL: unknown */
} opevo_study_landscape;

typedef struct opevo_analysed_study {
    const opevo_study_landscape *landscapes;
    const char *const *contenders; /* names */
    const opevo_analysed_run *runs;
    size_t landscape_count, contender_count, run_count;
    /* Runs of contenders once more, on other random streams: each is a pair with the run of its
     * contender that has its seed. They count nowhere but in the A/A comparisons; may be NULL. */
    const opevo_analysed_run *twins;
    size_t twin_count;
} opevo_analysed_study;

typedef struct opevo_analysis_options {
    const uint64_t *checkpoints; /* ascending numbers of trials, at least 1 */
    size_t checkpoint_count;
    bool compare_at_horizon; /* otherwise at the last checkpoint within it, if any */
    const double *targets;   /* fractions of the optimum, ascending, in (0, 1] */
    size_t target_count;
    double confidence; /* of every interval, such as 0.95 */
    double alpha;      /* of the family of all comparisons */
    size_t resamples;  /* of a bootstrap, at least 100 */
    uint64_t seed;
    unsigned threads;              /* 0: all processors; changes no number */
    double cutoff_from, cutoff_to; /* the community's cut-offs between which a score is averaged */
    /* Intervals of means are those of opevo_mean_interval that hold for any distribution. */
    bool exact_intervals;
    /* Verdicts and intervals of differences hold however the number of seeds was chosen: p is that
     * of opevo_anytime_test, intervals are those of opevo_confidence_sequence. */
    bool anytime;
} opevo_analysis_options;
/* Checkpoints 50, 100, 150, 220, 500 and the horizon; targets .9, .95, .99, 1; confidence .95;
 * alpha .05; 2,000 resamples; seed 1; cut-offs .5 and .96. */
OPEVO_API void opevo_analysis_options_fill(opevo_analysis_options *out, size_t size);
static inline opevo_analysis_options opevo_analysis_options_default(void)
{
    opevo_analysis_options options;

    opevo_analysis_options_fill(&options, sizeof options);
    return options;
}

/* ---- What comes out ---- */

/* One contender on one landscape after a number of trials; numbers are fractions of the optimum.
 * Over the runs whose trajectory is known that far. Of the exact random search: its expectation,
 * standard deviation and probabilities, the ends of intervals being the number itself. */
typedef struct opevo_study_point {
    uint64_t trials;
    bool checkpoint; /* otherwise a point of a curve only */
    size_t runs;
    double mean, sd, worst; /* NAN where there are too few runs */
    opevo_interval interval;
    double within_5, within_1; /* share of runs with at least .95, .99 */
    opevo_interval within_5_interval, within_1_interval;
    /* (E - S) / (E - O) with S the mean time of the best kernel found, E that of exact random
     * search after as many trials and O the optimum's: 0 as random search, 1 the optimum, negative
     * worse. NAN without a table, and where random search has found the optimum for certain. */
    double score;
    opevo_interval score_interval;
    double ecdf; /* share of (run, target) pairs reached */
} opevo_study_point;

/* The same over the seconds that trials cost, simulated or measured: mean fraction of the best
 * found within them, over the runs known to the horizon. Of random search the expectation after as
 * many trials as the seconds pay for at the mean cost of a trial: an approximation. */
typedef struct opevo_study_moment {
    double seconds;
    size_t runs;
    double mean;
    opevo_interval interval;
} opevo_study_moment;

/* Expected running time: all trials spent before the target by all runs / runs that reached it. */
typedef struct opevo_study_target {
    double fraction;
    size_t runs, reached;
    double ert; /* INFINITY when no run reached it */
    opevo_interval interval;
    double hit; /* share of runs that reached it; of random search the probability */
} opevo_study_target;

/* Whether the community's baseline is not one of random search, which scores this much against it:
 * more than 1 from 0, that is, further than the optimum. Scores against it say nothing then. */
OPEVO_API bool opevo_community_is_degenerate(double score_of_random);

/* A score averaged over a window, against the exact baseline and against the community's. */
typedef struct opevo_study_score {
    size_t runs;
    double exact, community; /* NAN if none */
    opevo_interval exact_interval, community_interval;
} opevo_study_score;

typedef struct opevo_study_mean {
    double mean;
    opevo_interval interval;
} opevo_study_mean;

/* Means over the runs, at their ends, of the distance from the optimum to the best fitness that the
 * search reports, and of its parts (opevo/regret.h), which sum to it; as fractions of the optimum
 * or, if that is not known, of the best of all runs by their finals. On a landscape trials are the
 * truth, so that the two last parts are 0, exactly; elsewhere finals say it. */
typedef struct opevo_study_regret {
    size_t runs; /* of which it is known; 0: none */
    bool is_exact;
    opevo_study_mean total, exploration, selection, noise;
} opevo_study_regret;

typedef struct opevo_study_cell {
    size_t landscape, contender;
    size_t runs; /* 0: none; then there is nothing else */
    size_t open; /* of them, ended before the horizon for no reason that holds their best */
    uint64_t trials, failed;
    double cost_s;
    opevo_study_point *points;   /* grid_count of the landscape */
    opevo_study_target *targets; /* target_count */
    opevo_study_moment *moments; /* moment_count of the landscape */
    double ecdf_area; /* under the ECDF over log trials, from 1 to the horizon; in [0, 1] */
    opevo_interval ecdf_area_interval;
    opevo_study_score by_trials, by_time;
    opevo_study_regret regret;
} opevo_study_cell;

typedef struct opevo_study_place {
    double optimum;       /* what fractions are of: the optimum, or the best of all runs */
    bool optimum_known;   /* false: the best of all runs */
    uint64_t horizon;     /* trials to which all contenders are known, 0 without runs */
    uint64_t compared_at; /* the horizon, or the last checkpoint within it */
    uint64_t *grid;       /* ascending: checkpoints, and a curve up to the longest run */
    size_t grid_count;
    double *moments; /* ascending seconds, to which all runs that count are known; ten a decade */
    size_t moment_count; /* 0: costs are not known */
    bool exact_random;
    opevo_study_cell random; /* when exact_random: search without replacement, by formula */
    /* Windows of the scores; from > to: none. A window that ends with the runs, before the
     * community's cut-off, is cut. */
    uint64_t trials_from, trials_to;
    double seconds_from, seconds_to;
    bool trials_cut, seconds_cut;
    /* What exact random search scores over the windows against the community's baseline, which is
     * meant to be random search: 0 where it is. NAN without a window or a table. */
    double community_random_by_trials, community_random_by_time;
} opevo_study_place;

typedef enum opevo_verdict {
    OPEVO_VERDICT_WORSE = -1, /* a than b */
    OPEVO_VERDICT_UNRESOLVED = 0,
    OPEVO_VERDICT_BETTER = 1
} opevo_verdict;

/* Two contenders on one landscape, at compared_at, over the seeds that both have. */
typedef struct opevo_study_pair {
    size_t landscape, a, b;
    uint64_t trials;
    double mean_a, mean_b;   /* over the pairs */
    opevo_interval interval; /* of mean_a - mean_b */
    opevo_signed_rank test;
    /* If the analysis is anytime; otherwise without pairs and NAN. */
    opevo_anytime anytime;      /* its p is that of the verdict */
    opevo_interval superiority; /* of (wins + ties / 2) / pairs */
    double p_adjusted;          /* Holm over all pairs of all landscapes; NAN without pairs */
    opevo_verdict verdict;
    double pairs_needed; /* to resolve such a difference with power .8; INFINITY: none is seen */
} opevo_study_pair;

/* Contenders over those landscapes on which all of them ran and a trial of one succeeded. */
typedef struct opevo_study_overall {
    size_t blocks;            /* landscapes; below 2: no test */
    size_t all_failed;        /* landscapes left out because no trial of any run succeeded */
    double *mean;             /* of each contender: mean over the blocks of its mean fraction */
    opevo_interval *interval; /* of that, the landscapes being fixed */
    double *mean_rank;        /* 1 is best */
    opevo_friedman test;
    double critical_difference; /* Nemenyi, for alpha */
} opevo_study_overall;

/* Contenders against their twins, by the test of the verdicts at its level alpha. The hypothesis of
 * the test is true of all of them, and they share no run, so that the number of verdicts is at most
 * binomial (pairs, alpha). */
typedef struct opevo_study_null {
    size_t pairs;            /* of a contender and its twin on a landscape; 0: no twins */
    size_t verdicts;         /* of them, with p <= alpha: false ones */
    size_t family_verdicts;  /* with p <= alpha after Holm over these pairs */
    double rate;             /* verdicts / pairs; NAN without pairs */
    opevo_interval interval; /* of the rate: Clopper and Pearson, at the level of the intervals */
    double p;                /* P(X >= verdicts), X binomial (pairs, alpha) */
    bool is_biased;          /* the interval lies above alpha */
} opevo_study_null;

typedef struct opevo_study_analysis {
    opevo_analysed_study study;
    opevo_study_place *places; /* landscape_count */
    opevo_study_cell *cells;   /* [landscape * contender_count + contender] */
    opevo_study_pair *pairs;
    size_t pair_count;
    opevo_study_overall overall;
    opevo_study_null null;
    opevo_analysis_options options; /* the last, as it may grow */
} opevo_study_analysis;

/* Errors: INVALID for options outside their domain or a study without runs; MISMATCH for a run that
 * is better than its landscape's optimum; NOMEM. The numbers do not depend on the threads. Memory:
 * a few hundred bytes a run beside the result. */
OPEVO_API opevo_status opevo_study_analyse_sized(const opevo_analysed_study *study,
                                                 const opevo_analysis_options *options, size_t size,
                                                 opevo_study_analysis **out, opevo_error *err);
static inline opevo_status opevo_study_analyse(const opevo_analysed_study *study,
                                               const opevo_analysis_options *options,
                                               opevo_study_analysis **out, opevo_error *err)
{
    return opevo_study_analyse_sized(study, options, sizeof *options, out, err);
}
OPEVO_API void opevo_study_analysis_destroy(opevo_study_analysis *analysis);

OPEVO_API const opevo_study_cell *opevo_study_cell_of(const opevo_study_analysis *analysis,
                                                      size_t landscape, size_t contender);
/* "better", "worse", "not resolved". */
OPEVO_API const char *opevo_verdict_name(opevo_verdict verdict);
/* The A/A comparisons as one sentence, without a line end; only where there are some. */
OPEVO_API void opevo_study_null_sentence(const opevo_study_analysis *analysis, opevo_text *out);
/* The verdict as one sentence, without a line end. */
OPEVO_API void opevo_study_pair_sentence(const opevo_study_analysis *analysis,
                                         const opevo_study_pair *pair, opevo_text *out);

OPEVO_END_C

#endif
