/* SPDX-License-Identifier: GPL-3.0-or-later */

/* AutoTVM's numbers of configurations, against configurations whose index TVM itself wrote down,
 * and against an enumeration. */

#include "formula.h"

#include "knobs_internal.h"

/* ---- Sizes of spaces ---- */

static opevo_index size_of(const char *text)
{
    opevo_parameter *parameter = NULL;
    opevo_index size = 0;

    CHECK_OK(opevo_parameter_parse("x", text, NULL, &parameter, &err));
    size = opevo_parameter_size(parameter);
    opevo_parameter_destroy(parameter);
    return size;
}

static uint64_t count_allowed(const char *constraint)
{
    opevo_space_share share;
    opevo_space *space = NULL;
    char text[256];

    snprintf(text, sizeof text,
             "{\"x\": {\"_type\": \"factor\", \"_value\": [128, 2]}, \"y\": {\"_type\": \"factor\","
             " \"_value\": [128, 2]}, \"_constraints\": [\"%s\"]}",
             constraint);
    space = formula_space(text);
    assert_true(opevo_space_size(space) == 64);
    CHECK_OK(opevo_space_count_allowed(space, 1000, 1, &share, &err));
    opevo_space_destroy(space);
    return (uint64_t)share.allowed;
}

CHECK_TEST(test_counts_of_splits)
{
    assert_true(size_of("factor(256,3)") == 45);
    assert_true(size_of("factor(224,3)") == 63);
    assert_true(size_of("factor(33554432,4)") == 3276);
    assert_true(size_of("factor(128,2)") == 8);
    assert_int_equal(count_allowed("32 <= x[1] * y[1] && x[1] * y[1] < 1024"), 34);
    assert_int_equal(count_allowed("8 <= x[1] * y[1] && x[1] * y[1] < 1024"), 43);
}

/* The space of conv2d_nchw.cuda: tiles of the output channels, rows and columns, of the reductions,
 * and the two knobs of unrolling. */
static opevo_space *conv_space(int filters, int rows, int columns, int channels, int kernel)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"f\": {\"_type\": \"factor\", \"_value\": [%d, 4]},"
             " \"y\": {\"_type\": \"factor\", \"_value\": [%d, 4]},"
             " \"x\": {\"_type\": \"factor\", \"_value\": [%d, 4]},"
             " \"rc\": {\"_type\": \"factor\", \"_value\": [%d, 2]},"
             " \"ry\": {\"_type\": \"factor\", \"_value\": [%d, 2]},"
             " \"rx\": {\"_type\": \"factor\", \"_value\": [%d, 2]},"
             " \"unroll\": {\"_type\": \"discrete\", \"_value\": [0, 512, 1500]},"
             " \"explicit\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}",
             filters, rows, columns, channels, kernel, kernel);
    return formula_space(text);
}

/* The convolutions of ResNet-18, in the order of the AutoTVM paper's table 1. */
CHECK_TEST(test_sizes_of_resnet)
{
    static const struct {
        int filters, side, channels, kernel;
        uint64_t size;
    } layers[] = {
        {64, 112, 3, 7, 79027200},  {64, 56, 64, 3, 90316800},  {64, 56, 64, 1, 22579200},
        {128, 28, 64, 3, 32256000}, {128, 28, 64, 1, 8064000},  {128, 28, 128, 3, 36864000},
        {256, 14, 128, 3, 8110080}, {256, 14, 128, 1, 2027520}, {256, 14, 256, 3, 9123840},
        {512, 7, 256, 3, 760320},   {512, 7, 256, 1, 190080},   {512, 7, 512, 3, 844800},
    };

    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        opevo_space *space = conv_space(layers[i].filters, layers[i].side, layers[i].side,
                                        layers[i].channels, layers[i].kernel);

        assert_true(opevo_space_size(space) == layers[i].size);
        opevo_space_destroy(space);
    }
}

/* ---- Numbers of configurations ---- */

static void check_index(opevo_space *space, const char *configuration, uint64_t index)
{
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(space, configuration, &point, &err));
    assert_true(opevo_i_tvm_knob_index(space, point) == index);
    assert_true(opevo_i_tvm_knob_point(space, index) == point);
    opevo_space_destroy(space);
}

