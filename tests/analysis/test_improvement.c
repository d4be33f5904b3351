/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The improvement of a generation: against the law of a child in distributions/, which solves dense
 * equations, and against the child step that the tuner takes. */

#include "landscape_fixture.h"

#include <opevo/child_sampler.h>
#include <opevo/improvement.h>

/* A population on a landscape: every `step`-th allowed point seen, the best of them the parents. */
typedef struct population {
    fake objective;
    opevo_landscape_table *table;
    opevo_index *seen;
    opevo_index parents[4];
    double weights[4];
    bool *taken;
    opevo_generation generation;
    double best;
} population;

static population population_on(const char *json, size_t step, opevo_duplicate_rule rule,
                                uint64_t salt)
{
    population self = {.objective = fake_landscape(json, 0, 3, salt)};
    size_t count = 0, allowed = 0;

    CHECK_OK(opevo_landscape_table_create(&self.objective.super, 1, &self.table, &err));
    self.seen = malloc(self.table->size * sizeof *self.seen);
    self.taken = malloc(self.table->size * sizeof *self.taken);
    assert_true(self.seen && self.taken);
    for (size_t x = 0; x < self.table->size; x++) {
        bool may = self.table->state[x] != OPEVO_POINT_FORBIDDEN;
        /* The very best stays unseen, so that something can be gained. */
        bool see = may && allowed++ % step == 0 && self.table->fitness[x] < 1.9;

        self.taken[x] = !may || see;
        if (see)
            self.seen[count++] = x;
    }
    for (size_t i = 0; i < count; i++) {
        double fitness = self.table->fitness[(size_t)self.seen[i]];
        size_t at = 3;

        self.best = fmax(self.best, fitness);
        if (fitness <= self.weights[3])
            continue;
        for (; at > 0 && self.weights[at - 1] < fitness; at--) {
            self.weights[at] = self.weights[at - 1];
            self.parents[at] = self.parents[at - 1];
        }
        self.weights[at] = fitness;
        self.parents[at] = self.seen[i];
    }
    self.generation = (opevo_generation){.seen = self.seen,
                                         .seen_count = count,
                                         .parents = {NULL, NULL, 4},
                                         .rule = rule,
                                         .children = 5};
    return self;
}

/* With the parents where the caller's copy has them. */
static const opevo_generation *generation_of(population *self)
{
    self->generation.parents.points = self->parents;
    self->generation.parents.weights = self->weights;
    return &self->generation;
}

static void population_free(population *self)
{
    opevo_landscape_table_destroy(self->table);
    opevo_space_destroy(self->objective.space);
    free(self->seen);
    free(self->taken);
}

static void check_law(population *self, double q)
{
    const opevo_generation *g = generation_of(self);
    size_t n = self->table->size;
    double *law = malloc((n + 1) * sizeof *law), *oracle = malloc((n + 1) * sizeof *oracle);
    double lost = 0, bound = 0, off = 0, probability = 0, gain = 0;
    opevo_improvement out, again;

    assert_true(law && oracle);
    CHECK_OK(opevo_improvement_law(self->table, self->objective.space, g, q, 1, law, &out, &err));
    CHECK_OK(opevo_child_law_without_duplicates(
        &(opevo_child_step){self->objective.space, &g->parents, q, g->rule, self->taken, {0, 0}},
        oracle, &lost, &bound, &err));
    for (size_t x = 0; x < n; x++) {
        off += fabs(law[x] - oracle[x]);
        assert_true(!self->taken[x] || law[x] == 0);
        if (self->table->fitness[x] > self->best) {
            probability += oracle[x];
            gain += oracle[x] * (self->table->fitness[x] - self->best);
        }
    }
    assert_true(off <= out.bound + bound && out.bound < 1e-9);
    CHECK_CLOSE(out.lost, lost, out.bound + bound);
    CHECK_CLOSE(out.probability, probability, 1e-9);
    CHECK_CLOSE(out.gain, gain, 1e-9);
    assert_true(out.mutations >= 1 - lost - 1e-12);
    assert_true(out.some_low <= out.some_high && out.best_low <= out.best_high);
    CHECK_CLOSE(out.some_low, 1 - pow(1 - probability, 5), 1e-9);
    CHECK_OK(
        opevo_improvement_curve(self->table, self->objective.space, g, &q, 1, 3, &again, &err));
    assert_memory_equal(&out, &again, sizeof out);
    free(law);
    free(oracle);
}

