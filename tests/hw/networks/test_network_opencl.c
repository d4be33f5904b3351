/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks for OpenCL, built by make and run on the first device, which in tests is
 * PoCL: their outputs are those that the network has in double precision, in the schedules of a CPU
 * and of a GPU; spoilt copies are told from them, also by oclgrind; several nets run at once; what
 * fails is said.
 * OPEVO_TEST_POINTS raises the number of networks and of light models. */

#include "gpu_libraries.h"

#include <opevo/network_passes.h>

#include "light_models.h"
#include "points.h"

static const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_OPENCL, OPEVO_KERNEL_OPENCL_CPU};
static const char *const make_net[] = {
    "make", "-s", "-j2", "-C", folder, "net", "CFLAGS=-O1 -Wall -Wextra -Werror", NULL};
static const char *const run_net[] = {"network_gpu_test/net", "--data", folder, NULL};

static uint32_t mask_of(const char *names)
{
    uint32_t mask = 0;

    CHECK_OK(opevo_network_passes_named(names, &mask, &err));
    return mask;
}

static void check_library(const char *what)
{
    CHECK_PROGRAM(make_net);
    if (!program_succeeds(run_net))
        fail_msg("The library of %s is wrong; it is in %s:\n%s", what, folder, program_output);
}

CHECK_TEST(networks_are_right)
{
    static network_draw network;
    int chosen = 0;
    size_t count = test_points(4);

    for (size_t i = 0; i < count; i++) {
        if (i % 2)
            draw_moving_network(&network);
        else
            draw_network(&network);
        for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
            write_chosen(&network.super, dialects[d], i < 2 ? NULL : &chosen);
            check_library("a random network");
        }
        network_free(&network);
    }
    remove_tree(folder);
}

/* With --long only: against the reference of the library for a CPU, with all passes that it has. */
CHECK_TEST(light_models_are_right)
{
    static const char *const models[] = {"squeezenet", "shufflenet"};

    for (size_t i = 0; i < test_size(0, sizeof models / sizeof *models); i++) {
        opevo_network *network = read_light_model(models[i]);
        opevo_network_inference *inference = NULL;

        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, mask_of("fold"), &err));
        draw_weights(inference);
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        write_library(inference, OPEVO_KERNEL_OPENCL_CPU);
        check_library(models[i]);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    remove_tree(folder);
}

/* Replace the first `from` of a file. */
static void spoil(const char *file, const char *from, const char *to)
{
    size_t size = 0;
    char *text = read_file(file, &size), *at = strstr(text, from);
    opevo_text other = {0};

    if (!at)
        fail_msg("%s has no %s", file, from);
    opevo_text_add_bytes(&other, text, (size_t)(at - text));
    opevo_text_printf(&other, "%s%s", to, at + strlen(from));
    write_file(file, opevo_text_string(&other));
    opevo_text_free(&other);
    free(text);
}

CHECK_TEST(spoilt_copies_fail)
{
    static const struct {
        const char *file, *from, *to, *said;
    } copies[] = {{"move.c", "from_at = from_first", "from_at = from_first + 1", "beyond 1e-3"},
                  {"kernel_000.c", "__kernel", "__kernel no_such_word", "building the kernel of"},
                  {"net.c", "256, 1, 1}", "128, 1, 1}", "other blocks and threads"}};
    static network_draw network;

    draw_moving_network(&network);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        write_library(&network.super, OPEVO_KERNEL_OPENCL);
        spoil(copies[i].file, copies[i].from, copies[i].to);
        CHECK_PROGRAM(make_net);
        assert_false(program_succeeds(run_net));
        if (!strstr(program_output, copies[i].said))
            fail_msg("%s: %s", copies[i].said, program_output);
    }
    network_free(&network);
    remove_tree(folder);
}

/* An interpreter that judges races and accesses on its own. What it says of values that nothing
 * wrote is wrong behind instructions that it does not know. */
CHECK_TEST(oclgrind_finds_nothing)
{
    static const char *const judge[] = {
        "sh", "-c",
        "oclgrind --data-races --check-api --log judged network_gpu_test/net "
        "--data "
        "network_gpu_test; status=$?; cat judged; [ $status = 0 ] && [ ! -s judged ]",
        NULL};
    static network_draw network;

    if (!program_succeeds((const char *const[]){"oclgrind", "--version", NULL}))
        CHECK_SKIP("oclgrind is not installed");
    draw_moving_network(&network);
    write_library(&network.super, OPEVO_KERNEL_OPENCL);
    CHECK_PROGRAM(make_net);
    CHECK_PROGRAM(judge);
    spoil("kernel_000.c", "barrier(CLK_LOCAL_MEM_FENCE);", "");
    CHECK_PROGRAM(make_net);
    assert_false(program_succeeds(judge));
    assert_non_null(strstr(program_output, "data race"));
    network_free(&network);
    remove_tree(folder);
}

CHECK_TEST(missing_devices_are_said)
{
    static const char *const elsewhere[] = {
        "sh", "-c", "NET_DEVICE=63 network_gpu_test/net --data network_gpu_test; [ $? = 2 ]", NULL};
    static network_draw network;

    draw_moving_network(&network);
    write_library(&network.super, OPEVO_KERNEL_OPENCL);
    CHECK_PROGRAM(make_net);
    CHECK_PROGRAM(elsewhere);
    assert_non_null(strstr(program_output, "OpenCL finds no such device"));
    network_free(&network);
    remove_tree(folder);
}

CHECK_TEST(nets_run_at_once)
{
    static const char *const compile[] = {"cc",
                                          "-D_GNU_SOURCE",
                                          "-Wall",
                                          "-Wextra",
                                          "-Werror",
                                          "-o",
                                          "network_gpu_test/caller",
                                          "network_gpu_test/caller.c",
                                          "network_gpu_test/libnet.a",
                                          "-lOpenCL",
                                          "-lm",
                                          "-lpthread",
                                          NULL};
    static const char *const run[] = {"network_gpu_test/caller", NULL};
    static network_draw network;

    draw_network(&network);
    write_library(&network.super, OPEVO_KERNEL_OPENCL_CPU);
    write_file("caller.c", two_nets);
    CHECK_PROGRAM(make_net);
    CHECK_PROGRAM(compile);
    CHECK_PROGRAM(run);
    network_free(&network);
    remove_tree(folder);
}

/* A plain program that finds a device. */
static bool has_device(void)
{
    static const char *const compile[] = {"sh", "-c",
                                          "cc -DCL_TARGET_OPENCL_VERSION=120 -o plain plain.c "
                                          "-lOpenCL && ./plain",
                                          NULL};
    FILE *file = fopen("plain.c", "w");

    if (!file)
        return false;
    fputs("#include <CL/cl.h>\nint main(void)\n{\n    cl_platform_id p;\n    cl_device_id d;\n"
          "    return clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS ||\n"
          "           clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL) != CL_SUCCESS;\n}\n",
          file);
    return fclose(file) == 0 && program_succeeds(compile);
}

int main(void)
{
    if (!enter_folder())
        return 1;
    setenv("POCL_KERNEL_CACHE", "0", 0);
    if (!has_device()) {
        puts("skipped: no OpenCL device, or no headers: install pocl-opencl-icd and "
             "ocl-icd-opencl-dev");
        leave_folder(0);
        return 77;
    }
    return leave_folder(check_tests(NULL, NULL));
}
