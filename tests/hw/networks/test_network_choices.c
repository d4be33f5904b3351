/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layouts and convolutions by measured times: on random networks with times that are made up, what
 * the table of steps says is compared with the tasks that the passes leave on the whole network. */

#include "grown_networks.h"
#include "passed_networks.h"

#include <math.h>

#include <opevo/memory.h>
#include <opevo/network_choices.h>
#include <opevo/network_tasks.h>

enum { SEEDS = 150, MOST_TASKS = 400 };

static const char before[] = "fold,split,drop,scale,fuse", after[] = "block,winograd";

static opevo_network_inference *fused(const opevo_network *network, uint64_t seed)
{
    opevo_network_inference *inference = NULL;

    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->block = 2; /* of the 4 and 8 channels of random networks */
    inference->winograd.error = INFINITY;
    inference->winograd.tile = seed % 2 ? 2 : 4;
    CHECK_OK(opevo_network_inference_pass(inference, mask_of(before), &err));
    return inference;
}

/* Those of the network after the passes with the sites that are on, each as often as it occurs. */
static int tasks_with(const opevo_network *network, uint64_t seed,
                      const opevo_network_choices *choices, const bool *on, const char *passes,
                      opevo_network_candidate *out)
{
    opevo_network_inference *inference = fused(network, seed);
    opevo_network_tasks tasks = {0};
    int count = 0;

    for (int s = 0; on && s < opevo_network_choices_sites(choices); s++) {
        const opevo_network_site *site = opevo_network_choices_site(choices, s);

        if (site->kind == OPEVO_NETWORK_SITE_LAYOUT)
            inference->value[site->value].plain = !on[s];
        else
            inference->value[site->value].direct = !on[s];
    }
    CHECK_OK(opevo_network_inference_pass(inference, mask_of(passes), &err));
    CHECK_OK(opevo_network_inference_tasks(inference, &tasks, &err));
    for (; count < tasks.count; count++)
        out[count] = (opevo_network_candidate){
            .computation = opevo_computation_share(tasks.task[count].computation),
            .count = tasks.task[count].count};
    opevo_network_tasks_free(&tasks);
    opevo_network_inference_destroy(inference);
    return count;
}

static void release(opevo_network_candidate *tasks, int count)
{
    for (int i = 0; i < count; i++)
        opevo_computation_destroy(tasks[i].computation);
}

static int find(const opevo_network_choices *choices, const opevo_computation *computation)
{
    int i = 0;

    while (i < opevo_network_choices_candidates(choices) &&
           !opevo_network_is_same_task(opevo_network_choices_candidate(choices, i)->computation,
                                       computation))
        i++;
    return i;
}

/* Whether they are the candidates that are in use, in the same numbers. */
static bool are_in_use(const opevo_network_choices *choices, const opevo_network_candidate *tasks,
                       int count)
{
    int used = 0;

    for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
        used += opevo_network_choices_candidate(choices, i)->count > 0;
    for (int t = 0; t < count; t++) {
        int i = find(choices, tasks[t].computation);

        if (i == opevo_network_choices_candidates(choices) ||
            opevo_network_choices_candidate(choices, i)->count != tasks[t].count)
            return false;
    }
    return used == count;
}

static void take(const opevo_network_choices *choices, bool *on)
{
    for (int s = 0; s < opevo_network_choices_sites(choices); s++)
        on[s] = opevo_network_choices_site(choices, s)->on;
}

/* How many steps more compute each candidate in `to` than in `from`, by the tasks of whole
 * networks. */
static void change_of_tasks(const opevo_network *network, uint64_t seed,
                            const opevo_network_choices *choices, const bool *from, const bool *to,
                            int *change)
{
    const bool *ends[] = {from, to};

    memset(change, 0, MOST_TASKS * sizeof *change);
    for (int e = 0; e < 2; e++) {
        static opevo_network_candidate tasks[MOST_TASKS];
        int count = tasks_with(network, seed, choices, ends[e], after, tasks);

        for (int t = 0; t < count; t++) {
            int i = find(choices, tasks[t].computation);

            assert_in_range(i, 0, opevo_network_choices_candidates(choices) - 1);
            change[i] += (e ? 1 : -1) * tasks[t].count;
        }
        release(tasks, count);
    }
}

