/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of random small networks: compiled without a warning, they compute what the definitions
 * do, also several at once. OPEVO_TEST_POINTS raises the number of networks. */

#include "library_networks.h"
#include "light_models.h"
#include "points.h"

#include <opevo/network_library.h>
#include <opevo/network_passes.h>
#include <opevo/sketch.h>

#include <sys/stat.h>

/* ---- Libraries ---- */

static const char folder[] = "network_library_test";

static void write_checked(const opevo_network_inference *inference,
                          const opevo_network_inference *reference, unsigned threads)
{
    const opevo_network_library_options options = {.threads = threads,
                                                   .facts = {.vector_bits = 256},
                                                   .seed = 3,
                                                   .model = "a */ test\n",
                                                   .version = "0",
                                                   .reference = reference};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};

    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    for (int t = 0; t < opevo_network_library_tasks(library); t++)
        assert_null(opevo_network_library_task(library, t)->fallback);
    assert_true((double)sizes.arena_bytes <= 1.2 * (double)sizes.peak_bytes);
    opevo_network_library_destroy(library);
}

static void write_library(const opevo_network_inference *inference, unsigned threads)
{
    write_checked(inference, NULL, threads);
}

CHECK_TEST(results_are_right)
{
    static const char *const make[] = {
        "make", "-s",    "-C",
        folder, "check", "CFLAGS=-O2 -march=native -fno-math-errno -Wall -Wextra -Werror",
        NULL};
    static network_draw network;

    for (int i = 0; i < (int)test_points(4); i++) {
        draw_network(&network);
        write_library(&network.super, i % 2 ? 2 : 1);
        if (!program_succeeds(make))
            fail_msg("The library of network %d is wrong; it is in %s:\n%s", i, folder,
                     program_output);
        network_free(&network);
    }
    remove_tree(folder);
}

/* After all passes, with seeded weights. */
static opevo_network_inference *read_light(const opevo_network *network, uint64_t seed,
                                           double error)
{
    opevo_network_inference *inference = NULL;

    network_seed = seed;
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, 1, &err)); /* constants have values then */
    draw_weights(inference);
    inference->winograd.error = error;
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    return inference;
}

/* Real networks. Winograd's convolutions of SqueezeNet, on images of 55, 27 and 13 rows, give what
 * the network gives without them. */
CHECK_TEST(light_models_are_right)
{
    static const char *const quick[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -march=native -Wall -Wextra", NULL};
    static const char *const full[] = {"make", "-s", "-C", folder, "check", NULL};
    const char *const *make = test_size(0, 1) ? full : quick;
    static const char *const models[] = {"squeezenet", "shufflenet"};

    for (size_t i = 0; i < test_size(1, sizeof models / sizeof *models); i++) {
        opevo_network *network = read_light_model(models[i]);
        opevo_network_inference *inference = NULL, *reference = NULL;

        inference = read_light(network, i, i == 0 ? INFINITY : 0);
        if (i == 0) {
            assert_true(inference->winograd.layers >= 4);
            reference = read_light(network, i, 0);
        }
        write_checked(inference, reference, 2);
        if (!program_succeeds(make))
            fail_msg("The library of %s is wrong:\n%s", models[i], program_output);
        opevo_network_inference_destroy(inference);
        opevo_network_inference_destroy(reference);
        opevo_network_destroy(network);
    }
    remove_tree(folder);
}

/* The mean over whole images of channels in blocks, one or two vectors of them: the first part of
 * the sum sets what the others add to. */
CHECK_TEST(blocked_pools_are_right)
{
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O2 -march=native -Wall -Wextra -Werror",
        NULL};
    static network_draw network;

    for (int blocks = 1; blocks <= 2; blocks++) {
        const int64_t in[] = {1, blocks, 32, 32, 16}, out[] = {1, blocks, 1, 1, 16};
        opevo_network_step *step = NULL;
        char text[256];
        int from = 0;

        network_start(&network);
        from = network_input(&network, 5, in);
        network_output(&network, network_value(&network, 5, out));
        step = network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, network.outputs[0]);
        network_read(step, from);
        snprintf(text, sizeof text,
                 "X0[1,%d,32,32,16]\n"
                 "C[n:1,b:%d,y:1,x:1,c:16] = sum(i:32,j:32) X0[n,b,y + i,x + j,c]\n"
                 "Y0[n:1,b:%d,y:1,x:1,c:16] = C[n,b,y,x,c]/1024",
                 blocks, blocks, blocks);
        network_define(step, text);
        write_library(&network.super, 1);
        CHECK_PROGRAM(make);
        network_free(&network);
    }
    remove_tree(folder);
}

