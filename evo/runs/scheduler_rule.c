/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rule of the task scheduler: the value of the aim, the gradient, and which tasks have
 * ended. */

#include "scheduler_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

enum { TRIALS_TO_SUCCEED = 64, ROUNDS_AHEAD = 5 };
#define GROUP_BASE 1.618

void opevo_i_scheduler_fill_in(opevo_scheduler_options *options)
{
    options->alpha = options->alpha == 0 ? 0.2 : fmax(options->alpha, 0);
    options->beta = options->beta == 0 ? 2 : options->beta;
    options->window = options->window ? options->window : 3;
}

uint64_t opevo_i_scheduler_round(const opevo_scheduler_options *options, size_t tasks)
{
    uint64_t share = options->trials && tasks ? options->trials / tasks : UINT64_MAX;

    if (options->round)
        return options->round;
    return share < OPEVO_SCHEDULER_ROUND ? share : OPEVO_SCHEDULER_ROUND;
}

int opevo_i_scheduler_size_class(double flop)
{
    return (int)(log(flop + 1) / log(GROUP_BASE));
}

/* ---- The aim -------------------------------------------------------------------------------- */

/* What a task adds to the sum that the aim is, or that a mean is the exponential of. */
static double term(opevo_aim aim, double time_s, double weight)
{
    if (weight == 0)
        return 0;
    return weight * (aim == OPEVO_AIM_SUM ? time_s : log(time_s));
}

static const char *const aim_names[] = {
    [OPEVO_AIM_SUM] = "sum",
    [OPEVO_AIM_GEOMETRIC_MEAN] = "geometric-mean",
};

const char *opevo_aim_name(opevo_aim aim)
{
    return aim_names[aim];
}

double opevo_aim_value(opevo_aim aim, const double *times_s, const double *weights, size_t count)
{
    double sum = 0, sum_of_weights = 0;

    for (size_t i = 0; i < count; i++) {
        sum += term(aim, times_s[i], weights[i]);
        sum_of_weights += weights[i];
    }
    return aim == OPEVO_AIM_SUM ? sum : exp(sum / sum_of_weights);
}

/* The sum of terms without one task, whose number may be `count`. */
static double sum_without(const opevo_scheduler *self, size_t left_out)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_task *task = &self->tasks[i].shown;

        sum += i == left_out ? 0 : term(self->options.aim, task->best_s, task->weight);
    }
    return sum;
}

static double sum_of_weights(const opevo_scheduler *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++)
        sum += self->tasks[i].shown.weight;
    return sum;
}

double opevo_i_scheduler_aim_s(const opevo_scheduler *self)
{
    double sum = sum_without(self, self->count);

    return self->options.aim == OPEVO_AIM_SUM ? sum : exp(sum / sum_of_weights(self));
}

double opevo_i_scheduler_needed_s(const opevo_scheduler *self, size_t task)
{
    double target = self->options.target_s * (1 + OPEVO_SHARE_ROUNDING);
    double weight = self->tasks[task].shown.weight;
    double rest = sum_without(self, task);
    double needed = 0;

    if (weight == 0 || !isfinite(rest))
        return 0;
    if (self->options.aim == OPEVO_AIM_SUM)
        needed = (target - rest) / weight;
    else
        needed = exp((log(target) * sum_of_weights(self) - rest) / weight);
    return fmax(needed, 0);
}

/* ---- Groups of similar tasks ---------------------------------------------------------------- */

static bool are_similar(const opevo_i_scheduler_task_entry *a,
                        const opevo_i_scheduler_task_entry *b)
{
    return a->kind && b->kind && a->size_class == b->size_class && !strcmp(a->kind, b->kind);
}

static double flops(const opevo_i_scheduler_task_entry *task)
{
    return task->objective->flop / task->shown.best_s;
}

/* The highest FLOP/s among the task and those similar to it, and the most rounds that one of those
 * has had; 0 FLOP/s without any. */
static double group_flops(const opevo_scheduler *self, size_t task, uint64_t *rounds)
{
    double highest = 0;

    *rounds = 0;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_scheduler_task_entry *other = &self->tasks[i];

        if (i == task || !are_similar(other, &self->tasks[task]))
            continue;
        highest = fmax(highest, fmax(flops(other), flops(&self->tasks[task])));
        *rounds = other->shown.rounds > *rounds ? other->shown.rounds : *rounds;
    }
    return highest;
}

