/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many points the constraints of a space allow: counted, or estimated. */

#include "diagram_internal.h"
#include "space_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>

typedef struct census {
    const opevo_space *space;
    opevo_index size;
    size_t chunk_count;
    size_t samples;   /* at most SAMPLES_MAX */
    uint64_t *counts; /* of each chunk */
} census;

static opevo_status count_chunk(void *context, size_t index, unsigned worker, opevo_error *err)
{
    census *self = context;
    opevo_index begin = self->size * index / self->chunk_count;
    opevo_index end = self->size * (index + 1) / self->chunk_count;

    (void)worker;
    (void)err;
    self->counts[index] =
        opevo_i_topology_enumerate(self->space, (uint64_t)begin, (uint64_t)end, NULL);
    return OPEVO_OK;
}

/* One point in each of up to 2^20 equal strata, at a place in it that a hash decides: strata are as
 * even as a grid, and the hash keeps them out of step with the periods of the parameters. */
enum { SAMPLES_MAX = 1 << 20, SAMPLES_MIN = 1 << 12 };

/* As many as the work allows where the constraints are costly. */
static size_t sample_count(uint64_t cost)
{
    uint64_t affordable = OPEVO_I_WORK_MAX / (cost ? cost : 1);

    return affordable > SAMPLES_MAX   ? SAMPLES_MAX
           : affordable < SAMPLES_MIN ? SAMPLES_MIN
                                      : (size_t)affordable;
}

/* Bits for the i-th sample, which do not repeat. */
typedef struct sample_bits {
    uint64_t sample, drawn;
} sample_bits;

static uint64_t next_bits(void *context)
{
    sample_bits *self = context;

    return opevo_hash_mix(opevo_hash_mix(self->sample) + ++self->drawn);
}

/* The same for points that have no numbers to stratify. */
static bool sample_wide(const opevo_space *space, size_t i)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    sample_bits bits = {.sample = i + 1};

    opevo_diagram_draw(space->all, next_bits, &bits, vertices);
    return opevo_space_allows_vertices(space, vertices);
}

static opevo_status sample_chunk(void *context, size_t index, unsigned worker, opevo_error *err)
{
    census *self = context;
    size_t samples = self->samples;
    size_t begin = samples * index / self->chunk_count;
    size_t end = samples * (index + 1) / self->chunk_count;
    opevo_index width = self->size / samples, rest = self->size % samples;
    uint64_t count = 0;

    (void)worker;
    (void)err;
    for (size_t i = begin; i < end; i++) {
        opevo_index start = width * i + rest * i / samples;
        opevo_index stop = width * (i + 1) + rest * (i + 1) / samples;
        opevo_index random = (opevo_index)opevo_hash_mix(2 * (uint64_t)i + 1) << 64 |
                             opevo_hash_mix(2 * (uint64_t)i + 2);

        count += self->space->known
                     ? sample_wide(self->space, i)
                     : opevo_space_allows(self->space, start + random % (stop - start));
    }
    self->counts[index] = count;
    return OPEVO_OK;
}

/* Wilson's score interval at 99 %: z is the 0.995 quantile of the normal distribution. */
static void estimate(opevo_space_share *out, double successes, double n)
{
    const double z = 2.5758293035489004;
    double p = successes / n, scale = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / scale;
    double half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

    *out = (opevo_space_share){
        .share = p,
        .share_low = successes > 0 ? fmax(0, middle - half) : 0,
        .share_high = successes < n ? fmin(1, middle + half) : 1,
    };
}

static void exact(opevo_space_share *out, opevo_index allowed, const opevo_space *space)
{
    double share = space->known ? exp2(log2((double)allowed) - opevo_space_log2_size(space))
                                : (double)allowed / (double)space->size;

    *out = (opevo_space_share){
        .exact = true, .allowed = allowed, .share = share, .share_low = share, .share_high = share};
}

/* By the diagram of a space that has constraints; false where it does not fit. */
static bool count_by_diagram(opevo_space_share *out, const opevo_space *space)
{
    const opevo_diagram *diagram = NULL;
    opevo_index total = OPEVO_INDEX_MAX;
    bool fits = opevo_space_diagram(space, &diagram, NULL) == OPEVO_OK;

    if (!fits || (!opevo_diagram_count(diagram, &total) && !space->known))
        return false;
    exact(out, total, space);
    if (space->known)
        out->share = out->share_low = out->share_high =
            exp2(opevo_diagram_log2_count(diagram) - opevo_space_log2_size(space));
    return true;
}

/* The listed points that the constraints allow. */
static opevo_index count_listed(const opevo_space *space)
{
    opevo_index count = 0;

    if (space->constraint_count == 0)
        return opevo_i_topology_points_count(space);
    for (size_t i = 0; i < space->range_count; i++) {
        for (opevo_index at = space->ranges[i].first; at <= space->ranges[i].last; at++)
            count += opevo_space_allows(space, at);
    }
    return count;
}

opevo_status opevo_space_count_allowed(const opevo_space *space, opevo_index enumerate_limit,
                                       unsigned threads, opevo_space_share *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t cost = opevo_i_topology_constraints_cost(space);
    bool whole = space->size <= enumerate_limit && space->size <= (UINT64_MAX >> 12) &&
                 space->size <= 2 * OPEVO_I_WORK_MAX / (cost ? cost : 1);
    census self = {
        .space = space, .size = space->size, .chunk_count = 256, .samples = sample_count(cost)};
    opevo_index total = 0;

    if (space->allowed) {
        exact(out, space->allowed_count, space);
        return OPEVO_OK;
    }
    if (space->ranges &&
        (space->constraint_count == 0 || opevo_i_topology_points_count(space) <= enumerate_limit)) {
        exact(out, count_listed(space), space);
        return OPEVO_OK;
    }
    if (space->constraint_count == 0) {
        *out = (opevo_space_share){
            .exact = true, .allowed = space->size, .share = 1, .share_low = 1, .share_high = 1};
        return OPEVO_OK;
    }
    if (count_by_diagram(out, space))
        return OPEVO_OK;
    whole = whole && !space->ranges; /* the odometer knows of constraints alone */
    self.counts = opevo_calloc(self.chunk_count, sizeof *self.counts);
    OPEVO_NEED_OR_RETURN(self.counts, "counting the allowed points");
    OPEVO_TRY(opevo_parallel_for(self.chunk_count, threads, whole ? count_chunk : sample_chunk,
                                 &self, err));
    for (size_t i = 0; i < self.chunk_count; i++)
        total += self.counts[i];
    if (whole)
        exact(out, total, space);
    else
        estimate(out, (double)total, (double)self.samples);
cleanup:
    opevo_free(self.counts);
    return status;
}
