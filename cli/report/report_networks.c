/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tasks that were tuned together, such as those of a network, as the data of a page: the latency of
 * the whole over its trials, what each task takes of it, and the front of latency and memory. */

#include "report_internal.h"

#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/scheduler.h>
#include <opevo/store_groups.h>
#include <opevo/task_front.h>

#include <math.h>
#include <string.h>

enum { PIECE = 512, FRONT_LIMIT = 2000 };

/* Of a task: the times of its trials, NAN of a failed one. */
typedef struct trajectory {
    const opevo_group_task *task;
    double *times_s;
    size_t count, capacity;
    opevo_index best_point;        /* of all of them */
    double least_s;                /* its time; INFINITY without a success */
    opevo_index default_point;     /* of the kernel that it has without tuning */
    bool has_default;              /* which is among the trials */
    bool is_default;               /* and is the winner of the finals, or without them the best */
    size_t done;                   /* that rounds have given it */
    uint64_t failed;               /* of those */
    double first_s, best_s;        /* of those; NAN without a success */
    double final_s, low_s, high_s; /* of the winner of its finals; NAN without */
} trajectory;

typedef struct whole {
    size_t store; /* number of the store that has it */
    const opevo_group *group;
    trajectory *trajectories; /* one for each task */
    double *trials, *seconds; /* where the latency changes */
    size_t step_count, trial_capacity, second_capacity;
    uint64_t trials_done;
} whole;

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the networks of a report.");
}

/* ---- Reading ---- */

static opevo_status read_trials(opevo_store *store, trajectory *self, opevo_error *err)
{
    opevo_trial *trials = opevo_calloc(PIECE, sizeof *trials);
    opevo_status status = OPEVO_OK;
    size_t count = PIECE;

    if (!trials)
        return fail_memory(err);
    while (count == PIECE) {
        OPEVO_TRY(
            opevo_store_read(store, self->task->run, self->count, trials, PIECE, &count, err));
        if (!opevo_reserve((void **)&self->times_s, &self->capacity, self->count + count + 1,
                           sizeof *self->times_s))
            OPEVO_TRY(fail_memory(err));
        for (size_t i = 0; i < count; i++) {
            const opevo_outcome *outcome = &trials[i].outcome;
            bool ok = outcome->kind == OPEVO_OUTCOME_OK && outcome->fitness > 0;

            self->times_s[self->count] = ok ? self->task->scale_s / outcome->fitness : NAN;
            if (strcmp(trials[i].proposal.origin, "default") == 0) {
                self->default_point = trials[i].proposal.point;
                self->has_default = true;
            }
            if (self->times_s[self->count] < self->least_s) {
                self->least_s = self->times_s[self->count];
                self->best_point = trials[i].proposal.point;
            }
            self->count++;
        }
    }
    self->is_default = self->has_default && self->best_point == self->default_point;
cleanup:
    opevo_free(trials);
    return status;
}

/* Finals of an earlier state of the run lack the best trial, and are left out. */
static opevo_status read_finals(opevo_store *store, trajectory *self, opevo_error *err)
{
    opevo_finals *finals = NULL;
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;
    bool current = false;

    self->final_s = self->low_s = self->high_s = NAN;
    OPEVO_TRY(opevo_finals_read(store, self->task->run, &finals, &space, err));
    for (size_t i = 0; finals->ran && i < finals->count; i++)
        current |= finals->finalists[i].point == self->best_point;
    if (finals->ran && current) {
        const opevo_finalist *winner = &finals->finalists[finals->verdict.winner];

        self->is_default = self->has_default && winner->point == self->default_point;
        self->final_s = self->task->scale_s / winner->median;
        self->low_s = self->task->scale_s / winner->high;
        self->high_s = self->task->scale_s / winner->low;
    }
cleanup:
    opevo_space_destroy(space);
    opevo_finals_destroy(finals);
    return status;
}

static opevo_status read_trajectories(opevo_store *store, whole *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->trajectories = opevo_calloc(self->group->count, sizeof *self->trajectories);
    if (!self->trajectories)
        return fail_memory(err);
    for (size_t i = 0; i < self->group->count; i++) {
        self->trajectories[i] = (trajectory){.task = &self->group->tasks[i],
                                             .least_s = INFINITY,
                                             .first_s = NAN,
                                             .best_s = NAN,
                                             .final_s = NAN,
                                             .low_s = NAN,
                                             .high_s = NAN};
        OPEVO_TRY(read_trials(store, &self->trajectories[i], err));
        OPEVO_TRY(read_finals(store, &self->trajectories[i], err));
    }
cleanup:
    return status;
}