/* Both rules; few and many points seen, by products of all points as well (see test_large). */
CHECK_TEST(test_against_child_law)
{
    static const double qs[] = {0, 0.02, 0.3, 0.5, 0.9};
    const char *const spaces[] = {mixed_space, full_space, path_space};

    for (size_t i = 0; i < 3 * 2 * 3; i++) {
        population self =
            population_on(spaces[i % 3], 2 + i / 6 * 3,
                          i / 3 % 2 ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE, i);

        for (size_t k = 0; k < sizeof qs / sizeof *qs; k++)
            check_law(&self, qs[k]);
        population_free(&self);
    }
}

/* 3,360 points of which 2,500 are taken: more than are solved for with a dense matrix. */
static const char *const large_space =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [512, 3]},"
    " \"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]},"
    " \"b\": {\"_type\": \"choice\", \"_value\": [1, 2, 3, 4, 5, 6, 7]},"
    " \"_constraints\": [\"K[0] % 3 != 1 || a > 7\", \"b + a < 12\"]}";

CHECK_TEST(test_large)
{
    static const double qs[] = {0.3};

    for (int rule = 0; rule < 2; rule++) {
        population self = population_on(
            large_space, 2, rule ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE, 3);
        size_t taken = 0;

        for (size_t x = 0; x < self.table->size; x++)
            taken += self.taken[x];
        assert_true(taken > 2048);
        check_law(&self, qs[0]);
        population_free(&self);
    }
}

/* Children of the tuner's own step: their shares of improvement, and those of whole generations,
 * lie within 5 standard errors of the exact ones, or of the bounds. */
static void check_against_sampler(population *self, double q, size_t children, uint64_t seed)
{
    const opevo_generation *g = generation_of(self);
    size_t width = opevo_space_parameter_count(self->objective.space);
    opevo_child_sampler *sampler = NULL;
    opevo_index vertices[4][8], child[8], point = 0;
    const opevo_index *rows[4] = {vertices[0], vertices[1], vertices[2], vertices[3]};
    size_t generations = children / g->children, better = 0, some = 0;
    double gain = 0, square = 0, best_gain = 0, best_square = 0, n = 0;
    opevo_improvement out;
    opevo_rng rng;

    (void)width;
    CHECK_OK(opevo_improvement_curve(self->table, self->objective.space, g, &q, 1, 1, &out, &err));
    CHECK_OK(opevo_child_sampler_create(self->objective.space, q, g->rule, &sampler, &err));
    for (size_t j = 0; j < 4; j++)
        opevo_space_decode(self->objective.space, self->parents[j], vertices[j]);
    CHECK_OK(opevo_child_sampler_set_parents(sampler, rows, self->weights, 4, &err));
    opevo_rng_init(&rng, seed, "test-improvement", 0);
    for (size_t i = 0; i < generations; i++) {
        opevo_index_set *seen = opevo_index_set_create();
        double most = 0;

        for (size_t k = 0; k < g->seen_count; k++)
            assert_true(opevo_index_set_add(seen, g->seen[k]));
        for (size_t k = 0; k < g->children; k++) {
            double won = 0;

            assert_true(opevo_child_sampler_draw(sampler, seen, &rng, child, &point));
            won = fmax(0, self->table->fitness[(size_t)point] - self->best);
            most = fmax(most, won);
            assert_true(opevo_index_set_add(seen, point));
            if (k > 0) /* the first child has the law before siblings */
                continue;
            better += won > 0;
            gain += won;
            square += won * won;
        }
        some += most > 0;
        best_gain += most;
        best_square += most * most;
        opevo_index_set_destroy(seen);
    }
    n = (double)generations;
    CHECK_CLOSE((double)better / n, out.probability,
                5 * sqrt(out.probability * (1 - out.probability) / n));
    CHECK_CLOSE(gain / n, out.gain, 5 * sqrt(square / n / n));
    CHECK_CLOSE((double)some / n, (out.some_low + out.some_high) / 2,
                (out.some_high - out.some_low) / 2 + 2.5 / sqrt(n));
    CHECK_CLOSE(best_gain / n, (out.best_low + out.best_high) / 2,
                (out.best_high - out.best_low) / 2 + 5 * sqrt(best_square / n / n));
    opevo_child_sampler_destroy(sampler);
}