static opevo_space *matmul_space(int rows, int columns, int depth)
{
    char text[512];

    snprintf(text, sizeof text,
             "{\"y\": {\"_type\": \"factor\", \"_value\": [%d, 3]},"
             " \"x\": {\"_type\": \"factor\", \"_value\": [%d, 3]},"
             " \"k\": {\"_type\": \"factor\", \"_value\": [%d, 2]},"
             " \"unroll\": {\"_type\": \"discrete\", \"_value\": [8, 16, 32, 64]},"
             " \"explicit\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}",
             rows, columns, depth);
    return formula_space(text);
}

/* Records of tuned operators whose index and tiles stand side by side. */
CHECK_TEST(test_recorded_indices)
{
    check_index(conv_space(192, 8, 8, 2048, 1),
                "f=6,1,32,1 y=4,1,2,1 x=1,1,8,1 rc=64,32 ry=1,1 rx=1,1 unroll=1500 explicit=1",
                8797896);
    check_index(conv_space(448, 8, 8, 2048, 1),
                "f=28,2,8,1 y=2,2,2,1 x=1,1,8,1 rc=64,32 ry=1,1 rx=1,1 unroll=0 explicit=0",
                734204);
    check_index(conv_space(320, 8, 8, 2048, 1),
                "f=10,1,16,2 y=2,1,2,2 x=1,1,8,1 rc=32,64 ry=1,1 rx=1,1 unroll=0 explicit=1",
                5709779);
    check_index(matmul_space(128, 128, 20), "y=2,32,2 x=32,2,2 k=4,5 unroll=32 explicit=1", 50881);
    check_index(matmul_space(9216, 128, 128), "y=192,4,12 x=4,32,1 k=8,16 unroll=8 explicit=0",
                59174);
}

/* Ascending by the last component, among equals by the last but one, and so on. */
static void check_order(const char *text)
{
    opevo_parameter *parameter = NULL;
    opevo_value before[8], value[8];
    size_t arity = 0;

    CHECK_OK(opevo_parameter_parse("x", text, NULL, &parameter, &err));
    arity = opevo_parameter_arity(parameter);
    assert_true(arity <= 8);
    for (opevo_index knob = 0; knob < opevo_parameter_size(parameter); knob++) {
        opevo_index vertex = opevo_i_tvm_knob_to_vertex(parameter, knob);
        int order = 0;

        assert_true(vertex < opevo_parameter_size(parameter));
        assert_true(opevo_i_tvm_knob_of_vertex(parameter, vertex) == knob);
        opevo_parameter_value(parameter, vertex, value);
        for (size_t i = arity; knob > 0 && i-- > 1 && order == 0;)
            order = opevo_value_compare(before[i], value[i]);
        assert_true(knob == 0 || order < 0);
        memcpy(before, value, sizeof value);
    }
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_order_of_splits)
{
    check_order("factor(1,3)");
    check_order("factor(7,1)");
    check_order("factor(7,2)");
    check_order("factor(8,3)");
    check_order("factor(360,3)");
    check_order("factor(96,5)");
    check_order("factor(1048583,2)"); /* a prime above 2^20 */
}

CHECK_TEST(test_other_types_keep_their_numbers)
{
    static const char *const texts[] = {"permutation(4)", "discrete(3,1,2)", "categorical(b,a)"};
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(opevo_parameter_parse("x", texts[i], NULL, &parameter, &err));
        for (opevo_index vertex = 0; vertex < opevo_parameter_size(parameter); vertex++) {
            assert_true(opevo_i_tvm_knob_of_vertex(parameter, vertex) == vertex);
            assert_true(opevo_i_tvm_knob_to_vertex(parameter, vertex) == vertex);
        }
        opevo_parameter_destroy(parameter);
    }
    /* The square of a prime above 2^20: the factor that is left may be anything, so nothing is
     * known of its divisors. */
    CHECK_OK(opevo_parameter_parse("x", "factor(1099526307889,2)", NULL, &parameter, &err));
    for (opevo_index vertex = 0; vertex < opevo_parameter_size(parameter); vertex++)
        assert_true(opevo_i_tvm_knob_of_vertex(parameter, vertex) == vertex);
    opevo_parameter_destroy(parameter);
}
