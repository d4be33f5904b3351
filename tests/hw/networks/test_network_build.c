/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries built by the one call of libopevo: the options that it refuses with nothing written,
 * and a model tuned on this CPU, whose second build takes all trials from the store. */

#include <opevo/network_build.h>
#include <opevo/tuners.h>

#include "../../evo/scratch_folder.h"
#include "../cache_folder.h"
#include "network_models.h"

#include <sys/stat.h>

enum { TRIALS = 5 };

static const char *model_path; /* Gemm and Relu of an input whose first extent is open */

static bool exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

static int make_model(void **test)
{
    static model made;
    const int64_t input[] = {0, 3}, weights[] = {3, 5};
    uint64_t state = 5;

    model_start(&made);
    add_input(&made, "x", 2, input);
    add_weights(&made, "w", 2, weights, -1, 1, &state);
    add_node(&made, "Gemm", "x w", "g");
    add_node(&made, "Relu", "g", "y");
    set_output(&made, "y");
    model_path = model_write(&made);
    return 0;
}

static const char *const shapes[] = {"x=2,3"};

static opevo_network_build_options on_cpu(void)
{
    return (opevo_network_build_options){
        .shapes = shapes, .shape_count = 1, .threads = 1, .seed = 1};
}

CHECK_TEST(refused_options)
{
    static const char *const text[] = {"x=2,3", "x=2,3"}, *const setting[] = {"lambda=no"},
                             *const worker[] = {"sh -c true"};
    const struct {
        const char *words;
        opevo_network_build_options options;
    } rows[] = {
        {"gpu:0: give cpu, cuda:N, hip:N or opencl:N", {.device = "gpu:0"}},
        {"unknown pass 'blocks'", {.without = "blocks"}},
        {"error is for the pass winograd", {.error = 1e-3, .without = "winograd"}},
        {"error is for the pass winograd", {.error = 1e-3, .device = "cuda:0"}},
        {"seconds is -1", {.seconds = -1}},
        {"run_limit_s is nan", {.run_limit_s = NAN}},
        {"x is given twice", {.shapes = text, .shape_count = 2}},
        {"threads is 0", {.workers = worker, .worker_count = 1, .trials = TRIALS}},
        {"freestanding excludes", {.freestanding = true, .device = "cuda:0"}},
        {"freestanding excludes", {.freestanding = true, .threads = 2}},
        {"freestanding excludes", {.freestanding = true, .trials = TRIALS}},
        {"freestanding excludes", {.freestanding = true, .seconds = 1}},
        {"freestanding excludes", {.freestanding = true, .error = 1e-3}},
        {"freestanding excludes", {.freestanding = true, .targets = "v2"}},
        {"name", {.name = "2nd"}},
        {"\"v9\" is not a target", {.targets = "v2,v9"}},
        {"targets are of CPUs", {.targets = "v2", .device = "cuda:0"}},
        {"lambda", {.trials = TRIALS, .settings = setting, .setting_count = 1}},
        {"at most 100", {.trials = TRIALS, .finals = 101}},
        {"too few", {.trials = TRIALS, .without = "fuse", .shapes = shapes, .shape_count = 1}},
    };
    opevo_network_built built = {.kernels = 77};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_network_build_options options = rows[i].options;

        if (!options.shape_count) {
            options.shapes = shapes;
            options.shape_count = 1;
        }
        if (strcmp(rows[i].words, "too few") == 0)
            options.trials = 1;
        CHECK_FAILS(OPEVO_INVALID, rows[i].words,
                    opevo_network_build(model_path, "library", &options, &built, &err));
        assert_false(exists("library"));
        assert_int_equal(built.kernels, 77);
    }
}

