/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Configurations measured on each other's workloads: the certificate is that of the whole matrix,
 * for fewer measurements; counterparts in other spaces; kills and limits. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/portfolio_crossing.h>
#include <opevo/random.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHAPES = 4, TRIALS = 14, TRIALS_MOST = SHAPES * TRIALS };

/* A product of n = 2^a 3^b rows, in tiles: best at a tile of its own and the second unrolling, with
 * some noise by the point. */
typedef struct shape {
    opevo_objective super;
    opevo_space *space;
    double tile;
    uint64_t salt;
    uint64_t evaluated;
    char name[32];
} shape;

static opevo_outcome outcome_of(const shape *self, opevo_index point)
{
    opevo_rng rng;
    opevo_index vertices[2];
    opevo_value value[2];
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);

    opevo_rng_init(&rng, self->salt, "shape", (uint64_t)point);
    opevo_space_decode(self->space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(self->space, 0), vertices[0], value);
    if (opevo_rng_below(&rng, 12) > 0)
        outcome = opevo_outcome_of_fitness(
            100 / (1 + fabs(log2((double)value[1].as.integer / self->tile)) +
                   0.3 * fabs((double)vertices[1] - 1) + 0.2 * opevo_rng_unit(&rng)));
    outcome.run_s = 1;
    return outcome;
}

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *error)
{
    shape *self = (shape *)objective;

    (void)error;
    for (size_t i = 0; i < count; i++, self->evaluated++)
        outcomes[i] = outcome_of(self, points[i]);
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
    (void)objective;
}

static const opevo_objective_ops ops = {.kind = "shape", .evaluate = evaluate, .destroy = destroy};

static void make_shape(shape *self, size_t number, unsigned n, double tile, uint64_t salt)
{
    char json[160];

    snprintf(json, sizeof json,
             "{\"X\": {\"_type\": \"factor\", \"_value\": [%u, 2]}, \"U\": {\"_type\": "
             "\"discrete\", \"_value\": [1, 4, 16]}}",
             n);
    *self = (shape){.tile = tile, .salt = salt};
    snprintf(self->name, sizeof self->name, "shape%zu of %u", number, n);
    CHECK_OK(opevo_space_parse(json, "a test", NULL, &self->space, &err));
    self->super = (opevo_objective){.ops = &ops,
                                    .space = self->space,
                                    .name = self->name,
                                    .unit = "1/s",
                                    .signature = opevo_space_signature(self->space) + number,
                                    .concurrent = true};
}

static const unsigned rows[SHAPES] = {96, 48, 64, 144};

typedef struct problem {
    shape shapes[SHAPES];
    opevo_trial trials[TRIALS_MOST]; /* of the searches, shape after shape */
    opevo_portfolio_options options;
} problem;

/* Of one space, or of spaces that differ in their rows. */
static void make_problem(problem *self, uint64_t number, bool one_space)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "crossing", number);
    *self = (problem){.options = {.most = 1 + number % 3, .worst = number % 2}};
    for (size_t w = 0; w < SHAPES; w++) {
        uint64_t salt = opevo_rng_u64(&rng);
        double tile = (double)(1 << opevo_rng_below(&rng, 5));

        make_shape(&self->shapes[w], w, one_space ? 96 : rows[w], tile, salt);
        for (uint64_t i = 0; i < TRIALS; i++) {
            opevo_trial *trial = &self->trials[w * TRIALS + i];

            trial->number = i + 1;
            trial->proposal.point =
                opevo_rng_below(&rng, (uint64_t)opevo_space_size(self->shapes[w].space));
            trial->outcome = outcome_of(&self->shapes[w], trial->proposal.point);
        }
    }
}

static void free_problem(problem *self)
{
    for (size_t w = 0; w < SHAPES; w++)
        opevo_space_destroy(self->shapes[w].space);
}

static opevo_crossing *start(problem *self, opevo_store *store)
{
    opevo_crossing *crossing = NULL;

    CHECK_OK(opevo_crossing_create(&self->options, &crossing, &err));
    for (size_t w = 0; w < SHAPES; w++)
        CHECK_OK(opevo_crossing_add(crossing, &self->shapes[w].super,
                                    &(const opevo_run_options){.seed = 1, .store = store}, &err));
    for (size_t i = 0; i < TRIALS_MOST; i++)
        CHECK_OK(opevo_crossing_note(crossing, i / TRIALS, &self->trials[i], &err));
    return crossing;
}

