/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which dimension of a result has a size that depends on data, and what is refused. */

#include "network_models.h"

/* Columns of places of numbers that are not 0, of which as many count as there are. */
static void start(model *self, int64_t numbers)
{
    model_start(self);
    add_input(self, "x", 1, (int64_t[]){numbers});
    add_node(self, "NonZero", "x", "places");
}

static opevo_status read_counted(model *self, opevo_network **out)
{
    opevo_network_given given = {.counts = true};

    set_output(self, "y");
    return model_read(self, &given, out);
}

/* What would see rows behind the count is refused: a sum of them, and their number. */
CHECK_TEST(test_counted_refused)
{
    static const char *const operations[] = {"ReduceSum", "Shape", "TopK", "Sigmoid"};

    for (int i = 0; i < 4; i++) {
        opevo_network *network = NULL;
        model made;

        start(&made, 5);
        add_whole(&made, "k", 1, (int64_t[]){1});
        add_node(&made, "Cast", "places", "numbers");
        add_int(&made, 1, "to", OPEVO_NETWORK_FLOAT32);
        add_node(&made, operations[i], i == 2 ? "numbers k" : "numbers", "y");
        assert_int_equal(read_counted(&made, &network), i == 3 ? OPEVO_OK : OPEVO_INVALID);
        if (i < 3)
            assert_non_null(strstr(failure.message, "whose size depends on data"));
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* 1 x at most N numbers in other shapes. With N = 1 all extents are 1, so that only axes say which
 * dimension is counted, and a shape does not. */
CHECK_TEST(test_counted_dimension)
{
    static const struct {
        const char *operation;
        int64_t numbers[3];
        int count, dimension; /* of the result, of any N and of N = 1; -1: refused */
        int alone;
    } cases[] = {{"Unsqueeze", {0}, 1, 2, 2},     {"Unsqueeze", {-1}, 1, 1, 1},
                 {"Unsqueeze", {-2, 0}, 2, 3, 3}, {"Squeeze", {0}, 1, 0, 0},
                 {"Squeeze", {1}, 1, -1, -1},     {"Reshape", {1, 1, -1}, 3, 2, -1},
                 {"Reshape", {-1}, 1, 0, 0},      {"Reshape", {-1, 1}, 2, 0, -1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int n = 1; n <= 3; n += 2) {
            int wanted = n == 1 ? cases[i].alone : cases[i].dimension;
            bool unfit = strcmp(cases[i].operation, "Squeeze") == 0 && wanted < 0 && n > 1;
            opevo_network *network = NULL;
            model made;

            start(&made, n);
            add_whole(&made, "numbers", (size_t)cases[i].count, cases[i].numbers);
            add_node(&made, cases[i].operation, "places numbers", "y");
            assert_int_equal(read_counted(&made, &network), wanted < 0 ? OPEVO_INVALID : OPEVO_OK);
            if (wanted >= 0)
                assert_int_equal(network->value[opevo_network_output(network, 0)].counted,
                                 wanted + 1);
            else if (!unfit)
                assert_non_null(strstr(failure.message, "whose size depends on data"));
            opevo_network_destroy(network);
            model_finish(&made);
        }
    }
}

/* Twice as many images are not as many as before. */
CHECK_TEST(test_counted_resize)
{
    for (int factor = 1; factor <= 2; factor++) {
        opevo_network *network = NULL;
        model made;

        start(&made, 4);
        add_node(&made, "Cast", "places", "numbers");
        add_int(&made, 1, "to", OPEVO_NETWORK_FLOAT32);
        add_node(&made, "Transpose", "numbers", "rows");
        add_node(&made, "Resize", "rows _ _ extents", "y");
        add_whole(&made, "extents", 2, (int64_t[]){4 * factor, 2});
        assert_int_equal(read_counted(&made, &network), factor == 1 ? OPEVO_OK : OPEVO_INVALID);
        opevo_network_destroy(network);
        model_finish(&made);
    }
}

/* A branch of one row beside one of at most one. */
CHECK_TEST(test_counted_branch)
{
    for (int same = 0; same < 2; same++) {
        opevo_network *network = NULL;
        model made, branch[2];

        start(&made, 1);
        add_weights(&made, "limit", 1, (int64_t[]){1}, 0, 0, &(uint64_t){1});
        add_whole(&made, "row", 1, (int64_t[]){7});
        add_whole(&made, "axes", 1, (int64_t[]){0});
        add_node(&made, "Squeeze", "places axes", "rows");
        add_node(&made, "Greater", "x limit", "condition");
        add_node(&made, "If", "condition", "y");
        for (int k = 0; k < 2; k++) {
            model_start(&branch[k]);
            add_node(&branch[k], k ? "Neg" : "Identity", k || same ? "rows" : "row", "z");
            set_output(&branch[k], "z");
            add_attribute(&made, 3, k ? "else_branch" : "then_branch")->g = &branch[k].graph;
        }
        assert_int_equal(read_counted(&made, &network), same ? OPEVO_OK : OPEVO_INVALID);
        if (!same)
            assert_non_null(strstr(failure.message, "whose size depends on data"));
        opevo_network_destroy(network);
        model_finish(&made);
        model_finish(&branch[0]);
        model_finish(&branch[1]);
    }
}

int main(void)
{
    return check_tests(NULL, remove_model);
}
