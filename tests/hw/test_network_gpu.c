/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks for GPUs, on a CPU: their own kernels, plan and runtime, compiled by a C
 * compiler, compute what the definitions do; spoilt plans are rejected; failures of the device are
 * reported. Where there are compilers for devices, the same files are compiled by them. OPEVO_TEST_POINTS
 * raises the number of random networks and of light models. */

#include "grown_networks.h"
#include "library_networks.h"
#include "light_models.h"
#include "passed_networks.h"
#include "points.h"

#include "device_fixture.h"

#include <opevo/network_library.h>
#include <opevo/sketch.h>

#include <sys/stat.h>

static const char folder[] = "network_gpu_test";
static const char *const emulate[] = {
    "make", "-s", "-j2", "-C", folder, "emulate", "CFLAGS=-O1 -Wall -Wextra -Werror", NULL};
/* Plans and kernels are spoilt faster than some file systems' times of files advance. */
static const char *const build[] = {"make",
                                    "-s",
                                    "-j2",
                                    "-W",
                                    "net.c",
                                    "-W",
                                    "kernel_000.cu",
                                    "-C",
                                    folder,
                                    "net_emulated",
                                    "CFLAGS=-O1 -Wall -Wextra -Werror",
                                    NULL};
static const char *const build_plan[] = {
    "make", "-s", "-W", "net.c", "-C", folder, "net_emulated", "CFLAGS=-O0 -Wall -Wextra -Werror",
    NULL};
static const char *const check[] = {"network_gpu_test/net_emulated", "--data", folder, NULL};

/* ---- Libraries ---- */

/* A point of the space that the constraints allow; false where none was drawn. */
static bool draw_point(const opevo_space *space, opevo_index *out)
{
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];

    for (int tries = 0; tries < 5000; tries++) {
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
            vertex[i] = OPEVO_INACTIVE;
            if (opevo_space_is_active(space, i, vertex))
                vertex[i] = opevo_parameter_size(opevo_space_parameter(space, i)) *
                                (opevo_index)draw(&network_seed, 1 << 20) >>
                            20;
        }
        *out = opevo_space_encode(space, vertex);
        if (opevo_space_allows(space, *out))
            return true;
    }
    return false;
}

/* As after tuning: other kernels for the tasks, of random points. */
static int choose_kernels(opevo_network_library *library, opevo_kernel_dialect dialect)
{
    const opevo_sketch_target target = {.dialect = dialect, .cores = 1, .threads = 1};
    int chosen = 0;

    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_task *task = opevo_network_library_task(library, t);
        opevo_computation *computation = NULL;
        opevo_kernel_maker *maker = NULL;
        opevo_index point = 0;

        CHECK_OK(opevo_computation_parse(task->text, "task", NULL, 0, &computation, &err));
        CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
        if (draw_point(maker->space, &point))
            chosen +=
                opevo_network_library_choose(library, t, maker, point, 1e-6, NULL) == OPEVO_OK;
        maker->ops->destroy(maker);
    }
    return chosen;
}

/* How many of its kernels are plain loops. Chosen: how many have kernels of random points; NULL for
 * those of analytic starts. */
static int write_chosen(const opevo_inference *inference, opevo_kernel_dialect dialect, int *chosen)
{
    const opevo_network_library_options options = {
        .dialect = dialect, .threads = 1, .seed = 5, .model = "a */ test\n", .version = "0"};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};
    int plain = 0;

    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    if (chosen)
        *chosen += choose_kernels(library, dialect);
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    assert_true((double)sizes.arena_bytes <= 1.2 * (double)sizes.peak_bytes);
    for (int t = 0; t < opevo_network_library_tasks(library); t++)
        plain += opevo_network_library_task(library, t)->fallback != NULL;
    opevo_network_library_destroy(library);
    return plain;
}

static int write_library(const opevo_inference *inference, opevo_kernel_dialect dialect)
{
    return write_chosen(inference, dialect, NULL);
}

