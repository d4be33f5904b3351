/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Groups of tasks in a store: they come back as they were put, a course that differs replaces the
 * one before, and what nobody put is refused. */

#include "formula.h"

#include <opevo/store_groups.h>

#include "scratch_folder.h"
#include "store_fixture.h"

enum { TASKS = 3 };

static scratch_folder scratch;
static char name_a[] = "Conv (0)", name_b[] = "Conv (1)", name_c[] = "Gemm \"x\"";
static char network[] = "net.onnx", aim[] = "sum";
static opevo_group_task tasks[TASKS] = {
    {0, name_a, 2, 1e-3}, {0, name_b, 1, 0.1}, {0, name_c, 0, 1}};

static opevo_group group_of(size_t count)
{
    return (opevo_group){
        .name = network, .is_network = true, .aim = aim, .tasks = tasks, .count = count};
}

/* A store with a run for each task. */
static opevo_store *make_store(void)
{
    opevo_space *space = formula_space("{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}}");
    opevo_store *store = NULL;

    scratch_empty(&scratch);
    store = open_store(scratch.file, OPEVO_STORE_WRITE);
    for (size_t i = 0; i < TASKS; i++) {
        opevo_run_key key = key_of(space, i);

        tasks[i].run = begin(store, &key);
    }
    opevo_space_destroy(space);
    return store;
}

static int64_t begin_group(opevo_store *store, size_t count)
{
    opevo_group group = group_of(count);
    int64_t number = 0;

    CHECK_OK(opevo_store_begin_group(store, &group, &number, &err));
    return number;
}

static void put_round(opevo_store *store, int64_t group, size_t place, size_t task, uint64_t trials)
{
    CHECK_OK(opevo_store_put_round(store, group, place, &(opevo_group_round){task, trials}, &err));
}

static void check_rounds(const opevo_group *group, const opevo_group_round *wanted, size_t count)
{
    assert_int_equal(group->round_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(group->rounds[i].task, wanted[i].task);
        assert_int_equal(group->rounds[i].trials, wanted[i].trials);
    }
}

static opevo_group *read_groups(opevo_store *store, size_t count)
{
    opevo_group *groups = NULL;
    size_t found = 0;

    CHECK_OK(opevo_store_groups(store, &groups, &found, &err));
    assert_int_equal(found, count);
    return groups;
}

CHECK_TEST(groups_come_back)
{
    opevo_store *store = make_store();
    opevo_group *groups = read_groups(store, 0);
    int64_t all = begin_group(store, TASKS), two = begin_group(store, 2), fresh = 0, first = 0;
    opevo_group operators = group_of(TASKS);

    opevo_store_groups_free(groups, 0);
    assert_true(all != two);
    assert_int_equal(begin_group(store, TASKS), all);
    assert_int_equal(begin_group(store, 2), two);
    operators.is_network = false;
    CHECK_OK(opevo_store_begin_group(store, &operators, &first, &err));
    tasks[1].weight = 1.5; /* another group of operators, the same network */
    CHECK_OK(opevo_store_begin_group(store, &operators, &fresh, &err));
    assert_true(first != all && first != two && fresh != first && fresh != all && fresh != two);
    tasks[1].weight = 0;
    assert_int_equal(begin_group(store, TASKS), all);
    opevo_store_close(store);

    store = open_store(scratch.file, OPEVO_STORE_READ);
    groups = read_groups(store, 4);
    assert_string_equal(groups[0].name, network);
    assert_string_equal(groups[0].aim, aim);
    assert_true(groups[0].is_network && !groups[0].has_memory);
    assert_int_equal(groups[0].count, TASKS);
    assert_int_equal(groups[1].count, 2);
    for (size_t i = 0; i < TASKS; i++) {
        assert_int_equal(groups[0].tasks[i].run, tasks[i].run);
        assert_string_equal(groups[0].tasks[i].name, tasks[i].name);
        assert_true(groups[0].tasks[i].weight == tasks[i].weight);
        assert_true(groups[0].tasks[i].scale_s == tasks[i].scale_s);
    }
    assert_true(groups[1].tasks[1].weight == 1 && groups[2].tasks[1].weight == 1);
    assert_true(groups[3].tasks[1].weight == 1.5);
    tasks[1].weight = 1;
    opevo_store_groups_free(groups, 4);
    {
        opevo_group group = group_of(TASKS);

        CHECK_FAILS(OPEVO_INVALID, "open read-only",
                    opevo_store_begin_group(store, &group, &fresh, &err));
    }
    opevo_store_close(store);
}

