/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The simulated landscapes as a whole, by visiting every point: how many pass the limits, how the
 * optimum compares with the paper's tables 1-3 (the table in docs/simulator.md is what this
 * prints), and whether the shape is that of a tuning problem. */

#include "check.h"
#include "points.h"

#include <opevo/hash.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <stdlib.h>

/* Sanitizers make a point many times dearer; c2 has most of the points, and is left to the long
 * run. */
static bool visits(const char *name)
{
    if (CHECK_ADDRESSES)
        return strcmp(name, "mm1") == 0 || strcmp(name, "c1") == 0;
    return test_size(strcmp(name, "c2") != 0, true);
}

enum { CHUNK = 32768, BATCH = 256 };

typedef struct tally {
    uint64_t of_class[OPEVO_OUTCOME_CLASS_COUNT];
    double best;
} tally;

typedef struct survey {
    opevo_objective *objective;
    opevo_index size;
    tally *chunks;
    float *fitness; /* of each point; NULL: not kept */
} survey;

static opevo_status survey_chunk(void *context, size_t chunk, unsigned worker, opevo_error *err)
{
    survey *self = context;
    opevo_status status = OPEVO_OK;
    opevo_index end = ((opevo_index)chunk + 1) * CHUNK;

    if (end > self->size)
        end = self->size;
    for (opevo_index point = (opevo_index)chunk * CHUNK; point < end;) {
        opevo_index points[BATCH];
        opevo_outcome outcomes[BATCH];
        size_t count = 0;

        while (count < BATCH && point < end)
            points[count++] = point++;
        OPEVO_TRY(opevo_objective_evaluate(self->objective, points, count, outcomes, err));
        for (size_t i = 0; i < count; i++) {
            self->chunks[chunk].of_class[outcomes[i].kind]++;
            if (outcomes[i].fitness > self->chunks[chunk].best)
                self->chunks[chunk].best = outcomes[i].fitness;
            if (self->fitness)
                self->fitness[points[i]] = (float)outcomes[i].fitness;
        }
    }
cleanup:
    return status;
}

/* Every point of an operator on a device; *fitness, when asked for, is released by the caller. */
static tally survey_all(const char *name, const char *device, float **fitness)
{
    survey self = {0};
    opevo_operator op;
    size_t chunks = 0;
    tally sum = {0};

    CHECK_OK(opevo_operator_parse(name, &op, &err));
    CHECK_OK(opevo_simulated_open(&op, device, &self.objective, &err));
    self.size = opevo_space_size(self.objective->space);
    chunks = (size_t)((self.size + CHUNK - 1) / CHUNK);
    self.chunks = opevo_calloc(chunks, sizeof *self.chunks);
    assert_non_null(self.chunks);
    if (fitness) {
        self.fitness = opevo_calloc((size_t)self.size, sizeof *self.fitness);
        assert_non_null(self.fitness);
        *fitness = self.fitness;
    }
    CHECK_OK(opevo_parallel_for(chunks, 0, survey_chunk, &self, &err));
    for (size_t i = 0; i < chunks; i++) {
        for (int j = 0; j < OPEVO_OUTCOME_CLASS_COUNT; j++)
            sum.of_class[j] += self.chunks[i].of_class[j];
        if (self.chunks[i].best > sum.best)
            sum.best = self.chunks[i].best;
    }
    opevo_free(self.chunks);
    opevo_objective_destroy(self.objective);
    return sum;
}

/* Points within the limits of 1024 threads, 49152 bytes, block depth 64, grid depth 65535 and
 * k1 > 1, as counted by a program of its own over the distinct pairs of tile size and threads; and
 * the highest mean of a method in tables 1-3, in TFLOP/s. */
static const struct {
    const char *name;
    uint64_t passing;
    double gtx1080ti, mi50;
} paper[] = {
    {"mm1", 815558, 7.22, 4.33},   {"mm2", 878115, 7.90, 6.90},   {"mm3", 816346, 6.98, 5.18},
    {"bmm1", 1601066, 5.46, 7.69}, {"bmm2", 1601066, 5.65, 8.03}, {"bmm3", 1853395, 4.82, 5.23},
    {"c1", 463932, 3.62, 6.13},    {"c2", 14699052, 8.00, 8.46},
};
enum { PAPER_COUNT = sizeof paper / sizeof *paper };

static void check_row(size_t i, const char *device, double best_mean)
{
    tally all = survey_all(paper[i].name, device, NULL);
    double ratio = all.best / 1000.0 / best_mean;

    printf("| %s | %s | %.2f | %.2f | %.2f | %llu |\n", device, paper[i].name, best_mean,
           all.best / 1000.0, ratio, (unsigned long long)all.of_class[OPEVO_OUTCOME_OK]);
    assert_true(ratio >= 0.8 && ratio <= 1.2);
    if (strcmp(device, "gtx1080ti") == 0)
        assert_int_equal(all.of_class[OPEVO_OUTCOME_OK], paper[i].passing);
}

