/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a user in OpenCL C on the first device, which in tests is PoCL: each planted fault in its
 * class, all ways to say what is right, and what arguments may be. Skipped without a driver. */

#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

#define BUFFERS                                                                                    \
    "\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "     \
    "1]}}, \"b\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"        \
    " \"c\": {\"type\": \"f32\", \"count\": \"n\"}},"
#define STEPS                                                                                      \
    "\"steps\": [{\"launch\": \"add\", \"grid\": \"ceil(n, 64)\", \"block\": \"p == 9 ? 32 : "     \
    "64\", \"arguments\": [\"a\", \"b\", \"c\", {\"local\": \"p == 8 ? 16777216 : 256\"}, "        \
    "{\"i32\": \"n\"}]}],"
#define OUTPUTS "\"outputs\": {\"c\": {\"relative\": 1e-5, \"floor\": 1e-3}},"
#define TUNE "\"tune\": {\"sizes\": {\"n\": 1003}}"
#define HARNESS(more) "{" BUFFERS STEPS OUTPUTS more TUNE "}"
#define SPACE(values) "{\"p\": {\"_type\": \"discrete\", \"_value\": [" values "]}}"

/* ---- Faults ---- */

static const char faults[] =
    "#if p == 7\n#define LOCALS __local float m[1 << 20];\n#else\n#define LOCALS\n#endif\n"
    "#if p == 9\n#define SHAPE __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "#else\n#define SHAPE\n#endif\n"
    "#if p == 6\n#error planted\n#endif\n"
    "__kernel SHAPE void add(__constant float *a, __global const float *b, __global float *c,\n"
    "                        __local float *part, int n)\n{\n"
    "    LOCALS\n"
    "    int i = get_global_id(0), x = get_local_id(0), last = n - (p == 1);\n"
    "    part[x] = i < n ? a[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#if p == 7\n"
    "    m[x * 100] = part[x];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    part[x] = m[x * 100];\n"
    "#endif\n"
    "    if (i < last || p == 2)\n"
    "        c[i] = part[x] + b[i];\n"
    "    if (p == 3 && i == 0) c[-1] = 1;\n"
    "    if (p == 4) *(volatile __global float *)(c + (1UL << 42)) = 1;\n"
    "    if (p == 5) while (*(volatile __global float *)c < 3) ;\n"
    "    if (p == 10 && i == 7) c[i] = NAN;\n"
    "    if (p == 11 && i == 9) ((__global float *)b)[n + 9] = 1;\n"
    "}\n";

static void test_faults(void **state)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_OK, NULL},
        {OPEVO_OUTCOME_WRONG, "Element 1002 of c"},
        {OPEVO_OUTCOME_WRONG, "writes behind c"},
        {OPEVO_OUTCOME_WRONG, "writes before c"},
        {OPEVO_OUTCOME_CRASHED, "fatal signal"},
        {OPEVO_OUTCOME_TIMEOUT, "did not end within 2 s"},
        {OPEVO_OUTCOME_BUILD_ERROR, "planted"},
        {OPEVO_OUTCOME_BUILD_ERROR, "local memory"},
        {OPEVO_OUTCOME_LAUNCH_ERROR, "bytes of local memory, and the device has"},
        {OPEVO_OUTCOME_LAUNCH_ERROR, "CL_INVALID_WORK_GROUP_SIZE"},
        {OPEVO_OUTCOME_WRONG, "Element 7 of c is not finite"},
        {OPEVO_OUTCOME_WRONG, "writes behind b"},
        {OPEVO_OUTCOME_OK, NULL},
    };
    opevo_objective *objective = NULL;

    CHECK_OK(own_open("opencl:0", "faults.cl", faults, HARNESS("\"bytes\": \"12 * n\","),
                      SPACE("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"), &objective, &err));
    assert_string_equal(objective->unit, "GB/s");
    own_check("faults", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* ---- References ---- */

static void test_references(void **state)
{
    static const char *const harnesses[] = {
        HARNESS(""), HARNESS("\"default\": {\"p\": 0},"),
        HARNESS("\"reference\": {\"computation\": \"c[i:1003] = a[i] + b[i]\"},"),
        HARNESS("\"reference\": {\"file\": \"sum.c\", \"steps\": [{\"call\": \"sum\", "
                "\"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}]}]},")};
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "Element 1002 of c"}};

    own_write("sum.c", "void sum(const float *x, const float *y, float *z, int n)\n{\n"
                       "    for (int i = 0; i < n; i++) z[i] = x[i] + y[i];\n}\n");
    for (size_t i = 0; i < COUNT(harnesses); i++) {
        opevo_objective *objective = NULL;

        CHECK_OK(own_open("opencl:0", "faults.cl", faults, harnesses[i], SPACE("0, 1"), &objective,
                          &err));
        own_check(harnesses[i], objective, expected, 2);
        opevo_objective_destroy(objective);
    }
}

/* ---- Arguments ---- */

/* Structs by value, shared bytes behind the other arguments, several kernels and launches, files
 * that are included, and loops of the harness. */
static void test_arguments(void **state)
{
    static const char source[] =
        "#include \"shape.h\"\n"
        "__kernel void turn(__global const float *in, __global float *out, const shape s,\n"
        "                   __local float *part)\n{\n"
        "    int x = get_local_id(0), y = get_group_id(0);\n"
        "    part[x] = in[y * s.width + x] * s.scale;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[y * s.width + x] = part[s.width - 1 - x];\n}\n"
        "__kernel void grow(__global float *out, int by)\n"
        "{\n    out[get_global_id(0)] += by;\n}\n";
    static const char harness[] =
        "{\"buffers\": {\"in\": {\"type\": \"f32\", \"count\": \"24 * width\", \"fill\": "
        "{\"uniform\": [-1, 1]}}, \"out\": {\"type\": \"f32\", \"count\": \"24 * width\"}},"
        "\"steps\": [{\"launch\": \"turn\", \"grid\": 24, \"block\": \"width\", \"shared\": \"4 * "
        "width\", \"arguments\": [\"in\", \"out\", {\"struct\": [{\"i32\": \"width\"}, {\"f32\": "
        "0.5}]}]}, {\"repeat\": \"k\", \"count\": \"times\", \"steps\": [{\"launch\": \"grow\", "
        "\"grid\": \"24 * width / 8\", \"block\": 8, \"arguments\": [\"out\", {\"i32\": "
        "\"k\"}]}]}],"
        "\"outputs\": {\"out\": {\"absolute\": 1e-6}},"
        "\"reference\": {\"computation\": \"out[i:24, j:16] = 0.5 * in[i, 15 - j] + 3\"},"
        "\"tune\": {\"sizes\": {\"width\": 16}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "Element 0 of out"}};
    opevo_objective *objective = NULL;

    own_write("shape.h", "typedef struct { int width; float scale; } shape;\n");
    CHECK_OK(own_open("opencl:0", "turn.cl", source, harness,
                      "{\"times\": {\"_type\": \"discrete\", \"_value\": [3, 4]}}", &objective,
                      &err));
    own_check("arguments", objective, expected, 2);
    opevo_objective_destroy(objective);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_references),
                                       cmocka_unit_test(test_arguments)};

    if (!own_has_opencl()) {
        fprintf(stderr, "skipped: no OpenCL device: install pocl-opencl-icd\n");
        return 77;
    }
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
