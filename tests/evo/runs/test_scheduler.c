/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The task scheduler. Its decisions are compared with those that a straightforward computation
 * makes of the trials that were seen, with derivatives by finite differences; its allocation with
 * the best one there is; its tasks with runs that never shared a budget. */

#include "courses.h"

/* ---- The rule, computed again --------------------------------------------------------------- */

typedef struct oracle {
    const setup *of;
    double best[TASKS_MOST][TRIALS_MOST]; /* after round r, from 1 */
    uint64_t rounds[TASKS_MOST], trials[TASKS_MOST], best_trial[TASKS_MOST];
    bool alone[TASKS_MOST], dead[TASKS_MOST];
} oracle;

static long double aim_of(const oracle *self, const long double *times)
{
    long double sum = 0, weights = 0;

    for (size_t i = 0; i < self->of->count; i++) {
        long double weight = self->of->courses[i].weight;

        weights += weight;
        if (weight > 0 && self->of->options.aim == OPEVO_AIM_SUM)
            sum += weight * times[i];
        else if (weight > 0)
            sum += weight * logl(times[i]);
    }
    return self->of->options.aim == OPEVO_AIM_SUM ? sum : expl(sum / weights);
}

static double now(const oracle *self, size_t i)
{
    return self->rounds[i] ? self->best[i][self->rounds[i]] : INFINITY;
}

static bool same_group(const oracle *self, size_t i, size_t j)
{
    const course *a = &self->of->courses[i], *b = &self->of->courses[j];

    return *a->kind && !strcmp(a->kind, b->kind) && !self->alone[i] && !self->alone[j] &&
           floor(log(a->super.flop + 1) / log(1.618)) == floor(log(b->super.flop + 1) / log(1.618));
}

/* The highest FLOP/s in the group of the task; 0 where it is alone. */
static double highest(const oracle *self, size_t i)
{
    double flops = 0;
    size_t members = 0;

    for (size_t j = 0; j < self->of->count; j++) {
        if (j != i && !same_group(self, i, j))
            continue;
        members++;
        flops = fmax(flops, self->of->courses[j].super.flop / now(self, j));
    }
    return members > 1 ? flops : 0;
}

static double oracle_gradient(const oracle *self, size_t i)
{
    const opevo_scheduler_options *options = &self->of->options;
    double alpha = options->alpha == 0 ? 0.2 : options->alpha < 0 ? 0 : options->alpha;
    double beta = options->beta > 0 ? options->beta : 2;
    uint64_t window = options->window ? options->window : 3, t = self->rounds[i];
    double best = now(self, i), flops = highest(self, i), backward = 0, next = 0;
    long double at[TASKS_MOST], before = 0, h = 1e-6L * (long double)best;

    for (size_t j = 0; j < self->of->count; j++)
        at[j] = isfinite(now(self, j)) ? (long double)now(self, j) : 1;
    before = aim_of(self, at);
    at[i] -= h;
    next = best - best / (double)t;
    if (flops > 0)
        next = fmin(next, beta * self->of->courses[i].super.flop / flops);
    if (t >= window + 1 && isfinite(self->best[i][t - window]))
        backward = (best - self->best[i][t - window]) / (double)window;
    return (double)((before - aim_of(self, at)) / h) *
           (alpha * backward + (1 - alpha) * (next - best));
}

/* Whether the task may be given the next round; the number of others that could be as well. */
static bool may_choose(const oracle *self, size_t chosen)
{
    double gradients[TASKS_MOST], least = 0;
    uint64_t fewest = UINT64_MAX;
    size_t warm = SIZE_MAX;

    for (size_t i = 0; i < self->of->count; i++) {
        bool lacks = !self->rounds[i] || (self->of->courses[i].weight > 0 && !(now(self, i) < 1e9));

        if (!self->dead[i] && lacks && self->rounds[i] < fewest) {
            fewest = self->rounds[i];
            warm = i;
        }
    }
    if (self->dead[chosen])
        return false;
    if (warm < SIZE_MAX)
        return chosen == warm;
    if (self->of->options.epsilon == 1)
        return true;
    for (size_t i = 0; i < self->of->count; i++) {
        gradients[i] = self->dead[i] || !isfinite(now(self, i)) ? 0 : oracle_gradient(self, i);
        least = fmin(least, gradients[i]);
    }
    return gradients[chosen] <= least * (1 - 1e-4); /* of finite differences */
}