/* Without OpenMP it is compiled, too; other flags than -march=native give no warning either. */
CHECK_TEST(it_stands_alone)
{
    static const char *const make[] = {
        "make",  "-s", "-C", folder, "OPENMP=", "CFLAGS=-O1 -std=c11 -Wall -Wextra -Werror",
        "check", NULL};
    static network_draw network;

    draw_network(&network);
    write_library(&network.super, 2);
    CHECK_PROGRAM(make);
    network_free(&network);
    remove_tree(folder);
}

/* A spoilt weight is found by the program. */
CHECK_TEST(a_fault_is_found)
{
    static const char *const make[] = {"make", "-s", "-C", folder, NULL};
    static const char *const check[] = {"network_library_test/net", "--data", folder, NULL};
    static network_draw network;
    FILE *file = NULL;
    float wrong[64] = {0};

    draw_network(&network);
    write_library(&network.super, 1);
    file = fopen("network_library_test/weights.bin", "r+b");
    assert_non_null(file);
    for (int i = 0; i < 64; i++)
        wrong[i] = 5;
    assert_int_equal(fwrite(wrong, sizeof wrong, 1, file), 1);
    fclose(file);
    CHECK_PROGRAM(make);
    assert_false(program_succeeds(check));
    network_free(&network);
    remove_tree(folder);
}

/* Several nets at the same time, on one thread and on two. */
CHECK_TEST(nets_run_at_once)
{
    static const char *const make[] = {"make", "-s", "-C", folder, NULL};
    static const char *const build[] = {"cc",
                                        "-Wall",
                                        "-Wextra",
                                        "-Werror",
                                        "-fopenmp",
                                        "-o",
                                        "network_library_test/two",
                                        "network_library_test/two.c",
                                        "network_library_test/libnet.a",
                                        "-lm",
                                        "-lpthread",
                                        NULL};
    static const char *const two[] = {"network_library_test/two", NULL};
    static network_draw network;
    FILE *file = NULL;

    draw_network(&network);
    write_library(&network.super, 2);
    file = fopen("network_library_test/two.c", "w");
    assert_non_null(file);
    assert_true(fputs(two_nets, file) >= 0 && fclose(file) == 0);
    CHECK_PROGRAM(make);
    CHECK_PROGRAM(build);
    CHECK_PROGRAM(two);
    network_free(&network);
    remove_tree(folder);
}

/* A kernel for the task, at random or as analysis has it; false where none was found. */
static bool choose_any(opevo_network_library *library, int task, int64_t *packed, int64_t *scratch)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2};
    const opevo_computation *computation = opevo_network_library_task(library, task)->computation;
    opevo_kernel_maker *maker = NULL;
    const opevo_device_facts facts = {.vector_bits = 256};
    opevo_status made = OPEVO_INVALID;
    bool analytic = draw(&network_seed, 2) != 0;

    CHECK_OK(opevo_sketches_open(opevo_computation_share(computation), &target, &maker, &err));
    for (int tries = 0; tries < 20000 && made != OPEVO_OK; tries++) {
        opevo_index point = (((opevo_index)draw(&network_seed, UINT64_MAX) << 64) |
                             draw(&network_seed, UINT64_MAX)) %
                            opevo_space_size(maker->space);

        if (analytic)
            CHECK_OK(maker->ops->start(maker, &facts, &analytic, &point, &err));
        if (!opevo_space_allows(maker->space, point))
            continue;
        made =
            opevo_network_library_kernel_bytes(library, task, maker, point, packed, scratch, NULL);
        if (made == OPEVO_OK)
            CHECK_OK(opevo_network_library_choose(library, task, maker, point, 1, &err));
    }
    maker->ops->destroy(maker);
    return made == OPEVO_OK;
}

/* What kernels need adds up to what the library needs with them. */
CHECK_TEST(memory_of_kernels_adds_up)
{
    static network_draw network;
    const opevo_network_library_options options = {
        .threads = 2, .facts = {.vector_bits = 256}, .model = "m", .version = "0"};
    int rounds = (int)test_size(12, 40), changed = 0, with_packed = 0;

    for (int round = 0; round < rounds; round++) {
        opevo_network_library *library = NULL;
        opevo_network_library_sizes before = {0}, after = {0};
        int64_t own = 0, shared = 0;
        bool all = true;

        draw_network(&network);
        CHECK_OK(opevo_network_library_create(&network.super, &options, &library, &err));
        CHECK_OK(opevo_network_library_measure(library, &before, &err));
        for (int t = 0; t < opevo_network_library_tasks(library) && all; t++) {
            int64_t packed = -1, scratch = -1;

            all = choose_any(library, t, &packed, &scratch);
            own += packed;
            shared = scratch > shared ? scratch : shared;
            with_packed += packed > 0;
        }
        CHECK_OK(opevo_network_library_measure(library, &after, &err));
        if (all) {
            assert_int_equal(after.packed_bytes, own);
            assert_int_equal(after.scratch_bytes, shared);
            changed++;
        }
        assert_int_equal(after.arena_bytes, before.arena_bytes);
        assert_int_equal(after.weight_bytes, before.weight_bytes);
        opevo_network_library_destroy(library);
        network_free(&network);
    }
    assert_true(2 * changed > rounds);
    assert_true(10 * with_packed > rounds);
}

