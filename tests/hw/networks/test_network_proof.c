/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proofs that steps are the model's function: what passes make of random networks is proved, and
 * not decided where weights are transformed; steps of another order of weights, of another constant
 * and of another definition are refuted. Steps that leave elements unwritten are not proved, and
 * jumps of the model and infinities refute nothing. */

#include "grown_networks.h"
#include "passed_networks.h"
#include "points.h"

#include <math.h>

#include <opevo/memory.h>
#include <opevo/network_proof.h>

static opevo_network_inference *pass(const opevo_network *network, const char *passes, int block)
{
    opevo_network_inference *inference = NULL;

    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    if (block)
        inference->block = block; /* of the 4 and 8 channels of random networks */
    inference->winograd.error = INFINITY;
    inference->winograd.tile = block;
    CHECK_OK(opevo_network_inference_pass(inference, mask_of(passes), &err));
    return inference;
}

static opevo_network_proof prove(const opevo_network *network, const opevo_network_inference *steps,
                                 const char *passes)
{
    opevo_network_proof proof;

    CHECK_OK(opevo_network_prove(network, steps, mask_of(passes), 5, &proof, &err));
    return proof;
}

/* ---- Right steps ---- */

#define ALL "fold,split,drop,scale,fuse,block,winograd"
#define EXACT "fold,split,drop,fuse,block,winograd"

CHECK_TEST(test_proved)
{
    size_t networks = test_size(40, 100), all_weights = 0, scaled = 0;
    int transformed = 0;

    for (uint64_t seed = 0; seed < networks; seed++) {
        const char *passes = seed % 2 ? ALL : EXACT;
        opevo_network_inference *steps = NULL;
        opevo_network *network = NULL;
        opevo_network_proof proof;
        static grown made;

        grow_network(&made, seed, &network);
        steps = pass(network, passes, seed % 4 < 2 ? 0 : 2);
        proof = prove(network, steps, passes);
        /* Weights behind a transform are rounded, which is another function. */
        if (proof.verdict !=
            (steps->winograd.layers ? OPEVO_NETWORK_UNDECIDED : OPEVO_NETWORK_PROVED))
            fail_msg("seed %d: %s", (int)seed, proof.reason);
        if (!steps->winograd.layers)
            assert_true(proof.elements > 0 && proof.compared == proof.elements);
        assert_true(proof.probability > 0 && proof.probability <= 1e-3);
        assert_true(seed % 2 || !proof.scaled);
        all_weights += proof.all_weights;
        scaled += proof.scaled;
        transformed += steps->winograd.layers;
        opevo_network_inference_destroy(steps);
        opevo_network_destroy(network);
        model_finish(&made.model);
    }
    assert_true(2 * all_weights > networks);
    if (!scaled || !transformed)
        fail_msg("%d nets are scaled, %d convolutions transformed.", (int)scaled, transformed);
}

/* ---- Wrong steps ---- */

/* A layer of weights, their sum with a bias, Relu, another layer, and Softmax. */
static void make_classifier(model *made, opevo_network **network)
{
    uint64_t numbers = 3;

    model_start(made);
    add_input(made, "x", 2, (int64_t[]){3, 8});
    add_weights(made, "u", 2, (int64_t[]){8, 6}, -1, 1, &numbers);
    add_weights(made, "b", 1, (int64_t[]){6}, -1, 1, &numbers);
    add_weights(made, "v", 2, (int64_t[]){6, 4}, -1, 1, &numbers);
    add_node(made, "MatMul", "x u", "s");
    add_node(made, "Add", "s b", "t");
    add_node(made, "Relu", "t", "r");
    add_node(made, "MatMul", "r v", "l");
    add_node(made, "Softmax", "l", "y");
    set_output(made, "y");
    CHECK_OK(model_read(made, NULL, network));
}

/* Exchange two elements of the weights that the first step reads. */
static void exchange(opevo_network_inference *steps)
{
    const opevo_network_step *step = &steps->step[0];

    for (int i = 0; i < step->inputs; i++) {
        opevo_network_tensor *value = &steps->value[step->input[i]];
        opevo_array array = value->array;
        float *data = NULL, kept = 0;

        if (!array.data || opevo_array_elements(&array) != 48)
            continue;
        CHECK_OK(opevo_array_allocate(&array, &err));
        data = array.data;
        memcpy(data, value->array.data, 48 * sizeof *data);
        kept = data[1];
        data[1] = data[2];
        data[2] = kept;
        if (value->owned)
            opevo_array_free(&value->array);
        value->array = array;
        value->owned = true;
        return;
    }
    fail_msg("The first step reads no weights.");
}

/* Relu becomes max(x, 1). */
static void spoil(opevo_network_inference *steps)
{
    opevo_computation *spoilt = replaced_text(steps->step[0].computation, ", 0)", ", 1)");

    opevo_computation_destroy(steps->step[0].computation);
    steps->step[0].computation = spoilt;
}

static void check_verdict(const opevo_network *network, opevo_network_inference *steps,
                          opevo_network_verdict verdict)
{
    opevo_network_proof proof = prove(network, steps, ALL);

    if (proof.verdict != verdict)
        fail_msg("verdict %d: %s", (int)proof.verdict, proof.reason);
    assert_true((proof.verdict == OPEVO_NETWORK_PROVED) == (proof.reason[0] == '\0'));
    opevo_network_inference_destroy(steps);
}

