/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks tuned as a program does it that has these rooms only. A library of which not all tasks
 * have sketches is one for a GPU (fake_gpu.c), since on a CPU all kernels have sketches: the others
 * are tuned, and what is known covers those. */

#include "../../evo/scratch_folder.h"
#include "../cache_folder.h"
#include "../fake_folder.h"
#include "library_networks.h"

#include <math.h>
#include <string.h>

#include <opevo/network_tuning.h>
#include <opevo/store_groups.h>
#include <opevo/tuners.h>

enum { TRIALS = 6 };

static network_draw network;

/* More products than the parameters of a sketch for a GPU. */
static void add_products(opevo_text *text)
{
    enum { PRODUCTS = 14 };
    const int64_t left[] = {2, 2, 2, 2, 3}, right[] = {3, 2, 2, 2, 2}, size[] = {2, 2, 2, 2, 2, 2};
    int inputs[] = {network_input(&network, 5, left), network_input(&network, 5, right)};
    int output = network_value(&network, 6, size);
    opevo_network_step *step = network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, output);

    network_read(step, inputs[0]);
    network_read(step, inputs[1]);
    opevo_text_add(text, "X0[2,2,2,2,3]\nX1[3,2,2,2,2]\n");
    for (int i = 0; i < PRODUCTS; i++)
        opevo_text_printf(text,
                          "T%d[a:2,b:2,c:2,d:2,e:2,f:2] = sum(g:3,h:2) "
                          "X0[a,b,c,h,g]*X1[g,h,d,e,f]*%d\n",
                          i, i + 1);
    opevo_text_add(text, "Y0[a:2,b:2,c:2,d:2,e:2,f:2] = T0[a,b,c,d,e,f]");
    for (int i = 1; i < PRODUCTS; i++)
        opevo_text_printf(text, " + T%d[a,b,c,d,e,f]", i);
    network_define(step, opevo_text_string(text));
    network_output(&network, output);
}

/* What a tuning has told. */
typedef struct told {
    size_t begun, trials, resumed, finals;
    opevo_interrupt interrupt;
    size_t interrupt_after; /* trials; 0: never */
} told;

static void begun(void *context, const opevo_network_tuning *tuning)
{
    told *self = context;

    assert_int_equal(self->trials, 0);
    assert_int_equal(opevo_network_tuning_state_of(tuning).result->trials, 0);
    self->begun++;
}

static void trial(void *context, const opevo_network_tuning *tuning, size_t task,
                  const opevo_trial *one, bool resumed)
{
    told *self = context;

    assert_true(task < opevo_network_tuning_count(tuning));
    assert_true(opevo_network_tuning_task(tuning, task)->best >= one->outcome.fitness);
    self->resumed += resumed;
    if (++self->trials == self->interrupt_after)
        opevo_interrupt_raise(&self->interrupt);
}

static void finals(void *context, const opevo_network_tuning *tuning, size_t task)
{
    assert_int_equal(opevo_network_tuning_state_of(tuning).result->trials, TRIALS);
    ((told *)context)->finals++;
}

static opevo_network_library_options library_options(void)
{
    return (opevo_network_library_options){
        .dialect = OPEVO_KERNEL_CUDA, .threads = 1, .model = "m", .version = "0"};
}

static opevo_network_tuning_options options_of(told *self, opevo_store *store, uint64_t trials)
{
    opevo_network_tuning_options out = {.live = opevo_live_defaults(),
                                        .threads = 1,
                                        .seed = 3,
                                        .trials = trials,
                                        .finals = {.most = 3, .rounds = 2},
                                        .starts = {.dashes = ""},
                                        .store = store,
                                        .name = "a model",
                                        .interrupt = &self->interrupt,
                                        .watch = {self, begun, trial, finals}};

    out.live.device = "cuda:0";
    CHECK_OK(opevo_tuner_find("random", &out.tuner, &err));
    return out;
}

/* The library of the network, tuned by these options; the caller's, NULL where it fails. */
static opevo_status tune(const opevo_network_tuning_options *options, opevo_network_tuning **tuning,
                         opevo_network_library **library, opevo_error *error)
{
    static opevo_network_plan plan; /* outlives the tuning */
    const opevo_network_library_options of_library = library_options();
    opevo_status status = OPEVO_OK;

    plan = (opevo_network_plan){.inference = &network.super};
    CHECK_OK(opevo_network_plan_library(&plan, &of_library, library, &err));
    *tuning = NULL;
    status = opevo_network_tuning_create(&plan, *library, options, tuning, error);
    if (status == OPEVO_OK)
        status = opevo_network_tuning_run(*tuning, &of_library, library, error);
    return status;
}

static void release(opevo_network_tuning *tuning, opevo_network_library *library)
{
    opevo_network_tuning_destroy(tuning);
    opevo_network_library_destroy(library);
}