/* L(to) - L(from); NAN: unknown. */
static double difference_by_tasks(const opevo_network *network, uint64_t seed,
                                  const opevo_network_choices *choices, const bool *from,
                                  const bool *to, const double *time_s)
{
    int change[MOST_TASKS];
    double sum = 0;

    change_of_tasks(network, seed, choices, from, to, change);
    for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
        if (change[i])
            sum += isfinite(time_s[i]) ? change[i] * time_s[i] : NAN;
    return sum;
}

/* Of times from 1 to 100, of which some are unknown. */
static void draw_times(const opevo_network_choices *choices, int unknown, uint64_t *state,
                       double *time_s)
{
    assert_in_range(opevo_network_choices_candidates(choices), 1, MOST_TASKS);
    for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
        time_s[i] = unknown && draw(state, 10) < (uint64_t)unknown
                        ? (draw(state, 2) ? NAN : INFINITY)
                        : pow(10, (double)draw(state, 1000) / 500);
}

/* No site is better turned, the network is not slower than with all sites on or all off, and what
 * has no times is not decided by them. */
static void check_decision(const opevo_network *network, uint64_t seed,
                           const opevo_network_choices *choices, const double *time_s)
{
    bool on[MOST_TASKS] = {false}, other[MOST_TASKS], all[MOST_TASKS], none[MOST_TASKS] = {false};
    int sites = opevo_network_choices_sites(choices);

    take(choices, on);
    memset(all, true, sizeof all);
    assert_false(difference_by_tasks(network, seed, choices, on, all, time_s) < -1e-9);
    assert_false(difference_by_tasks(network, seed, choices, on, none, time_s) < -1e-9 &&
                 isfinite(difference_by_tasks(network, seed, choices, all, none, time_s)));
    for (int s = 0; s < sites; s++) {
        double by = 0;

        memcpy(other, on, sizeof on);
        other[s] = !on[s];
        by = difference_by_tasks(network, seed, choices, on, other, time_s);
        assert_int_equal(isfinite(by), opevo_network_choices_site(choices, s)->measured);
        assert_false(by < -1e-9);
    }
}

/* What further trials are worth. */
static void check_weights(const opevo_network *network, uint64_t seed,
                          opevo_network_choices *choices, const double *time_s)
{
    const double share = .25;
    double weight[MOST_TASKS], expected[MOST_TASKS] = {0};
    int candidates = opevo_network_choices_candidates(choices), change[MOST_TASKS];
    bool on[MOST_TASKS] = {false};

    take(choices, on);
    for (int s = 0; s < opevo_network_choices_sites(choices); s++) {
        bool other[MOST_TASKS];
        double come_s = 0, go_s = 0;

        memcpy(other, on, sizeof on);
        other[s] = !on[s];
        change_of_tasks(network, seed, choices, on, other, change);
        for (int i = 0; i < candidates; i++) {
            come_s += change[i] > 0 ? change[i] * time_s[i] : 0;
            go_s -= change[i] < 0 ? change[i] * time_s[i] : 0;
        }
        for (int i = 0; i < candidates; i++)
            if (change[i] > 0 && isfinite(come_s) && isfinite(go_s) && go_s > (1 - share) * come_s)
                expected[i] += change[i] * (share - 1 + go_s / come_s);
    }
    opevo_network_choices_weigh(choices, time_s, share, weight);
    for (int i = 0; i < candidates; i++) {
        int count = opevo_network_choices_candidate(choices, i)->count;

        assert_true(fabs(weight[i] - (count ? count : expected[i])) <= 1e-9);
    }
}

