/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Normalisations in a library, in single precision, against their formula in double precision:
 * rows of equal elements, whose deviation is 0, and rows whose mean is 1e5 times as large as their
 * deviation, where a mean that is rounded to a float would be wrong by a hundredth of that. */

#include "library_place.h"
#include "network_models.h"

#include <opevo/network_library.h>
#include <opevo/network_passes.h>

#include <sys/stat.h>

static const char folder[] = "network_normal_test";

/* Elements of channels: drawn, equal, with a large mean, large behind a small first one. */
static opevo_array draw_rows(void)
{
    uint64_t state = 3;
    opevo_array x = make_array(4, (int64_t[]){2, 4, 4, 6}, &state);
    float *at = x.data;

    for (int i = 0; i < 2 * 4 * 24; i++) {
        int kind = i / 24 % 4;

        at[i] = kind == 1 ? 3.7f : kind == 2 ? 1e4f + .1f * at[i] : at[i];
        at[i] = kind == 3 ? 1e4f + .1f * at[i] * (float)(i % 24 != 0) : at[i];
    }
    return x;
}

static void add_normal(model *self, const char *operation, const char *inputs, const char *made,
                       const char *attribute, int64_t value)
{
    size_t node = add_node(self, operation, inputs, made);

    if (attribute)
        add_int(self, node, attribute, value);
}

/* All of x, one after another. */
static void make_normals(model *self)
{
    uint64_t state = 1;

    model_start(self);
    self->opset.version = 23;
    add_input(self, "x", 4, (int64_t[]){2, 4, 4, 6});
    add_weights(self, "scale", 2, (int64_t[]){4, 6}, .5, 1.5, &state);
    add_weights(self, "shift", 2, (int64_t[]){4, 6}, -1, 1, &state);
    add_weights(self, "a", 1, (int64_t[]){4}, .5, 1.5, &state);
    add_weights(self, "b", 1, (int64_t[]){4}, -1, 1, &state);
    add_normal(self, "LayerNormalization", "x scale shift", "y0", "axis", 2);
    add_normal(self, "InstanceNormalization", "x a b", "y1", NULL, 0);
    add_normal(self, "GroupNormalization", "x a b", "y2", "num_groups", 4);
    add_normal(self, "RMSNormalization", "x scale", "y3", "axis", 2);
    add_ints(self, add_node(self, "MeanVarianceNormalization", "x", "y4"), "axes", 2,
             (int64_t[]){2, 3});
    add_int(self, add_node(self, "Concat", "y0 y1 y2 y3 y4", "y"), "axis", 0);
    set_output(self, "y");
}

CHECK_TEST(rows_are_right)
{
    static const char *const make[] = {
        "make", "-s", "-C", folder, "check", "CFLAGS=-O1 -march=native -Wall -Wextra -Werror",
        NULL};
    opevo_array x = draw_rows();
    opevo_network_library_options options = {.threads = 2,
                                             .facts = {.vector_bits = 256},
                                             .model = "normal.onnx",
                                             .version = "0",
                                             .inputs = &x,
                                             .input_count = 1};
    opevo_network_library_sizes sizes = {0};
    opevo_network_library *library = NULL;
    opevo_network_inference *inference = NULL;
    opevo_network *network = NULL;
    model made;

    make_normals(&made);
    if (model_read(&made, NULL, &network) != OPEVO_OK)
        fail_msg("%s", failure.message);
    CHECK_OK(opevo_network_inference_create(network, &inference, &err));
    CHECK_OK(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err));
    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    CHECK_PROGRAM(make);
    remove_tree(folder);
    opevo_network_library_destroy(library);
    opevo_network_inference_destroy(inference);
    opevo_network_destroy(network);
    opevo_array_free(&x);
    model_finish(&made);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(NULL, remove_model)) : 1;
}
