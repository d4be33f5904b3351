/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The verdict of finals. What slows a round slows all of it, so finalists are compared round by
 * round. */

#include <opevo/finals.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/sign_test.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <string.h>

static void summarise(opevo_finalist *finalist, const double *fitness, size_t count,
                      double *scratch)
{
    memcpy(scratch, fitness, count * sizeof *scratch);
    gsl_sort(scratch, 1, count);
    finalist->rounds = count;
    finalist->won = 0;
    finalist->median = scratch[0] > 0 ? gsl_stats_median_from_sorted_data(scratch, 1, count) : 0;
    finalist->low = finalist->high = NAN;
    if (finalist->median > 0)
        opevo_median_interval(scratch, count, 0.95, &finalist->low, &finalist->high);
}

/* The time of another by that of the winner: the median over rounds, and its interval. */
static double compare_times(const double *winner, const double *other, size_t count,
                            double *scratch, double *low, double *high)
{
    size_t sound = 0;

    *low = *high = NAN;
    for (size_t i = 0; i < count; i++) {
        if (winner[i] > 0 && other[i] > 0)
            scratch[sound++] = winner[i] / other[i]; /* of fitness, so the other way round */
    }
    if (!sound)
        return NAN;
    gsl_sort(scratch, 1, sound);
    opevo_median_interval(scratch, sound, 0.95, low, high);
    return gsl_stats_median_from_sorted_data(scratch, 1, sound);
}

/* Rounds that a won against b minus those that it lost. */
static int64_t lead_over(const double *a, const double *b, size_t count)
{
    int64_t lead = 0;

    for (size_t i = 0; i < count; i++)
        lead += (a[i] > b[i]) - (a[i] < b[i]);
    return lead;
}

/* How a point did against the others. */
typedef struct standing {
    bool whole;   /* no round of it failed */
    size_t ahead; /* of how many others it won more rounds than it lost */
    int64_t lead; /* rounds won minus lost, against all of them */
    double median;
} standing;

static standing stand(const opevo_finalist *finalists, size_t count, const double *fitness,
                      size_t round_count, size_t number)
{
    standing out = {.whole = finalists[number].median > 0, .median = finalists[number].median};

    for (size_t i = 0; i < count; i++) {
        int64_t lead = 0;

        if (i == number || finalists[i].point == OPEVO_LIBRARY_POINT)
            continue;
        lead = lead_over(fitness + number * round_count, fitness + i * round_count, round_count);
        out.ahead += lead > 0;
        out.lead += lead;
    }
    return out;
}

static bool is_better(const standing *a, const standing *b)
{
    if (a->whole != b->whole)
        return a->whole;
    if (a->ahead != b->ahead)
        return a->ahead > b->ahead;
    if (a->lead != b->lead)
        return a->lead > b->lead;
    return a->median > b->median;
}

/* Ranks of the finalists that are points. What disturbs a round disturbs all in it, so the rounds
 * decide and not the medians over different disturbances: ahead is who wins more rounds than it
 * loses against more of the others (Copeland); the winner does so against all of them, unless they
 * win in a circle. What is left equal keeps its order. */
static void rank_points(opevo_finalist *finalists, size_t count, const double *fitness,
                        size_t round_count, standing *standings)
{
    for (size_t i = 0; i < count; i++)
        standings[i] = stand(finalists, count, fitness, round_count, i);
    for (size_t i = 0; i < count; i++) {
        finalists[i].rank = finalists[i].point != OPEVO_LIBRARY_POINT;
        for (size_t k = 0; k < count && finalists[i].rank; k++) {
            if (finalists[k].point == OPEVO_LIBRARY_POINT)
                continue;
            finalists[i].rank += is_better(&standings[k], &standings[i]) ||
                                 (k < i && !is_better(&standings[i], &standings[k]));
        }
    }
}

/* A round of which two are the best is won by none. */
static void count_won(opevo_finalist *finalists, size_t count, const double *fitness,
                      size_t round_count)
{
    for (size_t round = 0; round < round_count; round++) {
        double best = 0;
        size_t winner = count;

        for (size_t i = 0; i < count; i++) {
            double own = fitness[i * round_count + round];

            if (finalists[i].point == OPEVO_LIBRARY_POINT || own < best)
                continue;
            winner = own > best ? i : count;
            best = own;
        }
        if (winner < count)
            finalists[winner].won++;
    }
}

