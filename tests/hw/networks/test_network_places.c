/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of networks that move elements, against loops and identities: blocks, borders,
 * triangles, and indices. */

#include "network_models.h"

#include <opevo/network_passes.h>

static uint64_t state = 5;

/* ---- Blocks, borders and triangles ---- */

/* Blocks of depth to space and back, in both orders of nodes; the elements are those of x. */
CHECK_TEST(test_depth_and_space)
{
    opevo_array x = make_array(4, (int64_t[]){2, 8, 4, 6}, &state), y = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 4, (int64_t[]){2, 8, 4, 6});
    add_int(&made, add_node(&made, "DepthToSpace", "x", "a"), "blocksize", 2);
    add_int(&made, add_node(&made, "SpaceToDepth", "a", "y"), "blocksize", 2);
    set_output(&made, "y");
    y = run_model(&made, &x);
    assert_memory_equal(x.data, y.data, 384 * sizeof(float));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* Each border beside the definition of its element in a loop. */
CHECK_TEST(test_borders)
{
    static const char *const modes[] = {"constant", "edge", "reflect"};

    for (int mode = 0; mode < 3; mode++) {
        opevo_array x = make_array(1, (int64_t[]){5}, &state), y = {0};
        Onnx__Attribute *attribute = NULL;
        model made;

        model_start(&made);
        add_input(&made, "x", 1, (int64_t[]){5});
        add_whole(&made, "pads", 2, (int64_t[]){3, 4});
        attribute = add_attribute(&made, add_node(&made, "Pad", "x pads", "y"), "mode");
        attribute->has_s = 1;
        attribute->s.len = strlen(modes[mode]);
        attribute->s.data = (uint8_t *)modes[mode];
        set_output(&made, "y");
        y = run_model(&made, &x);
        assert_int_equal(y.extent[0], 12);
        for (int i = 0; i < 12; i++) {
            int at = i - 3;
            bool inside = at >= 0 && at < 5;

            if (mode == 1)
                at = at < 0 ? 0 : at > 4 ? 4 : at;
            else if (mode == 2)
                at = at < 0 ? -at : at > 4 ? 8 - at : at;
            assert_true(element(&y, i) == (inside || mode ? element(&x, at) : 0));
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* The mask of a causal attention, as exporters write it: all of it is constant. */
CHECK_TEST(test_causal_mask)
{
    opevo_array x = make_array(2, (int64_t[]){4, 4}, &state), y = {0};
    model made;

    model_start(&made);
    made.opset.version = 14;
    add_input(&made, "x", 2, (int64_t[]){4, 4});
    add_whole(&made, "n", 2, (int64_t[]){4, 4});
    add_weights(&made, "low", 0, NULL, -99, -99, &state);
    add_weights(&made, "null", 0, NULL, 0, 0, &state);
    add_weights(&made, "one", 2, (int64_t[]){1, 1}, 1, 1, &state);
    add_node(&made, "Expand", "one n", "ones");
    add_int(&made, add_node(&made, "Trilu", "ones", "lower"), "upper", 0);
    add_node(&made, "Equal", "lower null", "hidden");
    add_node(&made, "Where", "hidden low x", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int i = 0; i < 16; i++)
        assert_true(element(&y, i) == (i % 4 > i / 4 ? -99 : element(&x, i)));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* ---- Indices ---- */

/* Places that are scattered to are found again, and all others are as before. */
CHECK_TEST(test_scattered_elements)
{
    opevo_array x = make_array(1, (int64_t[]){9}, &state), y = {0};
    model made;

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){9});
    add_whole(&made, "at", 3, (int64_t[]){7, -8, 4});
    add_node(&made, "Neg", "x", "n");
    add_node(&made, "GatherElements", "n at", "g");
    add_node(&made, "ScatterElements", "x at g", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int i = 0; i < 9; i++)
        assert_true(element(&y, i) ==
                    (i == 7 || i == 1 || i == 4 ? -element(&x, i) : element(&x, i)));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* Indices may be floats, which are not elements that are moved. */
CHECK_TEST(test_one_hot)
{
    opevo_array x = make_array(1, (int64_t[]){3}, &state), y = {0};
    const float at[] = {2, 0, -1};
    model made;

    memcpy(x.data, at, sizeof at);
    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){3});
    add_whole(&made, "depth", 1, (int64_t[]){4});
    add_weights(&made, "off", 1, (int64_t[]){1}, 7, 7, &state);
    add_weights(&made, "on", 1, (int64_t[]){1}, 9, 9, &state);
    add_int(&made, add_node(&made, "Concat", "off on", "values"), "axis", 0);
    add_node(&made, "OneHot", "x depth values", "y");
    set_output(&made, "y");
    y = run_model(&made, &x);
    for (int i = 0; i < 12; i++)
        assert_true(element(&y, i) == (i == 2 || i == 4 || i == 11 ? 9 : 7));
    opevo_array_free(&x);
    opevo_array_free(&y);
}

/* An index that is outside, which shows where elements are moved, names the file and its node;
 * steps are named by the number of a node without a name. */
CHECK_TEST(test_outside)
{
    opevo_network *network = NULL;
    opevo_network_inference *inference = NULL;
    model made;

    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){4});
    add_whole(&made, "i", 1, (int64_t[]){4});
    made.node[add_node(&made, "Gather", "x i", "y")].name = (char *)"pick";
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_FAILS(OPEVO_INVALID, ": node 0 (Gather 'pick'): Index 4 is outside",
                opevo_network_inference_create(network, &inference, &err));
    opevo_network_destroy(network);
    made.node[0].name = (char *)"";
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_FAILS(OPEVO_INVALID, ": node 0 (Gather): Index 4 is outside",
                opevo_network_inference_create(network, &inference, &err));
    opevo_network_destroy(network);
    model_finish(&made);
    model_start(&made);
    add_input(&made, "x", 1, (int64_t[]){4});
    made.node[add_node(&made, "Relu", "x", "a")].name = (char *)"cut";
    add_node(&made, "Exp", "a", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    assert_string_equal(inference->step[0].name, "cut");
    assert_string_equal(inference->step[1].name, "node 1");
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    assert_string_equal(inference->step[0].name, "cut+node 1");
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

/* Parts without elements are moved by nothing, and so libraries have code for them. */
CHECK_TEST(test_nothing_moves)
{
    opevo_network_inference *inference = NULL;
    opevo_network *network = NULL;
    model made;

    model_start(&made);
    made.opset.version = 14;
    add_input(&made, "x", 2, (int64_t[]){4, 5});
    add_whole(&made, "from", 1, (int64_t[]){4});
    add_whole(&made, "to", 1, (int64_t[]){9});
    add_node(&made, "Slice", "x from to", "none");
    add_node(&made, "Trilu", "none", "y");
    set_output(&made, "y");
    CHECK_OK(model_read(&made, NULL, &network));
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    assert_int_equal(inference->steps, 2);
    for (int n = 0; n < inference->steps; n++) {
        assert_int_equal(inference->step[n].kind, OPEVO_NETWORK_STEP_COPY);
        assert_int_equal(inference->step[n].copies, 0);
    }
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    model_finish(&made);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
