/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops over threads: every index once, errors, nested and empty loops. */

#include "check.h"

#include <opevo/parallel.h>

enum { COUNT = 1000 };

typedef struct tally {
    int visits[COUNT];
    size_t fail_from; /* indices from here on fail */
} tally;

static opevo_status visit(void *context, size_t index, unsigned worker, opevo_error *err)
{
    tally *self = context;

    assert_true(worker < 4);
    self->visits[index]++;
    if (index >= self->fail_from)
        return OPEVO_FAIL(err, OPEVO_INVALID, "index %zu", index);
    return OPEVO_OK;
}

CHECK_TEST(test_each_index_once_on_any_number_of_threads)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        tally self = {.fail_from = COUNT};

        CHECK_OK(opevo_parallel_for(COUNT, threads, visit, &self, &err));
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(self.visits[i], 1);
    }
    CHECK_OK(opevo_parallel_for(0, 4, visit, NULL, &err));
}

CHECK_TEST(test_lowest_failure_is_returned)
{
    for (int round = 0; round < 50; round++) {
        tally self = {.fail_from = 500};

        CHECK_FAILS(OPEVO_INVALID, "index 500", opevo_parallel_for(COUNT, 4, visit, &self, &err));
    }
}

CHECK_TEST(test_there_is_a_processor)
{
    assert_true(opevo_processor_count() >= 1);
}
