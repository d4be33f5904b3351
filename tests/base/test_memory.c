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

static opevo_status take(char **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_NEW(*out, 8, "%d letters of %s", 8, "a word");
    OPEVO_NEED(opevo_memory_live() == 1, "another %s", "word");
cleanup:
    return status;
}

static opevo_status take_or_return(char **out, opevo_error *err)
{
    OPEVO_NEW_OR_RETURN(*out, 8, "letters");
    OPEVO_NEED_OR_RETURN(opevo_memory_live() == 1, "%d letters", 9);
    return OPEVO_OK;
}

CHECK_TEST(test_functions_are_left_without_memory)
{
    static const struct {
        opevo_status (*call)(char **out, opevo_error *err);
        const char *first, *second;
    } rows[] = {{take, "No memory for 8 letters of a word.", "No memory for another word."},
                {take_or_return, "No memory for letters.", "No memory for 9 letters."}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL, *more = NULL;

        CHECK_OK(rows[i].call(&text, &err));
        assert_memory_equal(text, "\0\0\0\0\0\0\0", 8);
        CHECK_FAILS(OPEVO_NOMEM, rows[i].second, rows[i].call(&more, &err));
        opevo_free(text);
        opevo_free(more);
        opevo_memory_fail_at(1);
        CHECK_FAILS(OPEVO_NOMEM, rows[i].first, rows[i].call(&text, &err));
        assert_null(text);
        opevo_memory_fail_at(0);
    }
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