static size_t find_rank(const opevo_finalist *finalists, size_t count, size_t rank)
{
    size_t at = 0;

    while (at < count && finalists[at].rank != rank)
        at++;
    return at;
}

/* Winner against rival, round by round. */
static void test_rival(opevo_final_verdict *verdict, const double *winner, const double *rival,
                       size_t count, size_t rivals)
{
    size_t wins = 0;
    size_t different = 0;

    for (size_t i = 0; i < count; i++) {
        wins += winner[i] > rival[i];
        different += winner[i] != rival[i];
    }
    verdict->probability = fmin(1, (double)rivals * opevo_sign_test(wins, different - wins));
    verdict->faster = 2 * wins > different && verdict->probability < 0.05;
}

opevo_status opevo_finals_judge_twin(const double *fitness, const double *twin, uint64_t rounds,
                                     opevo_final_verdict *verdict, opevo_error *err)
{
    size_t count = (size_t)rounds, wins = 0, different = 0;
    double *scratch = opevo_calloc(count, sizeof *scratch);

    OPEVO_NEED_OR_RETURN(scratch, "%zu rounds", count);
    for (size_t i = 0; i < count; i++) {
        bool both = fitness[i] > 0 && twin[i] > 0;

        wins += both && fitness[i] > twin[i];
        different += both && fitness[i] != twin[i];
    }
    verdict->has_twin = true;
    verdict->twin_probability = opevo_sign_test(wins, different - wins);
    verdict->twin_ratio =
        compare_times(fitness, twin, count, scratch, &verdict->twin_low, &verdict->twin_high);
    verdict->is_biased = verdict->twin_probability < 0.05;
    verdict->faster = verdict->faster && !verdict->is_biased;
    opevo_free(scratch);
    return OPEVO_OK;
}

opevo_status opevo_finals_judge(opevo_finalist *finalists, size_t count, uint64_t number,
                                const double *fitness, opevo_final_verdict *verdict,
                                opevo_error *err)
{
    size_t rounds_count = (size_t)number;
    double *scratch = opevo_calloc(rounds_count, sizeof *scratch);
    standing *standings = opevo_calloc(count, sizeof *standings);
    const double *winner = NULL;
    opevo_status status = OPEVO_OK;
    opevo_final_verdict out = {.library = count,
                               .probability = 1,
                               .ratio = NAN,
                               .ratio_low = NAN,
                               .ratio_high = NAN,
                               .library_ratio = NAN,
                               .library_low = NAN,
                               .library_high = NAN,
                               .twin_probability = NAN,
                               .twin_ratio = NAN,
                               .twin_low = NAN,
                               .twin_high = NAN};

    OPEVO_NEED(scratch && standings, "%zu rounds", rounds_count);
    for (size_t i = 0; i < count; i++) {
        summarise(&finalists[i], fitness + i * rounds_count, rounds_count, scratch);
        if (finalists[i].point == OPEVO_LIBRARY_POINT)
            out.library = i;
    }
    rank_points(finalists, count, fitness, rounds_count, standings);
    count_won(finalists, count, fitness, rounds_count);
    out.winner = find_rank(finalists, count, 1);
    out.rival = find_rank(finalists, count, 2);
    winner = fitness + out.winner * rounds_count;
    if (out.rival < count) {
        const double *rival = fitness + out.rival * rounds_count;

        test_rival(&out, winner, rival, rounds_count, count - 1 - (out.library < count));
        out.ratio =
            compare_times(winner, rival, rounds_count, scratch, &out.ratio_low, &out.ratio_high);
    }
    if (out.library < count)
        out.library_ratio =
            compare_times(winner, fitness + out.library * rounds_count, rounds_count, scratch,
                          &out.library_low, &out.library_high);
    *verdict = out;
cleanup:
    opevo_free(scratch);
    opevo_free(standings);
    return status;
}
