/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measuring by OpenCL, on the first device of the machine, which in tests is PoCL: what becomes of
 * kernels that are right, wrong, endless, too large or deadly; how devices are named; and kernels
 * of templates and sketches, checked against the reference. */

#include "cache_folder.h"
#include "points.h"
#include "zoo.h"

#include <opevo/computation_named.h>
#include <opevo/random.h>
#include <opevo/sketch.h>
#include <opevo/template.h>
#include <opevo/worker.h>

#include <stdlib.h>

#define PRODUCT                                                                                    \
    "for (int i = get_global_id(0); i < 48 * 40; i += get_global_size(0)) {\n"                     \
    "  float s = 0; for (int k = 0; k < 32; k++) s += a[i / 40 * 32 + k] * b[k * 40 + i % 40];\n"  \
    "  c[i] = s; }\n"

/* One row each: the body, whether it is a program of its own, threads of the block, how many
 * kernels, the class, what is said. The others are in one program, which the driver compiles once.
 */
static const struct {
    const char *body;
    bool alone;
    uint32_t threads;
    int more;
    opevo_outcome_class kind;
    const char *message;
} kernels[] = {
    {PRODUCT, false, 64, 0, OPEVO_OUTCOME_OK, NULL},
    {PRODUCT "if (get_global_id(0) == 7) c[7] += 0.01f;", false, 64, 0, OPEVO_OUTCOME_WRONG,
     "the first is C[0, 7]"},
    {PRODUCT "c[48 * 40] = 1;", false, 64, 0, OPEVO_OUTCOME_WRONG, "outside its output"},
    {PRODUCT "c[-1] = 1;", false, 64, 0, OPEVO_OUTCOME_WRONG, "outside its output"},
    {"c[0] = a[0];", false, 64, 0, OPEVO_OUTCOME_WRONG, "1920 of 1920 elements are wrong"},
    {"((__global float *)a)[0] = 1; " PRODUCT, false, 64, 0, OPEVO_OUTCOME_WRONG, "are wrong"},
    {"no kernel at all", true, 64, 0, OPEVO_OUTCOME_BUILD_ERROR, "error: "},
    {"__local float m[1 << 24]; m[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "c[get_local_id(0)] = m[get_local_id(0) ^ 1];",
     true, 64, 0, OPEVO_OUTCOME_BUILD_ERROR, "local memory"},
    {PRODUCT, true, 1 << 20, 0, OPEVO_OUTCOME_LAUNCH_ERROR, "CL_INVALID_WORK_"},
    {PRODUCT, false, 64, 1, OPEVO_OUTCOME_LAUNCH_ERROR, "it has no function with that name"},
    {PRODUCT "*(volatile __global float *)(c + (1UL << 42)) = 1;", false, 64, 0,
     OPEVO_OUTCOME_CRASHED, "the kernel got a fatal signal"},
    {"while (a[0] == a[0]) *(volatile __global float *)c += 1;", false, 64, 0,
     OPEVO_OUTCOME_TIMEOUT, "took longer"},
    {"/* after both */ " PRODUCT, false, 64, 0, OPEVO_OUTCOME_OK, NULL},
};
enum { COUNT = sizeof kernels / sizeof *kernels };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    (void)refused;
    (void)why;
    zoo_of_one_block(out, self->dialect, kernels[(size_t)point].threads, 0);
    snprintf(out->entry, sizeof out->entry, "product_%zu", (size_t)point);
    out->more = kernels[(size_t)point].more;
    for (size_t i = 0; i < COUNT; i++) {
        if (i == (size_t)point || (!kernels[i].alone && !kernels[(size_t)point].alone))
            opevo_text_printf(&out->source,
                              "__kernel void product_%zu(__global const float *a, __global const "
                              "float *b, __global float *c)\n{\n%s\n}\n",
                              i, kernels[i].body);
    }
    return opevo_text_check(&out->source, err);
}

static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};

