/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a user in files of a test's folder, and what becomes of their points. */

#ifndef OPEVO_TESTS_OWN_FIXTURE_H
#define OPEVO_TESTS_OWN_FIXTURE_H

#include "cache_folder.h"
#include "check.h"

#include <opevo/file.h>
#include <opevo/live.h>
#include <opevo/own_kernels.h>
#include <opevo/space.h>
#include <opevo/worker.h>

#include <stdlib.h>
#include <unistd.h>

static inline const char *own_path(const char *name)
{
    static char paths[4][4200];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", cache_folder, name);
    return path;
}

static inline void own_write(const char *name, const char *text)
{
    CHECK_OK(opevo_file_write(own_path(name), text, strlen(text), &err));
}

/* The maker of a source and a harness with the space of one parameter "p" of values 0, 1, ..., or
 * of a text. */
static inline opevo_status own_maker(const char *source_name, const char *source,
                                     const char *harness, const char *space_text,
                                     opevo_kernel_maker **out, opevo_error *err)
{
    const opevo_own_files files = {.source = own_path(source_name),
                                   .harness = own_path("harness.json")};
    opevo_kernel_dialect language = OPEVO_KERNEL_C;
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;

    own_write(source_name, source);
    own_write("harness.json", harness);
    assert_true(opevo_own_language(source_name, &language));
    status = opevo_space_parse(space_text, "space.json", NULL, &space, err);
    return status == OPEVO_OK ? opevo_own_kernels_open(&files, language, language == OPEVO_KERNEL_C,
                                                       1, space, out, err)
                              : status;
}

static inline opevo_status own_open(const char *device, const char *source_name, const char *source,
                                    const char *harness, const char *space_text,
                                    opevo_objective **out, opevo_error *err)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_status status = own_maker(source_name, source, harness, space_text, &maker, err);

    options.device = device;
    options.build_limit_s = 300; /* elapsed, also where cores are busy */
    options.run_limit_s = 2;
    options.repeat_s = 0.01;
    return status == OPEVO_OK ? opevo_live_open(maker, &options, out, err) : status;
}

/* Whether kernels run in the interpreter: its worker is beside the other one, and clang is there.
 * */
static inline bool own_has_interpreter(void)
{
    const char *worker = getenv("OPEVO_WORKER");
    char path[4096];

    snprintf(path, sizeof path, "%s-simt", worker ? worker : "");
    return access(path, X_OK) == 0 && system("command -v clang-19 >/dev/null") == 0;
}

static inline void own_note_opencl(void *context, const opevo_hardware *row)
{
    if (row->present && !strncmp(row->name, "opencl:", 7))
        *(bool *)context = true;
}

static inline bool own_has_opencl(void)
{
    bool has = false;

    opevo_hardware_list(own_note_opencl, &has);
    return has;
}

/* What becomes of a point, and words of its message; NULL: any. */
typedef struct own_expected {
    opevo_outcome_class kind;
    const char *words;
} own_expected;

/* Points 0, 1, ... */
static inline void own_check(const char *name, opevo_objective *objective,
                             const own_expected *expected, size_t count)
{
    opevo_index points[32];
    opevo_outcome outcomes[32];
    int failures = 0;

    for (size_t i = 0; i < count; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, count, outcomes, &err));
    for (size_t i = 0; i < count; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";

        if (outcomes[i].kind == expected[i].kind &&
            (!expected[i].words || strstr(said, expected[i].words)))
            continue;
        print_error(
            "%s %zu: %s (%s), expected %s (%s)\n", name, i, opevo_outcome_name(outcomes[i].kind),
            said, opevo_outcome_name(expected[i].kind), expected[i].words ? expected[i].words : "");
        failures++;
    }
    assert_int_equal(failures, 0);
}

/* A template whose argument is the parameter "times", of the same name, which is then no macro.
 * Instance 3 is wrong by itself. */
static inline void own_check_template(const char *device, const char *name, const char *source)
{
    static const char harness[] =
        "{\"buffers\": {\"in\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "
        "1]}}, \"out\": {\"type\": \"f32\", \"count\": \"n\"}},"
        "\"steps\": [{\"launch\": \"scale<times, 8>\", \"grid\": \"ceil(n, 8)\", \"block\": 8, "
        "\"arguments\": [\"in\", \"out\", {\"i32\": \"n\"}]}],"
        "\"outputs\": {\"out\": \"exact\"}, \"macros\": false, \"reference\": {\"file\": "
        "\"scale.c\", \"steps\": [{\"call\": \"scale\", \"arguments\": [\"in\", \"out\", {\"i32\": "
        "\"n\"}]}]}, \"tune\": {\"sizes\": {\"n\": 50}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "of out"}};
    opevo_objective *objective = NULL;

    own_write("scale.c", "void scale(const float *in, float *out, int n)\n{\n"
                         "    for (int i = 0; i < n; i++)\n        out[i] = 2 * in[i];\n}\n");
    CHECK_OK(own_open(device, name, source, harness,
                      "{\"times\": {\"_type\": \"discrete\", \"_value\": [2, 3]}}", &objective,
                      &err));
    own_check(device, objective, expected, 2);
    opevo_objective_destroy(objective);
}

