/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a user on GPUs, against a driver and a compiler that are made for it (fake_gpu.c). */

#include "fake_folder.h"
#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char source[] = "extern \"C\" __global__ void __launch_bounds__(WIDE) add(const float "
                             "*a, const float *b, float *c, int n)\n{\n"
                             "    int first = (blockIdx.x * WIDE + threadIdx.x) * ITEMS;\n\n"
                             "    for (int i = first; i < first + ITEMS; i++)\n"
                             "        if (i < n - (WHICH == 1))\n            c[i] = a[i] + b[i];\n"
                             "    if (WHICH == 2 && first == 0)\n        c[n] = 1;\n"
                             "    if (WHICH == 3 && first == 2)\n        c[3] = 7;\n"
                             "}\n";

#define HARNESS(more) HARNESS_TIMED(more, "")
#define HARNESS_TIMED(more, runs)                                                                  \
    "{\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "    \
    "1]}}, \"b\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"        \
    " \"c\": {\"type\": \"f32\", \"count\": \"n\"}},"                                              \
    "\"steps\": [{\"launch\": \"add\", \"grid\": \"ceil(n, WIDE * ITEMS)\", \"block\": "           \
    "\"WIDE\", \"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}]}],"                          \
    "\"outputs\": {\"c\": \"exact\"}," more "\"bytes\": \"12 * n\","                               \
    "\"tune\": {\"sizes\": {\"n\": 100}" runs "}}"

static const char space[] = "{\"WHICH\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]},"
                            "\"WIDE\": {\"_type\": \"discrete\", \"_value\": [16, 32]},"
                            "\"ITEMS\": {\"_type\": \"choice\", \"_value\": [2]}}";

/* Right and wrong ones, with golden results of the default and of a function in C. */
static void check_device(const char *device, const char *name)
{
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "Element"},
                                            {OPEVO_OUTCOME_WRONG, "Element"},
                                            {OPEVO_OUTCOME_WRONG, "behind c"},
                                            {OPEVO_OUTCOME_WRONG, "behind c"},
                                            {OPEVO_OUTCOME_WRONG, "Element 3 of c"},
                                            {OPEVO_OUTCOME_WRONG, "Element 3 of c"}};
    static const char *const harnesses[] = {
        HARNESS(""), HARNESS("\"reference\": {\"file\": \"add.c\", \"steps\": [{\"call\": \"add\","
                             " \"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}]}]},")};

    own_write("add.c", "void add(const float *a, const float *b, float *c, int n)\n{\n"
                       "    for (int i = 0; i < n; i++)\n        c[i] = a[i] + b[i];\n}\n");
    for (size_t i = 0; i < COUNT(harnesses); i++) {
        opevo_objective *objective = NULL;
        opevo_index point = 0;
        opevo_outcome outcome;

        CHECK_OK(own_open(device, name, source, harnesses[i], space, &objective, &err));
        own_check(name, objective, expected, COUNT(expected));
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.sample_count, 31);
        opevo_objective_destroy(objective);
    }
}

CHECK_TEST(test_cuda)
{
    check_device("cuda:0", "add.cu");
}

CHECK_TEST(test_hip)
{
    check_device("hip:0", "add.hip");
}

/* As many samples as the harness says. */
CHECK_TEST(test_runs)
{
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_OK(own_open("cuda:0", "add.cu", source, HARNESS_TIMED("", ", \"runs\": 7"), space,
                      &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    assert_int_equal(outcome.sample_count, 7);
    opevo_objective_destroy(objective);
    CHECK_FAILS(OPEVO_INVALID, "\"runs\" must be a whole number",
                own_open("cuda:0", "add.cu", source, HARNESS_TIMED("", ", \"runs\": 0"), space,
                         &objective, &err));
}

/* What the driver says of the kernel; blocks of 32 leave 96 of 100 work items. */
CHECK_TEST(test_criteria)
{
    static const char *const criteria[] = {"registers", "occupancy", "error"};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_index point = 1;
    opevo_outcome outcome;

    CHECK_OK(own_maker("add.cu", source, HARNESS(""), space, &maker, &err));
    options.device = "cuda:0";
    options.criteria = criteria;
    options.criterion_count = COUNT(criteria);
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    CHECK_CLOSE(outcome.more[0], 37, 0);
    CHECK_CLOSE(outcome.more[1], 96, 0);
    CHECK_CLOSE(outcome.more[2], 0, 0);
    opevo_objective_destroy(objective);
}

/* Its power is always 412.3 W; what is rejected has no energy. */
CHECK_TEST(test_energy)
{
    static const char *const criteria[] = {"energy"};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    const opevo_index points[] = {0, 2};
    opevo_outcome outcomes[2];
    double sum_s = 0;

    CHECK_OK(own_maker("add.cu", source, HARNESS(""), space, &maker, &err));
    options.device = "cuda:0";
    options.criteria = criteria;
    options.criterion_count = COUNT(criteria);
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, points, 2, outcomes, &err));
    assert_int_equal(outcomes[0].kind, OPEVO_OUTCOME_OK);
    assert_int_equal(outcomes[1].kind, OPEVO_OUTCOME_WRONG);
    for (size_t i = 0; i < outcomes[0].sample_count; i++)
        sum_s += outcomes[0].samples_s[i];
    CHECK_CLOSE(outcomes[0].more[0], 412.3 * sum_s / (double)outcomes[0].sample_count,
                0.1 * outcomes[0].more[0]);
    assert_true(isnan(outcomes[1].more[0]));
    opevo_objective_destroy(objective);
}

/* What the stand-in for a compiler has of templates is a name for each instance. */
CHECK_TEST(test_template)
{
#define INSTANCE(times)                                                                            \
    "extern \"C\" __global__ void __launch_bounds__(8) scale_" times "_8(const float *in, float "  \
    "*out, int n)\n{\n"                                                                            \
    "    int i = blockIdx.x * 8 + threadIdx.x;\n\n"                                                \
    "    if (i < n)\n        out[i] = " times " * in[i];\n}\n"
    static const char instances[] = INSTANCE("2") INSTANCE("3");

    own_check_template("cuda:0", "scale.cu", instances);
    own_check_template("hip:0", "scale.hip", instances);
}

CHECK_TEST(test_variables)
{
    own_check_variables("cuda:0", "weigh.cu");
    own_check_variables("hip:0", "weigh.hip");
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
