/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs that call libraries of networks for GPUs: several nets at once, failures of the device,
 * which are reported; and where there are compilers for devices, the same files compiled by
 * them. */

#include "gpu_libraries.h"

#include "device_fixture.h"
#include "points.h"

/* ---- Programs that call it ---- */

/* The emulated library is built already. */
static void check_runs(const char *program)
{
    static const char *const compile[] = {"cc",
                                          "-D_GNU_SOURCE",
                                          "-Wall",
                                          "-Wextra",
                                          "-Werror",
                                          "-o",
                                          "network_gpu_test/caller",
                                          "network_gpu_test/caller.c",
                                          "network_gpu_test/libnet_emulated.a",
                                          "-lm",
                                          "-lpthread",
                                          NULL};
    static const char *const run[] = {"network_gpu_test/caller", NULL};

    write_file("caller.c", program);
    CHECK_PROGRAM(compile);
    CHECK_PROGRAM(run);
}

/* Memory of the device, of shared memory and of threads is refused, one time after another. */
static const char without_memory[] =
    "#include \"net.h\"\n#include <stdlib.h>\n#include <string.h>\n"
    "static int left = -1;\n"
    "void *aligned_alloc(size_t alignment, size_t bytes)\n{\n"
    "    void *memory = NULL;\n"
    "    if (left >= 0 && left-- == 0)\n        return NULL;\n"
    "    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;\n}\n"
    "int main(void)\n{\n"
    "    float *input = aligned_alloc(64, net_inputs[0].elements * sizeof *input + 64);\n"
    "    float *output[NET_OUTPUTS], *first = malloc(net_outputs[0].elements * sizeof *first);\n"
    "    const float *inputs[] = {input}, *odd[] = {input + 1};\n"
    "    size_t bytes = net_outputs[0].elements * sizeof *first;\n"
    "    int refused = 0, failed = 0;\n    net *self = NULL;\n"
    "    double seconds[NET_STEPS];\n"
    "    for (size_t i = 0; i < net_inputs[0].elements; i++)\n        input[i] = (float)(i % 7);\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n"
    "        output[i] = malloc(net_outputs[i].elements * sizeof **output);\n"
    "    for (int n = 0; !self; n++) {\n        left = n;\n        self = net_create(0);\n"
    "        refused += !self && strstr(net_error(), \"out of memory\") != NULL;\n"
    "        if (!self && n >= refused)\n            return 1;\n    }\n"
    "    left = -1;\n"
    "    if (refused < 2 || net_run(self, inputs, output) != 0)\n        return 2;\n"
    "    memcpy(first, output[0], bytes);\n"
    "    for (int n = 0, status = -1; status != 0; n++) {\n        left = n;\n"
    "        status = n % 2 ? net_profile(self, inputs, output, seconds)\n"
    "                       : net_run(self, inputs, output);\n"
    "        failed += status != 0 && strstr(net_error(), \"launching\") != NULL;\n"
    "        if (status != 0 && n >= failed)\n            return 3;\n    }\n"
    "    left = -1;\n"
    "    if (failed < 1 || memcmp(first, output[0], bytes) != 0)\n        return 4;\n"
    "    if (net_run_device(self, odd, output, NULL) != -1 || !strstr(net_error(), \"aligned\"))\n"
    "        return 5;\n"
    "    memset(output[0], 0xff, bytes);\n"
    "    if (net_run_device(self, inputs, output, NULL) != 0 || memcmp(first, output[0], bytes) != "
    "0)\n        return 6;\n"
    "    net_destroy(self);\n    net_destroy(NULL);\n    free(first);\n    free(input);\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n        free(output[i]);\n    return 0;\n}\n";

CHECK_TEST(nets_run_at_once_and_report_failures)
{
    static network_draw network;

    draw_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    CHECK_PROGRAM(build);
    check_runs(two_nets);
    check_runs(without_memory);
    network_free(&network);
    remove_tree(folder);
}

/* The names of HIP's runtime, on the emulated one. Values that HIP has for devices of CUDA only are
 * refused, as they are by devices of AMD. */
