/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A library of which not all tasks have sketches: the others are tuned, and what is said covers
 * those. It is one for a GPU (fake_gpu.c), since on a CPU all kernels have sketches. */

#include "../hw/cache_folder.h"
#include "../hw/fake_folder.h"
#include "../hw/networks/library_networks.h"

#include "network_cli_internal.h"

static network_draw network;

/* More products than the parameters of a sketch for a GPU. */
static void add_products(opevo_text *text)
{
    enum { PRODUCTS = 14 };
    const int64_t left[] = {2, 2, 2, 2, 3}, right[] = {3, 2, 2, 2, 2}, size[] = {2, 2, 2, 2, 2, 2};
    int inputs[] = {network_input(&network, 5, left), network_input(&network, 5, right)};
    int output = network_value(&network, 6, size);
    opevo_network_step *step = network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, output);

    network_read(step, inputs[0]);
    network_read(step, inputs[1]);
    opevo_text_add(text, "X0[2,2,2,2,3]\nX1[3,2,2,2,2]\n");
    for (int i = 0; i < PRODUCTS; i++)
        opevo_text_printf(text,
                          "T%d[a:2,b:2,c:2,d:2,e:2,f:2] = sum(g:3,h:2) "
                          "X0[a,b,c,h,g]*X1[g,h,d,e,f]*%d\n",
                          i, i + 1);
    opevo_text_add(text, "Y0[a:2,b:2,c:2,d:2,e:2,f:2] = T0[a,b,c,d,e,f]");
    for (int i = 1; i < PRODUCTS; i++)
        opevo_text_printf(text, " + T%d[a,b,c,d,e,f]", i);
    network_define(step, opevo_text_string(text));
    network_output(&network, output);
}

static opevo_status tune(opevo_text *out, opevo_error *error)
{
    static const char *const words[] = {"model.onnx", "-o", "folder",   "--on", "cuda:0",
                                        "--trials",   "2",  "--finals", "0",    "--quiet"};
    const opevo_network_library_options options = {
        .dialect = OPEVO_KERNEL_CUDA, .threads = 1, .model = "m", .version = "0"};
    opevo_i_cli_network_plan plan = {.inference = &network.super};
    opevo_network_library *library = NULL;
    opevo_status status = OPEVO_OK;
    opevo_call call = {0};
    int exit_code = 0;

    CHECK_OK(opevo_network_library_create(&network.super, &options, &library, &err));
    assert_non_null(opevo_network_library_task(library, 0)->fallback);
    assert_false(opevo_network_library_task(library, 0)->has_sketches);
    CHECK_OK(opevo_i_cli_call_parse(&opevo_i_cli_verb_network, sizeof words / sizeof *words,
                                    (char **)(void *)words, &call, &err));
    status = opevo_i_cli_library_tune(&call, &plan, &library, out, &exit_code, error);
    assert_int_equal(exit_code, 0);
    opevo_i_cli_call_free(&call);
    opevo_network_library_destroy(library);
    return status;
}

static void what_is_left_out_is_said(void **test)
{
    const int64_t size[] = {1, 2, 4, 4};
    opevo_text text = {0}, out = {0};

    (void)test;
    network_start(&network);
    add_products(&text);
    CHECK_FAILS(OPEVO_INVALID, "No computation of the network has sketches.", tune(&out, &err));
    network_output(&network,
                   add_element_wise(&network, network_input(&network, 4, size), "X0[0,c,y,x]*2"));
    CHECK_OK(tune(&out, &err));
    assert_non_null(strstr(out.data, "1 of 2 tasks, 2 trials, 0 of them from the store, 0 failed; "
                                     "predicted latency of 1 of 2 tasks: "));
    opevo_text_free(&text);
    opevo_text_free(&out);
    network_free(&network);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left_out_is_said)};

    (void)argc;
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