CHECK_TEST(what_has_no_code_is_refused)
{
    const opevo_network_library_options options = {.threads = 1, .model = "m", .version = "0"};
    opevo_network_library_options gpu = options;
    static network_draw network;
    opevo_network_library *library = NULL;
    int64_t size[] = {1, 4, 4, 4};
    int value = 0;

    network_start(&network);
    value = add_element_wise(&network, network_input(&network, 4, size), "max(X0[0,c,y,x], 0)");
    network_output(&network, value);
    network.step[0].kind = OPEVO_NETWORK_STEP_NODE;
    CHECK_FAILS(OPEVO_INVALID, "step 'v1' (v1): ",
                opevo_network_library_create(&network.super, &options, &library, &err));
    network.step[0].kind = OPEVO_NETWORK_STEP_COMPUTE;
    gpu.dialect = OPEVO_KERNEL_CUDA;
    network.value[network_input(&network, 4, size)].array.type = OPEVO_NETWORK_INT64;
    CHECK_FAILS(OPEVO_INVALID, "input 'v2' is of int64; a library for a GPU has float32 only.",
                opevo_network_library_create(&network.super, &gpu, &library, &err));
    network.super.inputs--;
    network_output(&network, 2);
    CHECK_FAILS(OPEVO_INVALID, "output 'v2' is of int64; a library for a GPU has float32 only.",
                opevo_network_library_create(&network.super, &gpu, &library, &err));
}

/* Elements that are moved only, no elements, and elements that are not finite. */
CHECK_TEST(what_computes_little_is_right)
{
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror", NULL};
    static network_draw network;
    int64_t size[] = {1, 4, 4, 4}, flat[] = {64}, both[] = {2, 64}, none = 0;
    int parts[2], value = 0;

    network_start(&network); /* joined and seen in another shape */
    for (int i = 0; i < 2; i++)
        parts[i] = network_view(&network, network_input(&network, 4, size), 1, flat);
    value = network_view(&network, network_join(&network, parts, 2), 2, both);
    network_output(&network, value);
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    network_start(&network); /* a constant */
    network_output(&network, network_constant(&network, 4, size, 1, &network_seed));
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    network_start(&network); /* no elements, then weights */
    parts[0] = network_input(&network, 4, size);
    parts[0] = network_join(&network, parts, 1);
    network_read(&network.step[0], network_constant(&network, 1, &none, 1, &network_seed));
    parts[1] = network_constant(&network, 4, size, 1, &network_seed);
    network_output(&network, parts[0]);
    network_output(&network, network_join(&network, parts, 2));
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    network_start(&network); /* roots of numbers below 0, and 1/0 */
    value = add_element_wise(&network, network_input(&network, 4, size), "sqrt(X0[0,c,y,x])");
    network_output(&network, value);
    value = add_element_wise(&network, value, "1/max(X0[0,c,y,x]*0, 0)");
    network_output(&network, value);
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    network_start(&network); /* logarithms, also of 0 and of numbers below 0 */
    parts[0] = network_input(&network, 4, size);
    value = add_element_wise(&network, parts[0], "log(X0[0,c,y,x])");
    network_output(&network, value);
    value = add_element_wise(&network, parts[0], "log(max(X0[0,c,y,x], 0))");
    network_output(&network, value);
    value = add_element_wise(&network, parts[0], "log(1 + exp(X0[0,c,y,x]))");
    network_output(&network, value);
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    remove_tree(folder);
}

/* Part of an input, from an element on, beside whole numbers: inputs are pointers to void then. */
CHECK_TEST(parts_of_mixed_inputs_are_right)
{
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror", NULL};
    static network_draw network;
    int64_t size[] = {24}, part[] = {9}, one[] = {1};
    opevo_network_step *step = NULL;
    int x = 0, y = 0;

    network_start(&network);
    x = network_input(&network, 1, size);
    network.value[network_input(&network, 1, one)].array.type = OPEVO_NETWORK_INT64;
    y = network_value(&network, 1, part);
    step = network_step(&network, OPEVO_NETWORK_STEP_COPY, y);
    network_read(step, x);
    step->copy[step->copies++] = (opevo_network_copy){
        .dims = 1, .extent = {9}, .from = 5, .from_stride = {2}, .to_stride = {1}};
    network_output(&network, y);
    write_library(&network.super, 1);
    CHECK_PROGRAM(make);
    network_free(&network);
    remove_tree(folder);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, NULL)) : 1;
}
