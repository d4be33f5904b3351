/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Passes over the steps of networks: before and after give the same results, on random networks with
 * random weights and on the light models of ONNX; what each removes, by hand; spoilt steps. */

#include "grown_networks.h"

#include <math.h>

#include <opevo/memory.h>
#include <opevo/network_passes.h>
#include <opevo/network_tasks.h>

/* ---- Before and after ----------------------------------------------------------------------- */

static opevo_array run_it(const opevo_inference *inference, const opevo_array *input)
{
    opevo_array result = {0};

    CHECK_OK(opevo_inference_run(inference, input, &result, 0, &err));
    return result;
}

/* Largest difference as a part of the largest element. */
static double difference(const opevo_array *a, const opevo_array *b)
{
    double most = 0, largest = 0;

    assert_int_equal(opevo_array_elements(a), opevo_array_elements(b));
    for (int64_t i = 0; i < opevo_array_elements(a); i++) {
        double x = (double)((float *)a->data)[i], y = (double)((float *)b->data)[i];

        assert_true(isfinite(x) && isfinite(y));
        most = fmax(most, fabs(x - y));
        largest = fmax(largest, fabs(x));
    }
    return largest > 0 ? most / largest : most;
}

static uint32_t mask_of(const char *names)
{
    uint32_t mask = 0;

    CHECK_OK(opevo_network_passes_named(names, &mask, &err));
    return mask;
}

static int transformed; /* convolutions, by the pass `winograd` */

static double change_by(const opevo_network *network, const opevo_array *input,
                        const opevo_array *expected, const char *passes, int times)
{
    opevo_inference *inference = NULL;
    opevo_array result = {0};
    double change = 0;

    CHECK_OK(opevo_inference_create(network, &inference, &err));
    inference->block = 2; /* of the 4 and 8 channels of random networks */
    inference->winograd.error = INFINITY;
    inference->winograd.tile = times == 1 ? 2 : 4;
    for (int i = 0; i < times; i++)
        CHECK_OK(opevo_inference_pass(inference, mask_of(passes), &err));
    result = run_it(inference, input);
    change = difference(expected, &result);
    transformed += inference->winograd.layers;
    opevo_array_free(&result);
    opevo_inference_destroy(inference);
    return change;
}

/* Moving and folding change no bit. Scaling rounds each weight once more, and joining leaves
 * roundings out: some units of the last place of the largest intermediate for each of the at most 15
 * steps in a row. Results are up to a hundred times smaller than these. Transforms round three numbers
 * more on the way of each result. */
#define ROUNDED 5e-5

static void test_results(void **state)
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

    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
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
    assert_true(transformed > 30);
}

/* ---- What lies in blocks -------------------------------------------------------------------- */

/* Of these networks most have layers between layers, whose tensors lie in blocks; inputs and outputs of
 * the network never do, and a second pass finds nothing to do. */
static void test_blocks(void **state)
{
    int blocked = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        static grown made;
        bool any = false;

        grow_network(&made, seed, &network);
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        inference->block = 2;
        for (int pass = 0; pass < 2; pass++)
            CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        for (int i = 0; i < inference->values; i++) {
            const opevo_net_tensor *value = &inference->value[i];

            assert_true(value->array.dims <= 5 || value->array.data);
            if (value->array.dims != 5 || value->array.data)
                continue;
            assert_int_equal(value->array.extent[4], 2);
            assert_false(value->input || value->output);
            any = true;
        }
        blocked += any;
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    assert_true(blocked > 30);
}

/* ---- What passes remove --------------------------------------------------------------------- */

static int count_kind(const opevo_inference *inference, opevo_net_step_kind kind)
{
    int count = 0;

    for (int n = 0; n < inference->steps; n++)
        count += inference->step[n].kind == kind;
    return count;
}

/* The only task of a network, after all passes. */
static const char *only_text(const opevo_inference *inference)
{
    assert_int_equal(inference->steps, 1);
    assert_int_equal(inference->step[0].kind, OPEVO_NET_STEP_COMPUTE);
    return inference->step[0].text;
}

/* A convolution and all that a step may take in is one step, and the operands of the sum and of the
 * product may stand in any order. */