/* The same round again changes nothing; another one ends the course that was stored. */
CHECK_TEST(a_course_is_replaced_from_where_it_differs)
{
    static const opevo_group_round first[] = {{0, 8}, {1, 8}, {2, 8}, {0, 16}, {1, 11}};
    static const opevo_group_round second[] = {{0, 8}, {1, 8}, {2, 8}, {2, 16}};
    opevo_store *store = make_store();
    int64_t other = begin_group(store, 2), group = begin_group(store, TASKS);
    opevo_group *groups = NULL;

    put_round(store, other, 0, 1, 4);
    for (size_t i = 0; i < 5; i++)
        put_round(store, group, i, first[i].task, first[i].trials);
    for (size_t i = 0; i < 3; i++) /* again, and killed */
        put_round(store, group, i, first[i].task, first[i].trials);
    groups = read_groups(store, 2);
    check_rounds(&groups[1], first, 5);
    opevo_store_groups_free(groups, 2);
    put_round(store, group, 3, second[3].task, second[3].trials);
    groups = read_groups(store, 2);
    check_rounds(&groups[0], &(opevo_group_round){1, 4}, 1);
    check_rounds(&groups[1], second, 4);
    opevo_store_groups_free(groups, 2);
    opevo_store_close(store);
}

CHECK_TEST(memory_comes_back)
{
    static const opevo_group_kernel kernels[] = {{2, 1, 0, 7}, {0, 3, 64, 0}, {0, 1, 128, 1}};
    static const size_t order[] = {2, 1, 0};
    static const opevo_group_kernel other = {0, 3, 192, 5};
    opevo_store *store = make_store();
    int64_t group = begin_group(store, TASKS);
    opevo_group *groups = NULL;

    CHECK_OK(opevo_store_put_memory(store, group, 4096, INT64_C(1) << 40, kernels, 3, &err));
    groups = read_groups(store, 1);
    assert_true(groups[0].has_memory);
    assert_int_equal(groups[0].arena_bytes, 4096);
    assert_int_equal(groups[0].weight_bytes, INT64_C(1) << 40);
    assert_int_equal(groups[0].kernel_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(&groups[0].kernels[i], &kernels[order[i]], sizeof *kernels);
    opevo_store_groups_free(groups, 1);
    CHECK_OK(opevo_store_put_memory(store, group, 64, 0, &other, 1, &err));
    groups = read_groups(store, 1);
    assert_int_equal(groups[0].arena_bytes, 64);
    assert_int_equal(groups[0].kernel_count, 3);
    assert_memory_equal(&groups[0].kernels[1], &other, sizeof other);
    opevo_store_groups_free(groups, 1);
    opevo_store_close(store);
}

CHECK_TEST(damaged_groups_are_refused)
{
    static const char *const spoilt[] = {
        "DELETE FROM group_tasks WHERE place = 2",
        "DELETE FROM group_tasks",
        "UPDATE group_tasks SET weight = -1 WHERE place = 1",
        "UPDATE group_tasks SET weight = 9e999 WHERE place = 1",
        "UPDATE group_tasks SET scale_s = 0 WHERE place = 3",
        "UPDATE group_rounds SET place = 4",
        "UPDATE group_rounds SET place = 0",
        "UPDATE group_rounds SET trials = -1",
        "UPDATE group_rounds SET round = 2",
        "UPDATE group_kernels SET place = 9",
        "UPDATE group_kernels SET number = 0",
        "UPDATE group_kernels SET packed_bytes = -64",
        "UPDATE group_kernels SET packed_bytes = 9223372036854775807",
        "UPDATE group_kernels SET scratch_bytes = -1",
        "UPDATE group_kernels SET scratch_bytes = 9223372036854775807",
        "UPDATE task_groups SET arena_bytes = -1",
        "UPDATE task_groups SET weight_bytes = 9223372036854775807",
    };

    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        opevo_store *store = make_store();
        int64_t group = begin_group(store, TASKS);
        opevo_group *groups = NULL;
        size_t count = 9;

        put_round(store, group, 0, 1, 4);
        CHECK_OK(opevo_store_put_memory(store, group, 1, 1, &(opevo_group_kernel){1, 1, 64, 0}, 1,
                                        &err));
        opevo_store_close(store);
        tamper(scratch.file, spoilt[i]);
        store = open_store(scratch.file, OPEVO_STORE_READ);
        CHECK_FAILS(OPEVO_INVALID, "is damaged: a group of tasks is malformed",
                    opevo_store_groups(store, &groups, &count, &err));
        assert_int_equal(count, 9);
        opevo_store_close(store);
    }
}

static int set_up(void **state)
{
    scratch = scratch_make();
    return 0;
}

static int tear_down(void **state)
{
    scratch_remove(&scratch);
    return 0;
}

int main(void)
{
    return check_tests(set_up, tear_down);
}