static void make_network(opevo_text *text, bool with_sketches)
{
    const int64_t size[] = {1, 8, 24, 24};

    network_start(&network);
    add_products(text);
    if (with_sketches)
        network_output(&network, add_element_wise(&network, network_input(&network, 4, size),
                                                  "X0[0,c,y,x]*2"));
}

CHECK_TEST(without_sketches)
{
    told self = {0};
    const opevo_network_tuning_options options = options_of(&self, NULL, TRIALS);
    opevo_network_tuning *tuning = NULL;
    opevo_network_library *library = NULL;
    opevo_text text = {0};

    make_network(&text, false);
    CHECK_FAILS(OPEVO_INVALID, "No computation of the network has sketches.",
                tune(&options, &tuning, &library, &err));
    assert_int_equal(self.begun, 0);
    release(tuning, library);
    opevo_text_free(&text);
    network_free(&network);
}

/* One of two tasks is tuned, and its kernel is the best that was measured. */
static void check(const opevo_network_tuning *tuning, const opevo_network_library *library)
{
    const opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);
    const opevo_network_task_run *task = opevo_network_tuning_task(tuning, 0);

    assert_int_equal(opevo_network_tuning_count(tuning), 1);
    assert_int_equal(state.tasks, 2);
    assert_int_equal(state.tuned, 1);
    assert_int_equal(state.known, 1);
    assert_int_equal(state.result->trials, TRIALS);
    assert_int_equal(task->task, 1);
    assert_true(task->weight == 1);
    CHECK_CLOSE(state.latency_s, opevo_objective_time_s(task->objective, task->best), 1e-12);
    assert_true(opevo_network_library_task(library, 1)->time_s == state.latency_s);
    assert_null(opevo_network_library_task(library, 1)->fallback);
    assert_non_null(opevo_network_library_task(library, 0)->fallback);
    assert_true(isnan(opevo_network_library_task(library, 0)->time_s));
}

static void check_group(opevo_store *store, const opevo_network_tuning *tuning)
{
    opevo_group *groups = NULL;
    size_t count = 0, kernels = 0;

    CHECK_OK(opevo_store_groups(store, &groups, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(groups[0].name, "a model");
    assert_true(groups[0].is_network && groups[0].has_memory);
    assert_int_equal(groups[0].count, 1);
    assert_string_equal(groups[0].tasks[0].name, opevo_network_tuning_task(tuning, 0)->name);
    assert_int_equal(groups[0].rounds[groups[0].round_count - 1].trials, TRIALS);
    kernels = TRIALS - opevo_network_tuning_state_of(tuning).result->failed;
    assert_int_equal(groups[0].kernel_count, kernels);
    opevo_store_groups_free(groups, count);
}

/* Interrupted in the midst, then to the end, then once more from the store alone. */
CHECK_TEST(what_has_sketches_is_tuned)
{
    scratch_folder folder = scratch_make();
    opevo_text text = {0};
    opevo_store *store = NULL;

    make_network(&text, true);
    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    for (size_t call = 0; call < 3; call++) {
        told self = {.interrupt_after = call == 0 ? 2 : 0};
        const opevo_network_tuning_options options = options_of(&self, store, TRIALS);
        opevo_network_tuning *tuning = NULL;
        opevo_network_library *library = NULL;

        CHECK_OK(tune(&options, &tuning, &library, &err));
        assert_int_equal(self.begun, 1);
        assert_int_equal(self.finals, call > 0);
        if (call == 0)
            assert_true(self.trials < TRIALS);
        else
            check(tuning, library);
        if (call > 0)
            check_group(store, tuning);
        if (call == 2)
            assert_int_equal(self.resumed, TRIALS);
        release(tuning, library);
    }
    opevo_store_close(store);
    scratch_remove(&folder);
    opevo_text_free(&text);
    network_free(&network);
}

CHECK_TEST(what_is_refused)
{
    static const char *const unknown[] = {"no_such_setting=1"}, *const nowhere[] = {"nowhere"};
    opevo_text text = {0};
    told self = {0};

    make_network(&text, true);
    for (size_t i = 0; i < 3; i++) {
        opevo_network_tuning_options options = options_of(&self, NULL, TRIALS);
        opevo_network_tuning *tuning = NULL;
        opevo_network_library *library = NULL;

        options.settings = i == 0 ? unknown : NULL;
        options.setting_count = i == 0;
        options.starts.starts = nowhere;
        options.starts.count = i == 1;
        options.finals.most = i == 2 ? OPEVO_FINALISTS_MOST + 1 : 0;
        CHECK_FAILS(OPEVO_INVALID,
                    i == 0   ? "no_such_setting"
                    : i == 1 ? "start nowhere: no such file"
                             : "at most 100",
                    tune(&options, &tuning, &library, &err));
        assert_int_equal(self.trials, 0);
        release(tuning, library);
    }
    opevo_text_free(&text);
    network_free(&network);
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
