/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in CUDA of a user in the interpreter: right ones in all configurations, and each planted
 * fault with its name. */

#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Sums of blocks by a tree in shared memory, with a fault for each p but 0. */
static const char sums[] =
    "#include <cuda_runtime.h>\n"
    "extern \"C\" __global__ void sums(const float *in, float *out, int n)\n{\n"
    "    __shared__ float part[block];\n"
    "    int x = threadIdx.x, at = blockIdx.x * block + x;\n"
    "    if (p != 4 || x < 20) part[x] = p == 1 ? in[at] : at < n - (p == 2) ? in[at] : 0;\n"
    "    __syncthreads();\n"
    "    for (int half = block / 2; half; half /= 2) {\n"
    "        if (x < half) part[x] += part[x + half];\n"
    "        if (p != 3) { if (p != 5 || x < 33) __syncthreads(); }\n"
    "    }\n"
    "    if (p == 6 || x == 0) out[blockIdx.x + (p == 7)] = part[p == 6 ? x : 0];\n"
    "    if (p == 8) out[0] = part[0];\n"
    "}\n";

static const char sums_harness[] =
    "{\"buffers\": {\"in\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [0, 1]}},"
    "\"out\": {\"type\": \"f32\", \"count\": \"ceil(n, 64)\"}},"
    "\"steps\": [{\"launch\": \"sums\", \"grid\": \"ceil(n, block)\", \"block\": \"block\","
    " \"arguments\": [\"in\", \"out\", {\"i32\": \"n\"}]}],"
    "\"outputs\": {\"out\": {\"relative\": 1e-5}}, \"flop\": \"n\","
    "\"reference\": {\"file\": \"sums.c\", \"steps\": [{\"call\": \"sums\", \"arguments\": [\"in\","
    " \"out\", {\"i32\": \"n\"}]}]},"
    "\"tune\": {\"sizes\": {\"n\": 1000, \"block\": 64}}}";

static void test_faults(void **state)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_OK, NULL},
        {OPEVO_OUTCOME_WRONG, "out of bounds"},
        {OPEVO_OUTCOME_WRONG, "instead of"},
        {OPEVO_OUTCOME_WRONG, "race"},
        {OPEVO_OUTCOME_WRONG, "uninitialised"},
        {OPEVO_OUTCOME_WRONG, "divergent barrier"},
        {OPEVO_OUTCOME_WRONG, "race"},
        {OPEVO_OUTCOME_WRONG, "out of bounds"},
        {OPEVO_OUTCOME_WRONG, "race"},
    };
    opevo_objective *objective = NULL;

    (void)state;
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_write("sums.c",
              "void sums(const float *in, float *out, int n)\n{\n"
              "    for (int b = 0; 64 * b < n; b++) {\n        double all = 0;\n"
              "        for (int i = 64 * b; i < n && i < 64 * b + 64; i++) all += in[i];\n"
              "        out[b] = all;\n    }\n}\n");
    CHECK_OK(own_open("simt", "sums.cu", sums, sums_harness,
                      "{\"p\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8]},"
                      "\"block\": {\"_type\": \"choice\", \"_value\": [64]}}",
                      &objective, &err));
    assert_string_equal(objective->unit, "GFLOP/s");
    own_check("sums", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* Without a reference the default is right: a kernel of C++, by its name in the source, whose
 * blocks and compiler follow the parameters, and a launch that no GPU has. */
static void test_configurations(void **state)
{
    static const char source[] =
        "#include \"tile.h\"\n"
        "template <int W> __device__ float twice(float x) { return W * x; }\n"
        "__global__ void scale(const float *in, float *out, int n)\n{\n"
        "    int at = (blockIdx.x * blockDim.x + threadIdx.x) * items;\n"
        "    for (int i = 0; i < items; i++)\n"
        "        if (at + i < n) out[at + i] = twice<FACTOR>(in[at + i]);\n}\n";
    static const char harness[] =
        "{\"buffers\": {\"in\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [0, "
        "1]}}, \"out\": {\"type\": \"f32\", \"count\": \"n\"}},"
        "\"steps\": [{\"launch\": \"scale\", \"grid\": \"ceil(n, block * items)\", \"block\": "
        "\"block\", \"arguments\": [\"in\", \"out\", {\"i32\": \"n\"}]}],"
        "\"outputs\": {\"out\": \"exact\"}, \"compiler\": [\"-DFACTOR={1 + 1}\"],"
        "\"bytes\": \"8 * n\", \"tune\": {\"sizes\": {\"n\": 1000}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_REJECTED, "steps[0].block"},
                                            {OPEVO_OUTCOME_REJECTED, "not between 1 and 1024"}};
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome once, again;

    (void)state;
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_write("tile.h", "/* nothing */\n");
    CHECK_OK(own_open("simt", "scale.cu", source, harness,
                      "{\"block\": {\"_type\": \"discrete\", \"_value\": [32, 96, 2048]},"
                      "\"items\": {\"_type\": \"discrete\", \"_value\": [1, 3]}}",
                      &objective, &err));
    assert_string_equal(objective->unit, "GB/s");
    own_check("scale", objective, expected, COUNT(expected));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &once, &err));
    CHECK_CLOSE(once.fitness * once.time_s * 1e9 / 8000, 1, 1e-9);
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &again, &err));
    CHECK_CLOSE(once.time_s, again.time_s, 0);
    opevo_objective_destroy(objective);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_configurations),
    };

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
