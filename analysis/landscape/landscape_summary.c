/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Summary of a landscape: points are evaluated chunk by chunk, each chunk with its own counters and
 * its own place for the fitnesses, and chunks are put together in order, so that neither the
 * rounding of the mean nor the choice among equal optima depends on the threads. */

#include <opevo/landscape_summary.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/space_listed.h>
#include <opevo/summary.h>
#include <opevo/unit.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <string.h>

enum { CHUNK = 4096 };

const double opevo_landscape_quantiles[5] = {0.05, 0.25, 0.5, 0.75, 0.95};

static const uint64_t sample_size = 1000000;
static const opevo_index largest_limit = (opevo_index)1 << 31; /* where the ranks of GSL end */

typedef struct chunk {
    uint64_t evaluated;
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT];
    opevo_optimum best;
} chunk;

/* Scratch memory of one thread. */
typedef struct worker {
    opevo_index point[CHUNK];
    opevo_outcome outcome[CHUNK];
} worker;

typedef struct survey {
    opevo_objective *objective;
    bool listed;        /* places are those of a sparse space's list, otherwise points */
    opevo_index size;   /* places */
    opevo_index stride; /* from one place of the sample to the next; 1 when enumerating */
    uint64_t count;     /* points to look at */
    size_t chunk_count;
    unsigned threads;
    chunk *chunks;
    worker *workers;
    double *fitness; /* count numbers; those of chunk i start at i * CHUNK */
} survey;

/* ---- The sample ---- */

static opevo_index add_modulo(opevo_index a, opevo_index b, opevo_index modulus)
{
    return a >= modulus - b ? a - (modulus - b) : a + b;
}

static opevo_index multiply_modulo(opevo_index a, uint64_t times, opevo_index modulus)
{
    opevo_index product = 0;

    for (int bit = 63; bit >= 0; bit--) {
        product = add_modulo(product, product, modulus);
        if (times >> bit & 1)
            product = add_modulo(product, a, modulus);
    }
    return product;
}

/* The golden section makes the multiples spread evenly at every length of the sample. */
static opevo_index golden_stride(opevo_index size)
{
    opevo_index stride = size / 1000 * 618 + size % 1000 * 618 / 1000;

    while (opevo_index_gcd(size, stride) != 1)
        stride++;
    return stride;
}

/* ---- Evaluation ---- */

static void count_outcome(chunk *c, opevo_index point, const opevo_outcome *outcome,
                          double *fitness)
{
    c->by_class[outcome->kind]++;
    if (outcome->kind != OPEVO_OUTCOME_OK)
        return;
    fitness[c->by_class[OPEVO_OUTCOME_OK] - 1] = outcome->fitness;
    if (!c->best.known || outcome->fitness > c->best.fitness ||
        (outcome->fitness == c->best.fitness && point < c->best.point))
        c->best = (opevo_optimum){.known = true, .point = point, .fitness = outcome->fitness};
}

static opevo_status survey_chunk(void *context, size_t index, unsigned worker_index,
                                 opevo_error *err)
{
    survey *self = context;
    worker *scratch = &self->workers[worker_index];
    chunk *c = &self->chunks[index];
    uint64_t first = (uint64_t)index * CHUNK;
    uint64_t end = first + CHUNK < self->count ? first + CHUNK : self->count;
    opevo_index place = multiply_modulo(self->stride % self->size, first, self->size);
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    for (uint64_t i = first; i < end; i++) {
        if (self->listed)
            scratch->point[count++] = opevo_space_listed_point(self->objective->space, place);
        else if (opevo_space_allows(self->objective->space, place))
            scratch->point[count++] = place;
        place = add_modulo(place, self->stride % self->size, self->size);
    }
    if (count == 0)
        return OPEVO_OK;
    status =
        opevo_objective_evaluate(self->objective, scratch->point, count, scratch->outcome, err);
    if (status != OPEVO_OK)
        return status;
    c->evaluated = count;
    for (size_t i = 0; i < count; i++)
        count_outcome(c, scratch->point[i], &scratch->outcome[i], self->fitness + first);
    return OPEVO_OK;
}

/* Puts the chunks' counters together and their fitnesses side by side; returns how many those are.
 */
static size_t collect(survey *self, opevo_landscape_summary *out, opevo_optimum *best)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->chunk_count; i++) {
        const chunk *c = &self->chunks[i];
        size_t ok = c->by_class[OPEVO_OUTCOME_OK];

        out->evaluated += c->evaluated;
        for (size_t k = 0; k < OPEVO_OUTCOME_CLASS_COUNT; k++)
            out->by_class[k] += c->by_class[k];
        memmove(self->fitness + kept, self->fitness + i * CHUNK, ok * sizeof *self->fitness);
        kept += ok;
        if (c->best.known && (!best->known || c->best.fitness > best->fitness ||
                              (c->best.fitness == best->fitness && c->best.point < best->point)))
            *best = c->best;
    }
    return kept;
}

