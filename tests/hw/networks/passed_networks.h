/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks before and after passes: the passes by their names, and how far results differ. */

#ifndef OPEVO_TESTS_PASSED_NETWORKS_H
#define OPEVO_TESTS_PASSED_NETWORKS_H

#include "computation_texts.h"

#include <math.h>

#include <opevo/network_passes.h>

static inline uint32_t mask_of(const char *names)
{
    uint32_t mask = 0;

    CHECK_OK(opevo_network_passes_named(names, &mask, &err));
    return mask;
}

static inline opevo_array run_it(const opevo_network_inference *inference, const opevo_array *input)
{
    opevo_array result = {0};

    CHECK_OK(opevo_network_inference_run(inference, input, &result, 0, &err));
    return result;
}

/* What passes make in memory is what its text reads as. */
static inline void check_texts(const opevo_network_inference *inference)
{
    for (int n = 0; n < inference->steps; n++)
        if (inference->step[n].kind == OPEVO_NETWORK_STEP_COMPUTE)
            check_text(inference->step[n].computation);
}

/* Largest difference as a part of the largest element. */
static inline double difference(const opevo_array *a, const opevo_array *b)
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

/* Moving and folding change no bit. Scaling rounds each weight once more, and joining leaves
 * roundings out: some units of the last place of the largest intermediate for each of the at most
 * 15 steps in a row. Results are up to a hundred times smaller than these. Transforms round three
 * numbers more on the way of each result. */
#define ROUNDED 5e-5

#endif