static opevo_objective *open_kernels(const char *device)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    zoo *maker =
        zoo_create(&ops, "opencl",
                   "{\"which\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, "
                   "9, 10, 11, 12]}}",
                   (opevo_operator){.kind = OPEVO_MATMUL, .n = ZOO_N, .k = ZOO_K, .m = ZOO_M});

    maker->super.dialect = OPEVO_KERNEL_OPENCL;
    options.device = device;
    options.run_limit_s = 1;
    options.repeat_s = 0.05;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

CHECK_TEST(test_kernels)
{
    opevo_objective *objective = open_kernels("opencl:0");
    opevo_index points[COUNT];
    opevo_outcome outcomes[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, COUNT, outcomes, &err));
    for (size_t i = 0; i < COUNT; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";

        if (outcomes[i].kind != kernels[i].kind ||
            (kernels[i].message && !strstr(said, kernels[i].message)))
            fail_msg("%s: %s (%s)", kernels[i].body, opevo_outcome_name(outcomes[i].kind), said);
    }
    opevo_objective_destroy(objective);
}

/* ---- Names ---------------------------------------------------------------------------------- */

typedef struct device {
    char platform[64], title[160];
    size_t count;
    unsigned cores;
} device;

static void note_device(void *context, const opevo_hardware *row)
{
    device *self = context;

    if (strncmp(row->name, "opencl:", 7) != 0 || !row->present)
        return;
    if (self->count++ == 0) {
        snprintf(self->title, sizeof self->title, "%s", row->title);
        snprintf(self->platform, sizeof self->platform, "%.*s", (int)strcspn(row->facts, ","),
                 row->facts);
        self->cores = row->cores;
        assert_true(row->cores > 0 && row->memory_bytes > 0);
    }
}

static device find_device(void)
{
    device found = {.count = 0};

    opevo_hardware_list(note_device, &found);
    return found;
}

static void check_named(const char *name, const char *failure)
{
    opevo_objective *objective = open_kernels(name);
    opevo_index point = 0;
    opevo_outcome outcome;

    if (failure) {
        CHECK_FAILS(OPEVO_FAULT, failure,
                    opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    } else {
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    }
    opevo_objective_destroy(objective);
}

/* A number, two of them, or a part of the name. */
CHECK_TEST(test_names)
{
    device first = find_device();
    char name[200];
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;

    check_named(first.platform, NULL);
    if (first.count == 1) {
        snprintf(name, sizeof name, "opencl:%s", first.title);
        check_named(name, NULL);
    }
    check_named("opencl:63", "devices, numbered from 0");
    check_named("opencl:15.0", "devices have this in their name");
    check_named("opencl:no such device", "0 of ");
    CHECK_FAILS(OPEVO_INVALID, "give cpu, cuda:N", opevo_live_dialect("opencl", &dialect, &err));
    CHECK_FAILS(OPEVO_INVALID, "give cpu, cuda:N", opevo_live_dialect("opencl:", &dialect, &err));
    CHECK_OK(opevo_live_dialect("opencl:PoCL", &dialect, &err));
    assert_int_equal(dialect, OPEVO_KERNEL_OPENCL);
}

/* ---- Templates and sketches ----------------------------------------------------------------- */

/* Points of a maker, the start first where there is one, are right, or break a rule; takes the
 * maker. Returns how many were right. */
static size_t check_points(opevo_kernel_maker *maker, size_t count, uint64_t seed)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index points[16];
    opevo_outcome outcomes[16];
    opevo_rng rng;
    size_t right = 0;
    char name[64];

    snprintf(name, sizeof name, "%s", maker->name);
    opevo_rng_init(&rng, seed, "opencl", 0);
    for (size_t i = 0; i < count; i++) {
        do
            points[i] = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
        while (!opevo_space_allows(maker->space, points[i]));
    }
    options.device = "opencl:0";
    options.repeat_s = 0.01;
    options.build_limit_s = 120;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    if (objective->starts && objective->starts->count)
        points[0] = objective->starts->points[0].point;
    CHECK_OK(opevo_objective_evaluate(objective, points, count, outcomes, &err));
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i].kind != OPEVO_OUTCOME_OK && outcomes[i].kind != OPEVO_OUTCOME_REJECTED)
            fail_msg("%s: point %zu: %s (%s)", name, i, opevo_outcome_name(outcomes[i].kind),
                     outcomes[i].message);
        right += outcomes[i].kind == OPEVO_OUTCOME_OK;
    }
    opevo_objective_destroy(objective);
    return right;
}

