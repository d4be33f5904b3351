/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What passes leave of networks, by hand: steps that are joined, moved, kept and made copies, and
 * the tasks of the steps. */

#include "computation_texts.h"
#include "light_models.h"
#include "network_models.h"
#include "passed_networks.h"

#include <opevo/network_tasks.h>

static int count_kind(const opevo_network_inference *inference, opevo_network_step_kind kind)
{
    int count = 0;

    for (int n = 0; n < inference->steps; n++)
        count += inference->step[n].kind == kind;
    return count;
}

/* The only task of a network, after all passes; free() it. */
static char *only_text(const opevo_network_inference *inference)
{
    assert_int_equal(inference->steps, 1);
    assert_int_equal(inference->step[0].kind, OPEVO_NETWORK_STEP_COMPUTE);
    return text_of(inference->step[0].computation);
}

/* A convolution and all that a step may take in is one step, and the operands of the sum and of the
 * product may stand in any order. */
CHECK_TEST(test_layer)
{
    for (int turned = 0; turned < 2; turned++) {
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;
        char *text = NULL;
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
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        text = only_text(inference);
        assert_string_equal(
            text, "X0[1, 3, 6, 6]\nconst X1[4, 3, 3, 3]\nconst X2[4]\nX3[1, 4, 4, 4]\n"
                  "C[a0:1, a1:4, a2:4, a3:4] = sum(k0:3, k1:3, k2:3) X0[a0, k0, a2 + k1, a3 + "
                  "k2]*X1[a1, k0, k1, k2]\n"
                  "Y0[a0, a1, a2, a3] = max(C[a0, a1, a2, a3] + X2[a1] + X3[a0, a1, a2, a3], 0)");
        free(text);
        assert_string_equal(inference->step[0].operation, "Conv+BatchNormalization+Mul+Add+Relu");
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* Zeros that a step of their own puts around the image are a definition of the convolution, which
 * is the same as one with padding. */
CHECK_TEST(test_moves)
{
    char *text[2] = {NULL, NULL};

    for (int padded = 0; padded < 2; padded++) {
        opevo_network *network = NULL;
        opevo_network_inference *inference = NULL;
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
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        text[padded] = only_text(inference);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* The nodes of a layer normalisation are one step, behind the product of which it takes in
 * nothing. */
CHECK_TEST(test_normalisation)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    opevo_array input = {0}, expected = {0}, result = {0};
    uint64_t seed = 5;
    model made;

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
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 2);
    assert_string_equal(inference->step[0].operation, "MatMul+Add");
    result = run_it(inference, &input);
    assert_true(difference(&expected, &result) <= ROUNDED);
    opevo_array_free(&input);
    opevo_array_free(&expected);
    opevo_array_free(&result);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* What is read otherwise than at the place of the result, here by windows, is a step of its own. */
CHECK_TEST(test_kept)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 2, 4, 4});
    add_node(&made, "Exp", "x", "a");
    add_node(&made, "Relu", "a", "b");
    add_ints(&made, add_node(&made, "MaxPool", "a", "c"), "kernel_shape", 2, (int64_t[]){3, 3});
    add_ints(&made, 2, "pads", 4, (int64_t[]){1, 1, 1, 1});
    add_node(&made, "Add", "b c", "d");
    set_output(&made, "d");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(inference->steps, 2);
    assert_string_equal(inference->step[0].operation, "Exp");
    assert_true(has_text(inference->step[1].computation,
                         "Y0[a0, a1, a2, a3] = C[a0, a1, a2, a3] + max(X0[a0, a1, a2, a3], 0)"));
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Each output of a Split that is read is a copy of its own. */
CHECK_TEST(test_copies)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 6, 2, 2});
    add_int(&made, add_node(&made, "Split", "x", "a b c"), "axis", 1);
    add_int(&made, add_node(&made, "Concat", "c x a", "d"), "axis", 1);
    add_node(&made, "Exp", "d", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    assert_int_equal(count_kind(inference, OPEVO_NETWORK_STEP_NODE), 1);
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_int_equal(count_kind(inference, OPEVO_NETWORK_STEP_NODE), 0);
    assert_int_equal(count_kind(inference, OPEVO_NETWORK_STEP_COPY), 3);
    for (int n = 0; n < inference->steps; n++)
        assert_int_equal(inference->step[n].outputs, 1);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Equal layers are one task, with the steps that it stands for. */
CHECK_TEST(test_tasks)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    opevo_network_tasks tasks = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 4});
    add_node(&made, "Softmax", "x", "a");
    add_node(&made, "Relu", "a", "b");
    add_node(&made, "Softmax", "b", "c");
    add_node(&made, "Flatten", "c", "d");
    set_output(&made, "d");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_tasks(inference, &tasks, &err));
    assert_int_equal(tasks.count, 2);
    assert_int_equal(tasks.task[0].count, 2);
    assert_int_equal(tasks.task[1].count, 1);
    assert_int_equal(tasks.task[1].step, 1);
    for (int n = 0; n < 4; n++)
        assert_int_equal(tasks.of_step[n], n == 3 ? -1 : n % 2);
    assert_true(tasks.task[1].flop.exact && tasks.task[1].flop.count == 12);
    opevo_network_tasks_free(&tasks);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* ResNet-50 by hand. Its convolutions are of 23 kinds: the first; 64 to 64 channels 1 x 1 and 3 x
 * 3, 64 to 256 and 256 to 64 on 56 x 56; and for each of 28, 14 and 7 the first two of a stage, the
 * shortcut, and the three of other blocks, of which the last one is in the first block too. Each is
 * one task with its normalisation, ReLU and sum, except 64 to 256, which a shortcut has without
 * ReLU as well: 24. With two pools, a product and a softmax there are 28, of 57 steps and a
 * view. */
CHECK_TEST(test_resnet)
{
    opevo_network *network = read_light_model("resnet50");
    opevo_network_inference *inference = NULL;
    opevo_network_tasks tasks = {0};
    int convolutions = 0, steps = 0;

    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    CHECK_OK(opevo_network_inference_tasks(inference, &tasks, &err));
    assert_int_equal(inference->steps, 58);
    assert_int_equal(count_kind(inference, OPEVO_NETWORK_STEP_VIEW), 1);
    assert_int_equal(tasks.count, 28);
    for (int i = 0; i < tasks.count; i++) {
        convolutions += !strncmp(inference->step[tasks.task[i].step].operation, "Conv", 4);
        steps += tasks.task[i].count;
    }
    assert_int_equal(convolutions, 24);
    assert_int_equal(steps, 57);
    opevo_network_tasks_free(&tasks);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
}

/* Before passes and after them. */
CHECK_TEST(test_light_texts)
{
    static const char *const models[] = {"densenet121", "inception_v2", "resnet50", "shufflenet",
                                         "squeezenet"};

    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        opevo_network *network = read_light_model(models[i]);
        opevo_network_inference *inference = NULL;

        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        inference->winograd.error = .01;
        check_texts(inference);
        CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
        check_texts(inference);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
