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

CHECK_TEST(test_faults)
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
CHECK_TEST(test_configurations)
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

/* Functions of CUDA against those of the C library, in both types, and a host's header that is
 * included. */
CHECK_TEST(test_functions)
{
#define ALL(X)                                                                                     \
    X(sqrt)                                                                                        \
    X(cbrt)                                                                                        \
    X(fabs)                                                                                        \
    X(floor)                                                                                       \
    X(ceil)                                                                                        \
    X(trunc)                                                                                       \
    X(rint)                                                                                        \
    X(nearbyint)                                                                                   \
    X(round)                                                                                       \
    X(exp)                                                                                         \
    X(exp2)                                                                                        \
    X(expm1)                                                                                       \
    X(log)                                                                                         \
    X(log2)                                                                                        \
    X(log10)                                                                                       \
    X(log1p)                                                                                       \
    X(sin)                                                                                         \
    X(cos)                                                                                         \
    X(tan)                                                                                         \
    X(asin)                                                                                        \
    X(acos)                                                                                        \
    X(atan)                                                                                        \
    X(sinh)                                                                                        \
    X(cosh)                                                                                        \
    X(tanh)                                                                                        \
    X(erf)                                                                                         \
    X(erfc)
#define ONE(name) "    y[k++] = " #name "(x[i]);\n    z[j++] = " #name "f(w[i]);\n"
#define PAIRS                                                                                      \
    "    y[k++] = pow(x[i], 1.5);\n    y[k++] = atan2(x[i], 0.3);\n    y[k++] = hypot(x[i], "      \
    "2.0);\n"                                                                                      \
    "    y[k++] = fmod(7.0, x[i]);\n    y[k++] = copysign(2.0, x[i]);\n"                           \
    "    z[j++] = powf(w[i], 1.5f);\n    z[j++] = atan2f(w[i], 0.3f);\n"                           \
    "    z[j++] = hypotf(w[i], 2.0f);\n    z[j++] = fmaf(w[i], 2.0f, 1.0f);\n"                     \
    "    z[j++] = fmodf(7.0f, w[i]);\n"
#define BODY "    int k = 32 * i, j = 32 * i;\n" ALL(ONE) PAIRS
    static const char harness[] =
        "{\"buffers\": {\"x\": {\"type\": \"f64\", \"count\": 32, \"fill\": {\"uniform\": "
        "[0.05, 0.95]}}, \"w\": {\"type\": \"f32\", \"count\": 32, \"fill\": {\"uniform\": [0.05, "
        "0.95]}}, \"y\": {\"type\": \"f64\", \"count\": 1024}, \"z\": {\"type\": \"f32\", "
        "\"count\": 1024}}, \"steps\": [{\"launch\": \"apply\", \"grid\": 1, \"block\": 32, "
        "\"arguments\": [\"x\", \"w\", \"y\", \"z\"]}], \"outputs\": {\"y\": {\"relative\": 1e-13, "
        "\"floor\": 1}, \"z\": {\"relative\": 1e-5, \"floor\": 1}}, \"reference\": {\"file\": "
        "\"apply.c\", \"steps\": [{\"call\": \"apply\", \"arguments\": [\"x\", \"w\", \"y\", "
        "\"z\"]}]},"
        "\"tune\": {\"sizes\": {}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL}, {OPEVO_OUTCOME_WRONG, NULL}};
    opevo_objective *objective = NULL;

    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_write("apply.c",
              "#include <math.h>\nvoid apply(const double *x, const float *w, double *y, "
              "float *z)\n{\n    for (int i = 0; i < 32; i++) {\n" BODY "    }\n}\n");
    CHECK_OK(own_open(
        "simt", "apply.cu",
        "#include <math.h>\n"
        "__global__ void apply(const double *x, const float *w, double *y, float *z)\n"
        "{\n    int i = threadIdx.x;\n" BODY "    float3 v = make_float3(1, 2, 3);\n"
        "    if (WRONG)\n        z[32 * i + 3] = __expf(z[32 * i + 3]) + v.z;\n}\n",
        harness, "{\"WRONG\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}", &objective, &err));
    own_check("functions", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* Shuffles and atomics of 64 bits, counters that begin again, and halves, against C. */
CHECK_TEST(test_words)
{
    static const char harness[] =
        "{\"buffers\": {\"x\": {\"type\": \"f64\", \"count\": 32, \"fill\": {\"uniform\": [0, 1]}},"
        "\"h\": {\"type\": \"f16\", \"count\": 64, \"fill\": {\"uniform\": [-2, 2]}},"
        "\"y\": {\"type\": \"f64\", \"count\": 2, \"fill\": \"zero\"},"
        "\"u\": {\"type\": \"u64\", \"count\": 4, \"fill\": {\"constant\": 5}},"
        "\"c\": {\"type\": \"u32\", \"count\": 2, \"fill\": \"zero\"},"
        "\"g\": {\"type\": \"f16\", \"count\": 64}}, \"steps\": [{\"launch\": \"apply\", \"grid\": "
        "1, \"block\": 32, \"arguments\": [\"x\", \"h\", \"y\", \"u\", \"c\", \"g\"]}],"
        "\"outputs\": {\"y\": {\"relative\": 1e-14}, \"u\": \"exact\", \"c\": \"exact\","
        "\"g\": {\"relative\": 1e-3, \"floor\": 1}}, \"reference\": {\"file\": \"apply.c\","
        "\"steps\": [{\"call\": \"apply\", \"arguments\": [\"x\", \"h\", \"y\", \"u\", \"c\", "
        "\"g\"]}]}, \"tune\": {\"sizes\": {}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "of g"}};
    opevo_objective *objective = NULL;

    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_write("apply.c",
              "void apply(const double *x, const _Float16 *h, double *y, unsigned long long *u, "
              "unsigned *c, _Float16 *g)\n{\n"
              "    u[0] = 31; u[1] = 6; u[2] = 36; u[3] = 31 * 16;\n"
              "    for (int i = 0; i < 32; i++) {\n        y[0] += x[i]; y[1] += x[i];\n"
              "        c[0] = (c[0] + 1) % 8; c[1] = c[1] ? c[1] - 1 : 6;\n"
              "        for (int k = 0; k < 2; k++) {\n            float v = h[2 * i + k];\n"
              "            g[2 * i + k] = v * v + 0.5f;\n        }\n    }\n}\n");
    CHECK_OK(own_open(
        "simt", "apply.cu",
        "#include <cuda_fp16.h>\n#define ALL 0xffffffffu\n"
        "__global__ void apply(const double *x, const half2 *h, double *y, unsigned long long *u,\n"
        "                      unsigned *c, half2 *g)\n{\n    int i = threadIdx.x;\n"
        "    double sum = x[i];\n    long long places = i;\n"
        "    for (int s = 16; s; s /= 2) {\n        sum += __shfl_xor_sync(ALL, sum, s);\n"
        "        places += __shfl_down_sync(ALL, places, s);\n    }\n"
        "    if (i == 0) { y[0] = sum; u[3] = places; }\n    atomicAdd(&y[1], x[i]);\n"
        "    atomicMax(&u[0], (unsigned long long)i);\n    atomicCAS(&u[1], 5ULL, 6ULL);\n"
        "    if (i == 7) atomicAdd(&u[2], 31ULL);\n    atomicInc(&c[0], 7);\n"
        "    atomicDec(&c[1], 6);\n"
        "    half2 to = __hfma2(h[i], h[i], __float2half2_rn(0.5f));\n"
        "    if (WRONG && __hgt(to.x, __float2half(1.0f))) to.x = __hneg(to.x);\n"
        "    g[i] = to;\n}\n",
        harness, "{\"WRONG\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}", &objective, &err));
    own_check("words", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_template)
{
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_check_template("simt", "scale.cu",
                       "template <int times, int block>\n"
                       "__global__ void scale(const float *in, float *out, int n)\n{\n"
                       "    int i = blockIdx.x * block + threadIdx.x;\n"
                       "    if (i < n) out[i] = times * in[i];\n}\n");
}

CHECK_TEST(test_variables)
{
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_check_variables("simt", "weigh.cu");
}

/* A tuning problem of Kernel Tuner as it is: sizes in work items or in blocks, scalars as sizes,
 * the default of each parameter as what is right. */
static const char problem[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[32, 64]\", \"Default\": 64},"
    "{\"Name\": \"shift\", \"Type\": \"int\", \"Values\": \"[0, 1]\", \"Default\": 0}]},"
    "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"add\","
    "\"KernelFile\": \"t1.cu\", \"CompilerOptions\": [\"-DUSED\"], \"GlobalSizeType\": \"%s\","
    "\"GlobalSize\": {\"X\": \"%s\"}, \"LocalSize\": {\"X\": \"block_size_x\"}, \"Arguments\": ["
    "{\"Name\": \"a\", \"Type\": \"float\", \"Size\": 1003, \"MemoryType\": \"Vector\","
    " \"AccessType\": \"ReadOnly\", \"FillType\": \"Random\", \"FillValue\": 1.0},"
    "{\"Name\": \"c\", \"Type\": \"float\", \"Size\": \"n\", \"MemoryType\": \"Vector\","
    " \"AccessType\": \"WriteOnly\", \"FillType\": \"%s\", \"FillValue\": 0},"
    "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"AccessType\": "
    "\"ReadOnly\","
    " \"FillType\": \"Constant\", \"FillValue\": 1003}]}}";

static opevo_status open_problem(const char *kind, const char *size, const char *fill,
                                 opevo_objective **out, opevo_error *err)
{
    char text[sizeof problem + 200];

    snprintf(text, sizeof text, problem, kind, size, fill);
    own_write("t1.cu", "__global__ void add(const float *a, float *c, int n)\n{\n"
                       "    int i = blockIdx.x * block_size_x + threadIdx.x;\n"
                       "#ifndef USED\n#error options\n#endif\n"
                       "    if (i < n) c[i] = a[i] + shift;\n}\n");
    assert_false(opevo_own_is_t1(own_path("t1.cu")));
    return own_open_problem(text, OPEVO_KERNEL_CUDA, "simt", out, err);
}

CHECK_TEST(test_kernel_tuner)
{
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "instead of"},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, NULL}};
    static const char *const sizes[][2] = {{"OpenCL", "n // 1"},
                                           {"CUDA", "(n + block_size_x - 1) // block_size_x"}};
    opevo_objective *objective = NULL;

    CHECK_FAILS(OPEVO_INVALID, "KernelSpecification.Arguments: a vector's FillType",
                open_problem("CUDA", "1", "Script", &objective, &err));
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    for (size_t i = 0; i < COUNT(sizes); i++) {
        opevo_text said = {0};

        CHECK_OK(open_problem(sizes[i][0], sizes[i][1], "Constant", &objective, &err));
        own_check(sizes[i][0], objective, expected, COUNT(expected));
        opevo_live_print_reference(objective, &said);
        assert_non_null(strstr(opevo_text_string(&said), "block_size_x=64 shift=0"));
        opevo_text_free(&said);
        opevo_objective_destroy(objective);
    }
}

/* Sizes by ProblemSize and by the largest value of a parameter, whatever is tried, and arrays of
 * short vectors and halves: a byte more or less is out of bounds or wrong. */
CHECK_TEST(test_kernel_tuner_sizes)
{
    static const char text[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[32, 64]\"},"
        "{\"Name\": \"more\", \"Type\": \"int\", \"Values\": \"[0, 1]\"}]},"
        "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"join\","
        "\"KernelFile\": \"t1.cu\", \"ProblemSize\": [100, 1], \"Arguments\": ["
        "{\"Name\": \"a\", \"Type\": \"float2\", \"Size\": \"ProblemSize[0]\", \"MemoryType\": "
        "\"Vector\", \"AccessType\": \"ReadOnly\", \"FillType\": \"Random\", \"FillValue\": 1.0},"
        "{\"Name\": \"b\", \"Type\": \"half\", \"Size\": \"ProblemSize[0] + max(block_size_x) // "
        "2\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\", "
        "\"FillType\": \"Random\", \"FillValue\": 1.0},"
        "{\"Name\": \"c\", \"Type\": \"double4\", \"Size\": \"ProblemSize[0] * (min(more) + 1)\", "
        "\"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"FillType\": \"Constant\", "
        "\"FillValue\": 0},"
        "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": "
        "100}]}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "bounds"},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "bounds"}};
    opevo_objective *objective = NULL;

    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    own_write("t1.cu", "#include <cuda_fp16.h>\n"
                       "__global__ void join(const float2 *a, const half *b, double4 *c, int n)\n"
                       "{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < n) c[i] = {a[i].x, a[i].y, (double)b[i + 32 + more], 1};\n}\n");
    CHECK_OK(own_open_problem(text, OPEVO_KERNEL_CUDA, "simt", &objective, &err));
    own_check("sizes", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* What divides a problem's size: a list, one alone, or null, which Kernel Tuner takes for the
 * block. */
CHECK_TEST(test_kernel_tuner_divisors)
{
    static const char *const divisors[][2] = {
        {"[\"block_size_x\", \"more\"]", "ceil(100, (block_size_x) * (more))"},
        {"\"2 * more\"", "ceil(100, (2 * more))"},
        {"4", "ceil(100, (4))"},
        {"null", "ceil(100, block_size_x)"},
        {"[]", "ceil(100, 1)"}};

    for (size_t i = 0; i < COUNT(divisors); i++) {
        opevo_text source = {0}, harness = {0};
        char text[1024];

        snprintf(text, sizeof text,
                 "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                 "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[32, 64]\"},"
                 "{\"Name\": \"more\", \"Type\": \"int\", \"Values\": \"[1, 2]\"}]},"
                 "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"set\","
                 "\"KernelFile\": \"t1.cu\", \"ProblemSize\": [100], \"GridDivX\": %s,"
                 "\"Arguments\": [{\"Name\": \"a\", \"Type\": \"float\", \"Size\": 100, "
                 "\"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"FillType\": "
                 "\"Constant\", \"FillValue\": 0}]}}",
                 divisors[i][0]);
        own_write("divided.json", text);
        CHECK_OK(opevo_own_t1_read(own_path("divided.json"), &source, &harness, &err));
        assert_non_null(strstr(opevo_text_string(&harness), divisors[i][1]));
        opevo_text_free(&source);
        opevo_text_free(&harness);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