static const char hip_runtime[] =
    "#include \"../../emulate.h\"\n"
    "#define HIP(name) typedef emulated##name hip##name\n"
    "HIP(Error_t);\nHIP(Stream_t);\nHIP(Event_t);\n"
    "typedef enum hipDeviceAttribute_t {\n"
    "    hipDeviceAttributeMaxThreadsPerBlock = emulatedLimitMaxThreadsPerBlock,\n"
    "    hipDeviceAttributeMaxBlockDimX = emulatedLimitMaxBlockDimX,\n"
    "    hipDeviceAttributeMaxBlockDimY = emulatedLimitMaxBlockDimY,\n"
    "    hipDeviceAttributeMaxBlockDimZ = emulatedLimitMaxBlockDimZ,\n"
    "    hipDeviceAttributeMaxGridDimX = emulatedLimitMaxGridDimX,\n"
    "    hipDeviceAttributeMaxGridDimY = emulatedLimitMaxGridDimY,\n"
    "    hipDeviceAttributeMaxGridDimZ = emulatedLimitMaxGridDimZ,\n"
    "    hipDeviceAttributeMaxSharedMemoryPerBlock = emulatedLimitMaxSharedMemoryPerBlockOptin,\n"
    "    hipDeviceAttributeSharedMemPerBlockOptin = 1000\n"
    "} hipDeviceAttribute_t;\n"
    "static inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t limit, int "
    "device)\n{\n"
    "    return limit == hipDeviceAttributeSharedMemPerBlockOptin\n"
    "               ? emulatedErrorInvalidConfiguration\n"
    "               : emulatedDeviceGetAttribute(value, (emulatedLimit)limit, device);\n}\n"
    "#define hipSuccess emulatedSuccess\n#define hipGetErrorString emulatedGetErrorString\n"
    "#define hipGetLastError emulatedGetLastError\n#define hipGetDevice emulatedGetDevice\n"
    "#define hipSetDevice emulatedSetDevice\n#define hipMalloc emulatedMalloc\n"
    "#define hipFree emulatedFree\n#define hipMemset emulatedMemset\n"
    "#define hipMemcpy emulatedMemcpy\n#define hipMemcpyAsync emulatedMemcpyAsync\n"
    "#define hipMemcpyHostToDevice emulatedMemcpyHostToDevice\n"
    "#define hipMemcpyDeviceToHost emulatedMemcpyDeviceToHost\n"
    "#define hipMemcpyDeviceToDevice emulatedMemcpyDeviceToDevice\n"
    "#define hipStreamNonBlocking emulatedStreamNonBlocking\n"
    "#define hipStreamCreateWithFlags emulatedStreamCreateWithFlags\n"
    "#define hipStreamDestroy emulatedStreamDestroy\n"
    "#define hipStreamSynchronize emulatedStreamSynchronize\n"
    "#define hipEventCreate emulatedEventCreate\n#define hipEventDestroy emulatedEventDestroy\n"
    "#define hipEventRecord emulatedEventRecord\n"
    "#define hipEventElapsedTime emulatedEventElapsedTime\n"
    "#define hipFuncSetAttribute emulatedFuncSetAttribute\n"
    "#define hipFuncAttributeMaxDynamicSharedMemorySize "
    "emulatedFuncAttributeMaxDynamicSharedMemorySize\n"
    "#define hipLaunchKernel emulatedLaunchKernel\n";

/* Limits are asked for by names that HIP answers. */
CHECK_TEST(hip_is_asked_for_what_it_has)
{
    static const char *const mine[] = {
        "sh", "-c",
        "cd network_gpu_test; rm run.emulated libnet_emulated.a net_emulated; "
        "cc -O1 -Wall -Wextra -Werror -DNET_HIP -Istand_in -c -o run.emulated run.c && "
        "touch run.emulated && make -s net_emulated && ./net_emulated",
        NULL};
    static network_draw network;

    draw_network(&network);
    write_library(&network.super, OPEVO_KERNEL_HIP);
    assert_int_equal(mkdir("network_gpu_test/stand_in", 0777), 0);
    assert_int_equal(mkdir("network_gpu_test/stand_in/hip", 0777), 0);
    write_file("stand_in/hip/hip_runtime_api.h", hip_runtime);
    CHECK_PROGRAM(emulate);
    CHECK_PROGRAM(mine);
    network_free(&network);
    remove_tree(folder);
}

