/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fronts of tasks, added up. All lists of choices are kept by ascending bytes and descending
 * time. */

#include <opevo/task_front.h>

#include <opevo/memory.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct choices {
    opevo_task_choice *item;
    size_t count, capacity;
} choices;

typedef struct adder {
    const opevo_task_candidate *candidates; /* by task */
    size_t count, tasks, limit;
    choices front, sum, all; /* of a task, of the tasks so far, and of all S */
    choices next;
    int64_t excess_bytes; /* the most of any S */
} adder;

static bool add(choices *list, double time_s, int64_t bytes)
{
    if (!opevo_reserve((void **)&list->item, &list->capacity, list->count + 1, sizeof *list->item))
        return false;
    list->item[list->count++] = (opevo_task_choice){.time_s = time_s, .bytes = bytes};
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const opevo_task_choice *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static void reduce(choices *list)
{
    double best = INFINITY;
    size_t kept = 0;

    if (list->count)
        qsort(list->item, list->count, sizeof *list->item, by_bytes);
    for (size_t i = 0; i < list->count; i++) {
        if (list->item[i].time_s < best) {
            best = list->item[i].time_s;
            list->item[kept++] = list->item[i];
        }
    }
    list->count = kept;
}

/* Round bytes up to multiples of a power of 2, the smallest that leaves at most `limit` choices; by
 * how much at most. Two can always be left: 0 stays 0. */
static int64_t thin(choices *list, size_t limit)
{
    int64_t grain = 1;

    while (list->count > limit) {
        grain *= 2;
        for (size_t i = 0; i < list->count; i++)
            list->item[i].bytes = (list->item[i].bytes + grain - 1) / grain * grain;
        reduce(list);
    }
    return grain - 1;
}

/* The front of a task, of the candidates with at most so many shared bytes. */
static bool find_front(adder *self, size_t *at, int64_t shared_bytes)
{
    size_t task = self->candidates[*at].task;

    self->front.count = 0;
    for (; *at < self->count && self->candidates[*at].task == task; ++*at) {
        const opevo_task_candidate *one = &self->candidates[*at];

        if (one->shared_bytes <= shared_bytes && !add(&self->front, one->time_s, one->own_bytes))
            return false;
    }
    reduce(&self->front);
    return true;
}

static bool add_front(adder *self, int64_t *excess_bytes)
{
    choices sum = self->sum;

    self->next.count = 0;
    for (size_t i = 0; i < sum.count; i++) {
        for (size_t k = 0; k < self->front.count; k++) {
            if (!add(&self->next, sum.item[i].time_s + self->front.item[k].time_s,
                     sum.item[i].bytes + self->front.item[k].bytes))
                return false;
        }
    }
    reduce(&self->next);
    *excess_bytes += thin(&self->next, self->limit);
    self->sum = self->next;
    self->next = sum;
    return true;
}

static bool add_all(adder *self, int64_t shared_bytes)
{
    int64_t excess_bytes = 0;

    self->sum.count = 0;
    if (!add(&self->sum, 0, 0))
        return false;
    for (size_t at = 0; at < self->count;) {
        if (!find_front(self, &at, shared_bytes) || !add_front(self, &excess_bytes))
            return false;
    }
    for (size_t i = 0; i < self->sum.count; i++) {
        if (!add(&self->all, self->sum.item[i].time_s, self->sum.item[i].bytes + shared_bytes))
            return false;
    }
    reduce(&self->all);
    self->excess_bytes = excess_bytes > self->excess_bytes ? excess_bytes : self->excess_bytes;
    return true;
}

static int by_task(const void *a, const void *b)
{
    const opevo_task_candidate *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    if (x->own_bytes != y->own_bytes)
        return x->own_bytes < y->own_bytes ? -1 : 1;
    return (x->shared_bytes > y->shared_bytes) - (x->shared_bytes < y->shared_bytes);
}

/* Without candidates that another of the task dominates in all three; what is left, by task. */
static size_t drop_dominated(opevo_task_candidate *list, size_t count)
{
    size_t kept = 0, first = 0;

    if (count)
        qsort(list, count, sizeof *list, by_task);
    for (size_t i = 0; i < count; i++) {
        bool dominated = false;

        if (kept > first && list[kept - 1].task != list[i].task)
            first = kept;
        for (size_t k = first; k < kept && !dominated; k++)
            dominated = list[k].own_bytes <= list[i].own_bytes &&
                        list[k].shared_bytes <= list[i].shared_bytes;
        if (!dominated)
            list[kept++] = list[i];
    }
    return kept;
}

static int compare_bytes(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool have_all(const opevo_task_candidate *list, size_t count, size_t tasks)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += i == 0 || list[i].task != list[i - 1].task;
    return found == tasks && tasks > 0;
}

opevo_status opevo_task_front(const opevo_task_candidate *candidates, size_t count, size_t tasks,
                              size_t limit, opevo_task_choice **out, size_t *out_count,
                              int64_t *excess_bytes, opevo_error *err)
{
    opevo_task_candidate *list = opevo_calloc(count + 1, sizeof *list);
    int64_t *values = opevo_calloc(count + 1, sizeof *values);
    adder self = {.candidates = list, .tasks = tasks, .limit = limit > 2 ? limit : 2};
    bool good = list && values;

    for (size_t i = 0; i < count && good; i++)
        list[i] = candidates[i];
    if (good)
        self.count = drop_dominated(list, count);
    if (good && !have_all(list, self.count, tasks))
        self.count = 0;
    for (size_t i = 0; i < self.count; i++)
        values[i] = list[i].shared_bytes;
    if (self.count)
        qsort(values, self.count, sizeof *values, compare_bytes);
    for (size_t i = 0; i < self.count && good; i++) {
        if (i == 0 || values[i] != values[i - 1])
            good = add_all(&self, values[i]);
    }
    if (good) {
        self.excess_bytes += thin(&self.all, self.limit);
        *out = self.all.item;
        *out_count = self.all.count;
        *excess_bytes = self.excess_bytes;
        self.all.item = NULL;
    }
    opevo_free(self.front.item);
    opevo_free(self.sum.item);
    opevo_free(self.next.item);
    opevo_free(self.all.item);
    opevo_free(values);
    opevo_free(list);
    return good ? OPEVO_OK
                : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the front of %zu tasks.", tasks);
}
