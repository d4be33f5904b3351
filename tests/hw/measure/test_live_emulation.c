/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that templates and sketches emit in CUDA and HIP, by a worker against a driver and a
 * compiler that run them on the processor (fake_gpu.c, fake_kernel.c): they are built, launched,
 * checked and timed as on a device, and wrong ones are rejected. No GPU is needed.
 * OPEVO_TEST_POINTS raises the number of points. */

#include "cache_folder.h"
#include "fake_folder.h"
#include "measured_points.h"
#include "zoo.h"

#include <opevo/computation_named.h>
#include <opevo/random.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { POINTS = 3 };

static const struct {
    const char *name;
    opevo_kernel_dialect dialect;
} devices[] = {{"cuda:0", OPEVO_KERNEL_CUDA}, {"hip:0", OPEVO_KERNEL_HIP}};
enum { DEVICES = 2 };

static opevo_objective *open_on(int device, opevo_kernel_maker *maker)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    maker->dialect = devices[device].dialect;
    options.device = devices[device].name;
    options.build_limit_s = 600;
    options.run_limit_s = 600;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    return objective;
}

/* Kernels of a template; of sketches where that is NULL. */
static opevo_objective *open_kernels(int device, const char *form, const char *template_name)
{
    const opevo_sketch_target target = {
        .dialect = devices[device].dialect, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_operator op;

    if (template_name) {
        CHECK_OK(opevo_operator_parse(form, &op, &err));
        CHECK_OK(opevo_template_open(&op, template_name, target.dialect, &maker, &err));
    } else {
        CHECK_OK(opevo_computation_read(form, &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    }
    return open_on(device, maker);
}

/* ---- Right kernels ---- */

/* One row each: what is computed, and the template. Shared memory, vectors, several launches with
 * scratch memory between them, edges of tiles, and all types of elements occur. */
static const struct {
    const char *form, *template_name;
} rows[] = {
    {"matmul(48,32,40)", "paper"},
    {"matmul(17,31,12,TT)", "tiled"},
    {"batch_matmul(3,17,32,6,NT)", "paper"},
    {"conv2d(1,4,13,13,6,5,5,4,0)", "paper"},
    {"conv2d(2,3,11,11,8,3,3,1,1)", "tiled"},
    {"matmul(48,32,40)", NULL},
    {"matmul(3,200,5)", NULL},
    {"softmax(6,70)", NULL},
    {"layer-norm(5,70)", NULL},
    {"conv-layer(1,9,7,3,11,3,1,1)", NULL},
    {"float16 A[i:17, k:32]; float16 B[k, j:24]; float16 C[i, j] = sum(k) A[i, k]*B[k, j]", NULL},
    {"bfloat16 A[i:16, k:32]; bfloat16 B[k, j:24]; bfloat16 C[i, j] = sum(k) A[i, k]*B[k, j]",
     NULL},
    {"int8 A[i:16, k:32]; int8 B[k, j:24]; int32 C[i, j] = sum(k) A[i, k]*B[k, j]", NULL},
};

static void check_kernels(int device, const char *form, const char *template_name)
{
    opevo_objective *objective = open_kernels(device, form, template_name);
    int wanted = points_wanted(POINTS);
    char name[256];

    snprintf(name, sizeof name, "%s %s on %s", form, template_name ? template_name : "sketch",
             devices[device].name);
    assert_true(measure_points(objective, wanted, name) >= wanted);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_right)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int device = 0; device < DEVICES; device++) {
            if (test_takes(i, (size_t)device, DEVICES))
                check_kernels(device, rows[i].form, rows[i].template_name);
        }
    }
}

/* Threads in the other order. */
CHECK_TEST(test_reversed)
{
    setenv("NET_REVERSED", "1", 1);
    check_kernels(0, "matmul(48,32,40)", "paper");
    check_kernels(1, "matmul(48,32,40)", NULL);
    unsetenv("NET_REVERSED");
}

/* ---- Spoilt kernels ---- */

/* One row each: what the compiler takes for what, and the class that all kernels of the paper's
 * template end in. Objects of one row must not serve the next: each has a seed of operands and a
 * cache of its own. */
static const struct {
    const char *edit;
    opevo_outcome_class kind;
    const char *message;
} spoilt[] = {
    {"__syncthreads();|", OPEVO_OUTCOME_WRONG, "elements are wrong"},
    {" += | -= ", OPEVO_OUTCOME_WRONG, "elements are wrong"},
    {"__syncthreads();|if (threadIdx.x) return;", OPEVO_OUTCOME_WRONG, "elements are wrong"},
    {"__syncthreads();|if (threadIdx.x) __syncthreads();", OPEVO_OUTCOME_CRASHED, "error 719"},
    {"__syncthreads();|*(volatile int *)8 = 1;", OPEVO_OUTCOME_CRASHED,
     "error 700 (an illegal memory access)"},
    {"__syncthreads();|static float4 x[2]; ((volatile float4 *)(void *)&x[0].y)->x = 1;",
     OPEVO_OUTCOME_CRASHED, "error 700"},
    {"__syncthreads();|static volatile float x[2]; x[threadIdx.x + 2] += 1;", OPEVO_OUTCOME_CRASHED,
     "error 700"},
    {"__syncthreads();|no_such_function();", OPEVO_OUTCOME_BUILD_ERROR, "no_such_function"},
    {"const float |int ", OPEVO_OUTCOME_BUILD_ERROR, "error"},
};