CHECK_TEST(test_against_sampler)
{
    for (uint64_t i = 0; i < 4; i++) {
        population self =
            population_on(i / 2 ? large_space : full_space, 6,
                          i % 2 ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE, i);

        check_against_sampler(&self, 0.5, i / 2 ? 100000 : 300000, i);
        population_free(&self);
    }
}

/* Two components: a walk from one never finds what is free in the other only. */
CHECK_TEST(test_lost)
{
    char path[] = "/tmp/opevo-test-lost-XXXXXX.txt";
    int descriptor = mkstemps(path, 4);
    FILE *file = fdopen(descriptor, "w");
    char json[200];
    fake self;
    opevo_landscape_table *table = NULL;
    opevo_index seen[] = {0, 1, 2};
    double weights[] = {1, 1}, law[5];
    opevo_generation g = {
        .seen = seen, .seen_count = 2, .parents = {seen, weights, 2}, .children = 1};
    opevo_improvement out;

    assert_non_null(file);
    fprintf(file, "0 1\n2 3\n3 4\n");
    fclose(file);
    snprintf(json, sizeof json, "{\"g\": {\"_type\": \"graph\", \"_value\": \"%s\"}}", path);
    self = fake_landscape(json, 0, 0, 1);
    CHECK_OK(opevo_landscape_table_create(&self.super, 1, &table, &err));
    CHECK_OK(opevo_improvement_law(table, self.space, &g, 0.5, 1, law, &out, &err));
    CHECK_CLOSE(out.lost, 1, 1e-12);
    CHECK_CLOSE(out.probability, 0, 0);
    g.seen_count = 3;
    g.parents.points = seen + 1; /* one in each component */
    CHECK_OK(opevo_improvement_law(table, self.space, &g, 0.5, 1, law, &out, &err));
    CHECK_CLOSE(out.lost, 0.5, 1e-12);
    CHECK_CLOSE(law[3] + law[4], 0.5, 1e-12);
    opevo_landscape_table_destroy(table);
    opevo_space_destroy(self.space);
    remove(path);
}

CHECK_TEST(test_refused)
{
    population self = population_on(path_space, 3, OPEVO_DUPLICATE_CONTINUE, 1);
    opevo_generation g = *generation_of(&self);
    fake other = fake_landscape(full_space, 0, 0, 1);
    opevo_index outside = 1000;
    double q = 1;
    opevo_improvement out;

    CHECK_FAILS(
        OPEVO_INVALID, "[0, 1)",
        opevo_improvement_curve(self.table, self.objective.space, &g, &q, 1, 1, &out, &err));
    q = 0.5;
    CHECK_FAILS(OPEVO_INVALID, "points of the space differ",
                opevo_improvement_curve(self.table, other.space, &g, &q, 1, 1, &out, &err));
    g.seen = &outside;
    g.seen_count = 1;
    CHECK_FAILS(
        OPEVO_INVALID, "outside",
        opevo_improvement_curve(self.table, self.objective.space, &g, &q, 1, 1, &out, &err));
    g.seen_count = 0;
    CHECK_FAILS(
        OPEVO_INVALID, "seen before",
        opevo_improvement_curve(self.table, self.objective.space, &g, &q, 1, 1, &out, &err));
    population_free(&self);
    opevo_space_destroy(other.space);
}

CHECK_TEST(test_out_of_memory)
{
    population self = population_on(path_space, 3, OPEVO_DUPLICATE_CONTINUE, 1);
    int64_t live = opevo_memory_live();
    bool done = false;
    double q = 0.5;

    for (int64_t n = 1; !done; n++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_improvement out;
        opevo_status status = OPEVO_OK;

        self.generation.rule = n % 2 ? OPEVO_DUPLICATE_CONTINUE : OPEVO_DUPLICATE_REDRAW;
        opevo_memory_fail_at(n / 2 + 1);
        status = opevo_improvement_curve(self.table, self.objective.space, generation_of(&self), &q,
                                         1, 1, &out, &err);
        opevo_memory_fail_at(0);
        done = status == OPEVO_OK;
        assert_true(done || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    population_free(&self);
}
