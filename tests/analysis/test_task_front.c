/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The front of several tasks in time and memory is that of all choices, tried one after the other;
 * bounded fronts keep their bound. */

#include "check.h"
#include "draw.h"

#include <opevo/memory.h>
#include <opevo/task_front.h>

#include <math.h>

enum { TASKS = 5, EACH = 5, CHOICES = 3125, ROUNDS = 400 };

/* Whole numbers, so that sums of times are exact; few values, so that there are ties. */
static size_t draw_candidates(uint64_t *state, size_t tasks, opevo_task_candidate *out)
{
    uint64_t range = draw(state, 2) ? 4 : 1000;
    size_t count = 0;

    for (size_t t = 0; t < tasks; t++) {
        for (size_t n = 1 + (size_t)draw(state, EACH); n; n--)
            out[count++] = (opevo_task_candidate){.task = t,
                                                  .time_s = (double)(1 + draw(state, range)),
                                                  .own_bytes = 64 * (int64_t)draw(state, range),
                                                  .shared_bytes = 64 * (int64_t)draw(state, range)};
    }
    for (size_t i = count; i > 1; i--) { /* in any order */
        size_t k = (size_t)draw(state, i);
        opevo_task_candidate kept = out[k];

        out[k] = out[i - 1];
        out[i - 1] = kept;
    }
    return count;
}

static size_t all_choices(const opevo_task_candidate *list, size_t count, size_t task, size_t tasks,
                          opevo_task_choice sum, int64_t shared, opevo_task_choice *out, size_t at)
{
    if (task == tasks) {
        out[at] = (opevo_task_choice){sum.time_s, sum.bytes + shared};
        return at + 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].task == task)
            at = all_choices(
                list, count, task + 1, tasks,
                (opevo_task_choice){sum.time_s + list[i].time_s, sum.bytes + list[i].own_bytes},
                list[i].shared_bytes > shared ? list[i].shared_bytes : shared, out, at);
    }
    return at;
}

static bool dominates(opevo_task_choice a, opevo_task_choice b)
{
    return a.time_s <= b.time_s && a.bytes <= b.bytes && (a.time_s < b.time_s || a.bytes < b.bytes);
}

static bool is_in(opevo_task_choice one, const opevo_task_choice *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].time_s == one.time_s && list[i].bytes == one.bytes)
            return true;
    }
    return false;
}

static void check_order(const opevo_task_choice *front, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        assert_true(front[i].bytes > front[i - 1].bytes);
        assert_true(front[i].time_s < front[i - 1].time_s);
    }
}

CHECK_TEST(it_is_that_of_all_choices)
{
    uint64_t state = 5;
    opevo_task_candidate list[TASKS * EACH];
    static opevo_task_choice all[CHOICES];

    for (int round = 0; round < ROUNDS; round++) {
        size_t tasks = 1 + (size_t)draw(&state, TASKS),
               count = draw_candidates(&state, tasks, list);
        size_t choices = all_choices(list, count, 0, tasks, (opevo_task_choice){0, 0}, 0, all, 0);
        opevo_task_choice *front = NULL;
        size_t found = 0;
        int64_t excess = -1;

        CHECK_OK(opevo_task_front(list, count, tasks, CHOICES, &front, &found, &excess, &err));
        assert_int_equal(excess, 0);
        check_order(front, found);
        for (size_t i = 0; i < choices; i++) {
            bool dominated = false;

            for (size_t k = 0; k < choices && !dominated; k++)
                dominated = dominates(all[k], all[i]);
            assert_int_equal(is_in(all[i], front, found), !dominated);
        }
        for (size_t i = 0; i < found; i++)
            assert_true(is_in(front[i], all, choices));
        opevo_free(front);
    }
}

/* Each point can be reached, and nothing as fast needs less than the bound. */
CHECK_TEST(a_bounded_one_keeps_its_bound)
{
    uint64_t state = 6;
    opevo_task_candidate list[TASKS * EACH];
    static opevo_task_choice all[CHOICES];
    int bounded = 0;

    for (int round = 0; round < ROUNDS; round++) {
        size_t count = draw_candidates(&state, TASKS, list), found = 0, limit = 2 + draw(&state, 6);
        size_t choices = all_choices(list, count, 0, TASKS, (opevo_task_choice){0, 0}, 0, all, 0);
        opevo_task_choice *front = NULL;
        int64_t excess = -1;

        CHECK_OK(opevo_task_front(list, count, TASKS, limit, &front, &found, &excess, &err));
        assert_true(found >= 1 && found <= limit && excess >= 0);
        bounded += excess > 0;
        check_order(front, found);
        for (size_t i = 0; i < found; i++) {
            int64_t least = INT64_MAX;

            for (size_t k = 0; k < choices; k++) {
                if (all[k].time_s <= front[i].time_s && all[k].bytes < least)
                    least = all[k].bytes;
            }
            assert_true(least <= front[i].bytes);
            assert_true(least >= front[i].bytes - excess);
        }
        opevo_free(front);
    }
    assert_true(bounded > ROUNDS / 10);
}

CHECK_TEST(a_task_without_candidates_has_no_choice)
{
    const opevo_task_candidate list[] = {{.task = 0, .time_s = 1}, {.task = 2, .time_s = 1}};
    opevo_task_choice *front = NULL;
    size_t found = 9;
    int64_t excess = 9;

    CHECK_OK(opevo_task_front(list, 2, 3, 10, &front, &found, &excess, &err));
    assert_int_equal(found, 0);
    assert_int_equal(excess, 0);
    opevo_free(front);
    CHECK_OK(opevo_task_front(list, 0, 0, 10, &front, &found, &excess, &err));
    assert_int_equal(found, 0);
    opevo_free(front);
}