/* Every kind of step, with all passes and with few of them, which leaves copies as they are. */
static void random_networks_are_right(void **test)
{
    static const char *const passes[] = {"fold,split,drop,scale,fuse", "fold,split,drop",
                                         "fold,split,drop,scale,fuse,block"};
    int chosen = 0;

    (void)test;
    for (int i = 0; i < (int)test_points(9); i++) {
        static grown made;
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;

        grow_network(&made, (uint64_t)i, &network);
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        inference->block = 2;
        CHECK_OK(opevo_inference_pass(inference, mask_of(passes[i % 3]), &err));
        write_chosen(inference, i % 2 ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA,
                     i < 3 ? NULL : &chosen);
        if (!program_succeeds(emulate))
            fail_msg("The library of network %d is wrong; it is in %s:\n%s", i, folder,
                     program_output);
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    assert_true(chosen > 0);
    remove_tree(folder);
}

/* The smallest first. */
static void light_models_are_right(void **test)
{
    static const char *const models[] = {"squeezenet",   "shufflenet", "bvlc_alexnet",
                                         "inception_v1", "zfnet512",   "inception_v2",
                                         "densenet121",  "resnet50",   "vgg19"};
    const int most = sizeof models / sizeof *models;

    (void)test;
    for (int i = 0; i < most && i < (int)test_points(2); i++) {
        opevo_network *network = read_light_model(models[i]);
        opevo_inference *inference = NULL;

        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, mask_of("fold"), &err));
        draw_weights(inference);
        CHECK_OK(opevo_inference_pass(inference, mask_of("fold,split,drop,scale,fuse"), &err));
        write_library(inference, OPEVO_KERNEL_CUDA);
        if (!program_succeeds(emulate))
            fail_msg("The library of %s is wrong; it is in %s:\n%s", models[i], folder,
                     program_output);
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    remove_tree(folder);
}

/* A step with more products than the parameters of a sketch: its kernels are plain loops, which threads
 * divide too. */
static void plain_kernels_are_right(void **test)
{
    enum { PRODUCTS = 10 };
    static network_draw network;
    const int64_t left[] = {2, 2, 2, 2, 3}, right[] = {3, 2, 2, 2, 2}, size[] = {2, 2, 2, 2, 2, 2};
    opevo_text text = {0};
    int inputs[2], output = 0;
    opevo_net_step *step = NULL;

    (void)test;
    network_start(&network);
    inputs[0] = network_input(&network, 5, left);
    inputs[1] = network_input(&network, 5, right);
    output = network_value(&network, 6, size);
    step = network_step(&network, OPEVO_NET_STEP_COMPUTE, output);
    network_read(step, inputs[0]);
    network_read(step, inputs[1]);
    opevo_text_add(&text, "X0[2,2,2,2,3]\nX1[3,2,2,2,2]\n");
    for (int i = 0; i < PRODUCTS; i++)
        opevo_text_printf(&text,
                          "T%d[a:2,b:2,c:2,d:2,e:2,f:2] = sum(g:3,h:2) "
                          "X0[a,b,c,h,g]*X1[g,h,d,e,f]*%d\n",
                          i, i + 1);
    opevo_text_add(&text, "Y0[a:2,b:2,c:2,d:2,e:2,f:2] = T0[a,b,c,d,e,f]");
    for (int i = 1; i < PRODUCTS; i++)
        opevo_text_printf(&text, " + T%d[a,b,c,d,e,f]", i);
    step->text = (char *)opevo_text_string(&text);
    network_output(&network, output);
    assert_int_equal(write_library(&network.super, OPEVO_KERNEL_CUDA), 1);
    CHECK_PROGRAM(emulate);
    opevo_text_free(&text);
    network_free(&network);
    remove_tree(folder);
}