static opevo_crossing_end go_on(opevo_crossing *crossing, size_t steps)
{
    opevo_crossing_end end = OPEVO_CROSSING_OPEN;

    for (size_t i = 0; i < steps && end == OPEVO_CROSSING_OPEN; i++)
        CHECK_OK(opevo_crossing_step(crossing, &end, &err));
    return end;
}

/* The matrix with every cell, measured or not. */
static double value_of_all(const problem *self, const opevo_crossing *crossing)
{
    const opevo_portfolio_matrix *matrix = &opevo_crossing_state_of(crossing)->matrix;
    double *fitness = opevo_malloc(matrix->workloads, matrix->configurations * sizeof *fitness);
    opevo_portfolio_matrix whole = *matrix;
    opevo_portfolio portfolio;
    double *regret = NULL, value = 0;

    for (size_t w = 0; w < matrix->workloads; w++) {
        for (size_t c = 0; c < matrix->configurations; c++) {
            double measured = opevo_crossing_fitness(crossing, c, w);
            opevo_index point = 0;
            bool exists = opevo_crossing_point(crossing, c, w, &point);

            fitness[w * matrix->configurations + c] =
                !isnan(measured) ? measured
                : exists         ? outcome_of(&self->shapes[w], point).fitness
                                 : 0;
        }
    }
    CHECK_OK(
        opevo_portfolio_regret(fitness, matrix->workloads, matrix->configurations, &regret, &err));
    whole.regret = regret;
    CHECK_OK(opevo_portfolio_find(&whole, &self->options, &portfolio, &err));
    assert_true(portfolio.is_exact);
    value = portfolio.value;
    opevo_portfolio_free(&portfolio);
    opevo_free(regret);
    opevo_free(fitness);
    return value;
}

/* The best of each workload is among what the searches measured, so that regrets are the same ones
 * whatever is left out. */
static void put_best(problem *self)
{
    for (size_t w = 0; w < SHAPES; w++) {
        opevo_trial *last = &self->trials[w * TRIALS + TRIALS - 1];
        double best = 0;

        for (opevo_index p = 0; p < opevo_space_size(self->shapes[w].space); p++) {
            if (outcome_of(&self->shapes[w], p).fitness <= best)
                continue;
            last->proposal.point = p;
            last->outcome = outcome_of(&self->shapes[w], p);
            best = last->outcome.fitness;
        }
    }
}

/* Floor and value meet, at what the whole matrix has, and floors only rise. */
CHECK_TEST(test_certificate)
{
    uint64_t spent = 0, cells = 0;

    for (uint64_t number = 0; number < 60; number++) {
        problem self;
        opevo_crossing *crossing = NULL;
        const opevo_crossing_state *state = NULL;
        opevo_crossing_end end = OPEVO_CROSSING_OPEN;

        make_problem(&self, number, number % 4 < 2);
        put_best(&self);
        crossing = start(&self, NULL);
        state = opevo_crossing_state_of(crossing);
        for (double floor = 0; end == OPEVO_CROSSING_OPEN; floor = state->portfolio.floor) {
            CHECK_OK(opevo_crossing_step(crossing, &end, &err));
            assert_true(state->portfolio.floor >= floor - 1e-12);
            assert_true(state->portfolio.floor <= state->portfolio.value + 1e-12);
        }
        assert_int_equal(end, OPEVO_CROSSING_CLOSED);
        CHECK_CLOSE(state->portfolio.value, state->portfolio.floor, 1e-11);
        CHECK_CLOSE(state->portfolio.value, value_of_all(&self, crossing), 1e-11);
        spent += state->trials;
        cells += state->matrix.workloads * state->matrix.configurations - TRIALS_MOST;
        opevo_crossing_destroy(crossing);
        free_problem(&self);
    }
    /* Three quarters of what was left out decide nothing. */
    assert_true(4 * spent < cells);
}

/* Inner lengths are kept where they divide the rows; texts that a space has are the same there. */
CHECK_TEST(test_counterparts)
{
    problem self;

    make_problem(&self, 0, false);
    for (size_t a = 0; a < SHAPES; a++) {
        for (size_t b = 0; b < SHAPES; b++) {
            for (opevo_index p = 0; p < opevo_space_size(self.shapes[a].space); p++) {
                const opevo_space *spaces[] = {self.shapes[a].space, self.shapes[b].space};
                opevo_index vertices[2][2], there = 0;
                opevo_value values[2][2];
                bool found = false;

                CHECK_OK(opevo_portfolio_carry(spaces[0], p, spaces[1], &found, &there, &err));
                assert_true(found && (a != b || there == p));
                for (int i = 0; i < 2; i++) {
                    opevo_space_decode(spaces[i], i ? there : p, vertices[i]);
                    opevo_parameter_value(opevo_space_parameter(spaces[i], 0), vertices[i][0],
                                          values[i]);
                }
                assert_true(vertices[0][1] == vertices[1][1]);
                if (rows[b] % values[0][1].as.integer == 0)
                    assert_true(values[0][1].as.integer == values[1][1].as.integer);
            }
        }
    }
    free_problem(&self);
}