static void note(oracle *self, size_t i, const course_log *log, size_t from)
{
    const opevo_scheduler_options *options = &self->of->options;
    double best = now(self, i), others = 0;
    uint64_t most = 0;

    for (size_t k = from; k < log->count; k++) {
        double time =
            opevo_objective_time_s(&self->of->courses[i].super, log->trial[k].outcome.fitness);

        assert_int_equal(log->task[k], i);
        self->trials[i]++;
        if (log->trial[k].outcome.kind == OPEVO_OUTCOME_OK && time < best) {
            best = time;
            self->best_trial[i] = self->trials[i];
        }
    }
    self->best[i][++self->rounds[i]] = best;
    if (!isfinite(best)) {
        self->dead[i] = self->trials[i] >= 64;
        return;
    }
    if (options->patience)
        self->dead[i] = self->trials[i] - self->best_trial[i] > options->patience;
    others = highest(self, i);
    for (size_t j = 0; j < self->of->count; j++) {
        if (j != i && same_group(self, i, j) && self->rounds[j] > most)
            most = self->rounds[j];
    }
    if (others > 0 &&
        self->of->courses[i].super.flop / best < others / (options->beta > 0 ? options->beta : 2) &&
        self->rounds[i] > 5 + most)
        self->alone[i] = true;
}

/* Tasks and options drawn at random. */
static setup *drawn(opevo_rng *rng)
{
    static const double weights[] = {0, 0.5, 1, 3, 20};
    static const double flops[] = {1e6, 1.1e6, 1.5e6, 1.9e6}; /* the first two are similar */
    setup *self = set_up(2 + opevo_rng_below(rng, TASKS_MOST - 1), 2000);

    for (size_t i = 0; i < self->count; i++) {
        course *one = &self->courses[i];

        one->base_s = exp(-9 + 4 * opevo_rng_unit(rng));
        one->gain = 4 * opevo_rng_unit(rng);
        one->power = 0.1 + opevo_rng_unit(rng);
        one->noise = opevo_rng_unit(rng);
        one->salt = opevo_rng_u64(rng);
        one->fail_one_in = (unsigned)opevo_rng_below(rng, 4);
        one->fail_one_in += one->fail_one_in == 1; /* one succeeds now and then */
        one->weight = weights[i ? opevo_rng_below(rng, 5) : 2];
        if (opevo_rng_below(rng, 5) == 0)
            one->succeeds_from = opevo_rng_below(rng, 90);
        if (opevo_rng_below(rng, 3) > 0)
            course_compute(one, flops[opevo_rng_below(rng, 4)],
                           opevo_rng_below(rng, 2) ? "a" : "b");
    }
    self->options = (opevo_scheduler_options){
        .aim = (opevo_aim)opevo_rng_below(rng, 2),
        .seed = opevo_rng_u64(rng),
        .trials = 100 + opevo_rng_below(rng, 900),
        .round = opevo_rng_below(rng, 3) ? 1 + opevo_rng_below(rng, 12) : 0,
        .patience = opevo_rng_below(rng, 3) ? 0 : 20 + opevo_rng_below(rng, 100),
        .alpha = opevo_rng_below(rng, 2) ? 0 : 2 * opevo_rng_unit(rng) - 1,
        .beta = opevo_rng_below(rng, 2) ? 0 : 0.5 + 2 * opevo_rng_unit(rng),
        .window = opevo_rng_below(rng, 6),
        .epsilon = opevo_rng_below(rng, 10) ? 0 : 1,
    };
    return self;
}

CHECK_TEST(test_decisions)
{
    static oracle right;
    size_t left_group = 0, stalled = 0, failing = 0, decisions = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 300; i++) {
        setup *self = drawn(&rng);
        bool over = false;

        right = (oracle){.of = self};
        begin(self);
        while (!over) {
            size_t from = self->log.count;

            CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
            if (from == self->log.count)
                break; /* every task is dead */
            assert_true(may_choose(&right, self->log.task[from]));
            note(&right, self->log.task[from], &self->log, from);
            decisions++;
        }
        for (size_t k = 0; k < self->count; k++) {
            const opevo_task *task = opevo_scheduler_task(self->scheduler, k);

            assert_int_equal(task->rounds, right.rounds[k]);
            assert_true(task->best_s == now(&right, k));
            assert_int_equal(task->state != OPEVO_TASK_OPEN, right.dead[k]);
            left_group += right.alone[k];
            stalled += task->state == OPEVO_TASK_STALLED;
            failing += task->state == OPEVO_TASK_FAILING;
        }
        end(self);
        tear_down(self);
    }
    assert_true(decisions > 10000 && left_group > 10 && stalled > 10 && failing > 10);
}

