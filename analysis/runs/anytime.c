/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bets on signs, and bets on means: capital that seldom grows large under what it bets against. */

#include <opevo/anytime.h>

#include <opevo/comparison.h>
#include <opevo/memory.h>

#include <math.h>

/* ---- Signs ---- */

/* The best share grows with the effect; these lose at most ln 7 against the best of them. */
static const double shares[] = {0.95, 0.70710678, 0.5, 0.35355339, 0.25, 0.17677670, 0.125};
enum { SHARES = sizeof shares / sizeof *shares };

/* ln of the mean of exp(logs). */
static double log_mean(const double *logs)
{
    double most = logs[0], sum = 0;

    for (int k = 1; k < SHARES; k++)
        most = fmax(most, logs[k]);
    for (int k = 0; k < SHARES; k++)
        sum += exp(logs[k] - most);
    return most + log(sum / (double)SHARES);
}

/* A size is known to lie between these. */
typedef struct size_range {
    double least, most;
} size_range;

/* Midrank of the last of the sizes among all of them, divided by their number. */
static double last_rank(const size_range *sizes, size_t count)
{
    const size_range *last = &sizes[count - 1];
    size_t below = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        below += sizes[i].most < last->least;
        equal += sizes[i].most >= last->least && sizes[i].least <= last->most;
    }
    return ((double)below + ((double)equal + 1) / 2) / (double)count;
}

/* Bet on the next sign. */
static void bet(double stake, double *better, double *worse, opevo_anytime *out)
{
    for (int k = 0; k < SHARES; k++) {
        better[k] += log1p(shares[k] * stake);
        worse[k] += log1p(-shares[k] * stake);
    }
    out->log_better = fmax(out->log_better, log_mean(better));
    out->log_worse = fmax(out->log_worse, log_mean(worse));
}

opevo_status opevo_anytime_test(const double *a, const double *b, size_t count, opevo_anytime *out,
                                opevo_error *err)
{
    size_range *sizes = opevo_malloc(count, sizeof *sizes);
    double better[SHARES] = {0}, worse[SHARES] = {0};
    opevo_status status = OPEVO_OK;

    *out = (opevo_anytime){.pairs = count, .p = 1};
    OPEVO_NEED_OR_RETURN(sizes, "a test of %zu pairs", count);
    for (size_t i = 0; i < count; i++) {
        double size = fabs(a[i] - b[i]), error = OPEVO_ROUNDING * (fabs(a[i]) + fabs(b[i]));

        if (!isfinite(size)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "A difference of a test is not finite.");
            goto cleanup;
        }
        sizes[i] = size <= error ? (size_range){0, 0} : (size_range){size - error, size + error};
        if (size > error)
            bet((a[i] > b[i] ? 1 : -1) * last_rank(sizes, i + 1), better, worse, out);
    }
    out->p = fmin(1, 2 * exp(-fmax(out->log_better, out->log_worse)));
cleanup:
    opevo_free(sizes);
    return status;
}

/* ---- Means ---- */

/* Values in [0, 1] with the bets on them, each of which depends on the values before it. */
typedef struct bets {
    double *x, *bet;
    size_t count;
} bets;

static void plan_bets(const bets *self, double alpha)
{
    double sum = 0.5, squares = 0.25; /* of the values, and of their deviations */

    for (size_t i = 0; i < self->count; i++) {
        double t = (double)i + 1, mean = 0;

        self->bet[i] = sqrt(2 * log(2 / alpha) / (squares * log(t + 1)));
        sum += self->x[i];
        mean = sum / (t + 1);
        squares += (self->x[i] - mean) * (self->x[i] - mean);
    }
}

/* Whether who bets on a mean above m, or with `above` false below it, ever had 2 / alpha. */
static bool is_refuted(const bets *self, double m, bool above, double alpha)
{
    double room = above ? m : 1 - m, capital = 0, most = 0;

    for (size_t i = 0; i < self->count; i++) {
        double share = fmin(self->bet[i], 0.5 / room);

        capital += log1p((above ? share : -share) * (self->x[i] - m));
        most = fmax(most, capital);
    }
    return most >= log(2 / alpha);
}

/* The capital falls as m approaches the values from either side, so halving finds the end. It stays
 * on the side that is refuted, which makes the interval wider, if anything. */
static double find_end(const bets *self, bool above, double alpha)
{
    double out = above ? 0 : 1, in = above ? 1 : 0;

    for (int i = 0; i < 60; i++) {
        double m = (out + in) / 2;

        *(is_refuted(self, m, above, alpha) ? &out : &in) = m;
    }
    return out;
}

opevo_status opevo_confidence_sequence(const double *values, size_t count, opevo_interval range,
                                       double confidence, opevo_interval *out, opevo_error *err)
{
    double *room = opevo_malloc(2 * count, sizeof *room), width = range.high - range.low;
    bets self = {room, NULL, count};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(room, "an interval of %zu values", count);
    self.bet = room + count;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= range.low && values[i] <= range.high)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "A value lies outside its range.");
            goto cleanup;
        }
        self.x[i] = (values[i] - range.low) / width;
    }
    plan_bets(&self, 1 - confidence);
    out->low = range.low + width * find_end(&self, true, 1 - confidence);
    out->high = range.low + width * find_end(&self, false, 1 - confidence);
cleanup:
    opevo_free(room);
    return status;
}