/* ---- Compilers for devices ---- */

static bool clang_compiles(const char *const *arguments, const char *file)
{
    const char *all[BUILD_ARGUMENTS + 8] = {NULL};
    char path[256];
    int count = 0;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    for (; arguments[count]; count++)
        all[count] = arguments[count];
    all[count++] = "-include";
    all[count++] = "network_gpu_test/words.h";
    all[count] = path;
    return program_succeeds(all);
}

static bool is_there(const char *file)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    return access(path, R_OK) == 0;
}

CHECK_TEST(files_compile_for_devices)
{
    static const struct {
        opevo_kernel_dialect dialect;
        const char *ending;
        const char *const *arguments;
    } devices[] = {{OPEVO_KERNEL_CUDA, "cu", device_cuda}, {OPEVO_KERNEL_HIP, "hip", device_hip}};
    static network_draw network;
    int compiled = 0;

    draw_network(&network);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        char file[32] = "";

        if (!has_device_compiler(devices[i].dialect))
            continue;
        write_library(&network.super, devices[i].dialect);
        write_file("words.h", device_words);
        snprintf(file, sizeof file, "move.%s", devices[i].ending);
        for (int k = 0; k == 0 || is_there(file); k++) {
            if (test_takes((size_t)k, i, 2)) {
                if (!clang_compiles(devices[i].arguments, file))
                    fail_msg("%s/%s does not compile for a device:\n%s", folder, file,
                             program_output);
                compiled++;
            }
            snprintf(file, sizeof file, "kernel_%03d.%s", k, devices[i].ending);
        }
    }
    network_free(&network);
    remove_tree(folder);
    if (!compiled)
        CHECK_SKIP("no clang compiles for devices");
}

/* Whether a plain program has a device to run on. */
static const char plain_program[] =
    "#include <cuda_runtime.h>\n"
    "__global__ void kernel(float *a)\n{\n    a[threadIdx.x] = 1;\n}\n"
    "int main(void)\n{\n    float *a = NULL;\n"
    "    if (cudaMalloc((void **)&a, 128) != cudaSuccess)\n        return 2;\n"
    "    kernel<<<1, 32>>>(a);\n"
    "    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;\n}\n";

/* With CUDA's own compiler. Where a plain program finds no device, the library says what is
 * missing, and its program ends with status 2. */
CHECK_TEST(nvcc_builds_it)
{
    static const char *const plain[] = {
        "sh", "-c",
        "cd network_gpu_test && nvcc -O1 -arch=sm_80 -o plain plain.cu && "
        "cc -fsyntax-only -I\"$(dirname \"$(readlink -f \"$(command -v nvcc)\")\")/../include\" "
        "-include cuda_runtime_api.h -x c /dev/null",
        NULL};
    static const char *const make[] = {"make",
                                       "-s",
                                       "-j2",
                                       "-C",
                                       folder,
                                       "net",
                                       "NVCC=nvcc",
                                       "CFLAGS=-O1 -Wall -Wextra -Werror",
                                       "CUDA=$(dir $(realpath $(shell command -v nvcc)))..",
                                       "NVCCFLAGS=-O1 -arch=sm_80",
                                       NULL};
    static const char *const run[] = {
        "sh", "-c",
        "cd network_gpu_test; ./plain; there=$?; ./net >out 2>&1; status=$?; "
        "cat out; echo \"A plain program ends with status $there, net with $status.\"; "
        "[ $there -gt 2 ] || { [ $status = $there ] && { [ $status = 0 ] || grep -q '^net: ' out; "
        "}; }",
        NULL};
    static network_draw network;

    draw_moving_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    write_file("plain.cu", plain_program);
    if (!program_succeeds(plain)) {
        remove_tree(folder);
        CHECK_SKIP("no nvcc that builds programs, with its headers");
    }
    CHECK_PROGRAM(make);
    CHECK_PROGRAM(run);
    network_free(&network);
    remove_tree(folder);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