/* Weight 0 counts for nothing; what has no time makes the aim infinite, or unknown. */
CHECK_TEST(test_values_of_aims)
{
    static const double weights[] = {2, 0, 1};
    double times[] = {3, INFINITY, 0.5};

    CHECK_CLOSE(opevo_aim_value(OPEVO_AIM_SUM, times, weights, 3), 6.5, 1e-15);
    CHECK_CLOSE(opevo_aim_value(OPEVO_AIM_GEOMETRIC_MEAN, times, weights, 3), cbrt(4.5), 1e-15);
    times[2] = INFINITY;
    assert_true(opevo_aim_value(OPEVO_AIM_SUM, times, weights, 3) == INFINITY);
    assert_true(opevo_aim_value(OPEVO_AIM_GEOMETRIC_MEAN, times, weights, 3) == INFINITY);
    times[0] = NAN;
    assert_true(isnan(opevo_aim_value(OPEVO_AIM_SUM, times, weights, 3)));
    assert_true(isnan(opevo_aim_value(OPEVO_AIM_GEOMETRIC_MEAN, times, weights, 3)));
}

/* ---- Allocations ---------------------------------------------------------------------------- */

/* The least sum that any allocation of so many rounds can reach: by dynamic programming. */
static double optimum_s(const setup *self, uint64_t rounds, uint64_t round)
{
    double least[257];

    assert_true(rounds < 257);
    for (uint64_t r = 0; r <= rounds; r++)
        least[r] = 0;
    for (size_t i = 0; i < self->count; i++) {
        double next[257];

        for (uint64_t r = 0; r <= rounds; r++) {
            next[r] = INFINITY;
            for (uint64_t mine = 1; mine <= r; mine++)
                next[r] = fmin(next[r], least[r - mine] +
                                            self->courses[i].weight *
                                                course_best_s(&self->courses[i], mine * round));
        }
        memcpy(least, next, sizeof least);
    }
    return least[rounds];
}

static double reached_s(setup *self, opevo_allocation allocation)
{
    self->options.allocation = allocation;
    return run(self).aim_s;
}

/* One operator matters most and gains most; the others are cheap, flat, or both. */
CHECK_TEST(test_allocation_of_known_courses)
{
    enum { ROUND = 4, ROUNDS = 100 };
    static const double rows[][4] = {/* base_s, gain, power, weight */
                                     {1e-3, 30, 0.7, 10},
                                     {1e-3, 0.1, 1, 10},
                                     {1e-5, 30, 0.5, 1},
                                     {2e-3, 1, 2, 1}};
    double best = 0, gradient = 0, in_turns = 0;
    setup *self = set_up(4, 400);

    for (size_t i = 0; i < self->count; i++) {
        self->courses[i].base_s = rows[i][0];
        self->courses[i].gain = rows[i][1];
        self->courses[i].power = rows[i][2];
        self->courses[i].weight = rows[i][3];
    }
    self->options = (opevo_scheduler_options){.trials = ROUND * ROUNDS, .round = ROUND};
    best = optimum_s(self, ROUNDS, ROUND);
    gradient = reached_s(self, OPEVO_ALLOCATION_GRADIENT);
    in_turns = reached_s(self, OPEVO_ALLOCATION_ROUND_ROBIN);
    assert_true(best <= gradient && gradient < in_turns);
    assert_true(gradient - best < 0.25 * (in_turns - best));
    tear_down(self);
}

/* Random courses: better than rounds in turns on average, and mostly. */
CHECK_TEST(test_allocation_of_random_courses)
{
    enum { REPEATS = 60 };
    int better = 0, worse = 0;
    double ratio = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (int k = 0; k < REPEATS; k++) {
        setup *self = set_up(5, 400);
        double gradient = 0, in_turns = 0;

        for (size_t i = 0; i < self->count; i++) {
            self->courses[i].base_s = exp(-9 + 4 * opevo_rng_unit(&rng));
            self->courses[i].gain = exp(5 * opevo_rng_unit(&rng) - 1);
            self->courses[i].power = 0.2 + opevo_rng_unit(&rng);
        }
        self->options = (opevo_scheduler_options){.trials = 400, .round = 4};
        gradient = reached_s(self, OPEVO_ALLOCATION_GRADIENT);
        in_turns = reached_s(self, OPEVO_ALLOCATION_ROUND_ROBIN);
        better += gradient < in_turns;
        worse += gradient > in_turns;
        ratio += log(gradient / in_turns) / REPEATS;
        tear_down(self);
    }
    assert_true(better > 3 * worse);
    assert_true(exp(ratio) < 0.98);
}

static uint64_t rounds_of(const setup *self, size_t task)
{
    return opevo_scheduler_task(self->scheduler, task)->rounds;
}