static void test_layer(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        uint64_t seed = 1;
        model made;

        model_start(&made);
        add_input(&made, "x", 4, (int64_t[]){1, 3, 6, 6});
        add_input(&made, "r", 4, (int64_t[]){1, 4, 4, 4});
        add_weights(&made, "w", 4, (int64_t[]){4, 3, 3, 3}, -1, 1, &seed);
        for (int i = 0; i < 4; i++)
            add_weights(&made, (const char *[]){"a", "b", "c", "d"}[i], 1, (int64_t[]){4}, .5, 1,
                        &seed);
        add_weights(&made, "f", 4, (int64_t[]){1, 4, 1, 1}, .5, 1, &seed);
        add_node(&made, "Identity", "x", "x1");
        add_node(&made, "Conv", "x1 w", "t1");
        add_node(&made, "BatchNormalization", "t1 a b c d", "t2");
        add_node(&made, "Mul", turned ? "f t2" : "t2 f", "t3");
        add_node(&made, "Add", turned ? "r t3" : "t3 r", "t4");
        add_node(&made, "Relu", "t4", "t5");
        add_node(&made, "Dropout", "t5", "y mask");
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        assert_string_equal(
            only_text(inference),
            "X0[1, 3, 6, 6]\nconst X1[4, 3, 3, 3]\nconst X2[4]\nX3[1, 4, 4, 4]\n"
            "C[a0:1, a1:4, a2:4, a3:4] = sum(k0:3, k1:3, k2:3) X0[a0, k0, a2 + k1, a3 + "
            "k2]*X1[a1, k0, k1, k2]\n"
            "Y0[a0, a1, a2, a3] = max(C[a0, a1, a2, a3] + X2[a1] + X3[a0, a1, a2, a3], 0)");
        assert_string_equal(inference->step[0].operation, "Conv+BatchNormalization+Mul+Add+Relu");
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* Zeros that a step of their own puts around the image are a definition of the convolution, which is
 * the same as one with padding. */
static void test_moves(void **state)
{
    char *text[2] = {NULL, NULL};

    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        uint64_t seed = 1;
        model made;

        model_start(&made);
        add_input(&made, "x", 4, (int64_t[]){1, 3, 6, 6});
        add_weights(&made, "w", 4, (int64_t[]){4, 3, 3, 3}, -1, 1, &seed);
        add_whole(&made, "p", 8, (int64_t[]){0, 0, 1, 1, 0, 0, 1, 1});
        if (padded)
            add_node(&made, "Pad", "x p", "a");
        add_node(&made, "Conv", padded ? "a w" : "x w", "y");
        if (!padded)
            add_ints(&made, 0, "pads", 4, (int64_t[]){1, 1, 1, 1});
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        text[padded] = strdup(only_text(inference));
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* The nodes of a layer normalisation are one step, behind the product of which it takes in nothing. */
static void test_normalisation(void **state)
{
    opevo_network *network = NULL;
    opevo_inference *inference = NULL;
    opevo_array input = {0}, expected = {0}, result = {0};
    uint64_t seed = 5;
    model made;

    (void)state;
    model_start(&made);
    made.opset.version = 12;
    add_input(&made, "x", 3, (int64_t[]){2, 5, 8});
    add_weights(&made, "w", 2, (int64_t[]){8, 8}, -1, 1, &seed);
    for (int i = 0; i < 2; i++)
        add_weights(&made, i ? "g" : "b", 1, (int64_t[]){8}, .5, 1, &seed);
    add_weights(&made, "two", 1, (int64_t[]){1}, 2, 2, &seed);
    add_weights(&made, "e", 1, (int64_t[]){1}, .01, .01, &seed);
    add_node(&made, "MatMul", "x w", "p");
    add_node(&made, "Add", "p x", "r");
    add_ints(&made, add_node(&made, "ReduceMean", "r", "m"), "axes", 1, (int64_t[]){-1});
    add_node(&made, "Sub", "r m", "d");
    add_node(&made, "Pow", "d two", "q");
    add_ints(&made, add_node(&made, "ReduceMean", "q", "v"), "axes", 1, (int64_t[]){-1});
    add_node(&made, "Add", "v e", "v1");
    add_node(&made, "Sqrt", "v1", "s");
    add_node(&made, "Div", "d s", "n");
    add_node(&made, "Mul", "n g", "n1");
    add_node(&made, "Add", "n1 b", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    input = make_array(3, (int64_t[]){2, 5, 8}, &seed);
    CHECK_OK(opevo_network_run(network, &input, &expected, 1, &err));
    CHECK_OK(opevo_inference_create(network, &inference, &err));
    CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 2);
    assert_string_equal(inference->step[0].operation, "MatMul+Add");
    result = run_it(inference, &input);
    assert_true(difference(&expected, &result) <= ROUNDED);
    opevo_array_free(&input);
    opevo_array_free(&expected);
    opevo_array_free(&result);
    opevo_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* What is read otherwise than at the place of the result, here by windows, is a step of its own. */
static void test_kept(void **state)
{
    opevo_network *network = NULL;
    opevo_inference *inference = NULL;
    model made;

    (void)state;
    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 2, 4, 4});
    add_node(&made, "Exp", "x", "a");
    add_node(&made, "Relu", "a", "b");
    add_ints(&made, add_node(&made, "MaxPool", "a", "c"), "kernel_shape", 2, (int64_t[]){3, 3});
    add_ints(&made, 2, "pads", 4, (int64_t[]){1, 1, 1, 1});
    add_node(&made, "Add", "b c", "d");
    set_output(&made, "d");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_inference_create(network, &inference, &err));
    CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 2);
    assert_string_equal(inference->step[0].operation, "Exp");
    assert_non_null(strstr(inference->step[1].text,
                           "Y0[a0, a1, a2, a3] = C[a0, a1, a2, a3] + max(X0[a0, a1, a2, a3], 0)"));
    opevo_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Each output of a Split that is read is a copy of its own. */
