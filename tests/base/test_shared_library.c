/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of a library that is opened at run time, and what is said of one that is missing or
 * another. */

#include "check.h"

#include <opevo/shared_library.h>

#include <zlib.h>

#define FUNCTIONS(ONE) ONE(adler32) ONE(zlibVersion)
#define SYMBOL(name) OPEVO_LIBRARY_SYMBOL(table, name)

typedef struct table {
    FUNCTIONS(OPEVO_LIBRARY_MEMBER)
} table;

static const opevo_library_symbol symbols[] = {FUNCTIONS(SYMBOL)};

enum { COUNT = sizeof symbols / sizeof *symbols };

/* Adler's checksum of "abc": 1 + a + b + c above 3 + 3 a + 2 b + c. */
static void check_sum(const table *self)
{
    uLong low = 1 + 'a' + 'b' + 'c', high = 3 + 3 * 'a' + 2 * 'b' + 'c';

    assert_int_equal(self->adler32(1, (const Bytef *)"abc", 3), high << 16 | low);
    assert_int_equal(self->zlibVersion()[0], '1');
}

CHECK_TEST(by_its_name_and_by_its_path)
{
    static const char *const paths[] = {"libz.so.1", "/absent/libz.so.1"};

    for (size_t i = 0; i < 2; i++) {
        table found = {NULL, NULL};

        CHECK_OK(opevo_shared_library_open(paths[i], "zlib", symbols, COUNT, &found, &err));
        check_sum(&found);
    }
}

CHECK_TEST(twice)
{
    table first = {NULL, NULL}, second = {NULL, NULL};

    CHECK_OK(opevo_shared_library_open("libz.so.1", "zlib", symbols, COUNT, &first, &err));
    CHECK_OK(opevo_shared_library_open("libz.so.1", "zlib", symbols, COUNT, &second, &err));
    assert_true(first.adler32 == second.adler32 && first.zlibVersion == second.zlibVersion);
}

CHECK_TEST(missing)
{
    static const opevo_library_symbol others[] = {SYMBOL(adler32){"opevo_absent", 0}};
    table found = {NULL, NULL};

    CHECK_FAILS(OPEVO_IO, "A library cannot be opened: /absent/libabsent.so",
                opevo_shared_library_open("/absent/libabsent.so", "A library", symbols, COUNT,
                                          &found, &err));
    CHECK_FAILS(OPEVO_IO, "zlib has no function opevo_absent",
                opevo_shared_library_open("libz.so.1", "zlib", others, 2, &found, &err));
    assert_true(!found.adler32 && !found.zlibVersion);
}