CHECK_TEST(test_spoilt)
{
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        for (int device = 0; device < DEVICES; device++) {
            char folder[sizeof cache_folder + 32];
            opevo_objective *objective = NULL;
            opevo_index points[2];
            opevo_outcome outcomes[2];
            opevo_rng rng;

            if (!test_takes(i, (size_t)device, DEVICES))
                continue;
            snprintf(folder, sizeof folder, "%s/spoilt-%zu-%d", cache_folder, i, device);
            assert_int_equal(mkdir(folder, 0700), 0);
            setenv("XDG_CACHE_HOME", folder, 1);
            setenv("FAKE_GPU_EDIT", spoilt[i].edit, 1);
            objective = open_kernels(device, "matmul(48,32,40)", "paper");
            opevo_rng_init(&rng, 1, "points", 0);
            draw_points(&rng, objective->space, points, 2);
            CHECK_OK(opevo_objective_evaluate(objective, points, 2, outcomes, &err));
            for (int k = 0; k < 2; k++) {
                const char *said = outcomes[k].message ? outcomes[k].message : "";

                if (outcomes[k].kind != OPEVO_OUTCOME_REJECTED &&
                    (outcomes[k].kind != spoilt[i].kind || !strstr(said, spoilt[i].message)))
                    fail_msg("%s on %s: %s (%s)", spoilt[i].edit, devices[device].name,
                             opevo_outcome_name(outcomes[k].kind), said);
            }
            opevo_objective_destroy(objective);
        }
    }
    unsetenv("FAKE_GPU_EDIT");
    setenv("XDG_CACHE_HOME", cache_folder, 1);
}

/* ---- Launches that a device refuses ---- */

enum {
    FINE = OPEVO_OUTCOME_OK,
    UNBUILT = OPEVO_OUTCOME_BUILD_ERROR,
    REFUSED = OPEVO_OUTCOME_LAUNCH_ERROR
};

/* One row each: floats of static shared memory, launch bounds, threads along an axis, bytes of
 * dynamic shared memory, and for CUDA and HIP the class, and what its message says. */
static const struct {
    uint32_t floats, bounds, threads;
    char axis;
    uint32_t dynamic_bytes;
    int kind[DEVICES];
    const char *message;
} launches[] = {
    {64, 64, 64, 'x', 0, {FINE, FINE}, ""},
    {64, 1024, 1024, 'x', 0, {FINE, FINE}, ""},
    {64, 1025, 1025, 'x', 0, {REFUSED, REFUSED}, "error 1 "},
    {64, 64, 65, 'x', 0, {REFUSED, REFUSED}, "error 701 "},
    {64, 64, 64, 'z', 0, {FINE, FINE}, ""},
    {64, 65, 65, 'z', 0, {REFUSED, FINE}, "error 1 "},
    {12 << 10, 64, 64, 'x', 0, {FINE, FINE}, ""},
    {13 << 10, 64, 64, 'x', 0, {UNBUILT, FINE}, "too much shared data"},
    {17 << 10, 64, 64, 'x', 0, {UNBUILT, UNBUILT}, "too much shared data"},
    {64, 64, 64, 'x', 60 << 10, {FINE, FINE}, ""},
    {64, 64, 64, 'x', 99 << 10, {FINE, REFUSED}, "error 1 "},
    {64, 64, 64, 'x', 101 << 10, {REFUSED, REFUSED}, "error 1 "},
    {8 << 10, 64, 64, 'x', 40 << 10, {REFUSED, REFUSED}, "error 1 "},
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    size_t i = (size_t)point;

    zoo_of_one_block(out, self->dialect, launches[i].threads, launches[i].dynamic_bytes);
    if (launches[i].axis == 'z') {
        out->block[0] = 1;
        out->block[2] = launches[i].threads;
    }
    opevo_text_printf(
        &out->source,
        "extern \"C\" __global__ void __launch_bounds__(%u)\n"
        "kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)\n"
        "{\n"
        "    __shared__ __align__(16) float row[%u];\n"
        "    const int v = threadIdx.%c;\n"
        "    for (int i = v; i < 48; i += %u) {\n"
        "        for (int j = 0; j < 40; j++) {\n"
        "            row[v] = 0;\n"
        "            for (int k = 0; k < 32; k++)\n"
        "                row[v] += a[32 * i + k] * b[40 * k + j];\n"
        "            c[40 * i + j] = row[v];\n"
        "        }\n"
        "    }\n"
        "}\n",
        launches[i].bounds, launches[i].floats, launches[i].axis, launches[i].threads);
    return opevo_text_check(&out->source, err);
}

static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};

CHECK_TEST(test_launches)
{
    for (int device = 0; device < DEVICES; device++) {
        zoo *maker = zoo_create(&ops, "launches",
                                "{\"which\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, "
                                "5, 6, 7, 8, 9, 10, 11, 12]}}",
                                (opevo_operator){.kind = OPEVO_MATMUL, .n = 48, .k = 32, .m = 40});
        opevo_objective *objective = open_on(device, &maker->super);
        opevo_index points[LAUNCHES];
        opevo_outcome outcomes[LAUNCHES];

        for (size_t i = 0; i < LAUNCHES; i++)
            points[i] = i;
        CHECK_OK(opevo_objective_evaluate(objective, points, LAUNCHES, outcomes, &err));
        for (size_t i = 0; i < LAUNCHES; i++) {
            const char *said = outcomes[i].message ? outcomes[i].message : "";

            if ((int)outcomes[i].kind != launches[i].kind[device] ||
                (outcomes[i].kind != OPEVO_OUTCOME_OK && !strstr(said, launches[i].message)))
                fail_msg("launch %zu on %s: %s (%s)", i, devices[device].name,
                         opevo_outcome_name(outcomes[i].kind), said);
        }
        opevo_objective_destroy(objective);
    }
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