/* A crossing that ended after any number of steps goes on as one that did not, and measures nothing
 * twice; with what the store has, another portfolio begins with fewer gaps. */
CHECK_TEST(test_kills)
{
    for (size_t stop = 0; stop < 30; stop += 3) {
        char path[] = "crossing-XXXXXX";
        opevo_store *store = NULL;
        opevo_crossing *whole = NULL, *parts = NULL;
        problem self, again;
        uint64_t evaluated = 0, trials = 0;
        double value = 0;

        make_problem(&self, 5, false);
        make_problem(&again, 5, false);
        whole = start(&self, NULL);
        go_on(whole, 10000);
        value = opevo_crossing_state_of(whole)->portfolio.value;
        trials = opevo_crossing_state_of(whole)->trials;
        assert_int_not_equal(mkstemp(path), -1);
        remove(path);
        CHECK_OK(opevo_store_open(path, OPEVO_STORE_WRITE, &store, &err));
        parts = start(&again, store);
        go_on(parts, stop);
        opevo_crossing_destroy(parts);
        parts = start(&again, store);
        assert_int_equal(go_on(parts, 10000), OPEVO_CROSSING_CLOSED);
        assert_true(opevo_crossing_state_of(parts)->trials == trials);
        assert_true(opevo_crossing_state_of(parts)->portfolio.value == value);
        for (size_t w = 0; w < SHAPES; w++)
            evaluated += again.shapes[w].evaluated;
        assert_true(evaluated == trials);
        opevo_crossing_destroy(parts);
        again.options.most = 1; /* something else is needed first */
        parts = start(&again, store);
        assert_int_equal(go_on(parts, 10000), OPEVO_CROSSING_CLOSED);
        assert_true(opevo_crossing_state_of(parts)->resumed == trials);
        opevo_crossing_destroy(parts);
        opevo_crossing_destroy(whole);
        opevo_store_close(store);
        remove(path);
        free_problem(&self);
        free_problem(&again);
    }
}

CHECK_TEST(test_limits)
{
    problem self;
    opevo_interrupt interrupt = {0};
    opevo_crossing *crossing = NULL;
    const opevo_crossing_state *state = NULL;

    make_problem(&self, 5, true);
    self.options.interrupt = &interrupt;
    crossing = start(&self, NULL);
    state = opevo_crossing_state_of(crossing);
    opevo_crossing_allow(crossing, 3, 0);
    assert_int_equal(go_on(crossing, 100), OPEVO_CROSSING_TRIALS);
    assert_true(state->trials == 3);
    opevo_crossing_allow(crossing, 0, 4.5); /* a second each */
    assert_int_equal(go_on(crossing, 100), OPEVO_CROSSING_SECONDS);
    assert_true(state->trials == 5);
    opevo_crossing_allow(crossing, 0, 0);
    opevo_interrupt_raise(&interrupt);
    assert_int_equal(go_on(crossing, 100), OPEVO_CROSSING_INTERRUPTED);
    assert_true(state->trials == 5 && state->portfolio.count > 0);
    opevo_crossing_destroy(crossing);
    free_problem(&self);
}

CHECK_TEST(test_bad_input)
{
    opevo_crossing *crossing = NULL;
    opevo_crossing_end end = OPEVO_CROSSING_OPEN;
    problem self;

    CHECK_FAILS(
        OPEVO_INVALID, "outside its domain",
        opevo_crossing_create(&(const opevo_portfolio_options){.most = 0}, &crossing, &err));
    make_problem(&self, 1, true);
    for (size_t i = 0; i < TRIALS; i++)
        self.trials[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
    self.shapes[0].salt = 0;
    crossing = start(&self, NULL);
    CHECK_FAILS(OPEVO_INVALID, "No configuration of shape0 of 96 succeeded",
                opevo_crossing_step(crossing, &end, &err));
    opevo_crossing_destroy(crossing);
    free_problem(&self);
}
