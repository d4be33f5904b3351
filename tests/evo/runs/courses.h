/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tasks whose best time falls in a known way: with the tuner `grid`, the time of trial n is a
 * formula of n. */

#ifndef OPEVO_TESTS_COURSES_H
#define OPEVO_TESTS_COURSES_H

#include <signal.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/scheduler.h>
#include <opevo/tuners.h>
#include <opevo/unit.h>

#include "check.h"

/* Time of trial n: base_s (1 + gain / n^power), times at most 1 + noise. */
typedef struct course {
    opevo_objective super;
    opevo_space *space;
    char name[32], kind[8];
    double base_s, gain, power, noise, weight;
    uint64_t salt, succeeds_from; /* trials before that fail, and one in fail_one_in; 0: none */
    unsigned fail_one_in;
} course;

/* How often trials are evaluated or shown before this process dies of SIGKILL; 0: never. */
static _Atomic int64_t course_dies_in;

static inline void course_live(void)
{
    if (course_dies_in > 0 && --course_dies_in == 0)
        raise(SIGKILL);
}

static inline double course_time_s(const course *self, uint64_t n)
{
    uint64_t hash = opevo_hash_mix(n ^ opevo_hash_mix(self->salt));

    if (n < self->succeeds_from || (self->fail_one_in && hash % self->fail_one_in == 0))
        return INFINITY;
    return self->base_s * (1 + self->gain / pow((double)n, self->power)) *
           (1 + self->noise * (double)(hash >> 40) / 16777216);
}

/* The best time after so many trials. */
static inline double course_best_s(const course *self, uint64_t trials)
{
    double best = INFINITY;

    for (uint64_t n = 1; n <= trials; n++)
        best = fmin(best, course_time_s(self, n));
    return best;
}

static inline opevo_status course_evaluate(opevo_objective *objective, const opevo_index *points,
                                           size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    course *self = (course *)objective;

    for (size_t i = 0; i < count; i++) {
        double time_s = course_time_s(self, (uint64_t)points[i] + 1);

        course_live();
        outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_BUILD_ERROR);
        if (isfinite(time_s)) {
            outcomes[i] = opevo_outcome_of_time(time_s);
            if (objective->flop > 0)
                outcomes[i].fitness = objective->flop / time_s / 1e9;
        }
        outcomes[i].build_s = (double)((uint64_t)points[i] % 5 + 1) / 64;
    }
    return OPEVO_OK;
}

static const opevo_objective_ops course_ops = {.kind = "course", .evaluate = course_evaluate};

/* Of so many points; base 1 ms, not similar to any. */
static inline course course_of(unsigned number, uint64_t points)
{
    opevo_parameter *parameter = NULL;
    opevo_space *space = NULL;
    opevo_text type = {0};
    course self = {.base_s = 1e-3, .weight = 1, .salt = number};

    opevo_text_add(&type, "discrete(0");
    for (uint64_t i = 1; i < points; i++)
        opevo_text_printf(&type, ",%llu", (unsigned long long)i);
    opevo_text_add(&type, ")");
    CHECK_OK(opevo_parameter_parse("X", opevo_text_string(&type), NULL, &parameter, &err));
    CHECK_OK(opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, NULL, &space, &err));
    opevo_text_free(&type);
    self.space = space;
    snprintf(self.name, sizeof self.name, "course %u", number);
    self.super = (opevo_objective){.ops = &course_ops,
                                   .space = space,
                                   .unit = "ms",
                                   .signature = opevo_space_signature(space) + number,
                                   .concurrent = true};
    return self;
}

/* Compare by FLOP/s in a group of tasks. */
static inline void course_compute(course *self, double flop, const char *kind)
{
    self->super.flop = flop;
    self->super.unit = "GFLOP/s";
    snprintf(self->kind, sizeof self->kind, "%s", kind);
}

static inline void course_release(course *self)
{
    opevo_space_destroy(self->space);
}

/* ---- A scheduler of them ---- */

enum { TASKS_MOST = 6, TRIALS_MOST = 4096 };

/* The trials of all tasks, in the order in which they were shown. */
typedef struct course_log {
    size_t task[TRIALS_MOST];
    opevo_trial trial[TRIALS_MOST];
    size_t count;
} course_log;

typedef struct watched {
    course_log *log;
    size_t task;
} watched;

typedef struct setup {
    course courses[TASKS_MOST];
    size_t count;
    opevo_scheduler_options options;
    opevo_run_options run;
    opevo_scheduler *scheduler;
    course_log log;
    watched watched[TASKS_MOST];
} setup;

static inline void watch(void *context, const opevo_trial *trial, bool resumed)
{
    const watched *self = context;
    course_log *log = self->log;

    course_live();
    assert_true(log->count < TRIALS_MOST);
    log->task[log->count] = self->task;
    log->trial[log->count++] = *trial;
}

static inline setup *set_up(size_t count, uint64_t points)
{
    static setup self;

    self = (setup){.count = count, .run = {.seed = 1}};
    for (size_t i = 0; i < count; i++)
        self.courses[i] = course_of((unsigned)i, points);
    CHECK_OK(opevo_tuner_find("grid", &self.run.tuner, &err));
    return &self;
}

static inline void begin(setup *self)
{
    self->log.count = 0;
    CHECK_OK(opevo_scheduler_create(&self->options, &self->scheduler, &err));
    for (size_t i = 0; i < self->count; i++) {
        course *one = &self->courses[i];

        self->watched[i] = (watched){&self->log, i};
        self->run.observer = watch;
        self->run.observer_context = &self->watched[i];
        one->super.name = one->name;
        CHECK_OK(opevo_scheduler_add(self->scheduler, &one->super, &self->run, one->weight,
                                     *one->kind ? one->kind : NULL, &err));
    }
}

static inline opevo_scheduler_result end(setup *self)
{
    opevo_scheduler_result result = *opevo_scheduler_state(self->scheduler);

    CHECK_OK(opevo_scheduler_end(self->scheduler, &err));
    return result;
}

static inline opevo_scheduler_result run(setup *self)
{
    bool over = false;

    begin(self);
    while (!over)
        CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
    CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err)); /* nothing is left to do */
    assert_true(over);
    return end(self);
}

static inline void tear_down(setup *self)
{
    for (size_t i = 0; i < self->count; i++)
        course_release(&self->courses[i]);
}

static inline void run_open(setup *self)
{
    bool over = false;

    begin(self);
    while (!over)
        CHECK_OK(opevo_scheduler_step(self->scheduler, &over, &err));
}

#endif