/* ---- Latency over trials ---- */

/* What a round gives its task: trials up to this number, as far as the store has them. */
static size_t end_of(const trajectory *self, const opevo_group_round *round)
{
    return round->trials < self->count ? (size_t)round->trials : self->count;
}

/* The first success of each task on the trajectory, and how many trials it has there. */
static void note_first(whole *self)
{
    for (size_t r = 0; r < self->group->round_count; r++) {
        trajectory *one = &self->trajectories[self->group->rounds[r].task];

        for (size_t end = end_of(one, &self->group->rounds[r]); one->done < end; one->done++) {
            double time_s = one->times_s[one->done];

            one->failed += isnan(time_s) ? 1 : 0;
            if (isnan(one->first_s))
                one->first_s = time_s;
        }
    }
    for (size_t i = 0; i < self->group->count; i++) {
        self->trials_done += self->trajectories[i].done;
        self->trajectories[i].done = 0;
        self->trajectories[i].best_s = self->trajectories[i].first_s;
    }
}

/* Of the tasks that have a success; NAN if none has. */
static double value_of(const whole *self)
{
    double sum = 0, weights = 0;
    bool geometric = strcmp(self->group->aim, opevo_aim_name(OPEVO_AIM_GEOMETRIC_MEAN)) == 0;

    for (size_t i = 0; i < self->group->count; i++) {
        double weight = self->group->tasks[i].weight, time_s = self->trajectories[i].best_s;

        if (isnan(time_s) || weight == 0)
            continue;
        sum += weight * (geometric ? log(time_s) : time_s);
        weights += weight;
    }
    if (weights == 0)
        return NAN;
    return geometric ? exp(sum / weights) : sum;
}

static bool add_step(whole *self, uint64_t trial)
{
    if (!opevo_reserve((void **)&self->trials, &self->trial_capacity, self->step_count + 1,
                       sizeof *self->trials) ||
        !opevo_reserve((void **)&self->seconds, &self->second_capacity, self->step_count + 1,
                       sizeof *self->seconds))
        return false;
    self->trials[self->step_count] = (double)trial;
    self->seconds[self->step_count++] = value_of(self);
    return true;
}

/* A task counts with its first success until a better one. */
static opevo_status follow_rounds(whole *self, opevo_error *err)
{
    uint64_t trial = 0;

    note_first(self);
    if (isnan(value_of(self)))
        return OPEVO_OK;
    if (!add_step(self, 0))
        return fail_memory(err);
    for (size_t r = 0; r < self->group->round_count; r++) {
        trajectory *one = &self->trajectories[self->group->rounds[r].task];

        for (size_t end = end_of(one, &self->group->rounds[r]); one->done < end; one->done++) {
            trial++;
            if (!(one->times_s[one->done] < one->best_s))
                continue;
            one->best_s = one->times_s[one->done];
            if (!add_step(self, trial))
                return fail_memory(err);
        }
    }
    return add_step(self, trial) ? OPEVO_OK : fail_memory(err);
}

/* Whether the network needs a task: otherwise measured times have chosen another one in its
 * place. */
static bool is_needed(const whole *self, size_t task)
{
    return !self->group->is_network || self->group->tasks[task].weight > 0;
}

/* ---- Memory ---- */

static bool is_success(const whole *self, const opevo_group_kernel *kernel)
{
    const trajectory *one = &self->trajectories[kernel->task];

    return is_needed(self, kernel->task) && kernel->trial <= one->count &&
           !isnan(one->times_s[kernel->trial - 1]);
}

