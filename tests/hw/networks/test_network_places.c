/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of networks that move elements, against loops and identities: blocks, borders,
 * triangles, and indices. */

#include "network_models.h"

#include <opevo/network_passes.h>

#include <math.h>

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

/* What joins elements in one place is computed, also where all places are constant. */
CHECK_TEST(test_joined_elements)
{
    static const char *const words[] = {"none", "add", "mul", "max", "min"};

    for (int how = 0; how < 10; how++) {
        const char *word = words[how / 2];
        bool slices = how % 2 != 0;
        opevo_array x = make_array(1, (int64_t[]){6}, &state), y = {0};
        opevo_network_inference *inference = NULL;
        opevo_network *network = NULL;
        Onnx__Attribute *attribute = NULL;
        model made;

        model_start(&made);
        made.opset.version = 18;
        add_input(&made, "x", 1, (int64_t[]){6});
        add_whole(&made, "at", 2, (int64_t[]){4, 1});
        add_whole(&made, "column", 2, (int64_t[]){2, 1});
        add_whole(&made, "two", 1, (int64_t[]){2});
        add_whole(&made, "first", 1, (int64_t[]){0});
        add_node(&made, "Slice", "x first two", "u");
        add_node(&made, "Reshape", "at column", "rows");
        attribute = add_attribute(&made,
                                  add_node(&made, slices ? "ScatterND" : "ScatterElements",
                                           slices ? "x rows u" : "x at u", "y"),
                                  "reduction");
        attribute->has_s = 1;
        attribute->s = (ProtobufCBinaryData){strlen(word), (uint8_t *)word};
        set_output(&made, "y");
        CHECK_OK(model_read(&made, NULL, &network));
        CHECK_OK(opevo_network_inference_create(network, &inference, &err));
        assert_int_equal(inference->step[inference->steps - 1].kind,
                         how / 2 ? OPEVO_NETWORK_STEP_NODE : OPEVO_NETWORK_STEP_COPY);
        CHECK_OK(opevo_network_inference_run(inference, &x, &y, 1, &err));
        for (int i = 0; i < 6; i++) {
            float old = element(&x, i), new = element(&x, i == 1);
            const float joined[] = {new, old + new, old *new, fmaxf(old, new), fminf(old, new)};

            assert_true(element(&y, i) == (i == 4 || i == 1 ? joined[how / 2] : old));
        }
        opevo_array_free(&x);
        opevo_array_free(&y);
        opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* ---- Means of windows ---- */

/* The mean of the taps of a window that count. */
static double mean_at(const opevo_array *x, int at, int kernel, int dilation, int before, int after,
                      bool with_padding)
{
    double sum = 0, count = 0;

    for (int k = 0; k < kernel; k++) {
        int64_t place = at + k * dilation - before;
        bool inside = place >= 0 && place < x->extent[2];

        sum += inside ? (double)element(x, place) : 0;
        count += inside || (with_padding && place >= -before && place < x->extent[2] + after);
    }
    return sum / count;
}

/* Dilated windows over edges, also rounded up, count the taps that are inside only. A window
 * without such a tap is refused. */
CHECK_TEST(test_dilated_means)
{
    int right = 0, refused = 0;

    for (int round = 0; round < 400; round++) {
        int extent = 1 + (int)draw(&state, 6), kernel = 1 + (int)draw(&state, 3);
        int dilation = 1 + (int)draw(&state, 3), stride = 1 + (int)draw(&state, 3);
        int reach = (kernel - 1) * dilation + 1;
        int before = (int)draw(&state, (uint64_t)reach), after = (int)draw(&state, (uint64_t)reach);
        bool with_padding = draw(&state, 2) != 0, empty = false;
        opevo_array x = make_array(3, (int64_t[]){1, 1, extent}, &state), y = {0};
        opevo_network *network = NULL;
        model made;
        size_t node = 0;

        model_start(&made);
        made.opset.version = 19;
        add_input(&made, "x", 3, x.extent);
        node = add_node(&made, "AveragePool", "x", "y");
        add_ints(&made, node, "kernel_shape", 1, (int64_t[]){kernel});
        add_ints(&made, node, "dilations", 1, (int64_t[]){dilation});
        add_ints(&made, node, "strides", 1, (int64_t[]){stride});
        add_ints(&made, node, "pads", 2, (int64_t[]){before, after});
        add_int(&made, node, "ceil_mode", (int64_t)draw(&state, 2));
        add_int(&made, node, "count_include_pad", with_padding);
        set_output(&made, "y");
        if (extent + before + after >= reach && model_read(&made, NULL, &network) == OPEVO_OK) {
            CHECK_OK(opevo_network_run(network, &x, &y, 1, &err));
            for (int i = 0; i < (int)y.extent[2]; i++) {
                double mean =
                    mean_at(&x, i * stride, kernel, dilation, before, after, with_padding);

                assert_true(fabs((double)element(&y, i) - mean) < 1e-6);
            }
            opevo_network_destroy(network);
            opevo_array_free(&y);
            right++;
        } else if (extent + before + after >= reach) {
            int places = (extent + before + after - reach + stride - 1) / stride + 1;

            for (int i = 0; i < places; i++)
                empty |= isnan(mean_at(&x, i * stride, kernel, dilation, before, after, false));
            assert_true(empty && !with_padding && strstr(failure.message, "wholly in the padding"));
            refused++;
        }
        opevo_array_free(&x);
        model_finish(&made);
    }
    assert_true(right > 200 && refused > 10);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