CHECK_TEST(test_wrong)
{
    opevo_network *network = NULL, *other = NULL;
    opevo_network_inference *steps = NULL;
    opevo_network_proof proof;
    uint64_t numbers = 9;
    model made;

    make_classifier(&made, &network);
    steps = pass(network, ALL, 0);
    proof = prove(network, steps, ALL);
    assert_int_equal(proof.verdict, OPEVO_NETWORK_PROVED);
    assert_true(proof.all_weights && !proof.unknown && proof.assumed);
    assert_int_equal(proof.elements, 12);
    opevo_network_inference_destroy(steps);
    steps = pass(network, ALL, 0);
    exchange(steps);
    check_verdict(network, steps, OPEVO_NETWORK_REFUTED);
    steps = pass(network, ALL, 0);
    spoil(steps);
    check_verdict(network, steps, OPEVO_NETWORK_REFUTED);
    /* Steps of another model with the same inputs and outputs. */
    model_finish(&made);
    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 8});
    add_weights(&made, "u", 2, (int64_t[]){8, 4}, -1, 1, &numbers);
    add_node(&made, "MatMul", "x u", "l");
    add_node(&made, "Softmax", "l", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &other));
    check_verdict(network, pass(other, ALL, 0), OPEVO_NETWORK_REFUTED);
    opevo_network_destroy(other);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* ---- Values that do not exist ---- */

/* A node behind `operation` of x and a number. */
static void make_behind(model *made, const char *operation, float number, opevo_network **network)
{
    uint64_t state = 1;

    model_start(made);
    add_input(made, "x", 2, (int64_t[]){3, 4});
    add_weights(made, "c", 0, NULL, (double)number, (double)number, &state);
    add_whole(made, "axis", 1, (int64_t[]){1});
    add_node(made, operation, "x c", "a");
    add_node(made, "CumSum", "a axis", "y");
    set_output(made, "y");
    CHECK_OK(model_read(made, NULL, network));
}

/* x/0 and NaN x are not the same, whatever a node makes of them. */
CHECK_TEST(test_nodes_of_nothing)
{
    opevo_network *network = NULL, *other = NULL;
    opevo_network_inference *steps = NULL;
    model made[2];

    make_behind(&made[0], "Div", 0, &network);
    make_behind(&made[1], "Mul", NAN, &other);
    steps = pass(other, "fold", 0);
    assert_int_not_equal(prove(network, steps, "fold").verdict, OPEVO_NETWORK_PROVED);
    opevo_network_inference_destroy(steps);
    opevo_network_destroy(other);
    opevo_network_destroy(network);
    model_finish(&made[0]);
    model_finish(&made[1]);
}

/* Both divide by 0: the field does not know, and equal infinities do not differ. */
CHECK_TEST(test_equal_infinities)
{
    opevo_network *network = NULL;
    opevo_network_inference *steps = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 4});
    add_node(&made, "Sub", "x x", "z");
    add_node(&made, "Div", "x z", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    steps = pass(network, "fold", 0);
    assert_int_equal(prove(network, steps, "fold").verdict, OPEVO_NETWORK_UNDECIDED);
    opevo_network_inference_destroy(steps);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Zeros around an image that nobody fills in. */
CHECK_TEST(test_unwritten)
{
    opevo_network *network = NULL;
    opevo_network_inference *steps = NULL;
    opevo_network_step *copy = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 4});
    add_whole(&made, "pads", 4, (int64_t[]){1, 0, 0, 0});
    add_whole(&made, "axis", 1, (int64_t[]){1});
    add_node(&made, "Pad", "x pads", "p");
    add_node(&made, "CumSum", "p axis", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    steps = pass(network, "fold", 0);
    copy = &steps->step[0];
    assert_int_equal(prove(network, steps, "fold").verdict, OPEVO_NETWORK_PROVED);
    assert_true(copy->kind == OPEVO_NETWORK_STEP_COPY && copy->copies == 2);
    copy->copies = 1;
    copy->copy[0] = copy->copy[copy->copy[0].input < 0];
    assert_int_not_equal(prove(network, steps, "fold").verdict, OPEVO_NETWORK_PROVED);
    opevo_network_inference_destroy(steps);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* ---- What else decides ---- */

/* x^32 has degree 32, also where a node reads it. */
CHECK_TEST(test_degree_before_nodes)
{
    static const char *const names[] = {"x", "x2", "x4", "x8", "x16", "x32"};
    opevo_network *network = NULL;
    opevo_network_inference *steps = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 2, (int64_t[]){3, 4});
    add_whole(&made, "axis", 1, (int64_t[]){1});
    for (int i = 0; i < 5; i++) {
        char both[16];

        snprintf(both, sizeof both, "%s %s", names[i], names[i]);
        add_node(&made, "Mul", both, names[i + 1]);
    }
    add_node(&made, "CumSum", "x32 axis", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    steps = pass(network, ALL, 0);
    assert_true(prove(network, steps, ALL).probability >= 32 / 0x1p62);
    opevo_network_inference_destroy(steps);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* The fraction of 3e4 times a convolution: the roundings of transforms decide it. */
CHECK_TEST(test_jumps)
{
    opevo_network *network = NULL;
    opevo_network_inference *steps = NULL;
    uint64_t state = 1;
    model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){1, 4, 12, 12});
    add_weights(&made, "w", 4, (int64_t[]){4, 4, 3, 3}, -1, 1, &state);
    add_weights(&made, "much", 0, NULL, 3e4, 3e4, &state);
    add_node(&made, "Conv", "x w", "c");
    add_node(&made, "Mul", "c much", "z");
    add_node(&made, "Floor", "z", "f");
    add_node(&made, "Sub", "z f", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    steps = pass(network, EXACT, 2);
    assert_true(steps->winograd.layers > 0);
    assert_int_equal(prove(network, steps, EXACT).verdict, OPEVO_NETWORK_UNDECIDED);
    opevo_network_inference_destroy(steps);
    opevo_network_destroy(network);
    model_finish(&made);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
