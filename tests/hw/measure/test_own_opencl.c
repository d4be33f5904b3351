/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of a user in OpenCL C on the first device, which in tests is PoCL: each planted fault in
 * its class, all ways to say what is right, what arguments may be, and problems of Kernel Tuner and
 * KTT. Skipped without a driver. */

#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

#define BUFFERS                                                                                    \
    "\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "     \
    "1]}}, \"b\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"        \
    " \"c\": {\"type\": \"f32\", \"count\": \"n\"}},"
#define STEPS                                                                                      \
    "\"steps\": [{\"launch\": \"add\", \"grid\": \"ceil(n, 64)\", \"block\": \"p == 9 ? 32 : "     \
    "64\", \"arguments\": [\"a\", \"b\", \"c\", {\"local\": \"p == 8 ? 16777216 : 256\"}, "        \
    "{\"i32\": \"n\"}, {\"i32\": \"p\"}]}],"
#define OUTPUTS "\"outputs\": {\"c\": {\"relative\": 1e-5, \"floor\": 1e-3}},"
#define TUNE "\"tune\": {\"sizes\": {\"n\": 1003}}"
#define HARNESS(more) "{" BUFFERS STEPS OUTPUTS more TUNE "}"
#define SPACE(values) "{\"p\": {\"_type\": \"discrete\", \"_value\": [" values "]}}"

/* With this, faults of runs are in one program, which the driver compiles once. */
#define ARGUMENT "\"macros\": false,"
#define COMPUTATION "\"reference\": {\"computation\": \"c[i:1003] = a[i] + b[i]\"},"

/* ---- Faults ---- */

static const char faults[] =
    "#if p == 7\n#define LOCALS __local float m[1 << 20];\n#else\n#define LOCALS\n#endif\n"
    "#if p == 9\n#define SHAPE __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "#else\n#define SHAPE\n#endif\n"
    "#if p == 6\n#error planted\n#endif\n"
    "__kernel SHAPE void add(__constant float *a, __global const float *b, __global float *c,\n"
    "                        __local float *part, int n, int fault)\n{\n"
    "    LOCALS\n"
    "    int i = get_global_id(0), x = get_local_id(0), last = n - (fault == 1);\n"
    "    part[x] = i < n ? a[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#if p == 7\n"
    "    m[x * 100] = part[x];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    part[x] = m[x * 100];\n"
    "#endif\n"
    "    if (i < last || fault == 2)\n"
    "        c[i] = part[x] + b[i];\n"
    "    if (fault == 3 && i == 0) c[-1] = 1;\n"
    "    if (fault == 4) *(volatile __global float *)(c + (1UL << 42)) = 1;\n"
    "    if (fault == 5) while (*(volatile __global float *)c < 3) ;\n"
    "    if (fault == 10 && i == 7) c[i] = NAN;\n"
    "    if (fault == 11 && i == 9) ((__global float *)b)[n + 9] = 1;\n"
    "}\n";

static void check_faults(const char *more, const char *values, const own_expected *expected,
                         size_t count)
{
    opevo_objective *objective = NULL;

    CHECK_OK(own_open("opencl:0", "faults.cl", faults, more, values, &objective, &err));
    assert_string_equal(objective->unit, "GB/s");
    own_check("faults", objective, expected, count);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_faults_of_runs)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_OK, NULL},
        {OPEVO_OUTCOME_WRONG, "Element 1002 of c"},
        {OPEVO_OUTCOME_WRONG, "writes behind c"},
        {OPEVO_OUTCOME_WRONG, "writes before c"},
        {OPEVO_OUTCOME_CRASHED, "fatal signal"},
        {OPEVO_OUTCOME_TIMEOUT, "did not end within 2 s"},
        {OPEVO_OUTCOME_LAUNCH_ERROR, "bytes of local memory, and the device has"},
        {OPEVO_OUTCOME_WRONG, "Element 7 of c is not finite"},
        {OPEVO_OUTCOME_WRONG, "writes behind b"},
        {OPEVO_OUTCOME_OK, NULL},
    };

    check_faults(HARNESS(ARGUMENT "\"bytes\": \"12 * n\","),
                 SPACE("0, 1, 2, 3, 4, 5, 8, 10, 11, 12"), expected, COUNT(expected));
}

CHECK_TEST(test_faults_of_programs)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_BUILD_ERROR, "planted"},
        {OPEVO_OUTCOME_BUILD_ERROR, "local memory"},
        {OPEVO_OUTCOME_LAUNCH_ERROR, "CL_INVALID_WORK_GROUP_SIZE"},
    };

    check_faults(HARNESS(COMPUTATION "\"bytes\": \"12 * n\","), SPACE("6, 7, 9"), expected,
                 COUNT(expected));
}

/* ---- References ---- */