/* A kernel that reads variables of its module, which buffers fill: one of constants, and one that
 * it changes, so that each execution needs it anew. `variable` is the name of the first in the
 * harness; WHICH is 0 for a right one. */
static inline opevo_status own_open_variables(const char *device, const char *name,
                                              const char *variable, opevo_objective **out,
                                              opevo_error *err)
{
    static const char source[] =
        "__constant__ float weights[3];\n"
        "__device__ int turn[1];\n"
        "extern \"C\" __global__ void __launch_bounds__(8) weigh(const float *in, float *out, int "
        "n)\n{\n"
        "    int i = blockIdx.x * 8 + threadIdx.x;\n"
        "    if (i < n)\n        out[i] = weights[1 + (WHICH == 1)] * in[i] + turn[0];\n"
        "    __syncthreads();\n"
        "    if (i == 0)\n        turn[0] += 1 + (WHICH == 2);\n"
        "}\n";
    char harness[2000];

    own_write("weigh.c", "void weigh(const float *in, const float *weights, const int *turn, "
                         "float *out, int n)\n{\n"
                         "    for (int i = 0; i < n; i++)\n"
                         "        out[i] = weights[1] * in[i] + turn[0] + 1;\n}\n");
    snprintf(
        harness, sizeof harness,
        "{\"buffers\": {\"in\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": "
        "{\"uniform\": [-1, 1]}},"
        "\"weights\": {\"type\": \"f32\", \"count\": 3, \"fill\": {\"uniform\": [1, 2]}, "
        "\"symbol\": \"%s\"},"
        "\"turn\": {\"type\": \"i32\", \"count\": 1, \"fill\": {\"constant\": 5}, "
        "\"symbol\": \"turn\"},"
        "\"out\": {\"type\": \"f32\", \"count\": \"n\"}},"
        "\"steps\": [{\"repeat\": \"k\", \"count\": 2, \"steps\": [{\"launch\": \"weigh\", "
        "\"grid\": 1, \"block\": 8, \"arguments\": [\"in\", \"out\", {\"i32\": \"n\"}]}]}],"
        "\"outputs\": {\"out\": {\"relative\": 1e-6, \"floor\": 1}}, \"reference\": {\"file\": "
        "\"weigh.c\", \"steps\": [{\"call\": \"weigh\", \"arguments\": [\"in\", "
        "\"weights\", \"turn\", \"out\", {\"i32\": \"n\"}]}]},"
        "\"tune\": {\"sizes\": {\"n\": 7}}}",
        variable);
    return own_open(device, name, source, harness,
                    "{\"WHICH\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2]}}", out, err);
}

static inline void own_check_variables(const char *device, const char *name)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_OK, NULL}, {OPEVO_OUTCOME_WRONG, "of out"}, {OPEVO_OUTCOME_WRONG, "of out"}};
    static const own_expected missing[] = {
        {OPEVO_OUTCOME_LAUNCH_ERROR, "no variable other of at least 12 bytes"}};
    opevo_objective *objective = NULL;

    CHECK_OK(own_open_variables(device, name, "weights", &objective, &err));
    own_check(device, objective, expected, 3);
    opevo_objective_destroy(objective);
    CHECK_OK(own_open_variables(device, name, "other", &objective, &err));
    own_check(device, objective, missing, 1);
    opevo_objective_destroy(objective);
}

/* The problem of Kernel Tuner or KTT with this text, as problem.json. */
static inline opevo_status own_open_problem(const char *text, opevo_kernel_dialect dialect,
                                            const char *device, opevo_objective **out,
                                            opevo_error *err)
{
    opevo_text source = {0}, harness = {0};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;
    char path[4200];
    opevo_status status = OPEVO_OK;

    own_write("problem.json", text);
    snprintf(path, sizeof path, "%s", own_path("problem.json"));
    assert_true(opevo_own_is_t1(path));
    OPEVO_TRY(opevo_own_t1_read(path, &source, &harness, err));
    OPEVO_TRY(opevo_space_load(path, &space, err));
    status = opevo_own_kernels_open(&(opevo_own_files){.source = opevo_text_string(&source),
                                                       .harness = path,
                                                       .text = opevo_text_string(&harness)},
                                    dialect, false, 1, space, &maker, err);
    options.device = device;
    options.build_limit_s = 300;
    if (status == OPEVO_OK)
        status = opevo_live_open(maker, &options, out, err);
cleanup:
    opevo_text_free(&source);
    opevo_text_free(&harness);
    return status;
}

#endif
