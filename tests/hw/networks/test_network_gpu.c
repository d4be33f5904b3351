/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks for GPUs, on a CPU: their own kernels, plan and runtime, compiled by a C
 * compiler, compute what the definitions do, and spoilt plans are rejected. OPEVO_TEST_POINTS
 * raises the number of random networks and, in the long run, of light models. */

#include "gpu_libraries.h"
#include "grown_networks.h"
#include "light_models.h"
#include "passed_networks.h"
#include "points.h"

/* ---- Libraries ---- */

/* Every kind of step, with all passes and with few of them, which leaves copies as they are. */
CHECK_TEST(random_networks_are_right)
{
    static const char *const passes[] = {"fold,split,drop,scale,fuse", "fold,split,drop",
                                         "fold,split,drop,scale,fuse,block"};
    int chosen = 0;

    for (int i = 0; i < (int)test_most_points(9); i++) {
        static grown made;
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;

        grow_network(&made, (uint64_t)i, &network);
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        inference->block = 2;
        CHECK_OK(opevo_network_inference_pass(inference, mask_of(passes[i % 3]), &err));
        write_chosen(inference, i % 2 ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA,
                     i % 4 == 0 ? NULL : &chosen);
        if (!program_succeeds(emulate))
            fail_msg("The library of network %d is wrong; it is in %s:\n%s", i, folder,
                     program_output);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    assert_true(chosen > 0);
    remove_tree(folder);
}

/* The smallest first; in the long run only, as they are thousands of lines of kernels. */
CHECK_TEST(light_models_are_right)
{
    static const char *const models[] = {"squeezenet",   "shufflenet", "bvlc_alexnet",
                                         "inception_v1", "zfnet512",   "inception_v2",
                                         "densenet121",  "resnet50",   "vgg19"};
    const int most = sizeof models / sizeof *models;

    for (int i = 0; i < most && i < (int)test_size(0, test_points(2)); i++) {
        opevo_network *network = read_light_model(models[i]);
        opevo_network_inference *inference = NULL;

        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, mask_of("fold"), &err));
        draw_weights(inference);
        CHECK_OK(
            opevo_network_inference_pass(inference, mask_of("fold,split,drop,scale,fuse"), &err));
        write_library(inference, OPEVO_KERNEL_CUDA);
        if (!program_succeeds(emulate))
            fail_msg("The library of %s is wrong; it is in %s:\n%s", models[i], folder,
                     program_output);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    remove_tree(folder);
}

/* A step with more products than the parameters of a sketch: its kernels are plain loops, which
 * threads divide too. */
CHECK_TEST(plain_kernels_are_right)
{
    enum { PRODUCTS = 10 };
    static network_draw network;
    const int64_t left[] = {2, 2, 2, 2, 3}, right[] = {3, 2, 2, 2, 2}, size[] = {2, 2, 2, 2, 2, 2};
    opevo_text text = {0};
    int inputs[2], output = 0;
    opevo_network_step *step = NULL;

    network_start(&network);
    inputs[0] = network_input(&network, 5, left);
    inputs[1] = network_input(&network, 5, right);
    output = network_value(&network, 6, size);
    step = network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, output);
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
    network_define(step, opevo_text_string(&text));
    network_output(&network, output);
    assert_int_equal(write_library(&network.super, OPEVO_KERNEL_CUDA), 1);
    CHECK_PROGRAM(emulate);
    opevo_text_free(&text);
    network_free(&network);
    remove_tree(folder);
}

/* No kernel of a product of so many dimensions is the start, but there are some to choose from. */
CHECK_TEST(kernels_without_a_start_can_be_chosen)
{
    static network_draw network;
    const opevo_network_library_options options = {
        .dialect = OPEVO_KERNEL_CUDA, .threads = 1, .model = "m", .version = "0"};
    const int64_t size[] = {2, 2, 2, 2, 2, 2, 2, 2};
    opevo_network_library *library = NULL;
    opevo_network_step *step = NULL;
    int inputs[2], output = 0;

    network_start(&network);
    for (int i = 0; i < 2; i++)
        inputs[i] = network_input(&network, 8, size);
    output = network_value(&network, 8, size);
    step = network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, output);
    for (int i = 0; i < 2; i++)
        network_read(step, inputs[i]);
    network_define(step, "X0[2,2,2,2,2,2,2,2]\nX1[2,2,2,2,2,2,2,2]\n"
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

/* All numbers behind `before`; outside the long run one of `kinds`, which are checked by turns. */
static int check_spoilt_by(const char *plan, const char *before, int64_t add, size_t kind,
                           size_t kinds)
{
    static char spoilt[1 << 20];
    int count = 0;

    for (; spoil(plan, before, count, add, spoilt); count++) {
        if (!test_takes((size_t)count, kind, kinds))
            continue;
        write_file("net.c", spoilt);
        CHECK_PROGRAM(build_plan);
        if (program_succeeds(check))
            fail_msg("A plan is not rejected in which number %d behind '%s' is %+lld.", count,
                     before, (long long)add);
    }
    return count;
}

static int check_spoilt(const char *plan, const char *before, int64_t add)
{
    return check_spoilt_by(plan, before, add, 0, 1);
}

/* Each offset of the plan is wrong once, by elements or by megabytes, in the long run by both; then
 * each number of blocks and of threads, each box. */
CHECK_TEST(spoilt_plans_are_rejected)
{
    static network_draw network;
    char *plan = NULL;
    size_t size = 0;
    int arena = 0;

    draw_moving_network(&network);
    write_library(&network.super, OPEVO_KERNEL_CUDA);
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(check);
    plan = read_file("net.c", &size);
    arena = check_spoilt_by(plan, "{NET_ARENA, ", 16, 0, 3);
    check_spoilt_by(plan, "{NET_ARENA, ", 1 << 20, 1, 3);
    check_spoilt_by(plan, "{NET_ARENA, ", -(1 << 20), 2, 3);
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
CHECK_TEST(spoilt_kernels_are_rejected)
{
    static const char head[] = "NET_FUNCTION(";
    static network_draw network;
    static char spoilt[1 << 20];
    char *plan = NULL, *kernel = NULL, *at = NULL;
    size_t size = 0;

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

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
