/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuned network of which measured times choose the layouts and convolutions: times are put into
 * the store, and the same command then decides by them. */

#include "network_cli_internal.h"

#include "../evo/store_fixture.h"
#include "../hw/networks/library_networks.h"
#include "../hw/networks/network_models.h"

enum { CHANNELS = 32, SIDE = 16 };

static void write_model(void)
{
    const int64_t small[] = {CHANNELS, CHANNELS, 1, 1}, large[] = {CHANNELS, CHANNELS, 3, 3};
    uint64_t seed = 1;
    size_t node = 0, size = 0;
    uint8_t *bytes = NULL;
    FILE *file = fopen("model.onnx", "wb");
    static model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, CHANNELS, SIDE, SIDE});
    add_weights(&made, "w", 4, small, -1, 1, &seed);
    add_weights(&made, "v", 4, large, -1, 1, &seed);
    add_node(&made, "Conv", "x w", "inner");
    node = add_node(&made, "Conv", "inner v", "y");
    add_ints(&made, node, "pads", 4, (int64_t[]){1, 1, 1, 1});
    set_output(&made, "y");
    bytes = model_pack(&made, &size);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    model_finish(&made);
}

/* Trials enough for a few of each task. */
static void tune(const char *trials, opevo_text *out)
{
    const char *const words[] = {
        "model.onnx", "-o",      "library", "--on",     "cpu", "--error",   "1", "--trials", trials,
        "--store",    "runs.db", "--quiet", "--finals", "0",   "--threads", "1"};
    opevo_call call = {0};
    int exit_code = 0;

    opevo_text_clear(out);
    CHECK_OK(opevo_i_cli_call_parse(&opevo_i_cli_verb_network, sizeof words / sizeof *words,
                                    (char **)(void *)words, &call, &err));
    CHECK_OK(opevo_i_cli_verb_network.run(&call, out, &exit_code, &err));
    assert_int_equal(exit_code, 0);
    opevo_i_cli_call_free(&call);
    assert_true(
        program_succeeds((const char *const[]){"make", "-s", "-C", "library", "check", NULL}));
}

static void check(const opevo_text *out, const char *words)
{
    if (!strstr(opevo_text_string(out), words))
        fail_msg("\"%s\" is not in: %s", words, opevo_text_string(out));
}

/* The names of tasks that the network has with all sites off only, as SQL. */
static void add_names(opevo_text *out)
{
    const opevo_network_given none = {0};
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    opevo_network_choices *choices = NULL;
    opevo_network_tasks tasks = {0};
    uint32_t late = 0;

    CHECK_OK(opevo_network_read("model.onnx", &none, &network, &err));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->winograd.error = 1;
    CHECK_OK(opevo_network_passes_named("block,winograd", &late, &err));
    CHECK_OK(opevo_network_inference_pass(inference, ~late, &err));
    CHECK_OK(opevo_network_choices_create(inference, late, &choices, &err));
    assert_int_equal(opevo_network_choices_sites(choices), 2);
    CHECK_OK(opevo_network_inference_tasks(inference, &tasks, &err)); /* as with all off */
    for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
        for (int t = 0; t < tasks.count; t++)
            if (opevo_network_is_same_task(opevo_network_choices_candidate(choices, i)->computation,
                                           tasks.task[t].computation))
                opevo_text_printf(out, "%sname LIKE '%%(instead, %d)'", out->length ? " OR " : "",
                                  i);
    opevo_network_tasks_free(&tasks);
    opevo_network_choices_destroy(choices);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
}

static void make_faster(const char *names)
{
    opevo_text sql = {0};

    opevo_text_printf(&sql,
                      "UPDATE trials SET fitness = fitness * 1e6, time_s = time_s / 1e6"
                      " WHERE run IN (SELECT run FROM group_tasks WHERE %s)",
                      names);
    tamper("runs.db", opevo_text_string(&sql));
    opevo_text_free(&sql);
}

CHECK_TEST(times_decide)
{
    opevo_text out = {0}, again = {0}, names = {0};

    write_model();
    tune("40", &out);
    check(&out, "2 of 2 layouts and convolutions chosen by measured times");
    tune("40", &again);
    check(&again, "40 trials, 40 of them from the store");
    assert_string_equal(strstr(out.data, "predicted"), strstr(again.data, "predicted"));
    add_names(&names);
    make_faster(opevo_text_string(&names));
    tune("40", &out);
    check(&out, "2 of 2 layouts and convolutions chosen by measured times\n"
                "not in blocks of channels: inner\nnot by Winograd's transforms: y\n");
    assert_int_equal(strncmp(opevo_text_string(&out), "2 tasks, ", 9), 0);
    make_faster("name NOT LIKE '%instead%'");
    make_faster("name NOT LIKE '%instead%'");
    tune("40", &out);
    check(&out, "2 of 2 layouts and convolutions chosen by measured times\nnode 1: Winograd's");
    assert_int_equal(strncmp(opevo_text_string(&out), "4 tasks, ", 9), 0);
    opevo_text_free(&out);
    opevo_text_free(&again);
    opevo_text_free(&names);
}

/* Four trials are for the four tasks of the network. */
CHECK_TEST(few_trials_leave_the_rule)
{
    opevo_text out = {0};

    tune("4", &out);
    check(&out, "0 of 2 layouts and convolutions chosen by measured times; the trials are too few");
    check(&out, "node 1: Winograd's");
    opevo_text_free(&out);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
