/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Structs of callers that were compiled with an older or a newer version of a header. */

#include "check.h"

#include <opevo/struct_size.h>

typedef struct version_1 {
    int first;
    double second;
} version_1;

typedef struct version_2 {
    int first;
    double second;
    const char *third;
} version_2;

CHECK_TEST(the_same_version)
{
    version_2 in = {1, 2.5, "three"};
    version_2 out;

    CHECK_OK(opevo_struct_read(&in, sizeof in, "version", &out, sizeof out, &err));
    assert_int_equal(out.first, 1);
    CHECK_CLOSE(out.second, 2.5, 0);
    assert_string_equal(out.third, "three");
}

/* What lies behind an older caller's struct is not read. */
CHECK_TEST(an_older_caller)
{
    struct {
        version_1 in;
        char *behind;
    } caller = {{1, 2.5}, "not a part of it"};
    version_2 out;

    memset(&out, 0xa5, sizeof out);
    CHECK_OK(opevo_struct_read(&caller.in, sizeof caller.in, "version", &out, sizeof out, &err));
    assert_int_equal(out.first, 1);
    CHECK_CLOSE(out.second, 2.5, 0);
    assert_null(out.third);
}

CHECK_TEST(a_newer_caller)
{
    version_2 in = {1, 2.5, NULL};
    version_1 out = {0, 0};

    CHECK_OK(opevo_struct_read(&in, sizeof in, "version", &out, sizeof out, &err));
    assert_int_equal(out.first, 1);
    CHECK_CLOSE(out.second, 2.5, 0);
    in.third = "unknown here";
    out.first = 7;
    CHECK_FAILS(OPEVO_INVALID, "version has a member that opevo",
                opevo_struct_read(&in, sizeof in, "version", &out, sizeof out, &err));
    assert_int_equal(out.first, 7);
}

CHECK_TEST(no_size)
{
    version_1 in = {1, 2.5}, out = {7, 0};

    CHECK_FAILS(OPEVO_INVALID, "The size of version is 0: give sizeof(version).",
                opevo_struct_read(&in, 0, "version", &out, sizeof out, &err));
    assert_int_equal(out.first, 7);
}