static void test_copies(void **state)
{
    opevo_network *network = NULL;
    opevo_inference *inference = NULL;
    model made;

    (void)state;
    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 6, 2, 2});
    add_int(&made, add_node(&made, "Split", "x", "a b c"), "axis", 1);
    add_int(&made, add_node(&made, "Concat", "c x a", "d"), "axis", 1);
    add_node(&made, "Exp", "d", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_inference_create(network, &inference, &err));
    assert_int_equal(count_kind(inference, OPEVO_NET_STEP_NODE), 1);
    CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(count_kind(inference, OPEVO_NET_STEP_NODE), 0);
    assert_int_equal(count_kind(inference, OPEVO_NET_STEP_COPY), 3);
    for (int n = 0; n < inference->steps; n++)
        assert_int_equal(inference->step[n].outputs, 1);
    opevo_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Equal layers are one task, with the steps that it stands for. */
static void test_tasks(void **state)
{
    opevo_network *network = NULL;
    opevo_inference *inference = NULL;
    opevo_net_tasks tasks = {0};
    model made;

    (void)state;
    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 4});
    add_node(&made, "Softmax", "x", "a");
    add_node(&made, "Relu", "a", "b");
    add_node(&made, "Softmax", "b", "c");
    add_node(&made, "Flatten", "c", "d");
    set_output(&made, "d");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_inference_create(network, &inference, &err));
    CHECK_OK(opevo_inference_tasks(inference, &tasks, &err));
    assert_int_equal(tasks.count, 2);
    assert_int_equal(tasks.task[0].count, 2);
    assert_int_equal(tasks.task[1].count, 1);
    assert_int_equal(tasks.task[1].step, 1);
    for (int n = 0; n < 4; n++)
        assert_int_equal(tasks.of_step[n], n == 3 ? -1 : n % 2);
    assert_true(tasks.task[1].flop.exact && tasks.task[1].flop.count == 12);
    opevo_net_tasks_free(&tasks);
    opevo_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* Whether the comparison above finds a spoilt result: a weight that is wrong by a hundredth, and a
 * step that reads another channel. */
static void test_spoilt(void **state)
{
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        opevo_array input = {0}, expected = {0}, result = {0};
        opevo_net_step *step = NULL;
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
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        step = &inference->step[0];
        result = run_it(inference, &input);
        assert_true(difference(&expected, &result) <= ROUNDED);
        opevo_array_free(&result);
        if (fault == 0)
            ((float *)inference->value[step->input[1]].array.data)[5] *= 1.01F;
        else
            memcpy(strstr(step->text, "+ X0[a0, a1"), "+ X0[a0, a0", 11);
        result = run_it(inference, &input);
        assert_true(difference(&expected, &result) > ROUNDED);
        opevo_array_free(&result);
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
        opevo_array_free(&input);
        opevo_array_free(&expected);
        model_finish(&made);
    }
}