CHECK_TEST(test_references)
{
    static const char *const harnesses[] = {
        HARNESS(ARGUMENT), HARNESS(ARGUMENT "\"default\": {\"p\": 0},"),
        HARNESS(ARGUMENT COMPUTATION),
        HARNESS(ARGUMENT "\"reference\": {\"file\": \"sum.c\", \"steps\": [{\"call\": \"sum\", "
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
CHECK_TEST(test_arguments)
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
                                            {OPEVO_OUTCOME_WRONG, " of out is "}};
    opevo_objective *objective = NULL;

    own_write("shape.h", "typedef struct { int width; float scale; } shape;\n");
    CHECK_OK(own_open("opencl:0", "turn.cl", source, harness,
                      "{\"times\": {\"_type\": \"discrete\", \"_value\": [3, 4]}}", &objective,
                      &err));
    own_check("arguments", objective, expected, 2);
    opevo_objective_destroy(objective);
}

/* ---- Tuning problems of others -------------------------------------------------------------- */

#define KERNEL                                                                                     \
    "__kernel void scale(__global const float *a, __global float *c, __local float *part,\n"       \
    "                    int n, float factor)\n{\n"                                                \
    "#ifndef USED\n#error options\n#endif\n"                                                       \
    "    int x = get_local_id(0), first = get_group_id(0) * wide * items + x;\n"                   \
    "    for (int k = 0; k < items; k++) {\n"                                                      \
    "        int i = first + k * wide;\n"                                                          \
    "        if (i >= n) continue;\n"                                                              \
    "        part[x] = a[i];\n"                                                                    \
    "        c[i] = factor * part[x] + 1 - shift;\n    }\n}\n"

/* Of Kernel Tuner: a problem's size and what divides it, values of the vectors by expressions. */
static const char of_kernel_tuner[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"shift\", \"Type\": \"int\", \"Values\": \"[0, 1]\"},"
    "{\"Name\": \"wide\", \"Type\": \"int\", \"Values\": \"[8, 16]\"},"
    "{\"Name\": \"items\", \"Type\": \"int\", \"Values\": \"[3]\"}]},"
    "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"scale\", "
    "\"KernelFile\": "
    "\"scale.cl\", \"CompilerOptions\": [\"-DUSED\", \"\"], \"ProblemSize\": [\"n\"], "
    "\"GridDivX\": "
    "[\"wide\", \"items\"], \"LocalSize\": {\"X\": \"wide\"}, \"Arguments\": ["
    "{\"Name\": \"a\", \"Type\": \"float\", \"Size\": \"n\", \"MemoryType\": \"Vector\", "
    "\"AccessType\": \"ReadOnly\", \"FillType\": \"Generator\", \"DataSource\": \"i // 2\"},"
    "{\"Name\": \"c\", \"Type\": \"float\", \"Size\": \"n\", \"MemoryType\": \"Vector\", "
    "\"AccessType\": \"WriteOnly\", \"FillType\": \"Constant\", \"FillValue\": 0},"
    "{\"Name\": \"part\", \"Type\": \"float\", \"Size\": \"wide\", \"MemoryType\": \"Local\"},"
    "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 203},"
    "{\"Name\": \"factor\", \"Type\": \"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 3.0}],"
    "\"ReferenceArguments\": [{\"Name\": \"right\", \"TargetName\": \"c\", \"FillType\": "
    "\"Generator\", \"DataSource\": \"3 * (i // 2) + 1\", \"ValidationMethod\": "
    "\"SideBySideComparison\", \"ValidationThreshold\": 1e-3}]}}";

/* Of KTT: numbers and lists in JSON, modifiers of sizes, arguments by their order, one text of
 * options, and numbers in a file. */
static const char of_ktt[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"shift\", \"Type\": \"Int\", \"Values\": [0, 1]},"
    "{\"Name\": \"wide\", \"Type\": \"UnsignedInt\", \"Range\": {\"Lower\": 8, \"Upper\": 17, "
    "\"Step\": 8}},"
    "{\"Name\": \"items\", \"Type\": \"UnsignedInt\", \"Values\": [3]}],"
    "\"Conditions\": [{\"Parameters\": [\"wide\"], \"Expression\": \"wide > 1 or wide != 2\"}]},"
    "\"General\": {\"TimeUnit\": \"Microseconds\"},"
    "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"scale\", "
    "\"KernelFile\": "
    "\"scale.cl\", \"CompilerOptions\": \"-DUSED -cl-mad-enable\", \"GlobalSize\": {\"X\": 240, "
    "\"Y\": 1}, \"Modifiers\": [{\"Type\": \"Global\", \"Dimension\": \"X\", \"Parameter\": "
    "\"items\", \"Action\": \"Divide\"}, {\"Type\": \"Local\", \"Dimension\": \"X\", "
    "\"Parameter\": "
    "\"wide\", \"Action\": \"Multiply\"}], \"Arguments\": ["
    "{\"Type\": \"Float\", \"MemoryType\": \"Scalar\", \"FillValue\": 3.0, \"Order\": 4},"
    "{\"Type\": \"Int\", \"MemoryType\": \"Scalar\", \"FillValue\": 203, \"Order\": 3},"
    "{\"Type\": \"Float\", \"Size\": 16, \"MemoryType\": \"Local\", \"Order\": 2},"
    "{\"Name\": \"c\", \"Type\": \"Float\", \"Size\": 203, \"MemoryType\": \"Vector\", "
    "\"AccessType\": \"ReadWrite\", \"FillType\": \"Constant\", \"FillValue\": 0.0, \"Order\": 1},"
    "{\"Type\": \"Float\", \"Size\": 203, \"MemoryType\": \"Vector\", \"AccessType\": "
    "\"ReadOnly\", \"FillType\": \"BinaryRaw\", \"DataSource\": \"a.raw\", \"Order\": 0}],"
    "\"ReferenceArguments\": [{\"Name\": \"right\", \"TargetName\": \"c\", \"FillType\": "
    "\"BinaryRaw\", \"DataSource\": \"c.raw\"}]}}";

CHECK_TEST(test_problems)
{
    static const char *const problems[] = {of_kernel_tuner, of_ktt};
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "of c"},
                                            {OPEVO_OUTCOME_WRONG, "of c"}};
    float in[203], right[203];

    for (int i = 0; i < 203; i++) {
        in[i] = 0.25F * (float)i;
        right[i] = 3 * in[i] + 1;
    }
    own_write("scale.cl", KERNEL);
    CHECK_OK(opevo_file_write(own_path("a.raw"), (const char *)in, sizeof in, &err));
    CHECK_OK(opevo_file_write(own_path("c.raw"), (const char *)right, sizeof right, &err));
    for (size_t i = 0; i < COUNT(problems); i++) {
        opevo_objective *objective = NULL;
        opevo_text said = {0};

        CHECK_OK(own_open_problem(problems[i], OPEVO_KERNEL_OPENCL, "opencl:0", &objective, &err));
        own_check(i ? "KTT" : "Kernel Tuner", objective, expected, COUNT(expected));
        opevo_live_print_reference(objective, &said);
        assert_null(strstr(opevo_text_string(&said), "default configuration"));
        opevo_text_free(&said);
        opevo_objective_destroy(objective);
    }
}

/* Vectors of structs are bytes. */
CHECK_TEST(test_custom_types)
{
#define PAIRS(input, output)                                                                       \
    "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"shift\", \"Type\": \"int\", "   \
    "\"Values\": \"[0, 1]\"}]}, \"KernelSpecification\": {\"Language\": \"OpenCL\", "              \
    "\"KernelName\": \"swap\", \"KernelFile\": \"swap.cl\", \"GlobalSize\": {\"X\": 40}, "         \
    "\"LocalSize\": {\"X\": 8}, \"Arguments\": [{\"Type\": \"custom\", " input                     \
    "}, {\"Name\": \"out\", \"Type\": \"custom\", \"AccessType\": \"WriteOnly\", " output          \
    "}], \"ReferenceArguments\": [{\"Name\": \"right\", \"TargetName\": \"out\", \"FillType\": "   \
    "\"BinaryRaw\", \"DataSource\": \"out.raw\"}]}}"
#define VECTOR "\"MemoryType\": \"Vector\", \"Size\": 40"
    static const char *const refused[] = {
        PAIRS(VECTOR ", \"FillType\": \"BinaryRaw\", \"DataSource\": \"in.raw\"", VECTOR),
        PAIRS(VECTOR ", \"TypeSize\": 8, \"FillType\": \"Random\"", VECTOR ", \"TypeSize\": 8"),
        PAIRS("\"MemoryType\": \"Scalar\", \"TypeSize\": 8", VECTOR ", \"TypeSize\": 8")};
    static const char good[] =
        PAIRS(VECTOR ", \"TypeSize\": 8, \"FillType\": \"BinaryRaw\", \"DataSource\": \"in.raw\"",
              VECTOR ", \"TypeSize\": 8, \"FillType\": \"Constant\"");
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "of out"}};
    struct {
        float real;
        int32_t whole;
    } in[40], out[40];
    opevo_objective *objective = NULL;

    for (int i = 0; i < 40; i++) {
        in[i].real = (float)i;
        in[i].whole = -i;
        out[i].real = (float)-i;
        out[i].whole = i;
    }
    own_write("swap.cl", "typedef struct { float real; int whole; } pair;\n"
                         "__kernel void swap(__global const pair *in, __global pair *out)\n{\n"
                         "    int i = get_global_id(0);\n    out[i].real = in[i].whole;\n"
                         "    out[i].whole = (int)in[i].real + (shift && i == 39);\n}\n");
    CHECK_OK(opevo_file_write(own_path("in.raw"), (const char *)in, sizeof in, &err));
    CHECK_OK(opevo_file_write(own_path("out.raw"), (const char *)out, sizeof out, &err));
    for (size_t i = 0; i < COUNT(refused); i++)
        CHECK_FAILS(
            OPEVO_INVALID, "a custom type needs its TypeSize",
            own_open_problem(refused[i], OPEVO_KERNEL_OPENCL, "opencl:0", &objective, &err));
    CHECK_OK(own_open_problem(good, OPEVO_KERNEL_OPENCL, "opencl:0", &objective, &err));
    own_check("custom", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

int main(void)
{
    if (!own_has_opencl()) {
        fprintf(stderr, "skipped: no OpenCL device: install pocl-opencl-icd\n");
        return 77;
    }
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
