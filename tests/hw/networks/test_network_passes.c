/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Passes over the steps of networks: before and after give the same results, on random networks
 * with random weights and on the light models of ONNX; spoilt steps, and memory that ends. */

#include "grown_networks.h"
#include "light_models.h"
#include "passed_networks.h"
#include "points.h"

#include <math.h>

#include <opevo/memory.h>
#include <opevo/network_passes.h>
#include <opevo/network_tasks.h>

/* ---- Before and after ----------------------------------------------------------------------- */

static int transformed; /* convolutions, by the pass `winograd` */

static double change_by(const opevo_network *network, const opevo_array *input,
                        const opevo_array *expected, const char *passes, int times)
{
    opevo_network_inference *inference = NULL;
    opevo_array result = {0};
    double change = 0;

    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->block = 2; /* of the 4 and 8 channels of random networks */
    inference->winograd.error = INFINITY;
    inference->winograd.tile = times == 1 ? 2 : 4;
    for (int i = 0; i < times; i++)
        CHECK_OK(opevo_network_inference_pass(inference, mask_of(passes), &err));
    result = run_it(inference, input);
    change = difference(expected, &result);
    transformed += inference->winograd.layers;
    opevo_array_free(&result);
    opevo_network_inference_destroy(inference);
    return change;
}

CHECK_TEST(test_results)
{
    static const char *const exact[] = {"fold", "split", "drop", "fold,split,drop"};
    static const char *const rounded[] = {"scale",
                                          "fuse",
                                          "scale,fuse",
                                          "fold,split,drop,scale,fuse",
                                          "block",
                                          "fuse,block",
                                          "fold,split,drop,scale,fuse,block",
                                          "fold,split,drop,scale,fuse,block,winograd"};

    for (uint64_t seed = 0; seed < test_size(100, 400); seed++) {
        opevo_network *network = NULL;
        opevo_array input = {0}, expected = {0};
        uint64_t numbers = seed;
        static grown made;

        grow_network(&made, seed, &network);
        input = make_array(4, (int64_t[]){1, 4, 5, 5}, &numbers);
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
            if (change_by(network, &input, &expected, exact[i], 2) != 0)
                fail_msg("seed %d: %s changes results.", (int)seed, exact[i]);
        }
        for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
            double change = change_by(network, &input, &expected, rounded[i], 1 + (int)(seed % 2));

            if (!(change <= ROUNDED))
                fail_msg("seed %d: %s changes results by %g.", (int)seed, rounded[i], change);
        }
        opevo_array_free(&input);
        opevo_array_free(&expected);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    assert_true((size_t)transformed > test_size(7, 30));
}

/* ---- What lies in blocks -------------------------------------------------------------------- */

/* Of these networks most have layers between layers, whose tensors lie in blocks; inputs and
 * outputs of the network never do, and a second pass finds nothing to do. */
CHECK_TEST(test_blocks)
{
    size_t networks = test_size(16, 60), blocked = 0;

    for (uint64_t seed = 0; seed < networks; seed++) {
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;
        static grown made;
        bool any = false;

        grow_network(&made, seed, &network);
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        inference->block = 2;
        for (int pass = 0; pass < 2; pass++)
            CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        check_texts(inference);
        for (int i = 0; i < inference->values; i++) {
            const opevo_network_tensor *value = &inference->value[i];

            assert_true(value->array.dims <= 5 || value->array.data);
            if (value->array.dims != 5 || value->array.data)
                continue;
            assert_int_equal(value->array.extent[4], 2);
            assert_false(value->input || value->output);
            any = true;
        }
        blocked += any;
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    assert_true(2 * blocked > networks);
}

/* A depthwise convolution reads the blocks that it writes, at the same place in a block. */
CHECK_TEST(test_depthwise_blocks)
{
    opevo_network_inference *inference = NULL;
    opevo_network *network = NULL;
    opevo_text text = {0};
    uint64_t numbers = 7;
    model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 4, 5, 5});
    add_weights(&made, "u", 4, (int64_t[]){4, 4, 1, 1}, -1, 1, &numbers);
    add_weights(&made, "v", 4, (int64_t[]){4, 1, 3, 3}, -1, 1, &numbers);
    add_node(&made, "Conv", "x u", "a");
    add_node(&made, "Conv", "a v", "b");
    add_int(&made, 1, "group", 4);
    add_node(&made, "Conv", "b u", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    inference->block = 2;
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 3);
    opevo_computation_print(inference->step[1].computation, "\n", &text);
    assert_non_null(strstr(opevo_text_string(&text), "X0[a0, a1, a2 + k1, a3 + k2, a4]"));
    opevo_text_free(&text);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* Whether the comparison above finds a spoilt result: a weight that is wrong by a hundredth, and a
 * step that reads another channel. */