/* Without times the rule holds; with all sites off the passes do nothing. */
CHECK_TEST(test_ends)
{
    static opevo_network_candidate tasks[MOST_TASKS], others[MOST_TASKS];

    for (uint64_t seed = 0; seed < 50; seed++) {
        static grown made;
        opevo_network *network = NULL;
        opevo_network_choices *choices = NULL;
        opevo_network_inference *inference = NULL;
        double time_s[MOST_TASKS];
        bool none[MOST_TASKS] = {false};
        int count = 0;

        grow_network(&made, seed, &network);
        inference = fused(network, seed);
        CHECK_OK(opevo_network_choices_create(inference, mask_of(after), &choices, &err));
        for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
            time_s[i] = NAN;
        opevo_network_choices_decide(choices, time_s);
        for (int s = 0; s < opevo_network_choices_sites(choices); s++)
            assert_true(opevo_network_choices_site(choices, s)->on &&
                        !opevo_network_choices_site(choices, s)->measured);
        count = tasks_with(network, seed, choices, NULL, after, tasks);
        assert_true(are_in_use(choices, tasks, count));
        release(tasks, count);
        count = tasks_with(network, seed, choices, none, after, tasks);
        assert_int_equal(tasks_with(network, seed, choices, NULL, before, others), count);
        for (int t = 0; t < count; t++) {
            assert_true(opevo_network_is_same_task(tasks[t].computation, others[t].computation));
            assert_int_equal(tasks[t].count, others[t].count);
        }
        release(tasks, count);
        release(others, count);
        opevo_network_choices_destroy(choices);
        CHECK_OK(opevo_network_choices_create(inference, mask_of("winograd"), &choices, &err));
        assert_int_equal(opevo_network_choices_sites(choices), 0);
        opevo_network_choices_destroy(choices);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
}

/* Wherever memory ends, nothing is left, and the network is as it was. */
CHECK_TEST(test_memory)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    opevo_status status = OPEVO_NOMEM;
    uint32_t both = mask_of(after);
    int64_t live = 0, n = 0;
    static grown made;

    grow_network(&made, 7, &network);
    inference = fused(network, 7);
    live = opevo_memory_live();
    while (status == OPEVO_NOMEM) {
        opevo_network_choices *choices = NULL;

        n += 1 + n / 50;
        opevo_memory_fail_at(n);
        status = opevo_network_choices_create(inference, both, &choices, &failure);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        opevo_network_choices_destroy(choices);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_true(n > 100);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made.model);
}

/* Each choice of the times gives the network that the table says, and its results. */
CHECK_TEST(test_decisions)
{
    static opevo_network_candidate tasks[MOST_TASKS];
    int turned[2] = {0}, kept[2] = {0}, undecided = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        static grown made;
        opevo_network *network = NULL;
        opevo_network_choices *choices = NULL;
        opevo_network_inference *inference = NULL;
        opevo_array input = {0}, expected = {0}, result = {0};
        uint64_t numbers = seed;
        double time_s[MOST_TASKS];
        bool on[MOST_TASKS] = {false};
        int count = 0;

        grow_network(&made, seed, &network);
        inference = fused(network, seed);
        CHECK_OK(opevo_network_choices_create(inference, mask_of(after), &choices, &err));
        count = tasks_with(network, seed, choices, NULL, after, tasks);
        assert_true(are_in_use(choices, tasks, count));
        release(tasks, count);
        draw_times(choices, seed % 3 ? 0 : 2, &numbers, time_s);
        opevo_network_choices_decide(choices, time_s);
        take(choices, on);
        count = tasks_with(network, seed, choices, on, after, tasks);
        assert_true(are_in_use(choices, tasks, count));
        release(tasks, count);
        check_decision(network, seed, choices, time_s);
        check_weights(network, seed, choices, time_s);
        for (int s = 0; s < opevo_network_choices_sites(choices); s++) {
            const opevo_network_site *site = opevo_network_choices_site(choices, s);

            turned[site->kind] += !site->on;
            kept[site->kind] += site->on && site->measured;
            undecided += !site->measured;
        }
        input = make_array(4, (int64_t[]){1, 4, 5, 5}, &numbers);
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        opevo_network_choices_apply(choices, inference);
        CHECK_OK(opevo_network_inference_pass(inference, mask_of(after), &err));
        result = run_it(inference, &input);
        assert_true(difference(&expected, &result) <= ROUNDED);
        opevo_array_free(&input);
        opevo_array_free(&expected);
        opevo_array_free(&result);
        opevo_network_choices_destroy(choices);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    print_message("layouts: %d on, %d off; convolutions: %d on, %d off; %d without times\n",
                  kept[0], turned[0], kept[1], turned[1], undecided);
    assert_true(kept[0] > 20 && turned[0] > 20 && kept[1] > 10 && turned[1] > 10 && undecided > 10);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
