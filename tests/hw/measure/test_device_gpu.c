/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The first GPU of this machine: every accepted point of a GPU template computes its operator
 * there, kernels that misbehave end in their class and the next one is measured all the same, and
 * the vendor's library passes the same check. Without a GPU it is skipped. OPEVO_TEST_POINTS raises
 * the number of points for each shape. */

#include "cache_folder.h"
#include "finalists.h"
#include "measured_points.h"
#include "zoo.h"

#include <opevo/random.h>
#include <opevo/template.h>
#include <opevo/worker.h>

static char device[32]; /* "cuda:0" */
static opevo_kernel_dialect dialect;

static void find_device(void *context, const opevo_hardware *row)
{
    bool hip = !strncmp(row->name, "hip:", 4);

    if (!row->present || *device || (!hip && strncmp(row->name, "cuda:", 5) != 0))
        return;
    snprintf(device, sizeof device, "%s", row->name);
    dialect = hip ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA;
    fprintf(stderr, "%s: %s, %s\n", row->name, row->title, row->facts);
}

static opevo_objective *open_on_device(opevo_kernel_maker *maker)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    maker->dialect = dialect;
    options.device = device;
    options.run_limit_s = 1;
    options.build_limit_s = 300; /* whatever else the processor does */
    options.repeat_s = 0.02;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    return objective;
}

/* ---- Templates ------------------------------------------------------------------------------ */

enum { POINTS = 8 };

static void check_template(const char *form, const char *name)
{
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    char what[256];

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_template_open(&op, name, dialect, &maker, &err));
    objective = open_on_device(maker);
    snprintf(what, sizeof what, "%s %s", form, name);
    assert_true(measure_points(objective, points_wanted(POINTS), what) > 0);
    opevo_objective_destroy(objective);
}

static const char *const forms[] = {
    "matmul(16,24,32)",
    "matmul(17,26,37)",
    "matmul(64,48,96,TN)",
    "matmul(36,30,33,NT)",
    "matmul(40,21,50,TT)",
    "batch_matmul(6,12,16,20)",
    "batch_matmul(2,19,6,31,TN)",
    "batch_matmul(4,8,32,48,NT)",
    "matmul(256,256,256)",
    "conv2d(2,3,11,11,8,3,3,1,1)",
    "conv2d(1,4,13,13,6,5,5,4,0)",
    "conv2d(1,5,9,12,7,1,1,2,0)",
    "conv2d(2,4,8,10,9,3,2,2,3)",
};

CHECK_TEST(test_templates)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        check_template(forms[i], "paper");
        check_template(forms[i], "tiled");
    }
}

/* ---- Kernels that misbehave ----------------------------------------------------------------- */

#define HEAD                                                                                       \
    "#define N 48\n#define K 32\n#define M 40\n"                                                   \
    "__device__ static void right(const float *a, const float *b, float *c) {\n"                   \
    "  for (int e = threadIdx.x; e < N * M; e += blockDim.x) { float s = 0;\n"                     \
    "    for (int k = 0; k < K; k++) s += a[e / M * K + k] * b[k * M + e % M]; c[e] = s; } }\n"    \
    "extern \"C\" __global__ void kernel(const float *a, const float *b, float *c) {\n"

/* One row each: body, threads of its block, dynamic shared memory,
 * the class that it must end in. */
