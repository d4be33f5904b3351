/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks in what `opevo report` writes: their tasks and latencies are those of `opevo tune`, and
 * the front of latency and memory is that of all choices of kernels. */

#include "reports.h"

#include <sqlite3.h>

enum { NETWORK_TASKS = 3, NETWORK_TRIALS = 600 };
#define NETWORK "mm1 bmm1 c1 --on sim:gtx1080ti --weights 3,1,1 --trials 600 "

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* The tasks, tuned once for all tests, in a copy of their own as networks.db. */
static void copy_network(void)
{
    if (access("tuned.db", F_OK) != 0) {
        assert_int_equal(run("tune " NETWORK "--store tuned.db --json"), 0);
        assert_int_equal(rename("out", "tuned.json"), 0);
    }
    assert_int_equal(execute("cp ", "tuned.db networks.db"), 0);
}

/* Networks are the same with the landscapes of their tasks and without, which takes a hundredth of
 * the time. */
#define REPORT_WITHOUT "report --no-landscapes -o page.html "

/* The data of a page of networks.db by this command, and what tune said of the same tasks. */
static void tune_network(const char *report, json_t **data, json_t **tuned)
{
    copy_network();
    *tuned = read_json("tuned.json");
    assert_int_equal(run(report), 0);
    *data = read_page("page.html");
}

/* Latency falls from that of the first successes to what tune reached; tasks are those of tune. */
CHECK_TEST(networks_are_those_of_tune)
{
    json_t *data = NULL, *tuned = NULL;
    const json_t *network = NULL, *seconds = NULL, *trial = NULL;
    double first_s = 0;

    tune_network("report networks.db -o page.html", &data, &tuned);
    assert_int_equal(json_array_size(json_object_get(data, "networks")), 1);
    network = json_array_get(json_object_get(data, "networks"), 0);
    assert_string_equal(json_string_value(json_object_get(network, "name")), "mm1, bmm1, c1");
    assert_true(json_is_false(json_object_get(network, "network")));
    assert_true(json_is_null(json_object_get(network, "memory")));
    assert_int_equal(json_array_size(json_object_get(network, "tasks")), NETWORK_TASKS);
    for (size_t i = 0; i < NETWORK_TASKS; i++) {
        const json_t *task = json_array_get(json_object_get(network, "tasks"), i);
        const json_t *want = json_array_get(json_object_get(tuned, "tasks"), i);

        assert_true(json_equal(json_object_get(task, "name"), json_object_get(want, "task")));
        assert_float_equal(number_of(task, "weight"), number_of(want, "weight"), 0);
        assert_true(json_equal(json_object_get(task, "trials"), json_object_get(want, "trials")));
        assert_true(json_equal(json_object_get(task, "failed"), json_object_get(want, "failed")));
        assert_true(is_near(number_of(task, "after"), number_of(want, "time_s")));
        assert_true(number_of(task, "before") >= number_of(task, "after"));
        assert_true(json_is_null(json_object_get(task, "final")));
        first_s += number_of(task, "weight") * number_of(task, "before");
    }
    seconds = json_object_get(network, "seconds");
    trial = json_object_get(network, "trial");
    assert_int_equal(json_array_size(seconds), json_array_size(trial));
    assert_true(json_array_size(seconds) > 5);
    assert_true(is_near(json_number_value(json_array_get(seconds, 0)), first_s));
    for (size_t i = 1; i < json_array_size(seconds); i++) {
        assert_true(json_number_value(json_array_get(seconds, i)) <=
                    json_number_value(json_array_get(seconds, i - 1)));
        assert_true(json_integer_value(json_array_get(trial, i)) >=
                    json_integer_value(json_array_get(trial, i - 1)));
    }
    assert_int_equal(json_integer_value(json_array_get(trial, json_array_size(trial) - 1)),
                     NETWORK_TRIALS);
    assert_true(is_near(json_number_value(json_array_get(seconds, json_array_size(seconds) - 1)),
                        number_of(tuned, "aim_s")));
    json_decref(data);
    json_decref(tuned);
}