/* No kernel of a product of so many dimensions is the start, but there are some to choose from. */
static void kernels_without_a_start_can_be_chosen(void **test)
{
    static network_draw network;
    const opevo_network_library_options options = {
        .dialect = OPEVO_KERNEL_CUDA, .threads = 1, .model = "m", .version = "0"};
    const int64_t size[] = {2, 2, 2, 2, 2, 2, 2, 2};
    opevo_network_library *library = NULL;
    opevo_net_step *step = NULL;
    int inputs[2], output = 0;

    (void)test;
    network_start(&network);
    for (int i = 0; i < 2; i++)
        inputs[i] = network_input(&network, 8, size);
    output = network_value(&network, 8, size);
    step = network_step(&network, OPEVO_NET_STEP_COMPUTE, output);
    for (int i = 0; i < 2; i++)
        network_read(step, inputs[i]);
    snprintf(step->text, sizeof network.text[0],
             "X0[2,2,2,2,2,2,2,2]\nX1[2,2,2,2,2,2,2,2]\n"
             "Y0[a:2,b:2,c:2,d:2,e:2,f:2,m:2,n:2] = sum(k:2) "
             "X0[a,b,c,d,e,f,m,k]*X1[a,b,c,d,e,f,k,n]");
    network_output(&network, output);
    CHECK_OK(opevo_network_library_create(&network.super, &options, &library, &err));
    assert_non_null(opevo_network_library_task(library, 0)->fallback);
    assert_true(opevo_network_library_task(library, 0)->has_sketches);
    opevo_network_library_destroy(library);
    network_free(&network);
}

/* ---- Spoilt plans ---- */

static char *read_file(const char *name, size_t *size)
{
    char path[256], *data = calloc(1, 1 << 20);
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_true(data && file);
    *size = fread(data, 1, (1 << 20) - 1, file);
    fclose(file);
    return data;
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The n-th number behind `before` in the plan becomes another; false where there are fewer. */
static bool spoil(const char *plan, const char *before, int n, int64_t add, char *out)
{
    const char *at = plan;
    char *end = NULL;
    int64_t number = 0;

    for (int i = 0; at && i <= n; i++) {
        at = strstr(at, before);
        at = at ? at + strlen(before) : NULL;
    }
    if (!at)
        return false;
    number = strtoll(at, &end, 10) + add;
    sprintf(out, "%.*s%lld%s", (int)(at - plan), plan, (long long)number, end);
    return true;
}

static int check_spoilt(const char *plan, const char *before, int64_t add)
{
    static char spoilt[1 << 20];
    int count = 0;

    for (; spoil(plan, before, count, add, spoilt); count++) {
        write_file("net.c", spoilt);
        CHECK_PROGRAM(build_plan);
        if (program_succeeds(check))
            fail_msg("A plan is not rejected in which number %d behind '%s' is %+lld.", count,
                     before, (long long)add);
    }
    return count;
}

/* Convolutions, a residual, element-wise steps in place and parts that are moved; no scratch memory. */
static void draw_moving_network(network_draw *self)
{
    const int64_t size[] = {1, 3, 6, 5}, joined[] = {1, 16, 6, 5};
    int from = 0, parts[2], value = 0;

    network_start(self);
    from = network_input(self, 4, size);
    from = add_convolution(self, from, 8, -1);
    value = add_convolution(self, from, 8, -1);
    from = add_element_wise(self, add_convolution(self, value, 8, from), "X0[0,c,y,x]*2 + 1");
    for (int i = 0; i < 2; i++)
        parts[i] = from;
    value = network_view(self, network_join(self, parts, 2), 4, joined);
    network_output(self, add_element_wise(self, value, "X0[0,c,y,x] - 3"));
}

/* Each offset of the plan is wrong once, by elements and by megabytes, then each number of blocks and of
 * threads, each box. */
static void spoilt_plans_are_rejected(void **test)
{
    static network_draw network;
    char *plan = NULL;
    size_t size = 0;
    int arena = 0;

    (void)test;
    draw_moving_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(check);
    plan = read_file("net.c", &size);
    arena = check_spoilt(plan, "{NET_ARENA, ", 16);
    assert_int_equal(check_spoilt(plan, "{NET_ARENA, ", 1 << 20), arena);
    assert_int_equal(check_spoilt(plan, "{NET_ARENA, ", -(1 << 20)), arena);
    assert_true(arena > 10);
    assert_true(check_spoilt(plan, "{NET_WEIGHTS, ", 16) >= 6);
    assert_true(check_spoilt(plan, "{NET_INPUT, ", 4) >= 1);
    assert_true(check_spoilt(plan, "[0], {", 1) >= 3);
    assert_true(check_spoilt(plan, ", 1, 1}, {", -1) >= 5);
    assert_true(check_spoilt(plan, "&(const net_box){", -1) >= 2);
    free(plan);
    network_free(&network);
    remove_tree(folder);
}

/* A kernel and its plan agree on too few blocks or on too many threads. */
static void spoilt_kernels_are_rejected(void **test)
{
    static const char head[] = "NET_FUNCTION(";
    static network_draw network;
    static char spoilt[1 << 20];
    char *plan = NULL, *kernel = NULL, *at = NULL;
    size_t size = 0;

    (void)test;
    network_start(&network);
    network_output(&network,
                   add_element_wise(&network, network_input(&network, 4, (int64_t[]){1, 8, 32, 32}),
                                    "X0[0,c,y,x]*2 + 1"));
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(check);
    plan = read_file("net.c", &size);
    kernel = read_file("kernel_000.cu", &size);
    at = strstr(kernel, head);
    assert_non_null(at);
    assert_true(spoil(plan, "[0], {", 0, -1, spoilt));
    write_file("net.c", spoilt);
    assert_true(spoil(kernel, "), {", 0, -1, spoilt));
    write_file("kernel_000.cu", spoilt);
    CHECK_PROGRAM(build);
    assert_false(program_succeeds(check));
    assert_true(spoil(plan, ", 1, 1}, {", 0, 2048, spoilt));
    write_file("net.c", spoilt);
    assert_true(spoil(kernel, ", 1, 1}, {", 0, 2048, spoilt));
    write_file("kernel_000.cu", spoilt);
    CHECK_PROGRAM(build);
    assert_false(program_succeeds(check));
    free(plan);
    free(kernel);
    network_free(&network);
    remove_tree(folder);
}

/* ---- Programs that call it ---- */

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
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(compile);
    CHECK_PROGRAM(run);
}