/* ---- Numbers ---- */

/* Only the values that the quantiles lie between are put in place,
 * which costs less than sorting. */
static void find_quantiles(double *values, size_t count, double *quantile)
{
    size_t sorted = 0; /* values before here are in place, and none behind is smaller */

    for (size_t i = 0; i < 5; i++) {
        size_t below = (size_t)(opevo_landscape_quantiles[i] * ((double)count - 1));

        for (size_t rank = below; rank <= below + 1 && rank < count; rank++) {
            if (rank < sorted)
                continue;
            gsl_stats_select(values + sorted, 1, count - sorted, rank - sorted);
            sorted = rank + 1;
        }
        quantile[i] = opevo_quantile_sorted(values, count, opevo_landscape_quantiles[i]);
    }
}

static void describe(double *values, size_t count, opevo_landscape_summary *out)
{
    double threshold =
        opevo_fitness_share(0.95, out->optimum.known ? out->optimum.fitness : out->best);
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        out->within_5_percent += values[i] >= threshold;
    }
    out->mean = count > 0 ? sum / (double)count : NAN;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - out->mean) * (values[i] - out->mean);
    out->sd = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    find_quantiles(values, count, out->quantile);
    memcpy(out->quantile_low, out->quantile, sizeof out->quantile);
    memcpy(out->quantile_high, out->quantile, sizeof out->quantile);
    out->mean_low = out->mean_high = out->mean;
}

/* The number of values below a quantile is binomial, so its interval has ranks for ends. Source:
 * David, Nagaraja, "Order Statistics", section 7.1. */
static void add_intervals(double *values, size_t count, opevo_landscape_summary *out)
{
    double z = gsl_cdf_ugaussian_Pinv(0.995);
    double last = (double)count - 1;

    if (count == 0)
        return;
    opevo_moments_of(values, count); /* sorts them */
    for (size_t i = 0; i < 5; i++) {
        double p = opevo_landscape_quantiles[i];
        double reach = z * sqrt((double)count * p * (1 - p));

        out->quantile_low[i] = values[(size_t)fmax(0, floor(p * last - reach))];
        out->quantile_high[i] = values[(size_t)fmin(last, ceil(p * last + reach))];
    }
    out->mean_low = out->mean - z * out->sd / sqrt((double)count);
    out->mean_high = out->mean + z * out->sd / sqrt((double)count);
}

/* ---- All of it ---- */

static opevo_status allocate(survey *self, opevo_error *err)
{
    self->chunk_count = (size_t)((self->count + CHUNK - 1) / CHUNK);
    self->chunks = opevo_calloc(self->chunk_count, sizeof *self->chunks);
    self->workers = opevo_malloc(self->threads, sizeof *self->workers);
    self->fitness = opevo_malloc(self->count, sizeof *self->fitness);
    OPEVO_NEED_OR_RETURN(self->chunks && self->workers && self->fitness,
                         "the fitness of %llu points; lower the number of points to enumerate",
                         (unsigned long long)self->count);
    return OPEVO_OK;
}

opevo_status opevo_landscape_summarise(opevo_objective *objective, opevo_index enumerate_limit,
                                       unsigned threads, opevo_landscape_summary *out,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_landscape_summary summary = {0};
    opevo_optimum best = {0};
    bool listed = opevo_space_is_sparse(objective->space);
    opevo_index size =
        listed ? opevo_space_listed_count(objective->space) : opevo_space_size(objective->space);
    survey self = {
        .objective = objective, .listed = listed, .size = size, .stride = 1, .threads = threads};
    size_t ok = 0;

    if (opevo_space_is_wide(objective->space) && !listed)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "%s has more than 2^128 - 1 points, which are not sampled; with "
                          "--only-recorded the rows of a recording are its space.",
                          objective->name);
    if (enumerate_limit > largest_limit)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "At most 2^31 points can be enumerated.");
    summary.exact = size <= sample_size || size <= enumerate_limit;
    self.count = summary.exact ? (uint64_t)size : sample_size;
    self.stride = summary.exact ? 1 : golden_stride(size);
    if (!objective->concurrent)
        self.threads = 1;
    else if (threads == 0)
        self.threads = opevo_processor_count();
    OPEVO_TRY(allocate(&self, err));
    OPEVO_TRY(opevo_parallel_for(self.chunk_count, self.threads, survey_chunk, &self, err));
    ok = collect(&self, &summary, &best);
    summary.best = best.known ? best.fitness : NAN;
    if (summary.exact) {
        summary.points = summary.evaluated;
        summary.optimum = best;
    } else {
        OPEVO_TRY(opevo_objective_optimum(objective, &summary.optimum, err));
    }
    describe(self.fitness, ok, &summary);
    if (!summary.exact)
        add_intervals(self.fitness, ok, &summary);
    *out = summary;
cleanup:
    opevo_free(self.chunks);
    opevo_free(self.workers);
    opevo_free(self.fitness);
    return status;
}