CHECK_TEST(test_tables)
{
    printf("| device | operator | paper | model | ratio | points that run |\n");
    for (size_t i = 0; i < PAPER_COUNT; i++) {
        if (!visits(paper[i].name))
            continue;
        check_row(i, "gtx1080ti", paper[i].gtx1080ti);
        if (test_takes(i, 0, 3))
            check_row(i, "mi50", paper[i].mi50);
    }
}

/* A second count of the points of a matrix product that pass, from the distribution of (tile edge,
 * threads) of each factor: sum over combinations of the product of multiplicities. */
static uint64_t count_passing(int64_t n, int64_t k, int64_t m)
{
    uint64_t sum = 0;

    for (int64_t k1 = 2; k1 <= k; k1++) {
        int64_t depth = k / k1;
        uint64_t splits = 0;

        if (k % k1)
            continue;
        for (int64_t k2 = 1; k2 <= depth; k2++)
            splits += depth % k2 == 0;
        for (int64_t bn = 1; bn <= n; bn++) /* bn = n2 n3 n4, tn = n3 */
            for (int64_t tn = 1; n % bn == 0 && tn <= bn; tn++) {
                uint64_t x = 0;

                for (int64_t n4 = 1; bn % tn == 0 && n4 <= bn / tn; n4++)
                    x += bn / tn % n4 == 0;
                for (int64_t bm = 1; x && bm <= m; bm++)
                    for (int64_t tm = 1; m % bm == 0 && tm <= bm; tm++) {
                        uint64_t y = 0;

                        if (bm % tm || tn * tm > 1024 || 8 * (bn + bm) * depth > 49152)
                            continue;
                        for (int64_t m4 = 1; m4 <= bm / tm; m4++)
                            y += bm / tm % m4 == 0;
                        sum += splits * x * y;
                    }
            }
    }
    return sum;
}

CHECK_TEST(test_passing_counts)
{
    assert_int_equal(count_passing(512, 1024, 1024), paper[0].passing);
    assert_int_equal(count_passing(512, 1024, 4096), paper[1].passing);
    assert_int_equal(count_passing(512, 4096, 1024), paper[2].passing);
}

/* What no table gives is at least plausible: matrix products reach 30 to 95 % of the peak. */
CHECK_TEST(test_other_devices)
{
    static const struct {
        const char *name;
        double peak_tflops;
    } devices[] = {{"v100", 15.67}, {"a100", 19.49}, {"h200", 66.91}};
    static const char *const operators[] = {"mm1", "mm2", "bmm1"};

    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < 3; i++) {
            double share = 0;

            if (!visits(operators[i]) || !test_takes(d, i, 3))
                continue;
            share = survey_all(operators[i], devices[d].name, NULL).best / 1000.0 /
                    devices[d].peak_tflops;
            printf("%s %s: %.2f of the peak\n", devices[d].name, operators[i], share);
            assert_true(share >= 0.30 && share <= 0.95);
        }
}

static bool is_local_optimum(const opevo_space *space, const float *fitness, opevo_index point)
{
    opevo_index vertices[3];

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < 3; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_index here = vertices[i];
        opevo_index degree = opevo_parameter_degree(parameter, here);

        for (opevo_index k = 0; k < degree; k++) {
            vertices[i] = opevo_parameter_neighbour(parameter, here, k);
            if (fitness[opevo_space_encode(space, vertices)] >= fitness[point])
                return false;
        }
        vertices[i] = here;
    }
    return true;
}

/* mm1 on gtx1080ti has several peaks, few points near the best, and 500 random trials (200 runs
 * with fixed numbers) end far below it. */
CHECK_TEST(test_shape)
{
    float *fitness = NULL;
    tally all = survey_all("mm1", "gtx1080ti", &fitness);
    opevo_operator op = opevo_operator_get(0)->op;
    opevo_space *space = NULL;
    uint64_t peaks = 0;
    uint64_t near = 0;
    double random_best = 0.0;
    const size_t size = 4152720;

    CHECK_OK(opevo_operator_space(&op, &space, &err));
    assert_true(opevo_space_size(space) == size);
    for (size_t i = 0; i < size; i++) {
        near += fitness[i] >= 0.9 * all.best;
        peaks += fitness[i] > 0.0f && is_local_optimum(space, fitness, i);
    }
    for (uint64_t run = 0; run < 200; run++) {
        float best = 0.0f;

        for (uint64_t trial = 0; trial < 500; trial++)
            best = fmaxf(best, fitness[opevo_hash_mix(run * 500 + trial + 1) % size]);
        random_best += best / 200.0;
    }
    printf("mm1 on gtx1080ti: %.4f pass, %llu local optima, %llu points above 0.9 of the best, "
           "random search reaches %.2f\n",
           (double)all.of_class[OPEVO_OUTCOME_OK] / (double)size, (unsigned long long)peaks,
           (unsigned long long)near, random_best / all.best);
    assert_true(peaks >= 5);
    assert_true(near >= 5 && near <= 2000);
    assert_true(random_best < 0.85 * all.best);
    opevo_space_destroy(space);
    opevo_free(fitness);
}