static void nets_run_at_once(void **test)
{
    static network_draw network;

    (void)test;
    draw_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    check_runs(two_nets);
    network_free(&network);
    remove_tree(folder);
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

static void failures_are_reported(void **test)
{
    static network_draw network;

    (void)test;
    draw_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    check_runs(without_memory);
    network_free(&network);
    remove_tree(folder);
}

/* The names of HIP's runtime, on the emulated one. Values that HIP has for devices of CUDA only are refused,
 * as they are by devices of AMD. */
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
static void hip_is_asked_for_what_it_has(void **test)
{
    static const char *const mine[] = {
        "sh", "-c",
        "cd network_gpu_test; rm run.emulated libnet_emulated.a net_emulated; "
        "cc -O1 -Wall -Wextra -Werror -DNET_HIP -Istand_in -c -o run.emulated run.c && "
        "touch run.emulated && make -s net_emulated && ./net_emulated",
        NULL};
    static network_draw network;

    (void)test;
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

static void files_compile_for_devices(void **test)
{
    static const struct {
        opevo_kernel_dialect dialect;
        const char *ending;
        const char *const *arguments;
    } devices[] = {{OPEVO_KERNEL_CUDA, "cu", device_cuda}, {OPEVO_KERNEL_HIP, "hip", device_hip}};
    static network_draw network;
    int compiled = 0;

    (void)test;
    draw_network(&network);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        char file[32] = "";

        if (!has_device_compiler(devices[i].dialect))
            continue;
        write_library(&network.super, devices[i].dialect);
        write_file("words.h", device_words);
        snprintf(file, sizeof file, "move.%s", devices[i].ending);
        for (int k = 0; k == 0 || is_there(file); k++) {
            if (!clang_compiles(devices[i].arguments, file))
                fail_msg("%s/%s does not compile for a device:\n%s", folder, file, program_output);
            compiled++;
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

/* With CUDA's own compiler. Where a plain program finds no device, the library says what is missing, and
 * its program ends with status 2. */
static void nvcc_builds_it(void **test)
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

    (void)test;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_models_are_right),
        cmocka_unit_test(random_networks_are_right),
        cmocka_unit_test(plain_kernels_are_right),
        cmocka_unit_test(kernels_without_a_start_can_be_chosen),
        cmocka_unit_test(spoilt_plans_are_rejected),
        cmocka_unit_test(spoilt_kernels_are_rejected),
        cmocka_unit_test(nets_run_at_once),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(hip_is_asked_for_what_it_has),
        cmocka_unit_test(files_compile_for_devices),
        cmocka_unit_test(nvcc_builds_it),
    };

    return enter_folder() ? leave_folder(cmocka_run_group_tests(tests, NULL, NULL)) : 1;
}
