/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "check.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

/* Published test values of FNV-1a, 64 bits. */
CHECK_TEST(test_fnv_vectors)
{
    assert_true(opevo_hash_bytes(OPEVO_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(opevo_hash_bytes(OPEVO_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(opevo_hash_bytes(OPEVO_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

/* Keys that differ in few bits, far apart, and the largest of all, which the table keeps aside. */
static opevo_index key_of(uint64_t i)
{
    return i == 0 ? OPEVO_INDEX_MAX : ((opevo_index)(i % 7) << 64 | i << (i % 3));
}

CHECK_TEST(test_map_holds_what_was_put)
{
    enum { COUNT = 50000 };
    opevo_index_map *map = opevo_index_map_create();
    uint64_t value = 0;

    assert_non_null(map);
    assert_false(opevo_index_map_get(map, 5, &value));
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(opevo_index_map_put(map, key_of(i), i));
    for (uint64_t i = 0; i < COUNT; i += 2)
        assert_true(opevo_index_map_put(map, key_of(i), i + 1000000));
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_true(opevo_index_map_get(map, key_of(i), &value));
        assert_true(key_of(value % 1000000) == key_of(i));
    }
    assert_false(opevo_index_map_get(map, (opevo_index)1 << 100, &value));
    opevo_index_map_destroy(map);
    assert_true(opevo_memory_live() == 0);
}

CHECK_TEST(test_set_counts_each_key_once)
{
    opevo_index_set *set = opevo_index_set_create();

    assert_non_null(set);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 1000; i++)
            assert_true(opevo_index_set_add(set, (opevo_index)i << 90));
        assert_true(opevo_index_set_add(set, OPEVO_INDEX_MAX));
    }
    assert_int_equal(opevo_index_set_count(set), 1001);
    assert_true(opevo_index_set_has(set, OPEVO_INDEX_MAX));
    assert_false(opevo_index_set_has(set, 3));
    opevo_index_set_destroy(set);
}

CHECK_TEST(test_no_memory_leaves_the_map_whole)
{
    opevo_index_map *map = opevo_index_map_create();
    uint64_t value = 0;
    uint64_t put = 0;
    bool grown = true;

    while (put < 12)
        assert_true(opevo_index_map_put(map, put++, 7));
    opevo_memory_fail_at(1); /* the thirteenth key needs more slots than the first sixteen */
    grown = opevo_index_map_put(map, put, 7);
    opevo_memory_fail_at(0);
    assert_false(grown);
    for (uint64_t i = 0; i < put; i++)
        assert_true(opevo_index_map_get(map, i, &value) && value == 7);
    assert_int_equal(opevo_index_map_count(map), put);
    opevo_index_map_destroy(map);
    for (int64_t n = 1; n <= 2; n++) {
        map = opevo_index_map_create();
        opevo_memory_fail_at(n);
        assert_false(opevo_index_map_put(map, 1, 1));
        opevo_memory_fail_at(0);
        assert_true(opevo_index_map_put(map, 1, 1));
        opevo_index_map_destroy(map);
    }
    assert_true(opevo_memory_live() == 0);
}

CHECK_TEST(test_numbers_lowest_byte_first)
{
    static const unsigned char bytes[8] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};

    assert_true(opevo_hash_u64(OPEVO_HASH_START, 0x0123456789abcdef) ==
                opevo_hash_bytes(OPEVO_HASH_START, bytes, sizeof bytes));
}