/* The latency after so many trials is what the same command says with so many, where rounds are the
 * same. */
CHECK_TEST(latency_is_that_of_shorter_runs)
{
    json_t *data = NULL, *tuned = NULL, *shorter = NULL;
    const json_t *network = NULL;
    double aim_s = 0, found_s = 0;

    tune_network(REPORT_WITHOUT "networks.db", &data, &tuned);
    network = json_array_get(json_object_get(data, "networks"), 0);
    assert_int_equal(run("tune mm1 bmm1 c1 --on sim:gtx1080ti --weights 3,1,1 --trials 300 "
                         "--allocate gradient,round=64 --json"),
                     0);
    shorter = read_json("out");
    aim_s = number_of(shorter, "aim_s");
    for (size_t i = 0; i < json_array_size(json_object_get(network, "trial")); i++) {
        if (json_integer_value(json_array_get(json_object_get(network, "trial"), i)) <= 300)
            found_s = json_number_value(json_array_get(json_object_get(network, "seconds"), i));
    }
    assert_true(is_near(found_s, aim_s));
    json_decref(shorter);
    json_decref(data);
    json_decref(tuned);
}

/* Four successes of a task. */
static void read_successes(opevo_store *file, int64_t task_run, opevo_trial *out)
{
    opevo_trial trials[64];
    opevo_error err = {OPEVO_OK, ""};
    size_t count = 0, found = 0;

    assert_int_equal(opevo_store_read(file, task_run, 0, trials, 64, &count, &err), OPEVO_OK);
    for (size_t i = 0; i < count && found < 4; i++) {
        if (trials[i].outcome.kind == OPEVO_OUTCOME_OK)
            out[found++] = trials[i];
    }
    assert_int_equal(found, 4);
}

/* ---- Memory ---- */

enum { ARENA = 4096, WEIGHTS = 1000, EACH = 4, CHOICES = 64 };

static const int64_t packed[NETWORK_TASKS][EACH] = {
    {0, 640, 64, 128}, {128, 0, 0, 64}, {64, 320, 0, 0}};
static const int64_t scratch[NETWORK_TASKS][EACH] = {
    {0, 64, 256, 64}, {0, 512, 64, 64}, {64, 0, 1024, 128}};

/* What the network takes with each choice of a kernel for every task. */
typedef struct network_choices {
    double time_s[CHOICES];
    int64_t bytes[CHOICES];
} network_choices;

/* Put what four kernels of each task need into networks.db. */
static void put_memory(network_choices *out)
{
    opevo_store *file = NULL;
    opevo_group *groups = NULL;
    opevo_group_kernel kernels[EACH * NETWORK_TASKS];
    opevo_trial trials[NETWORK_TASKS][EACH];
    opevo_error err = {OPEVO_OK, ""};
    size_t count = 0;

    assert_int_equal(opevo_store_open("networks.db", OPEVO_STORE_WRITE, &file, &err), OPEVO_OK);
    assert_int_equal(opevo_store_groups(file, &groups, &count, &err), OPEVO_OK);
    for (size_t t = 0; t < NETWORK_TASKS; t++) {
        read_successes(file, groups[0].tasks[t].run, trials[t]);
        for (size_t i = 0; i < EACH; i++)
            kernels[EACH * t + i] =
                (opevo_group_kernel){t, trials[t][i].number, packed[t][i], scratch[t][i]};
    }
    assert_int_equal(
        opevo_store_put_memory(file, 1, ARENA, WEIGHTS, kernels, EACH * NETWORK_TASKS, &err),
        OPEVO_OK);
    opevo_store_close(file);
    for (size_t c = 0; c < CHOICES; c++) {
        int64_t most = 0;

        out->time_s[c] = 0;
        out->bytes[c] = ARENA + WEIGHTS;
        for (size_t t = 0; t < NETWORK_TASKS; t++) {
            size_t i = c >> (2 * t) & 3;

            out->time_s[c] += groups[0].tasks[t].weight * groups[0].tasks[t].scale_s /
                              trials[t][i].outcome.fitness;
            out->bytes[c] += packed[t][i];
            most = scratch[t][i] > most ? scratch[t][i] : most;
        }
        out->bytes[c] += most;
    }
    opevo_store_groups_free(groups, count);
}