/* ---- Choosing ------------------------------------------------------------------------------- */

/* What one more round is expected to change, 0 or less, for a task with a success. */
static double gradient(const opevo_scheduler *self, size_t number)
{
    const opevo_scheduler_options *options = &self->options;
    const opevo_i_scheduler_task_entry *task = &self->tasks[number];
    const opevo_task *shown = &task->shown;
    uint64_t rounds = shown->rounds, most_rounds = 0;
    double slope = options->aim == OPEVO_AIM_SUM ? shown->weight : shown->weight / shown->best_s;
    double similar = group_flops(self, number, &most_rounds);
    double next = shown->best_s - shown->best_s / (double)rounds;
    double backward = 0;

    if (similar > 0)
        next = fmin(next, options->beta * task->objective->flop / similar);
    if (rounds > options->window)
        backward = (shown->best_s - task->history_s[rounds - 1 - options->window]) /
                   (double)options->window;
    if (!isfinite(backward)) /* it had no success then */
        backward = 0;
    return slope * (options->alpha * backward + (1 - options->alpha) * (next - shown->best_s));
}

/* The open task number `place` of them. */
static size_t open_at(const opevo_scheduler *self, uint64_t place)
{
    size_t i = 0;

    while (self->tasks[i].shown.state != OPEVO_TASK_OPEN || place-- > 0)
        i++;
    return i;
}

/* The open task with the least gradient; a uniform choice of several. */
static size_t steepest(const opevo_scheduler *self, opevo_rng *rng)
{
    double least = INFINITY;
    size_t best = self->count;
    uint64_t equal = 0;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_task *task = &self->tasks[i].shown;
        double slope = 0;

        if (task->state != OPEVO_TASK_OPEN)
            continue;
        slope = isfinite(task->best_s) ? gradient(self, i) : 0;
        equal = slope < least ? 1 : equal + (slope == least);
        if (slope < least || (slope == least && opevo_rng_below(rng, equal) == 0))
            best = i;
        least = fmin(least, slope);
    }
    return best;
}

/* The open task with the fewest rounds, the first of several; of all, or of those that the aim
 * needs a success of. */
static size_t least_tried(const opevo_scheduler *self, bool needed)
{
    size_t best = self->count;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_task *task = &self->tasks[i].shown;
        bool lacks = task->rounds == 0 || (task->weight > 0 && !isfinite(task->best_s));

        if (task->state == OPEVO_TASK_OPEN && (lacks || !needed) &&
            (best == self->count || task->rounds < self->tasks[best].shown.rounds))
            best = i;
    }
    return best;
}

size_t opevo_i_scheduler_choose(const opevo_scheduler *self)
{
    size_t warming_up = least_tried(self, true);
    size_t open = 0;
    opevo_rng rng;

    for (size_t i = 0; i < self->count; i++)
        open += self->tasks[i].shown.state == OPEVO_TASK_OPEN;
    if (open == 0 || warming_up < self->count)
        return warming_up;
    opevo_rng_init(&rng, self->options.seed, "scheduler", self->result.rounds);
    if (opevo_rng_unit(&rng) < self->options.epsilon)
        return open_at(self, opevo_rng_below(&rng, open));
    if (self->options.allocation == OPEVO_ALLOCATION_ROUND_ROBIN)
        return least_tried(self, false);
    return steepest(self, &rng);
}

/* ---- After a round -------------------------------------------------------------------------- */

void opevo_i_scheduler_judge(opevo_scheduler *self, size_t number)
{
    opevo_i_scheduler_task_entry *task = &self->tasks[number];
    opevo_task *shown = &task->shown;
    uint64_t patience = self->options.patience;
    uint64_t rounds = 0;
    double similar = 0;

    if (shown->state != OPEVO_TASK_OPEN)
        return;
    if (!isfinite(shown->best_s)) {
        if (shown->result->trials >= TRIALS_TO_SUCCEED)
            shown->state = OPEVO_TASK_FAILING;
        return;
    }
    if (patience > 0 && shown->result->trials - shown->result->best.number > patience)
        shown->state = OPEVO_TASK_STALLED;
    similar = group_flops(self, number, &rounds);
    if (flops(task) < similar / self->options.beta && shown->rounds > ROUNDS_AHEAD + rounds) {
        opevo_free(task->kind);
        task->kind = NULL;
    }
}