/* Definitions that do not fit their step are refused by what reads them. */
static void test_refused(void **state)
{
    static const char *const spoilt[] = {"X0[", "X7[3, 4]; Y0[a:3, b:4] = X7[a, b]",
                                         "X0[3, 4]; Z[a:3, b:4] = X0[a, b]"};

    (void)state;
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        opevo_network *network = NULL;
        opevo_inference *inference = NULL;
        uint32_t mask = 0;
        model made;

        model_start(&made);
        add_input(&made, "x", 2, (int64_t[]){3, 4});
        add_node(&made, "Exp", "x", "a");
        add_node(&made, "Relu", "a", "b");
        set_output(&made, "b");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        free(inference->step[0].text);
        inference->step[0].text = strdup(spoilt[i]);
        assert_int_equal(opevo_inference_pass(inference, mask_of("fuse"), &failure), OPEVO_INVALID);
        assert_int_equal(opevo_network_passes_named("fuse,melt", &mask, &failure), OPEVO_INVALID);
        assert_non_null(strstr(failure.message, "unknown pass melt"));
        opevo_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* Wherever memory ends, passes say so and leave steps that can be destroyed, and nothing else. */
static void test_memory(void **state)
{
    static grown made;
    opevo_network *network = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t live = 0, n = 0;
    int done = 0; /* in a row; where memory is only released earlier, passes do without */

    (void)state;
    grow_network(&made, 11, &network);
    live = opevo_memory_live();
    while (done < 20) {
        opevo_inference *inference = NULL;
        opevo_net_tasks tasks = {0};

        n++;
        CHECK_OK(opevo_inference_create(network, &inference, &err));
        opevo_memory_fail_at(n);
        status = opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &failure);
        if (status == OPEVO_OK)
            status = opevo_inference_tasks(inference, &tasks, &failure);
        opevo_memory_fail_at(0);
        opevo_net_tasks_free(&tasks);
        opevo_inference_destroy(inference);
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
static void draw_weights(opevo_inference *inference)
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

static opevo_network *read_light(const char *name)
{
    const char *folder = getenv("OPEVO_TEST_ONNX");
    char path[512];
    opevo_network *network = NULL;

    snprintf(path, sizeof path, "%s/light/light_%s.onnx", folder ? folder : "", name);
    if (access(path, R_OK)) {
        print_message("skipped: %s is absent.\n", path);
        skip();
    }
    CHECK_OK(opevo_network_read(path, NULL, &network, &err));
    return network;
}

/* Before and after all passes but folding, on random weights. Differences are those of roundings
 * in single precision of some fifty layers in a row. */
static void test_light_results(void **state)
{
    opevo_network *network = read_light("shufflenet");
    opevo_array input = {0}, results[2] = {{0}, {0}};
    uint64_t seed = 1;

    (void)state;
    input = make_array(4, (int64_t[]){1, 3, 224, 224}, &seed);
    for (int i = 0; i < 2; i++) {
        opevo_inference *inference = NULL;

        CHECK_OK(opevo_inference_create(network, &inference, &err));
        CHECK_OK(opevo_inference_pass(inference, mask_of("fold"), &err));
        draw_weights(inference);
        if (i)
            CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        results[i] = run_it(inference, &input);
        opevo_inference_destroy(inference);
    }
    assert_true(difference(&results[0], &results[1]) <= 1e-4);
    opevo_array_free(&results[0]);
    opevo_array_free(&results[1]);
    opevo_array_free(&input);
    opevo_network_destroy(network);
}

/* ResNet-50 by hand. Its convolutions are of 23 kinds: the first; 64 to 64 channels 1 x 1 and 3 x 3,
 * 64 to 256 and 256 to 64 on 56 x 56; and for each of 28, 14 and 7 the first two of a stage, the
 * shortcut, and the three of other blocks, of which the last one is in the first block too. Each is
 * one task with its normalisation, ReLU and sum, except 64 to 256, which a shortcut has without
 * ReLU as well: 24. With two pools, a product and a softmax there are 28, of 57 steps and a view. */
static void test_resnet(void **state)
{
    opevo_network *network = read_light("resnet50");
    opevo_inference *inference = NULL;
    opevo_net_tasks tasks = {0};
    int convolutions = 0, steps = 0;

    (void)state;
    CHECK_OK(opevo_inference_create(network, &inference, &err));
    CHECK_OK(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    CHECK_OK(opevo_inference_tasks(inference, &tasks, &err));
    assert_int_equal(inference->steps, 58);
    assert_int_equal(count_kind(inference, OPEVO_NET_STEP_VIEW), 1);
    assert_int_equal(tasks.count, 28);
    for (int i = 0; i < tasks.count; i++) {
        convolutions += !strncmp(inference->step[tasks.task[i].step].operation, "Conv", 4);
        steps += tasks.task[i].count;
    }
    assert_int_equal(convolutions, 24);
    assert_int_equal(steps, 57);
    opevo_net_tasks_free(&tasks);
    opevo_inference_destroy(inference);
    opevo_network_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_layer),   cmocka_unit_test(test_kept),
        cmocka_unit_test(test_moves),   cmocka_unit_test(test_normalisation),
        cmocka_unit_test(test_copies),  cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_spoilt),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_light_results),
        cmocka_unit_test(test_resnet),
    };

    return cmocka_run_group_tests(tests, NULL, remove_model);
}