static const struct {
    const char *body;
    uint32_t threads, shared_bytes;
    opevo_outcome_class kind;
} zoo_of_gpu[] = {
    {"right(a, b, c);", 64, 0, OPEVO_OUTCOME_OK},
    {"right(a, b, c); if (!threadIdx.x) c[777] += 0.01f;", 32, 0, OPEVO_OUTCOME_WRONG},
    {"right(a, b, c); __syncthreads(); volatile float *v = c; for (;;) v[0] = 1;", 64, 0,
     OPEVO_OUTCOME_TIMEOUT},
    {"right(a, b, c); (void)1;", 64, 0, OPEVO_OUTCOME_OK},
    {"right(a, b, c); c[1LL << 40] = 0;", 64, 0, OPEVO_OUTCOME_CRASHED},
    {"right(a, b, c); (void)2;", 64, 0, OPEVO_OUTCOME_OK},
    {"right(a, b, c); __trap();", 64, 0, OPEVO_OUTCOME_CRASHED},
    {"right(a, b, c); c[N * M] = 0;", 64, 0, OPEVO_OUTCOME_WRONG},
    {"right(a, b, c); c[-1] = 0;", 64, 0, OPEVO_OUTCOME_WRONG},
    {"right(a, b, c); ((float *)a)[0] = 1e6f;", 64, 0, OPEVO_OUTCOME_WRONG},
    {"(void)a;", 64, 0, OPEVO_OUTCOME_WRONG},
    {"right(a, b, c); c[3] = 0.0f / (a[0] - a[0]);", 32, 0, OPEVO_OUTCOME_WRONG},
    {"right(a, b, c); (void)3;", 2048, 0, OPEVO_OUTCOME_LAUNCH_ERROR},
    {"right(a, b, c); (void)4;", 64, 1 << 20, OPEVO_OUTCOME_LAUNCH_ERROR},
    {"this is not a kernel;", 64, 0, OPEVO_OUTCOME_BUILD_ERROR},
    {"extern __shared__ float s[]; s[threadIdx.x] = 1; right(a, b, c);", 64, 48 << 10,
     OPEVO_OUTCOME_OK},
    {"right(a, b, c); (void)5;", 1024, 0, OPEVO_OUTCOME_OK},
};
enum { COUNT = sizeof zoo_of_gpu / sizeof *zoo_of_gpu, NOTHING = 10 };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    zoo_of_one_block(out, self->dialect, zoo_of_gpu[(size_t)point].threads,
                     zoo_of_gpu[(size_t)point].shared_bytes);
    opevo_text_add(&out->source, HEAD);
    opevo_text_printf(&out->source, "%s }\n", zoo_of_gpu[(size_t)point].body);
    return opevo_text_check(&out->source, err);
}

static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};

static opevo_objective *open_zoo(opevo_operator op)
{
    zoo *maker = zoo_create(&ops, "zoo",
                            "{\"which\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, "
                            "6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}}",
                            op);

    return open_on_device(&maker->super);
}

CHECK_TEST(test_hostile)
{
    opevo_objective *objective =
        open_zoo((opevo_operator){.kind = OPEVO_MATMUL, .n = 48, .k = 32, .m = 40});
    opevo_index points[COUNT];
    opevo_outcome outcomes[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, COUNT, outcomes, &err));
    for (size_t i = 0; i < COUNT; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";

        fprintf(stderr, "%-12s %s\n", opevo_outcome_name(outcomes[i].kind), said);
        if (outcomes[i].kind != zoo_of_gpu[i].kind)
            fail_msg("%s: %s (%s)", zoo_of_gpu[i].body, opevo_outcome_name(outcomes[i].kind), said);
    }
    opevo_objective_destroy(objective);
}

/* ---- The vendor's library ------------------------------------------------------------------- */

/* Beside it stands a kernel that does nothing, which suits every shape. */
CHECK_TEST(test_library)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        opevo_finalist finalists[2] = {{.point = NOTHING}, {.point = OPEVO_LIBRARY_POINT}};
        opevo_operator op;
        opevo_objective *objective = NULL;
        opevo_text said = {0};
        double fitness[2];

        CHECK_OK(opevo_operator_parse(forms[i], &op, &err));
        objective = open_zoo(op);
        CHECK_OK(measure_finalists(objective, finalists, 2, 1, NULL, fitness, &said, &err));
        fprintf(stderr, "%s: %s\n", forms[i], opevo_text_string(&said));
        if (!(fitness[1] > 0) && !strstr(opevo_text_string(&said), "not found"))
            fail_msg("%s by the library: %s", forms[i], opevo_text_string(&said));
        opevo_text_free(&said);
        opevo_objective_destroy(objective);
    }
}

int main(void)
{
    opevo_hardware_list(find_device, NULL);
    if (!*device) {
        fprintf(stderr, "skipped: no GPU\n");
        return 77;
    }
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