CHECK_TEST(test_templates)
{
    static const char *const operators[] = {"matmul(12,8,20)", "batch_matmul(2,6,8,10,NT)",
                                            "conv2d(1,3,8,8,4,3,3,1,1)"};
    size_t right = 0;

    for (size_t t = 0; t < opevo_template_count(); t++) {
        const opevo_template_info *info = opevo_template_get(t);

        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
            opevo_operator op;
            opevo_kernel_maker *maker = NULL;

            CHECK_OK(opevo_operator_parse(operators[i], &op, &err));
            if (!(info->dialects >> OPEVO_KERNEL_OPENCL & 1) || !(info->kinds >> op.kind & 1) ||
                (op.kind != OPEVO_CONV2D && !test_takes(t, i, 2)))
                continue;
            CHECK_OK(opevo_template_open(&op, info->name, OPEVO_KERNEL_OPENCL, &maker, &err));
            right += check_points(maker, test_size(1, 16), t);
        }
    }
    assert_true(right >= test_size(2, 4));
}

CHECK_TEST(test_sketches)
{
    static const char *const computations[] = {
        "matmul(12,8,20)",
        "matmul(32,48,64,NT)",
        "softmax(5,33)",
        "conv2d(1,3,8,8,4,3,3,1,1)",
        "C[i:13, j:9] = exp(tanh(A[i, j])) + sqrt(max(B[j, i], 0))",
        "float16 A[i:6, k:10]; float16 C[i, j:7] = sum(k) A[i, k]*B[k, j]",
        "int8 A[i:6, k:10]; int8 B[k, j:7]; int32 C[i, j] = sum(k) A[i, k]*B[k, j]"};
    const opevo_sketch_target targets[] = {
        {.dialect = OPEVO_KERNEL_OPENCL, .cores = 1, .threads = 1},
        {.dialect = OPEVO_KERNEL_OPENCL_CPU, .cores = 2, .threads = 2}};

    for (size_t i = 0; i < sizeof computations / sizeof *computations; i++) {
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            opevo_computation *computation = NULL;
            opevo_kernel_maker *maker = NULL;

            if (!test_takes(i, t, sizeof targets / sizeof *targets))
                continue;
            CHECK_OK(opevo_computation_read(computations[i], &computation, &err));
            CHECK_OK(opevo_sketches_open(computation, &targets[t], &maker, &err));
            assert_true(check_points(maker, test_size(1, 16), i) > 0);
        }
    }
}

/* What sketches are for on the device: on a CPU schedules for one, with its compute units. */
CHECK_TEST(test_sketch_dialect)
{
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
    unsigned threads = 0;

    CHECK_OK(opevo_live_sketch_dialect("cpu", &dialect, &threads, &err));
    assert_int_equal(dialect, OPEVO_KERNEL_C);
    assert_int_equal(threads, 1);
    CHECK_OK(opevo_live_sketch_dialect("opencl:63", &dialect, &threads, &err));
    assert_int_equal(dialect, OPEVO_KERNEL_OPENCL);
    assert_int_equal(threads, 1);
    CHECK_OK(opevo_live_sketch_dialect("opencl:0", &dialect, &threads, &err));
    assert_true(dialect == OPEVO_KERNEL_OPENCL ? threads == 1 : threads == find_device().cores);
}

int main(void)
{
    if (find_device().count == 0) {
        fprintf(stderr, "skipped: no OpenCL device: install pocl-opencl-icd\n");
        return 77;
    }
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