CHECK_TEST(test_spoilt)
{
    for (int fault = 0; fault < 2; fault++) {
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;
        opevo_array input = {0}, expected = {0}, result = {0};
        opevo_network_step *step = NULL;
        opevo_computation *spoilt = NULL;
        uint64_t seed = 3;
        model made;

        model_start(&made);
        add_input(&made, "x", 4, (int64_t[]){1, 4, 3, 3});
        add_weights(&made, "w", 4, (int64_t[]){4, 4, 1, 1}, .5, 1, &seed);
        add_weights(&made, "s", 3, (int64_t[]){4, 1, 1}, 1.5, 2, &seed);
        add_node(&made, "Conv", "x w", "a");
        add_node(&made, "Mul", "a s", "b");
        add_node(&made, "Add", "b x", "y");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        input = make_array(4, (int64_t[]){1, 4, 3, 3}, &seed);
        CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        step = &inference->step[0];
        result = run_it(inference, &input);
        assert_true(difference(&expected, &result) <= ROUNDED);
        opevo_array_free(&result);
        if (fault == 0) {
            ((float *)inference->value[step->input[1]].array.data)[5] *= 1.01F;
        } else {
            spoilt = replaced_text(step->computation, "+ X0[a0, a1", "+ X0[a0, a0");
            opevo_computation_destroy(step->computation);
            step->computation = spoilt;
        }
        result = run_it(inference, &input);
        assert_true(difference(&expected, &result) > ROUNDED);
        opevo_array_free(&result);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        opevo_array_free(&input);
        opevo_array_free(&expected);
        model_finish(&made);
    }
}

/* Definitions that do not fit their step are refused by what reads them. */
CHECK_TEST(test_refused)
{
    static const char *const spoilt[] = {"X[3, 4]; Y0[a:3, b:4] = X[a, b]",
                                         "X7[3, 4]; Y0[a:3, b:4] = X7[a, b]",
                                         "X0[3, 4]; Z[a:3, b:4] = X0[a, b]"};

    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;
        uint32_t mask = 0;
        model made;

        model_start(&made);
        add_input(&made, "x", 2, (int64_t[]){3, 4});
        add_node(&made, "Exp", "x", "a");
        add_node(&made, "Relu", "a", "b");
        set_output(&made, "b");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        opevo_computation_destroy(inference->step[0].computation);
        inference->step[0].computation = computation_of(spoilt[i]);
        assert_int_equal(opevo_network_inference_pass(inference, mask_of("fuse"), &failure),
                         OPEVO_INVALID);
        assert_int_equal(opevo_network_passes_named("fuse,melt", &mask, &failure), OPEVO_INVALID);
        assert_non_null(strstr(failure.message, "unknown pass 'melt'"));
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* Wherever memory ends, passes say so and leave steps that can be destroyed, and nothing else. */
CHECK_TEST(test_memory)
{
    static grown made;
    opevo_network *network = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t live = 0, n = 0;
    int done = 0; /* in a row; where memory is only released earlier, passes do without */

    grow_network(&made, 11, &network);
    live = opevo_memory_live();
    while (done < 20) {
        opevo_network_inference *inference = NULL;
        opevo_network_tasks tasks = {0};

        n++;
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        opevo_memory_fail_at(n);
        status = opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &failure);
        if (status == OPEVO_OK)
            status = opevo_network_inference_tasks(inference, &tasks, &failure);
        opevo_memory_fail_at(0);
        opevo_network_tasks_free(&tasks);
        opevo_network_inference_destroy(inference);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        done = status == OPEVO_OK ? done + 1 : 0;
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_true(n > 100);
    opevo_network_destroy(network);
    model_finish(&made.model);
}

/* ---- The light models of ONNX --------------------------------------------------------------- */

/* Seeded weights in place of the constants: of unit variance times 1/sqrt(fan in), so that values
 * stay in range; those of channels, which may be variances, from 0.5 to 1.5. */
static void draw_weights(opevo_network_inference *inference)
{
    for (int i = 0; i < inference->values; i++) {
        opevo_array *array = &inference->value[i].array;
        uint64_t state = (uint64_t)i;
        int64_t count = opevo_array_elements(array);
        double fan = array->dims > 1 ? (double)count / (double)array->extent[0] : 0;

        if (!inference->value[i].owned || array->type != OPEVO_NETWORK_FLOAT32 || count < 2)
            continue;
        for (int64_t k = 0; k < count; k++) {
            double u = (double)draw(&state, 2001) / 1000 - 1;

            ((float *)array->data)[k] = (float)(fan > 0 ? u * sqrt(3 / fan) : 1 + u / 2);
        }
    }
}

/* Before and after all passes but folding, on random weights. Differences are those of roundings
 * in single precision of some fifty layers in a row. */
CHECK_TEST(test_light_results)
{
    opevo_network *network = read_light_model("shufflenet");
    opevo_array input = {0}, results[2] = {{0}, {0}};
    uint64_t seed = 1;

    input = make_array(4, (int64_t[]){1, 3, 224, 224}, &seed);
    for (int i = 0; i < 2; i++) {
        opevo_network_inference *inference = NULL;

        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, mask_of("fold"), &err));
        draw_weights(inference);
        if (i)
            CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        results[i] = run_it(inference, &input);
        opevo_network_inference_destroy(inference);
    }
    assert_true(difference(&results[0], &results[1]) <= 1e-4);
    opevo_array_free(&results[0]);
    opevo_array_free(&results[1]);
    opevo_array_free(&input);
    opevo_network_destroy(network);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