/* The front is that of all choices, and is computed from kernels that succeeded only. */
CHECK_TEST(memory_is_that_of_all_choices)
{
    json_t *data = NULL, *tuned = NULL;
    const json_t *memory = NULL, *bytes = NULL, *seconds = NULL;
    network_choices all;
    size_t nondominated = 0;

    tune_network(REPORT_WITHOUT "networks.db", &data, &tuned);
    json_decref(data);
    put_memory(&all);
    assert_int_equal(run(REPORT_WITHOUT "networks.db"), 0);
    data = read_page("page.html");
    memory = json_object_get(json_array_get(json_object_get(data, "networks"), 0), "memory");
    assert_int_equal(json_integer_value(json_object_get(memory, "excess")), 0);
    bytes = json_object_get(memory, "bytes");
    seconds = json_object_get(memory, "seconds");
    for (size_t c = 0; c < CHOICES; c++) {
        bool dominated = false, found = false;

        for (size_t k = 0; k < CHOICES && !dominated; k++)
            dominated = all.time_s[k] <= all.time_s[c] && all.bytes[k] <= all.bytes[c] &&
                        (all.time_s[k] < all.time_s[c] || all.bytes[k] < all.bytes[c]);
        for (size_t k = 0; k < json_array_size(bytes); k++)
            found =
                found || (json_integer_value(json_array_get(bytes, k)) == all.bytes[c] &&
                          is_near(json_number_value(json_array_get(seconds, k)), all.time_s[c]));
        assert_int_equal(found, !dominated);
        nondominated += !dominated;
    }
    assert_int_equal(json_array_size(bytes), nondominated);
    assert_true(nondominated > 1);
    json_decref(data);
    json_decref(tuned);
}

/* ---- Tasks ---- */

/* The kernel without tuning as the best of a task and as the worst; a task all of whose trials
 * failed; one whose trials are lost. */
CHECK_TEST(default_kernels_are_marked)
{
    static const char *const wanted[] = {"default", "tuned", "failed", "untried"};
    static const char change[] =
        "UPDATE trials SET origin = 'default' WHERE run = 1 AND number ="
        " (SELECT number FROM trials WHERE run = 1 ORDER BY fitness DESC, number LIMIT 1);"
        "UPDATE trials SET origin = 'default' WHERE run = 2 AND number ="
        " (SELECT number FROM trials WHERE run = 2 ORDER BY fitness, number LIMIT 1);"
        "UPDATE trials SET outcome = 3, fitness = 0 WHERE run = 3;"
        "DELETE FROM trials WHERE run = 4;";
    json_t *data = NULL;
    const json_t *tasks = NULL;
    sqlite3 *file = NULL;

    assert_int_equal(run("tune mm1 bmm1 c1 mm2 --on sim:gtx1080ti --weights 3,1,1,1 --trials 200 "
                         "--store marked.db --quiet"),
                     0);
    assert_int_equal(sqlite3_open("marked.db", &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, change, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(file), SQLITE_OK);
    assert_int_equal(run(REPORT_WITHOUT "marked.db"), 0);
    data = read_page("page.html");
    tasks = json_object_get(json_array_get(json_object_get(data, "networks"), 0), "tasks");
    assert_int_equal(json_array_size(tasks), 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(tasks, i), "kernel")),
                            wanted[i]);
    json_decref(data);
}

CHECK_TEST(networks_of_other_runs_are_left_out)
{
    json_t *data = NULL;

    copy_network();
    assert_int_equal(run(REPORT_WITHOUT "networks.db --landscape 'sim:gtx1080ti mm1'"), 0);
    data = read_page("page.html");
    assert_int_equal(json_array_size(json_object_get(data, "networks")), 0);
    json_decref(data);
}

int main(void)
{
    return check_tests(enter_folder, leave_folder);
}