/* Weight 0 gets the one round of the warm-up; equal tasks get equally many, in an order that the
 * seed decides; rounds in turns do not look at weights. */
CHECK_TEST(test_weights_and_ties)
{
    setup *self = set_up(3, 400);
    size_t differ = 0;
    static course_log first;

    self->courses[1].weight = 0;
    self->options = (opevo_scheduler_options){.trials = 300, .round = 5};
    run_open(self);
    assert_int_equal(rounds_of(self, 1), 1);
    assert_in_range(rounds_of(self, 0), 29, 30);
    first = self->log;
    end(self);
    run_open(self); /* the same again */
    assert_memory_equal(first.task, self->log.task, 300 * sizeof *first.task);
    end(self);
    self->options.seed = 7;
    run_open(self);
    for (size_t i = 0; i < 300; i++)
        differ += first.task[i] != self->log.task[i];
    assert_true(differ > 20);
    end(self);
    self->options.allocation = OPEVO_ALLOCATION_ROUND_ROBIN;
    run_open(self);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(rounds_of(self, i), 20);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(self->log.task[i], i / 5 % 3);
    end(self);
    tear_down(self);
}

/* Without weight a task has its first round, as short as is said; with the weight taken from
 * another one that has no more, it gets all that is left. */
CHECK_TEST(test_changed_weights)
{
    enum { SHORT = 2, ROUND = 5, FIRST = 3 };
    setup *self = set_up(2, 400);
    bool over = false;

    self->courses[1].weight = 0;
    self->options = (opevo_scheduler_options){.trials = 100, .round = ROUND};
    begin(self);
    CHECK_OK(opevo_scheduler_weigh(self->scheduler, 1, 0, SHORT, &err));
    for (size_t i = 0; i < 1 + FIRST; i++)
        CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
    assert_int_equal(opevo_scheduler_task(self->scheduler, 1)->result->trials, SHORT);
    assert_int_equal(opevo_scheduler_task(self->scheduler, 0)->result->trials, FIRST * ROUND);
    CHECK_OK(opevo_scheduler_weigh(self->scheduler, 0, 0, 0, &err));
    CHECK_OK(opevo_scheduler_weigh(self->scheduler, 1, 2, 0, &err));
    CHECK_CLOSE(opevo_scheduler_state(self->scheduler)->aim_s,
                2 * opevo_scheduler_task(self->scheduler, 1)->best_s, 1e-12);
    while (!over)
        CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
    assert_int_equal(opevo_scheduler_task(self->scheduler, 0)->result->trials, FIRST * ROUND);
    assert_int_equal(opevo_scheduler_task(self->scheduler, 1)->result->trials, 100 - FIRST * ROUND);
    assert_int_equal(rounds_of(self, 1), 1 + (100 - FIRST * ROUND - SHORT + ROUND - 1) / ROUND);
    CHECK_FAILS(OPEVO_INVALID, "number from 0",
                opevo_scheduler_weigh(self->scheduler, 1, -1, 0, &err));
    CHECK_FAILS(OPEVO_INVALID, "task 2 is unknown",
                opevo_scheduler_weigh(self->scheduler, 2, 1, 0, &err));
    end(self);
    tear_down(self);
}

/* Where everything is drawn at random, each task gets its share. */
CHECK_TEST(test_epsilon)
{
    setup *self = set_up(2, 2000);

    self->courses[0].weight = 1000;
    self->options = (opevo_scheduler_options){.trials = 2000, .round = 1, .epsilon = 0.3};
    run_open(self);
    CHECK_CLOSE((double)rounds_of(self, 1), 300, 75); /* five standard deviations */
    end(self);
    tear_down(self);
}

/* A round is at most 64 trials, and so short that each task gets one. */
CHECK_TEST(test_rounds)
{
    static const struct {
        uint64_t trials, given, round;
    } rows[] = {{9, 0, 3}, {11, 0, 3}, {192, 0, 64}, {3000, 0, 64}, {0, 0, 64}, {90, 7, 7}};
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setup *self = set_up(3, 1000);
        char words[32];

        self->options = (opevo_scheduler_options){
            .trials = rows[i].trials, .round = rows[i].given, .seconds = rows[i].trials ? 0 : 99};
        snprintf(words, sizeof words, " round=%d ", (int)rows[i].round);
        opevo_text_clear(&text);
        opevo_scheduler_print_options(&self->options, 3, &text);
        assert_non_null(strstr(opevo_text_string(&text), words));
        run(self);
        for (size_t k = 0; k < 3 * rows[i].round; k++)
            assert_int_equal(self->log.task[k], k / rows[i].round);
        tear_down(self);
    }
    opevo_text_free(&text);
}