/* Of the whole with one kernel of each task: that of the first success, or of the best. */
static void add_choice(const whole *self, const char *key, bool best, opevo_text *out)
{
    const opevo_group *group = self->group;
    int64_t own = 0, shared = 0, bytes = 0;
    double time_s = 0;
    size_t found = 0;

    for (size_t i = 0; i < group->kernel_count;) {
        size_t task = group->kernels[i].task, chosen = group->kernel_count;

        for (; i < group->kernel_count && group->kernels[i].task == task; i++) {
            const double *times_s = self->trajectories[task].times_s;

            if (is_success(self, &group->kernels[i]) &&
                (chosen == group->kernel_count ||
                 (best && times_s[group->kernels[i].trial - 1] <
                              times_s[group->kernels[chosen].trial - 1])))
                chosen = i;
        }
        if (chosen == group->kernel_count)
            continue;
        found++;
        time_s += group->tasks[task].weight *
                  self->trajectories[task].times_s[group->kernels[chosen].trial - 1];
        own += group->kernels[chosen].packed_bytes;
        shared = group->kernels[chosen].scratch_bytes > shared
                     ? group->kernels[chosen].scratch_bytes
                     : shared;
    }
    bytes = group->arena_bytes + group->weight_bytes + own + shared;
    opevo_json_open(out, key, "{");
    opevo_json_index(out, "tasks", found);
    opevo_json_double(out, "seconds", time_s);
    opevo_json_index(out, "bytes", (opevo_index)bytes);
    opevo_text_add(out, "}");
}

static opevo_status find_front(const whole *self, opevo_task_choice **out, size_t *count,
                               int64_t *excess_bytes, opevo_error *err)
{
    const opevo_group *group = self->group;
    opevo_task_candidate *list = opevo_calloc(group->kernel_count + 1, sizeof *list);
    size_t *numbers = opevo_calloc(group->count + 1, sizeof *numbers);
    size_t candidates = 0, tasks = 0;
    opevo_status status = OPEVO_OK;

    if (!list || !numbers)
        OPEVO_TRY(fail_memory(err));
    for (size_t i = 0; i < group->kernel_count; i++) {
        const opevo_group_kernel *kernel = &group->kernels[i];

        if (!is_success(self, kernel))
            continue;
        if (!numbers[kernel->task])
            numbers[kernel->task] = ++tasks;
        list[candidates++] = (opevo_task_candidate){
            .task = numbers[kernel->task] - 1,
            .time_s = group->tasks[kernel->task].weight *
                      self->trajectories[kernel->task].times_s[kernel->trial - 1],
            .own_bytes = kernel->packed_bytes,
            .shared_bytes = kernel->scratch_bytes};
    }
    OPEVO_TRY(
        opevo_task_front(list, candidates, tasks, FRONT_LIMIT, out, count, excess_bytes, err));
cleanup:
    opevo_free(list);
    opevo_free(numbers);
    return status;
}

static opevo_status add_memory(const whole *self, opevo_text *out, opevo_error *err)
{
    const opevo_group *group = self->group;
    int64_t fixed = group->arena_bytes + group->weight_bytes, excess_bytes = 0;
    opevo_task_choice *front = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    opevo_json_key(out, "memory");
    if (!group->has_memory || group->kernel_count == 0) {
        opevo_text_add(out, "null");
        return OPEVO_OK;
    }
    OPEVO_TRY(find_front(self, &front, &count, &excess_bytes, err));
    opevo_text_add(out, "{");
    opevo_json_index(out, "arena", (opevo_index)group->arena_bytes);
    opevo_json_index(out, "weights", (opevo_index)group->weight_bytes);
    opevo_json_index(out, "excess", (opevo_index)excess_bytes);
    opevo_json_index(out, "kernels", group->kernel_count);
    add_choice(self, "before", false, out);
    add_choice(self, "after", true, out);
    opevo_json_open(out, "bytes", "[");
    for (size_t i = 0; i < count; i++) {
        int64_t bytes = fixed + front[i].bytes;

        opevo_json_next(out, "");
        opevo_text_add_index(out, (opevo_index)bytes);
    }
    opevo_text_add(out, "]");
    opevo_i_cli_report_json_column(out, "seconds", count ? &front[0].time_s : NULL, count,
                                   sizeof *front);
    opevo_text_add(out, "}");
cleanup:
    opevo_free(front);
    return status;
}

/* ---- A group ---- */

/* Its place among the runs of the analysis; their number if it is not among them. */
static size_t find_run(const whole *self, const opevo_stored_study *data, int64_t run)
{
    size_t i = 0;

    while (i < data->run_count &&
           (data->stored[i].run != run || data->stored[i].store != self->store))
        i++;
    return i;
}