/* An option that this libopevo does not know, and files that others wrote. */
CHECK_TEST(refused_calls)
{
    struct {
        opevo_network_build_options known;
        int later;
    } newer = {.known = on_cpu(), .later = 1};
    opevo_network_build_options options = on_cpu();
    scratch_folder folder = scratch_make();
    opevo_network_built built;
    char file[64];

    CHECK_FAILS(OPEVO_INVALID, "opevo_network_build_options has a member",
                opevo_network_build_sized(model_path, folder.path, &newer.known, sizeof newer,
                                          &built, &err));
    CHECK_FAILS(OPEVO_INVALID, "The size of opevo_network_build_options is 0",
                opevo_network_build_sized(model_path, folder.path, &options, 0, &built, &err));
    snprintf(file, sizeof file, "%s/Makefile", folder.path);
    fclose(fopen(file, "w"));
    CHECK_FAILS(OPEVO_INVALID, "was not written by opevo",
                opevo_network_build(model_path, folder.path, &options, &built, &err));
    CHECK_FAILS(OPEVO_IO, "none.onnx",
                opevo_network_build("none.onnx", "library", &options, &built, &err));
    assert_false(exists("library"));
    scratch_remove(&folder);
}

CHECK_TEST(untuned)
{
    opevo_network_build_options options = on_cpu();
    scratch_folder folder = scratch_make();
    opevo_network_built built;
    char file[64];

    options.name = "mine";
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(built.kernels, 1); /* Gemm and Relu are one */
    assert_true(built.weight_bytes >= 15 * 4 && built.arena_bytes == built.peak_bytes);
    assert_int_equal(built.trials + built.tuned + built.known, 0);
    assert_true(isnan(built.latency_s));
    snprintf(file, sizeof file, "%s/mine.h", folder.path);
    assert_true(exists(file));
    options.without = "fuse";
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(built.kernels, 2);
    options.targets = "aarch64,v3";
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(built.kernels, 2);
    snprintf(file, sizeof file, "%s/kernel_aarch64_001.c", folder.path);
    assert_true(exists(file));
    options.targets = NULL;
    options.device = "cuda:0";
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(built.kernels, 2);
    assert_false(exists(file));
    options.device = NULL;
    options.freestanding = true;
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(built.packed_bytes, 0);
    snprintf(file, sizeof file, "%s/weights.c", folder.path);
    assert_true(exists(file));
    scratch_remove(&folder);
}

typedef struct seen {
    uint64_t trials, resumed;
    double latency_s;
} seen;

static void observe(void *context, const opevo_network_trial *trial)
{
    seen *self = context;

    assert_int_equal(trial->trials, ++self->trials);
    assert_string_equal(trial->task, "Gemm+Relu (0)");
    assert_int_equal(trial->tasks, 1);
    assert_int_equal(trial->known, trial->latency_s > 0);
    self->resumed += trial->resumed;
    if (self->latency_s > 0 && trial->latency_s > self->latency_s)
        fail_msg("the best latency %g s became %g s", self->latency_s, trial->latency_s);
    self->latency_s = trial->latency_s;
}

CHECK_TEST(tuned)
{
    opevo_network_build_options options = on_cpu();
    scratch_folder folder = scratch_make(), stores = scratch_make();
    opevo_network_built built, again;
    seen first = {0}, second = {0};

    CHECK_OK(opevo_store_open(stores.file, OPEVO_STORE_WRITE, &options.store, &err));
    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    options.trials = TRIALS;
    options.finals = 2;
    options.rounds = 2;
    options.observer = observe;
    options.observer_context = &first;
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &built, &err));
    assert_int_equal(first.trials, TRIALS);
    assert_int_equal(built.trials, TRIALS);
    assert_int_equal(built.resumed + first.resumed, 0);
    assert_int_equal(built.kernels, 1);
    assert_int_equal(built.tuned, 1);
    assert_int_equal(built.known, 1);
    assert_true(built.latency_s > 0 && !built.interrupted);
    options.observer_context = &second;
    CHECK_OK(opevo_network_build(model_path, folder.path, &options, &again, &err));
    assert_int_equal(second.resumed, TRIALS);
    assert_int_equal(again.resumed, TRIALS);
    assert_true(again.latency_s == built.latency_s);
    opevo_store_close(options.store);
    scratch_remove(&folder);
    scratch_remove(&stores);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(make_model, remove_model));
}
