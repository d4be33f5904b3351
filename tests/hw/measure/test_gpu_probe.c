/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Devices in trouble decide no trial: a worker of a GPU is probed before its first job, and again
 * where a kernel fails, by a kernel without a fault. The device is a stand-in (fake_gpu.c), which
 * is sick where a file says so. */

#include "cache_folder.h"
#include "fake_folder.h"
#include "zoo.h"

#include <opevo/objective.h>

#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 16, SICK_AFTER = 4 };

/* Most kernels are right, so that a device that fails decides nothing; some are to blame, where
 * there are any. */
static bool any_faulty;
static const struct {
    const char *word;
    opevo_outcome_class kind;
} faulty[POINTS] = {
    [7] = {"syntax", OPEVO_OUTCOME_BUILD_ERROR},
    [9] = {"wrong", OPEVO_OUTCOME_WRONG},
    [11] = {"illegal", OPEVO_OUTCOME_CRASHED},
    [13] = {"hang", OPEVO_OUTCOME_TIMEOUT},
};

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    const char *word = any_faulty ? faulty[(size_t)point].word : NULL;

    zoo_of_one_block(out, self->dialect, 64, 0);
    opevo_text_printf(&out->source, "// fake:%s %d\n", word ? word : "right", (int)point);
    return opevo_text_check(&out->source, err);
}

static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};

static opevo_objective *open_on(const char *device, const char *const *commands, size_t count)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    zoo *maker =
        zoo_create(&ops, "fake",
                   "{\"which\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, "
                   "9, 10, 11, 12, 13, 14, 15]}}",
                   (opevo_operator){.kind = OPEVO_MATMUL, .n = ZOO_N, .k = ZOO_K, .m = ZOO_M});

    maker->super.dialect = strncmp(device, "hip", 3) ? OPEVO_KERNEL_CUDA : OPEVO_KERNEL_HIP;
    options.device = device;
    options.run_limit_s = 1;
    options.build_limit_s = 10;
    options.repeat_s = 10; /* samples are all the same, so that a few are enough */
    options.workers.commands = commands;
    options.workers.count = count;
    options.workers.mixed = true;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

static const char sound_command[] = "sh -c 'exec $OPEVO_WORKER cuda:1'";
/* One that falls sick, and one that comes when that has happened. */
static char sick_path[4200], sick_command[4400], late_command[4400];

static void make_sick(const char *word)
{
    FILE *file = fopen(sick_path, "w");

    assert_non_null(file);
    fprintf(file, "%s\n", word);
    assert_int_equal(fclose(file), 0);
}

/* What is measured; the device falls sick when some outcomes are there. */
typedef struct arrivals {
    opevo_outcome_class kind[POINTS];
    bool there[POINTS];
    size_t count;
    const char *sickness;
} arrivals;

static opevo_status arrive(void *context, size_t i, const opevo_outcome *outcome,
                           opevo_error *error)
{
    arrivals *self = context;

    self->kind[i] = outcome->kind;
    self->there[i] = true;
    if (++self->count == SICK_AFTER && self->sickness)
        make_sick(self->sickness);
    return OPEVO_OK;
}

static opevo_status measure(opevo_objective *objective, arrivals *out, opevo_error *error)
{
    opevo_index points[POINTS];

    for (size_t i = 0; i < POINTS; i++)
        points[i] = i;
    return opevo_objective_measure(objective, points, POINTS, NULL, arrive, out, error);
}

/* Those that are there. */
static void check_kinds(const arrivals *found)
{
    for (size_t i = 0; i < POINTS; i++) {
        opevo_outcome_class wanted =
            any_faulty && faulty[i].word ? faulty[i].kind : OPEVO_OUTCOME_OK;

        if (found->there[i] && found->kind[i] != wanted)
            fail_msg("point %zu: %s instead of %s", i, opevo_outcome_name(found->kind[i]),
                     opevo_outcome_name(wanted));
    }
}

static void check_all(const arrivals *found)
{
    assert_int_equal(found->count, POINTS);
    check_kinds(found);
}

/* The first worker failed with such words. */
static void check_worker(const opevo_objective *objective, const char *words)
{
    opevo_worker_facts facts;

    assert_true(opevo_objective_worker(objective, 0, &facts));
    assert_true(facts.faults > 0);
    if (!strstr(facts.words, words))
        fail_msg("%s: %s", words, facts.words);
}

