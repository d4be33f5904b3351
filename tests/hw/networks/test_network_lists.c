/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sequences and optionals as inputs and outputs of a model: each of their tensors is one of the
 * network. */

#include "network_models.h"

#include <opevo/memory.h>

static uint64_t state = 7;

/* A model whose input x and output y are sequences, or x an optional. */
typedef struct listed {
    model made;
    Onnx__ElementType element;
    Onnx__SequenceType sequence;
    Onnx__OptionalElementType inner;
    Onnx__OptionalType optional;
} listed;

static void start(listed *self, bool optional)
{
    model_start(&self->made);
    self->made.opset.version = 17;
    add_input(&self->made, "x", 1, (int64_t[]){0});
    self->element = (Onnx__ElementType)ONNX__ELEMENT_TYPE__INIT;
    self->element.tensor_type = &self->made.tensor[0];
    self->sequence = (Onnx__SequenceType)ONNX__SEQUENCE_TYPE__INIT;
    self->sequence.elem_type = &self->element;
    self->inner = (Onnx__OptionalElementType)ONNX__OPTIONAL_ELEMENT_TYPE__INIT;
    self->inner.tensor_type = &self->made.tensor[0];
    self->optional = (Onnx__OptionalType)ONNX__OPTIONAL_TYPE__INIT;
    self->optional.elem_type = &self->inner;
    self->made.type[0].tensor_type = NULL;
    self->made.type[0].sequence_type = optional ? NULL : &self->sequence;
    self->made.type[0].optional_type = optional ? &self->optional : NULL;
}

/* y: the tensors of x with 1 added, in the opposite order, of which there are two. */
static void add_nodes(listed *self)
{
    model *made = &self->made;

    add_whole(made, "zero", 1, (int64_t[]){0});
    add_weights(made, "one", 1, (int64_t[]){1}, 1, 1, &state);
    add_node(made, "SequenceErase", "x zero", "rest");
    add_node(made, "SequenceAt", "x zero", "first");
    add_node(made, "SequenceAt", "rest zero", "second");
    add_node(made, "Add", "first one", "a");
    add_node(made, "Add", "second one", "b");
    add_node(made, "SequenceConstruct", "b a", "y");
    set_output(made, "y");
}

static void check_reversed(const opevo_array *x, const opevo_array *y)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(y[i].extent[0], x[1 - i].extent[0]);
        for (int64_t k = 0; k < y[i].extent[0]; k++)
            assert_true(element(&y[i], k) == element(&x[1 - i], k) + 1);
    }
}

/* By tensors, and by shapes: the same results, as outputs with names of their own. */
CHECK_TEST(test_sequences)
{
    opevo_array x[2] = {make_array(1, (int64_t[]){3}, &state),
                        make_array(1, (int64_t[]){5}, &state)};
    const int two = 2;
    const opevo_network_shape shapes[] = {{.name = "x[0]", .dims = 1, .extent = {3}},
                                          {.name = "x[1]", .dims = 1, .extent = {5}}};
    const opevo_network_given given[] = {
        {.values = x, .value_count = 2, .lengths = &two, .length_count = 1},
        {.values = x, .value_count = 2, .lengths = &two, .length_count = 1, .eager = true},
        {.shapes = shapes, .shape_count = 2}};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        opevo_network *network = NULL;
        opevo_array y[2] = {{0}};
        listed self;

        start(&self, false);
        add_nodes(&self);
        CHECK_OK(model_read(&self.made, &given[i], &network));
        assert_int_equal(opevo_network_input_count(network), 2);
        assert_int_equal(opevo_network_output_count(network), 2);
        assert_int_equal(opevo_network_declared_count(network), 1);
        assert_int_equal(opevo_network_declared_length(network, 0), 2);
        assert_string_equal(opevo_network_value_at(network, opevo_network_output(network, 1))->name,
                            "y[1]");
        CHECK_OK(opevo_network_run(network, x, y, 1, &err));
        check_reversed(x, y);
        for (int k = 0; k < 2; k++)
            opevo_array_free(&y[k]);
        opevo_network_destroy(network);
        model_finish(&self.made);
    }
    for (int k = 0; k < 2; k++)
        opevo_array_free(&x[k]);
}

/* One tensor for a sequence, several for an optional, another number of inputs. */
CHECK_TEST(test_what_does_not_fit)
{
    opevo_array x[2] = {make_array(1, (int64_t[]){3}, &state),
                        make_array(1, (int64_t[]){3}, &state)};
    const int tensor = OPEVO_NETWORK_TENSOR, two = 2;
    const struct {
        bool optional;
        opevo_network_given given;
        const char *sentence;
    } row[] = {
        {false, {0}, "Input 'x' is a sequence; give the shape of each of its tensors"},
        {false,
         {.values = x, .value_count = 1, .lengths = &tensor, .length_count = 1},
         "Input 'x' is a sequence, and one tensor is given for it."},
        {false, {.values = x, .value_count = 1}, "one tensor is given for it."},
        {true,
         {.values = x, .value_count = 2, .lengths = &two, .length_count = 1},
         "Input 'x' is one tensor or none, and 2 are given for it."},
        {true,
         {.bindings = (const char *const[]){"x="}, .binding_count = 1},
         "Its optional is empty."},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        opevo_network *network = NULL;
        listed self;

        start(&self, row[i].optional);
        if (row[i].optional) {
            add_node(&self.made, "OptionalGetElement", "x", "y");
            set_output(&self.made, "y");
        } else {
            add_nodes(&self);
        }
        assert_int_equal(model_read(&self.made, &row[i].given, &network), OPEVO_INVALID);
        assert_non_null(strstr(failure.message, row[i].sentence));
        model_finish(&self.made);
    }
    for (int k = 0; k < 2; k++)
        opevo_array_free(&x[k]);
}

/* A tensor is not a sequence because its data are too short: the message is about the tensor. */
CHECK_TEST(test_files)
{
    static const unsigned char tensor[] = {8, 2, 16, 1, 74, 4, 0, 0, 0, 0};
    static const unsigned char sequence[] = {10, 1, 'x', 16, 1, 26, 10,  8, 1,
                                             16, 1, 74,  4,  0, 0,  128, 63};
    static const unsigned char nothing[] = {10, 1, 'x', 16, 0};
    opevo_array *array = NULL;
    int count = 0, length = 0;

    assert_int_equal(
        opevo_arrays_read(write_bytes(tensor, sizeof tensor), &array, &count, &length, &failure),
        OPEVO_INVALID);
    assert_non_null(strstr(failure.message, "has data of 1 elements; its shape has 2"));
    assert_null(array);
    CHECK_OK(
        opevo_arrays_read(write_bytes(sequence, sizeof sequence), &array, &count, &length, &err));
    assert_int_equal(count, 1);
    assert_int_equal(length, 1);
    assert_true(element(array, 0) == 1);
    opevo_array_free(array);
    opevo_free(array);
    CHECK_OK(
        opevo_arrays_read(write_bytes(nothing, sizeof nothing), &array, &count, &length, &err));
    assert_int_equal(count, 0);
    assert_int_equal(length, OPEVO_NETWORK_EMPTY);
    opevo_free(array);
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
