/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of networks on NaN and infinity, against IEEE 754 and what ONNX defines. */

#include "network_models.h"

#include <float.h>
#include <math.h>

static uint64_t state = 5;

/* Comparisons give NaN for NaN, and keep all else. */
CHECK_TEST(test_not_a_number)
{
    static const char *const operations[] = {"Relu", "Clip",      "Max",
                                             "Min",  "ReduceMax", "ReduceMin"};
    const int64_t extents[] = {3, 5};

    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        opevo_array x = make_array(2, extents, &state), y = {0};
        bool reduces = k > 3, two = k == 2 || k == 3;
        model made;

        ((float *)x.data)[7] = NAN;
        model_start(&made);
        made.opset.version = k == 1 ? 6 : 12;
        add_input(&made, "x", 2, extents);
        if (two)
            add_node(&made, "Neg", "x", "z");
        add_node(&made, operations[k], two ? "x z" : "x", "y");
        if (k == 1) {
            add_float(&made, 0, "min", -0.5F);
            add_float(&made, 0, "max", INFINITY);
        }
        if (reduces)
            add_ints(&made, 0, "axes", 1, (int64_t[]){-1});
        set_output(&made, "y");
        y = run_model(&made, &x);
        for (int i = 0; i < opevo_array_elements(&y); i++)
            assert_int_equal(isnan((double)element(&y, i)) != 0, reduces ? i == 1 : i == 7);
        opevo_array_free(&x);
        opevo_array_free(&y);
    }
}

/* Of 3 rows of 4, which begin like this: log of the sum of exponentials, and the place of the
 * largest and the smallest element. NaN is the largest and the smallest one. */
CHECK_TEST(test_rows_of_infinities)
{
    static const struct {
        float row[4];
        double logarithm;
        int largest, smallest;
    } cases[] = {{{-INFINITY, -INFINITY, -INFINITY, -INFINITY}, -INFINITY, 0, 0},
                 {{1, INFINITY, -INFINITY, 0}, INFINITY, 1, 2},
                 {{-INFINITY, -INFINITY, 2, -INFINITY}, 2, 2, 0},
                 {{INFINITY, 1, NAN, NAN}, NAN, 2, 2},
                 {{FLT_MAX, -FLT_MAX, 0, 0}, (double)FLT_MAX, 0, 1}};
    static const char *const operations[] = {"ReduceLogSumExp", "ArgMax", "ArgMin"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double expected[] = {cases[i].logarithm, cases[i].largest, cases[i].smallest};

        for (int k = 0; k < 3; k++) {
            opevo_array x = make_array(2, (int64_t[]){3, 4}, &state), y = {0};
            double found = 0;
            model made;

            memcpy(x.data, cases[i].row, sizeof cases[i].row);
            model_start(&made);
            made.opset.version = 12;
            add_input(&made, "x", 2, x.extent);
            add_node(&made, operations[k], "x", "y");
            if (k)
                add_int(&made, 0, "axis", -1);
            else
                add_ints(&made, 0, "axes", 1, (int64_t[]){-1});
            set_output(&made, "y");
            y = run_model(&made, &x);
            found = opevo_array_number(&y, 0);
            assert_true(found == expected[k] || (isnan(found) && isnan(expected[k])));
            opevo_array_free(&x);
            opevo_array_free(&y);
        }
    }
}