/* With a late worker, all may be done before the sick one is known for it. */
static const struct {
    const char *word;
    bool at_once;   /* else in the middle of the run */
    size_t workers; /* without the late one, that ends the run */
    bool noticed, any_faulty;
    const char *words;
} sicknesses[] = {
    {"launch", false, 2, true, true, "a kernel without a fault fails: error 701 (too many"},
    {"launch", true, 1, true, false, "a kernel without a fault fails: error 701 (too many"},
    {"hang", false, 2, false, false, "a kernel without a fault does not end on the device"},
    {"hang", true, 2, false, false, "a kernel without a fault does not end on the device"},
    {"hang", false, 1, true, false, "a kernel without a fault does not end on the device"},
    {"wrong", true, 2, false, false, "a kernel without a fault computes what is wrong"},
    {"wrong", false, 1, true, false, "a kernel without a fault computes what is wrong"},
};

CHECK_TEST(test_sick)
{
    const char *const commands[] = {sick_command, late_command};

    for (size_t i = 0; i < sizeof sicknesses / sizeof *sicknesses; i++) {
        bool at_once = sicknesses[i].at_once;
        opevo_objective *objective = open_on("cuda:0", commands, sicknesses[i].workers);
        arrivals found = {.sickness = at_once ? NULL : sicknesses[i].word};

        any_faulty = sicknesses[i].any_faulty;
        if (at_once)
            make_sick(sicknesses[i].word);
        if (sicknesses[i].workers > 1) {
            CHECK_OK(measure(objective, &found, &err));
            check_all(&found);
        } else {
            CHECK_FAILS(OPEVO_FAULT, sicknesses[i].words, measure(objective, &found, &err));
            assert_in_range(found.count, at_once ? 0 : SICK_AFTER, at_once ? 0 : POINTS - 1);
            check_kinds(&found);
        }
        if (sicknesses[i].noticed)
            check_worker(objective, sicknesses[i].words);
        opevo_objective_destroy(objective);
        unlink(sick_path);
    }
}

CHECK_TEST(test_wrong_kind)
{
    const char *const commands[] = {"sh -c 'exec $OPEVO_WORKER cpu'", sound_command};
    opevo_objective *objective = open_on("cuda:0", commands, 2);
    arrivals found = {.count = 0};

    any_faulty = false;
    CHECK_OK(measure(objective, &found, &err));
    check_all(&found);
    check_worker(objective, "measures on cpu, not on cuda");
    opevo_objective_destroy(objective);
    objective = open_on("cuda:0", commands, 1);
    found.count = 0;
    CHECK_FAILS(OPEVO_IO, "measures on cpu, not on cuda", measure(objective, &found, &err));
    assert_int_equal(found.count, 0);
    opevo_objective_destroy(objective);
}

/* The kernel without a fault itself, compiled and run thread by thread; then other ones: with
 * other numbers, and one that no compiler takes. */
CHECK_TEST(test_kernel)
{
    static const struct {
        const char *device, *edit, *words;
    } cases[] = {
        {"cuda:0", NULL, NULL},
        {"hip:1", NULL, NULL},
        {"cuda:0", "threadIdx.x + 1|threadIdx.x + 2", "computes what is wrong"},
        {"hip:0", "threadIdx.x + 1;|threadIdx.x + ;", "a kernel without a fault is not compiled"},
    };

    setenv("FAKE_GPU_PROBE", "1", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *objective = open_on(cases[i].device, NULL, 0);
        opevo_index point = 0;
        opevo_outcome outcome;

        if (cases[i].edit)
            setenv("FAKE_GPU_EDIT", cases[i].edit, 1);
        if (cases[i].words) {
            CHECK_FAILS(OPEVO_FAULT, cases[i].words,
                        opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        } else {
            CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
            assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        }
        unsetenv("FAKE_GPU_EDIT");
        opevo_objective_destroy(objective);
    }
    unsetenv("FAKE_GPU_PROBE");
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    snprintf(sick_path, sizeof sick_path, "%s/sick", cache_folder);
    snprintf(sick_command, sizeof sick_command,
             "env FAKE_GPU_SICK=%s sh -c 'exec $OPEVO_WORKER cuda:0'", sick_path);
    snprintf(late_command, sizeof late_command,
             "sh -c 'until [ -e %s ]; do sleep 0.02; done; exec $OPEVO_WORKER cuda:1'", sick_path);
    return cache_folder_remove(check_tests(NULL, NULL));
}
