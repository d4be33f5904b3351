/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Counting of live memory, and allocations that fail on demand. */

#include "check.h"

#include <opevo/memory.h>

CHECK_TEST(test_overflowing_sizes_are_refused)
{
    assert_null(opevo_malloc(SIZE_MAX / 2, 3));
    assert_null(opevo_realloc(NULL, SIZE_MAX, 2));
    assert_int_equal(opevo_memory_live(), 0);
}

CHECK_TEST(test_live_blocks_are_counted)
{
    void *a = opevo_malloc(0, 8);
    void *b = opevo_calloc(3, 0);
    char *c = opevo_strdup("text");

    assert_non_null(a);
    assert_non_null(b);
    a = opevo_realloc(a, 100, 8);
    assert_int_equal(opevo_memory_live(), 3);
    assert_string_equal(c, "text");
    opevo_free(a);
    opevo_free(b);
    opevo_free(c);
    opevo_free(NULL);
    assert_int_equal(opevo_memory_live(), 0);
}

CHECK_TEST(test_the_nth_allocation_fails_once)
{
    void *blocks[3] = {NULL};

    opevo_memory_fail_at(2);
    for (int i = 0; i < 3; i++)
        blocks[i] = opevo_malloc(1, 1);
    assert_non_null(blocks[0]);
    assert_null(blocks[1]);
    assert_non_null(blocks[2]);
    opevo_memory_fail_at(0);
    opevo_free(blocks[0]);
    opevo_free(blocks[2]);
}

CHECK_TEST(test_reserve_keeps_contents)
{
    void *items = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < 1000; i++) {
        assert_true(opevo_reserve(&items, &capacity, i + 1, sizeof(size_t)));
        ((size_t *)items)[i] = i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(((size_t *)items)[i], i);
    opevo_memory_fail_at(1);
    assert_false(opevo_reserve(&items, &capacity, capacity + 1, sizeof(size_t)));
    opevo_memory_fail_at(0);
    assert_int_equal(((size_t *)items)[999], 999);
    opevo_free(items);
}