/* All runs that have trials are in the report; *first is one of them. */
static bool is_shown(const whole *self, const opevo_stored_study *data, size_t *first)
{
    bool shown = false;

    for (size_t i = 0; i < self->group->count; i++) {
        size_t place = find_run(self, data, self->group->tasks[i].run);

        if (place == data->run_count && self->trajectories[i].count)
            return false;
        if (place < data->run_count && !shown) {
            *first = place;
            shown = true;
        }
    }
    return shown;
}

/* Which kernel a task has in the end; with neither trial nor success it is that without tuning. */
static const char *kernel_of(const trajectory *self)
{
    if (self->done == 0)
        return "untried";
    if (isnan(self->best_s))
        return "failed";
    return self->is_default ? "default" : "tuned";
}

static void add_tasks(const whole *self, const opevo_stored_study *data, opevo_text *out)
{
    opevo_json_open(out, "tasks", "[");
    for (size_t i = 0; i < self->group->count; i++) {
        const trajectory *one = &self->trajectories[i];
        size_t place = find_run(self, data, one->task->run);

        if (!is_needed(self, i))
            continue;
        opevo_json_open_next(out, "\n   ", "{");
        opevo_json_string(out, "name", one->task->name);
        if (place < data->run_count)
            opevo_json_index(out, "landscape", data->runs[place].landscape);
        opevo_json_double(out, "weight", one->task->weight);
        opevo_json_index(out, "trials", one->done);
        opevo_json_index(out, "failed", one->failed);
        opevo_json_string(out, "kernel", kernel_of(one));
        opevo_json_double(out, "before", one->first_s);
        opevo_json_double(out, "after", one->best_s);
        opevo_json_double(out, "final", one->final_s);
        opevo_json_double(out, "low", one->low_s);
        opevo_json_double(out, "high", one->high_s);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

static opevo_status add_group(const whole *self, const opevo_stored_study *data, size_t run,
                              opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "name", self->group->name);
    opevo_json_bool(out, "network", self->group->is_network);
    opevo_json_string(out, "aim", self->group->aim);
    opevo_json_index(out, "contender", data->runs[run].contender);
    opevo_json_index(out, "seed", data->runs[run].seed);
    opevo_json_index(out, "trials", self->trials_done);
    opevo_json_index(out, "rounds", self->group->round_count);
    add_tasks(self, data, out);
    opevo_i_cli_report_json_column(out, "trial", self->trials, self->step_count,
                                   sizeof *self->trials);
    opevo_i_cli_report_json_column(out, "seconds", self->seconds, self->step_count,
                                   sizeof *self->seconds);
    status = add_memory(self, out, err);
    opevo_text_add(out, "}");
    return status;
}

static void release(whole *self)
{
    for (size_t i = 0; self->trajectories && i < self->group->count; i++)
        opevo_free(self->trajectories[i].times_s);
    opevo_free(self->trajectories);
    opevo_free(self->trials);
    opevo_free(self->seconds);
}

static opevo_status add_groups_of(size_t number, const opevo_stored_study *data, opevo_text *out,
                                  opevo_error *err)
{
    opevo_store *store = data->stores[number];
    opevo_group *groups = NULL;
    size_t count = 0;
    whole self = {.group = NULL};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_groups(store, &groups, &count, err));
    for (size_t i = 0; i < count; i++) {
        size_t run = 0;

        self = (whole){.store = number, .group = &groups[i]};
        OPEVO_TRY(read_trajectories(store, &self, err));
        OPEVO_TRY(follow_rounds(&self, err));
        if (is_shown(&self, data, &run))
            OPEVO_TRY(add_group(&self, data, run, out, err));
        release(&self);
        self = (whole){.group = NULL};
    }
cleanup:
    release(&self);
    opevo_store_groups_free(groups, count);
    return status;
}

opevo_status opevo_i_cli_report_networks(const opevo_stored_study *data, opevo_text *out,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "networks", "[");
    for (size_t i = 0; i < data->store_count && status == OPEVO_OK; i++)
        status = add_groups_of(i, data, out, err);
    opevo_text_add(out, "]");
    return status;
}
